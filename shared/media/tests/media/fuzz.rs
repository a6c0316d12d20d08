//! Property tests with mutated and random files.

use domain::{
    naming::ImageSize,
    renditions::{Resize, Sides},
};
use media::{
    format::Format,
    pixels::Channels,
    probe::probe,
    render::render,
    transform::{TransformOutcome, transform},
};
use proptest::prelude::*;

use crate::{avif_originals, files, heads, heic_files, transform::rules};

/// Returns small files of each format, so that a mutation is likely to hit a relevant byte.
fn seeds() -> Vec<Vec<u8>> {
    let exif = files::exif(6);
    let picture = || files::picture(24, 16, Channels::Rgba);

    let whole = vec![
        files::with_exif(Format::Jpeg, Channels::Rgb, &exif),
        files::turned(picture(), 6, &files::progressive()),
        files::with_exif(Format::Png, Channels::Rgba, &exif),
        files::animated_png(2),
        files::gif(1),
        files::gif(2),
        files::with_exif(Format::WebP, Channels::Rgba, &exif),
        files::turned(picture(), 6, &files::lossless()),
        files::animated_webp(&exif),
        files::file(Format::Avif, 24, 16, Channels::Rgba),
        heads::heif(*b"heic", 40, 30, 1, Some(1)),
        heads::bmp(7, 5),
        heads::tiff(7, 5, 1),
        heads::ico(),
        heads::heif_with_aperture([64, 1], [48, 1]),
    ];
    [whole, files::damaged(), heic_files::valid()].concat()
}

/// Mutation of a file: replaces a byte, duplicates or removes a part, or truncates.
#[derive(Clone, Debug)]
enum Mutation {
    Replace(prop::sample::Index, u8),
    Duplicate(prop::sample::Index, usize),
    Remove(prop::sample::Index, usize),
    Truncate(prop::sample::Index),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let place = any::<prop::sample::Index>;
    // Values at which lengths and counts overflow are more frequent.
    let value = prop_oneof![Just(0), Just(0xFF), Just(0x80), any::<u8>()];
    prop_oneof![
        6 => (place(), value).prop_map(|(at, value)| Mutation::Replace(at, value)),
        1 => (place(), 1..64_usize).prop_map(|(at, length)| Mutation::Duplicate(at, length)),
        1 => (place(), 1..64_usize).prop_map(|(at, length)| Mutation::Remove(at, length)),
        1 => place().prop_map(Mutation::Truncate),
    ]
}

fn apply(file: &mut Vec<u8>, mutation: &Mutation) {
    if file.is_empty() {
        return;
    }

    let range = |at: &prop::sample::Index, length: usize| {
        let start = at.index(file.len());
        start..file.len().min(start + length)
    };

    match mutation {
        Mutation::Replace(at, value) => {
            let at = at.index(file.len());
            file[at] = *value;
        }
        Mutation::Duplicate(at, length) => {
            let range = range(at, *length);
            let part = file[range.clone()].to_vec();
            file.splice(range.start..range.start, part);
        }
        Mutation::Remove(at, length) => {
            let range = range(at, *length);
            file.drain(range);
        }
        Mutation::Truncate(at) => file.truncate(at.index(file.len())),
    }
}

/// Asserts that each rule fails or returns a valid image.
fn check(file: &[u8]) -> Result<(), TestCaseError> {
    let _ = probe(file);

    // Large images are skipped, since they take too long.
    if probe(file).is_ok_and(|probed| probed.pixels() > 1 << 22) {
        return Ok(());
    }

    for asked in ["strip", "jpeg 50", "strip webp 50", "png 50"] {
        if let Ok(TransformOutcome::Transformed(changed)) = transform(file, &rules(asked)) {
            let probed = probe(&changed.bytes);
            prop_assert!(probed.is_ok(), "{:?}", probed);
            prop_assert_eq!(
                probed.map(|probed| probed.displayed()),
                Ok(ImageSize::new(changed.width, changed.height))
            );
        }
    }

    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_files_fail_or_transform_to_images(
        seed in any::<prop::sample::Index>(),
        mutations in prop::collection::vec(mutation(), 1..6),
    ) {
        let seeds = SEEDS.get_or_init(seeds);
        let mut file = seed.get(seeds).clone();
        for mutation in &mutations {
            apply(&mut file, mutation);
        }
        check(&file)?;
    }

    #[test]
    fn mutated_animations_fail_or_are_rendered(
        is_gif in any::<bool>(),
        mutations in prop::collection::vec(mutation(), 0..4),
    ) {
        let mut file = if is_gif { files::gif(3) } else { files::animated_webp(&files::exif(6)) };
        for mutation in &mutations {
            apply(&mut file, mutation);
        }

        if probe(&file).is_ok_and(|probed| probed.pixels() <= 1 << 16) {
            for format in [Format::Gif, Format::WebP, Format::Png] {
                let resize = Resize::Fit(Sides::Width(5));
                let options = files::resized(files::to(format), resize);
                if let Ok(rendered) = render(&file, &options) {
                    let probed = probe(&rendered.bytes).map(|probed| probed.displayed());
                    let ImageSize { width, height } = probed.unwrap();
                    prop_assert_eq!((width, height), (rendered.width, rendered.height));
                }
            }
        }
    }

    #[test]
    fn mutated_heics_and_avifs_fail_or_are_rendered(
        seed in any::<prop::sample::Index>(),
        mutations in prop::collection::vec(mutation(), 1..4),
    ) {
        avif_originals::use_decoder();
        let valid = [heic_files::valid(), heic_files::valid_avifs()].concat();
        let mut file = seed.get(&valid).clone();
        for mutation in &mutations {
            apply(&mut file, mutation);
        }
        if probe(&file).is_ok_and(|probed| probed.pixels() <= 1 << 18) {
            let small = files::resized(files::to(Format::Png), Resize::Fit(Sides::Width(9)));
            if let Ok(rendered) = render(&file, &small) {
                let probed = probe(&rendered.bytes).map(|probed| (probed.width, probed.height));
                prop_assert_eq!(probed, Ok((rendered.width, rendered.height)));
            }
        }
    }

    #[test]
    fn random_bytes_after_a_signature_fail_or_transform_to_images(
        seed in any::<prop::sample::Index>(),
        kept in 0..64_usize,
        noise in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        let seeds = SEEDS.get_or_init(seeds);
        let seed = seed.get(seeds);
        check(&[&seed[..kept.min(seed.len())], &noise].concat())?;
    }
}

static SEEDS: std::sync::OnceLock<Vec<Vec<u8>>> = std::sync::OnceLock::new();
