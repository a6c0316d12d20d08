//! Images to upload, valid and invalid.

use domain::naming::ImageSize;
use media::{
    encode::{EncodeOptions, encode},
    format::Format,
    pixels::{Channels, Pixels},
};

/// GPS position in the EXIF data.
pub(crate) const PLACE: &[u8] = b"52.5200N 13.4050E";

/// Returns an image in which all pixels differ.
fn picture(width: u32, height: u32) -> Pixels {
    let share = |value: u32, of: u32| u8::try_from(value * 255 / of).expect("a share of 255");
    let pixel = |x, y| {
        [
            share(x, width),
            share(y, height),
            share(x + y, width + height),
        ]
    };

    let samples = (0..height)
        .flat_map(|y| (0..width).flat_map(move |x| pixel(x, y)))
        .collect();
    Pixels::new(ImageSize::new(width, height), Channels::Rgb, samples)
}

fn plain(format: Format) -> EncodeOptions<'static> {
    EncodeOptions::new(format, 95)
}

pub(crate) fn image(format: Format, width: u32, height: u32) -> Vec<u8> {
    encode(picture(width, height), &plain(format)).expect("an image")
}

/// Returns a progressive JPEG.
pub(crate) fn progressive(width: u32, height: u32) -> Vec<u8> {
    encode(
        picture(width, height),
        &EncodeOptions {
            progressive: true,
            ..plain(Format::Jpeg)
        },
    )
    .expect("an image")
}

/// Returns an image of 24×16 stored pixels with an EXIF orientation and position.
pub(crate) fn with_exif(format: Format, orientation: u8) -> Vec<u8> {
    let mut exif = b"II*\0\x08\0\0\0\x02\0".to_vec();
    exif.extend([0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0]);
    exif.extend([0x0E, 0x01, 2, 0, 17, 0, 0, 0, 38, 0, 0, 0, 38, 0, 0, 0]);
    exif.truncate(38);
    exif.extend_from_slice(PLACE);

    encode(
        picture(24, 16),
        &EncodeOptions {
            exif: Some(&exif),
            ..plain(format)
        },
    )
    .expect("an image")
}

/// Returns a JPEG whose frame header has other dimensions.
pub(crate) fn jpeg_of_sides(width: u16, height: u16) -> Vec<u8> {
    let mut jpeg = image(Format::Jpeg, 240, 160);
    let frame = jpeg
        .windows(2)
        .position(|window| window == [0xFF, 0xC0])
        .expect("a frame");
    jpeg[frame + 5..frame + 7].copy_from_slice(&height.to_be_bytes());
    jpeg[frame + 7..frame + 9].copy_from_slice(&width.to_be_bytes());

    jpeg
}

/// Returns a PNG whose header has other dimensions.
pub(crate) fn png_of_sides(width: u32, height: u32) -> Vec<u8> {
    let mut png = image(Format::Png, 240, 160);
    png[16..20].copy_from_slice(&width.to_be_bytes());
    png[20..24].copy_from_slice(&height.to_be_bytes());
    let checksum = crc32fast::hash(&png[12..29]).to_be_bytes();
    png[29..33].copy_from_slice(&checksum);
    png
}

/// Returns a lossy WebP whose frame has other dimensions.
pub(crate) fn webp_of_sides(width: u16, height: u16) -> Vec<u8> {
    let mut webp = image(Format::WebP, 240, 160);
    webp[26..28].copy_from_slice(&width.to_le_bytes());
    webp[28..30].copy_from_slice(&height.to_le_bytes());
    webp
}

/// Returns a GIF of two frames, 1×1.
pub(crate) fn animation() -> Vec<u8> {
    let frame = b"\x2C\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0";
    [
        &b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xFF\xFF\xFF"[..],
        frame,
        frame,
        b";",
    ]
    .concat()
}

pub(crate) fn contains(bytes: &[u8], what: &[u8]) -> bool {
    bytes.windows(what.len()).any(|window| window == what)
}
