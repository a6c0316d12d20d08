//! Properties and EXIF fields of images.

use media::{
    exif::{ExifValue, MAX_EXIF_CHARACTERS, MAX_EXIF_FIELDS},
    format::Format,
    image_metadata::{ImageMetadata, MetadataOptions, image_metadata},
    orient::Orientation,
    pixels::Channels,
};

use crate::{
    exif_files::{ExifFile, Value, avif_with_exif},
    files, heads,
};

fn read(file: &[u8]) -> ImageMetadata {
    let options = MetadataOptions {
        keep_gps: true,
        ..MetadataOptions::default()
    };
    image_metadata(file, &options)
}

fn text(text: &str) -> ExifValue {
    ExifValue::Text(text.to_owned())
}

/// EXIF data as of a camera.
fn camera() -> ExifFile {
    ExifFile {
        image: vec![
            (0x0112, Value::Short(vec![6])),
            (0x010F, Value::Text(b"Acme\0".to_vec())),
            (0x0110, Value::Text(b"Camera \xFF\x07One\0junk".to_vec())),
        ],
        photo: vec![
            (0x829A, Value::Quotient(vec![(1, 250)])),
            (0x829D, Value::Quotient(vec![(28, 10)])),
            (0x8827, Value::Short(vec![400])),
            (0x9000, Value::Undefined(b"0230".to_vec())),
            (0x9003, Value::Text(b"2026:01:02 03:04:05\0".to_vec())),
            (0x9204, Value::Quotient(vec![(1, 0)])),
            (0xA431, Value::Text(b"SERIAL-NUMBER\0".to_vec())),
            (
                0xA432,
                Value::Quotient(vec![(24, 1), (70, 1), (28, 10), (4, 1)]),
            ),
            (0xA434, Value::Text(vec![b'x'; 5_000])),
        ],
        position: vec![
            (1, Value::Text(b"S\0".to_vec())),
            (2, Value::Quotient(vec![(52, 1), (30, 1), (36, 1)])),
            (3, Value::Text(b"E\0".to_vec())),
            (4, Value::Quotient(vec![(13, 1), (0, 0), (0, 1)])),
        ],
    }
}

fn jpeg(exif: &[u8]) -> Vec<u8> {
    files::with_exif(Format::Jpeg, Channels::Rgb, exif)
}

#[test]
fn exif_fields_have_standard_names_in_both_byte_orders() {
    for is_big_endian in [false, true] {
        let metadata = read(&jpeg(&camera().bytes(is_big_endian)));

        let field = |name: &str| metadata.exif.get(name).cloned();
        assert_eq!(field("Make"), Some(text("Acme")));
        assert_eq!(field("Model"), Some(text("Camera \u{FFFD}One")));
        assert_eq!(field("ExposureTime"), Some(ExifValue::Decimal(0.004)));
        assert_eq!(field("FNumber"), Some(ExifValue::Decimal(2.8)));
        assert_eq!(
            field("PhotographicSensitivity"),
            Some(ExifValue::Integer(400))
        );
        assert_eq!(field("ExifVersion"), Some(text("0230")));
        assert_eq!(field("DateTimeOriginal"), Some(text("2026:01:02 03:04:05")));
        assert_eq!(field("LensSpecification"), Some(text("24, 70, 2.8, 4")));
        assert_eq!(
            field("LensModel"),
            Some(text(&"x".repeat(MAX_EXIF_CHARACTERS))),
            "long texts are cut"
        );
        assert_eq!(field("ExposureBiasValue"), None, "a division by zero");
        assert_eq!(
            (metadata.width, metadata.height, metadata.orientation),
            (Some(16), Some(24), Orientation::QuarterTurn)
        );
        assert!(metadata.exif.len() <= MAX_EXIF_FIELDS);
        assert!(!format!("{:?}", metadata.exif).contains("SERIAL"));
    }
}

#[test]
fn position_is_only_returned_if_it_is_kept() {
    let file = jpeg(&camera().bytes(true));

    let kept = read(&file).exif;
    let dropped = image_metadata(&file, &MetadataOptions::default()).exif;

    assert_eq!(kept.get("GPSLatitude"), Some(&ExifValue::Decimal(-52.51)));
    assert_eq!(kept.get("GPSLongitude"), None, "a damaged angle");
    assert!(dropped.keys().all(|name| !name.starts_with("GPS")));
    assert!(dropped.contains_key("Make"));
}

#[test]
fn exif_is_found_in_all_formats_that_contain_it() {
    let exif = camera().bytes(false);

    for file in [
        jpeg(&exif),
        files::with_exif(Format::Png, Channels::Rgba, &exif),
        files::with_exif(Format::WebP, Channels::Rgb, &exif),
        avif_with_exif(&exif, 0),
        avif_with_exif(&exif, 2),
        exif.clone(),
    ] {
        let metadata = read(&file);
        assert_eq!(
            metadata.exif.get("Make"),
            Some(&text("Acme")),
            "{metadata:?}"
        );
    }
}

#[test]
fn frames_and_pages_are_counted() {
    let lying_png = {
        let mut file = files::animated_png(2);
        let control = file.windows(4).position(|kind| kind == b"acTL").unwrap();
        file[control + 4..control + 8].copy_from_slice(&[0xFF; 4]);
        file
    };
    let two_pages = {
        let mut file = heads::tiff(7, 5, 1);
        let next = file.len() - 4;
        let second = u32::try_from(file.len()).unwrap();
        file[next..].copy_from_slice(&second.to_be_bytes());
        file.extend([0; 6]);
        file
    };
    let endless = {
        let mut file = heads::tiff(7, 5, 1);
        let next = file.len() - 4;
        file[next..].copy_from_slice(&8_u32.to_be_bytes());
        file
    };

    for (name, file, pages) in [
        ("PNG", files::file(Format::Png, 3, 2, Channels::Rgb), 1),
        ("animated PNG", files::animated_png(3), 3),
        ("animated PNG with a wrong count", lying_png, 2),
        ("GIF", files::gif(1), 1),
        ("animated GIF", files::gif(5), 5),
        ("animated WebP", files::animated_webp(&files::exif(1)), 2),
        ("TIFF", heads::tiff(7, 5, 1), 1),
        ("TIFF with two pages", two_pages, 2),
        ("TIFF that refers to itself", endless, 1),
        ("icon", heads::ico(), 1),
    ] {
        assert_eq!(read(&file).pages, Some(pages), "{name}");
    }
}

#[test]
fn frames_and_pages_of_a_prefix_are_not_counted() {
    let options = MetadataOptions {
        is_prefix: true,
        ..MetadataOptions::default()
    };

    for (file, pages) in [
        (files::file(Format::Png, 3, 2, Channels::Rgb), Some(1)),
        (files::animated_png(3), None),
        (files::gif(5), None),
        (files::animated_webp(&files::exif(1)), None),
        (heads::tiff(7, 5, 1), None),
    ] {
        let metadata = image_metadata(&file, &options);
        assert_eq!(metadata.pages, pages, "{:?}", metadata.format);
        assert!(metadata.width.is_some());
    }
}

#[test]
fn damaged_files_have_partial_metadata() {
    let file = files::with_segment(
        &[0xFF, 0xD8, 0xFF, 0xD9],
        0xE1,
        &[b"Exif\0\0", &camera().bytes(false)[..]].concat(),
    );
    let metadata = read(&file);

    assert_eq!(metadata.format, Some(Format::Jpeg));
    assert_eq!(metadata.width, None);
    assert_eq!(metadata.exif.get("Make"), Some(&text("Acme")));

    assert_eq!(read(b""), ImageMetadata::default());
    assert_eq!(read(b"not an image"), ImageMetadata::default());
}

#[test]
fn no_damage_of_exif_is_an_error() {
    let exif = camera().bytes(false);
    for at in 0..exif.len().min(600) {
        for byte in [0, 0x7F, 0xFF] {
            let mut damaged = exif.clone();
            damaged[at] = byte;
            let metadata = read(&jpeg(&damaged));
            assert!(metadata.exif.len() <= MAX_EXIF_FIELDS);
            assert_eq!(metadata.format, Some(Format::Jpeg));
        }
        read(&jpeg(&exif[..at]));
        read(&exif[..at]);
        let avif = avif_with_exif(&exif, 1);
        read(&avif[..at.min(avif.len())]);
    }
}

/// Overlapping directories have more entries than the file has bytes.
#[test]
fn overlapping_directories_are_not_followed() {
    let mut exif = b"II*\0\x08\0\0\0\xFF\xFF".to_vec();
    for offset in 0..5_000_u32 {
        exif.extend([0x69, 0x87, 4, 0, 1, 0, 0, 0]);
        exif.extend((10 + offset * 2).to_le_bytes());
    }

    assert!(read(&jpeg(&exif)).exif.is_empty());
}

#[test]
fn extreme_dimensions_are_reported() {
    for (width, height) in [(65_000, 1), (1, 65_000), (1, 1)] {
        let metadata = read(&files::file(Format::Png, width, height, Channels::Gray));
        assert_eq!(
            (metadata.width, metadata.height, metadata.has_alpha),
            (Some(width), Some(height), Some(false))
        );
    }
}
