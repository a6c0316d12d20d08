//! Detection of image formats by their first bytes.

use domain::{MediaType, ResourceType};

/// Image formats that can be probed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    Jpeg,
    /// PNG, animated or not.
    Png,
    Gif,
    WebP,
    Avif,
    /// HEIF with HEVC, as written by phones.
    Heic,
    Bmp,
    Tiff,
    Ico,
}

/// Major and compatible brands of AVIF files.
const AVIF_BRANDS: [&[u8]; 2] = [b"avif", b"avis"];
/// Brands of HEIF files with HEVC images or unspecified codec.
const HEIC_BRANDS: [&[u8]; 9] = [
    b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", b"mif1",
];
/// Maximum number of bytes of the `ftyp` box that are searched for brands.
const BRANDS_BYTES: usize = 256;

impl Format {
    /// Detects the format from the first bytes of a file: 12 bytes for most formats, up to 256 for
    /// the brands of AVIF.
    pub fn detect(head: &[u8]) -> Option<Format> {
        match head {
            [0xFF, 0xD8, 0xFF, ..] => Some(Format::Jpeg),
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n', ..] => Some(Format::Png),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Format::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, rest @ ..] if rest.starts_with(b"WEBP") => {
                Some(Format::WebP)
            }
            [_, _, _, _, b'f', b't', b'y', b'p', ..] => by_brands(head),
            // The two bytes alone are ambiguous, so the reserved zero bytes are checked too.
            [b'B', b'M', _, _, _, _, 0, 0, 0, 0, ..] => Some(Format::Bmp),
            [b'I', b'I', 42, 0, ..] | [b'M', b'M', 0, 42, ..] => Some(Format::Tiff),
            [0, 0, 1, 0, ..] => Some(Format::Ico),
            _ => None,
        }
    }

    /// Whether files can be decoded and their metadata removed.
    pub fn is_decodable(self) -> bool {
        matches!(
            self,
            Format::Jpeg | Format::Png | Format::Gif | Format::WebP
        )
    }

    /// Whether files can be rendered.
    pub fn is_renderable(self) -> bool {
        !matches!(self, Format::Avif | Format::Heic)
    }

    /// Returns the name of the format in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Format::Jpeg => "jpeg",
            Format::Png => "png",
            Format::Gif => "gif",
            Format::WebP => "webp",
            Format::Avif => "avif",
            Format::Heic => "heic",
            Format::Bmp => "bmp",
            Format::Tiff => "tiff",
            Format::Ico => "ico",
        }
    }

    /// Returns the media type of stored files.
    pub fn media_type(self) -> MediaType {
        let name = self.name();
        MediaType {
            mime_type: match self {
                Format::Ico => "image/vnd.microsoft.icon".to_owned(),
                _ => format!("image/{name}"),
            },
            extension: if self == Format::Jpeg { "jpg" } else { name }.to_owned(),
            resource_type: ResourceType::Image,
        }
    }
}

/// Detects AVIF before HEIC, since AVIF files also contain the brand `mif1`.
fn by_brands(head: &[u8]) -> Option<Format> {
    let length = u32::from_be_bytes(*head.first_chunk()?);
    let end = usize::try_from(length)
        .ok()?
        .min(BRANDS_BYTES)
        .min(head.len());
    let major = head.get(8..12)?;
    let compatible = head.get(16..end).unwrap_or_default().chunks_exact(4);
    let brands = || std::iter::once(major).chain(compatible.clone());
    if brands().any(|brand| AVIF_BRANDS.contains(&brand)) {
        Some(Format::Avif)
    } else if brands().any(|brand| HEIC_BRANDS.contains(&brand)) {
        Some(Format::Heic)
    } else {
        None
    }
}
