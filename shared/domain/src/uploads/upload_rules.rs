//! What an upload config asks of the files that come in by it: its `config` object, section by
//! section.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    FieldError, FolderPath, PublicHttpsUrl,
    naming::text::{LINE_PATTERN, nfc},
};

/// Most characters of an extension.
const EXTENSION_CHARACTERS: usize = 20;
/// Most characters of a tag.
const TAG_CHARACTERS: usize = 100;
/// The quality that is chosen for each image.
const AUTO: &str = "auto";
/// Best quality.
const QUALITY_MAX: i64 = 100;

/// Most formats that a config allows by name.
pub const MAX_ALLOWED_FORMATS: usize = 100;
/// Most renderings that a config asks for at once.
pub const MAX_EAGER_TRANSFORMATIONS: usize = 10;
/// Most tags of a file.
pub const MAX_TAGS: usize = 20;

/// The whole `config` object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct UploadRules {
    /// Where files go and what they are called.
    pub storage: StorageRules,
    /// Which files are taken.
    pub validation: ValidationRules,
    /// What becomes of images.
    pub transformations: TransformationRules,
    /// What files are marked with.
    pub metadata: MetadataRules,
    /// Who is told.
    pub notifications: NotificationRules,
}

/// Where files go and what they are called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct StorageRules {
    /// The folder of files whose request names none.
    pub folder: Option<FolderPath>,
    /// Whether the stored name is generated, or made of the original one.
    pub generate_filename: bool,
    /// Whether a name made of the original one gets characters that make it unlike every other.
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

/// Which files are taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ValidationRules {
    /// Extensions of the stored types that are taken; all, where there are none.
    pub allowed_formats: Option<Vec<Extension>>,
    /// Maximum size of a file, in bytes; without it, the limit of the kind of upload.
    pub max_file_size: Option<u64>,
    /// Pixels.
    pub min_image_width: Option<u32>,
    /// Pixels.
    pub min_image_height: Option<u32>,
    /// Pixels.
    pub max_image_width: Option<u32>,
    /// Pixels.
    pub max_image_height: Option<u32>,
}

impl ValidationRules {
    /// Whether an extension is allowed by name.
    pub fn allows(&self, extension: &str) -> bool {
        self.allowed_formats
            .iter()
            .flatten()
            .any(|allowed| allowed.as_str() == extension)
    }
}

/// What becomes of images before they are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TransformationRules {
    /// How well they are encoded, where they are.
    pub upload_quality: Quality,
    /// What they are encoded as.
    pub upload_format: UploadFormat,
    /// Whether JPEGs are stored so that they show coarsely first.
    pub progressive: bool,
    /// Whether camera data, places and comments are removed.
    pub strip_metadata: bool,
    /// Renderings that are made ahead.
    pub eager: Vec<EagerTransformation>,
}

/// What files are marked with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MetadataRules {
    /// Tags of every file.
    pub tags: Vec<Tag>,
    /// Whether tags are found by what a picture shows.
    pub auto_tagging: bool,
}

/// Who is told of uploads.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct NotificationRules {
    /// Where webhooks go, in place of the space's own address.
    pub webhook_url: Option<PublicHttpsUrl>,
    /// Which events beside `file.uploaded` are told.
    pub events: Option<Vec<WebhookEvent>>,
}

/// How well an image is encoded: a number of 1 to 100, or as it is best.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "QualityForm", into = "QualityForm")]
#[schemars(with = "QualityForm")]
pub enum Quality {
    /// As it is best; what need not be encoded is left as it is.
    #[default]
    Auto,
    /// 1 to 100.
    Fixed(u8),
}

/// A quality as it is written: `"auto"` or a number.
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
    /// The quality of this name.
    pub fn from_name(name: &str) -> Result<Quality, FieldError> {
        if name == AUTO {
            Ok(Quality::Auto)
        } else {
            Err(FieldError::InvalidSelection)
        }
    }

    /// The quality of this number.
    pub fn from_number(number: i64) -> Result<Quality, FieldError> {
        match u8::try_from(number) {
            Ok(0) => Err(FieldError::TooSmall(1)),
            Ok(small) if number <= QUALITY_MAX => Ok(Quality::Fixed(small)),
            Err(_) if number < 1 => Err(FieldError::TooSmall(1)),
            _ => Err(FieldError::TooLarge(QUALITY_MAX)),
        }
    }
}

/// What images are encoded as when they come in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum UploadFormat {
    /// As they are.
    #[default]
    Original,
    /// JPEG.
    Jpeg,
    /// PNG.
    Png,
    /// WebP.
    WebP,
    /// AVIF.
    Avif,
}

/// How an image is fitted into a width and a height.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Crop {
    /// Made exactly that, whatever becomes of its proportions.
    Scale,
    /// As large as fits in.
    Fit,
    /// As small as covers it, what is beyond cut off.
    Fill,
    /// Cut out at its own size.
    Crop,
    /// Filled around what matters most.
    Thumb,
}

/// What image a rendering is encoded as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ImageFormat {
    /// JPEG.
    Jpeg,
    /// PNG.
    Png,
    /// WebP.
    WebP,
    /// AVIF.
    Avif,
    /// GIF.
    Gif,
}

/// What a webhook may tell beside `file.uploaded`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum WebhookEvent {
    /// All that is done after an upload is done.
    #[serde(rename = "file.processed")]
    Processed,
    /// Something of it failed.
    #[serde(rename = "file.failed")]
    Failed,
    /// A file was deleted.
    #[serde(rename = "file.deleted")]
    Deleted,
    /// A file was uploaded; it is told anyway.
    #[serde(rename = "file.uploaded")]
    Uploaded,
}

/// A rendering that is made ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EagerTransformation {
    /// Pixels.
    pub width: Option<u32>,
    /// Pixels.
    pub height: Option<u32>,
    /// How the image is fitted in.
    pub crop: Crop,
    /// What it is encoded as; as the original, where that is not said.
    pub format: Option<ImageFormat>,
}

/// Most pixels of a rendering's side.
pub const MAX_SIDE_PIXELS: i64 = 8_192;

/// A file's extension, in lower case and without its dot: 1 to 20 of `a-z0-9`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("minLength" = 1, "pattern" = r"^\.?[A-Za-z0-9]+$"))]
pub struct Extension(String);

impl Extension {
    /// Takes an extension, of either case, with or without its dot. `jpeg` is `jpg`, as types are
    /// stored.
    pub fn parse(text: &str) -> Result<Extension, FieldError> {
        let name = text.trim().trim_start_matches('.').to_ascii_lowercase();
        if name.is_empty() {
            Err(FieldError::Required)
        } else if name.len() > EXTENSION_CHARACTERS {
            Err(FieldError::TooLong(EXTENSION_CHARACTERS))
        } else if name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            Ok(Extension(match name.as_str() {
                "jpeg" | "jpe" => "jpg".to_owned(),
                "tif" => "tiff".to_owned(),
                _ => name,
            }))
        } else {
            Err(FieldError::InvalidFormat)
        }
    }

    /// The extension's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A tag of a file, in Unicode NFC: 1 to 100 characters on one line.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("minLength" = 1, "maxLength" = TAG_CHARACTERS, "pattern" = LINE_PATTERN))]
pub struct Tag(String);

impl Tag {
    /// Takes a tag.
    pub fn parse(text: &str) -> Result<Tag, FieldError> {
        let text = nfc(text);
        if text.is_empty() {
            Err(FieldError::Required)
        } else if text.chars().count() > TAG_CHARACTERS {
            Err(FieldError::TooLong(TAG_CHARACTERS))
        } else if text.chars().any(char::is_control) {
            Err(FieldError::InvalidFormat)
        } else {
            Ok(Tag(text))
        }
    }

    /// The tag's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Each of these tags once.
    pub fn dedup(tags: Vec<Tag>) -> Vec<Tag> {
        let mut once: Vec<Tag> = Vec::new();
        for tag in tags {
            if !once.contains(&tag) {
                once.push(tag);
            }
        }
        once
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_kept_as_they_are_shown_and_what_is_absent_takes_its_default() {
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
    fn extensions_are_those_that_types_are_stored_under() {
        for (given, taken) in [
            ("jpg", "jpg"),
            (" .JPEG ", "jpg"),
            ("tif", "tiff"),
            ("mp4", "mp4"),
        ] {
            assert_eq!(
                Extension::parse(given).expect("an extension").as_str(),
                taken
            );
        }
        for wrong in ["", ".", "tar.gz", "a b", "é", "x".repeat(21).as_str()] {
            assert!(Extension::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn qualities_are_bounded() {
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
