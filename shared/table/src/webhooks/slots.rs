//! Slots of webhook attempts: how many are made at a time of one space and to one host; and
//! circuits, which limit the attempts of a space to a host that times out.
//!
//! Invariants:
//! - The transaction that claims an attempt on its message takes a slot of the space, one of the
//!   host, and one of both, and the transaction that records the result returns them, so slots need
//!   no separate calls.
//! - A slot is a lease until the end of the claim, so the slots of a worker that stopped become
//!   free.
//! - The circuit of a space to a host is open from [`MAX_TIMEOUTS`] timeouts in a row until the
//!   host responds. Meanwhile, one attempt per [`OPEN_INTERVAL_MS`] is made. No space opens that of
//!   another.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue;
use domain::{env::Timestamp, webhooks::WebhookMessage};
use serde::Deserialize;
use tracing::instrument;

use crate::{
    condition::{Condition, number},
    connection::WebhookRecords,
    errors::{Reason, TableError, WriteError},
    key::Key,
    read::{key_of, record},
    transaction::Transaction,
};

/// Maximum attempts at a time of one space, and to one host.
const MAX_ATTEMPTS: u32 = 3;
/// Maximum attempts at a time of one space to one host, which leave a slot of the host to other
/// spaces.
const MAX_ATTEMPTS_TO_HOST: u32 = 2;
/// Timeouts in a row after which a circuit is open.
const MAX_TIMEOUTS: u32 = 5;
/// Time between the attempts while a circuit is open, in milliseconds.
const OPEN_INTERVAL_MS: i64 = 60_000;
/// Time for which slots are stored after their last use, in milliseconds: a day.
const RETENTION_MS: i64 = 86_400_000;
/// Tries of a claim: one more after expired leases were removed.
const CLAIM_TRIES: u32 = 2;

/// Outcome of a claim.
#[derive(Clone, Debug)]
pub enum WebhookClaim {
    /// The attempt is claimed on this version of the message.
    Claimed(Box<WebhookMessage>),
    /// The message was changed or deleted since it was read.
    Changed,
    /// All slots are taken.
    NoSlot {
        /// Time before which an open circuit permits no attempt.
        not_before: Option<Timestamp>,
    },
}

/// How a host reacted to an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostReaction {
    Responded,
    /// It neither responded nor rejected the connection in time.
    TimedOut,
    /// It could not be reached, which is known at once.
    Unreachable,
}

/// The item of the slots of a space, a host, or both, which is also the circuit.
#[derive(Debug, Default, Deserialize)]
struct Slots {
    /// Leases of attempts in progress: the end in milliseconds, `#`, the id of the message.
    #[serde(default)]
    leases: BTreeSet<String>,
    /// Timeouts in a row of a circuit.
    #[serde(default)]
    timeouts: u32,
    /// Time from which a circuit permits an attempt if it is open.
    #[serde(default)]
    try_at: Option<Timestamp>,
}

impl Slots {
    fn expired(&self, now: Timestamp) -> Vec<String> {
        let is_expired = |lease: &&String| {
            let end = lease.split_once('#').and_then(|(end, _)| end.parse().ok());
            end.is_none_or(|end: i64| end <= now.ms())
        };
        self.leases.iter().filter(is_expired).cloned().collect()
    }

    fn not_before(&self) -> Option<Timestamp> {
        self.try_at.filter(|_| self.timeouts >= MAX_TIMEOUTS)
    }
}

impl WebhookRecords<'_> {
    /// Claims an attempt: replaces a message by `to`, whose claim and endpoint are set, if it is
    /// still the version `from` and slots are free.
    #[instrument(name = "claim_webhook_attempt", skip_all)]
    pub async fn claim_attempt(
        self,
        from: &WebhookMessage,
        to: WebhookMessage,
    ) -> Result<WebhookClaim, TableError> {
        let now = self.table.env.now();
        let mut not_before = None;
        for _ in 0..CLAIM_TRIES {
            let mut transaction = self.table.transaction();
            let to = transaction.replace_webhook_message(from, to.clone());
            transaction.take_slots(&to, now);

            let Some(failed) = transaction.commit_or_explain().await? else {
                return Ok(WebhookClaim::Claimed(Box::new(to)));
            };
            if failed.reason != Reason::NoSlot {
                return Ok(WebhookClaim::Changed);
            }

            let mut has_expired = false;
            for item in failed.items {
                let key = key_of(&item)?;
                let slots: Slots = record(item)?;
                not_before = not_before.max(slots.not_before());
                has_expired |= self.remove_leases(key, slots.expired(now)).await?;
            }
            if !has_expired {
                break;
            }
        }
        Ok(WebhookClaim::NoSlot { not_before })
    }

    /// Records the result of a claimed attempt: replaces the message `from` by `to` if it is still
    /// this version, and returns the slots.
    #[instrument(name = "conclude_webhook_attempt", skip_all)]
    pub async fn conclude_attempt(
        self,
        from: &WebhookMessage,
        to: WebhookMessage,
        reaction: HostReaction,
    ) -> Result<(), WriteError> {
        let mut transaction = self.table.transaction();
        transaction.replace_webhook_message(from, to);
        transaction.return_slots(from, reaction, self.table.env.now());
        transaction.commit().await
    }

    /// Removes leases of workers that stopped. Returns whether there are any.
    async fn remove_leases(self, key: Key, expired: Vec<String>) -> Result<bool, TableError> {
        if expired.is_empty() {
            return Ok(false);
        }
        let leases = Condition::exists()
            .name("leases", "leases")
            .value("expired", AttributeValue::Ss(expired));
        self.table
            .update(key, "DELETE #leases :expired", &leases)
            .await?;
        Ok(true)
    }
}

impl Transaction<'_> {
    fn take_slots(&mut self, message: &WebhookMessage, now: Timestamp) {
        let take = "ADD #leases :lease SET #expires = :expires";
        let space = message.space_id;
        let url = &message.endpoint.url;
        let free = of_lease(message, now)
            .and("(attribute_not_exists(#leases) OR size(#leases) < :max)")
            .value("max", number(MAX_ATTEMPTS));
        self.update_or_return(Key::webhook_slots(space), take, &free, Reason::NoSlot);
        self.update_or_return(Key::webhook_host(url), take, &free, Reason::NoSlot);

        let permits = "(attribute_not_exists(#timeouts) OR #timeouts < :open OR #try_at <= :now)";
        let free = free
            .and(permits)
            .name("timeouts", "timeouts")
            .name("try_at", "try_at")
            .value("max", number(MAX_ATTEMPTS_TO_HOST))
            .value("open", number(MAX_TIMEOUTS))
            .value("now", number(now.ms()))
            .value("try_at", number(now.plus_ms(OPEN_INTERVAL_MS).ms()));
        self.update_or_return(
            Key::webhook_circuit(space, url),
            &format!("{take}, #try_at = :try_at"),
            &free,
            Reason::NoSlot,
        );
    }

    fn return_slots(&mut self, message: &WebhookMessage, reaction: HostReaction, now: Timestamp) {
        let lease = of_lease(message, now);
        let release = "DELETE #leases :lease SET #expires = :expires";
        let space = message.space_id;
        let url = &message.endpoint.url;
        self.update_always(Key::webhook_slots(space), release, &lease);
        self.update_always(Key::webhook_host(url), release, &lease);

        let circuit = Key::webhook_circuit(space, url);
        let with_timeouts = lease.clone().name("timeouts", "timeouts");
        match reaction {
            HostReaction::Responded => {
                let closed = format!("{release} REMOVE #timeouts");
                self.update_always(circuit, &closed, &with_timeouts);
            }
            HostReaction::TimedOut => {
                let counted = with_timeouts.value("one", number(1));
                self.update_always(circuit, &format!("{release} ADD #timeouts :one"), &counted);
            }
            HostReaction::Unreachable => self.update_always(circuit, release, &lease),
        }
    }
}

/// Defines the names and values of the lease of a claimed message.
fn of_lease(message: &WebhookMessage, now: Timestamp) -> Condition {
    let end_ms = message.claimed_until.map_or(0, Timestamp::ms);
    let lease = format!("{end_ms}#{}", message.id);
    let expires_at_seconds = now.plus_ms(RETENTION_MS).seconds();
    Condition::default()
        .name("leases", "leases")
        .name("expires", "expires_at_seconds")
        .value("lease", AttributeValue::Ss(vec![lease]))
        .value("expires", number(expires_at_seconds))
}
