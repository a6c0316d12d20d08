//! Several renderings of one image that is decoded once.

use domain::renditions::{Focus, Quality, Resize};
use media::{
    error::MediaError,
    format::Format,
    image_metadata::image_metadata,
    pixels::Channels,
    render::{PlanOptions, RenderOptions, RenderedImage, Source, render},
};

use crate::files::{self, assert_error, both, fill, fit, resized, to};

fn options(resize: impl Into<Option<Resize>>, format: Format) -> RenderOptions<'static> {
    RenderOptions {
        quality: Quality::Fixed(90),
        ..resized(to(format), resize)
    }
}

fn outputs() -> [RenderOptions<'static>; 4] {
    [
        options(fit(160, 90), Format::Jpeg),
        options(fill(40, 70, Focus::Auto), Format::Png),
        options(fit(12, 12), Format::WebP),
        options(fit(30, 30), Format::Gif),
    ]
}

/// Plans the outputs of a file, decodes it once, and renders each of them.
fn rendered(file: &[u8], outputs: &[RenderOptions]) -> Vec<Result<RenderedImage, MediaError>> {
    let source = Source::read(file).unwrap();
    let plan = source.plan_shared(&planned(outputs)).unwrap();
    let mut decoded = source.decode(&plan).unwrap();
    let outputs = outputs.iter();
    outputs.map(|options| decoded.render(options)).collect()
}

fn planned(outputs: &[RenderOptions]) -> Vec<PlanOptions> {
    outputs.iter().map(PlanOptions::from).collect()
}

#[test]
fn outputs_of_lossless_images_equal_single_renderings() {
    for channels in [Channels::Gray, Channels::Rgb, Channels::Rgba] {
        let file = files::file(Format::Png, 300, 200, channels);
        let mut outputs = outputs().to_vec();
        outputs.push(options(None, Format::Png));

        for (options, shared) in outputs.iter().zip(rendered(&file, &outputs)) {
            assert_eq!(shared, render(&file, options));
        }
    }
}

#[test]
fn outputs_of_a_rotated_jpeg_resemble_single_renderings() {
    let picture = files::picture(640, 480, Channels::Rgb);
    let file = files::turned(picture, 6, &files::plain(Format::Jpeg));
    let outputs = outputs().map(|options| RenderOptions {
        format: Format::Png,
        ..options
    });

    for (options, shared) in outputs.iter().zip(rendered(&file, &outputs)) {
        let shared = shared.unwrap();
        let single = render(&file, options).unwrap();
        assert_eq!((shared.width, shared.height), (single.width, single.height));
        if options.resize != Some(fill(40, 70, Focus::Auto)) {
            let [single, shared] = [single, shared].map(|image| files::pixels(&image.bytes));
            let difference = files::largest_difference(&single.samples, &shared.samples);
            assert!(difference <= 12, "{options:?}: {difference}");
        }
    }
}

/// Returns an output with more pixels than permitted.
fn too_large() -> RenderOptions<'static> {
    options(Resize::Scale(both(8_192, 8_192)), Format::Png)
}

#[test]
fn an_output_that_fails_does_not_affect_the_others() {
    let file = files::file(Format::Png, 300, 200, Channels::Rgb);
    let outputs = [too_large(), options(fit(30, 30), Format::Png)];

    let shared = rendered(&file, &outputs);

    assert_error!(&shared[0], MediaError::OutputTooLarge { .. });
    assert_eq!(shared[1], render(&file, &outputs[1]));
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
    let metadata = image_metadata(
        &animated.bytes,
        &media::image_metadata::MetadataOptions::default(),
    );
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
