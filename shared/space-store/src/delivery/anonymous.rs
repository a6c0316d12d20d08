//! Limits of the images that requests without credentials create.

use domain::{
    errors::ServiceError,
    files::File,
    renditions::RenditionId,
    requests::{RateLimit, RenditionQuota},
};

use super::Delivery;

/// Limits of the images that requests without credentials create.
#[derive(Clone, Copy, Debug)]
pub struct AnonymousLimits {
    /// Renderings per space and minute.
    pub renderings: RateLimit,
    /// Stored renditions per file.
    pub renditions: RenditionQuota,
}

impl Delivery<'_> {
    /// Counts a rendering of a file. Fails with 429 if its space has none left in this minute.
    pub async fn count_rendering(
        self,
        file: &File,
        limits: AnonymousLimits,
    ) -> Result<(), ServiceError> {
        let space = file.space_id.to_string();
        let counted = self
            .tenants
            .table
            .rates()
            .count_request(&space, limits.renderings)
            .await?;
        if counted.is_allowed {
            Ok(())
        } else {
            Err(ServiceError::rate_limited(counted.rate_limit))
        }
    }

    /// Counts a rendition of a file that is to be stored, once. Returns `false` if it must not be
    /// stored, because the file has as many others as it may have.
    pub async fn reserve_rendition(
        self,
        file: &File,
        rendition: &RenditionId,
        limits: AnonymousLimits,
    ) -> Result<bool, ServiceError> {
        let quota = limits.renditions;
        Ok(self
            .tenants
            .table
            .rendition_counts()
            .reserve(file.space_id, file.id, rendition, quota)
            .await?)
    }
}
