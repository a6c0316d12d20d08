//! Image files for the tests: written by the encoders, or by hand for everything else.

use domain::{
    naming::ImageSize,
    renditions::{Focus, Resize, Sides},
};
use media::{
    decode::decode,
    encode::{EncodeOptions, encode},
    format::Format,
    pixels::{Channels, Pixels},
    probe::probe,
    render::{RenderOptions, WatermarkLayer, render},
};

use super::{
    exif_files::{LITTLE_ENDIAN, Value},
    media_files::riff,
};

/// Text in metadata that must not occur in stripped files.
pub(crate) const SECRET: &[u8] = b"52.5200N 13.4050E";

/// Asserts that a result is an error of a pattern.
macro_rules! assert_error {
    ($result:expr, $pattern:pat $(, $context:expr)*) => {{
        let result = $result;
        let context = format!("{:?} {result:?}", ($($context,)*));
        assert!(matches!(result, Err($pattern)), "{context}");
    }};
}
pub(crate) use assert_error;

/// Returns a gradient; its alpha runs from transparent to opaque.
pub(crate) fn picture(width: u32, height: u32, channels: Channels) -> Pixels {
    let color = |x: u32, y: u32| {
        let scaled = |value: u32, of: u32| u8::try_from(value * 255 / of.max(1)).unwrap();
        [
            scaled(x, width),
            scaled(y, height),
            scaled(x + y, width + height),
            scaled(x, width - 1),
        ]
    };

    match channels {
        Channels::Gray => painted(width, height, |x, y| [color(x, y)[2]]),
        Channels::Rgb => painted(width, height, |x, y| {
            let [red, green, blue, _] = color(x, y);
            [red, green, blue]
        }),
        Channels::Rgba => painted(width, height, color),
    }
}

/// Returns pixels with the colors of a function, which have a sample for each channel.
pub(crate) fn painted<const COUNT: usize>(
    width: u32,
    height: u32,
    color: impl Fn(u32, u32) -> [u8; COUNT],
) -> Pixels {
    let positions = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let channels = match COUNT {
        1 => Channels::Gray,
        3 => Channels::Rgb,
        _ => Channels::Rgba,
    };
    let samples = positions.flat_map(|(x, y)| color(x, y)).collect();
    Pixels::new(ImageSize::new(width, height), channels, samples)
}

/// Returns default options for a format.
pub(crate) fn plain(format: Format) -> EncodeOptions<'static> {
    EncodeOptions::new(format, 95)
}

/// Returns options for a progressive JPEG.
pub(crate) fn progressive() -> EncodeOptions<'static> {
    EncodeOptions {
        progressive: true,
        ..plain(Format::Jpeg)
    }
}

/// Returns options for a lossless WebP.
pub(crate) fn lossless() -> EncodeOptions<'static> {
    EncodeOptions {
        lossless: true,
        ..plain(Format::WebP)
    }
}

/// Returns pixels of one color, which has a sample for each channel.
pub(crate) fn solid<const COUNT: usize>(color: [u8; COUNT], width: u32, height: u32) -> Pixels {
    painted(width, height, |_, _| color)
}

pub(crate) fn png(pixels: Pixels) -> Vec<u8> {
    encode(pixels, &plain(Format::Png)).unwrap()
}

/// Returns the decoded pixels of a file.
pub(crate) fn pixels(file: &[u8]) -> Pixels {
    decode(file, &probe(file).unwrap()).unwrap()
}

/// Returns options that keep the size.
pub(crate) const fn to(format: Format) -> RenderOptions<'static> {
    RenderOptions::new(format)
}

/// Returns options with another size.
pub(crate) fn resized(
    options: RenderOptions<'_>,
    resize: impl Into<Option<Resize>>,
) -> RenderOptions<'_> {
    RenderOptions {
        resize: resize.into(),
        ..options
    }
}

/// Returns options with a watermark.
pub(crate) fn marked<'a>(
    options: RenderOptions<'_>,
    watermark: &'a WatermarkLayer,
) -> RenderOptions<'a> {
    RenderOptions {
        watermark: Some(watermark),
        ..options
    }
}

pub(crate) const fn both(width: u32, height: u32) -> Sides {
    Sides::Both { width, height }
}

pub(crate) const fn fit(width: u32, height: u32) -> Resize {
    Resize::Fit(both(width, height))
}

pub(crate) const fn fill(width: u32, height: u32, focus: Focus) -> Resize {
    Resize::Fill {
        width,
        height,
        focus,
    }
}

pub(crate) const fn crop(sides: Sides, focus: Focus) -> Resize {
    Resize::Crop { sides, focus }
}

/// Returns the decoded pixels of a rendering.
pub(crate) fn rendered(file: &[u8], options: &RenderOptions) -> Pixels {
    pixels(&render(file, options).unwrap().bytes)
}

/// Returns the offset of the first JPEG marker of a kind.
pub(crate) fn marker_at(file: &[u8], marker: u8) -> usize {
    let found = file.windows(2).position(|bytes| bytes == [0xFF, marker]);
    found.unwrap()
}

/// Returns a JPEG with other dimensions in its frame header.
pub(crate) fn with_sides(jpeg: &[u8], width: u16, height: u16) -> Vec<u8> {
    let mut jpeg = jpeg.to_vec();
    let is_frame = |bytes: &[u8]| matches!(bytes, [0xFF, 0xC0 | 0xC2]);
    let frame = jpeg.windows(2).position(is_frame).unwrap();
    // The dimensions follow the marker, the length and the precision.
    let sides = [height.to_be_bytes(), width.to_be_bytes()].concat();
    jpeg[frame + 5..frame + 9].copy_from_slice(&sides);
    jpeg
}

/// Returns a progressive JPEG with this number of further scans.
pub(crate) fn with_scans(count: usize) -> Vec<u8> {
    let jpeg = encode(picture(24, 16, Channels::Rgb), &progressive()).unwrap();
    let (data, end) = jpeg.split_at(jpeg.len() - 2);
    let last = data.windows(2).rposition(|bytes| bytes == [0xFF, 0xDA]);
    [data, &data[last.unwrap()..].repeat(count), end].concat()
}

/// A file of a picture.
pub(crate) fn file(format: Format, width: u32, height: u32, channels: Channels) -> Vec<u8> {
    encode(picture(width, height, channels), &plain(format)).unwrap()
}

/// A file with camera data.
pub(crate) fn with_exif(format: Format, channels: Channels, exif: &[u8]) -> Vec<u8> {
    encode(
        picture(24, 16, channels),
        &EncodeOptions {
            exif: Some(exif),
            ..plain(format)
        },
    )
    .unwrap()
}

/// A file whose camera data says how the picture is turned.
pub(crate) fn turned(picture: Pixels, orientation: u8, options: &EncodeOptions) -> Vec<u8> {
    let exif = exif(orientation);
    let options = EncodeOptions {
        exif: Some(&exif),
        ..options.clone()
    };
    encode(picture, &options).unwrap()
}

/// Camera data that says how the image is turned and where it was taken, and has a thumbnail.
pub(crate) fn exif(orientation: u8) -> Vec<u8> {
    let fields = [
        (0x0112, Value::Short(vec![orientation.into()])),
        (0x010E, Value::Text(SECRET.to_vec())),
    ];
    let mut exif = b"II*\0\x08\0\0\0".to_vec();
    exif.extend(LITTLE_ENDIAN.directory(8, &fields, &[]));
    let next = exif.len() - SECRET.len() - 4;
    exif[next..next + 4].copy_from_slice(&[38, 0, 0, 0]);
    exif
}

/// A JPEG with a segment after its start.
pub(crate) fn with_segment(jpeg: &[u8], marker: u8, payload: &[u8]) -> Vec<u8> {
    let length = u16::try_from(payload.len() + 2).unwrap().to_be_bytes();
    [&jpeg[..2], &[0xFF, marker], &length, payload, &jpeg[2..]].concat()
}

pub(crate) fn chunk(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
    let body = [&kind, data].concat();
    let checksum = crc32fast::hash(&body).to_be_bytes();
    [
        &u32::try_from(data.len()).unwrap().to_be_bytes()[..],
        &body,
        &checksum,
    ]
    .concat()
}

/// A gray PNG with these bytes as its compressed pixels.
pub(crate) fn gray_png(width: u32, height: u32, compressed: &[u8]) -> Vec<u8> {
    png_of(width, height, png::ColorType::Grayscale, compressed)
}

/// A PNG with these bytes as its compressed pixels.
pub(crate) fn png_of(width: u32, height: u32, color: png::ColorType, compressed: &[u8]) -> Vec<u8> {
    let header = [width.to_be_bytes(), height.to_be_bytes()].concat();
    [
        &b"\x89PNG\r\n\x1A\n"[..],
        &chunk(
            *b"IHDR",
            &[&header[..], &[8, color as u8, 0, 0, 0]].concat(),
        ),
        &chunk(*b"IDAT", compressed),
        &chunk(*b"IEND", &[]),
    ]
    .concat()
}

/// A PNG with a chunk after its header.
pub(crate) fn with_chunk(png: &[u8], kind: [u8; 4], data: &[u8]) -> Vec<u8> {
    [&png[..33], &chunk(kind, data), &png[33..]].concat()
}

/// A PNG of this many frames.
pub(crate) fn animated_png(frames: u32) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 6, 4);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_animated(frames, 0).unwrap();
    let mut writer = encoder.write_header().unwrap();
    for frame in 0..frames {
        writer
            .write_image_data(&[u8::try_from(frame * 40).unwrap(); 6 * 4 * 3])
            .unwrap();
    }
    writer.finish().unwrap();
    file
}

/// A GIF of this many frames, whose last color is transparent, with a comment and an XMP packet.
pub(crate) fn gif(frames: u8) -> Vec<u8> {
    let palette = [255, 0, 0, 0, 0, 255, 0, 255, 0, 9, 9, 9];
    let mut file = Vec::new();
    let mut encoder = gif::Encoder::new(&mut file, 6, 4, &palette).unwrap();
    encoder.set_repeat(gif::Repeat::Infinite).unwrap();
    encoder
        .write_raw_extension(gif::AnyExtension(0xFE), &[SECRET])
        .unwrap();
    encoder
        .write_raw_extension(gif::AnyExtension(0xFF), &[b"XMP DataXMP", SECRET])
        .unwrap();

    for frame in 0..frames {
        let indices: Vec<u8> = (0..24).map(|pixel| (pixel + frame) % 4).collect();
        encoder
            .write_frame(&gif::Frame::from_indexed_pixels(6, 4, indices, Some(3)))
            .unwrap();
    }

    drop(encoder);
    file
}

/// Files that browsers show although they are damaged, or announce something else in their headers.
pub(crate) fn damaged() -> Vec<Vec<u8>> {
    let animation = gif(2);
    let frame = animation.iter().rposition(|byte| *byte == 0x2C).unwrap();
    // The control extension of the frame has eight bytes.
    let with_zeros = [&animation[..frame - 8], &[0; 3], &animation[frame - 8..]].concat();
    let mut smaller_screen = animation.clone();
    smaller_screen[6] = 2;

    let png = file(Format::Png, 24, 16, Channels::Rgb);
    let mut wrong_checksum = png.clone();
    let checksum = png.len() - 13;
    wrong_checksum[checksum] ^= 1;
    let size = u32::try_from(png.len()).unwrap().to_le_bytes();
    let icon = [
        &[0, 0, 1, 0, 1, 0, 9, 9, 0, 0, 1, 0, 32, 0],
        &size[..],
        &[22, 0, 0, 0],
        &png,
    ]
    .concat();

    let still = file(Format::WebP, 24, 16, Channels::Rgb);
    let announced = webp(&[(*b"VP8X", &canvas(0x3C, 24, 16)), (*b"VP8 ", &still[20..])]);
    vec![
        animation[..frame + 12].to_vec(),
        animation[..animation.len() - 1].to_vec(),
        with_zeros,
        smaller_screen,
        png[..png.len() - 12].to_vec(),
        wrong_checksum,
        icon,
        announced[..announced.len() - 1].to_vec(),
        announced,
    ]
}

/// A WebP of these chunks.
pub(crate) fn webp(chunks: &[([u8; 4], &[u8])]) -> Vec<u8> {
    riff(*b"WEBP", chunks)
}

/// A WebP's chunk for its canvas.
pub(crate) fn canvas(flags: u8, width: u8, height: u8) -> [u8; 10] {
    [flags, 0, 0, 0, width - 1, 0, 0, height - 1, 0, 0]
}

/// A WebP of two frames with camera data.
pub(crate) fn animated_webp(exif: &[u8]) -> Vec<u8> {
    let still = file(Format::WebP, 24, 16, Channels::Rgb);
    let header = [0, 0, 0, 0, 0, 0, 23, 0, 0, 15, 0, 0, 100, 0, 0, 0];
    let frame = [&header[..], &still[12..]].concat();
    let metadata = [(*b"EXIF", exif), (*b"XMP ", SECRET)];
    webp_of_frames(0x0E, [24, 16], 0, &[frame.clone(), frame], &metadata)
}

/// A WebP with these flags and frames, which is shown `plays` times, with further chunks.
pub(crate) fn webp_of_frames(
    flags: u8,
    [width, height]: [u8; 2],
    plays: u8,
    frames: &[Vec<u8>],
    metadata: &[([u8; 4], &[u8])],
) -> Vec<u8> {
    let canvas = canvas(flags, width, height);
    let animation = [9, 9, 9, 255, plays, 0];
    let mut chunks: Vec<([u8; 4], &[u8])> = vec![(*b"VP8X", &canvas), (*b"ANIM", &animation)];
    chunks.extend(frames.iter().map(|frame| (*b"ANMF", &frame[..])));
    chunks.extend(metadata);
    webp(&chunks)
}

/// Returns the largest difference of two samples. Fails if there are not equally many, or none.
pub(crate) fn largest_difference(expected: &[u8], found: &[u8]) -> u8 {
    assert_eq!(found.len(), expected.len());
    let samples = expected.iter().zip(found);
    samples.map(|(a, b)| a.abs_diff(*b)).max().unwrap()
}

/// Whether a file has some bytes in it.
pub(crate) fn contains(file: &[u8], what: &[u8]) -> bool {
    file.windows(what.len()).any(|window| window == what)
}
