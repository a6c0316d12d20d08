//! Color conversion: profiles to sRGB, CMYK to RGB, luma and chroma to RGB and back, and flattening
//! of transparent pixels.

use std::sync::Arc;

use moxcms::{ColorProfile, Layout, RenderingIntent, Transform8BitExecutor, TransformOptions};

use crate::{
    error::MediaError,
    pixels::{Channels, Pixels, catch_codec_panic},
};

/// Maximum size of a usable profile, in bytes; CMYK profiles have about 2 MB.
const PROFILE_BYTES: usize = 4 << 20;
/// Number of pixels that are converted at a time.
const BATCH: usize = 4_096;

/// Converter of colors to sRGB.
pub(crate) struct SrgbConverter {
    transform: Arc<Transform8BitExecutor>,
}

impl SrgbConverter {
    /// Creates a converter from a profile for images with these channels; `None` if the profile
    /// cannot be used.
    pub(crate) fn new(profile: &[u8], channels: Channels) -> Option<SrgbConverter> {
        let layout = match channels {
            Channels::Gray => Layout::Gray,
            Channels::Rgb => Layout::Rgb,
            Channels::Rgba => Layout::Rgba,
        };
        let to = if channels == Channels::Rgba {
            Layout::Rgba
        } else {
            Layout::Rgb
        };

        // Profiles are untrusted input as well, so a panic of their parser is caught.
        let transform = catch_codec_panic(MediaError::malformed, || {
            transform(profile, layout, to)
                .ok_or_else(|| MediaError::malformed("not a usable profile"))
        });
        transform.ok().map(|transform| SrgbConverter { transform })
    }

    /// Converts the colors of an image with the channels of the converter. Keeps the colors if that
    /// fails.
    pub(crate) fn convert(&self, pixels: &mut Pixels) -> Result<(), MediaError> {
        catch_codec_panic(MediaError::malformed, || match pixels.channels {
            Channels::Gray => convert_grays(&mut pixels.samples, &*self.transform),
            Channels::Rgb | Channels::Rgba => convert(pixels, &*self.transform),
        })
    }
}

/// Whether a profile is small enough, and describes colors of this space: bytes 16 to 19 of its
/// header (ICC.1:2022, 7.2.6). In another space, samples would be read as the wrong quantities.
fn is_of_space(profile: &[u8], space: [u8; 4]) -> bool {
    profile.len() <= PROFILE_BYTES && profile.get(16..20) == Some(&space)
}

/// Returns a profile that describes the colors of pixels with these channels. Any other one is
/// ignored, as in browsers.
pub(crate) fn fitting_profile(profile: Option<Vec<u8>>, channels: Channels) -> Option<Vec<u8>> {
    let space = match channels {
        Channels::Gray => *b"GRAY",
        Channels::Rgb | Channels::Rgba => *b"RGB ",
    };
    profile.filter(|profile| is_of_space(profile, space))
}

/// Converts the colors to sRGB. Keeps colors and profile if the profile cannot be used.
pub(crate) fn to_srgb(pixels: &mut Pixels) {
    let Some(profile) = pixels.profile.take() else {
        return;
    };
    let converter = SrgbConverter::new(&profile, pixels.channels);

    let is_converted = converter.is_some_and(|converter| converter.convert(pixels).is_ok());
    if !is_converted {
        pixels.profile = Some(profile);
    }
}

/// Converts the grays of pixels with gray and alpha to sRGB. Keeps them if the profile cannot be
/// used.
pub(crate) fn grays_to_srgb(pixels: &mut [[u8; 2]], profile: Option<Vec<u8>>) {
    let usable = fitting_profile(profile, Channels::Gray);
    let Some(converter) = usable.and_then(|profile| SrgbConverter::new(&profile, Channels::Gray))
    else {
        return;
    };

    let grays = pixels.iter_mut().map(|[gray, _]| gray);
    let result = catch_codec_panic(MediaError::malformed, || {
        convert_grays(grays, &*converter.transform)
    });
    // Grays that are kept are only slightly off.
    result.unwrap_or(());
}

/// Converts RGBA pixels from sRGB to the colors of an RGB profile. Keeps them if there is no
/// transform to this profile.
pub(crate) fn from_srgb(pixels: &mut Pixels, profile: &[u8]) {
    let converted = catch_codec_panic(MediaError::malformed, || {
        let profile = ColorProfile::new_from_slice(profile).map_err(MediaError::malformed)?;
        let layout = Layout::Rgba;
        let transform = ColorProfile::new_srgb()
            .create_transform_8bit(layout, &profile, layout, transform_options())
            .map_err(MediaError::malformed)?;
        convert(pixels, &*transform)
    });
    // Colors that are kept are only slightly off.
    converted.unwrap_or(());
}

/// Returns the transform from a profile to sRGB, if the profile is usable.
fn transform(profile: &[u8], from: Layout, to: Layout) -> Option<Arc<Transform8BitExecutor>> {
    let profile = ColorProfile::new_from_slice(profile).ok()?;
    profile
        .create_transform_8bit(from, &ColorProfile::new_srgb(), to, transform_options())
        .ok()
}

fn transform_options() -> TransformOptions {
    TransformOptions {
        rendering_intent: RenderingIntent::Perceptual,
        ..TransformOptions::default()
    }
}

fn convert(pixels: &mut Pixels, transform: &Transform8BitExecutor) -> Result<(), MediaError> {
    let mut converted = vec![0; BATCH * pixels.channels.count()];
    for batch in pixels.samples.chunks_mut(converted.len()) {
        let converted = &mut converted[..batch.len()];
        transform
            .transform(batch, converted)
            .map_err(MediaError::malformed)?;
        batch.copy_from_slice(converted);
    }
    Ok(())
}

/// Converts gray samples with a table of all 256 values. The result stays gray.
fn convert_grays<'a>(
    samples: impl IntoIterator<Item = &'a mut u8>,
    transform: &Transform8BitExecutor,
) -> Result<(), MediaError> {
    let grays: Vec<u8> = (0..=u8::MAX).collect();
    let mut converted = vec![0; grays.len() * 3];
    transform
        .transform(&grays, &mut converted)
        .map_err(MediaError::malformed)?;
    for sample in samples {
        *sample = converted[usize::from(*sample) * 3 + 1];
    }
    Ok(())
}

/// Converter from CMYK to RGB.
pub(crate) struct CmykConverter(Option<Arc<Transform8BitExecutor>>);

impl CmykConverter {
    /// Creates a converter with a CMYK profile, or with an approximation if there is none.
    pub(crate) fn new(profile: Option<&[u8]>) -> CmykConverter {
        let profile = profile.filter(|profile| is_of_space(profile, *b"CMYK"));
        // RGBA has the same memory layout as CMYK.
        CmykConverter(profile.and_then(|profile| transform(profile, Layout::Rgba, Layout::Rgb)))
    }

    /// Converts a row of CMYK samples, with 255 as full ink, to RGB.
    pub(crate) fn convert_row(&self, inks: &[u8], colors: &mut [u8]) {
        if self
            .0
            .as_ref()
            .is_some_and(|transform| transform.transform(inks, colors).is_ok())
        {
            return;
        }

        for (inks, colors) in inks
            .as_chunks::<4>()
            .0
            .iter()
            .zip(colors.as_chunks_mut::<3>().0)
        {
            let light = |ink: u8| u16::from(u8::MAX - ink);
            let black = light(inks[3]);
            *colors = [0, 1, 2].map(|index| scaled(light(inks[index]) * black));
        }
    }
}

/// Divides the product of two samples by 255, rounded.
pub(crate) fn scaled(product: u16) -> u8 {
    u8::try_from((u32::from(product) + 127) / 255).unwrap_or(u8::MAX)
}

/// Returns a sample over an opaque one.
pub(crate) fn over_opaque(below: u8, above: u8, alpha: u8) -> u8 {
    let alpha = u16::from(alpha);
    scaled(u16::from(above) * alpha + u16::from(below) * (u16::from(u8::MAX) - alpha))
}

/// Returns a color over another one (Porter and Duff), both not premultiplied.
pub(crate) fn over(below: [u8; 4], above: [u8; 4]) -> [u8; 4] {
    let opaque = u32::from(u8::MAX);
    let above_weight = u32::from(above[3]) * opaque;
    let below_weight = u32::from(below[3]) * (opaque - u32::from(above[3]));
    let weight = above_weight + below_weight;
    if weight == 0 {
        return below;
    }

    let mixed = |channel: usize| {
        let sum =
            u32::from(above[channel]) * above_weight + u32::from(below[channel]) * below_weight;
        sample((sum + weight / 2) / weight)
    };
    let alpha = sample((weight + opaque / 2) / opaque);
    [mixed(0), mixed(1), mixed(2), alpha]
}

/// Converts a mean of samples.
fn sample(value: u32) -> u8 {
    u8::try_from(value).unwrap_or(u8::MAX)
}

/// Composites transparent pixels on white, in place.
pub(crate) fn flatten_on_white(mut pixels: Pixels) -> Pixels {
    if pixels.channels != Channels::Rgba {
        return pixels;
    }
    let count = pixels.samples.len() / 4;
    for index in 0..count {
        let pixel = &pixels.samples[index * 4..index * 4 + 4];
        let seen = on_white([pixel[0], pixel[1], pixel[2], pixel[3]]);
        pixels.samples[index * 3..index * 3 + 3].copy_from_slice(&seen);
    }
    pixels.samples.truncate(count * 3);
    Pixels {
        channels: Channels::Rgb,
        ..pixels
    }
}

/// Returns a color composited on white.
fn on_white([red, green, blue, alpha]: [u8; 4]) -> [u8; 3] {
    let opacity = u16::from(alpha);
    let white = u16::from(u8::MAX) * (u16::from(u8::MAX) - opacity);
    [red, green, blue].map(|sample| scaled(u16::from(sample) * opacity + white))
}

/// Returns the red, green, blue and alpha of a pixel with one, three or four samples.
pub(crate) fn rgba(samples: &[u8]) -> [u8; 4] {
    match *samples {
        [gray] => [gray, gray, gray, u8::MAX],
        [red, green, blue] => [red, green, blue, u8::MAX],
        [red, green, blue, alpha] => [red, green, blue, alpha],
        _ => [0; 4],
    }
}

/// Iterates over the rows of an image, and over the pixels of each row, composited on white.
pub(crate) fn rows_on_white(
    pixels: &Pixels,
) -> impl Iterator<Item = impl Iterator<Item = [u8; 3]>> {
    let channels = pixels.channels.count();
    let rows = pixels.samples.chunks_exact(pixels.row_bytes().max(1));
    rows.map(move |row| row.chunks_exact(channels).map(rgba).map(on_white))
}

/// Returns the pixels with gray expanded to RGB.
pub(crate) fn with_colors(pixels: Pixels) -> Pixels {
    if pixels.channels != Channels::Gray {
        return pixels;
    }
    let samples = pixels.samples.iter().flat_map(|gray| [*gray; 3]).collect();
    Pixels {
        channels: Channels::Rgb,
        samples,
        ..pixels
    }
}

/// Returns the pixels with an alpha channel.
pub(crate) fn with_alpha(pixels: Pixels) -> Pixels {
    let pixels = with_colors(pixels);
    if pixels.channels == Channels::Rgba {
        return pixels;
    }
    let colors = pixels.samples.as_chunks::<3>().0.iter();
    let samples = colors.flat_map(|[red, green, blue]| [*red, *green, *blue, u8::MAX]);
    Pixels {
        channels: Channels::Rgba,
        samples: samples.collect(),
        ..pixels
    }
}

/// Number of fractional bits of the factors.
const FRACTION_BITS: u32 = 16;
/// 1/2 with fractional bits.
const HALF: i32 = 1 << (FRACTION_BITS - 1);

/// Converts a color as the JPEG File Interchange Format specifies it (ITU-T T.871).
pub(crate) fn rgb_of_ycc([luma, blue, red]: [u8; 3]) -> [u8; 3] {
    let luma = i32::from(luma) << FRACTION_BITS;
    let blue = i32::from(blue) - 128;
    let red = i32::from(red) - 128;
    let sample = |value: i32| {
        ((value + HALF) >> FRACTION_BITS)
            .clamp(0, 255)
            .cast_unsigned()
    };

    // 1.402, 0.344136, 0.714136 and 1.772 with fractional bits.
    let samples = [
        sample(luma + 91_881 * red),
        sample(luma - 22_554 * blue - 46_802 * red),
        sample(luma + 116_130 * blue),
    ];
    samples.map(|sample| u8::try_from(sample).unwrap_or(u8::MAX))
}

/// Converts RGBA pixels to luma, blue difference, red difference and alpha.
pub(crate) fn to_ycc(pixels: &mut Pixels) {
    for [red, green, blue, _] in pixels.samples.as_chunks_mut::<4>().0 {
        let colors = [*red, *green, *blue].map(i32::from);
        let weighted = |factors: [i32; 3], offset: i32| {
            let sum: i32 = factors
                .iter()
                .zip(colors)
                .map(|(factor, color)| factor * color)
                .sum();
            let value = (sum + HALF) >> FRACTION_BITS;
            u8::try_from((value + offset).clamp(0, 255)).unwrap_or(u8::MAX)
        };

        // The factors of ITU-T T.871 with fractional bits.
        *red = weighted([19_595, 38_470, 7_471], 0);
        *green = weighted([-11_059, -21_709, 32_768], 128);
        *blue = weighted([32_768, -27_439, -5_329], 128);
    }
}
