//! `PUT /spaces/:id`: change a space. What is absent stays; null clears what may be null.

use domain::{
    Description, Fault, FolderMode, HostName, Space, SpaceName, UploadConfigId,
    UploadConfigReference, Violation, Violations, WebAddress, parse_variant,
};
use web::{Can, Data, Endpoint, Failure, FieldReader, FromFields, ManageSpace, Patch, ValidJson};

use crate::views::DetailedSpaceView;

pub(crate) const UPDATE: Endpoint = Endpoint::put("updateSpace", "/spaces/{id}", "Update a space");

pub(crate) struct UpdateSpace {
    name: SpaceName,
    description: Patch<Description>,
    webhook_url: Patch<WebAddress>,
    custom_domain: Patch<HostName>,
    enabled: Option<bool>,
    active_upload_config_id: Option<UploadConfigId>,
    /// The mode that the request states; it is set on creation only.
    folder_mode: Option<FolderMode>,
}

impl FromFields for UpdateSpace {
    fn read(fields: &mut impl FieldReader) -> Option<UpdateSpace> {
        let name = fields.required("name", SpaceName::parse);
        let description = fields.change("description", Description::parse);
        let webhook_url = fields.change("webhook_url", WebAddress::parse);
        let custom_domain = fields.change("custom_domain", HostName::parse);
        let enabled = fields.boolean("enabled");
        let config = fields.present("active_upload_config_id", |id| {
            id.parse().map_err(|_| Violation::Unknown)
        });
        let folder_mode = fields.optional("folder_mode", parse_variant);

        Some(UpdateSpace {
            name: name?,
            description,
            webhook_url,
            custom_domain,
            enabled,
            active_upload_config_id: config,
            folder_mode,
        })
    }
}

impl UpdateSpace {
    fn apply(&self, space: &mut Space) {
        space.name = self.name.clone();
        self.description.apply(&mut space.description);
        self.webhook_url.apply(&mut space.webhook_url);
        self.custom_domain.apply(&mut space.custom_domain);
        space.enabled = self.enabled.unwrap_or(space.enabled);
        space.active_upload_config_id = self
            .active_upload_config_id
            .unwrap_or(space.active_upload_config_id);
    }
}

pub(crate) async fn update(
    mut can: Can<ManageSpace>,
    ValidJson(update): ValidJson<UpdateSpace>,
) -> Result<Data<DetailedSpaceView>, Failure> {
    if update
        .folder_mode
        .is_some_and(|mode| mode != can.space.record().folder_mode)
    {
        return Err(Violations::from(("folder_mode", Violation::ReadOnly)).into());
    }
    if let Some(id) = update.active_upload_config_id {
        demand_config(&can, id).await?;
    }
    can.space.change(|space| update.apply(space)).await?;
    Ok(Data(DetailedSpaceView::from(can.space.record())))
}

async fn demand_config(can: &Can<ManageSpace>, id: UploadConfigId) -> Result<(), Fault> {
    match can
        .space
        .upload_config(Some(&UploadConfigReference::Id(id)))
        .await?
    {
        Some(_) => Ok(()),
        None => Err(Violations::from(("active_upload_config_id", Violation::Unknown)).into()),
    }
}
