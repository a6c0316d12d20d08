//! Headers and metadata of images of all formats. The input is a file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use media::{
    completeness::require_complete,
    error::ProbeError,
    exif::MAX_EXIF_FIELDS,
    format::Format,
    image_metadata::{MetadataOptions, image_metadata},
    orient::Orientation,
    probe::{Frames, ImageInfo, probe, probe_whole},
    strip::strip,
};

/// Number of bytes that detect every format, but which codec a HEIF has whose brands name none.
const DETECTION_BYTES: usize = 256;

fuzz_target!(init: fuzz::init(fuzz::seeds::headers), |file: &[u8]| {
    let whole = probe(file);
    check_length(file, &whole);
    for length in [12, 64, file.len() / 2, file.len().saturating_sub(1)] {
        check_head(file, length.min(file.len()), &whole);
    }
    check_detection(file);
    check_metadata(file, &whole);
    if let Ok(probed) = probe_whole(file) {
        check_strip(file, &probed);
    }
});

/// A header that needs more bytes needs more than there are.
fn check_length(head: &[u8], probed: &Result<ImageInfo, ProbeError>) {
    match probed {
        Ok(info) => assert!(info.width > 0 && info.height > 0),
        Err(ProbeError::NeedsMore { bytes }) => assert!(*bytes > head.len() as u64),
        Err(_) => {}
    }
}

/// The first bytes of a file have the same header as the file, or need more bytes.
fn check_head(file: &[u8], length: usize, whole: &Result<ImageInfo, ProbeError>) {
    let head = &file[..length];
    let probed = probe(head);
    check_length(head, &probed);

    match (probed, whole) {
        // Frames of a GIF follow the header.
        (Ok(info), Ok(whole)) if info.frames == Frames::Unknown => {
            assert_eq!(info.stored(), whole.stored());
        }
        (Ok(info), whole) if info.frames != Frames::Unknown => assert_eq!(whole, &Ok(info)),
        (Err(ProbeError::Malformed(_)), whole) => assert!(whole.is_err()),
        _ => {}
    }
}

fn check_detection(file: &[u8]) {
    let head = &file[..file.len().min(DETECTION_BYTES)];
    let detected = |bytes: &[u8]| match Format::detect(bytes) {
        Some(Format::Avif) => Some(Format::Heic),
        detected => detected,
    };
    assert_eq!(detected(head), detected(file));
}

/// Metadata agrees with the header, and is bounded.
fn check_metadata(file: &[u8], whole: &Result<ImageInfo, ProbeError>) {
    let options = MetadataOptions {
        keep_gps: true,
        ..MetadataOptions::default()
    };
    let metadata = image_metadata(file, &options);
    assert!(metadata.exif.len() <= MAX_EXIF_FIELDS);
    if let Ok(info) = whole {
        assert_eq!(metadata.width, Some(info.displayed().width));
    }
}

/// A file without metadata has the same header, and none is left to remove.
fn check_strip(file: &[u8], probed: &ImageInfo) {
    let Ok(stripped) = strip(file, probed) else {
        return;
    };
    let info = probe_whole(&stripped).expect("a stripped image has a header");

    assert_eq!(
        (info.format, info.stored()),
        (probed.format, probed.stored())
    );
    assert_eq!(
        (info.frames, info.has_alpha),
        (probed.frames, probed.has_alpha)
    );
    if probed.format == Format::Jpeg {
        assert_eq!(info.orientation, Orientation::Normal);
    } else {
        assert_eq!(info.orientation, probed.orientation);
    }

    assert_eq!(strip(&stripped, &info), Ok(stripped.clone()));
    if probed.format.has_removable_metadata() {
        assert_eq!(require_complete(&stripped), Ok(()));
    }
}
