//! Heads of files without pixels, in formats that are probed only.

use super::{
    exif_files::{BIG_ENDIAN, Value},
    files::SECRET,
    media_files::boxed,
};

/// A box of several parts.
fn of_parts(kind: [u8; 4], content: &[&[u8]]) -> Vec<u8> {
    boxed(kind, &content.concat())
}

/// The head of a HEIF file with two images, the alpha and the primary one, which has these
/// dimensions, turned and mirrored so.
pub(crate) fn heif(
    brand: [u8; 4],
    width: u32,
    height: u32,
    turns: u8,
    mirror: Option<u8>,
) -> Vec<u8> {
    let mirrored = mirror.map(|axis| of_parts(*b"imir", &[&[axis]]));
    heif_with(brand, [width, height], turns, mirrored)
}

/// The head of a HEIF file of 64 × 64 pixels whose primary image is cut to fractions of pixels.
pub(crate) fn heif_with_aperture(width: [u32; 2], height: [u32; 2]) -> Vec<u8> {
    let fractions = [width, height, [0, 1], [0, 1]].concat();
    let content: Vec<u8> = fractions
        .iter()
        .flat_map(|number| number.to_be_bytes())
        .collect();
    heif_with(*b"heic", [64, 64], 0, Some(boxed(*b"clap", &content)))
}

/// The head of a HEIF file whose primary image has a further property.
fn heif_with(
    brand: [u8; 4],
    [width, height]: [u32; 2],
    turns: u8,
    further: Option<Vec<u8>>,
) -> Vec<u8> {
    let size = |width: u32, height: u32| {
        of_parts(
            *b"ispe",
            &[&[0; 4], &width.to_be_bytes(), &height.to_be_bytes()],
        )
    };
    let mut properties = vec![
        size(512, 512),
        size(width, height),
        of_parts(*b"irot", &[&[turns]]),
    ];
    let (further_index, alpha_index) = if further.is_some() { (4, 5) } else { (0, 4) };
    properties.extend(further);
    properties.push(of_parts(
        *b"auxC",
        &[&[0; 4], b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0"],
    ));

    let associations = of_parts(
        *b"ipma",
        &[
            &[0; 4],
            &2_u32.to_be_bytes(),
            &[0, 1, 2, 1, alpha_index, 0, 2, 3, 2, 0x83, further_index],
        ],
    );
    let properties = of_parts(
        *b"iprp",
        &[&of_parts(*b"ipco", &[&properties.concat()]), &associations],
    );
    let meta = of_parts(
        *b"meta",
        &[
            &[0; 4],
            &of_parts(*b"pitm", &[&[0; 4], &[0, 2]]),
            &of_parts(*b"iref", &[&[0; 4], &boxed(*b"auxl", &[0, 1, 0, 1, 0, 2])]),
            &properties,
        ],
    );

    [
        of_parts(*b"ftyp", &[&brand, &[0; 4], b"mif1", &brand]),
        meta,
        of_parts(*b"mdat", &[SECRET]),
    ]
    .concat()
}

/// The head of a bitmap.
pub(crate) fn bmp(width: i32, height: i32) -> Vec<u8> {
    let mut file = [&b"BM"[..], &[0; 12], &40_u32.to_le_bytes()].concat();
    file.extend([width.to_le_bytes(), height.to_le_bytes()].concat());
    file.resize(54, 0);
    file
}

/// A TIFF without pixels.
pub(crate) fn tiff(width: u16, height: u16, orientation: u8) -> Vec<u8> {
    let fields = [(256, width), (257, height), (274, orientation.into())];
    let fields = fields.map(|(tag, value)| (tag, Value::Short(vec![value])));
    let directory = BIG_ENDIAN.directory(8, &fields, &[]);
    [b"MM\0*\0\0\0\x08", &directory[..]].concat()
}

/// The head of an icon in two sizes.
pub(crate) fn ico() -> Vec<u8> {
    let mut file = vec![0, 0, 1, 0, 2, 0];
    file.extend([16, 16, 0, 0, 1, 0, 32, 0, 0, 0, 0, 0, 38, 0, 0, 0]);
    file.extend([0, 0, 0, 0, 1, 0, 32, 0, 0, 0, 0, 0, 38, 0, 0, 0]);
    // The height includes that of the mask.
    file.extend([40_u32, 256, 512].map(u32::to_le_bytes).concat());
    file
}
