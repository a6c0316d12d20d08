//! Files of clients without a key, which confirm them with a token.

use domain::{errors::ServiceError, files::File, id::FileId, uploads::ConfirmTokens};

use super::{UploadScopes, scopes::UPLOAD_ROLE};
use crate::{spaces::Scoped, uploads::PRESIGNED_URL_LIFETIME_MS};

/// Lifetime of a confirm token from the creation of its file, in milliseconds: an hour longer than
/// that of the presigned URL.
const CONFIRM_TOKEN_LIFETIME_MS: i64 = PRESIGNED_URL_LIFETIME_MS + 60 * 60 * 1_000;

impl UploadScopes<'_> {
    /// Returns an anonymous file by its confirm token; `None` if the file no longer exists. Fails
    /// with 403 if the token is invalid or has expired.
    pub async fn anonymous_file(
        self,
        id: FileId,
        token: &str,
        tokens: &ConfirmTokens,
    ) -> Result<Option<Scoped<File>>, ServiceError> {
        if !tokens.verify(token, id) {
            return Err(ServiceError::forbidden(
                "The confirm token does not belong to this file.",
            ));
        }
        let Some(space_id) = self.tenants.table.spaces().of::<File>(id).await? else {
            return Ok(None);
        };
        let found = self
            .tenants
            .table
            .spaces()
            .with_resource::<File>(space_id, id)
            .await?;
        let (Some(space), Some(file)) = (found.space, found.record) else {
            return Ok(None);
        };
        if !file.uploaded_by.is_anonymous() {
            return Ok(None);
        }

        let expires_at = file.created_at.plus_ms(CONFIRM_TOKEN_LIFETIME_MS);
        if self.tenants.table.env().now() >= expires_at {
            return Err(ServiceError::forbidden(
                "The confirm token has expired. Create a new presigned upload.",
            ));
        }
        let space = self.tenants.scope(space, UPLOAD_ROLE);
        let file = space.files().without_deleted(vec![file]).await?.pop();
        Ok(file.map(|record| Scoped { space, record }))
    }
}
