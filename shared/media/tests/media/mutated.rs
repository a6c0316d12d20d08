//! Whatever the bytes, there is an answer.

use domain::{Quality, TransformationRules, UploadFormat};
use media::{Channels, Encoding, Format, Incoming, encode, incoming, probe};
use proptest::prelude::*;

use crate::files;

/// One of each kind, small, so that a change in any byte is likely to be met.
fn seeds() -> Vec<Vec<u8>> {
    let exif = files::exif(6);
    let progressive = Encoding {
        progressive: true,
        exif: Some(&exif),
        ..files::plain(Format::Jpeg)
    };
    let lossless = Encoding {
        lossless: true,
        exif: Some(&exif),
        ..files::plain(Format::WebP)
    };
    let picture = || files::picture(24, 16, Channels::Rgba);
    vec![
        files::with_exif(Format::Jpeg, Channels::Rgb, &exif),
        encode(picture(), &progressive).unwrap(),
        files::with_exif(Format::Png, Channels::Rgba, &exif),
        files::animated_png(2),
        files::gif(1),
        files::gif(2),
        files::with_exif(Format::WebP, Channels::Rgba, &exif),
        encode(picture(), &lossless).unwrap(),
        files::animated_webp(&exif),
        files::file(Format::Avif, 24, 16, Channels::Rgba),
        files::heif(*b"heic", 40, 30, 1, Some(1)),
        files::bmp(7, 5),
        files::tiff(7, 5, 1),
        files::ico(),
    ]
}

/// Changes to a file: bytes replaced, a part doubled or left out, the end cut off.
#[derive(Clone, Debug)]
enum Change {
    Replace(prop::sample::Index, u8),
    Double(prop::sample::Index, usize),
    Leave(prop::sample::Index, usize),
    Cut(prop::sample::Index),
}

fn change() -> impl Strategy<Value = Change> {
    let place = any::<prop::sample::Index>;
    // The values at which lengths and counts turn over, more often than others.
    let value = prop_oneof![Just(0), Just(0xFF), Just(0x80), any::<u8>()];
    prop_oneof![
        6 => (place(), value).prop_map(|(at, value)| Change::Replace(at, value)),
        1 => (place(), 1..64_usize).prop_map(|(at, length)| Change::Double(at, length)),
        1 => (place(), 1..64_usize).prop_map(|(at, length)| Change::Leave(at, length)),
        1 => place().prop_map(Change::Cut),
    ]
}

fn apply(file: &mut Vec<u8>, change: &Change) {
    if file.is_empty() {
        return;
    }
    let range = |at: &prop::sample::Index, length: usize| {
        let start = at.index(file.len());
        start..file.len().min(start + length)
    };
    match change {
        Change::Replace(at, value) => {
            let at = at.index(file.len());
            file[at] = *value;
        }
        Change::Double(at, length) => {
            let range = range(at, *length);
            let part = file[range.clone()].to_vec();
            file.splice(range.start..range.start, part);
        }
        Change::Leave(at, length) => {
            let range = range(at, *length);
            file.drain(range);
        }
        Change::Cut(at) => file.truncate(at.index(file.len())),
    }
}

fn all_rules() -> [TransformationRules; 4] {
    let rules = |upload_format, strip_metadata| TransformationRules {
        upload_format,
        upload_quality: Quality::Fixed(50),
        strip_metadata,
        ..TransformationRules::default()
    };
    let strip = TransformationRules {
        strip_metadata: true,
        ..TransformationRules::default()
    };
    [
        strip,
        rules(UploadFormat::Jpeg, false),
        rules(UploadFormat::WebP, true),
        rules(UploadFormat::Png, false),
    ]
}

/// An answer that is not an error is an image again.
fn check(file: &[u8]) -> Result<(), TestCaseError> {
    let _ = probe(file);
    // What was changed into a large image is refused or decoded like any other, but takes a test's
    // time.
    if probe(file).is_ok_and(|probed| probed.pixels() > 1 << 22) {
        return Ok(());
    }
    for rules in all_rules() {
        if let Ok(Incoming::Changed(changed)) = incoming(file, &rules) {
            let probed = probe(&changed.bytes);
            prop_assert!(probed.is_ok(), "{:?}", probed);
            prop_assert_eq!(
                probed.map(|probed| probed.displayed()),
                Ok((changed.width, changed.height))
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn files_with_changes_never_break_anything(
        seed in any::<prop::sample::Index>(),
        changes in prop::collection::vec(change(), 1..6),
    ) {
        let seeds = SEEDS.get_or_init(seeds);
        let mut file = seed.get(seeds).clone();
        for change in &changes {
            apply(&mut file, change);
        }
        check(&file)?;
    }

    #[test]
    fn noise_behind_a_signature_never_breaks_anything(
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
