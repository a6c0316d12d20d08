//! Fields of EXIF data by name.
//!
//! Invariants:
//! - The three directories are read once each, so the time is proportional to their entries.
//! - There are at most [`MAX_EXIF_FIELDS`] fields, with at most [`MAX_EXIF_CHARACTERS`] characters
//!   each.

use std::collections::{BTreeMap, btree_map::Entry};

use crate::container::tiff::{Directory, Field};

use super::tags::{Kind, name};

/// Maximum number of EXIF fields.
pub const MAX_EXIF_FIELDS: usize = 64;
/// Maximum length of the text of an EXIF field, in characters.
pub const MAX_EXIF_CHARACTERS: usize = 256;
/// Maximum number of bytes of a text that are read.
const MAX_TEXT_BYTES: usize = 4 * MAX_EXIF_CHARACTERS;
/// Maximum number of values of a field.
const MAX_VALUES: usize = 16;
/// Tag of the offset of the directory about the photo.
const PHOTO_POINTER: u16 = 0x8769;
/// Tag of the offset of the directory about the position.
const POSITION_POINTER: u16 = 0x8825;

/// Value of an EXIF field.
#[derive(Clone, Debug, PartialEq)]
pub enum ExifValue {
    /// Text without control characters, not empty. Also several numbers, separated by a comma and a
    /// space.
    Text(String),
    Integer(i64),
    Decimal(f64),
}

type Fields = BTreeMap<&'static str, ExifValue>;

/// Returns the fields of EXIF data, which is a TIFF structure. Omits fields that are damaged or
/// unknown, and the position unless it is kept.
pub(crate) fn fields(exif: &[u8], keeps_position: bool) -> BTreeMap<&'static str, ExifValue> {
    let mut fields = Fields::new();
    let Ok(image) = Directory::first(exif) else {
        return fields;
    };
    add(&mut fields, Kind::Image, &image);

    if let Some(photo) = child(&image, PHOTO_POINTER) {
        add(&mut fields, Kind::Photo, &photo);
    }
    if keeps_position && let Some(position) = child(&image, POSITION_POINTER) {
        add(&mut fields, Kind::Position, &position);
        convert_angle(&mut fields, "GPSLatitude", "GPSLatitudeRef", "S");
        convert_angle(&mut fields, "GPSLongitude", "GPSLongitudeRef", "W");
    }
    fields
}

/// Returns the directory that a tag refers to.
fn child<'a>(image: &Directory<'a>, pointer: u16) -> Option<Directory<'a>> {
    let offset = image.number(pointer).ok()??;
    image.at(offset).ok()
}

/// Adds the fields of a directory. The first field of a name counts, as for the orientation.
fn add(fields: &mut Fields, kind: Kind, directory: &Directory) {
    for field in directory.fields() {
        if fields.len() < MAX_EXIF_FIELDS
            && let Some(name) = name(kind, field.tag)
            && let Entry::Vacant(entry) = fields.entry(name)
            && let Some(value) = value(&field)
        {
            entry.insert(value);
        }
    }
}

fn value(field: &Field) -> Option<ExifValue> {
    let mut numbers = match field.kind {
        // Undefined bytes of the reported tags are text.
        2 | 7 | 129 => return text(field.value),
        1 => numbers(field, |[byte]| Some(ExifValue::Integer(byte.into()))),
        3 => numbers(field, |bytes| {
            Some(ExifValue::Integer(u16::from_be_bytes(bytes).into()))
        }),
        4 => numbers(field, |bytes| {
            Some(ExifValue::Integer(u32::from_be_bytes(bytes).into()))
        }),
        6 => numbers(field, |[byte]| {
            Some(ExifValue::Integer(byte.cast_signed().into()))
        }),
        8 => numbers(field, |bytes| {
            Some(ExifValue::Integer(i16::from_be_bytes(bytes).into()))
        }),
        9 => numbers(field, |bytes| {
            Some(ExifValue::Integer(i32::from_be_bytes(bytes).into()))
        }),
        11 => numbers(field, |bytes| decimal(f32::from_be_bytes(bytes).into())),
        12 => numbers(field, |bytes| decimal(f64::from_be_bytes(bytes))),
        5 => quotients(field, |bytes| u32::from_be_bytes(bytes).into()),
        10 => quotients(field, |bytes| i32::from_be_bytes(bytes).into()),
        _ => None,
    }?;

    if numbers.len() == 1 {
        numbers.pop()
    } else {
        let texts = numbers.iter().map(|number| match number {
            ExifValue::Text(text) => text.clone(),
            ExifValue::Integer(number) => number.to_string(),
            ExifValue::Decimal(number) => number.to_string(),
        });
        text(texts.collect::<Vec<String>>().join(", ").as_bytes())
    }
}

/// Reads all numbers of a field; `None` if one of them is invalid.
fn numbers<const SIZE: usize>(
    field: &Field,
    number: impl Fn([u8; SIZE]) -> Option<ExifValue>,
) -> Option<Vec<ExifValue>> {
    let chunks = field.value.as_chunks::<SIZE>().0.iter().take(MAX_VALUES);
    let numbers = chunks.map(|chunk| number(field.big_endian(*chunk)));
    numbers.collect()
}

/// Reads pairs of a numerator and a denominator.
fn quotients(field: &Field, number: impl Fn([u8; 4]) -> f64) -> Option<Vec<ExifValue>> {
    let pairs = field.value.as_chunks::<8>().0.iter().take(MAX_VALUES);
    let quotients = pairs.map(|pair| {
        let (halves, _) = pair.as_chunks::<4>();
        let [above, below] = halves
            .as_array()?
            .map(|half| number(field.big_endian(half)));
        decimal(above / below)
    });
    quotients.collect()
}

fn decimal(number: f64) -> Option<ExifValue> {
    number.is_finite().then_some(ExifValue::Decimal(number))
}

/// Returns a text up to its first zero byte, with invalid UTF-8 replaced; `None` if it is empty.
fn text(bytes: &[u8]) -> Option<ExifValue> {
    let end = bytes.iter().position(|byte| *byte == 0);
    let end = end.unwrap_or(bytes.len()).min(MAX_TEXT_BYTES);
    let decoded = String::from_utf8_lossy(&bytes[..end]);
    let printable = decoded.chars().filter(|character| !character.is_control());
    let cut: String = printable.take(MAX_EXIF_CHARACTERS).collect();

    let trimmed = cut.trim();
    (!trimmed.is_empty()).then(|| ExifValue::Text(trimmed.to_owned()))
}

/// Replaces degrees, minutes and seconds by degrees, negative in the direction of `negative`.
/// Removes the field if it is not an angle.
fn convert_angle(fields: &mut Fields, name: &'static str, reference: &'static str, negative: &str) {
    let Some(value) = fields.remove(name) else {
        return;
    };
    let Some(degrees) = degrees(&value) else {
        return;
    };
    let is_negative = fields.get(reference) == Some(&ExifValue::Text(negative.to_owned()));
    let signed = if is_negative { -degrees } else { degrees };
    fields.insert(name, ExifValue::Decimal(signed));
}

/// Returns the degrees of an angle from 0 to 180.
fn degrees(value: &ExifValue) -> Option<f64> {
    let ExifValue::Text(text) = value else {
        return None;
    };
    let parts: Vec<f64> = text
        .split(", ")
        .map(str::parse)
        .collect::<Result<_, _>>()
        .ok()?;
    let [degrees, minutes, seconds] = parts[..] else {
        return None;
    };
    let sum = degrees + minutes / 60.0 + seconds / 3_600.0;
    (0.0..=180.0).contains(&sum).then_some(sum)
}
