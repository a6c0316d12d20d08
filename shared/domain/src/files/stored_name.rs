//! Stored names of files: the last segment of a delivery URL.

use crate::naming::slug;
use crate::{
    env::Env,
    files::{MediaType, ResourceType},
    id::FileId,
    naming::OriginalName,
    uploads::StorageRules,
};

/// Number of random characters that make a name unique.
const UNIQUE_CHARACTERS: usize = 6;
/// Alphabet of the random characters.
const UNIQUE_ALPHABET: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";

/// Properties of a file that its stored name contains.
pub(crate) struct NameSource<'a> {
    /// Id of the file.
    pub(crate) id: FileId,
    /// Original name of the file.
    pub(crate) original_name: &'a OriginalName,
    /// Type of the file.
    pub(crate) media_type: &'a MediaType,
}

impl NameSource<'_> {
    /// Returns the stored name: generated from the id, or derived from the original name,
    /// depending on the rules.
    pub(crate) fn stored_name(&self, rules: &StorageRules, env: &Env) -> String {
        let slug = slug(self.original_name.stem());
        if rules.generate_filename || slug.is_empty() {
            return generated_name(self.id, self.media_type);
        }

        let extension = &self.media_type.extension;
        if rules.unique_filename {
            let unique = env.random_text(UNIQUE_ALPHABET, UNIQUE_CHARACTERS);
            return format!("{slug}-{unique}.{extension}");
        }
        format!("{slug}.{extension}")
    }
}

fn generated_name(id: FileId, media_type: &MediaType) -> String {
    format!(
        "{}-{id}.{}",
        prefix(media_type.resource_type),
        media_type.extension
    )
}

/// Returns the prefix of generated names.
fn prefix(resource_type: ResourceType) -> &'static str {
    match resource_type {
        ResourceType::Image => "image",
        ResourceType::Video => "video",
        ResourceType::Audio => "audio",
        ResourceType::Document => "doc",
        ResourceType::Text | ResourceType::Archive | ResourceType::Other => "file",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_name_has_prefix_id_and_extension() {
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
