//! Rules of an upload config: the sections of its `config` object.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    errors::FieldError,
    folders::FolderPath,
    naming::Tag,
    renditions::{EagerTransformation, Quality},
    settings::NotificationRules,
};

/// Maximum number of characters of the name of a format.
const FORMAT_CHARACTERS: usize = 100;

/// Error for a name that no format has.
pub const UNKNOWN_FORMAT: FieldError =
    FieldError::Custom("must be the extension or MIME type of a known format, such as jpg");

/// Maximum number of `allowed_formats`.
pub const MAX_ALLOWED_FORMATS: usize = 100;

/// The `config` object of an upload config.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct UploadRules {
    /// Folder and stored names.
    pub storage: StorageRules,
    pub validation: ValidationRules,
    pub transformations: TransformationRules,
    pub metadata: MetadataRules,
    pub notifications: NotificationRules,
}

/// Folder and stored names of uploaded files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct StorageRules {
    /// Folder of files whose request specifies none.
    pub folder: Option<FolderPath>,
    /// Whether the stored name is generated instead of derived from the original name.
    pub generate_filename: bool,
    /// Whether random characters make a derived name unique.
    pub unique_filename: bool,
}

impl Default for StorageRules {
    fn default() -> StorageRules {
        StorageRules {
            folder: None,
            generate_filename: true,
            unique_filename: true,
        }
    }
}

/// Rules that uploaded files must comply with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ValidationRules {
    /// Names of accepted formats, extensions or MIME types: each stands for all names of its
    /// format, `jpeg` also for `jpg`. Null accepts all formats.
    pub allowed_formats: Option<Vec<FormatName>>,
    /// Maximum size of a file, in bytes. Null applies the limit of the upload route.
    pub max_file_size: Option<u64>,
    /// Minimum width of an image, in pixels.
    pub min_image_width: Option<u32>,
    /// Minimum height of an image, in pixels.
    pub min_image_height: Option<u32>,
    /// Maximum width of an image, in pixels.
    pub max_image_width: Option<u32>,
    /// Maximum height of an image, in pixels.
    pub max_image_height: Option<u32>,
}

impl ValidationRules {
    /// Whether `allowed_formats` contains an extension.
    pub fn allows(&self, extension: &str) -> bool {
        self.allowed_formats
            .iter()
            .flatten()
            .any(|allowed| allowed.as_str() == extension)
    }
}

/// Processing of uploaded images.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TransformationRules {
    /// Quality of re-encoded images.
    pub upload_quality: Quality,
    /// Format that images are converted to.
    pub upload_format: UploadFormat,
    /// Whether JPEGs are stored as progressive JPEGs.
    pub progressive: bool,
    /// Whether camera data, GPS positions and comments are removed.
    pub strip_metadata: bool,
    /// Transformations to create in advance.
    pub eager: Vec<EagerTransformation>,
}

/// Tags of uploaded files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MetadataRules {
    /// Tags of every file.
    pub tags: Vec<Tag>,
    /// Whether tags are derived from the content of images.
    pub auto_tagging: bool,
}

/// Format that uploaded images are converted to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum UploadFormat {
    /// The format of the upload.
    #[default]
    Original,
    Jpeg,
    Png,
    WebP,
    Avif,
}

/// Name of a format in lower case: an extension without its dot, or a MIME type. 1 to 100
/// characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("minLength" = 1, "pattern" = r"^\.?[A-Za-z0-9][A-Za-z0-9/.+-]*$"))]
pub struct FormatName(String);

impl FormatName {
    /// Parses a name in any case, an extension with or without its dot.
    pub fn parse(text: &str) -> Result<FormatName, FieldError> {
        let name = text.trim();
        let name = name.strip_prefix('.').unwrap_or(name).to_ascii_lowercase();
        let is_first = |first: char| first.is_ascii_alphanumeric();
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"/.+-".contains(&byte);

        if name.is_empty() {
            Err(FieldError::Required)
        } else if name.len() > FORMAT_CHARACTERS {
            Err(FieldError::TooLong(FORMAT_CHARACTERS))
        } else if name.starts_with(is_first) && name.bytes().all(is_allowed) {
            Ok(FormatName(name))
        } else {
            Err(UNKNOWN_FORMAT)
        }
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_round_trip_through_json_with_defaults() {
        let rules: UploadRules = serde_json::from_str(
            r#"{"storage": {"folder": "a/b"}, "transformations": {"upload_quality": 80, "upload_format": "webp",
                "eager": [{"width": 10, "height": null, "crop": "fit", "format": null}]}}"#,
        )
        .expect("rules");
        assert_eq!(rules.transformations.upload_quality, Quality::Fixed(80));
        assert!(rules.storage.generate_filename && rules.storage.unique_filename);
        let again = serde_json::to_value(&rules).and_then(serde_json::from_value);
        assert_eq!(again.ok(), Some(rules));
        let defaults = serde_json::to_value(UploadRules::default()).expect("JSON");
        assert_eq!(defaults["transformations"]["upload_quality"], "auto");
        assert_eq!(defaults["transformations"]["upload_format"], "original");
        assert!(defaults["validation"]["max_file_size"].is_null());
    }

    #[test]
    fn names_of_formats_are_in_lower_case_without_a_dot() {
        for (given, taken) in [
            ("jpg", "jpg"),
            (" .JPEG ", "jpeg"),
            ("Image/SVG+xml", "image/svg+xml"),
            ("7z", "7z"),
        ] {
            let parsed = FormatName::parse(given).expect("a name");
            assert_eq!(parsed.as_str(), taken);
        }
        for wrong in ["", ".", "..jpg", "a b", "é", "x".repeat(101).as_str()] {
            assert!(FormatName::parse(wrong).is_err(), "{wrong}");
        }
    }
}
