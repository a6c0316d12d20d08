//! What spaces, folders and files say alike of who may see them, and how.

use domain::{AccessControl, Opacity, Position, Security, Violation, Watermark, WebAddress};

use crate::{Fields, Request};

/// The flags of an access control that a request gives; what it does not give stays.
#[derive(Clone, Copy, Debug, Default)]
pub struct AccessControlChange {
    requires_auth: Option<bool>,
    public_read: Option<bool>,
}

impl Request for AccessControlChange {
    fn read(fields: &mut Fields) -> Option<AccessControlChange> {
        let given = fields.object("access_control", |fields| {
            let (requires_auth, public_read) = (fields.boolean("requires_auth"), fields.boolean("public_read"));
            Some(AccessControlChange { requires_auth, public_read })
        });
        Some(given.unwrap_or_default())
    }
}

impl AccessControlChange {
    /// An access control with these flags.
    #[must_use]
    pub fn over(&self, before: AccessControl) -> AccessControl {
        AccessControl {
            requires_auth: self.requires_auth.unwrap_or(before.requires_auth),
            public_read: self.public_read.unwrap_or(before.public_read),
        }
    }

    /// The same where there may be none yet: without any flag nothing is set.
    pub fn over_inherited(&self, before: Option<AccessControl>) -> Option<AccessControl> {
        if self.requires_auth.or(self.public_read).is_none() {
            return before;
        }
        Some(self.over(before.unwrap_or_default()))
    }
}

/// Security settings, which replace those before as a whole: what is absent takes its default.
#[derive(Clone, Debug)]
pub struct SecurityChange(pub Security);

impl Request for SecurityChange {
    fn read(fields: &mut Fields) -> Option<SecurityChange> {
        let security = fields.required_object("security", |fields| {
            fields.only(&["watermark"]);
            let watermark = fields.object("watermark", |fields| Some(watermark(fields)));
            Some(Security { watermark: watermark.unwrap_or_default() })
        });
        security.map(SecurityChange)
    }
}

fn watermark(fields: &mut Fields) -> Watermark {
    fields.only(&["enabled", "url", "position", "opacity"]);
    let default = Watermark::default();
    let watermark = Watermark {
        enabled: fields.boolean("enabled").unwrap_or(default.enabled),
        url: fields.optional("url", WebAddress::parse),
        position: fields.optional("position", Position::parse).unwrap_or(default.position),
        opacity: fields.number("opacity", Opacity::new).unwrap_or(default.opacity),
    };
    if watermark.enabled && !fields.has("url") {
        fields.violate("url", &Violation::RequiredIfTrue("security.watermark.enabled"));
    }
    watermark
}
