//! The deletion of a space: announced to the purge first, marked second.
//!
//! A space that is to be deleted only if it is empty is closed before it is looked at. Whoever stores a file looks at the
//! space after writing: either the deletion sees the file, or the file's upload sees that the space is closed, and no
//! upload that was accepted is lost.

use domain::{Fault, Sources, Violation};
use queue::{PurgeJob, PurgePass, Queue};

use crate::Space;

/// How long a space stays closed where its deletion does not get on, in milliseconds: longer than a request lasts.
const CLOSED_MS: i64 = 60_000;
/// Seconds by which the announcement is kept back, so that the mark is there when it is read.
const ANNOUNCEMENT_SECONDS: i32 = 1;

impl Space {
    /// Deletes the space, if it is empty or `force` says so; the purge removes what is in it.
    pub async fn delete(mut self, force: bool, purge: &Queue<PurgeJob>, sources: &Sources) -> Result<(), Fault> {
        if !force {
            self.demand_empty().await?;
            let closed_until = Some(sources.now().plus_ms(CLOSED_MS));
            self.change(|space| space.closed_until = closed_until, sources).await?;
            if let Err(refused) = self.demand_empty().await {
                self.change(|space| space.closed_until = None, sources).await?;
                return Err(refused);
            }
        }
        let announced_at = sources.now();
        let job = |pass| (PurgeJob { space_id: self.record.id, pass, announced_at }, ANNOUNCEMENT_SECONDS);
        purge.send(&PurgePass::ALL.map(job)).await?;
        self.change(|space| space.deleted_at = Some(announced_at), sources).await
    }

    async fn demand_empty(&self) -> Result<(), Fault> {
        if self.table.has_files(self.record.id).await? {
            let message = "The space is not empty. Delete its files first, or all of it with force=true.";
            return Err(Fault::conflict(message, "id", Violation::Must("must be that of an empty space")));
        }
        Ok(())
    }
}
