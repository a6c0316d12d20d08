//! `PUT` and `DELETE /spaces/:id/access-control`: who may see the space's files, where no file or folder says otherwise.

use domain::AccessControl;
use web::{Can, Failure, Fields, ManageSpace, Ok, Request, Valid};

use crate::views::DetailedSpaceView;

/// The flags that are given; the other one stays.
#[derive(Default)]
pub(crate) struct SetAccessControl {
    requires_auth: Option<bool>,
    public_read: Option<bool>,
}

impl Request for SetAccessControl {
    fn read(fields: &mut Fields) -> Option<SetAccessControl> {
        let given = fields.object("access_control", |fields| {
            let (requires_auth, public_read) = (fields.boolean("requires_auth"), fields.boolean("public_read"));
            Some(SetAccessControl { requires_auth, public_read })
        });
        Some(given.unwrap_or_default())
    }
}

pub(crate) async fn set_access_control(
    can: Can<ManageSpace>,
    Valid(set): Valid<SetAccessControl>,
) -> Result<Ok<DetailedSpaceView>, Failure> {
    change(can, |before| AccessControl {
        requires_auth: set.requires_auth.unwrap_or(before.requires_auth),
        public_read: set.public_read.unwrap_or(before.public_read),
    })
    .await
}

pub(crate) async fn reset_access_control(can: Can<ManageSpace>) -> Result<Ok<DetailedSpaceView>, Failure> {
    change(can, |_| AccessControl::default()).await
}

async fn change(
    mut can: Can<ManageSpace>,
    to: impl Fn(AccessControl) -> AccessControl,
) -> Result<Ok<DetailedSpaceView>, Failure> {
    can.space.change(|space| space.access_control = to(space.access_control), &can.sources).await?;
    Result::Ok(Ok(DetailedSpaceView::from(can.space.record())))
}
