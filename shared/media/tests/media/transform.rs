//! Transformation of each format by each rule.

use domain::{naming::ImageSize, renditions::Quality, uploads::TransformationRules};
use media::{
    encode::encode,
    format::Format,
    pixels::{Channels, Pixels},
    probe::probe,
    transform::{TransformOutcome, TransformedImage, transform},
};

use crate::{
    files::{self, pixels},
    heads,
};

pub(crate) fn rules(text: &str) -> TransformationRules {
    let mut rules = TransformationRules::default();
    for word in text.split_whitespace() {
        match word {
            "strip" => rules.strip_metadata = true,
            "progressive" => rules.progressive = true,
            _ => match word.parse() {
                Ok(number) => rules.upload_quality = Quality::from_number(number).unwrap(),
                Err(_) => rules.upload_format = domain::errors::parse_variant(word).unwrap(),
            },
        }
    }
    rules
}

/// Describes the outcome for a file: `-` if unchanged, else its new format.
fn outcome(file: &[u8], asked: &str) -> String {
    let Some(changed) = transformed(file, asked) else {
        return "-".to_owned();
    };
    let probed = probe(&changed.bytes).unwrap();
    let is_lossless_webp = probed.lossless && probed.format == Format::WebP;
    let flags = [
        (probed.progressive, " progressive"),
        (is_lossless_webp, " lossless"),
    ];
    let flags = flags.into_iter().filter(|(is_set, _)| *is_set);
    let flags: String = flags.map(|(_, name)| name).collect();
    probed.format.media_type().extension + &flags
}

/// Rules of each column of the tables below.
const RULES: [&str; 12] = [
    "",
    "strip",
    "80",
    "jpeg",
    "png",
    "webp",
    "avif",
    "progressive",
    "jpeg 80",
    "png 80",
    "strip 80",
    "jpeg progressive",
];

/// Asserts the outcomes of a file for all rules, which `expected` lists separated by commas.
fn assert_outcomes(name: &str, file: &[u8], expected: &str) {
    for (rules, expected) in RULES.into_iter().zip(expected.split(',')) {
        assert_eq!(outcome(file, rules), expected, "{name}, {rules}");
    }
}

#[test]
fn jpeg_and_png_are_transformed_by_each_rule() {
    let progressive = files::progressive();
    let exif = files::exif(1);

    for (name, file, expected) in [
        (
            "JPEG",
            files::with_exif(Format::Jpeg, Channels::Rgb, &exif),
            "-,jpg,jpg,-,png,webp,avif,jpg progressive,jpg,png,jpg,jpg progressive",
        ),
        (
            "progressive JPEG",
            encode(files::picture(24, 16, Channels::Rgb), &progressive).unwrap(),
            "-,-,jpg progressive,-,png,webp,avif,-,jpg progressive,png,jpg progressive,-",
        ),
        (
            "rotated JPEG",
            files::with_exif(Format::Jpeg, Channels::Rgb, &files::exif(8)),
            "-,jpg,jpg,-,png,webp,avif,jpg progressive,jpg,png,jpg,jpg progressive",
        ),
        (
            "PNG",
            files::with_exif(Format::Png, Channels::Rgba, &exif),
            "-,png,-,jpg,-,webp,avif,-,jpg,-,png,jpg progressive",
        ),
    ] {
        assert_outcomes(name, &file, expected);
    }
}

#[test]
fn gif_and_webp_are_transformed_by_each_rule() {
    let exif = files::exif(1);

    for (name, file, expected) in [
        (
            "GIF",
            files::gif(1),
            "-,gif,-,jpg,png,webp,avif,-,jpg,png,gif,jpg progressive",
        ),
        (
            "WebP",
            files::with_exif(Format::WebP, Channels::Rgb, &exif),
            "-,webp,webp,jpg,png,-,avif,-,jpg,png,webp,jpg progressive",
        ),
        (
            "rotated lossless WebP",
            files::turned(files::picture(24, 16, Channels::Rgb), 3, &files::lossless()),
            "-,webp lossless,webp,jpg,png,-,avif,-,jpg,png,webp,jpg progressive",
        ),
    ] {
        assert_outcomes(name, &file, expected);
    }
}

#[test]
fn animations_are_only_stripped() {
    let exif = files::exif(1);

    for (name, file, expected) in [
        ("animated GIF", files::gif(2), "-,gif,-,-,-,-,-,-,-,-,gif,-"),
        (
            "animated WebP",
            files::animated_webp(&exif),
            "-,webp,-,-,-,-,-,-,-,-,webp,-",
        ),
        (
            "animated PNG",
            files::animated_png(2),
            "-,-,-,-,-,-,-,-,-,-,-,-",
        ),
    ] {
        assert_outcomes(name, &file, expected);
    }
}

#[test]
fn other_formats_are_unchanged() {
    for file in [
        heads::tiff(24, 16, 6),
        heads::bmp(24, 16),
        heads::ico(),
        b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec(),
        b"%PDF-1.7".to_vec(),
        Vec::new(),
    ] {
        for rules in RULES {
            assert_eq!(outcome(&file, rules), "-", "{rules}");
        }
    }
}

/// Returns a transformed image; `None` if the file is unchanged.
fn transformed(file: &[u8], asked: &str) -> Option<TransformedImage> {
    let TransformOutcome::Transformed(changed) = transform(file, &rules(asked)).unwrap() else {
        return None;
    };
    let probed = probe(&changed.bytes).unwrap();
    assert_eq!(changed.media_type, probed.format.media_type());
    let size = ImageSize::new(changed.width, changed.height);
    assert_eq!(size, probed.displayed());
    Some(changed)
}

pub(crate) fn changed(file: &[u8], asked: &str) -> Vec<u8> {
    transformed(file, asked).expect("it changes").bytes
}

/// The largest difference between samples.
fn distance(one: &Pixels, other: &Pixels) -> u8 {
    assert_eq!(
        (one.width, one.height, one.channels),
        (other.width, other.height, other.channels)
    );
    files::largest_difference(&one.samples, &other.samples)
}

#[test]
fn encoded_images_are_similar_to_the_original() {
    let png = files::file(Format::Png, 64, 48, Channels::Rgb);
    for asked in ["jpeg 95", "webp 95", "jpeg 95 progressive"] {
        assert!(
            distance(&pixels(&changed(&png, asked)), &pixels(&png)) < 16,
            "{asked}"
        );
    }
    let webp = changed(&png, "webp 100");
    assert!(distance(&pixels(&changed(&webp, "png")), &pixels(&webp)) == 0);
}

#[test]
fn lower_quality_results_in_smaller_files() {
    let jpeg = files::file(Format::Jpeg, 200, 150, Channels::Rgb);
    for format in ["jpeg", "webp", "avif"] {
        let sizes: Vec<usize> = ["20", "60", "95"]
            .map(|quality| changed(&jpeg, &format!("{format} {quality}")).len())
            .to_vec();
        assert!(
            sizes.is_sorted() && sizes[0] < sizes[2],
            "{format} {sizes:?}"
        );
    }
}

#[test]
fn transparency_is_white_in_jpeg_and_kept_in_other_formats() {
    let samples = [[255, 0, 0, 0], [255, 0, 0, 128], [255, 0, 0, 255]]
        .map(|pixel| [pixel; 16 * 16])
        .concat()
        .concat();
    let picture = Pixels::new(ImageSize::new(16, 48), Channels::Rgba, samples);
    let png = encode(picture.clone(), &files::plain(Format::Png)).unwrap();
    let jpeg = pixels(&changed(&png, "jpeg 100"));

    assert_eq!(jpeg.channels, Channels::Rgb);
    for (row, expected) in [
        (8, [255, 255, 255]),
        (24, [255, 127, 127]),
        (40, [255, 0, 0]),
    ] {
        let start = (row * 16 + 8) * 3;
        let found = &jpeg.samples[start..start + 3];
        let most = files::largest_difference(&expected, found);
        assert!(most <= 3, "{row} {found:?}");
    }

    let webp = pixels(&changed(&png, "webp"));
    let alphas = |pixels: &Pixels| -> Vec<u8> {
        pixels.samples.iter().skip(3).step_by(4).copied().collect()
    };

    assert_eq!(alphas(&webp), alphas(&picture));
    assert!(probe(&changed(&png, "avif")).unwrap().has_alpha);
}

#[test]
fn gif_is_decoded_with_its_palette() {
    let found = pixels(&changed(&files::gif(1), "png"));
    let colors = [
        [255, 0, 0, 255],
        [0, 0, 255, 255],
        [0, 255, 0, 255],
        [0, 0, 0, 0],
    ];

    assert_eq!(found.samples, colors.concat().repeat(6));

    // A frame smaller than the screen leaves the rest of it transparent.
    let mut file = Vec::new();
    let mut encoder = gif::Encoder::new(&mut file, 3, 2, &[1, 2, 3, 4, 5, 6]).unwrap();
    let frame = gif::Frame {
        left: 1,
        top: 1,
        ..gif::Frame::from_indexed_pixels(2, 1, [0, 1], None)
    };
    encoder.write_frame(&frame).unwrap();
    drop(encoder);

    let expected = [[0; 16].to_vec(), [1, 2, 3, 255, 4, 5, 6, 255].to_vec()].concat();
    assert_eq!(pixels(&changed(&file, "png")).samples, expected);
}
