//! Colours: conversion to sRGB by their profile, inks to light, and white behind what is
//! transparent.

use std::{borrow::Cow, sync::Arc};

use moxcms::{
    ColorProfile, DataColorSpace, Layout, RenderingIntent, Transform8BitExecutor, TransformOptions,
};

use crate::MediaError;
use crate::pixels::{Channels, Pixels, guarded};

/// Most bytes of a profile that is made use of; those of printing presses have about two million.
const PROFILE_BYTES: usize = 4 << 20;
/// Pixels that are converted at a time.
const BATCH: usize = 4_096;

/// Converts the colours to sRGB. Those of a profile that cannot be used stay as they are, with
/// their profile.
pub(crate) fn to_srgb(pixels: &mut Pixels) {
    let Some(profile) = pixels.profile.take() else {
        return;
    };
    let layout = match pixels.channels {
        Channels::Grey => Layout::Gray,
        Channels::Rgb => Layout::Rgb,
        Channels::Rgba => Layout::Rgba,
    };
    let to = if pixels.channels == Channels::Rgba {
        Layout::Rgba
    } else {
        Layout::Rgb
    };
    // A codec of profiles is a codec: it reads hostile bytes.
    let converted = guarded(MediaError::malformed, || {
        let transform = transform(&profile, layout, to)
            .ok_or_else(|| MediaError::malformed("not a usable profile"))?;
        match pixels.channels {
            Channels::Grey => convert_greys(pixels, &*transform),
            Channels::Rgb | Channels::Rgba => convert(pixels, &*transform),
        }
    });
    if converted.is_err() {
        pixels.profile = Some(profile);
    }
}

/// How samples of a profile become sRGB, where they can.
fn transform(profile: &[u8], from: Layout, to: Layout) -> Option<Arc<Transform8BitExecutor>> {
    let profile =
        (profile.len() <= PROFILE_BYTES).then(|| ColorProfile::new_from_slice(profile).ok())??;
    let options = TransformOptions {
        rendering_intent: RenderingIntent::Perceptual,
        ..TransformOptions::default()
    };
    profile
        .create_transform_8bit(from, &ColorProfile::new_srgb(), to, options)
        .ok()
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

/// There are only 256 greys, and they stay grey.
fn convert_greys(pixels: &mut Pixels, transform: &Transform8BitExecutor) -> Result<(), MediaError> {
    let greys: Vec<u8> = (0..=u8::MAX).collect();
    let mut converted = vec![0; greys.len() * 3];
    transform
        .transform(&greys, &mut converted)
        .map_err(MediaError::malformed)?;
    for sample in &mut pixels.samples {
        *sample = converted[usize::from(*sample) * 3 + 1];
    }
    Ok(())
}

/// How four inks become three colours.
pub(crate) struct Inks(Option<Arc<Transform8BitExecutor>>);

impl Inks {
    /// By a profile of four inks; by rule of thumb where there is none.
    pub(crate) fn of(profile: Option<&[u8]>) -> Inks {
        let of_inks = |profile: &&[u8]| {
            ColorProfile::new_from_slice(profile)
                .is_ok_and(|profile| profile.color_space == DataColorSpace::Cmyk)
        };
        let profile = profile
            .filter(|profile| profile.len() <= PROFILE_BYTES)
            .filter(of_inks);
        // Four channels of any kind are laid out like these four.
        Inks(profile.and_then(|profile| transform(profile, Layout::Rgba, Layout::Rgb)))
    }

    /// Mixes a row of cyan, magenta, yellow and black, 255 of which is all ink, into one of red,
    /// green and blue.
    pub(crate) fn mix(&self, inks: &[u8], colours: &mut [u8]) {
        if self
            .0
            .as_ref()
            .is_some_and(|transform| transform.transform(inks, colours).is_ok())
        {
            return;
        }
        for (inks, colours) in inks
            .as_chunks::<4>()
            .0
            .iter()
            .zip(colours.as_chunks_mut::<3>().0)
        {
            let light = |ink: u8| u16::from(u8::MAX - ink);
            let black = light(inks[3]);
            *colours = [0, 1, 2].map(|index| scaled(light(inks[index]) * black));
        }
    }
}

/// A product of two samples as a sample, rounded.
fn scaled(product: u16) -> u8 {
    u8::try_from((u32::from(product) + 127) / 255).unwrap_or(u8::MAX)
}

/// Puts white behind what is transparent; the pixels shrink in place.
pub(crate) fn on_white(mut pixels: Pixels) -> Pixels {
    if pixels.channels != Channels::Rgba {
        return pixels;
    }
    let count = pixels.samples.len() / 4;
    for index in 0..count {
        let pixel = &pixels.samples[index * 4..index * 4 + 4];
        let opacity = u16::from(pixel[3]);
        let white = u16::from(u8::MAX) * (u16::from(u8::MAX) - opacity);
        let seen = [0, 1, 2].map(|channel| scaled(u16::from(pixel[channel]) * opacity + white));
        pixels.samples[index * 3..index * 3 + 3].copy_from_slice(&seen);
    }
    pixels.samples.truncate(count * 3);
    Pixels {
        channels: Channels::Rgb,
        ..pixels
    }
}

/// The samples with three or four channels: greys are written out.
pub(crate) fn coloured(pixels: &Pixels) -> (Cow<'_, [u8]>, Channels) {
    if pixels.channels == Channels::Grey {
        let samples = pixels.samples.iter().flat_map(|grey| [*grey; 3]).collect();
        (Cow::Owned(samples), Channels::Rgb)
    } else {
        (Cow::Borrowed(&pixels.samples), pixels.channels)
    }
}
