//! The spaces of one caller: making one, and listing those that the caller may see.

use domain::{ChosenIds, Fault, Handle, NewSpace, SpaceId, UploadConfig, UserId};
use table::{ChangeError, Completion, Listing, Membership, Page, Reason, WriteError};

use crate::{Caller, Tenants};

impl Tenants {
    /// Makes a space with its first upload config, owned by the user. `complete` ends the request that it is made for.
    pub async fn create_space(
        &self,
        user: UserId,
        new: NewSpace,
        mut ids: ChosenIds,
        complete: impl Fn(&domain::Space) -> Option<Completion>,
    ) -> Result<domain::Space, Fault> {
        let space = domain::Space::new(new, &mut ids, self.table.sources());
        let starter = UploadConfig::starter(&space);
        let redraw = || async { Ok(domain::Space { handle: Handle::new(self.table.sources()), ..space.clone() }) };
        let starter = &starter;
        let complete = &complete;
        let create = |space: domain::Space| async move {
            let created = self.table.create_space(&space, starter, user, complete(&space).as_ref()).await;
            match created {
                Err(WriteError::ConditionFailed(Reason::HandleTaken)) => Err(ChangeError::Conflict),
                created => Ok(created.map(|()| space)?),
            }
        };
        self.table.retry_on_conflict(space.clone(), redraw, create).await
    }

    /// A page of the spaces that the caller may see, newest first; those that are being deleted leave a gap. A space key
    /// sees its own.
    pub async fn list_spaces(
        &self,
        caller: &Caller,
        listing: Listing<SpaceId>,
    ) -> Result<Page<(SpaceId, Option<domain::Space>)>, Fault> {
        if let Some(user) = caller.user() {
            let Page { records, more } = self.table.list_spaces(user, listing).await?;
            let space = |(membership, space): (Membership, _)| (membership.space_id, space);
            return Ok(Page { records: records.into_iter().map(space).collect(), more });
        }
        let own = caller.own_space().map(|(own, _)| own).filter(|own| listing.start.includes(own));
        let mut records = Vec::new();
        if let Some(own) = own {
            records.extend(self.table.space(own).await?.map(|space| (own, Some(space))));
        }
        Ok(Page { records, more: false })
    }
}
