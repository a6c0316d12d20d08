//! Claims: requests that are done once, however often they are sent.
//!
//! A claim is made before the effect, with the ids that the effect will have and a lease; it is completed, with the sealed
//! answer, in the effect's own transaction, on the condition that nobody took it over. So a request that dies anywhere
//! leaves either both or neither, and whoever comes after its lease does the same again under the same ids.

use aws_sdk_dynamodb::{primitives::Blob, types::AttributeValue};
use domain::{ChosenIds, Timestamp};
use serde::Deserialize;
use tracing::instrument;

use crate::{
    Error, Key, Reason, Table,
    condition::{Condition, number, text},
    read::record,
    transaction::Transaction,
    write::Updated,
};

/// How long one request may be at work, in milliseconds: longer than a function works after its body has come.
const LEASE_MS: i64 = 60_000;
/// How long an answer is kept, in milliseconds.
const KEPT_MS: i64 = 24 * 60 * 60 * 1_000;

/// A request of ours that is at work.
#[derive(Clone, Debug)]
pub struct Claim {
    mark: String,
    /// Tells this holder from an earlier and a later one.
    token: String,
    /// The ids of what the request makes.
    pub ids: ChosenIds,
}

/// A claim with the answer that it ends in.
#[derive(Clone, Debug)]
pub struct Completion {
    /// The claim.
    pub claim: Claim,
    /// The sealed answer.
    pub answer: Vec<u8>,
}

/// What became of an attempt to claim a request.
#[derive(Clone, Debug)]
pub enum Claimed {
    /// It is ours to do.
    Ours(Claim),
    /// It was done; this is the sealed answer.
    Done(Vec<u8>),
    /// Another request with the same payload is in progress, and its lease ends then.
    InProgress(Timestamp),
    /// The same mark stands for another payload.
    AnotherPayload,
}

/// A claim as it is kept.
#[derive(Debug, Deserialize)]
struct Kept {
    token: String,
    ids: ChosenIds,
    payload: String,
    lease_ends_at: Timestamp,
    #[serde(skip)]
    answer: Option<Vec<u8>>,
}

impl Table {
    /// Claims the request of this mark and payload, both opaque.
    #[instrument(skip_all)]
    pub async fn claim(&self, mark: &str, payload: &str) -> Result<Claimed, Error> {
        let now = self.sources.now();
        let fresh =
            Claim { mark: mark.to_owned(), token: self.sources.ulid().to_string(), ids: ChosenIds::new(&self.sources) };
        let is_free = Condition::default()
            .and("(attribute_not_exists(#token) OR expires_at <= :now)")
            .value("now", number(now.ms()));
        let Some(kept) = self.hold(&fresh, payload, is_free).await? else {
            return Ok(Claimed::Ours(fresh));
        };
        if kept.token == fresh.token {
            return Ok(Claimed::Ours(fresh));
        }
        if kept.answer.is_none() && kept.lease_ends_at <= now {
            return self.take_over(kept, fresh, payload).await;
        }
        if kept.payload != payload {
            return Ok(Claimed::AnotherPayload);
        }
        Ok(kept.answer.map_or(Claimed::InProgress(kept.lease_ends_at), Claimed::Done))
    }

    /// Takes over from a holder who died: under the same ids, so that what they left behind is found and replaced. What
    /// another payload makes has nothing to do with that, and gets ids of its own.
    async fn take_over(&self, dead: Kept, fresh: Claim, payload: &str) -> Result<Claimed, Error> {
        let ids = if dead.payload == payload { dead.ids } else { fresh.ids };
        let ours = Claim { ids, ..fresh };
        let is_dead = Condition::default()
            .and("#token = :dead AND attribute_not_exists(answer)")
            .value("dead", text(&dead.token));
        Ok(match self.hold(&ours, payload, is_dead).await? {
            None => Claimed::Ours(ours),
            Some(kept) if kept.token == ours.token => Claimed::Ours(ours),
            // Another request took over first: a later attempt finds its outcome.
            Some(kept) => Claimed::InProgress(kept.lease_ends_at),
        })
    }

    /// Writes a claim if a condition holds, else returns the claim that is kept.
    async fn hold(&self, claim: &Claim, payload: &str, condition: Condition) -> Result<Option<Kept>, Error> {
        let now = self.sources.now();
        let expires_at = now.plus_ms(KEPT_MS);
        let update = "SET #token = :token, ids = :ids, payload = :payload, lease_ends_at = :lease, \
                      expires_at = :expires, expires_at_seconds = :ttl REMOVE answer";
        let condition = condition
            .name("token", "token")
            .value("token", text(&claim.token))
            .value("ids", text(String::from(claim.ids)))
            .value("payload", text(payload))
            .value("lease", number(now.plus_ms(LEASE_MS).ms()))
            .value("expires", number(expires_at.ms()))
            .value("ttl", number(expires_at.seconds()));
        let item = match self.update(Key::claim(&claim.mark), update, &condition).await? {
            Updated::Written(_) => return Ok(None),
            Updated::ConditionFailed(item) => item.unwrap_or_default(),
        };
        let answer = item.get("answer").and_then(|answer| answer.as_b().ok()).map(|answer| answer.clone().into_inner());
        Ok(Some(Kept { answer, ..record(item)? }))
    }

    /// Releases a claim that was not completed: its request failed and may be repeated as if it had never been sent.
    #[instrument(skip_all)]
    pub async fn release(&self, claim: &Claim) -> Result<(), Error> {
        self.delete_if(Key::claim(&claim.mark), &held(claim)).await
    }
}

impl Transaction<'_> {
    /// Releases a claim, completed or not.
    pub(crate) fn release(&mut self, claim: &Claim) {
        let is_held = Condition::equals("token", text(&claim.token));
        self.delete_if(Key::claim(&claim.mark), &is_held, Reason::ClaimLost);
    }

    /// Completes a claim.
    pub(crate) fn complete(&mut self, completion: &Completion) {
        let condition =
            held(&completion.claim).value("answer", AttributeValue::B(Blob::new(completion.answer.clone())));
        self.update(Key::claim(&completion.claim.mark), "SET answer = :answer", &condition, Reason::ClaimLost);
    }
}

/// Holds while a claim is neither completed nor taken over.
fn held(claim: &Claim) -> Condition {
    Condition::equals("token", text(&claim.token)).and("attribute_not_exists(answer)")
}
