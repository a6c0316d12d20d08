//! The message of one event to one URL, sent in numbered attempts.
//!
//! Invariants:
//! - Id and payload never change, so a receiver recognizes repetitions.
//! - `next_attempt_at` is set exactly while the message is pending.
//! - Attempts are numbered from 1 on. A redelivery begins a new series, which continues the
//!   numbers.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    env::{Env, Timestamp},
    files::File,
    id::{FileId, SpaceId, UploadConfigId, WebhookMessageId},
    settings::{WebhookEndpoint, WebhookEvent},
    webhooks::{
        WebhookAttempt,
        retries::{self, DAY_MS, MINUTE_MS},
    },
};

/// Time for which an attempt is claimed, in milliseconds: longer than an invocation of the worker
/// takes.
const CLAIM_MS: i64 = MINUTE_MS;
/// Time for which a message is kept after its event or its last redelivery, in milliseconds.
const RETENTION_MS: i64 = 30 * DAY_MS;
/// Maximum number of stored attempts. Older ones are dropped.
const MAX_STORED_ATTEMPTS: usize = 20;

/// State of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WebhookStatus {
    /// An attempt is in progress or follows.
    Pending,
    /// The endpoint responded with 2xx.
    Delivered,
    /// No further attempt is made.
    Failed,
}

/// Reason why a message failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WebhookFailure {
    /// The endpoint responded with 410.
    Gone,
    /// All attempts failed, or one has waited too long for others to end.
    AttemptsExhausted,
    /// The space was disabled when an attempt was due.
    SpaceDisabled,
    /// No URL received the event any more when an attempt was due.
    NoUrl,
}

/// What follows an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookConclusion {
    /// The message is delivered.
    Delivered,
    /// Another attempt is made at this time.
    RetryAt(Timestamp),
    /// No further attempt is made.
    Failed(WebhookFailure),
}

/// Conditions on listed messages. A message matches if it meets all that are set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WebhookFilter {
    /// State of the message.
    pub status: Option<WebhookStatus>,
    /// Event of the message.
    pub event: Option<WebhookEvent>,
    /// File of the message.
    pub file_id: Option<FileId>,
}

impl WebhookFilter {
    /// Whether the message meets all conditions.
    pub fn matches(&self, message: &WebhookMessage) -> bool {
        self.status.is_none_or(|status| message.status == status)
            && self.event.is_none_or(|event| message.event == event)
            && self.file_id.is_none_or(|file| message.file_id == file)
    }
}

/// A webhook whose job is sent before its message exists. The transaction of the event creates the
/// message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnnouncedWebhook {
    /// Id of the message.
    pub id: WebhookMessageId,
    pub event: WebhookEvent,
    pub endpoint: WebhookEndpoint,
}

impl AnnouncedWebhook {
    /// Creates the announcement of an event.
    pub fn new(event: WebhookEvent, endpoint: WebhookEndpoint, env: &Env) -> AnnouncedWebhook {
        AnnouncedWebhook {
            id: WebhookMessageId::new(env),
            event,
            endpoint,
        }
    }
}

/// Stored record of a webhook message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookMessage {
    /// Id of the message, which every attempt sends as `webhook-id`.
    pub id: WebhookMessageId,
    /// Space of the file.
    pub space_id: SpaceId,
    pub file_id: FileId,
    /// Upload config of the file.
    pub upload_config_id: UploadConfigId,
    pub event: WebhookEvent,
    pub endpoint: WebhookEndpoint,
    pub payload: String,
    pub status: WebhookStatus,
    /// Why it failed; `None` in other states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<WebhookFailure>,
    /// The last attempts, the oldest first.
    pub attempts: Vec<WebhookAttempt>,
    /// Number of the next attempt.
    pub next_number: u32,
    /// Number of the first attempt of the current series.
    pub series_start: u32,
    /// Time of the next attempt; `None` unless the message is pending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_attempt_at: Option<Timestamp>,
    /// End of the claim of an attempt in progress.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_until: Option<Timestamp>,
    /// Time of the last request for a redelivery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redelivered_at: Option<Timestamp>,
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Time from which the record is deleted, in seconds since 1970.
    pub expires_at_seconds: i64,
    /// Number of writes, for optimistic locking.
    pub version: u64,
}

impl WebhookMessage {
    /// Creates the message of an event of a file, with the JSON of its payload. The first attempt
    /// is due.
    pub fn new(
        announced: &AnnouncedWebhook,
        file: &File,
        payload: String,
        now: Timestamp,
    ) -> WebhookMessage {
        WebhookMessage {
            id: announced.id,
            space_id: file.space_id,
            file_id: file.id,
            upload_config_id: file.upload_config_id,
            event: announced.event,
            endpoint: announced.endpoint.clone(),
            payload,
            status: WebhookStatus::Pending,
            failure: None,
            attempts: Vec::new(),
            next_number: 1,
            series_start: 1,
            next_attempt_at: Some(now),
            claimed_until: None,
            redelivered_at: None,
            created_at: now,
            updated_at: now,
            expires_at_seconds: now.plus_ms(RETENTION_MS).seconds(),
            version: 0,
        }
    }

    /// Returns the time until the claim of an attempt expires; `None` if no attempt is in progress,
    /// as far as the record shows.
    pub fn claim_left(&self, now: Timestamp) -> Option<Duration> {
        let left_ms = self.claimed_until?.ms() - now.ms();
        let left_ms = u64::try_from(left_ms).ok().filter(|ms| *ms > 0)?;
        Some(Duration::from_millis(left_ms))
    }

    /// Claims the next attempt.
    pub fn claim(&mut self, now: Timestamp) {
        self.claimed_until = Some(now.plus_ms(CLAIM_MS));
        self.updated_at = now;
    }

    /// Begins a new series of attempts, whose first one is due.
    pub fn begin_series(&mut self, requested_at: Timestamp, now: Timestamp) {
        self.status = WebhookStatus::Pending;
        self.failure = None;
        self.series_start = self.next_number;
        self.next_attempt_at = Some(now);
        self.claimed_until = None;
        self.redelivered_at = Some(requested_at);
        self.updated_at = now;
        self.expires_at_seconds = now.plus_ms(RETENTION_MS).seconds();
    }

    /// Returns when to try again after the next attempt fails at `now`; `None` if it is the last
    /// one of its series. `retry_after` is the time that the endpoint asks for.
    pub fn retry_at(
        &self,
        retry_after: Option<Timestamp>,
        now: Timestamp,
        env: &Env,
    ) -> Option<Timestamp> {
        let index = self.next_number - self.series_start;
        retries::retry_at(index, retry_after, now, env)
    }

    /// Records the next attempt and what follows it.
    pub fn conclude(
        &mut self,
        attempt: WebhookAttempt,
        conclusion: WebhookConclusion,
        now: Timestamp,
    ) {
        let excess = (self.attempts.len() + 1).saturating_sub(MAX_STORED_ATTEMPTS);
        self.attempts.drain(..excess);
        self.attempts.push(attempt);
        self.next_number += 1;
        self.stop_or_retry(conclusion, now);
    }

    /// Records that no further attempt is made.
    pub fn fail(&mut self, failure: WebhookFailure, now: Timestamp) {
        self.stop_or_retry(WebhookConclusion::Failed(failure), now);
    }

    fn stop_or_retry(&mut self, conclusion: WebhookConclusion, now: Timestamp) {
        self.status = match conclusion {
            WebhookConclusion::Delivered => WebhookStatus::Delivered,
            WebhookConclusion::RetryAt(_) => WebhookStatus::Pending,
            WebhookConclusion::Failed(_) => WebhookStatus::Failed,
        };
        self.failure = match conclusion {
            WebhookConclusion::Failed(failure) => Some(failure),
            _ => None,
        };
        self.next_attempt_at = match conclusion {
            WebhookConclusion::RetryAt(at) => Some(at),
            _ => None,
        };
        self.claimed_until = None;
        self.updated_at = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        access::fixtures::file,
        env::random::tests::counting,
        naming::PublicHttpsUrl,
        settings::{DeliveryType, WebhookSource},
    };

    fn message(env: &Env) -> WebhookMessage {
        let url = PublicHttpsUrl::parse("https://example.com/hook").expect("a URL");
        let source = WebhookSource::Space;
        let endpoint = WebhookEndpoint { url, source };
        let announced = AnnouncedWebhook::new(WebhookEvent::Uploaded, endpoint, env);
        let file = file(DeliveryType::Upload);
        WebhookMessage::new(&announced, &file, "{}".to_owned(), env.now())
    }

    fn failed_attempt(number: u32, at: Timestamp) -> WebhookAttempt {
        WebhookAttempt {
            number,
            at,
            duration_ms: 1,
            status_code: Some(500),
            error: None,
            response_excerpt: None,
        }
    }

    /// Fails attempts until the series ends, and returns the pauses before their repetitions.
    fn fail_series(message: &mut WebhookMessage, env: &Env) -> Vec<i64> {
        let now = env.now();
        let mut pauses = Vec::new();
        loop {
            let attempt = failed_attempt(message.next_number, now);
            let Some(at) = message.retry_at(None, now, env) else {
                let failure = WebhookConclusion::Failed(WebhookFailure::AttemptsExhausted);
                message.conclude(attempt, failure, now);
                return pauses;
            };
            pauses.push(at.ms() - now.ms());
            message.conclude(attempt, WebhookConclusion::RetryAt(at), now);
        }
    }

    #[test]
    fn series_has_seven_attempts_and_a_redelivery_begins_another() {
        let env = counting();
        let mut message = message(&env);

        for series in 1..=4_u32 {
            let pauses = fail_series(&mut message, &env);
            assert_eq!(pauses.len(), retries::RETRY_DELAYS_MS.len());
            for (pause, delay) in pauses.into_iter().zip(retries::RETRY_DELAYS_MS) {
                assert!((pause - delay).abs() <= delay / 10, "{pause} {delay}");
            }
            assert_eq!(message.status, WebhookStatus::Failed);
            assert_eq!(message.next_attempt_at, None);
            assert_eq!(message.next_number, series * 7 + 1);

            message.begin_series(env.now(), env.now());
            assert_eq!(message.status, WebhookStatus::Pending);
            assert_eq!(message.failure, None);
        }
        let stored: Vec<u32> = message.attempts.iter().map(|one| one.number).collect();
        assert_eq!(stored, (9..=28).collect::<Vec<_>>());
    }

    #[test]
    fn claim_ends_after_a_minute_or_with_the_attempt() {
        let env = counting();
        let now = env.now();
        let mut message = message(&env);
        assert_eq!(message.claim_left(now), None);

        message.claim(now);
        assert_eq!(message.claim_left(now), Some(Duration::from_mins(1)));
        let last = Some(Duration::from_millis(1));
        assert_eq!(message.claim_left(now.plus_ms(CLAIM_MS - 1)), last);
        assert_eq!(message.claim_left(now.plus_ms(CLAIM_MS)), None);

        message.conclude(failed_attempt(1, now), WebhookConclusion::Delivered, now);
        assert_eq!(message.claim_left(now), None);
    }
}
