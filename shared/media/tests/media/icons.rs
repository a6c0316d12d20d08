//! Icons whose images are PNG files.

use media::{
    format::Format,
    pixels::{Channels, Pixels},
};

use crate::files::{self, rendered, to};

/// Returns an icon whose only image is this PNG of 24 × 16 pixels.
fn icon_of_png(png: &[u8]) -> Vec<u8> {
    let size = u32::try_from(png.len()).unwrap().to_le_bytes();
    let entry = [24, 16, 0, 0, 1, 0, 8, 0];
    let offset = 22_u32.to_le_bytes();
    [&[0, 0, 1, 0, 1, 0], &entry[..], &size, &offset, png].concat()
}

#[test]
fn icon_with_any_png_is_rendered() {
    let picture = image::RgbImage::from_raw(24, 16, files::picture(24, 16, Channels::Rgb).samples);
    let picture = image::DynamicImage::ImageRgb8(picture.unwrap());
    for (name, png) in [
        ("RGB", picture.clone()),
        ("RGBA", picture.to_rgba8().into()),
        ("gray", picture.to_luma8().into()),
        ("gray with alpha", picture.to_luma_alpha8().into()),
        ("16 bits", picture.to_rgb16().into()),
    ] {
        let mut file = std::io::Cursor::new(Vec::new());
        png.write_to(&mut file, image::ImageFormat::Png).unwrap();
        let icon = icon_of_png(&file.into_inner());

        let found = rendered(&icon, &to(Format::Png));

        let expected = png.to_rgb8().into_raw();
        assert!(image_color(&found) == expected, "{name}");
    }
}

#[test]
fn icon_with_a_palette_is_rendered() {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 24, 16);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Four);
    encoder.set_palette(vec![0, 0, 255, 255, 0, 0]);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&[0x01; 12 * 16]).unwrap();
    writer.finish().unwrap();

    let colors = image_color(&rendered(&icon_of_png(&file), &to(Format::Png)));

    assert_eq!(colors[..6], [0, 0, 255, 255, 0, 0]);
}

/// Returns red, green and blue of all pixels.
fn image_color(pixels: &Pixels) -> Vec<u8> {
    let pixels = pixels.samples.chunks(pixels.channels.count());
    pixels
        .flat_map(|pixel| match pixel {
            [gray] => [*gray; 3],
            [red, green, blue, ..] => [*red, *green, *blue],
            _ => panic!("{pixel:?}"),
        })
        .collect()
}
