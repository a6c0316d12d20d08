//! What the purge of deleted spaces and files does: it is nobody's request, so it reaches a space without a caller.

use bucket::Bucket;
use domain::{Fault, FileId, SpaceId, Timestamp};
use queue::{PurgeJob, PurgePass};
use runtime::Settings;
use table::Table;

/// Pages of records or objects that one job removes before it goes round: far less than a worker's time.
const PAGES: usize = 100;
/// How long the mark of a deletion may come after its announcement, in milliseconds: longer than a request lasts.
const MARK_MS: i64 = 2 * 60_000;
/// Seconds after which a job looks again for the mark.
const UNMARKED_SECONDS: i64 = 15;
/// Milliseconds in a second.
const MS_PER_SECOND: i64 = 1_000;

/// The purge's way to tables and buckets.
#[derive(Clone, Debug)]
pub struct Purge {
    table: Table,
    bucket: Bucket,
}

/// What became of a purge job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purged {
    /// It is done, or nothing is to be done.
    Done,
    /// It has to be done, or gone on with, after so many seconds.
    Again(i64),
}

impl Purge {
    /// The table that `TABLE_NAME` names and the bucket that `BUCKET_NAME` names.
    pub fn read(settings: &mut Settings) -> Purge {
        Purge {
            table: Table::new(runtime::dynamodb(settings), settings.text("TABLE_NAME")),
            bucket: Bucket::new(runtime::s3(settings), settings.text("BUCKET_NAME")),
        }
    }

    /// Does a job, or a part of it. Safe to repeat, and to end anywhere.
    pub async fn work(&self, job: &PurgeJob, now: Timestamp) -> Result<Purged, Fault> {
        match *job {
            PurgeJob::Space { space_id, pass, announced_at } => self.pass(space_id, pass, announced_at, now).await,
            PurgeJob::File { space_id, file_id, announced_at } => self.file(space_id, file_id, announced_at, now).await,
        }
    }

    /// Removes what is left of a file. A record that is gone never comes back: each is written under an id of its own.
    async fn file(
        &self,
        space_id: SpaceId,
        file_id: FileId,
        announced_at: Timestamp,
        now: Timestamp,
    ) -> Result<Purged, Fault> {
        if self.table.files(space_id, &[file_id]).await?.contains_key(&file_id) {
            return Ok(await_mark(announced_at, now));
        }
        self.bucket.purge_file(space_id, file_id).await?;
        Ok(Purged::Done)
    }

    /// Does one pass over a deleted space, or a part of it.
    async fn pass(
        &self,
        space_id: SpaceId,
        pass: PurgePass,
        announced_at: Timestamp,
        now: Timestamp,
    ) -> Result<Purged, Fault> {
        let Some(space) = self.table.deleted_or_existing_space(space_id).await? else { return Ok(Purged::Done) };
        let Some(deleted_at) = space.deleted_at else { return Ok(await_mark(announced_at, now)) };
        let begins_at = deleted_at.plus_ms(pass.after_ms());
        if now < begins_at {
            return Ok(Purged::Again(seconds_until(begins_at, now)));
        }
        for _ in 0..PAGES {
            if !self.table.purge_page(space.id).await? && !self.bucket.purge_page(space.id).await? {
                if pass == PurgePass::Last {
                    self.table.retire_handle(&space.handle).await?;
                    self.table.purge_space(space.id).await?;
                }
                return Ok(Purged::Done);
            }
        }
        Ok(Purged::Again(0))
    }
}

/// What is not deleted may yet be, as long as whoever announced its deletion may be at work.
fn await_mark(announced_at: Timestamp, now: Timestamp) -> Purged {
    if now < announced_at.plus_ms(MARK_MS) { Purged::Again(UNMARKED_SECONDS) } else { Purged::Done }
}

fn seconds_until(moment: Timestamp, now: Timestamp) -> i64 {
    (moment.ms() - now.ms() + MS_PER_SECOND - 1) / MS_PER_SECOND
}
