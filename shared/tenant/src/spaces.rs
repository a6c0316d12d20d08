//! Creation of spaces, and the list of a caller's spaces.

use domain::{
    Completion, Handle, IdSequence, NewSpace, Page, PageBounds, PageRequest, ServiceError, Space,
    UploadConfig, UserId,
};
use table::{ChangeError, Reason, WriteError};

use crate::{Caller, Tenants};

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
                .create_space(&space, starter, user, completion.as_ref())
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
    ) -> Result<Page<Space>, ServiceError> {
        if let Some(user) = caller.user() {
            let page = self.table.list_spaces(user, page_request).await?;
            return Ok(page.filter_map(|joined| joined.space));
        }

        let mut items = Vec::new();
        if let Some(own) = caller.space_role()
            && page_request.includes(own.space_id)
        {
            items.extend(self.table.space(own.space_id).await?);
        }
        let bounds = items.first().map(|space| PageBounds {
            first: space.id.to_string(),
            last: space.id.to_string(),
        });
        Ok(Page::new(page_request, bounds, false, items))
    }
}
