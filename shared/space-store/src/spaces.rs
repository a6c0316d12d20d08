//! Creation of spaces, and the list of a caller's spaces.

use domain::{
    Completion, Handle, IdSequence, NewSpace, Page, PageBounds, PageRequest, Role, ServiceError,
    Space, UploadConfig, UserId,
};
use table::{ChangeError, Reason, WriteError};

use crate::{Caller, Tenants};

/// A space in a list, with the caller's role.
#[derive(Clone, Debug)]
pub struct ListedSpace {
    pub space: Space,
    pub role: Role,
}

impl Tenants {
    /// Creates a space with a starter config, owned by the user. `complete` returns the completion
    /// of the request's idempotency reservation.
    pub async fn create_space(
        &self,
        user: UserId,
        new: NewSpace,
        mut ids: IdSequence,
        complete: impl Fn(&Space) -> Option<Completion>,
    ) -> Result<Space, ServiceError> {
        let space = Space::new(new, &mut ids, self.table.env());
        let starter = &UploadConfig::starter(&space);
        let complete = &complete;
        let with_new_handle = || async {
            Ok(Space {
                handle: Handle::new(self.table.env()),
                ..space.clone()
            })
        };
        let create = |space: Space| async move {
            let completion = complete(&space);
            let created = self
                .table
                .spaces()
                .create(&space, starter, user, completion.as_ref())
                .await;
            match created {
                Err(WriteError::ConditionFailed(Reason::HandleTaken)) => Err(ChangeError::Conflict),
                created => Ok(created.map(|()| space)?),
            }
        };

        self.table
            .retry_on_conflict(space.clone(), with_new_handle, create)
            .await
    }

    /// Returns a page of the spaces that the caller has access to, newest first.
    pub async fn list_spaces(
        &self,
        caller: &Caller,
        page_request: &PageRequest,
    ) -> Result<Page<ListedSpace>, ServiceError> {
        if let Some(user) = caller.user() {
            let page = self.table.members().list_spaces(user, page_request).await?;
            return Ok(page.filter_map(|joined| {
                let role = joined.membership.role;
                joined.space.map(|space| ListedSpace { space, role })
            }));
        }

        let mut items = Vec::new();
        if let Some(own) = caller.space_role()
            && page_request.includes(own.space_id)
        {
            let space = self.table.spaces().get(own.space_id).await?;
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
