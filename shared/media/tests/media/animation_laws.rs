//! Laws of rendered animations.

use gif::DisposalMethod;
use media::{Format, render};
use proptest::prelude::*;

use crate::{
    animation_files::{BLUE, CLEAR, GREEN, Patch, RED, gif, patch},
    animation_viewer::{shown, to},
};

fn rectangle() -> impl Strategy<Value = [u16; 4]> {
    (0_u16..10, 0_u16..6).prop_flat_map(|(left, top)| {
        (1..=12 - left, 1..=8 - top).prop_map(move |(width, height)| [left, top, width, height])
    })
}

fn patches() -> impl Strategy<Value = Vec<Patch>> {
    let color = prop::sample::select(vec![RED, GREEN, BLUE, CLEAR]);
    let dispose = prop::sample::select(vec![
        DisposalMethod::Keep,
        DisposalMethod::Background,
        DisposalMethod::Previous,
    ]);
    let one = (color, rectangle(), dispose).prop_map(|(color, rectangle, dispose)| Patch {
        dispose,
        ..patch(color, rectangle)
    });
    prop::collection::vec(one, 2..7)
}

proptest! {
    #[test]
    fn rendered_gif_shows_the_frames_of_its_source(patches in patches()) {
        let file = gif(12, 8, &patches, None);
        let expected = shown(&file);
        let found = shown(&render(&file, &to(Format::Gif)).unwrap().bytes);
        prop_assert_eq!(found.frames.len(), expected.frames.len());
        for (found, expected) in found.frames.iter().zip(&expected.frames) {
            for y in 0..8 {
                for x in 0..12 {
                    prop_assert_eq!(found.pixel(x, y), expected.pixel(x, y), "{} {}", x, y);
                }
            }
        }
    }

    #[test]
    fn rendered_webp_has_the_transparency_of_its_source(patches in patches()) {
        let file = gif(12, 8, &patches, None);
        let expected = shown(&file);
        let found = shown(&render(&file, &to(Format::WebP)).unwrap().bytes);
        prop_assert_eq!(found.frames.len(), expected.frames.len());
        for (found, expected) in found.frames.iter().zip(&expected.frames) {
            for y in 0..8 {
                for x in 0..12 {
                    prop_assert_eq!(found.pixel(x, y)[3], expected.pixel(x, y)[3], "{} {}", x, y);
                }
            }
        }
    }
}
