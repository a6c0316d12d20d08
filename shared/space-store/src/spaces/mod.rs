//! Spaces: who has access to them, their records, and their deletion.
//!
//! Invariants:
//! - A [`SpaceScope`] exists only for an authorized [`Caller`], a verified upload, a valid confirm
//!   token, or a background job. It reads and writes only its own space.
//! - A change of a record applies to the current version, or fails.

mod caches;
mod caller;
mod deletion;
mod lists;
mod scope;
mod tenants;

pub(crate) use caches::AncestorCache;
pub use caller::{Caller, SpaceRole};
pub(crate) use deletion::{DELETE_LOCK_MS, PURGE_DELAY_SECONDS, space_locked};
pub use lists::SpaceLists;
pub use scope::{Scoped, SpaceScope};
pub use tenants::Tenants;

use domain::{
    errors::ServiceError,
    id::{IdSequence, SpaceId, UserId},
    keys::Role,
    requests::{Completion, Page, PageBounds, PageRequest},
    spaces::{Handle, NewSpace, Space},
    uploads::UploadConfig,
};
use table::{
    change::ChangeError,
    errors::{Reason, WriteError},
};

/// The spaces that callers have access to.
#[derive(Clone, Copy, Debug)]
pub struct Spaces<'a> {
    tenants: &'a Tenants,
}

/// A space in a list, with the caller's role.
#[derive(Clone, Debug)]
pub struct ListedSpace {
    pub space: Space,
    pub role: Role,
}

impl Tenants {
    pub fn spaces(&self) -> Spaces<'_> {
        Spaces { tenants: self }
    }
}

impl Spaces<'_> {
    /// Returns a space by id; `None` if the caller has no access to such a space.
    pub async fn get(
        self,
        caller: &Caller,
        id: SpaceId,
    ) -> Result<Option<SpaceScope>, ServiceError> {
        if let Some(own) = caller.space_role() {
            if own.space_id != id {
                return Ok(None);
            }
            let space = self.tenants.table.spaces().get(id).await?;
            return Ok(space.map(|space| self.tenants.scope(space, own.role)));
        }

        let Some(user) = caller.user() else {
            return Ok(None);
        };
        let found = self
            .tenants
            .table
            .members()
            .space_with_membership(id, user)
            .await?;
        Ok(match (found.space, found.record) {
            (Some(space), Some(membership)) => Some(self.tenants.scope(space, membership.role)),
            _ => None,
        })
    }

    /// Returns a space by handle; `None` if the caller has no access to such a space.
    pub async fn by_handle(
        self,
        caller: &Caller,
        handle: &Handle,
    ) -> Result<Option<SpaceScope>, ServiceError> {
        if let Some(own) = caller.space_role() {
            let space = self.tenants.table.spaces().get(own.space_id).await?;
            let space = space.filter(|space| space.handle == *handle);
            return Ok(space.map(|space| self.tenants.scope(space, own.role)));
        }

        match self.tenants.table.spaces().of_handle(handle).await? {
            Some(space) => self.get(caller, space).await,
            None => Ok(None),
        }
    }

    /// Creates a space with a starter config, owned by the user. `complete` returns the completion
    /// of the request's idempotency reservation.
    pub async fn create(
        self,
        user: UserId,
        new: NewSpace,
        mut ids: IdSequence,
        complete: impl Fn(&Space) -> Option<Completion>,
    ) -> Result<Space, ServiceError> {
        let space = Space::new(new, &mut ids, self.tenants.table.env());
        let starter = &UploadConfig::starter(&space);
        let complete = &complete;
        let with_new_handle = || async {
            Ok(Space {
                handle: Handle::new(self.tenants.table.env()),
                ..space.clone()
            })
        };
        let create = |space: Space| async move {
            let completion = complete(&space);
            let created = self
                .tenants
                .table
                .spaces()
                .create(&space, starter, user, completion.as_ref())
                .await;
            match created {
                Err(WriteError::ConditionFailed(Reason::HandleTaken)) => Err(ChangeError::Conflict),
                created => Ok(created.map(|()| space)?),
            }
        };

        self.tenants
            .table
            .retry_on_conflict(space.clone(), with_new_handle, create)
            .await
    }

    /// Returns a page of the spaces that the caller has access to, newest first.
    pub async fn list(
        self,
        caller: &Caller,
        page_request: &PageRequest,
    ) -> Result<Page<ListedSpace>, ServiceError> {
        if let Some(user) = caller.user() {
            let page = self
                .tenants
                .table
                .members()
                .list_spaces(user, page_request)
                .await?;
            return Ok(page.filter_map(|joined| {
                let role = joined.membership.role;
                joined.space.map(|space| ListedSpace { space, role })
            }));
        }

        let mut items = Vec::new();
        if let Some(own) = caller.space_role()
            && page_request.includes(own.space_id)
        {
            let space = self.tenants.table.spaces().get(own.space_id).await?;
            let role = own.role;
            items.extend(space.map(|space| ListedSpace { space, role }));
        }
        let bounds = items.first().map(|found| PageBounds {
            first: found.space.id.to_string(),
            last: found.space.id.to_string(),
        });
        Ok(Page::new(page_request, bounds, false, items))
    }
}
