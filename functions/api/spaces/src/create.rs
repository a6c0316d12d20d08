//! `POST /spaces`: make a space, owned by the caller, with a handle and a first upload config.

use domain::{Description, FolderMode, NewSpace, SpaceName};
use web::{Authenticated, Created, Failure, Fields, Request, Valid};

use crate::views::SpaceView;

pub(crate) struct CreateSpace(NewSpace);

impl Request for CreateSpace {
    fn read(fields: &mut Fields) -> Option<CreateSpace> {
        let name = fields.required("name", SpaceName::parse);
        let description = fields.optional("description", Description::parse);
        let folder_mode = fields.optional("folder_mode", FolderMode::parse).unwrap_or_default();
        Some(CreateSpace(NewSpace { name: name?, description, folder_mode }))
    }
}

pub(crate) async fn create(
    by: Authenticated,
    Valid(CreateSpace(new)): Valid<CreateSpace>,
) -> Result<Created<SpaceView>, Failure> {
    let space = by.tenants().create_space(&by.caller, new, by.sources()).await?;
    Ok(Created(SpaceView::from(space.record())))
}
