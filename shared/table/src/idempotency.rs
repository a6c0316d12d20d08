//! Reservations of idempotent requests.
//!
//! A reservation is written before the request has an effect, with a lease and the ids of what the
//! request will create. The transaction of the effect completes it with the encrypted response, on
//! the condition that no other request took it over. So a request that fails anywhere leaves both
//! or neither, and the request that takes over after the lease does the same again under the same
//! ids.

use aws_sdk_dynamodb::{primitives::Blob, types::AttributeValue};
use domain::{Completion, IdSequence, IdempotencyReservation, ReservationOutcome, Timestamp};
use serde::Deserialize;
use tracing::instrument;

use crate::{
    Key, Reason, Table, TableError,
    condition::{Condition, number, text},
    read::record,
    transaction::Transaction,
    write::Updated,
};

/// Lease of a reservation, in milliseconds: longer than a function works after it has read a body.
const LEASE_MS: i64 = 60_000;
/// Time for which a response is replayed, in milliseconds.
const KEPT_MS: i64 = 24 * 60 * 60 * 1_000;

/// A reservation as it is stored.
#[derive(Debug, Deserialize)]
struct StoredReservation {
    token: String,
    ids: IdSequence,
    payload: String,
    lease_ends_at: Timestamp,
    #[serde(skip)]
    answer: Option<Vec<u8>>,
}

impl Table {
    /// Reserves the request of this mark and payload, both opaque.
    #[instrument(skip_all)]
    pub async fn reserve(
        &self,
        mark: &str,
        payload: &str,
    ) -> Result<ReservationOutcome, TableError> {
        let now = self.env.now();
        let fresh = IdempotencyReservation {
            request_hash: mark.to_owned(),
            token: self.env.ulid().to_string(),
            ids: IdSequence::new(&self.env),
        };
        let is_free = Condition::default()
            .and("(attribute_not_exists(#token) OR expires_at <= :now)")
            .value("now", number(now.ms()));
        let Some(kept) = self.write_reservation(&fresh, payload, is_free).await? else {
            return Ok(ReservationOutcome::Reserved(fresh));
        };
        if kept.token == fresh.token {
            return Ok(ReservationOutcome::Reserved(fresh));
        }
        if kept.answer.is_none() && kept.lease_ends_at <= now {
            return self.take_over(kept, fresh, payload).await;
        }
        if kept.payload != payload {
            return Ok(ReservationOutcome::OtherPayload);
        }
        Ok(kept.answer.map_or(
            ReservationOutcome::InProgress(kept.lease_ends_at),
            ReservationOutcome::Completed,
        ))
    }

    /// Takes over a reservation whose lease has ended: under the same ids, so that what its request
    /// left behind is found and replaced. A request with another payload gets ids of its own.
    async fn take_over(
        &self,
        dead: StoredReservation,
        fresh: IdempotencyReservation,
        payload: &str,
    ) -> Result<ReservationOutcome, TableError> {
        let ids = if dead.payload == payload {
            dead.ids
        } else {
            fresh.ids
        };
        let ours = IdempotencyReservation { ids, ..fresh };
        let is_dead = Condition::default()
            .and("#token = :dead AND attribute_not_exists(answer)")
            .value("dead", text(&dead.token));
        Ok(
            match self.write_reservation(&ours, payload, is_dead).await? {
                None => ReservationOutcome::Reserved(ours),
                Some(kept) if kept.token == ours.token => ReservationOutcome::Reserved(ours),
                // Another request took over first: a later attempt finds its outcome.
                Some(kept) => ReservationOutcome::InProgress(kept.lease_ends_at),
            },
        )
    }

    /// Writes a reservation if a condition holds, else returns the stored one.
    async fn write_reservation(
        &self,
        reservation: &IdempotencyReservation,
        payload: &str,
        condition: Condition,
    ) -> Result<Option<StoredReservation>, TableError> {
        let now = self.env.now();
        let expires_at = now.plus_ms(KEPT_MS);
        let update = "SET #token = :token, ids = :ids, payload = :payload, lease_ends_at = :lease, \
                      expires_at = :expires, expires_at_seconds = :ttl REMOVE answer";
        let condition = condition
            .name("token", "token")
            .value("token", text(&reservation.token))
            .value("ids", text(String::from(reservation.ids)))
            .value("payload", text(payload))
            .value("lease", number(now.plus_ms(LEASE_MS).ms()))
            .value("expires", number(expires_at.ms()))
            .value("ttl", number(expires_at.seconds()));
        let item = match self
            .update(Key::claim(&reservation.request_hash), update, &condition)
            .await?
        {
            Updated::Written(_) => return Ok(None),
            Updated::ConditionFailed(item) => item.unwrap_or_default(),
        };
        let answer = item
            .get("answer")
            .and_then(|answer| answer.as_b().ok())
            .map(|answer| answer.clone().into_inner());
        Ok(Some(StoredReservation {
            answer,
            ..record(item)?
        }))
    }

    /// Releases a reservation that was not completed: its request failed, and may be sent again.
    #[instrument(skip_all)]
    pub async fn release(&self, reservation: &IdempotencyReservation) -> Result<(), TableError> {
        self.delete_if(Key::claim(&reservation.request_hash), &held(reservation))
            .await
    }
}

impl Transaction<'_> {
    /// Releases a reservation, completed or not.
    pub(crate) fn release(&mut self, reservation: &IdempotencyReservation) {
        let is_held = Condition::equals("token", text(&reservation.token));
        self.delete_if(
            Key::claim(&reservation.request_hash),
            &is_held,
            Reason::ReservationLost,
        );
    }

    /// Completes a reservation.
    pub(crate) fn complete(&mut self, completion: &Completion) {
        let condition = held(&completion.reservation).value(
            "answer",
            AttributeValue::B(Blob::new(completion.response.clone())),
        );
        self.update(
            Key::claim(&completion.reservation.request_hash),
            "SET answer = :answer",
            &condition,
            Reason::ReservationLost,
        );
    }
}

/// Holds while a reservation is neither completed nor taken over.
fn held(reservation: &IdempotencyReservation) -> Condition {
    Condition::equals("token", text(&reservation.token)).and("attribute_not_exists(answer)")
}
