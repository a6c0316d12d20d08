//! Watermark images: decoding, and compositing over images.
#![no_main]

use fuzz::{ImageInput, check_watermark};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: fuzz::init(fuzz::seeds::all_images), |bytes: &[u8]| {
    if let Some(input) = ImageInput::parse(bytes) {
        check_watermark(&input);
    }
});
