//! TIFFs: tiles, strips, alpha, color profiles, and contradictory fields.

use media::{encode::encode, error::MediaError, format::Format, render::render};

use crate::{
    exif_files::{BIG_ENDIAN, Field, Value},
    files::{self, assert_error, largest_difference},
};

/// Offset of the pixels of a [`tiff`], in bytes.
const PIXELS_AT: u32 = 8;

const WIDTH: u16 = 256;
const HEIGHT: u16 = 257;
const BITS: u16 = 258;
const COMPRESSION: u16 = 259;
const COLORS: u16 = 262;
const STRIP_OFFSETS: u16 = 273;
const SAMPLES: u16 = 277;
const STRIP_BYTES: u16 = 279;
const TILE_WIDTH: u16 = 322;
const TILE_HEIGHT: u16 = 323;
const TILE_OFFSETS: u16 = 324;
const TILE_BYTES: u16 = 325;
const EXTRA_SAMPLES: u16 = 338;
const SAMPLE_FORMAT: u16 = 339;
const SUBSAMPLING: u16 = 530;
const PROFILE: u16 = 34675;

fn short(number: u16) -> Value {
    Value::Short(vec![number])
}

/// Returns a TIFF: the header, the pixels, the directory, and the values that do not fit into it.
fn tiff(pixels: &[u8], fields: &[Field]) -> Vec<u8> {
    let directory_at = PIXELS_AT as usize + pixels.len();
    let directory = BIG_ENDIAN.directory(directory_at, fields, &[]);
    let offset = u32::try_from(directory_at).unwrap().to_be_bytes();
    [b"MM\0*", &offset[..], pixels, &directory].concat()
}

/// Returns the fields of a gray image that is one uncompressed tile.
fn gray_tile(side: u16, tile: u16) -> Vec<Field> {
    vec![
        (WIDTH, short(side)),
        (HEIGHT, short(side)),
        (BITS, short(8)),
        (COMPRESSION, short(1)),
        (COLORS, short(1)),
        (SAMPLES, short(1)),
        (TILE_WIDTH, short(tile)),
        (TILE_HEIGHT, short(tile)),
        (TILE_OFFSETS, Value::Long(PIXELS_AT)),
        (TILE_BYTES, Value::Long(u32::from(tile) * u32::from(tile))),
    ]
}

/// Returns the fields with another value of a tag.
fn with(mut fields: Vec<Field>, tag: u16, value: &Value) -> Vec<Field> {
    for field in &mut fields {
        if field.0 == tag {
            field.1 = value.clone();
        }
    }
    fields
}

/// Returns the fields of one pixel with four samples.
fn one_pixel(extra_samples: u16) -> Vec<Field> {
    vec![
        (WIDTH, short(1)),
        (HEIGHT, short(1)),
        (BITS, Value::Short(vec![8; 4])),
        (COMPRESSION, short(1)),
        (COLORS, short(2)),
        (STRIP_OFFSETS, Value::Long(PIXELS_AT)),
        (SAMPLES, short(4)),
        (STRIP_BYTES, short(4)),
        (EXTRA_SAMPLES, short(extra_samples)),
    ]
}

fn rendered(file: &[u8]) -> Result<Vec<u8>, MediaError> {
    let png = render(file, &files::to(Format::Png))?.bytes;
    Ok(files::pixels(&png).samples)
}

#[test]
fn uncommon_colors_are_shown() {
    let half = 0.5_f32.to_be_bytes();
    for (name, colors, bits, samples, pixel, expected) in [
        (
            "gray with alpha",
            1,
            8,
            2,
            &[90, 128][..],
            &[90, 90, 90, 128][..],
        ),
        (
            "gray with alpha of 16 bits",
            1,
            16,
            2,
            &[90, 7, 128, 7],
            &[90, 90, 90, 128],
        ),
        ("YCbCr", 6, 8, 3, &[76, 85, 255], &[254, 0, 0]),
        ("gray in floating point", 1, 32, 1, &half, &[128]),
    ] {
        let mut fields = vec![
            (WIDTH, short(1)),
            (HEIGHT, short(1)),
            (BITS, Value::Short(vec![bits; usize::from(samples)])),
            (COMPRESSION, short(1)),
            (COLORS, short(colors)),
            (STRIP_OFFSETS, Value::Long(PIXELS_AT)),
            (SAMPLES, short(samples)),
            (STRIP_BYTES, short(u16::try_from(pixel.len()).unwrap())),
        ];
        match name {
            "YCbCr" => fields.push((SUBSAMPLING, Value::Short(vec![1, 1]))),
            "gray in floating point" => fields.push((SAMPLE_FORMAT, short(3))),
            _ => fields.push((EXTRA_SAMPLES, short(2))),
        }

        assert_eq!(rendered(&tiff(pixel, &fields)).unwrap(), expected, "{name}");
    }
}

#[test]
fn padding_of_tiles_is_cut_off() {
    let tile: Vec<u8> = (0..=255).collect();
    let file = tiff(&tile, &gray_tile(3, 16));

    assert_eq!(rendered(&file).unwrap(), [0, 1, 2, 16, 17, 18, 32, 33, 34]);
}

#[test]
fn padding_of_tiles_counts_as_pixels() {
    for (tag, side) in [(TILE_WIDTH, u32::MAX - 15), (TILE_HEIGHT, 1 << 28)] {
        let file = tiff(&[0; 256], &with(gray_tile(3, 16), tag, &Value::Long(side)));

        assert_error!(rendered(&file), MediaError::TooManyPixels { .. });
    }
}

#[test]
fn contradictory_fields_are_malformed() {
    let repeated = |tag: u16, value: u16| [gray_tile(3, 16), vec![(tag, short(value))]].concat();

    for (name, fields) in [
        ("two tile widths", repeated(TILE_WIDTH, 32)),
        ("two tile heights", repeated(TILE_HEIGHT, 32)),
        ("two compressions", repeated(COMPRESSION, 7)),
        (
            "a list of tile widths",
            with(gray_tile(3, 16), TILE_WIDTH, &Value::Short(vec![16, 16])),
        ),
        (
            "bytes as tile width",
            with(gray_tile(3, 16), TILE_WIDTH, &Value::Undefined(vec![16])),
        ),
    ] {
        let result = rendered(&tiff(&[0; 256], &fields));
        assert_error!(result, MediaError::Malformed(_), name);
    }
}

#[test]
fn tiff_that_contains_jpeg_files_is_rejected() {
    let jpeg = encode(files::solid([7], 16, 16), &files::plain(Format::Jpeg)).unwrap();
    let fields = with(gray_tile(16, 16), COMPRESSION, &short(7));
    let bytes = Value::Long(u32::try_from(jpeg.len()).unwrap());
    let file = tiff(&jpeg, &with(fields, TILE_BYTES, &bytes));

    assert_error!(rendered(&file), MediaError::Malformed(_));
}

#[test]
fn profile_of_a_small_tiff_is_read() {
    let mut swapped = moxcms::ColorProfile::new_srgb();
    swapped.cicp = None;
    std::mem::swap(&mut swapped.red_colorant, &mut swapped.green_colorant);
    let profile = (PROFILE, Value::Undefined(swapped.encode().unwrap()));
    let fields = [one_pixel(2), vec![profile]].concat();

    let pixel = rendered(&tiff(&[117, 251, 76, 255], &fields)).unwrap();

    assert!(
        largest_difference(&[251, 117, 76, 255], &pixel) <= 2,
        "{pixel:?}"
    );
}

#[test]
fn colors_of_associated_alpha_are_divided_by_alpha() {
    let color = |extra_samples| rendered(&tiff(&[100, 50, 0, 128], &one_pixel(extra_samples)));

    assert_eq!(color(1).unwrap(), [199, 100, 0, 128]);
    assert_eq!(color(2).unwrap(), [100, 50, 0, 128]);
}
