//! Several renderings of one image that is decoded once.

use domain::{Focus, Quality, Resize, Sides};
use media::{
    Channels, Format, MediaError, PlanOptions, RenderOptions, Source, image_metadata, render,
};

use crate::files::{self, assert_error};

fn options(resize: impl Into<Option<Resize>>, format: Format) -> RenderOptions<'static> {
    RenderOptions {
        resize: resize.into(),
        quality: Quality::Fixed(90),
        ..files::to(format)
    }
}

fn fit(width: u32, height: u32) -> Resize {
    Resize::Fit(Sides::Both { width, height })
}

fn fill(width: u32, height: u32) -> Resize {
    Resize::Fill {
        width,
        height,
        focus: Focus::Auto,
    }
}

fn outputs() -> [RenderOptions<'static>; 4] {
    [
        options(fit(160, 90), Format::Jpeg),
        options(fill(40, 70), Format::Png),
        options(fit(12, 12), Format::WebP),
        options(fit(30, 30), Format::Gif),
    ]
}

fn planned(outputs: &[RenderOptions]) -> Vec<PlanOptions> {
    outputs.iter().map(PlanOptions::from).collect()
}

#[test]
fn outputs_of_lossless_images_equal_single_renderings() {
    for channels in [Channels::Gray, Channels::Rgb, Channels::Rgba] {
        let file = files::file(Format::Png, 300, 200, channels);
        let source = Source::read(&file).unwrap();
        let mut outputs = outputs().to_vec();
        outputs.push(options(None, Format::Png));

        let plan = source.plan_shared(&planned(&outputs)).unwrap();
        let mut decoded = source.decode(&plan).unwrap();

        for options in &outputs {
            assert_eq!(decoded.render(options), render(&file, options));
        }
    }
}

#[test]
fn outputs_of_a_rotated_jpeg_resemble_single_renderings() {
    let exif = files::exif(6);
    let options_of_file = media::EncodeOptions {
        exif: Some(&exif),
        ..files::plain(Format::Jpeg)
    };
    let picture = files::picture(640, 480, Channels::Rgb);
    let file = media::encode(picture, &options_of_file).unwrap();
    let source = Source::read(&file).unwrap();
    let outputs = outputs().map(|options| RenderOptions {
        format: Format::Png,
        ..options
    });

    let plan = source.plan_shared(&planned(&outputs)).unwrap();
    let mut decoded = source.decode(&plan).unwrap();

    for options in &outputs {
        let shared = decoded.render(options).unwrap();
        let single = render(&file, options).unwrap();
        assert_eq!((shared.width, shared.height), (single.width, single.height));
        if options.resize != Some(fill(40, 70)) {
            let [single, shared] = [single, shared].map(|image| files::pixels(&image.bytes));
            let difference = files::largest_difference(&single.samples, &shared.samples);
            assert!(difference <= 12, "{options:?}: {difference}");
        }
    }
}

/// Returns an output with more pixels than permitted.
fn too_large() -> RenderOptions<'static> {
    let sides = Sides::Both {
        width: 8_192,
        height: 8_192,
    };
    options(Resize::Scale(sides), Format::Png)
}

#[test]
fn an_output_that_fails_does_not_affect_the_others() {
    let file = files::file(Format::Png, 300, 200, Channels::Rgb);
    let source = Source::read(&file).unwrap();
    let outputs = [too_large(), options(fit(30, 30), Format::Png)];

    let plan = source.plan_shared(&planned(&outputs)).unwrap();
    let mut decoded = source.decode(&plan).unwrap();

    let failed = decoded.render(&outputs[0]);
    assert_error!(failed, MediaError::OutputTooLarge { .. });
    assert_eq!(decoded.render(&outputs[1]), render(&file, &outputs[1]));
}

#[test]
fn animations_stay_animated() {
    let file = files::gif(3);
    let source = Source::read(&file).unwrap();
    let outputs = [
        options(fit(3, 3), Format::Gif),
        options(fit(3, 3), Format::Png),
    ];

    let plan = source.plan_shared(&planned(&outputs)).unwrap();
    let mut decoded = source.decode(&plan).unwrap();

    for options in &outputs {
        assert_eq!(decoded.render(options), render(&file, options));
    }
    let animated = decoded.render(&outputs[0]).unwrap();
    let metadata = image_metadata(&animated.bytes, &media::MetadataOptions::default());
    assert_eq!(metadata.pages, Some(3));
    let single = source.plan(&PlanOptions::from(&outputs[0])).unwrap();
    assert!(plan.memory_bytes >= single.memory_bytes);
}

#[test]
fn plan_without_a_possible_output_fails_with_its_error() {
    let file = files::file(Format::Png, 64, 48, Channels::Rgb);
    let source = Source::read(&file).unwrap();

    let result = source.plan_shared(&planned(&[too_large()]));

    assert_error!(result, MediaError::OutputTooLarge { .. });
}
