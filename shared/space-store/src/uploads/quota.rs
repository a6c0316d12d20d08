//! Hourly quotas of unsigned uploads.

use domain::{
    env::Timestamp,
    errors::ServiceError,
    requests::{HourlyQuota, QuotaScope},
};

use super::{PendingFile, UploadScope};
use crate::spaces::SpaceScope;

impl UploadScope {
    /// Fails with 429 if the hourly quota of uploads is exhausted in one of these scopes, before an
    /// upload is received.
    pub async fn require_quota(
        &self,
        quota: HourlyQuota,
        scopes: &[QuotaScope],
    ) -> Result<(), ServiceError> {
        match exhausted_quota(&self.space, quota, scopes).await? {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

impl PendingFile<'_> {
    /// Returns the 429 of an unsigned upload whose hourly quota is exhausted, before it is
    /// confirmed; `None` if it may still be accepted, and for other files.
    pub async fn exhausted_quota(self) -> Result<Option<ServiceError>, ServiceError> {
        let space = self.uploads.space;
        match self.file.pending_quota(space.now()) {
            Some(quota) => exhausted_quota(space, quota, QuotaScope::ACCEPTED).await,
            None => Ok(None),
        }
    }
}

/// Returns the 429 of an exhausted quota; `None` if an upload may still be accepted.
async fn exhausted_quota(
    space: &SpaceScope,
    quota: HourlyQuota,
    scopes: &[QuotaScope],
) -> Result<Option<ServiceError>, ServiceError> {
    let rates = space.table.rates();
    let exhausted = rates
        .exhausted_quota(space.record.id, quota, scopes)
        .await?;
    Ok(exhausted.map(|exhausted| exhausted.quota.exceeded_error(exhausted.scope, space.now())))
}

/// Returns the 429 of an upload over its quota.
pub(crate) fn quota_error(
    quota: Option<&HourlyQuota>,
    scope: QuotaScope,
    now: Timestamp,
) -> ServiceError {
    let error = quota.map(|quota| quota.exceeded_error(scope, now));
    error.unwrap_or_else(|| ServiceError::internal("a quota failed that was not set"))
}
