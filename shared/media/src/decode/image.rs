//! Decoding of BMP, TIFF and ICO with the `image` crate.

use std::io::{self, BufRead, Cursor, ErrorKind, Read, Seek, SeekFrom};

use ::tiff::{
    ColorType as TiffColors,
    decoder::{Decoder as TiffDecoder, DecodingResult, Limits as TiffLimits},
};
use domain::naming::ImageSize;
use image::{ColorType, DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits};

use crate::{
    color,
    container::{ico, tiff},
    error::{MediaError, ProbeError},
    format::Format,
    pixels::{Channels, Pixels, require_pixel_limit},
    probe::ImageInfo,
};

use super::{png, require_size};

/// Maximum number of pixels: samples may have up to 16 bytes per pixel before their conversion.
pub(super) const MAX_PIXELS: u64 = 40_000_000;
/// Maximum memory of a decoder including its output, in bytes.
const DECODER_BYTES: usize = 512 << 20;
/// Maximum size of the color profile of a TIFF, in bytes. Those of printers have up to 3 MiB.
const MAX_TIFF_PROFILE_BYTES: usize = 4 << 20;
/// TIFF compression by JPEG files, one per strip or tile.
const TIFF_JPEG: u32 = 7;
/// Value of `ExtraSamples` of a TIFF whose colors are multiplied by alpha.
const ASSOCIATED_ALPHA: u32 = 1;

/// Decodes the image of a BMP, the first image of a TIFF or the largest image of an ICO.
pub(super) fn read(bytes: &[u8], probed: &ImageInfo) -> Result<Pixels, MediaError> {
    let icon;
    let file = if probed.format == Format::Ico {
        let largest = ico::largest(bytes)?;
        if largest.is_png(bytes)? {
            // The decoder of icons accepts no other PNG than one with red, green, blue and alpha.
            return png::read(largest.data(bytes)?, probed);
        }
        icon = largest.alone(bytes)?;
        &icon[..]
    } else {
        bytes
    };
    if probed.format == Format::Tiff {
        TiffTiles::read(bytes, probed)?;
        if let Some(pixels) = other_tiff(bytes, probed)? {
            return Ok(pixels);
        }
    }
    let mut limits = Limits::default();
    limits.max_alloc = Some(DECODER_BYTES as u64);
    let source = BoundedReader::new(file);
    let mut reader = ImageReader::with_format(source, image_format(probed.format)?);
    reader.limits(limits);

    let mut decoder = reader.into_decoder().map_err(decode_error)?;
    let (width, height) = decoder.dimensions();
    require_size(probed.stored(), width, height)?;
    let profile = if probed.format == Format::Tiff {
        tiff_profile(bytes)?
    } else {
        decoder.icc_profile().ok().flatten()
    };
    let is_cmyk = decoder.original_color_type() == image::ExtendedColorType::Cmyk8;
    let image = DynamicImage::from_decoder(decoder).map_err(decode_error)?;

    let mut pixels = converted(image);
    if has_associated_alpha(bytes, probed.format)? {
        divide_by_alpha(&mut pixels);
    }
    // The decoder has already converted inks without their profile.
    pixels.profile = profile.filter(|_| !is_cmyk);
    Ok(pixels)
}

/// Converts samples as the decoder returns them; `None` if they have another type.
type Converter = fn(DecodingResult) -> Option<Vec<u8>>;

/// Decodes a TIFF with colors that the `image` crate does not support: YCbCr, gray with alpha, and
/// gray in floating point. Returns `None` for others.
fn other_tiff(bytes: &[u8], probed: &ImageInfo) -> Result<Option<Pixels>, MediaError> {
    let mut limits = TiffLimits::unlimited();
    limits.decoding_buffer_size = DECODER_BYTES;
    limits.intermediate_buffer_size = DECODER_BYTES;
    let decoder = TiffDecoder::new(BoundedReader::new(bytes));
    let mut decoder = decoder.map_err(MediaError::malformed)?.with_limits(limits);
    let colors = decoder.colortype().map_err(MediaError::malformed)?;
    let (channels, convert): (Channels, Converter) = match colors {
        TiffColors::YCbCr(8) => (Channels::Rgb, rgb_of_ycc),
        TiffColors::Multiband {
            bit_depth: 8 | 16,
            num_samples: 2,
        } => (Channels::Rgba, rgba_of_gray),
        TiffColors::Gray(32) => (Channels::Gray, gray_of_floats),
        _ => return Ok(None),
    };

    let (width, height) = decoder.dimensions().map_err(MediaError::malformed)?;
    require_size(probed.stored(), width, height)?;
    let read = decoder.read_image().map_err(MediaError::malformed)?;
    let samples = convert(read)
        .filter(|samples| samples.len() as u64 == probed.pixels() * channels.count() as u64);
    let samples = samples.ok_or_else(|| MediaError::malformed("a TIFF with other samples"))?;
    let mut pixels = Pixels::new(probed.stored(), channels, samples);
    if has_associated_alpha(bytes, probed.format)? {
        divide_by_alpha(&mut pixels);
    }
    pixels.profile = tiff_profile(bytes)?;
    Ok(Some(pixels))
}

fn rgb_of_ycc(decoded: DecodingResult) -> Option<Vec<u8>> {
    let DecodingResult::U8(mut samples) = decoded else {
        return None;
    };
    for pixel in samples.as_chunks_mut::<3>().0 {
        *pixel = color::rgb_of_ycc(*pixel);
    }
    Some(samples)
}

fn rgba_of_gray(decoded: DecodingResult) -> Option<Vec<u8>> {
    let samples = match decoded {
        DecodingResult::U8(samples) => samples,
        DecodingResult::U16(samples) => samples.iter().map(|sample| (sample >> 8) as u8).collect(),
        _ => return None,
    };
    let pixels = samples.as_chunks::<2>().0.iter();
    Some(
        pixels
            .flat_map(|[gray, alpha]| [*gray, *gray, *gray, *alpha])
            .collect(),
    )
}

/// Converts samples from 0 to 1, like the `image` crate those of colors.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the samples are from 0 to 255"
)]
fn gray_of_floats(decoded: DecodingResult) -> Option<Vec<u8>> {
    let DecodingResult::F32(samples) = decoded else {
        return None;
    };
    let gray = |sample: &f32| (sample.clamp(0.0, 1.0) * 255.0).round() as u8;
    Some(samples.iter().map(gray).collect())
}

/// Returns the color profile of a TIFF. The decoder drops most profiles of small images, because it
/// limits the memory of fields by the size of the pixels.
fn tiff_profile(bytes: &[u8]) -> Result<Option<Vec<u8>>, MediaError> {
    let directory = tiff::Directory::first(bytes)?;
    let mut fields = directory.fields();
    let profile = fields.find(|field| field.tag == tiff::COLOR_PROFILE);
    let value = profile.map(|field| field.value);
    Ok(value
        .filter(|value| value.len() <= MAX_TIFF_PROFILE_BYTES)
        .map(<[u8]>::to_vec))
}

/// How the pixels of a TIFF are stored.
pub(crate) struct TiffTiles {
    /// Size of all tiles together, which are decompressed whole.
    pub(crate) padded: ImageSize,
    /// Number of samples of a pixel.
    pub(crate) samples: u32,
}

impl TiffTiles {
    /// Fails if the tiles exceed the pixel limit, or if the file contains JPEG files, whose
    /// dimensions the decoder does not check.
    pub(crate) fn read(bytes: &[u8], probed: &ImageInfo) -> Result<TiffTiles, MediaError> {
        let directory = tiff::Directory::first(bytes)?;
        if directory.single_number(tiff::COMPRESSION)? == Some(TIFF_JPEG) {
            return Err(MediaError::malformed("a TIFF that contains JPEG files"));
        }

        let padded = |side: u32, tag| {
            let tile = directory.single_number(tag)?.unwrap_or(1).max(1);
            Ok::<u32, ProbeError>(side.div_ceil(tile).saturating_mul(tile))
        };
        let padded = ImageSize::new(
            padded(probed.width, tiff::TILE_WIDTH)?,
            padded(probed.height, tiff::TILE_HEIGHT)?,
        );

        require_pixel_limit(padded.pixels(), MAX_PIXELS)?;
        let samples = directory.single_number(tiff::SAMPLES_PER_PIXEL)?;
        Ok(TiffTiles {
            padded,
            samples: samples.unwrap_or(1),
        })
    }
}

/// Reader of a file that fails after a number of bytes. The strips of a TIFF can share their data,
/// so that decoding would read the file thousands of times.
struct BoundedReader<'a> {
    file: Cursor<&'a [u8]>,
    remaining: u64,
}

impl<'a> BoundedReader<'a> {
    /// Number of times that a decoder can read the file.
    const MAX_READS: u64 = 4;
    /// Bytes that a decoder can read in addition: buffers that are filled for each strip.
    const BUFFER_BYTES: u64 = 1 << 30;

    fn new(file: &'a [u8]) -> BoundedReader<'a> {
        BoundedReader {
            file: Cursor::new(file),
            remaining: Self::MAX_READS * file.len() as u64 + Self::BUFFER_BYTES,
        }
    }
}

impl Read for BoundedReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(into)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for BoundedReader<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let unread = self.file.fill_buf()?;
        if self.remaining == 0 && !unread.is_empty() {
            return Err(io::Error::other("the file is read too often"));
        }
        Ok(unread)
    }

    fn consume(&mut self, amount: usize) {
        self.remaining = self.remaining.saturating_sub(amount as u64);
        self.file.consume(amount);
    }
}

impl Seek for BoundedReader<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

fn image_format(format: Format) -> Result<ImageFormat, MediaError> {
    match format {
        Format::Bmp => Ok(ImageFormat::Bmp),
        Format::Tiff => Ok(ImageFormat::Tiff),
        Format::Ico => Ok(ImageFormat::Ico),
        other => Err(MediaError::UnsupportedFormat(other)),
    }
}

/// Converts samples to 8 bits per channel.
fn converted(image: DynamicImage) -> Pixels {
    let width = image.width();
    let height = image.height();
    let (channels, samples) = match image.color() {
        ColorType::L8 | ColorType::L16 => (Channels::Gray, image.into_luma8().into_raw()),
        color if color.has_alpha() => (Channels::Rgba, image.into_rgba8().into_raw()),
        _ => (Channels::Rgb, image.into_rgb8().into_raw()),
    };

    Pixels::new(ImageSize::new(width, height), channels, samples)
}

/// Whether the colors of a TIFF are multiplied by alpha, which the decoder ignores (TIFF 6.0,
/// section 18).
fn has_associated_alpha(bytes: &[u8], format: Format) -> Result<bool, MediaError> {
    if format != Format::Tiff {
        return Ok(false);
    }
    let first = tiff::Directory::first(bytes)?.first_number(tiff::EXTRA_SAMPLES)?;
    Ok(first == Some(ASSOCIATED_ALPHA))
}

/// Restores colors that are multiplied by alpha.
pub(super) fn divide_by_alpha(pixels: &mut Pixels) {
    if pixels.channels != Channels::Rgba {
        return;
    }
    for pixel in pixels.samples.chunks_exact_mut(4) {
        let alpha = u32::from(pixel[3]);
        for color in &mut pixel[..3] {
            let restored = (u32::from(*color) * 255 + alpha / 2).checked_div(alpha);
            *color = restored.map_or(0, |restored| restored.min(255) as u8);
        }
    }
}

fn decode_error(error: ImageError) -> MediaError {
    match error {
        ImageError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => {
            MediaError::Truncated
        }
        error => MediaError::malformed(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_that_is_read_too_often_is_an_error() {
        let file = vec![7; 1 << 20];
        let mut reader = BoundedReader::new(&file);
        let mut read_all = || {
            reader.seek(SeekFrom::Start(0))?;
            io::copy(&mut reader, &mut io::sink())
        };

        let reads = (0..2_000).take_while(|_| read_all().is_ok()).count();

        assert_eq!(reads, 4 + 1_024);
    }
}
