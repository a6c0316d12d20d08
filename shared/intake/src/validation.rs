//! Validates the size, name, type and format of a file. The same rules hold for every upload route.
//!
//! Invariants:
//! - Where the bytes show a format, the stored type is one that such bytes can have.
//! - Executables are rejected by their name, and native ones by their bytes, unless the rules name
//!   an executable format.

use domain::{
    errors::FieldError,
    files::{EXECUTABLE_FILE, MediaType, is_executable, reject_executable_name},
    keys::Principal,
    naming::OriginalName,
    uploads::{FormatName, ValidationRules},
};
use formats::Recognized;
use mime::Mime;

use crate::sniff;

/// The facts about a file that the rules are applied to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileFacts<'a> {
    /// The client's name of the file.
    pub(crate) original_name: &'a OriginalName,
    /// The MIME type that the client declares.
    pub(crate) declared: Option<&'a Mime>,
    pub(crate) size: u64,
    /// The first bytes, up to [`formats::HEAD_BYTES`].
    pub(crate) head: &'a [u8],
    pub(crate) uploaded_by: Principal,
    /// The only type that the grant allows, if it names one.
    pub(crate) expected: Option<&'a Mime>,
}

impl FileFacts<'_> {
    /// Returns the stored type of a file that complies with all rules except those for the
    /// dimensions of images.
    pub(crate) fn validate(&self, rules: &ValidationRules) -> Result<MediaType, FieldError> {
        require_size(self.size, rules)?;
        reject_executable_name(self.original_name, rules)?;
        reject_native_executable(self.head, rules)?;

        // A type that is signed and declared counts more than the name.
        let canonical = |mime: &Mime| formats::canonical(mime.essence_str()).to_owned();
        let declared = self.declared.map(canonical);
        let is_signed_type = declared.is_some() && declared == self.expected.map(canonical);
        let name = Some(self.original_name).filter(|_| !is_signed_type);
        let media_type = sniff::stored_type(self.head, self.declared, name, rules)?;
        let media_type = sniff::without_scripts(media_type, self.uploaded_by);
        require_allowed_format(&media_type, rules)?;
        if let Some(expected) = self.expected {
            require_type(expected, &media_type, self.declared)?;
        }
        Ok(media_type)
    }
}

/// Fails if a file is empty or larger than the rules allow.
pub(crate) fn require_size(size: u64, rules: &ValidationRules) -> Result<(), FieldError> {
    if size == 0 {
        return Err(FieldError::Custom("must not be empty"));
    }
    match rules.max_file_size.filter(|max| size > *max) {
        Some(max) => Err(FieldError::TooManyBytes(max)),
        None => Ok(()),
    }
}

/// Fails if no allowed name is one of the stored type's format.
pub(crate) fn require_allowed_format(
    media_type: &MediaType,
    rules: &ValidationRules,
) -> Result<(), FieldError> {
    let Some(allowed) = &rules.allowed_formats else {
        return Ok(());
    };
    if names(media_type, rules) {
        return Ok(());
    }
    let names: Vec<&str> = allowed.iter().map(FormatName::as_str).collect();
    Err(FieldError::WrongFileType(names.join(", ")))
}

/// Fails if bytes of this type cannot replace those of a file with this extension, which its URL
/// keeps.
pub(crate) fn require_extension(
    media_type: &MediaType,
    extension: Option<&str>,
) -> Result<(), FieldError> {
    match extension.filter(|extension| *extension != media_type.extension) {
        Some(extension) => Err(FieldError::WrongFileType(extension.to_owned())),
        None => Ok(()),
    }
}

/// Whether the rules name the format of a stored type.
pub(crate) fn names(media_type: &MediaType, rules: &ValidationRules) -> bool {
    let format = formats::by_mime_type(&media_type.mime_type);
    rules.allowed_formats.iter().flatten().any(|allowed| {
        let name = allowed.as_str();
        name == media_type.extension || format.is_some_and(|format| format.is_named(name))
    })
}

/// Fails if a file is not of the expected MIME type. The declared type counts if the bytes do not
/// determine one, or if a script is stored as plain text.
fn require_type(
    expected: &Mime,
    media_type: &MediaType,
    declared: Option<&Mime>,
) -> Result<(), FieldError> {
    let expected_type = formats::canonical(expected.essence_str());
    let is_declared = declared
        .is_some_and(|declared| formats::canonical(declared.essence_str()) == expected_type);
    let is_neutralized = sniff::is_neutralized_script(expected_type, media_type);
    let counts_declared = is_neutralized || sniff::is_unknown(media_type);

    if expected_type == media_type.mime_type || (is_declared && counts_declared) {
        Ok(())
    } else {
        Err(FieldError::WrongFileType(expected.to_string()))
    }
}

/// Fails for native executables: ELF, Mach-O, and those of Windows and DOS. A config that allows
/// any executable extension allows them all.
fn reject_native_executable(head: &[u8], rules: &ValidationRules) -> Result<(), FieldError> {
    let Recognized::Format(format) = formats::recognize(head) else {
        return Ok(());
    };
    let is_allowed = rules
        .allowed_formats
        .iter()
        .flatten()
        .any(|allowed| is_executable(allowed.as_str()) || format.is_named(allowed.as_str()));
    if format.is_native_executable() && !is_allowed {
        Err(EXECUTABLE_FILE)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn native_executables_are_detected_by_their_bytes() {
        let mut windows = vec![0; 256];
        windows[..2].copy_from_slice(b"MZ");
        windows[0x3C] = 0x80;
        windows[0x80..0x84].copy_from_slice(b"PE\0\0");
        let mut dos = windows.clone();
        dos[0x80..0x84].fill(0);
        let elf = [&b"\x7fELF\x02\x01\x01\0"[..], &[0; 60]].concat();
        let truncated = b"MZ\x90\0";
        let text = b"MZ is how this sentence begins.";

        let validate = |head: &[u8]| reject_native_executable(head, &ValidationRules::default());

        for executable in [&windows[..], &dos, &elf, truncated] {
            assert_eq!(validate(executable), Err(EXECUTABLE_FILE));
        }
        assert_eq!(validate(text), Ok(()));
    }
}
