//! Image files for the tests: written by the encoders, or by hand for everything else.

use domain::Quality;
use media::{
    Channels, EncodeOptions, Format, Pixels, RenderOptions, decode, encode, probe, render,
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
    let pixel = |x: u32, y: u32| {
        let scaled = |value: u32, of: u32| u8::try_from(value * 255 / of.max(1)).unwrap();
        let color = [
            scaled(x, width),
            scaled(y, height),
            scaled(x + y, width + height),
            scaled(x, width - 1),
        ];
        match channels {
            Channels::Gray => vec![color[2]],
            Channels::Rgb => color[..3].to_vec(),
            Channels::Rgba => color.to_vec(),
        }
    };
    let samples = (0..height)
        .flat_map(|y| (0..width).flat_map(move |x| pixel(x, y)))
        .collect();

    Pixels {
        width,
        height,
        channels,
        samples,
        profile: None,
    }
}

/// Returns default options for a format.
pub(crate) fn plain(format: Format) -> EncodeOptions<'static> {
    EncodeOptions {
        format,
        quality: 95,
        progressive: false,
        lossless: false,
        exif: None,
    }
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
pub(crate) fn solid(color: &[u8], width: u32, height: u32) -> Pixels {
    Pixels {
        width,
        height,
        channels: match color.len() {
            1 => Channels::Gray,
            3 => Channels::Rgb,
            _ => Channels::Rgba,
        },
        samples: color.repeat(width as usize * height as usize),
        profile: None,
    }
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
    RenderOptions {
        resize: None,
        format,
        quality: Quality::Auto,
        watermark: None,
    }
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

/// Camera data that says how the image is turned and where it was taken, and has a thumbnail.
pub(crate) fn exif(orientation: u8) -> Vec<u8> {
    let mut exif = b"II*\0\x08\0\0\0".to_vec();
    exif.extend([2, 0]);
    exif.extend([0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0]);
    exif.extend([0x0E, 0x01, 2, 0, 17, 0, 0, 0, 38, 0, 0, 0]);
    exif.extend([38, 0, 0, 0]);
    assert_eq!(exif.len(), 38);
    exif.extend_from_slice(SECRET);
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

/// A WebP of these chunks.
pub(crate) fn webp(chunks: &[([u8; 4], &[u8])]) -> Vec<u8> {
    let mut body = b"WEBP".to_vec();
    for (kind, data) in chunks {
        body.extend_from_slice(kind);
        body.extend(u32::try_from(data.len()).unwrap().to_le_bytes());
        body.extend_from_slice(data);
        body.extend(std::iter::repeat_n(0, data.len() % 2));
    }
    [
        b"RIFF",
        &u32::try_from(body.len()).unwrap().to_le_bytes()[..],
        &body,
    ]
    .concat()
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
    webp(&[
        (*b"VP8X", &canvas(0x0E, 24, 16)),
        (*b"ANIM", &[0; 6]),
        (*b"ANMF", &frame),
        (*b"ANMF", &frame),
        (*b"EXIF", exif),
        (*b"XMP ", SECRET),
    ])
}

/// A box of HEIF.
fn boxed(kind: [u8; 4], content: &[&[u8]]) -> Vec<u8> {
    let content = content.concat();
    [
        &u32::try_from(content.len() + 8).unwrap().to_be_bytes()[..],
        &kind,
        &content,
    ]
    .concat()
}

/// The head of a HEIF file with two images, whose primary one has these dimensions, turned and
/// mirrored so.
pub(crate) fn heif(
    brand: [u8; 4],
    width: u32,
    height: u32,
    turns: u8,
    mirror: Option<u8>,
) -> Vec<u8> {
    let size = |width: u32, height: u32| {
        boxed(
            *b"ispe",
            &[&[0; 4], &width.to_be_bytes(), &height.to_be_bytes()],
        )
    };
    let mut properties = vec![
        size(512, 512),
        size(width, height),
        boxed(*b"irot", &[&[turns]]),
    ];
    properties.extend(mirror.map(|axis| boxed(*b"imir", &[&[axis]])));
    properties.push(boxed(
        *b"auxC",
        &[&[0; 4], b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0"],
    ));

    let mirrored = if mirror.is_some() { 4 } else { 0 };
    let associations = boxed(
        *b"ipma",
        &[
            &[0; 4],
            &2_u32.to_be_bytes(),
            &[0, 1, 1, 1, 0, 2, 3, 2, 0x83, mirrored],
        ],
    );
    let properties = boxed(
        *b"iprp",
        &[&boxed(*b"ipco", &[&properties.concat()]), &associations],
    );
    let meta = boxed(
        *b"meta",
        &[&[0; 4], &boxed(*b"pitm", &[&[0; 4], &[0, 2]]), &properties],
    );

    [
        boxed(*b"ftyp", &[&brand, &[0; 4], b"mif1", &brand]),
        meta,
        boxed(*b"mdat", &[SECRET]),
    ]
    .concat()
}

/// The head of a bitmap.
pub(crate) fn bmp(width: i32, height: i32) -> Vec<u8> {
    let mut file = [&b"BM"[..], &[0; 12], &40_u32.to_le_bytes()].concat();
    file.extend([width.to_le_bytes(), height.to_le_bytes()].concat());
    file.resize(54, 0);
    file
}

/// A TIFF without pixels.
pub(crate) fn tiff(width: u16, height: u16, orientation: u8) -> Vec<u8> {
    let entry = |tag: u16, value: u16| {
        [
            &tag.to_be_bytes()[..],
            &[0, 3, 0, 0, 0, 1],
            &value.to_be_bytes(),
            &[0, 0],
        ]
        .concat()
    };
    let entries = [
        entry(256, width),
        entry(257, height),
        entry(274, orientation.into()),
    ]
    .concat();
    [&b"MM\0*\0\0\0\x08\0\x03"[..], &entries, &[0; 4]].concat()
}

/// The head of an icon in two sizes.
pub(crate) fn ico() -> Vec<u8> {
    let mut file = vec![0, 0, 1, 0, 2, 0];
    file.extend([16, 16, 0, 0, 1, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    file.extend([0, 0, 0, 0, 1, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    file
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
