//! Names of EXIF tags (CIPA DC-008, Exif 3.0). Serial numbers, names of owners, notes of makers and
//! comments of users are absent, since they identify people or have no defined form.

/// Directory that contains a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Image,
    /// How a photo was taken.
    Photo,
    /// Where it was taken.
    Position,
}

/// Returns the name of a tag that is reported.
pub(super) fn name(kind: Kind, tag: u16) -> Option<&'static str> {
    let names = match kind {
        Kind::Image => IMAGE,
        Kind::Photo => PHOTO,
        Kind::Position => POSITION,
    };
    names
        .iter()
        .find(|(known, _)| *known == tag)
        .map(|(_, name)| *name)
}

const IMAGE: &[(u16, &str)] = &[
    (0x010E, "ImageDescription"),
    (0x010F, "Make"),
    (0x0110, "Model"),
    (0x0112, "Orientation"),
    (0x011A, "XResolution"),
    (0x011B, "YResolution"),
    (0x0128, "ResolutionUnit"),
    (0x0131, "Software"),
    (0x0132, "DateTime"),
    (0x013B, "Artist"),
    (0x8298, "Copyright"),
];

const PHOTO: &[(u16, &str)] = &[
    (0x829A, "ExposureTime"),
    (0x829D, "FNumber"),
    (0x8822, "ExposureProgram"),
    (0x8827, "PhotographicSensitivity"),
    (0x9000, "ExifVersion"),
    (0x9003, "DateTimeOriginal"),
    (0x9004, "DateTimeDigitized"),
    (0x9010, "OffsetTime"),
    (0x9011, "OffsetTimeOriginal"),
    (0x9012, "OffsetTimeDigitized"),
    (0x9201, "ShutterSpeedValue"),
    (0x9202, "ApertureValue"),
    (0x9203, "BrightnessValue"),
    (0x9204, "ExposureBiasValue"),
    (0x9205, "MaxApertureValue"),
    (0x9206, "SubjectDistance"),
    (0x9207, "MeteringMode"),
    (0x9208, "LightSource"),
    (0x9209, "Flash"),
    (0x920A, "FocalLength"),
    (0x9290, "SubSecTime"),
    (0x9291, "SubSecTimeOriginal"),
    (0x9292, "SubSecTimeDigitized"),
    (0xA001, "ColorSpace"),
    (0xA002, "PixelXDimension"),
    (0xA003, "PixelYDimension"),
    (0xA217, "SensingMethod"),
    (0xA401, "CustomRendered"),
    (0xA402, "ExposureMode"),
    (0xA403, "WhiteBalance"),
    (0xA404, "DigitalZoomRatio"),
    (0xA405, "FocalLengthIn35mmFilm"),
    (0xA406, "SceneCaptureType"),
    (0xA407, "GainControl"),
    (0xA408, "Contrast"),
    (0xA409, "Saturation"),
    (0xA40A, "Sharpness"),
    (0xA40C, "SubjectDistanceRange"),
    (0xA432, "LensSpecification"),
    (0xA433, "LensMake"),
    (0xA434, "LensModel"),
];

const POSITION: &[(u16, &str)] = &[
    (0x0001, "GPSLatitudeRef"),
    (0x0002, "GPSLatitude"),
    (0x0003, "GPSLongitudeRef"),
    (0x0004, "GPSLongitude"),
    (0x0005, "GPSAltitudeRef"),
    (0x0006, "GPSAltitude"),
    (0x0007, "GPSTimeStamp"),
    (0x0010, "GPSImgDirectionRef"),
    (0x0011, "GPSImgDirection"),
    (0x001D, "GPSDateStamp"),
];
