//! Formats of files: their names, and how they are recognized by their first bytes.
//! `docs/formats.md` describes both.
//!
//! - [`FORMATS`] is the only table of MIME types and extensions.
//! - [`recognize()`] is the only recognizer of bytes.
//!
//! Invariants:
//! - Every format has a MIME type and an extension that files are stored with.
//! - No input causes a panic. The time is linear in the number of bytes.

mod heif;
mod iso_media;
mod mpeg_audio;
mod recognize;
mod table;
mod text;
mod zip;

pub use mpeg_audio::{AacFrame, MpegFrame, id3_length};
pub use recognize::{HEAD_BYTES, Recognized, recognize};
pub use table::FORMATS;
pub use text::{is_svg, is_text};

use domain::files::{MediaType, ResourceType};

/// A format of files.
#[derive(Debug)]
pub struct FileFormat {
    pub resource_type: ResourceType,
    /// Names of its MIME type in lower case, separated by spaces. Files are stored with the first
    /// one.
    mime_types: &'static str,
    /// Extensions in lower case, separated by spaces. Files are stored under the first one.
    extensions: &'static str,
    evidence: Evidence,
}

/// What shows that a file has a format.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Evidence {
    /// Its first bytes.
    Signature(fn(&[u8]) -> bool),
    /// The container that its bytes name, in which several formats may look alike.
    Within(Container),
    /// Its bytes are text, and it is declared or named so.
    Text,
    /// Unknown here: the format has no signature, or none that is checked.
    Declaration,
}

/// A container of several formats, whose bytes alone do not distinguish them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Container {
    /// ISO base media file format, and `QuickTime`.
    IsoMedia,
    /// Matroska and `WebM`.
    Matroska,
    Ogg,
    /// Advanced Systems Format, of Windows Media.
    Asf,
    /// TIFF, and raw photos in it.
    Tiff,
    /// OLE compound file, of older Office programs.
    Ole,
    /// ZIP archive without names that are known.
    Zip,
    /// ZIP archive with a text document, a spreadsheet or a presentation of Office.
    Word,
    Sheet,
    Slides,
}

impl Container {
    /// Whether audio and video share the container.
    fn has_media(self) -> bool {
        matches!(
            self,
            Container::IsoMedia | Container::Matroska | Container::Ogg | Container::Asf
        )
    }

    /// Whether the container is a ZIP archive.
    fn is_zip(self) -> bool {
        use Container::{Sheet, Slides, Word, Zip};
        matches!(self, Zip | Word | Sheet | Slides)
    }

    /// Whether a file in this container may have a format of the other one. In a ZIP archive
    /// without known names, it may be any of a ZIP archive.
    fn may_be(self, other: Container) -> bool {
        self == other || (self == Container::Zip && other.is_zip())
    }
}

impl FileFormat {
    /// Returns the MIME type that files are stored with.
    pub fn mime_type(&self) -> &'static str {
        first(self.mime_types)
    }

    /// Returns the extension that files are stored under.
    pub fn extension(&self) -> &'static str {
        first(self.extensions)
    }

    /// Returns the type that files are stored with.
    pub fn media_type(&self) -> MediaType {
        MediaType {
            mime_type: self.mime_type().to_owned(),
            extension: self.extension().to_owned(),
            resource_type: self.resource_type,
        }
    }

    /// Returns all MIME types and extensions.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let extensions = self.extensions.split(' ');
        self.mime_types.split(' ').chain(extensions)
    }

    /// Whether the format has a MIME type or extension.
    pub fn is_named(&self, name: &str) -> bool {
        self.names().any(|known| known == name)
    }

    /// Whether files are native executables.
    pub fn is_native_executable(&self) -> bool {
        ["exe", "elf", "mach"].contains(&self.extension())
    }

    /// Whether the bytes of files are text.
    pub fn is_text(&self) -> bool {
        matches!(self.evidence, Evidence::Text)
    }

    /// Whether files have a signature that [`recognize()`] finds.
    pub fn is_recognizable(&self) -> bool {
        matches!(self.evidence, Evidence::Signature(_) | Evidence::Within(_))
    }

    fn container(&self) -> Option<Container> {
        match self.evidence {
            Evidence::Within(container) => Some(container),
            _ => None,
        }
    }

    fn has_extension(&self, extension: &str) -> bool {
        self.extensions.split(' ').any(|known| known == extension)
    }

    fn has_mime_type(&self, mime_type: &str) -> bool {
        self.mime_types.split(' ').any(|known| known == mime_type)
    }

    /// Returns the format that a recognized file is stored as: within a container, the one that is
    /// declared, else the one of the declared family, audio or video, else the one of the
    /// extension, else the recognized one.
    ///
    /// `declared` is a MIME type, and `extension` that of the client's name, both in lower case.
    pub fn within_container(
        &'static self,
        declared: Option<&str>,
        extension: Option<&str>,
    ) -> &'static FileFormat {
        let Some(container) = self.container() else {
            return self;
        };
        let members = || {
            let within =
                |format: &&FileFormat| format.container().is_some_and(|of| container.may_be(of));
            FORMATS.iter().filter(within)
        };

        let named = declared.and_then(|name| members().find(|format| format.has_mime_type(name)));
        let of_family = || {
            let declared = declared.filter(|_| container.has_media())?;
            if by_mime_type(declared).is_some_and(has_own_container) {
                return None;
            }
            let (family, _) = canonical(declared).split_once('/')?;
            if !["audio", "video"].contains(&family) {
                return None;
            }
            self.sibling(family).or_else(|| {
                members().find(|format| {
                    format
                        .mime_type()
                        .split_once('/')
                        .is_some_and(|(of, _)| of == family)
                })
            })
        };
        let by_extension = || {
            let extension = extension?;
            members().find(|format| format.has_extension(extension))
        };
        named
            .or_else(of_family)
            .or_else(by_extension)
            .unwrap_or(self)
    }

    /// Whether a file that is declared as this format may be another one of the same kind of
    /// container, by its extension.
    pub fn may_be_named(&self, extension: &str) -> bool {
        let is_zip = self.container().is_some_and(Container::is_zip);
        FORMATS.iter().any(|format| {
            let is_in_zip = format.container().is_some_and(Container::is_zip);
            is_zip && is_in_zip && format.has_extension(extension) && !std::ptr::eq(format, self)
        })
    }

    /// Returns the format of another family with the same name: `audio/webm` of `video/webm`.
    fn sibling(&self, family: &str) -> Option<&'static FileFormat> {
        let (_, name) = self.mime_type().split_once('/')?;
        by_mime_type(&format!("{family}/{name}"))
    }

    /// Returns whether a file that was recognized as this format cannot be of the declared MIME
    /// type, because their resource types or containers differ.
    pub fn contradicts(&self, declared: &str) -> bool {
        let known = by_mime_type(declared);
        let container = self.container();
        if container.is_some_and(Container::has_media) && known.is_some_and(has_own_container) {
            return true;
        }

        // Documents of Office are declared for either container, and as the archives that they are.
        let is_document = |container: Container| container.is_zip() || container == Container::Ole;
        let is_declared_document = known
            .and_then(FileFormat::container)
            .is_some_and(is_document);
        if container.is_some_and(is_document) && is_declared_document {
            return false;
        }
        let resource_type = resource_type(declared);
        resource_type != ResourceType::Other && resource_type != self.resource_type
    }
}

/// Whether an audio or video format always has its own container. The names of others, such as
/// `audio/aac`, may be those of the codec in any container.
fn has_own_container(format: &FileFormat) -> bool {
    ["wav", "aiff", "mid", "avi", "flv"].contains(&format.extension())
}

fn first(names: &'static str) -> &'static str {
    names.split(' ').next().unwrap_or(names)
}

/// Returns the format with a MIME type in lower case.
pub fn by_mime_type(mime_type: &str) -> Option<&'static FileFormat> {
    FORMATS
        .iter()
        .find(|format| format.has_mime_type(mime_type))
}

/// Returns whether files of a MIME type are raw photos in TIFF.
pub fn is_raw_photo(mime_type: &str) -> bool {
    let format = by_mime_type(mime_type);
    format.is_some_and(|format| {
        format.container() == Some(Container::Tiff) && format.extension() != "tiff"
    })
}

/// Returns the format of text with an extension in lower case.
pub fn textual(extension: &str) -> Option<&'static FileFormat> {
    let mut formats = FORMATS.iter();
    formats.find(|format| format.is_text() && format.has_extension(extension))
}

/// Returns whether a name in lower case is the MIME type or extension of a format.
pub fn is_name(name: &str) -> bool {
    FORMATS.iter().any(|format| format.is_named(name))
}

/// Returns the name that a MIME type is stored with.
pub fn canonical(mime_type: &str) -> &str {
    match by_mime_type(mime_type) {
        Some(format) => format.mime_type(),
        None => mime_type,
    }
}

/// Returns the resource type of files of a MIME type, also of an unknown one.
pub fn resource_type(mime_type: &str) -> ResourceType {
    if let Some(format) = by_mime_type(mime_type) {
        return format.resource_type;
    }
    match mime_type.split_once('/') {
        Some(("image", _)) => ResourceType::Image,
        Some(("video", _)) => ResourceType::Video,
        Some(("audio", _)) => ResourceType::Audio,
        Some(("text", _)) => ResourceType::Text,
        _ => ResourceType::Other,
    }
}

#[cfg(test)]
mod tests;
