//! What holds for every file, however it comes in: its size, its name, and whether its bytes are what they are said to be.

use domain::{
    Extension, MediaType, OriginalName, Principal, ValidationRules, Violation, demand_harmless_name, is_executable,
};
use mime::Mime;

use crate::{refusal, rules, sniff, types};

/// What a file is judged by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judging<'a> {
    /// What the client calls it.
    pub(crate) original_name: &'a OriginalName,
    /// What the client says it is.
    pub(crate) declared: Option<&'a Mime>,
    /// Bytes.
    pub(crate) size: u64,
    /// The first of them, up to 8 KiB.
    pub(crate) head: &'a [u8],
    /// Who uploads it.
    pub(crate) uploaded_by: Principal,
}

impl Judging<'_> {
    /// The stored type of a file that is right by what holds everywhere, and by what its config asks.
    pub(crate) fn media_type(&self, rules: &ValidationRules) -> Result<MediaType, Violation> {
        demand_size(self.size, rules)?;
        demand_harmless_name(self.original_name, rules)?;
        refusal::by_bytes(self.head, rules)?;
        let media_type = sniff::media_type(self.head, self.declared, self.original_name, rules)?;
        let media_type = sniff::without_scripts(media_type, self.uploaded_by);
        rules::demand_allowed_format(&media_type, rules)?;
        Ok(media_type)
    }
}

/// A file that is announced: all that is known of it is the client's word.
#[derive(Clone, Copy, Debug)]
pub struct Promise<'a> {
    /// What the client calls it.
    pub original_name: &'a OriginalName,
    /// What the client says it is.
    pub declared: &'a Mime,
    /// Bytes.
    pub size: u64,
    /// Who announces it.
    pub uploaded_by: Principal,
}

impl Promise<'_> {
    /// What is wrong with its size, whatever the bytes will be.
    pub fn demand_size(&self, rules: &ValidationRules) -> Result<(), Violation> {
        demand_size(self.size, rules)
    }

    /// What is wrong with its name, whatever the bytes will be.
    pub fn demand_name(&self, rules: &ValidationRules) -> Result<(), Violation> {
        demand_harmless_name(self.original_name, rules)
    }

    /// Refuses a declared type whose files are stored under an extension that the rules do not allow. Types that do not tell
    /// the extension pass: the bytes will.
    pub fn demand_format(&self, rules: &ValidationRules) -> Result<(), Violation> {
        let parts = self.original_name.parts();
        let is_allowed_program = parts[1..].last().is_some_and(|last| is_executable(last) && rules.allows(last));
        let mime_type = types::renamed(self.declared.essence_str());
        let known = types::stored_extension(mime_type).filter(|_| !is_allowed_program);

        let Some(extension) = known else { return Ok(()) };
        let media_type = MediaType {
            mime_type: mime_type.to_owned(),
            extension: extension.to_owned(),
            resource_type: types::resource_type(mime_type),
        };
        rules::demand_allowed_format(&sniff::without_scripts(media_type, self.uploaded_by), rules)
    }

    /// The type that it is shown as until its bytes tell.
    pub fn media_type(&self) -> MediaType {
        let mime_type = types::renamed(self.declared.essence_str());
        let parts = self.original_name.parts();
        let extension = parts[1..].last().and_then(|last| Extension::parse(last).ok());
        let media_type = MediaType {
            mime_type: mime_type.to_owned(),
            extension: extension.map_or_else(|| sniff::UNKNOWN_EXTENSION.to_owned(), |last| last.as_str().to_owned()),
            resource_type: types::resource_type(mime_type),
        };
        sniff::without_scripts(media_type, self.uploaded_by)
    }
}

/// Refuses a file of another MIME type than the expected one; where its bytes tell nothing, what it is declared to be counts.
pub(crate) fn demand_type(expected: &Mime, media_type: &MediaType, declared: Option<&Mime>) -> Result<(), Violation> {
    let is_declared = declared.is_some_and(|declared| declared.essence_str() == expected.essence_str());
    let expected_type = types::renamed(expected.essence_str());
    let is_of = expected_type == media_type.mime_type;
    let is_replaced = types::is_javascript(expected_type) && sniff::is_plain_text(media_type);
    if is_of || (is_declared && (is_replaced || sniff::is_unknown(media_type))) {
        return Ok(());
    }
    Err(Violation::NotOfType(expected.to_string()))
}

fn demand_size(size: u64, rules: &ValidationRules) -> Result<(), Violation> {
    if size == 0 {
        return Err(Violation::Must("must not be empty"));
    }
    match rules.max_file_size.filter(|most| size > *most) {
        Some(most) => Err(Violation::TooManyBytes(most)),
        None => Ok(()),
    }
}
