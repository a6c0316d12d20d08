//! Uploads with an API key.

use axum::extract::FromRequestParts as _;
use domain::{errors::ServiceError, spaces::Handle, uploads::UploadConfigReference};
use http::request::Parts;
use http_api::{
    caller::{Authenticated, Upload},
    describe::{DescribeInput as _, OperationBuilder},
    fields::{
        FOLDER_ID, FOLDER_PATH, FieldReader, FieldSource, FromFields, InputFields, Patch,
        read_folder,
    },
    response::ApiError,
};
use intake::MAX_FORM_FILES;
use space_store::folders::FolderSelector;

use super::{ResolvedTarget, UploadAuthorization, UploadGrant, UploadLimits};
use crate::{UploadsState, views::UploadedView};

/// An upload with an API key. The request names a space of the key, and may name an upload config
/// and a folder of it.
pub(crate) struct ByApiKey(Authenticated<Upload>);

/// The target fields of an upload with an API key.
pub(crate) struct ApiKeyTarget {
    space: Handle,
    config: Option<UploadConfigReference>,
    folder: Option<FolderSelector>,
}

impl FromFields for ApiKeyTarget {
    fn read(fields: &mut impl FieldReader) -> Option<ApiKeyTarget> {
        let space = fields.required("space", Handle::parse);
        let config = fields.optional("upload_config", UploadConfigReference::parse);
        let folder = match read_folder(fields) {
            Patch::Set(folder) => Some(folder),
            Patch::Keep | Patch::Clear => None,
        };
        fields.describe("space", "Handle of the space.");
        fields.describe(
            "upload_config",
            "Upload config: an id or a name. Default: the active one of the space.",
        );

        Some(ApiKeyTarget {
            space: space?,
            config,
            folder,
        })
    }
}

impl UploadAuthorization for ByApiKey {
    const TEXT_FIELDS: &'static [&'static str] =
        &["space", "upload_config", "ref", FOLDER_ID, FOLDER_PATH];
    const MAX_FILES: usize = MAX_FORM_FILES;
    const MAY_REPLACE: bool = true;

    type TargetFields = ApiKeyTarget;
    type View = UploadedView;

    async fn authorize(
        parts: &mut Parts,
        uploads: &UploadsState,
    ) -> Result<UploadGrant<ByApiKey>, ApiError> {
        let auth = Authenticated::<Upload>::from_request_parts(parts, uploads).await?;
        Ok(UploadGrant {
            principal: auth.caller.principal(),
            limits: UploadLimits::default(),
            idempotency: auth.idempotency.clone(),
            authorization: ByApiKey(auth),
        })
    }

    async fn resolve_target(
        self,
        target: ApiKeyTarget,
        fields: &mut InputFields,
    ) -> Result<ResolvedTarget, ServiceError> {
        let auth = self.0;
        let scope = auth
            .tenants()
            .upload_scopes()
            .find(&auth.caller, &target.space, target.config.as_ref())
            .await?;
        Ok(ResolvedTarget {
            scope: scope
                .map_err(|field_errors| fields.merge(field_errors))
                .ok(),
            folder: target.folder,
        })
    }

    fn describe(operation: &mut OperationBuilder<'_>) {
        Authenticated::<Upload>::describe(operation);
    }
}
