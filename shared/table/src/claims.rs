//! Claims: requests that are done once, however often they are sent.
//!
//! A claim is made before the effect, with the ids that the effect will have and a lease; it is completed, with the sealed
//! answer, in the effect's own transaction, on the condition that nobody took it over. So a request that dies anywhere
//! leaves either both or neither, and whoever comes after its lease does the same again under the same ids.

use aws_sdk_dynamodb::{
    operation::update_item::UpdateItemError,
    primitives::Blob,
    types::{AttributeValue, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update},
};
use domain::{ChosenIds, Timestamp};
use serde::Deserialize;

use crate::{Error, Key, Table, read::record, write::unless_refused};

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
    pub async fn claim(&self, mark: &str, payload: &str) -> Result<Claimed, Error> {
        let now = self.sources.now();
        let fresh =
            Claim { mark: mark.to_owned(), token: self.sources.ulid().to_string(), ids: ChosenIds::new(&self.sources) };
        let is_free = "attribute_not_exists(#token) OR expires_at <= :now";
        let Some(kept) = self.hold(&fresh, payload, is_free, None).await? else {
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
        let is_dead = "#token = :dead AND attribute_not_exists(answer)";
        Ok(match self.hold(&ours, payload, is_dead, Some(dead.token)).await? {
            None => Claimed::Ours(ours),
            Some(kept) if kept.token == ours.token => Claimed::Ours(ours),
            // Another request took over first: a later attempt finds its outcome.
            Some(kept) => Claimed::InProgress(kept.lease_ends_at),
        })
    }

    /// Writes a claim on a condition; what is kept instead, where that does not hold.
    async fn hold(
        &self,
        claim: &Claim,
        payload: &str,
        condition: &str,
        dead: Option<String>,
    ) -> Result<Option<Kept>, Error> {
        let now = self.sources.now();
        let expires_at = now.plus_ms(KEPT_MS);
        let text = |text: &str| AttributeValue::S(text.to_owned());
        let number = |number: i64| AttributeValue::N(number.to_string());
        let mut update = self
            .client
            .update_item()
            .table_name(&self.name)
            .set_key(Some(Key::claim(&claim.mark).attributes()))
            .update_expression(
                "SET #token = :token, ids = :ids, payload = :payload, lease_ends_at = :lease, expires_at = :expires, \
                 expires_at_seconds = :ttl REMOVE answer",
            )
            .condition_expression(condition)
            .expression_attribute_names("#token", "token")
            .expression_attribute_values(":token", text(&claim.token))
            .expression_attribute_values(":ids", AttributeValue::S(claim.ids.into()))
            .expression_attribute_values(":payload", text(payload))
            .expression_attribute_values(":lease", number(now.plus_ms(LEASE_MS).ms()))
            .expression_attribute_values(":expires", number(expires_at.ms()))
            .expression_attribute_values(":ttl", number(expires_at.seconds()))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        update = match dead {
            Some(token) => update.expression_attribute_values(":dead", AttributeValue::S(token)),
            None => update.expression_attribute_values(":now", number(now.ms())),
        };
        let Err(error) = self.unless_conflicting(|| update.clone().send()).await else { return Ok(None) };
        let Some(UpdateItemError::ConditionalCheckFailedException(refused)) = error.as_service_error() else {
            return Err(Error::from_sdk(error));
        };
        let item = refused.item.clone().unwrap_or_default();
        let answer = item.get("answer").and_then(|answer| answer.as_b().ok()).map(|answer| answer.clone().into_inner());
        Ok(Some(Kept { answer, ..record(item)? }))
    }

    /// Gives a claim back, where it was not completed: the request failed, and may be sent again as if it never had been.
    pub async fn release(&self, claim: &Claim) -> Result<(), Error> {
        let deleted = self
            .client
            .delete_item()
            .table_name(&self.name)
            .set_key(Some(Key::claim(&claim.mark).attributes()))
            .condition_expression("#token = :token AND attribute_not_exists(answer)")
            .expression_attribute_names("#token", "token")
            .expression_attribute_values(":token", AttributeValue::S(claim.token.clone()))
            .send()
            .await;
        unless_refused(deleted)
    }

    /// The member of a transaction that gives a claim back.
    pub(crate) fn give_back(&self, claim: &Claim) -> Result<TransactWriteItem, Error> {
        self.delete_where(Key::claim(&claim.mark), ("token", AttributeValue::S(claim.token.clone())))
    }

    /// The member of a transaction that completes a claim.
    pub(crate) fn complete(&self, completion: &Completion) -> Result<TransactWriteItem, Error> {
        let update = Update::builder()
            .table_name(&self.name)
            .set_key(Some(Key::claim(&completion.claim.mark).attributes()))
            .update_expression("SET answer = :answer")
            .condition_expression("#token = :token AND attribute_not_exists(answer)")
            .expression_attribute_names("#token", "token")
            .expression_attribute_values(":token", AttributeValue::S(completion.claim.token.clone()))
            .expression_attribute_values(":answer", AttributeValue::B(Blob::new(completion.answer.clone())))
            .build()
            .map_err(|error| Error::Refused(error.into()))?;
        Ok(TransactWriteItem::builder().update(update).build())
    }
}
