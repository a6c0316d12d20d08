//! EXIF data and files that contain it.

use media::{format::Format, pixels::Channels};

use super::{files::file, media_files::boxed};

/// Value of a field.
#[derive(Clone)]
pub(crate) enum Value {
    Text(Vec<u8>),
    Short(Vec<u16>),
    Long(u32),
    Quotient(Vec<(u32, u32)>),
    Undefined(Vec<u8>),
}

/// Tag of a field, and its value.
pub(crate) type Field = (u16, Value);

/// Fields of the three directories, by tag.
pub(crate) struct ExifFile {
    pub(crate) image: Vec<Field>,
    pub(crate) photo: Vec<Field>,
    pub(crate) position: Vec<Field>,
}

/// Writer of numbers in a byte order.
pub(crate) struct Writer {
    is_big_endian: bool,
}

pub(crate) const LITTLE_ENDIAN: Writer = Writer {
    is_big_endian: false,
};
pub(crate) const BIG_ENDIAN: Writer = Writer {
    is_big_endian: true,
};

impl Writer {
    fn short(&self, number: u16) -> [u8; 2] {
        if self.is_big_endian {
            number.to_be_bytes()
        } else {
            number.to_le_bytes()
        }
    }

    fn long(&self, number: usize) -> [u8; 4] {
        let number = u32::try_from(number).unwrap();
        if self.is_big_endian {
            number.to_be_bytes()
        } else {
            number.to_le_bytes()
        }
    }

    /// Returns the directory at an offset, followed by its values.
    pub(crate) fn directory(
        &self,
        at: usize,
        fields: &[Field],
        pointers: &[(u16, usize)],
    ) -> Vec<u8> {
        let count = fields.len() + pointers.len();
        let mut values_at = at + 2 + count * 12 + 4;
        let mut entries = self.short(u16::try_from(count).unwrap()).to_vec();
        let mut values = Vec::new();

        for (tag, value) in fields {
            let (kind, count, mut data) = self.encoded(value);
            entries.extend(self.short(*tag));
            entries.extend(self.short(kind));
            entries.extend(self.long(count));
            if data.len() <= 4 {
                data.resize(4, 0);
                entries.extend(data);
            } else {
                entries.extend(self.long(values_at));
                values_at += data.len();
                values.extend(data);
            }
        }

        for (tag, offset) in pointers {
            entries.extend(self.short(*tag));
            entries.extend(self.short(4));
            entries.extend(self.long(1));
            entries.extend(self.long(*offset));
        }

        [entries, vec![0; 4], values].concat()
    }

    /// Returns type, count and bytes of a value.
    fn encoded(&self, value: &Value) -> (u16, usize, Vec<u8>) {
        match value {
            Value::Text(text) => (2, text.len(), text.clone()),
            Value::Undefined(bytes) => (7, bytes.len(), bytes.clone()),
            Value::Short(numbers) => {
                let bytes = numbers.iter().flat_map(|number| self.short(*number));
                (3, numbers.len(), bytes.collect())
            }
            Value::Long(number) => (4, 1, self.long(*number as usize).to_vec()),
            Value::Quotient(numbers) => {
                let halves = numbers.iter().flat_map(|(above, below)| [*above, *below]);
                let bytes = halves.flat_map(|half| self.long(half as usize));
                (5, numbers.len(), bytes.collect())
            }
        }
    }
}

impl ExifFile {
    /// Returns the fields as a TIFF structure.
    pub(crate) fn bytes(&self, is_big_endian: bool) -> Vec<u8> {
        let writer = Writer { is_big_endian };
        let pointers = |photo, position| [(0x8769, photo), (0x8825, position)];
        let image_length = writer.directory(8, &self.image, &pointers(0, 0)).len();
        let photo_at = 8 + image_length;
        let photo = writer.directory(photo_at, &self.photo, &[]);
        let position_at = photo_at + photo.len();
        let position = writer.directory(position_at, &self.position, &[]);
        let image = writer.directory(8, &self.image, &pointers(photo_at, position_at));

        let magic: &[u8] = if is_big_endian { b"MM\0*" } else { b"II*\0" };
        [magic, &writer.long(8), &image, &photo, &position].concat()
    }
}

/// An AVIF with EXIF data after its other boxes, and a location box of this version.
pub(crate) fn avif_with_exif(exif: &[u8], version: u8) -> Vec<u8> {
    let image = file(Format::Avif, 24, 16, Channels::Rgb);
    let start = |kind: &[u8; 4]| image.windows(4).position(|found| found == kind).unwrap() - 4;
    let size = |at: usize| u32::from_be_bytes(image[at..at + 4].try_into().unwrap()) as usize;
    let meta = start(b"meta");
    let replaced: Vec<u8> = [*b"iinf", *b"iloc"].concat();

    // Other boxes of the meta box stay; the pixels are not found, which nothing needs.
    let mut boxes = image[meta + 8..meta + 12].to_vec();
    let mut at = meta + 12;
    while at < meta + size(meta) {
        let end = at + size(at);
        if !replaced
            .as_chunks::<4>()
            .0
            .contains(&image[at + 4..at + 8].try_into().unwrap())
        {
            boxes.extend(&image[at..end]);
        }
        at = end;
    }
    let entry = boxed(
        *b"infe",
        &[&[2, 0, 0, 0, 0, 9, 0, 0][..], b"Exif\0"].concat(),
    );
    boxes.extend(boxed(*b"iinf", &[&[0, 0, 0, 0, 0, 1][..], &entry].concat()));

    let data = [&6_u32.to_be_bytes()[..], b"Exif\0\0", exif].concat();
    let location = |offset: usize| {
        let number = |number: usize| u32::try_from(number).unwrap().to_be_bytes();
        let counts: &[u8] = if version == 2 { &[0, 0, 0, 1] } else { &[0, 1] };
        let id: &[u8] = if version == 2 { &[0, 0, 0, 9] } else { &[0, 9] };
        let method: &[u8] = if version == 0 { &[] } else { &[0, 0] };
        let content = [
            &[version, 0, 0, 0, 0x44, 0x00][..],
            counts,
            id,
            method,
            &[0, 0, 0, 1],
            &number(offset),
            &number(data.len()),
        ];
        boxed(*b"iloc", &content.concat())
    };
    let length = meta + 8 + boxes.len() + location(0).len();
    boxes.extend(location(length + 8));
    [
        image[..meta].to_vec(),
        boxed(*b"meta", &boxes),
        boxed(*b"mdat", &data),
    ]
    .concat()
}
