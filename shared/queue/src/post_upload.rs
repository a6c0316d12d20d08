//! Jobs that follow an upload. They are sent before the record is written, so their workers wait
//! for the record for up to two minutes, by sending the job again with a delay.
//!
//! Invariant: a job contains the rules of its announcement, so that its result does not depend on
//! later changes. It stays below 20 KB (two URLs of 2,048 characters), so a batch of ten stays
//! below the 256 KB that SQS permits at least ("Amazon SQS message quotas" in the Amazon SQS
//! developer guide).

use domain::{
    env::Timestamp,
    id::{FileId, Revision, SpaceId, WebhookMessageId},
    uploads::ProcessingRules,
};
use serde::{Deserialize, Serialize};

use crate::Job;

/// Time for which a worker waits for the record of an announced file, in milliseconds: far longer
/// than any request takes to write it.
const MAX_ANNOUNCEMENT_AGE_MS: i64 = 120_000;
/// Milliseconds in a second.
const MS_PER_SECOND: i64 = 1_000;

/// Returns the delay after which a job that was announced at a time looks for its record again, in
/// seconds; `None` if the record will not be written any more. The age of the job doubles from one
/// try to the next.
pub fn recheck_delay_seconds(announced_at: Timestamp, now: Timestamp) -> Option<i32> {
    let age_ms = now.ms() - announced_at.ms();
    if age_ms >= MAX_ANNOUNCEMENT_AGE_MS {
        return None;
    }

    let age_seconds = age_ms / MS_PER_SECOND;
    i32::try_from(age_seconds.max(1)).ok()
}

/// Reads the metadata of a file and creates its eager renditions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessingJob {
    /// The space of the file.
    pub space_id: SpaceId,
    pub file_id: FileId,
    /// Revision of the bytes; `None` in jobs of earlier versions, which are about whatever the file
    /// has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<Revision>,
    /// Time right before the record is written.
    pub announced_at: Timestamp,
    /// The rules of the activation.
    pub rules: ProcessingRules,
}

impl Job for ProcessingJob {
    fn space_id(&self) -> Option<SpaceId> {
        Some(self.space_id)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "lowercase")]
pub enum WebhookJob {
    /// The first attempt of a webhook message, which the transaction of its event creates. If the
    /// event does not happen, neither does the message exist.
    Event {
        /// The space of the message.
        space_id: SpaceId,
        webhook_message_id: WebhookMessageId,
        /// Time right before the transaction.
        announced_at: Timestamp,
    },
    /// An attempt of a webhook message.
    Attempt {
        /// The space of the message.
        space_id: SpaceId,
        webhook_message_id: WebhookMessageId,
        /// Number of the attempt.
        number: u32,
        /// Time from which the attempt is made.
        due_at: Timestamp,
    },
    /// A webhook message to begin a new series of attempts of, unless it was redelivered later.
    /// Dead letters have this form too, so that they can be sent back to the queue.
    Redeliver {
        /// The space of the message.
        space_id: SpaceId,
        webhook_message_id: WebhookMessageId,
        /// Time of the request, or of the last failed attempt.
        requested_at: Timestamp,
        /// Why the last attempt failed, in a dead letter.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cause: Option<String>,
    },
}

impl Job for WebhookJob {
    fn space_id(&self) -> Option<SpaceId> {
        let (WebhookJob::Event { space_id, .. }
        | WebhookJob::Attempt { space_id, .. }
        | WebhookJob::Redeliver { space_id, .. }) = self;
        Some(*space_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn job_looks_for_its_record_eight_times_in_two_minutes() {
        let announced_at = Timestamp::from_ms(1_000_000);
        let at_age = |ms: i64| recheck_delay_seconds(announced_at, announced_at.plus_ms(ms));

        let mut age_ms = 0;
        let mut ages_seconds = Vec::new();
        while let Some(delay) = at_age(age_ms) {
            age_ms += i64::from(delay) * MS_PER_SECOND;
            ages_seconds.push(age_ms / MS_PER_SECOND);
        }

        assert_eq!(ages_seconds, [1, 2, 4, 8, 16, 32, 64, 128]);
        // The clocks of two functions can differ.
        assert_eq!(at_age(-5_000), Some(1));
        assert_eq!(at_age(MAX_ANNOUNCEMENT_AGE_MS - 1), Some(119));
        assert_eq!(at_age(MAX_ANNOUNCEMENT_AGE_MS), None);
    }
}
