//! What the purge of deleted spaces does: it is nobody's request, so it is the one that reaches a space without a caller.

use bucket::Bucket;
use domain::{Fault, Sources, Timestamp};
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

    /// Does one pass over a deleted space, or a part of it. Safe to repeat, and to end anywhere.
    pub async fn pass(&self, job: &PurgeJob, sources: &Sources) -> Result<Purged, Fault> {
        let now = sources.now();
        let Some(space) = self.table.deleted_or_existing_space(job.space_id).await? else { return Ok(Purged::Done) };
        let Some(deleted_at) = space.deleted_at else { return Ok(await_mark(job, now)) };
        let begins_at = deleted_at.plus_ms(job.pass.after_ms());
        if now < begins_at {
            return Ok(Purged::Again(seconds_until(begins_at, now)));
        }
        for _ in 0..PAGES {
            if !self.table.purge_page(space.id).await? && !self.bucket.purge_page(space.id).await? {
                self.table.free_space_name(&space.name, space.id).await?;
                if job.pass == PurgePass::Last {
                    self.table.retire_handle(&space.handle).await?;
                    self.table.purge_space(space.id).await?;
                }
                return Ok(Purged::Done);
            }
        }
        Ok(Purged::Again(0))
    }
}

/// A space that is not marked may yet be, as long as whoever announced its deletion may be at work.
fn await_mark(job: &PurgeJob, now: Timestamp) -> Purged {
    if now < job.announced_at.plus_ms(MARK_MS) { Purged::Again(UNMARKED_SECONDS) } else { Purged::Done }
}

fn seconds_until(moment: Timestamp, now: Timestamp) -> i64 {
    (moment.ms() - now.ms() + MS_PER_SECOND - 1) / MS_PER_SECOND
}
