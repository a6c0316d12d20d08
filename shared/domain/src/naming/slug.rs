//! Slugs: texts in storage paths.

use deunicode::deunicode_with_tofu;

/// Maximum number of characters of a slug.
const SLUG_CHARACTERS: usize = 100;

/// Returns a text in lower-case ASCII letters, digits, underscores and single hyphens. Other
/// scripts are transliterated; characters without a transliteration are removed.
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
    fn slug_needs_no_url_encoding() {
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
}
