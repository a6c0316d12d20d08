//! Rules of an upload config: the sections of its `config` object.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Crop, FieldError, FolderPath, ImageFormat, PublicHttpsUrl,
    naming::text::{LINE_PATTERN, nfc},
};

/// Maximum number of characters of the name of a format.
const FORMAT_CHARACTERS: usize = 100;
/// Maximum number of characters of a tag.
const TAG_CHARACTERS: usize = 100;
/// Name of the automatic quality.
const AUTO: &str = "auto";
const QUALITY_MAX: i64 = 100;

/// Error for a name that no format has.
pub const UNKNOWN_FORMAT: FieldError =
    FieldError::Custom("must be the extension or MIME type of a known format, such as jpg");

/// Maximum number of `allowed_formats`.
pub const MAX_ALLOWED_FORMATS: usize = 100;
/// Maximum number of eager transformations.
pub const MAX_EAGER_TRANSFORMATIONS: usize = 10;
/// Maximum number of tags of a file.
pub const MAX_TAGS: usize = 20;

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
    /// Names of accepted formats, extensions or MIME types: each stands for all names of its format, `jpeg` also for
    /// `jpg`. Null accepts all formats.
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

/// Webhooks about uploaded files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct NotificationRules {
    /// URL of webhooks, instead of the space's. Responses to the role `user` have null, because it may
    /// contain a secret.
    pub webhook_url: Option<PublicHttpsUrl>,
    /// Events to send in addition to `file.uploaded`.
    pub events: Option<Vec<WebhookEvent>>,
}

impl NotificationRules {
    /// Whether an event is sent: `file.uploaded` always, others if `events` contains them.
    pub fn includes(&self, event: WebhookEvent) -> bool {
        event == WebhookEvent::Uploaded || self.events.iter().flatten().any(|sent| *sent == event)
    }
}

/// Quality of an encoded image: 1 to 100, or automatic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "QualityForm", into = "QualityForm")]
#[schemars(with = "QualityForm")]
pub enum Quality {
    /// Chosen per image; images that need no encoding are kept unchanged.
    #[default]
    Auto,
    /// 1 to 100.
    Fixed(u8),
}

/// JSON form of a quality: `"auto"` or a number.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum QualityForm {
    Name(#[schemars(extend("const" = AUTO))] String),
    Number(#[schemars(range(min = 1, max = QUALITY_MAX))] i64),
}

impl TryFrom<QualityForm> for Quality {
    type Error = &'static str;

    fn try_from(form: QualityForm) -> Result<Quality, &'static str> {
        match form {
            QualityForm::Name(name) => Quality::from_name(&name).map_err(|_| "not a quality"),
            QualityForm::Number(number) => {
                Quality::from_number(number).map_err(|_| "not a quality")
            }
        }
    }
}

impl From<Quality> for QualityForm {
    fn from(quality: Quality) -> QualityForm {
        match quality {
            Quality::Auto => QualityForm::Name(AUTO.to_owned()),
            Quality::Fixed(number) => QualityForm::Number(number.into()),
        }
    }
}

impl Quality {
    /// Parses the name of a quality: `auto`.
    pub fn from_name(name: &str) -> Result<Quality, FieldError> {
        if name == AUTO {
            Ok(Quality::Auto)
        } else {
            Err(FieldError::InvalidSelection)
        }
    }

    /// Validates a quality from 1 to 100.
    pub fn from_number(number: i64) -> Result<Quality, FieldError> {
        match u8::try_from(number) {
            Ok(0) => Err(FieldError::TooSmall(1)),
            Ok(small) if number <= QUALITY_MAX => Ok(Quality::Fixed(small)),
            Err(_) if number < 1 => Err(FieldError::TooSmall(1)),
            _ => Err(FieldError::TooLarge(QUALITY_MAX)),
        }
    }
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum WebhookEvent {
    /// All processing after an upload is complete.
    #[serde(rename = "file.processed")]
    Processed,
    /// Processing after an upload failed.
    #[serde(rename = "file.failed")]
    Failed,
    /// A file was deleted, or moved to the trash.
    #[serde(rename = "file.deleted")]
    Deleted,
    /// The bytes of a file were replaced.
    #[serde(rename = "file.replaced")]
    Replaced,
    /// A file was restored from the trash.
    #[serde(rename = "file.restored")]
    Restored,
    /// A file was uploaded; always sent.
    #[serde(rename = "file.uploaded")]
    Uploaded,
}

impl WebhookEvent {
    pub const ALL: [WebhookEvent; 6] = [
        WebhookEvent::Processed,
        WebhookEvent::Failed,
        WebhookEvent::Deleted,
        WebhookEvent::Replaced,
        WebhookEvent::Restored,
        WebhookEvent::Uploaded,
    ];

    /// Returns the name of the event in payloads.
    pub fn name(self) -> &'static str {
        match self {
            WebhookEvent::Processed => "file.processed",
            WebhookEvent::Failed => "file.failed",
            WebhookEvent::Deleted => "file.deleted",
            WebhookEvent::Replaced => "file.replaced",
            WebhookEvent::Restored => "file.restored",
            WebhookEvent::Uploaded => "file.uploaded",
        }
    }
}

/// Transformation to create in advance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EagerTransformation {
    /// Width in pixels.
    pub width: Option<u32>,
    /// Height in pixels.
    pub height: Option<u32>,
    /// How the image is resized.
    pub crop: Crop,
    /// Format. Null keeps the format of the original.
    pub format: Option<ImageFormat>,
}

/// Name of a format in lower case: an extension without its dot, or a MIME type. 1 to 100 characters.
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

/// Tag of a file in Unicode NFC: 1 to 100 characters on one line.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("minLength" = 1, "maxLength" = TAG_CHARACTERS, "pattern" = LINE_PATTERN))]
pub struct Tag(String);

impl Tag {
    /// Normalizes and validates a tag.
    pub fn parse(text: &str) -> Result<Tag, FieldError> {
        let text = nfc(text);
        if text.is_empty() {
            Err(FieldError::Required)
        } else if text.chars().count() > TAG_CHARACTERS {
            Err(FieldError::TooLong(TAG_CHARACTERS))
        } else if text.chars().any(char::is_control) {
            Err(FieldError::ControlCharacters)
        } else {
            Ok(Tag(text))
        }
    }

    /// Returns the tag as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Removes duplicates and keeps the order.
    pub fn dedup(tags: Vec<Tag>) -> Vec<Tag> {
        let mut unique: Vec<Tag> = Vec::new();
        for tag in tags {
            if !unique.contains(&tag) {
                unique.push(tag);
            }
        }
        unique
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

    #[test]
    fn quality_is_between_1_and_100() {
        assert_eq!(Quality::from_number(1), Ok(Quality::Fixed(1)));
        assert_eq!(Quality::from_number(100), Ok(Quality::Fixed(100)));
        for (wrong, why) in [
            (0, FieldError::TooSmall(1)),
            (-1, FieldError::TooSmall(1)),
            (101, FieldError::TooLarge(100)),
        ] {
            assert_eq!(Quality::from_number(wrong), Err(why));
        }
        assert_eq!(
            Quality::from_number(256 + 80),
            Err(FieldError::TooLarge(100))
        );
    }
}
