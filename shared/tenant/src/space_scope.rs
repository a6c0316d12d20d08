//! One space, as one caller may reach it.

use domain::{Env, ErrorKind, FileId, Handle, Role, ServiceError, SpaceId, Timestamp};
use table::Table;

use crate::{Caller, Tenants, caches::AncestorCache};

/// A space that a caller may know of: its record, the caller's role, and what is kept in it.
#[derive(Clone, Debug)]
pub struct SpaceScope {
    pub(crate) table: Table,
    pub(crate) hints: AncestorCache,
    pub(crate) record: domain::Space,
    role: Role,
}

impl Tenants {
    /// A space, by id; `None` where there is none, or none that the caller may know of.
    pub async fn space(
        &self,
        caller: &Caller,
        id: SpaceId,
    ) -> Result<Option<SpaceScope>, ServiceError> {
        if let Some((own, role)) = caller.own_space() {
            let record = if own == id {
                self.table.space(id).await?
            } else {
                None
            };
            return Ok(record.map(|record| self.scoped(record, role)));
        }
        let Some(user) = caller.user() else {
            return Ok(None);
        };
        let (record, membership) = self.table.space_and_membership(id, user).await?;
        Ok(record
            .zip(membership)
            .map(|(record, membership)| self.scoped(record, membership.role)))
    }

    /// A space, by handle; `None` where there is none, or none that the caller may know of.
    pub async fn space_by_handle(
        &self,
        caller: &Caller,
        handle: &Handle,
    ) -> Result<Option<SpaceScope>, ServiceError> {
        if let Some((own, role)) = caller.own_space() {
            let record = self
                .table
                .space(own)
                .await?
                .filter(|record| record.handle == *handle);
            return Ok(record.map(|record| self.scoped(record, role)));
        }
        let Some(user) = caller.user() else {
            return Ok(None);
        };
        let Some(record) = self.table.space_by_handle(handle).await? else {
            return Ok(None);
        };
        let membership = self.table.membership(user, record.id).await?;
        Ok(membership.map(|membership| self.scoped(record, membership.role)))
    }

    /// A file and its space, by the file's id; `None` where there is none, or none that the caller
    /// may know of.
    pub async fn file(
        &self,
        caller: &Caller,
        id: FileId,
    ) -> Result<Option<(SpaceScope, domain::File)>, ServiceError> {
        if let Some((own, role)) = caller.own_space() {
            let (space, file) = self.table.space_and_file(own, id).await?;
            return Ok(space
                .zip(file)
                .map(|(space, file)| (self.scoped(space, role), file)));
        }
        let (Some(user), Some(space_id)) = (caller.user(), self.table.space_of_file(id).await?)
        else {
            return Ok(None);
        };
        let found = self
            .table
            .space_file_and_membership(space_id, id, user)
            .await?;
        Ok(found.map(|(space, file, membership)| (self.scoped(space, membership.role), file)))
    }

    pub(crate) fn scoped(&self, record: domain::Space, role: Role) -> SpaceScope {
        telemetry::record_space(record.id);
        SpaceScope {
            table: self.table.clone(),
            hints: self.hints.clone(),
            record,
            role,
        }
    }
}

impl SpaceScope {
    /// A space for what nobody asked for.
    pub(crate) fn for_background_job(table: Table, record: domain::Space) -> SpaceScope {
        SpaceScope {
            table,
            hints: AncestorCache::default(),
            record,
            role: Role::Viewer,
        }
    }

    /// The space's record.
    pub fn record(&self) -> &domain::Space {
        &self.record
    }

    /// Returns the clock and the randomness of all that is written in the space.
    pub fn env(&self) -> &Env {
        self.table.env()
    }

    /// The present moment.
    pub(crate) fn now(&self) -> Timestamp {
        self.table.env().now()
    }

    /// The caller's role.
    pub fn role(&self) -> Role {
        self.role
    }

    /// Refuses a caller whose role is below this one.
    pub fn require_role(&self, least: Role) -> Result<(), ServiceError> {
        require_role(self.role, least)
    }

    /// Changes the space's record. Where others change it at the same time, the change is made
    /// again upon theirs.
    pub async fn change(
        &mut self,
        change: impl Fn(&mut domain::Space),
    ) -> Result<(), ServiceError> {
        let change = |space: &mut domain::Space, now| {
            change(space);
            space.updated_at = now;
            Ok(())
        };
        self.change_if(change).await
    }

    /// The same of a change at a moment that may refuse what it finds, and of which nobody is told.
    pub(crate) async fn change_if(
        &mut self,
        change: impl Fn(&mut domain::Space, Timestamp) -> Result<(), ServiceError>,
    ) -> Result<(), ServiceError> {
        let id = self.record.id;
        let this = &*self;
        let change = &change;
        let load = || async {
            this.table
                .space(id)
                .await?
                .ok_or_else(ServiceError::not_found)
        };
        let write = |from: domain::Space| async move {
            let mut changed = from.clone();
            change(&mut changed, this.now())?;
            changed.bump_access_version(&from);
            let version = this.table.change_space(&from, &changed).await?;
            Ok(domain::Space { version, ..changed })
        };
        self.record = this
            .table
            .retry_on_conflict(this.record.clone(), load, write)
            .await?;
        Ok(())
    }
}

/// Refuses a role that is below the least one.
pub(crate) fn require_role(role: Role, least: Role) -> Result<(), ServiceError> {
    if role >= least {
        return Ok(());
    }
    let message = format!(
        "This action requires the role {} or higher. Your role is {}.",
        least.name(),
        role.name()
    );
    Err(ServiceError::new(ErrorKind::Forbidden, message))
}

impl Caller {
    /// Refuses a space key whose role is below this one, before its space is known to be the one
    /// meant. An account key's role depends on the space.
    pub fn require_in_own_space(&self, least: Role) -> Result<(), ServiceError> {
        self.own_space()
            .map_or(Ok(()), |(_, role)| require_role(role, least))
    }
}
