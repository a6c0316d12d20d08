//! Authorization of uploads: by an API key, by a signed URL, or without a key by the unsigned
//! restrictions of an upload config. Each kind implements [`UploadAuthorization`] and yields an
//! [`UploadGrant`].
//!
//! Invariant: every authorized request counts against a rate limit. A request without a key is
//! counted only after its signature was verified or its config was found, so that other requests
//! create no counters.

mod anonymous;
mod api_key;
pub(crate) mod generate_signed_url;
mod signed_url;
mod unsigned;

use std::future::Future;

use axum::extract::FromRequestParts;
use domain::{
    env::Timestamp,
    errors::ServiceError,
    id::UploadConfigId,
    keys::Principal,
    naming::{OriginalName, Reference},
    requests::{HourlyQuota, UnsignedClient},
    uploads::SigningApiKey,
};
use http::request::Parts;
use http_api::{
    caller::IdempotencyScope,
    describe::{DescribeInput, OperationBuilder},
    fields::{FieldReader, FromFields, InputFields},
    response::ApiError,
};
use intake::ConfirmationTerms;
use mime::Mime;
use space_store::{folders::FolderSelector, uploads::UploadScope};

use crate::{UploadsState, views::UploadView};

pub(crate) use anonymous::AnonymousUploads;
pub(crate) use api_key::ByApiKey;
pub(crate) use signed_url::BySignedUrl;
pub(crate) use unsigned::Unsigned;

/// A way to authorize an upload.
pub(crate) trait UploadAuthorization: Sized + Send + Sync + 'static {
    /// Names of the text fields of a form. Others are ignored.
    const TEXT_FIELDS: &'static [&'static str];
    /// Maximum number of files in a form. The field `files` exists only if it is above 1.
    const MAX_FILES: usize = 1;
    /// Whether a presigned upload may replace the bytes of a file.
    const MAY_REPLACE: bool = false;

    /// The fields that name the space, the upload config and the folder.
    type TargetFields: FromFields;
    /// The view of uploaded files.
    type View: UploadView;

    /// Authorizes a request and counts it against its rate limit.
    fn authorize(
        parts: &mut Parts,
        uploads: &UploadsState,
    ) -> impl Future<Output = Result<UploadGrant<Self>, ApiError>> + Send;

    /// Resolves the target of the files. Fails with 403 if it is not authorized. Records field
    /// errors of names that do not exist, or that repeat the authorization's own with another
    /// value.
    fn resolve_target(
        self,
        target: Self::TargetFields,
        fields: &mut InputFields,
    ) -> impl Future<Output = Result<ResolvedTarget, ServiceError>> + Send;

    /// Describes the authentication in the OpenAPI document.
    fn describe(operation: &mut OperationBuilder<'_>);
}

pub(crate) struct UploadGrant<A> {
    pub(crate) principal: Principal,
    /// Properties that the authorization fixes, and limits that it sets.
    pub(crate) limits: UploadLimits,
    /// The scope of the request's `Idempotency-Key`.
    pub(crate) idempotency: IdempotencyScope,
    /// Resolves the target of the upload.
    pub(crate) authorization: A,
}

/// Properties of the files that a grant fixes, and limits that it sets, independent of the request.
#[derive(Clone, Debug, Default)]
pub(crate) struct UploadLimits {
    /// The file's name, which replaces the one in the request.
    pub(crate) original_name: Option<OriginalName>,
    /// The only allowed MIME type.
    pub(crate) content_type: Option<Mime>,
    /// The key of the signed URL.
    pub(crate) signed_by: Option<SigningApiKey>,
    /// The client of an unsigned upload. `None` if the uploads are not counted per hour.
    pub(crate) client: Option<UnsignedClient>,
}

/// The space, config and folder of an upload.
#[derive(Default)]
pub(crate) struct ResolvedTarget {
    /// The space and the config. `None` only if a field error was recorded.
    pub(crate) scope: Option<UploadScope>,
    /// The folder that the request or the signed URL names. `None` for the config's own.
    pub(crate) folder: Option<FolderSelector>,
}

/// The fields that every upload has.
pub(crate) struct UploadFields<A: UploadAuthorization> {
    /// The fields that name the target. `None` only if a field error was recorded.
    pub(crate) target: Option<A::TargetFields>,
    /// The client's own reference for the files.
    pub(crate) reference: Option<Reference>,
}

impl<A: UploadAuthorization> UploadFields<A> {
    pub(crate) fn read(fields: &mut impl FieldReader) -> UploadFields<A> {
        let target = A::TargetFields::read(fields);
        let reference = fields.optional("ref", Reference::parse);
        fields.describe("ref", "Reference of the client, to find the file by.");

        UploadFields { target, reference }
    }
}

impl UploadLimits {
    /// Returns what the confirmation of a presigned upload requires.
    pub(crate) fn confirmation_terms(&self) -> ConfirmationTerms<'_> {
        ConfirmationTerms {
            expected_type: self.content_type.as_ref(),
            signed_by: self.signed_by,
            client: self.client.clone(),
            replaces: None,
        }
    }

    /// Returns the hourly quota that an upload counts against, if uploads are counted.
    pub(crate) fn quota(&self, config: UploadConfigId, now: Timestamp) -> Option<HourlyQuota> {
        let client = self.client.clone()?;
        Some(HourlyQuota::new(config, client, now))
    }
}

impl<A: UploadAuthorization> FromRequestParts<UploadsState> for UploadGrant<A> {
    type Rejection = ApiError;

    async fn from_request_parts(
        parts: &mut Parts,
        uploads: &UploadsState,
    ) -> Result<UploadGrant<A>, ApiError> {
        A::authorize(parts, uploads).await
    }
}

impl<A: UploadAuthorization> DescribeInput for UploadGrant<A> {
    fn describe(operation: &mut OperationBuilder<'_>) {
        A::describe(operation);
        operation.idempotency_key();
        for status in [403, 429, 500, 503] {
            operation.error(status);
        }
    }
}

#[cfg(test)]
mod tests {
    use http_api::describe::{SchemaReader, ValueForms};
    use schemars::SchemaGenerator;

    use super::*;

    fn require_text_fields<A: UploadAuthorization>() {
        let mut schemas = SchemaGenerator::default();
        let mut reader = SchemaReader::of_texts(&mut schemas, ValueForms::Accepted);
        UploadFields::<A>::read(&mut reader);
        let schema = reader.into_schema();

        let properties = schema["properties"].as_object().expect("an object schema");
        for name in properties.keys() {
            assert!(
                A::TEXT_FIELDS.contains(&name.as_str()),
                "{name} is not in TEXT_FIELDS"
            );
        }
    }

    #[test]
    fn text_fields_contain_every_field_that_is_read() {
        require_text_fields::<ByApiKey>();
        require_text_fields::<BySignedUrl>();
        require_text_fields::<Unsigned>();
    }
}
