//! JPEGs of all kinds that decoders treat differently.

use media::{
    encode::{EncodeOptions, encode},
    format::Format,
    pixels::Channels,
};
use mozjpeg::{ColorSpace, Compress};

use super::files::{exif, file, picture, plain, with_exif, with_segment};

pub(super) fn files() -> Vec<Vec<u8>> {
    let exif = exif(6);
    let progressive = EncodeOptions {
        progressive: true,
        exif: Some(&exif),
        quality: 60,
        ..plain(Format::Jpeg)
    };
    let adobe = |jpeg: &[u8]| with_segment(jpeg, 0xEE, b"Adobe\0\x64\0\0\0\0\x02");
    let profile = with_segment(
        &file(Format::Jpeg, 8, 8, Channels::Rgb),
        0xE2,
        b"ICC_PROFILE\0\x01\x01not a profile",
    );

    vec![
        file(Format::Jpeg, 40, 24, Channels::Rgb),
        with_exif(Format::Jpeg, Channels::Gray, &exif),
        encode(picture(24, 16, Channels::Rgb), &progressive).expect("a picture"),
        subsampled([(2, 1), (1, 1)], false),
        subsampled([(1, 2), (1, 1)], false),
        subsampled([(2, 2), (1, 1)], true),
        subsampled([(4, 1), (1, 1)], false),
        cmyk(),
        adobe(&cmyk()),
        adobe(&file(Format::Jpeg, 8, 8, Channels::Rgb)),
        profile,
    ]
}

/// Returns a JPEG with these sampling factors of luma and chroma, progressive or not.
fn subsampled(sampling: [(u32, u32); 2], is_progressive: bool) -> Vec<u8> {
    let mut settings = Compress::new(ColorSpace::JCS_RGB);
    settings.set_size(33, 31);
    settings.set_fastest_defaults();
    if is_progressive {
        settings.set_progressive_mode();
    }

    for (component, (across, down)) in
        settings
            .components_mut()
            .iter_mut()
            .zip([sampling[0], sampling[1], sampling[1]])
    {
        component.h_samp_factor = across as i32;
        component.v_samp_factor = down as i32;
    }

    let mut started = settings.start_compress(Vec::new()).expect("a header");
    started
        .write_scanlines(&picture(33, 31, Channels::Rgb).samples)
        .expect("pixels");
    started.finish().expect("an end")
}

fn cmyk() -> Vec<u8> {
    let mut settings = Compress::new(ColorSpace::JCS_CMYK);
    settings.set_size(10, 9);
    settings.set_fastest_defaults();
    let mut started = settings.start_compress(Vec::new()).expect("a header");
    started
        .write_scanlines(&picture(10, 9, Channels::Rgba).samples)
        .expect("pixels");
    started.finish().expect("an end")
}
