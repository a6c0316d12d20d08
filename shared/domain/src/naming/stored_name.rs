//! Names that files are stored under.

use deunicode::deunicode_with_tofu;

use crate::{Env, FileId, MediaType, OriginalName, ResourceType, StorageRules};

/// Maximum number of characters that a stored name takes from the original one.
const SLUG_CHARACTERS: usize = 100;
/// Number of random characters of a unique name.
const UNIQUE_CHARACTERS: usize = 6;
/// Alphabet of the random characters.
const UNIQUE_ALPHABET: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";

/// Returns the stored name of a file: generated from its id, or derived from the original name, as
/// the rules say.
pub(crate) fn stored_name(
    rules: &StorageRules,
    id: FileId,
    media_type: &MediaType,
    original: &OriginalName,
    env: &Env,
) -> String {
    let slug = slug(original.stem());
    if rules.generate_filename || slug.is_empty() {
        return generated_name(id, media_type);
    }

    if rules.unique_filename {
        return format!(
            "{slug}-{}.{}",
            env.random_text(UNIQUE_ALPHABET, UNIQUE_CHARACTERS),
            media_type.extension
        );
    }
    format!("{slug}.{}", media_type.extension)
}

fn generated_name(id: FileId, media_type: &MediaType) -> String {
    format!(
        "{}-{id}.{}",
        prefix(media_type.resource_type),
        media_type.extension
    )
}

/// Returns what generated names of files of a type begin with.
fn prefix(resource_type: ResourceType) -> &'static str {
    match resource_type {
        ResourceType::Image => "image",
        ResourceType::Video => "video",
        ResourceType::Audio => "audio",
        ResourceType::Document => "doc",
        ResourceType::Text | ResourceType::Archive | ResourceType::Other => "file",
    }
}

/// Returns a text in lower-case letters, digits, underscores and single hyphens of ASCII. Other
/// scripts are transliterated; what cannot be is left out.
pub(crate) fn slug(text: &str) -> String {
    let mut slug = String::new();
    for character in deunicode_with_tofu(text, " ").chars() {
        if character.is_ascii_alphanumeric() || character == '_' {
            slug.push(character.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(SLUG_CHARACTERS);
    slug.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_holds_what_no_encoding_changes() {
        for (text, expected) in [
            ("Summer Holiday (2)", "summer-holiday-2"),
            ("Ünï", "uni"),
            ("été", "ete"),
            ("Straße", "strasse"),
            ("Москва 2026", "moskva-2026"),
            ("__init__", "__init__"),
            ("..--..", ""),
            ("日本", "ri-ben"),
            ("\u{E000}\u{10FFFD}", ""),
            (&"a".repeat(300), &"a".repeat(100)),
        ] {
            assert_eq!(slug(text), expected, "{text}");
        }
    }

    #[test]
    fn generated_names_tell_the_kind_and_never_meet() {
        let id = "01JCQZ4XK8V9W7Y6T5S4R3Q2P1".parse().expect("a ULID");
        let name = |resource_type, extension: &str| {
            generated_name(
                id,
                &MediaType {
                    mime_type: String::new(),
                    extension: extension.to_owned(),
                    resource_type,
                },
            )
        };
        assert_eq!(
            name(ResourceType::Image, "jpg"),
            "image-01JCQZ4XK8V9W7Y6T5S4R3Q2P1.jpg"
        );
        assert_eq!(
            name(ResourceType::Document, "pdf"),
            "doc-01JCQZ4XK8V9W7Y6T5S4R3Q2P1.pdf"
        );
        assert_eq!(
            name(ResourceType::Other, "bin"),
            "file-01JCQZ4XK8V9W7Y6T5S4R3Q2P1.bin"
        );
    }
}
