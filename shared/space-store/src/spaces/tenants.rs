//! Access to all spaces, for a caller.

use domain::{errors::ServiceError, keys::Role, spaces::Space};
use table::{
    Table,
    spaces::{SpaceResource, WithSpace},
};

use super::{
    Caller, Scoped, SpaceRole, SpaceScope,
    caches::{ActiveConfigCache, AncestorCache},
};

/// Access to all spaces. A [`Caller`] reaches one of them through a [`SpaceScope`], and the lists
/// of a space key's own space through [`SpaceLists`](crate::spaces::SpaceLists).
#[derive(Clone, Debug)]
pub struct Tenants {
    pub(crate) table: Table,
    pub(crate) ancestors: AncestorCache,
    pub(crate) active_configs: ActiveConfigCache,
}

impl Tenants {
    /// Creates access to the spaces in a table, with empty caches.
    pub fn new(table: Table) -> Tenants {
        Tenants {
            table,
            ancestors: AncestorCache::default(),
            active_configs: ActiveConfigCache::default(),
        }
    }

    /// Returns a file, a folder's record or an upload config by id; `None` if the caller has no
    /// access to it.
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
    pub(crate) fn scope(&self, record: Space, role: Role) -> SpaceScope {
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
