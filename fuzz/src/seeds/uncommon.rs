//! BMPs, TIFFs and ICOs.

use std::io::Cursor;

use image::{DynamicImage, ImageFormat, RgbImage};
use media::pixels::Channels;
use tiff::encoder::{Compression, DeflateLevel, TiffEncoder, colortype};

use super::files::picture;

/// Length of the file header of a BMP, which an icon leaves out, in bytes.
const BMP_FILE_HEADER: usize = 14;

pub(super) fn files() -> Vec<Vec<u8>> {
    let mut files: Vec<Vec<u8>> = [ImageFormat::Bmp, ImageFormat::Tiff, ImageFormat::Ico]
        .map(written)
        .to_vec();
    files.push(bitmap_icon());
    files.push(run_lengths());

    for compression in [
        Compression::Lzw,
        Compression::Packbits,
        Compression::Deflate(DeflateLevel::Fast),
    ] {
        files.push(tiff(compression));
    }
    files.push(deep_tiff());
    files.push(tiled_tiff());

    files
}

fn pixels(width: u32, height: u32) -> DynamicImage {
    let samples = picture(width, height, Channels::Rgb).samples;
    DynamicImage::ImageRgb8(RgbImage::from_raw(width, height, samples).expect("a picture"))
}

fn written(format: ImageFormat) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    let pixels = pixels(12, 7);
    let pixels = if format == ImageFormat::Ico {
        DynamicImage::from(pixels.to_rgba8())
    } else {
        pixels
    };
    pixels.write_to(&mut file, format).expect("a picture");
    file.into_inner()
}

/// Returns an icon with a bitmap of 12 × 7 pixels instead of a PNG.
fn bitmap_icon() -> Vec<u8> {
    let mut bitmap = written(ImageFormat::Bmp)[BMP_FILE_HEADER..].to_vec();
    // The height includes that of the mask.
    bitmap[8] *= 2;
    bitmap.extend([0; 7 * 4]);
    let length = u32::try_from(bitmap.len()).expect("a small file");

    let mut icon = vec![0, 0, 1, 0, 1, 0, 12, 7, 0, 0, 1, 0, 24, 0];
    icon.extend(length.to_le_bytes());
    icon.extend(22_u32.to_le_bytes());
    icon.extend(bitmap);
    icon
}

/// Returns a BMP of 4 × 2 pixels with a palette and run-length encoding.
fn run_lengths() -> Vec<u8> {
    let header: [u32; 10] = [40, 4, 2, 8 << 16 | 1, 1, 12, 0, 0, 2, 2];
    let palette = [0, 0, 255, 0, 255, 0, 0, 0];
    let runs = [4, 0, 0, 0, 0, 3, 1, 0, 1, 0, 1, 1, 0, 1];
    let start = 14 + 40 + 8_u32;
    let length = start + 14;

    let mut file = b"BM".to_vec();
    for word in [length, 0, start].into_iter().chain(header) {
        file.extend(word.to_le_bytes());
    }
    file.extend(palette);
    file.extend(runs);
    file
}

fn tiff(compression: Compression) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    let samples = picture(12, 7, Channels::Rgb).samples;
    let mut encoder = TiffEncoder::new(&mut file)
        .expect("a header")
        .with_compression(compression);
    encoder
        .write_image::<colortype::RGB8>(12, 7, &samples)
        .expect("pixels");
    file.into_inner()
}

/// Returns a gray TIFF of 3 × 3 pixels, in one tile of 16 × 16.
fn tiled_tiff() -> Vec<u8> {
    const SHORT: u16 = 3;
    let fields: [[u16; 2]; 10] = [
        [256, 3],
        [257, 3],
        [258, 8],
        [259, 1],
        [262, 1],
        [277, 1],
        [322, 16],
        [323, 16],
        [324, 8],
        [325, 256],
    ];

    let entries = fields.map(|[tag, value]| [tag, SHORT, 0, 1, value, 0]);
    let entries = entries.as_flattened().iter().copied();
    let directory: Vec<u8> = entries.flat_map(u16::to_be_bytes).collect();

    [
        &b"MM\0*\0\0\x01\x08"[..],
        &[7; 256],
        &[0, 10],
        &directory,
        &[0; 4],
    ]
    .concat()
}

fn deep_tiff() -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    let samples: Vec<u16> = (0..60).map(|sample| sample * 1_000).collect();
    let mut encoder = TiffEncoder::new(&mut file).expect("a header");
    encoder
        .write_image::<colortype::CMYK16>(5, 3, &samples)
        .expect("pixels");
    file.into_inner()
}
