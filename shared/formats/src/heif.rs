//! The codec of HEIF files whose brands name none (ISO/IEC 14496-12, 8.11, and 23008-12, 6.6.2.3).

/// Returns the type of the primary item, or of the first tile of a grid; `None` if the first bytes
/// do not contain it.
pub(crate) fn primary_picture(head: &[u8]) -> Option<[u8; 4]> {
    let mut meta = contents(head, *b"meta").next()?;
    take_version(&mut meta)?;
    let mut primary = contents(meta, *b"pitm").next()?;
    let is_long = take_version(&mut primary)? > 0;
    let primary = take_number(&mut primary, is_long)?;

    match kind(meta, primary)? {
        [b'g', b'r', b'i', b'd'] => kind(meta, first_tile(meta, primary)?),
        picture => Some(picture),
    }
}

/// Returns the type of an item.
fn kind(meta: &[u8], item: u32) -> Option<[u8; 4]> {
    let mut items = contents(meta, *b"iinf").next()?;
    let is_long = take_version(&mut items)? > 0;
    take_number(&mut items, is_long)?;

    contents(items, *b"infe").find_map(|mut entry| {
        // Earlier versions have no types.
        let is_long = take_version(&mut entry)?.checked_sub(2)? > 0;
        let is_found = take_number(&mut entry, is_long)? == item;
        // The index of its protection precedes the type.
        let kind = entry.get(2..)?.first_chunk()?;
        is_found.then_some(*kind)
    })
}

/// Returns the first of the images that a grid consists of.
fn first_tile(meta: &[u8], grid: u32) -> Option<u32> {
    let mut references = contents(meta, *b"iref").next()?;
    let is_long = take_version(&mut references)? > 0;

    contents(references, *b"dimg").find_map(|mut images| {
        let is_found = take_number(&mut images, is_long)? == grid;
        take_number(&mut images, false)?;
        let first = take_number(&mut images, is_long)?;
        is_found.then_some(first)
    })
}

/// Returns the contents of boxes of a kind, up to a box whose length is not in its first field.
fn contents(mut boxes: &[u8], kind: [u8; 4]) -> impl Iterator<Item = &[u8]> {
    let contents = std::iter::from_fn(move || {
        let [a, b, c, d, found @ ..] = *boxes.first_chunk::<8>()?;
        let length = usize::try_from(u32::from_be_bytes([a, b, c, d])).ok()?;
        let content = boxes.split_off(..length.min(boxes.len()))?.get(8..)?;
        Some((found == kind).then_some(content))
    });
    contents.flatten()
}

/// Takes version and flags, and returns the version.
fn take_version(content: &mut &[u8]) -> Option<u8> {
    content.split_off(..4)?.first().copied()
}

/// Takes a number of 4 bytes or 2.
fn take_number(content: &mut &[u8], is_long: bool) -> Option<u32> {
    let bytes = content.split_off(..if is_long { 4 } else { 2 })?;
    Some(
        bytes
            .iter()
            .fold(0, |high, byte| high << 8 | u32::from(*byte)),
    )
}

#[cfg(test)]
mod tests {
    use crate::tests::{assert_recognized, boxed, branded, recognized};

    /// Returns a HEIF file whose brands name no codec: item 7 is a picture of this kind, item 9 a
    /// grid of it.
    fn heif_of(kind: [u8; 4], primary: u8, is_long: bool) -> Vec<u8> {
        let id = |id: u8| {
            if is_long {
                vec![0, 0, 0, id]
            } else {
                vec![0, id]
            }
        };
        let start = |version: u8| [if is_long { version + 1 } else { version }, 0, 0, 0];
        let entry = |item: u8, kind: &[u8]| {
            let entry = [&start(2)[..], &id(item), &[0, 0], kind, &[0]].concat();
            boxed(*b"infe", &entry)
        };

        let tiles = [id(9), vec![0, 2], id(7), id(7)].concat();
        let meta = [
            vec![0; 4],
            boxed(*b"hdlr", &[0; 25]),
            boxed(*b"pitm", &[&start(0)[..], &id(primary)].concat()),
            boxed(
                *b"iinf",
                &[
                    &start(0)[..],
                    &id(3),
                    &entry(8, b"Exif"),
                    &entry(7, &kind),
                    &entry(9, b"grid"),
                ]
                .concat(),
            ),
            boxed(
                *b"iref",
                &[
                    &start(0)[..],
                    &boxed(*b"cdsc", &id(8)),
                    &boxed(*b"dimg", &tiles),
                ]
                .concat(),
            ),
        ];

        [branded(*b"mif1", *b"miaf"), boxed(*b"meta", &meta.concat())].concat()
    }

    #[test]
    fn primary_picture_selects_the_type_if_no_brand_names_a_codec() {
        for is_long in [false, true] {
            assert_recognized(vec![
                (heif_of(*b"av01", 7, is_long), "avif"),
                (heif_of(*b"av01", 9, is_long), "avif"),
                (heif_of(*b"hvc1", 7, is_long), "heic"),
                (heif_of(*b"hvc1", 9, is_long), "heic"),
                (heif_of(*b"jpeg", 7, is_long), "heic"),
                // Without such an item.
                (heif_of(*b"av01", 5, is_long), "heic"),
            ]);

            let whole = heif_of(*b"av01", 9, is_long);
            for length in 24..whole.len() {
                assert!(matches!(recognized(&whole[..length]), "heic" | "avif"));
            }
            let heic = [branded(*b"mif1", *b"heic"), whole[20..].to_vec()].concat();
            assert_eq!(recognized(&heic), "heic");
        }
    }
}
