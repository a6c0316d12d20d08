//! Request fields `access_control` and `security` of spaces, folders and files.

use domain::{
    errors::{FieldError, parse_variant},
    settings::{AccessControl, FolderSecurity, Opacity, Security, TransformationPolicy, Watermark},
};
use serde_json::json;

use crate::fields::{FieldReader, FromFields};

/// URL in the example of a watermark.
const EXAMPLE_URL: &str = "https://www.example.com/watermark.png";

/// Flags of `access_control`. One flag sets the other to its complement; of two flags, the stricter
/// one applies.
#[derive(Clone, Copy, Debug, Default)]
pub struct AccessControlChange {
    requires_auth: Option<bool>,
    public_read: Option<bool>,
}

impl FromFields for AccessControlChange {
    fn read(fields: &mut impl FieldReader) -> Option<AccessControlChange> {
        let given = fields.object("access_control", |fields| {
            let requires_auth = fields.boolean("requires_auth");
            let public_read = fields.boolean("public_read");
            fields.describe(
                "requires_auth",
                "Whether delivery requires a signed URL or an API key.",
            );
            fields.describe("public_read", "The complement of `requires_auth`.");

            Some(AccessControlChange {
                requires_auth,
                public_read,
            })
        });
        fields.describe(
            "access_control",
            "One flag sets the other. If both are present and differ, the stricter one applies.",
        );

        Some(given.unwrap_or_default())
    }
}

impl AccessControlChange {
    /// Returns the new access control; `None` without flags.
    pub fn access_control(&self) -> Option<AccessControl> {
        let denies_public_read = self.public_read.map(|public_read| !public_read);
        let requires_auth = match (self.requires_auth, denies_public_read) {
            (Some(requires_auth), Some(denies_public_read)) => requires_auth || denies_public_read,
            (requires_auth, denies_public_read) => requires_auth.or(denies_public_read)?,
        };
        Some(AccessControl { requires_auth })
    }
}

/// New security settings of a space. They replace the old ones; absent settings get their defaults.
#[derive(Clone, Debug)]
pub struct SecurityChange(pub Security);

/// New security settings of a folder. They replace the old ones; absent settings are inherited.
#[derive(Clone, Debug)]
pub struct FolderSecurityChange(pub FolderSecurity);

impl FromFields for SecurityChange {
    fn read(fields: &mut impl FieldReader) -> Option<SecurityChange> {
        let settings = fields.required_object("security", |fields| Some(settings(fields)));
        fields.describe(
            "security",
            "The new settings, which replace all current ones. Absent settings have their defaults.",
        );

        let settings = settings?;
        Some(SecurityChange(Security {
            watermark: settings.watermark.unwrap_or_default(),
            transformations: settings.transformations.unwrap_or_default(),
        }))
    }
}

impl FromFields for FolderSecurityChange {
    fn read(fields: &mut impl FieldReader) -> Option<FolderSecurityChange> {
        let settings = fields.required_object("security", |fields| Some(settings(fields)));
        fields.describe(
            "security",
            "The folder's own settings, which replace all current ones. Absent settings are inherited.",
        );

        settings.map(FolderSecurityChange)
    }
}

fn settings(fields: &mut impl FieldReader) -> FolderSecurity {
    fields.deny_unknown(&["watermark", "transformations"]);
    let watermark = fields.object("watermark", |fields| Some(watermark(fields)));
    fields.example("watermark", || json!({"enabled": true, "url": EXAMPLE_URL}));
    let transformations = fields.optional("transformations", parse_variant::<TransformationPolicy>);

    FolderSecurity {
        watermark,
        transformations,
    }
}

fn watermark(fields: &mut impl FieldReader) -> Watermark {
    fields.deny_unknown(&["enabled", "url", "file_id", "position", "opacity"]);

    let default = Watermark::default();
    let watermark = Watermark {
        enabled: fields.boolean("enabled").unwrap_or(default.enabled),
        url: fields.optional_url("url"),
        file_id: fields.optional("file_id", |id| {
            id.parse().map_err(|_| FieldError::InvalidSelection)
        }),
        position: fields
            .optional("position", parse_variant)
            .unwrap_or(default.position),
        opacity: fields
            .number("opacity", Opacity::new)
            .unwrap_or(default.opacity),
    };

    fields.describe(
        "file_id",
        "Id of a file in place of `url`: an active image of the same space, whose original bytes are \
         copied. It may be deleted afterwards.",
    );

    match (fields.has_value("url"), fields.has_value("file_id")) {
        (false, false) if watermark.enabled => fields.reject(
            "url",
            &FieldError::RequiredIfTrue("security.watermark.enabled"),
        ),
        (true, true) => fields.reject(
            "file_id",
            &FieldError::Custom("must be absent when url is present"),
        ),
        _ => {}
    }

    watermark
}
