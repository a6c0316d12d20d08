//! Inputs of images: bytes that select the options of a request, and a file.

use domain::{
    renditions::{Focus, Quality, Resize, Sides},
    settings::Gravity,
    uploads::{TransformationRules, UploadFormat},
};
use media::format::Format;

/// Number of bytes before the file.
const OPTION_BYTES: usize = 8;
/// Frequent output formats.
const FORMATS: [Format; 4] = [Format::Jpeg, Format::Png, Format::WebP, Format::Gif];
/// One of this number of outputs is AVIF, whose encoder is slow.
const AVIF_INTERVAL: u8 = 16;
const UPLOAD_FORMATS: [UploadFormat; 4] = [
    UploadFormat::Original,
    UploadFormat::Jpeg,
    UploadFormat::Png,
    UploadFormat::WebP,
];

/// A file with options.
#[derive(Clone, Copy, Debug)]
pub struct ImageInput<'a> {
    options: [u8; OPTION_BYTES],
    pub file: &'a [u8],
}

impl<'a> ImageInput<'a> {
    /// Splits an input. Returns `None` if it is too short.
    pub fn parse(bytes: &'a [u8]) -> Option<ImageInput<'a>> {
        let (options, file) = bytes.split_first_chunk()?;
        Some(ImageInput {
            options: *options,
            file,
        })
    }

    /// Returns the size of the output.
    pub fn resize(&self) -> Option<Resize> {
        let side = |byte: u8| (byte > 0).then(|| u32::from(byte));
        let sides = Sides::of(side(self.options[1]), side(self.options[2]))?;

        match self.options[0] % 4 {
            0 => Some(Resize::Scale(sides)),
            1 => Some(Resize::Fit(sides)),
            2 => Some(Resize::Fill {
                width: sides.width().unwrap_or(1),
                height: sides.height().unwrap_or(1),
                focus: self.focus(),
            }),
            _ => Some(Resize::Crop {
                sides,
                focus: self.focus(),
            }),
        }
    }

    fn focus(&self) -> Focus {
        Gravity::ALL
            .get(usize::from(self.options[3]) % (Gravity::ALL.len() + 1))
            .map_or(Focus::Auto, |gravity| Focus::At(*gravity))
    }

    /// Returns the position of a watermark.
    pub fn gravity(&self) -> Gravity {
        Gravity::ALL[usize::from(self.options[3]) % Gravity::ALL.len()]
    }

    /// Returns the opacity of a watermark.
    pub fn opacity(&self) -> f64 {
        f64::from(self.options[7]) / f64::from(u8::MAX)
    }

    /// Returns the format of the output.
    pub fn format(&self) -> Format {
        let choice = self.options[4] % AVIF_INTERVAL;
        if choice == AVIF_INTERVAL - 1 {
            Format::Avif
        } else {
            FORMATS[usize::from(choice) % FORMATS.len()]
        }
    }

    /// Returns the quality of the output.
    pub fn quality(&self) -> Quality {
        match self.options[5] % 101 {
            0 => Quality::Auto,
            quality => Quality::Fixed(quality),
        }
    }

    /// Whether the output has a watermark.
    pub fn has_watermark(&self) -> bool {
        self.options[6] & 1 == 1
    }

    /// Whether the output is rendered twice, to compare the files.
    pub fn is_repeated(&self) -> bool {
        self.options[6] & 0x0E == 0x0E
    }

    /// Returns the rules of an upload.
    pub fn rules(&self) -> TransformationRules {
        TransformationRules {
            upload_format: UPLOAD_FORMATS[usize::from(self.options[7]) % UPLOAD_FORMATS.len()],
            upload_quality: self.quality(),
            progressive: self.options[7] & 0x10 != 0,
            strip_metadata: self.options[7] & 0x20 != 0,
            ..TransformationRules::default()
        }
    }

    /// Whether the file is also transformed as an upload.
    pub fn is_uploaded(&self) -> bool {
        self.options[6] & 0x30 == 0
    }
}
