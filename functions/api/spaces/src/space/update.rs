//! `PUT /spaces/:id`: update a space. Absent fields are unchanged, and null clears a nullable
//! field.

use axum::extract::State;
use domain::{
    errors::{FieldError, FieldErrors, ServiceError, parse_variant},
    id::UploadConfigId,
    naming::{Description, HostName, PublicHttpsUrl, SpaceName},
    settings::{FolderMode, TrashDays},
    spaces::Space,
    uploads::UploadConfigReference,
};
use http_api::{
    caller::{Can, ManageSpace},
    describe::Endpoint,
    fields::{FieldReader, FromFields, Patch},
    request::ValidJson,
    response::{ApiError, Data},
};

use super::{cdn_domains::CdnDomains, create::describe_settings};
use crate::views::DetailedSpaceView;

pub(crate) const UPDATE: Endpoint = Endpoint::put("updateSpace", "/spaces/{id}", "Update a space")
    .description(
        "Absent fields stay unchanged, but `name` is always required; null clears `description`, \
         `webhook_url` and `custom_domain`. With `enabled: false` the space rejects uploads and \
         confirmations, delivers no files and sends no webhooks. `custom_domain` changes the \
         `url` of every file in responses.",
    );

pub(crate) struct UpdateSpace {
    name: SpaceName,
    description: Patch<Description>,
    webhook_url: Patch<PublicHttpsUrl>,
    custom_domain: Patch<HostName>,
    enabled: Option<bool>,
    trash_days: Option<TrashDays>,
    active_upload_config_id: Option<UploadConfigId>,
    /// Must equal the mode that was set on creation.
    folder_mode: Option<FolderMode>,
}

impl FromFields for UpdateSpace {
    fn read(fields: &mut impl FieldReader) -> Option<UpdateSpace> {
        let name = fields.required("name", SpaceName::parse);
        let description = fields.patch("description", Description::parse);
        let url_policy = fields.url_policy();
        let webhook_url = fields.patch("webhook_url", |text| {
            PublicHttpsUrl::parse_with(text, url_policy)
        });
        let custom_domain = fields.patch("custom_domain", HostName::parse);
        let enabled = fields.boolean("enabled");
        let trash_days = fields.integer("trash_days", 0, TrashDays::MAX);
        let active_upload_config_id = fields.non_null("active_upload_config_id", |id| {
            id.parse().map_err(|_| FieldError::InvalidSelection)
        });
        let folder_mode = fields.optional("folder_mode", parse_variant);
        describe_settings(fields);
        fields.describe(
            "name",
            "Name of the space, unique among all spaces. Required even if it does not change.",
        );
        fields.describe(
            "active_upload_config_id",
            "Id of the upload config of uploads that do not name one.",
        );
        fields.describe(
            "trash_days",
            "For how many days deleted files can be restored: 0 to 30. A change affects later deletions only.",
        );
        fields.describe("folder_mode", "Must equal the mode set on creation.");

        Some(UpdateSpace {
            name: name?,
            description,
            webhook_url,
            custom_domain,
            enabled,
            trash_days: trash_days.and_then(TrashDays::new),
            active_upload_config_id,
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
        space.trash_days = self.trash_days.unwrap_or(space.trash_days);
        space.active_upload_config_id = self
            .active_upload_config_id
            .unwrap_or(space.active_upload_config_id);
    }
}

pub(crate) async fn update(
    State(cdn_domains): State<CdnDomains>,
    mut can: Can<ManageSpace>,
    ValidJson(update): ValidJson<UpdateSpace>,
) -> Result<Data<DetailedSpaceView>, ApiError> {
    let folder_mode = can.space.record().folder_mode;
    if update.folder_mode.is_some_and(|mode| mode != folder_mode) {
        return Err(FieldErrors::from(("folder_mode", FieldError::ReadOnly)).into());
    }
    if let Patch::Set(domain) = &update.custom_domain
        && can.space.record().custom_domain.as_ref() != Some(domain)
    {
        cdn_domains.require(domain)?;
    }
    if let Some(id) = update.active_upload_config_id {
        require_upload_config(&can, id).await?;
    }

    can.space.change(|space| update.apply(space)).await?;
    Ok(Data(DetailedSpaceView::of(
        can.space.record(),
        can.space.role(),
    )))
}

/// Fails with 422 if the upload config does not exist in the space.
async fn require_upload_config(
    can: &Can<ManageSpace>,
    id: UploadConfigId,
) -> Result<(), ServiceError> {
    let reference = UploadConfigReference::Id(id);
    let config = can.space.upload_configs().get(Some(&reference)).await?;
    match config {
        Some(_) => Ok(()),
        None => {
            Err(FieldErrors::from(("active_upload_config_id", FieldError::InvalidSelection)).into())
        }
    }
}
