//! Reads the `config` object and the `unsigned_restrictions` of an upload config.

use domain::{
    errors::{FieldError, parse_variant},
    files::{MAX_FILE_BYTES, is_executable},
    folders::FolderPath,
    naming::{HostPattern, MAX_TAGS, Tag},
    renditions::{Crop, EagerTransformation, MAX_EAGER_TRANSFORMATIONS, MAX_SIDE_PIXELS, Quality},
    settings::NotificationRules,
    uploads::{
        FormatName, MAX_ALLOWED_FORMATS, MAX_REFERRERS, MAX_UPLOADS_PER_HOUR, MetadataRules,
        StorageRules, TransformationRules, UNKNOWN_FORMAT, UnsignedRestrictions, UploadRules,
        ValidationRules,
    },
};
use http_api::fields::FieldReader;

/// Maximum width or height that a rule may name, in pixels: the maximum in an image header.
const MAX_IMAGE_PIXELS: i64 = i32::MAX as i64;
/// Maximum number of webhook events.
const MAX_EVENTS: usize = 10;

/// Reads the `config` object. Absent rules have their defaults, and unknown keys are rejected.
pub(crate) fn read_rules(fields: &mut impl FieldReader) -> UploadRules {
    fields.deny_unknown(&[
        "storage",
        "validation",
        "transformations",
        "metadata",
        "notifications",
    ]);
    let storage = fields.object("storage", |fields| Some(read_storage(fields)));
    let validation = fields.object("validation", |fields| Some(read_validation(fields)));
    let transformations = fields.object("transformations", |fields| {
        Some(read_transformations(fields))
    });
    let metadata = fields.object("metadata", |fields| Some(read_metadata(fields)));
    let notifications = fields.object("notifications", |fields| Some(read_notifications(fields)));

    UploadRules {
        storage: storage.unwrap_or_default(),
        validation: validation.unwrap_or_default(),
        transformations: transformations.unwrap_or_default(),
        metadata: metadata.unwrap_or_default(),
        notifications: notifications.unwrap_or_default(),
    }
}

fn read_storage(fields: &mut impl FieldReader) -> StorageRules {
    fields.deny_unknown(&["folder", "generate_filename", "unique_filename"]);
    let folder = fields.optional("folder", FolderPath::parse);
    let generate_filename = fields.boolean("generate_filename");
    let unique_filename = fields.boolean("unique_filename");

    let default = StorageRules::default();
    StorageRules {
        folder,
        generate_filename: generate_filename.unwrap_or(default.generate_filename),
        unique_filename: unique_filename.unwrap_or(default.unique_filename),
    }
}

fn read_validation(fields: &mut impl FieldReader) -> ValidationRules {
    fields.deny_unknown(&[
        "allowed_formats",
        "max_file_size",
        "min_image_width",
        "min_image_height",
        "max_image_width",
        "max_image_height",
    ]);
    let allowed_formats =
        fields.list_or_csv("allowed_formats", MAX_ALLOWED_FORMATS, parse_format_name);
    let max_file_size = fields.file_size("max_file_size", MAX_FILE_BYTES);
    let min_image_width = read_pixels(fields, "min_image_width", MAX_IMAGE_PIXELS);
    let min_image_height = read_pixels(fields, "min_image_height", MAX_IMAGE_PIXELS);
    let max_image_width = read_pixels(fields, "max_image_width", MAX_IMAGE_PIXELS);
    let max_image_height = read_pixels(fields, "max_image_height", MAX_IMAGE_PIXELS);

    require_at_least(fields, "max_image_width", max_image_width, min_image_width);
    require_at_least(
        fields,
        "max_image_height",
        max_image_height,
        min_image_height,
    );

    ValidationRules {
        // An empty list allows all formats.
        allowed_formats: allowed_formats.filter(|formats| !formats.is_empty()),
        max_file_size: max_file_size.map(i64::unsigned_abs),
        min_image_width,
        min_image_height,
        max_image_width,
        max_image_height,
    }
}

/// Parses the name of a format that uploads can have.
fn parse_format_name(text: &str) -> Result<FormatName, FieldError> {
    let name = FormatName::parse(text)?;
    if formats::is_name(name.as_str()) || is_executable(name.as_str()) {
        Ok(name)
    } else {
        Err(UNKNOWN_FORMAT)
    }
}

/// Reads a width or height from 1 to `max` pixels.
fn read_pixels(fields: &mut impl FieldReader, name: &str, max: i64) -> Option<u32> {
    let pixels = fields.integer(name, 1, max)?;
    u32::try_from(pixels).ok()
}

/// Rejects a maximum that is below its minimum.
fn require_at_least(fields: &mut impl FieldReader, name: &str, max: Option<u32>, min: Option<u32>) {
    if let (Some(max), Some(min)) = (max, min)
        && max < min
    {
        fields.reject(name, &FieldError::TooSmall(min.into()));
    }
}

fn read_transformations(fields: &mut impl FieldReader) -> TransformationRules {
    fields.deny_unknown(&[
        "upload_quality",
        "upload_format",
        "progressive",
        "strip_metadata",
        "eager",
    ]);
    let upload_quality =
        fields.name_or_integer("upload_quality", Quality::from_name, Quality::from_number);
    let upload_format = fields.optional("upload_format", parse_variant);
    let progressive = fields.boolean("progressive");
    let strip_metadata = fields.boolean("strip_metadata");
    let eager = fields.objects("eager", MAX_EAGER_TRANSFORMATIONS, |fields| {
        Some(read_eager(fields))
    });

    let default = TransformationRules::default();
    TransformationRules {
        upload_quality: upload_quality.unwrap_or_default(),
        upload_format: upload_format.unwrap_or_default(),
        progressive: progressive.unwrap_or(default.progressive),
        strip_metadata: strip_metadata.unwrap_or(default.strip_metadata),
        eager: eager.unwrap_or_default(),
    }
}

fn read_eager(fields: &mut impl FieldReader) -> EagerTransformation {
    fields.deny_unknown(&["width", "height", "crop", "format"]);
    let width = read_pixels(fields, "width", MAX_SIDE_PIXELS);
    let height = read_pixels(fields, "height", MAX_SIDE_PIXELS);
    if !fields.has_value("width") && !fields.has_value("height") {
        fields.reject("width", &FieldError::RequiredWithout("height"));
    }
    let crop = fields.optional("crop", parse_variant);
    let format = fields.optional("format", parse_variant);

    EagerTransformation {
        width,
        height,
        crop: crop.unwrap_or(Crop::Fit),
        format,
    }
}

fn read_metadata(fields: &mut impl FieldReader) -> MetadataRules {
    fields.deny_unknown(&["tags", "auto_tagging"]);
    let tags = fields.list("tags", MAX_TAGS, Tag::parse);
    let auto_tagging = fields.boolean("auto_tagging");

    MetadataRules {
        tags: Tag::dedup(tags.unwrap_or_default()),
        auto_tagging: auto_tagging.unwrap_or_default(),
    }
}

fn read_notifications(fields: &mut impl FieldReader) -> NotificationRules {
    fields.deny_unknown(&["webhook_url", "events"]);
    let webhook_url = fields.optional_url("webhook_url");
    let events = fields.list("events", MAX_EVENTS, parse_variant);

    NotificationRules {
        webhook_url,
        events,
    }
}

/// Reads the restrictions of uploads without an API key or a signature.
pub(crate) fn read_unsigned_restrictions(
    fields: &mut impl FieldReader,
) -> Option<UnsignedRestrictions> {
    let allowed_referrers =
        fields.required_list("allowed_referrers", MAX_REFERRERS, HostPattern::parse);
    let require_https = fields.boolean("require_https");
    if !fields.has_value("require_https") {
        fields.reject("require_https", &FieldError::Required);
    }
    let max_uploads_per_hour = fields.integer("max_uploads_per_hour", 1, MAX_UPLOADS_PER_HOUR);

    Some(UnsignedRestrictions {
        allowed_referrers: allowed_referrers?,
        require_https: require_https?,
        max_uploads_per_hour: max_uploads_per_hour.map(i64::unsigned_abs),
    })
}
