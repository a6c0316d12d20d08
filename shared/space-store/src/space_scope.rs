//! Access to one space for one caller.

use domain::{Env, ErrorKind, Handle, Role, ServiceError, SpaceId, Timestamp};
use table::{SpaceResource, Table, WithSpace};

use crate::{Caller, SpaceRole, Tenants, caches::AncestorCache};

/// A space that a caller has access to, with the caller's role.
#[derive(Clone, Debug)]
pub struct SpaceScope {
    pub(crate) table: Table,
    pub(crate) ancestors: AncestorCache,
    pub(crate) record: domain::Space,
    role: Role,
}

/// A record and the scope of its space.
#[derive(Clone, Debug)]
pub struct Scoped<T> {
    /// The scope of the record's space.
    pub space: SpaceScope,
    pub record: T,
}

impl Tenants {
    /// Returns a space by id; `None` if the caller has no access to such a space.
    pub async fn space(
        &self,
        caller: &Caller,
        id: SpaceId,
    ) -> Result<Option<SpaceScope>, ServiceError> {
        if let Some(own) = caller.space_role() {
            if own.space_id != id {
                return Ok(None);
            }
            let space = self.table.spaces().get(id).await?;
            return Ok(space.map(|space| self.scope(space, own.role)));
        }

        let Some(user) = caller.user() else {
            return Ok(None);
        };
        let found = self.table.members().space_with_membership(id, user).await?;
        Ok(match (found.space, found.record) {
            (Some(space), Some(membership)) => Some(self.scope(space, membership.role)),
            _ => None,
        })
    }

    /// Returns a space by handle; `None` if the caller has no access to such a space.
    pub async fn space_by_handle(
        &self,
        caller: &Caller,
        handle: &Handle,
    ) -> Result<Option<SpaceScope>, ServiceError> {
        if let Some(own) = caller.space_role() {
            let space = self.table.spaces().get(own.space_id).await?;
            let space = space.filter(|space| space.handle == *handle);
            return Ok(space.map(|space| self.scope(space, own.role)));
        }

        match self.table.spaces().of_handle(handle).await? {
            Some(space) => self.space(caller, space).await,
            None => Ok(None),
        }
    }

    /// Returns a file, a folder's record or an upload config by id; `None` if the caller has no access
    /// to it.
    pub async fn resource<R: SpaceResource>(
        &self,
        caller: &Caller,
        id: R::Id,
    ) -> Result<Option<Scoped<R>>, ServiceError> {
        if let Some(own) = caller.space_role() {
            let found = self.table.spaces().with_resource(own.space_id, id).await?;
            return Ok(self.scope_own(found, own));
        }

        let Some(user) = caller.user() else {
            return Ok(None);
        };
        let Some(space) = self.table.spaces().of::<R>(id).await? else {
            return Ok(None);
        };
        let found = self
            .table
            .spaces()
            .resource_for_member(space, id, user)
            .await?;
        Ok(found.map(|found| Scoped {
            space: self.scope(found.space, found.membership.role),
            record: found.record,
        }))
    }

    /// Creates the scope of a space for a role.
    pub(crate) fn scope(&self, record: domain::Space, role: Role) -> SpaceScope {
        telemetry::record_space(record.id);
        SpaceScope {
            table: self.table.clone(),
            ancestors: self.ancestors.clone(),
            record,
            role,
        }
    }

    /// Scopes a record of a space key's own space; `None` if record or space do not exist.
    pub(crate) fn scope_own<T>(&self, found: WithSpace<T>, own: SpaceRole) -> Option<Scoped<T>> {
        let (Some(space), Some(record)) = (found.space, found.record) else {
            return None;
        };
        Some(Scoped {
            space: self.scope(space, own.role),
            record,
        })
    }
}

impl SpaceScope {
    /// Creates the scope of a space for a background job.
    pub(crate) fn for_background_job(table: Table, record: domain::Space) -> SpaceScope {
        SpaceScope {
            table,
            ancestors: AncestorCache::default(),
            record,
            role: Role::Viewer,
        }
    }

    /// Returns the space's record.
    pub fn record(&self) -> &domain::Space {
        &self.record
    }

    /// Returns the clock and the source of randomness.
    pub fn env(&self) -> &Env {
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

    /// Fails with 403 if the caller's role is below `min`.
    pub fn require_role(&self, min: Role) -> Result<(), ServiceError> {
        require_role(self.role, min)
    }

    /// Changes the space's record. On a conflict, `change` is applied to the current version.
    pub async fn change(
        &mut self,
        change: impl Fn(&mut domain::Space),
    ) -> Result<(), ServiceError> {
        let change = |space: &mut domain::Space, now| {
            change(space);
            space.updated_at = now;
            Ok(())
        };
        self.try_change(change).await
    }

    /// Changes the space's record unless `change` fails. Leaves `updated_at` unchanged.
    pub(crate) async fn try_change(
        &mut self,
        change: impl Fn(&mut domain::Space, Timestamp) -> Result<(), ServiceError>,
    ) -> Result<(), ServiceError> {
        let this = &*self;
        let change = &change;
        let load = || this.current_record();
        let write = |from: domain::Space| async move {
            let mut changed = from.clone();
            change(&mut changed, this.now())?;
            changed.bump_access_version(&from);
            match this.table.spaces().change(&from, changed).await {
                Ok(changed) => Ok(changed),
                Err(error) => Err(this.security_error(error).await),
            }
        };

        self.record = this
            .table
            .retry_on_conflict(this.record.clone(), load, write)
            .await?;
        Ok(())
    }

    /// Returns the current version of the space's record. Fails with 404 if the space was deleted.
    pub(crate) async fn current_record(&self) -> Result<domain::Space, ServiceError> {
        let space = self.table.spaces().get(self.record.id).await?;
        space.ok_or_else(ServiceError::not_found)
    }
}

/// Fails with 403 if a role is below `min`.
fn require_role(role: Role, min: Role) -> Result<(), ServiceError> {
    if role >= min {
        return Ok(());
    }
    let message = format!(
        "This action requires the role {}. Your role is {}.",
        min.or_higher(),
        role.name()
    );
    Err(ServiceError::new(ErrorKind::Forbidden, message))
}

impl Caller {
    /// Fails with 403 if the role of a space key is below `min`, before it is known which space the
    /// request is for. Succeeds for an account key, whose role depends on the space.
    pub fn require_in_own_space(&self, min: Role) -> Result<(), ServiceError> {
        match self.space_role() {
            Some(own) => require_role(own.role, min),
            None => Ok(()),
        }
    }
}
