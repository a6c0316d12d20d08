//! The spaces of one caller: making one, and listing those that the caller may see.

use domain::{
    Completion, Handle, IdSequence, NewSpace, Page, PageBounds, PageRequest, ServiceError,
    UploadConfig, UserId,
};
use table::{ChangeError, Reason, WriteError};

use crate::{Caller, Tenants};

impl Tenants {
    /// Makes a space with its first upload config, owned by the user. `complete` ends the request
    /// that it is made for.
    pub async fn create_space(
        &self,
        user: UserId,
        new: NewSpace,
        mut ids: IdSequence,
        complete: impl Fn(&domain::Space) -> Option<Completion>,
    ) -> Result<domain::Space, ServiceError> {
        let space = domain::Space::new(new, &mut ids, self.table.env());
        let starter = UploadConfig::starter(&space);
        let redraw = || async {
            Ok(domain::Space {
                handle: Handle::new(self.table.env()),
                ..space.clone()
            })
        };
        let starter = &starter;
        let complete = &complete;
        let create = |space: domain::Space| async move {
            let created = self
                .table
                .create_space(&space, starter, user, complete(&space).as_ref())
                .await;
            match created {
                Err(WriteError::ConditionFailed(Reason::HandleTaken)) => Err(ChangeError::Conflict),
                created => Ok(created.map(|()| space)?),
            }
        };
        self.table
            .retry_on_conflict(space.clone(), redraw, create)
            .await
    }

    /// Returns a page of the spaces that the caller may see, newest first. A space key sees its
    /// own.
    pub async fn list_spaces(
        &self,
        caller: &Caller,
        page_request: &PageRequest,
    ) -> Result<Page<domain::Space>, ServiceError> {
        if let Some(user) = caller.user() {
            return Ok(self
                .table
                .list_spaces(user, page_request)
                .await?
                .filter_map(|(_, space)| space));
        }
        let mut items = Vec::new();
        if let Some((own, _)) = caller.own_space()
            && page_request.includes(own)
        {
            items.extend(self.table.space(own).await?);
        }
        let bounds = items.first().map(|space| PageBounds {
            first: space.id.to_string(),
            last: space.id.to_string(),
        });
        Ok(Page::new(page_request, bounds, false, items))
    }
}
