//! Rendering of HEIC and AVIF files: their container, pictures and colors, and their transformation
//! on upload.
#![no_main]

use fuzz::{ImageInput, check_image};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: fuzz::init(fuzz::seeds::heif), |bytes: &[u8]| {
    if let Some(input) = ImageInput::parse(bytes) {
        check_image(&input);
    }
});
