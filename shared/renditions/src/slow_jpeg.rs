//! An image that takes too long to be decoded, for tests of this crate and of `tests`.

use domain::naming::ImageSize;
use media::{
    encode::{EncodeOptions, encode},
    format::Format,
    pixels::{Channels, Pixels},
};

/// Returns a progressive JPEG whose header specifies 9,900 × 9,900 pixels, with 180 more scans.
pub(crate) fn slow_jpeg() -> Vec<u8> {
    let pixels = Pixels::new(ImageSize::new(24, 16), Channels::Gray, vec![7; 24 * 16]);
    let options = EncodeOptions {
        progressive: true,
        ..EncodeOptions::new(Format::Jpeg, 90)
    };
    let jpeg = encode(pixels, &options).expect("a JPEG");
    let is_marker = |marker| move |bytes: &[u8]| bytes == [0xFF, marker];
    let frame = jpeg.windows(2).position(is_marker(0xC2));
    let frame = frame.expect("a progressive frame");
    let last_scan = jpeg.windows(2).rposition(is_marker(0xDA));

    let (data, end) = jpeg.split_at(jpeg.len() - 2);
    let scan = &data[last_scan.expect("a scan")..];
    let mut slow = [data, &scan.repeat(180), end].concat();
    let side = 9_900_u16.to_be_bytes();
    slow[frame + 5..frame + 9].copy_from_slice(&[side, side].concat());
    slow
}
