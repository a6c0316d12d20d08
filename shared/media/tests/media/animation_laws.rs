//! Laws of rendered animations.

use gif::DisposalMethod;
use media::{format::Format, render::render};
use proptest::prelude::*;

use crate::{
    animation_files::{BLUE, CLEAR, FORMATS, GREEN, Patch, RED, gif, patch},
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
        DisposalMethod::Any,
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
    fn rendered_animation_shows_the_frames_of_its_source(patches in patches()) {
        let file = gif(12, 8, &patches, None);
        let expected = shown(&file);

        for format in FORMATS {
            let found = shown(&render(&file, &to(format)).unwrap().bytes);
            prop_assert_eq!(found.frames.len(), expected.frames.len());
            for (found, expected) in found.frames.iter().zip(&expected.frames) {
                for (x, y) in (0..8).flat_map(|y| (0..12).map(move |x| (x, y))) {
                    let [found, expected] = [found.pixel(x, y), expected.pixel(x, y)];
                    // WebP keeps the transparency of each pixel, but not its color.
                    if format == Format::Gif {
                        prop_assert_eq!(found, expected, "{} {}", x, y);
                    }
                    prop_assert_eq!(found[3], expected[3], "{} {}", x, y);
                }
            }
        }
    }
}
