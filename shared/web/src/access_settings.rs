//! What spaces, folders and files say alike of who may see them, and how.

use domain::{
    AccessControl, FieldError, Opacity, PublicHttpsUrl, Security, Watermark, parse_variant,
};

use crate::{FieldReader, FromFields};

/// The flags of an access control in a request. One given flag sets the other to its complement; of
/// two given ones, either closes.
#[derive(Clone, Copy, Debug, Default)]
pub struct AccessControlChange {
    requires_auth: Option<bool>,
    public_read: Option<bool>,
}

impl FromFields for AccessControlChange {
    fn read(fields: &mut impl FieldReader) -> Option<AccessControlChange> {
        let given = fields.object("access_control", |fields| {
            let (requires_auth, public_read) = (
                fields.boolean("requires_auth"),
                fields.boolean("public_read"),
            );
            Some(AccessControlChange {
                requires_auth,
                public_read,
            })
        });
        Some(given.unwrap_or_default())
    }
}

impl AccessControlChange {
    /// Returns the access control that the flags set; `None` without any flag, which changes
    /// nothing.
    pub fn access_control(&self) -> Option<AccessControl> {
        let closes_by_read = self.public_read.map(|public_read| !public_read);
        let requires_auth = match (self.requires_auth, closes_by_read) {
            (Some(one), Some(other)) => one || other,
            (one, other) => one.or(other)?,
        };
        Some(AccessControl { requires_auth })
    }
}

/// Security settings, which replace those before as a whole: what is absent takes its default.
#[derive(Clone, Debug)]
pub struct SecurityChange(pub Security);

impl FromFields for SecurityChange {
    fn read(fields: &mut impl FieldReader) -> Option<SecurityChange> {
        let security = fields.required_object("security", |fields| {
            fields.deny_unknown(&["watermark"]);
            let watermark = fields.object("watermark", |fields| Some(watermark(fields)));
            Some(Security {
                watermark: watermark.unwrap_or_default(),
            })
        });
        security.map(SecurityChange)
    }
}

fn watermark(fields: &mut impl FieldReader) -> Watermark {
    fields.deny_unknown(&["enabled", "url", "position", "opacity"]);
    let default = Watermark::default();
    let watermark = Watermark {
        enabled: fields.boolean("enabled").unwrap_or(default.enabled),
        url: fields.optional("url", PublicHttpsUrl::parse),
        position: fields
            .optional("position", parse_variant)
            .unwrap_or(default.position),
        opacity: fields
            .number("opacity", Opacity::new)
            .unwrap_or(default.opacity),
    };
    if watermark.enabled && !fields.has_value("url") {
        fields.reject(
            "url",
            &FieldError::RequiredIfTrue("security.watermark.enabled"),
        );
    }
    watermark
}
