//! `POST /spaces`: create a space with a generated handle and a first upload config. The caller
//! becomes its owner.

use axum::extract::State;
use domain::{
    errors::parse_variant,
    keys::Role,
    naming::{Description, HostName, SpaceName},
    spaces::NewSpace,
};
use http_api::{
    caller::AccountHolder,
    describe::Endpoint,
    fields::{FieldReader, FromFields},
    request::IdempotentJson,
    response::{ApiError, Created},
};

use super::cdn_domains::CdnDomains;
use crate::views::DetailedSpaceView;

pub(crate) const CREATE: Endpoint = Endpoint::post("createSpace", "/spaces", "Create a space")
    .description(
        "Requires an account key, whose user becomes the owner. The space gets a unique `handle`, \
         with which every `storage_path` begins, and a first upload config, which is its active \
         one. `folder_mode` cannot be changed afterwards.",
    );

pub(crate) struct CreateSpace(NewSpace);

impl FromFields for CreateSpace {
    fn read(fields: &mut impl FieldReader) -> Option<CreateSpace> {
        let name = fields.required("name", SpaceName::parse);
        let description = fields.optional("description", Description::parse);
        let folder_mode = fields
            .optional("folder_mode", parse_variant)
            .unwrap_or_default();
        let enabled = fields.boolean("enabled").unwrap_or(true);
        let custom_domain = fields.optional("custom_domain", HostName::parse);
        let webhook_url = fields.optional_url("webhook_url");
        describe_settings(fields);
        fields.describe(
            "folder_mode",
            "Whether the folder path is part of `storage_path`. Default: `dynamic`.",
        );

        Some(CreateSpace(NewSpace {
            name: name?,
            description,
            folder_mode,
            enabled,
            custom_domain,
            webhook_url,
        }))
    }
}

/// Describes the fields that creation and update share.
pub(super) fn describe_settings(fields: &mut impl FieldReader) {
    fields.describe(
        "enabled",
        "Whether the space accepts uploads and delivers files. A new space has true by default.",
    );
    fields.describe(
        "custom_domain",
        "Host of the `url` of files: a domain that the deployment added to its CDN. Null for the host of the CDN.",
    );
    fields.describe(
        "webhook_url",
        "URL of webhooks. That of an upload config replaces it for the config's files.",
    );
}

pub(crate) async fn create(
    State(cdn_domains): State<CdnDomains>,
    AccountHolder { user, auth }: AccountHolder,
    body: IdempotentJson<CreateSpace>,
) -> Result<Created<DetailedSpaceView>, ApiError> {
    body.run_once(async |CreateSpace(new), reservation| {
        if let Some(domain) = &new.custom_domain {
            cdn_domains.require(domain)?;
        }
        let complete = |space: &domain::spaces::Space| {
            reservation.complete(&DetailedSpaceView::of(space, Role::Owner))
        };
        let space = auth
            .tenants()
            .spaces()
            .create(user, new, reservation.ids(), complete)
            .await?;

        Ok(DetailedSpaceView::of(&space, Role::Owner))
    })
    .await
}
