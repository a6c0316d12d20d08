//! Several renderings of one image that is decoded once.

use domain::{Focus, Quality, Resize, Sides};
use media::{
    Channels, Format, MediaError, PlanOptions, RenderOptions, Source, blurhash, decode,
    dominant_color, image_metadata, probe, render,
};

use crate::files;

fn options(resize: impl Into<Option<Resize>>, format: Format) -> RenderOptions<'static> {
    RenderOptions {
        resize: resize.into(),
        format,
        quality: Quality::Fixed(90),
        watermark: None,
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
        let decoded = source.decode(&plan).unwrap();

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
    let decoded = source.decode(&plan).unwrap();

    for options in &outputs {
        let shared = decoded.render(options).unwrap();
        let single = render(&file, options).unwrap();
        assert_eq!((shared.width, shared.height), (single.width, single.height));
        if options.resize != Some(fill(40, 70)) {
            let pixels = |file: &[u8]| decode(file, &probe(file).unwrap()).unwrap().samples;
            let difference =
                files::largest_difference(&pixels(&single.bytes), &pixels(&shared.bytes));
            assert!(difference <= 12, "{options:?}: {difference}");
        }
    }
}

#[test]
fn an_output_that_fails_does_not_affect_the_others() {
    let file = files::file(Format::Png, 300, 200, Channels::Rgb);
    let source = Source::read(&file).unwrap();
    let too_large = options(
        Resize::Scale(Sides::Both {
            width: 8_192,
            height: 8_192,
        }),
        Format::Png,
    );
    let outputs = [too_large, options(fit(30, 30), Format::Png)];

    let plan = source.plan_shared(&planned(&outputs)).unwrap();
    let decoded = source.decode(&plan).unwrap();

    assert!(matches!(
        decoded.render(&outputs[0]),
        Err(MediaError::OutputTooLarge { .. })
    ));
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
    let decoded = source.decode(&plan).unwrap();

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
fn preview_is_small_and_in_display_orientation() {
    for (format, width, height, expected) in [
        (Format::Png, 300, 200, (128, 85)),
        (Format::Png, 65_000, 1, (128, 1)),
        (Format::Jpeg, 1, 60_000, (1, 128)),
        (Format::Png, 1, 1, (1, 1)),
    ] {
        let file = files::file(format, width, height, Channels::Rgb);
        let source = Source::read(&file).unwrap();
        let plan = source.plan_shared(&[]).unwrap();
        let preview = source.decode(&plan).unwrap().preview().unwrap();

        assert_eq!((preview.width, preview.height), expected);
        assert_eq!(blurhash(&preview).len(), 28);
        assert_eq!(preview.profile, None);
    }

    let turned = files::with_exif(Format::Jpeg, Channels::Rgb, &files::exif(6));
    let source = Source::read(&turned).unwrap();
    let plan = source.plan_shared(&[]).unwrap();
    let preview = source.decode(&plan).unwrap().preview().unwrap();
    assert_eq!((preview.width, preview.height), (16, 24));
}

#[test]
fn preview_of_luma_and_chroma_has_the_dominant_color() {
    let mut pixels = files::picture(640, 480, Channels::Rgb);
    for pixel in pixels.samples.as_chunks_mut::<3>().0 {
        *pixel = [200, 40, 90];
    }
    let file = media::encode(pixels, &files::plain(Format::Jpeg)).unwrap();
    let source = Source::read(&file).unwrap();
    let plan = source.plan_shared(&[]).unwrap();

    let color = dominant_color(&source.decode(&plan).unwrap().preview().unwrap());

    let difference = files::largest_difference(&[200, 40, 90], &color);
    assert!(difference <= 3, "{color:?}");
}
