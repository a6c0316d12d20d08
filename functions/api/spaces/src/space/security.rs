//! `PUT` and `DELETE /spaces/:id/security`: the watermark on every delivered image.

use domain::{Position, Security, Violation, Watermark, WebAddress};
use web::{Can, Failure, Fields, ManageSpace, Ok, Request, Valid};

use crate::views::DetailedSpaceView;

pub(crate) struct SetSecurity(Security);

impl Request for SetSecurity {
    /// The whole object is replaced: what is absent takes its default.
    fn read(fields: &mut Fields) -> Option<SetSecurity> {
        let security = fields.required_object("security", |fields| {
            fields.only(&["watermark"]);
            let watermark = fields.object("watermark", |fields| Some(watermark(fields)));
            Some(Security { watermark: watermark.unwrap_or_default() })
        });
        security.map(SetSecurity)
    }
}

fn watermark(fields: &mut Fields) -> Watermark {
    fields.only(&["enabled", "url", "position", "opacity"]);
    let default = Watermark::default();
    let watermark = Watermark {
        enabled: fields.boolean("enabled").unwrap_or(default.enabled),
        url: fields.optional("url", WebAddress::parse),
        position: fields.optional("position", Position::parse).unwrap_or(default.position),
        opacity: fields.number("opacity", domain::Opacity::new).unwrap_or(default.opacity),
    };
    if watermark.enabled && !fields.has("url") {
        fields.violate("url", &Violation::RequiredIfTrue("security.watermark.enabled"));
    }
    watermark
}

pub(crate) async fn set_security(
    can: Can<ManageSpace>,
    Valid(SetSecurity(security)): Valid<SetSecurity>,
) -> Result<Ok<DetailedSpaceView>, Failure> {
    change(can, &security).await
}

pub(crate) async fn reset_security(can: Can<ManageSpace>) -> Result<Ok<DetailedSpaceView>, Failure> {
    change(can, &Security::default()).await
}

async fn change(mut can: Can<ManageSpace>, to: &Security) -> Result<Ok<DetailedSpaceView>, Failure> {
    can.space.change(|space| space.security = to.clone(), &can.sources).await?;
    Result::Ok(Ok(DetailedSpaceView::from(can.space.record())))
}
