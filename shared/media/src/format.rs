//! Detection of image formats by their first bytes.

use domain::files::{Decoders, MediaType};
use formats::Recognized;

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

impl Format {
    /// Detects the format from the first bytes of a file: 12 bytes are enough for most formats, 256
    /// for the brands of AVIF and HEIC. Files with brands of neither are HEIC until the bytes
    /// contain their headers.
    pub fn detect(head: &[u8]) -> Option<Format> {
        let Recognized::Format(recognized) = formats::recognize(head) else {
            return None;
        };

        match recognized.extension() {
            "jpg" => Some(Format::Jpeg),
            "png" => Some(Format::Png),
            "gif" => Some(Format::Gif),
            "webp" => Some(Format::WebP),
            "avif" => Some(Format::Avif),
            "heic" => Some(Format::Heic),
            "bmp" => Some(Format::Bmp),
            "tiff" => Some(Format::Tiff),
            "ico" => Some(Format::Ico),
            _ => None,
        }
    }

    /// Whether a deployment with these decoders may decode images of the format.
    pub fn is_permitted_by(self, decoders: Decoders) -> bool {
        decoders.heic || self != Format::Heic
    }

    /// Whether uploads can be decoded.
    pub fn is_decodable(self) -> bool {
        matches!(self, Format::Heic | Format::Avif) || self.has_removable_metadata()
    }

    /// Whether metadata can be removed from files without decoding them.
    pub fn has_removable_metadata(self) -> bool {
        matches!(
            self,
            Format::Jpeg | Format::Png | Format::Gif | Format::WebP
        )
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
        let known = match self {
            Format::Ico => "image/x-icon".to_owned(),
            _ => format!("image/{}", self.name()),
        };
        let format = formats::by_mime_type(&known);
        format.expect("the table has all formats").media_type()
    }
}
