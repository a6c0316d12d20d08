//! Access to one space for one caller.

use domain::{
    env::{Env, Timestamp},
    errors::ServiceError,
    files::Usage,
    keys::Role,
};
use table::Table;

use super::caches::AncestorCache;

/// A space that a caller has access to, with the caller's role.
#[derive(Clone, Debug)]
pub struct SpaceScope {
    pub(crate) table: Table,
    pub(crate) ancestors: AncestorCache,
    pub(crate) record: domain::spaces::Space,
    pub(super) role: Role,
}

/// A record and the scope of its space.
#[derive(Clone, Debug)]
pub struct Scoped<T> {
    /// The scope of the record's space.
    pub space: SpaceScope,
    pub record: T,
}

impl SpaceScope {
    /// Creates the scope of a space for a background job.
    pub(crate) fn for_background_job(table: Table, record: domain::spaces::Space) -> SpaceScope {
        SpaceScope {
            table,
            ancestors: AncestorCache::default(),
            record,
            role: Role::Viewer,
        }
    }

    /// Returns the space's record.
    pub fn record(&self) -> &domain::spaces::Space {
        &self.record
    }

    /// Returns the clock and the source of randomness.
    pub(crate) fn env(&self) -> &Env {
        self.table.env()
    }

    /// Returns the current time.
    pub(crate) fn now(&self) -> Timestamp {
        self.table.env().now()
    }

    /// Returns the caller's role.
    pub fn role(&self) -> Role {
        self.role
    }

    /// Whether folders that were deleted with their contents are being purged.
    pub fn has_folder_purges(&self) -> bool {
        self.record.folder_purges > 0
    }

    /// Returns the usage of the space.
    pub async fn usage(&self) -> Result<Usage, ServiceError> {
        Ok(self.table.spaces().usage(self.record.id).await?)
    }

    /// Changes the space's record. On a conflict, `change` is applied to the current version.
    pub async fn change(
        &mut self,
        change: impl Fn(&mut domain::spaces::Space),
    ) -> Result<(), ServiceError> {
        let change = |space: &mut domain::spaces::Space, now| {
            change(space);
            space.updated_at = now;
            Ok(())
        };
        self.try_change(change).await
    }

    /// Changes the space's record unless `change` fails. Leaves `updated_at` unchanged.
    pub(crate) async fn try_change(
        &mut self,
        change: impl Fn(&mut domain::spaces::Space, Timestamp) -> Result<(), ServiceError>,
    ) -> Result<(), ServiceError> {
        let this = &*self;
        let change = &change;
        let load = || this.current_record();
        let write = |from: domain::spaces::Space| async move {
            let mut changed = from.clone();
            change(&mut changed, this.now())?;
            changed.bump_access_version(&from);
            Ok(this.table.spaces().change(&from, changed).await?)
        };

        self.record = this
            .table
            .retry_on_conflict(this.record.clone(), load, write)
            .await?;
        Ok(())
    }

    /// Returns the current version of the space's record. Fails with 404 if the space was deleted.
    pub(crate) async fn current_record(&self) -> Result<domain::spaces::Space, ServiceError> {
        let space = self.table.spaces().get(self.record.id).await?;
        space.ok_or_else(ServiceError::not_found)
    }
}
