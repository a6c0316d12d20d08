//! HEIC and AVIF files: images that another program has written, and files that are put together
//! from their pictures.

use domain::naming::ImageSize;

use super::media_files::boxed;

/// A file of `tests/heic`, written by libheif with x265.
macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!("../heic/", $name, ".heic"))
    };
}
pub(crate) use fixture;

/// A file of `tests/avif`, written by avifenc with libaom; `layers` and `hidden` are put together
/// from pictures of libaom.
macro_rules! avif_fixture {
    ($name:literal) => {
        include_bytes!(concat!("../avif/", $name, ".avif"))
    };
}
pub(crate) use avif_fixture;

/// An image of 96 × 64 pixels that is one picture.
pub(crate) const SINGLE: &[u8] = fixture!("half_chroma");
/// A photo as of a phone: 48 tiles, turned, in Display P3, with EXIF data and a position.
pub(crate) const PHONE: &[u8] = fixture!("phone");

/// Returns HEICs of each kind: chroma, depth, tiles, alpha, profile, and one that is put together.
pub(crate) fn valid() -> Vec<Vec<u8>> {
    let written: [&[u8]; 8] = [
        SINGLE,
        PHONE,
        fixture!("wide_chroma"),
        fixture!("twelve_bits"),
        fixture!("twelve_gray"),
        fixture!("odd"),
        fixture!("p3"),
        fixture!("premultiplied"),
    ];
    let tiles = [Item::picture(96, 64), Item::grid(2, 2, 180, 100)];
    let mut files = written.map(<[u8]>::to_vec).to_vec();
    files.push(heic(&tiles, 2));
    files
}

/// Returns AVIFs of each kind: chroma, depth, tiles, alpha, layers and hidden frames.
pub(crate) fn valid_avifs() -> Vec<Vec<u8>> {
    let written: [&[u8]; 8] = [
        avif_fixture!("half_chroma"),
        avif_fixture!("wide_chroma"),
        avif_fixture!("twelve_bits"),
        avif_fixture!("gray"),
        avif_fixture!("grid"),
        avif_fixture!("premultiplied"),
        avif_fixture!("layers"),
        avif_fixture!("hidden"),
    ];
    written.map(<[u8]>::to_vec).to_vec()
}

/// An item of a file. Its id is its position, counted from 1.
pub(crate) struct Item {
    pub(crate) kind: [u8; 4],
    pub(crate) data: Vec<u8>,
    pub(crate) size: ImageSize,
    /// Configuration and other properties, as boxes.
    pub(crate) properties: Vec<Vec<u8>>,
    /// Items that it refers to.
    pub(crate) references: Vec<([u8; 4], Vec<u16>)>,
}

impl Item {
    /// The picture of [`SINGLE`] with these dimensions in its header.
    pub(crate) fn picture(width: u32, height: u32) -> Item {
        let at = |name: &[u8]| SINGLE.windows(4).position(|found| found == name).unwrap();
        let configuration = at(b"hvcC");
        let length = &SINGLE[configuration - 4..configuration];
        let length = u32::from_be_bytes(length.try_into().unwrap()) as usize;
        Item {
            kind: *b"hvc1",
            data: SINGLE[at(b"mdat") + 4..].to_vec(),
            size: ImageSize::new(width, height),
            properties: vec![SINGLE[configuration - 4..][..length].to_vec()],
            references: Vec::new(),
        }
    }

    /// The picture of the AVIF `half_chroma`, of 96 × 64 pixels, with these dimensions in its
    /// header.
    pub(crate) fn av1(width: u32, height: u32) -> Item {
        Item::av1_of(avif_fixture!("half_chroma"), width, height)
    }

    /// The picture of an AVIF, with these dimensions in its header and without its properties.
    pub(crate) fn av1_of(file: &[u8], width: u32, height: u32) -> Item {
        let data = file.windows(4).position(|found| found == b"mdat").unwrap() + 4;
        Item {
            kind: *b"av01",
            data: file[data..].to_vec(),
            size: ImageSize::new(width, height),
            properties: Vec::new(),
            references: Vec::new(),
        }
    }

    /// A grid of tiles that are all item 1.
    pub(crate) fn grid(rows: u16, columns: u16, width: u16, height: u16) -> Item {
        let [rows_less, columns_less] = [rows - 1, columns - 1].map(|count| count.to_be_bytes()[1]);
        let sides = [width, height].map(u16::to_be_bytes).concat();
        Item {
            kind: *b"grid",
            data: [&[0, 0, rows_less, columns_less][..], &sides].concat(),
            size: ImageSize::new(width.into(), height.into()),
            properties: Vec::new(),
            references: vec![(*b"dimg", vec![1; usize::from(rows * columns)])],
        }
    }

    /// Returns the item as the alpha of item 1.
    pub(crate) fn into_alpha(mut self) -> Item {
        let name = b"\0\0\0\0urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0";
        self.properties.push(boxed(*b"auxC", name));
        self.references.push((*b"auxl", vec![1]));
        self
    }
}

/// Puts a HEIC together.
pub(crate) fn heic(items: &[Item], primary: u16) -> Vec<u8> {
    heif(items, primary, b"heic\0\0\0\0mif1heic")
}

/// Puts a file of these brands together.
pub(crate) fn heif(items: &[Item], primary: u16, brands: &[u8]) -> Vec<u8> {
    let number = |number: usize| u32::try_from(number).unwrap().to_be_bytes();
    let id = |index: usize| u16::try_from(index + 1).unwrap().to_be_bytes();
    let count = id(items.len() - 1);
    let mut properties = Vec::new();
    let mut property_count = 0;
    let mut associations = [&[0, 0, 0, 1][..], &number(items.len())].concat();
    let mut entries = [&[0; 4][..], &count].concat();
    let mut references = vec![0; 4];

    for (index, item) in items.iter().enumerate() {
        let sides = [
            [0; 4],
            item.size.width.to_be_bytes(),
            item.size.height.to_be_bytes(),
        ];
        properties.extend(boxed(*b"ispe", &sides.concat()));
        properties.extend(item.properties.concat());
        associations.extend(id(index));
        associations.push(u8::try_from(item.properties.len() + 1).unwrap());
        for _ in 0..=item.properties.len() {
            property_count += 1;
            associations.extend(id(property_count - 1));
        }
        let entry = [&[2, 0, 0, 0][..], &id(index), &[0; 2], &item.kind, &[0]].concat();
        entries.extend(boxed(*b"infe", &entry));
        for (kind, targets) in &item.references {
            let length = u16::try_from(targets.len()).unwrap().to_be_bytes();
            let targets: Vec<u8> = targets.iter().flat_map(|id| id.to_be_bytes()).collect();
            references.extend(boxed(*kind, &[&id(index)[..], &length, &targets].concat()));
        }
    }

    let properties = [boxed(*b"ipco", &properties), boxed(*b"ipma", &associations)].concat();
    let meta = |start: usize| {
        let mut locations = [&[0, 0, 0, 0, 0x44, 0][..], &count].concat();
        let mut at = start;
        for (index, item) in items.iter().enumerate() {
            locations.extend([&id(index)[..], &[0, 0, 0, 1]].concat());
            locations.extend([number(at), number(item.data.len())].concat());
            at += item.data.len();
        }
        let boxes = [
            vec![0; 4],
            boxed(*b"pitm", &[&[0; 4][..], &primary.to_be_bytes()].concat()),
            boxed(*b"iloc", &locations),
            boxed(*b"iinf", &entries),
            boxed(*b"iref", &references),
            boxed(*b"iprp", &properties),
        ];
        boxed(*b"meta", &boxes.concat())
    };
    let brands = boxed(*b"ftyp", brands);
    let start = brands.len() + meta(0).len() + 8;
    let data: Vec<u8> = items.iter().flat_map(|item| item.data.clone()).collect();
    [brands, meta(start), boxed(*b"mdat", &data)].concat()
}
