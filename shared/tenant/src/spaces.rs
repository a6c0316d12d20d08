//! The spaces of one caller: making one, and listing those that the caller may see.

use domain::{ChosenIds, Fault, Handle, NewSpace, SpaceId, UploadConfig, UserId, Violation, Violations};
use table::{Completion, Listing, Membership, Page, SpaceRefused};

use crate::{Caller, Tenants};

/// Handles that are drawn for a new space before we give up; one of 1.5 billion is rarely taken.
const HANDLE_TRIES: u32 = 5;

impl Tenants {
    /// Makes a space with its first upload config, owned by the user. `complete` ends the request that it is made for.
    pub async fn create_space(
        &self,
        user: UserId,
        new: NewSpace,
        mut ids: ChosenIds,
        complete: impl Fn(&domain::Space) -> Option<Completion>,
    ) -> Result<domain::Space, Fault> {
        let mut space = domain::Space::new(new, &mut ids, self.table.sources());
        let starter = UploadConfig::starter(&space);
        for _ in 0..HANDLE_TRIES {
            match self.table.create_space(&space, &starter, user, complete(&space).as_ref()).await {
                Ok(()) => return Ok(space),
                Err(SpaceRefused::NameTaken) => return Err(Violations::from(("name", Violation::Taken)).into()),
                Err(SpaceRefused::HandleTaken) => space.handle = Handle::new(self.table.sources()),
                Err(SpaceRefused::Failed(error)) => return Err(error.into()),
            }
        }
        Err(Fault::unavailable("no free handle was found"))
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
