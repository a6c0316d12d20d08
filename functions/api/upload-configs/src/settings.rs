//! The `config` object and the restrictions of unsigned uploads, as requests give them.

use domain::{
    ALLOWED_FORMATS, Crop, EAGER, Eager, Extension, FILE_BYTES, FieldError, FolderPath,
    MetadataRules, NotificationRules, PublicHttpsUrl, Quality, REFERRERS, ReferrerPattern,
    SIDE_PIXELS, StorageRules, TAGS, Tag, TransformationRules, UPLOADS_PER_HOUR,
    UnsignedRestrictions, UploadRules, ValidationRules, parse_variant,
};
use web::FieldReader;

/// Most pixels of a side that a rule may speak of: what fits into an image's header.
const IMAGE_PIXELS: i64 = i32::MAX as i64;
/// Most events that are told.
const EVENTS: usize = 10;

/// Reads the whole object: what is absent takes its default, and what is unknown is refused.
pub(crate) fn rules(fields: &mut impl FieldReader) -> UploadRules {
    fields.deny_unknown(&[
        "storage",
        "validation",
        "transformations",
        "metadata",
        "notifications",
    ]);
    UploadRules {
        storage: fields
            .object("storage", |fields| Some(storage(fields)))
            .unwrap_or_default(),
        validation: fields
            .object("validation", |fields| Some(validation(fields)))
            .unwrap_or_default(),
        transformations: fields
            .object("transformations", |fields| Some(transformations(fields)))
            .unwrap_or_default(),
        metadata: fields
            .object("metadata", |fields| Some(metadata(fields)))
            .unwrap_or_default(),
        notifications: fields
            .object("notifications", |fields| Some(notifications(fields)))
            .unwrap_or_default(),
    }
}

fn storage(fields: &mut impl FieldReader) -> StorageRules {
    fields.deny_unknown(&["folder", "generate_filename", "unique_filename"]);
    let default = StorageRules::default();
    StorageRules {
        folder: fields.optional("folder", FolderPath::parse),
        generate_filename: fields
            .boolean("generate_filename")
            .unwrap_or(default.generate_filename),
        unique_filename: fields
            .boolean("unique_filename")
            .unwrap_or(default.unique_filename),
    }
}

fn validation(fields: &mut impl FieldReader) -> ValidationRules {
    let sides = [
        "min_image_width",
        "min_image_height",
        "max_image_width",
        "max_image_height",
    ];
    fields.deny_unknown(&[&["allowed_formats", "max_file_size"], &sides[..]].concat());
    // A list may be written as one text, its items parted by commas. One that names nothing asks
    // for nothing.
    let allowed_formats = fields.list_or_csv("allowed_formats", ALLOWED_FORMATS, Extension::parse);
    let allowed_formats = allowed_formats.filter(|formats| !formats.is_empty());
    let max_file_size = fields.integer("max_file_size", 1, FILE_BYTES);
    let [
        min_image_width,
        min_image_height,
        max_image_width,
        max_image_height,
    ] = sides.map(|side| {
        fields
            .integer(side, 1, IMAGE_PIXELS)
            .and_then(|pixels| u32::try_from(pixels).ok())
    });
    for (least, most, name) in [
        (min_image_width, max_image_width, "max_image_width"),
        (min_image_height, max_image_height, "max_image_height"),
    ] {
        if let (Some(least), Some(most)) = (least, most)
            && most < least
        {
            fields.reject(name, &FieldError::TooSmall(least.into()));
        }
    }
    ValidationRules {
        allowed_formats,
        max_file_size: max_file_size.map(i64::unsigned_abs),
        min_image_width,
        min_image_height,
        max_image_width,
        max_image_height,
    }
}

fn transformations(fields: &mut impl FieldReader) -> TransformationRules {
    fields.deny_unknown(&[
        "upload_quality",
        "upload_format",
        "progressive",
        "strip_metadata",
        "eager",
    ]);
    let default = TransformationRules::default();
    TransformationRules {
        upload_quality: fields
            .name_or_integer("upload_quality", Quality::named, Quality::of)
            .unwrap_or_default(),
        upload_format: fields
            .optional("upload_format", parse_variant)
            .unwrap_or_default(),
        progressive: fields.boolean("progressive").unwrap_or(default.progressive),
        strip_metadata: fields
            .boolean("strip_metadata")
            .unwrap_or(default.strip_metadata),
        eager: fields
            .objects("eager", EAGER, |fields| Some(eager(fields)))
            .unwrap_or_default(),
    }
}

fn eager(fields: &mut impl FieldReader) -> Eager {
    fields.deny_unknown(&["width", "height", "crop", "format"]);
    let [width, height] = ["width", "height"].map(|side| {
        fields
            .integer(side, 1, SIDE_PIXELS)
            .and_then(|pixels| u32::try_from(pixels).ok())
    });
    if !fields.has_value("width") && !fields.has_value("height") {
        fields.reject("width", &FieldError::RequiredWithout("height"));
    }
    let crop = fields.optional("crop", parse_variant).unwrap_or(Crop::Fit);
    Eager {
        width,
        height,
        crop,
        format: fields.optional("format", parse_variant),
    }
}

fn metadata(fields: &mut impl FieldReader) -> MetadataRules {
    fields.deny_unknown(&["tags", "auto_tagging"]);
    MetadataRules {
        tags: Tag::dedup(fields.list("tags", TAGS, Tag::parse).unwrap_or_default()),
        auto_tagging: fields.boolean("auto_tagging").unwrap_or_default(),
    }
}

fn notifications(fields: &mut impl FieldReader) -> NotificationRules {
    fields.deny_unknown(&["webhook_url", "events"]);
    NotificationRules {
        webhook_url: fields.optional("webhook_url", PublicHttpsUrl::parse),
        events: fields.list("events", EVENTS, parse_variant),
    }
}

/// Reads from where, and how often, strangers may upload.
pub(crate) fn unsigned_restrictions(fields: &mut impl FieldReader) -> Option<UnsignedRestrictions> {
    let allowed_referrers =
        fields.required_list("allowed_referrers", REFERRERS, ReferrerPattern::parse);
    let require_https = fields.boolean("require_https");
    if !fields.has_value("require_https") {
        fields.reject("require_https", &FieldError::Required);
    }
    let max_uploads_per_hour = fields.integer("max_uploads_per_hour", 1, UPLOADS_PER_HOUR);
    Some(UnsignedRestrictions {
        allowed_referrers: allowed_referrers?,
        require_https: require_https?,
        max_uploads_per_hour: max_uploads_per_hour.map(i64::unsigned_abs),
    })
}
