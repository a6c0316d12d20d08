//! Laws of the geometry of rendered images.

use domain::{
    naming::ImageSize,
    renditions::{Focus, Resize, Sides},
    settings::Gravity,
};
use media::{
    format::Format,
    pixels::Channels,
    render::{canonical_resize, plan, render},
};
use proptest::{prelude::*, sample::select};

use crate::files::{self, to};

/// Gravities of every column.
const GRAVITIES: [Gravity; 3] = [Gravity::West, Gravity::Center, Gravity::East];

fn resizes() -> impl Strategy<Value = Resize> {
    let side = || prop_oneof![1_u32..40, 1_u32..9_000];
    let both = (side(), side()).prop_map(|(width, height)| Sides::Both { width, height });
    let sides = prop_oneof![
        both,
        side().prop_map(Sides::Width),
        side().prop_map(Sides::Height)
    ];
    let focus = prop_oneof![
        Just(Focus::Auto),
        Just(Focus::At(Gravity::Southeast)),
        Just(Focus::At(Gravity::Center))
    ];

    prop_oneof![
        sides.clone().prop_map(Resize::Fit),
        sides.clone().prop_map(Resize::Scale),
        (side(), side(), focus.clone()).prop_map(|(width, height, focus)| Resize::Fill {
            width,
            height,
            focus
        }),
        (sides, focus).prop_map(|(sides, focus)| Resize::Crop { sides, focus }),
    ]
}

proptest! {
    #[test]
    fn fill_is_placed_within_half_a_pixel(
        width in 1_u32..20_000, height in 1_u32..20_000, side in 1_u32..500, gravity in select(&GRAVITIES[..]),
    ) {
        let size = ImageSize { width: side.min(width), height: (side / 2).clamp(1, height) };
        let resize = Resize::Fill {
            width: size.width,
            height: size.height,
            focus: Focus::At(gravity),
        };
        let geometry = plan(ImageSize { width, height }, Some(resize)).unwrap();

        // The size before rounding: the smallest that covers the output.
        let [width, height] = [width, height].map(f64::from);
        let factor = (f64::from(size.width) / width).max(f64::from(size.height) / height);
        prop_assert!((f64::from(geometry.resized.width) - width * factor).abs() <= 0.5 + 1e-6);
        prop_assert!((f64::from(geometry.resized.height) - height * factor).abs() <= 0.5 + 1e-6);

        let left = geometry.crop.left;
        let right = geometry.resized.width - left - size.width;
        let expected = match gravity {
            Gravity::West => left == 0,
            Gravity::East => right == 0,
            _ => left.abs_diff(right) <= 1,
        };
        prop_assert!(expected, "{geometry:?}");
    }

    #[test]
    fn geometry_is_within_limits(width in 1_u32..70_000, height in 1_u32..70_000, resize in resizes()) {
        let Ok(geometry) = plan(ImageSize { width, height }, Some(resize)) else {
            return Ok(());
        };
        let output = geometry.output();
        prop_assert!(output.width >= 1 && output.height >= 1);
        prop_assert!(output.pixels() <= media::render::MAX_OUTPUT_PIXELS);
        prop_assert!(geometry.crop.left + output.width <= geometry.resized.width);
        prop_assert!(geometry.crop.top + output.height <= geometry.resized.height);

        let is_inside = |sides: Sides| {
            output.width <= sides.width().unwrap_or(u32::MAX) && output.height <= sides.height().unwrap_or(u32::MAX)
        };
        let is_smaller = output.width <= width && output.height <= height;
        match resize {
            Resize::Scale(Sides::Both { width, height }) => prop_assert_eq!(output, ImageSize { width, height }),
            Resize::Scale(_) => {}
            Resize::Fit(sides) | Resize::Crop { sides, .. } => prop_assert!(is_smaller && is_inside(sides)),
            Resize::Fill { width: across, height: down, .. } => {
                prop_assert!(is_smaller);
                if across <= width && down <= height {
                    prop_assert_eq!(output, ImageSize { width: across, height: down });
                }
            }
        }
    }

    #[test]
    fn canonical_resize_has_the_same_geometry(
        width in 1_u32..9_000, height in 1_u32..9_000, resize in resizes(), may_enlarge: bool,
    ) {
        let image = ImageSize { width, height };
        let Ok(canonical) = canonical_resize(image, Some(resize), may_enlarge) else {
            return Ok(());
        };
        let geometry = plan(image, canonical).unwrap();

        let planned = plan(image, Some(resize));
        let is_enlarged = planned.as_ref().is_ok_and(|planned| {
            planned.resized.width > width || planned.resized.height > height
        });
        if planned.is_ok() && (may_enlarge || !is_enlarged) {
            prop_assert_eq!(planned.unwrap(), geometry);
            prop_assert_eq!(canonical_resize(image, canonical, may_enlarge).unwrap(), canonical);
        } else {
            prop_assert!(geometry.resized.width <= width && geometry.resized.height <= height);
        }
    }

    #[test]
    fn rendered_size_is_planned(width in 1_u32..60, height in 1_u32..60, resize in resizes()) {
        let image = ImageSize { width, height };
        let planned = plan(image, Some(resize));
        for format in [Format::Jpeg, Format::Png] {
            let file = files::file(format, width, height, Channels::Rgb);
            let options = files::resized(to(Format::Jpeg), resize);
            let geometry = match &planned {
                Ok(geometry) => geometry,
                Err(error) => {
                    prop_assert_eq!(render(&file, &options), Err(error.clone()));
                    continue;
                }
            };

            // Large outputs take too long for many cases.
            if geometry.output().pixels() < 250_000 && geometry.resized.pixels() < 250_000 {
                let rendered = render(&file, &options);
                let size = rendered.map(|image| ImageSize { width: image.width, height: image.height });
                prop_assert_eq!(size, Ok(geometry.output()));
            }
        }
    }
}
