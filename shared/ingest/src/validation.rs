//! Rules that hold for every file, however it comes in: its size, its name, its type and its
//! format.

use domain::{
    EXECUTABLE, Extension, FieldError, MediaType, OriginalName, Principal, ValidationRules,
    is_executable, require_harmless_name,
};
use mime::Mime;

use crate::{media_types, sniff, text::is_text};

/// What the type of a file is detected from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evidence<'a> {
    /// The client's name of the file.
    pub(crate) original_name: &'a OriginalName,
    /// The MIME type that the client declares.
    pub(crate) declared: Option<&'a Mime>,
    /// Size in bytes.
    pub(crate) size: u64,
    /// The first bytes, up to 8 KiB.
    pub(crate) head: &'a [u8],
    /// The uploader.
    pub(crate) uploaded_by: Principal,
    /// The only type that the uploader may send, if there is one.
    pub(crate) expected: Option<&'a Mime>,
}

impl Evidence<'_> {
    /// Returns the stored type of a file that complies with all rules but those for the dimensions
    /// of images.
    pub(crate) fn media_type(&self, rules: &ValidationRules) -> Result<MediaType, FieldError> {
        require_size(self.size, rules)?;
        require_harmless_name(self.original_name, rules)?;
        require_no_program(self.head, rules)?;

        let media_type = sniff::media_type(self.head, self.declared, self.original_name, rules)?;
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
        return Err(FieldError::Must("must not be empty"));
    }
    match rules.max_file_size.filter(|max| size > *max) {
        Some(max) => Err(FieldError::TooManyBytes(max)),
        None => Ok(()),
    }
}

/// Fails if the extension of a stored type is not allowed.
pub(crate) fn require_allowed_format(
    media_type: &MediaType,
    rules: &ValidationRules,
) -> Result<(), FieldError> {
    let Some(allowed) = &rules.allowed_formats else {
        return Ok(());
    };
    if allowed
        .iter()
        .any(|extension| extension.as_str() == media_type.extension)
    {
        return Ok(());
    }

    let names: Vec<&str> = allowed.iter().map(Extension::as_str).collect();
    Err(FieldError::NotOfType(names.join(", ")))
}

/// Fails if a file is not of the expected MIME type. If the bytes do not tell the type, the
/// declared one counts.
fn require_type(
    expected: &Mime,
    media_type: &MediaType,
    declared: Option<&Mime>,
) -> Result<(), FieldError> {
    let is_declared =
        declared.is_some_and(|declared| declared.essence_str() == expected.essence_str());
    let expected_type = media_types::renamed(expected.essence_str());
    let is_replaced = media_types::is_javascript(expected_type) && sniff::is_plain_text(media_type);

    if expected_type == media_type.mime_type
        || (is_declared && (is_replaced || sniff::is_unknown(media_type)))
    {
        return Ok(());
    }
    Err(FieldError::NotOfType(expected.to_string()))
}

/// Fails for native executables: ELF, Mach-O, and all that Windows and DOS run, which begin with
/// `MZ` as texts may. A config that allows any executable by name allows them.
fn require_no_program(head: &[u8], rules: &ValidationRules) -> Result<(), FieldError> {
    let is_native = infer::app::is_elf(head)
        || infer::app::is_mach(head)
        || (head.starts_with(b"MZ") && !is_text(head));
    let is_allowed = rules
        .allowed_formats
        .iter()
        .flatten()
        .any(|allowed| is_executable(allowed.as_str()));
    if is_native && !is_allowed {
        Err(EXECUTABLE)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn native_executables_are_detected_by_their_bytes() {
        let validate = |head: &[u8]| require_no_program(head, &ValidationRules::default());
        let mut windows = vec![0; 256];
        windows[..2].copy_from_slice(b"MZ");
        windows[0x3C] = 0x80;
        assert!(validate(&windows).is_err(), "as DOS has it");
        windows[0x80..0x84].copy_from_slice(b"PE\0\0");
        assert!(validate(&windows).is_err());
        assert!(validate(b"MZ\x90\0").is_err(), "cut short");
        assert!(validate(&[&b"\x7fELF\x02\x01\x01\0"[..], &[0; 60]].concat()).is_err());
        assert!(validate(b"MZ is how this sentence begins.").is_ok());
    }
}
