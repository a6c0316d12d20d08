//! Reservations of idempotent requests.
//!
//! A reservation is written before the request has an effect, with a lease and the ids of what the
//! request will create. The transaction that commits the effect also completes the reservation with
//! the encrypted response, on the condition that no other request took it over. So a failure at any
//! point leaves both or neither, and a request that takes over after the lease repeats the effect
//! under the same ids.

use aws_sdk_dynamodb::{primitives::Blob, types::AttributeValue};
use domain::{
    env::Timestamp,
    id::IdSequence,
    requests::{Completion, IdempotencyReservation, ReservationOutcome},
};
use serde::Deserialize;
use tracing::instrument;

use crate::{
    condition::{Condition, number, text},
    connection::Reservations,
    errors::{Reason, TableError},
    key::Key,
    read::record,
    transaction::Transaction,
    write::Updated,
};

/// Lease of a reservation, in milliseconds: longer than a function runs after it has read a body,
/// which those that limit their time assert.
pub const RESERVATION_LEASE_MS: u32 = 60_000;
/// Time for which a response is replayed, in milliseconds.
const RETENTION_MS: i64 = 24 * 60 * 60 * 1_000;
/// Writes a reservation without a response.
const RESERVE: &str = "SET #token = :token, ids = :ids, payload = :payload, \
                       lease_ends_at = :lease_ends_at, expires_at = :expires_at, \
                       expires_at_seconds = :expires_at_seconds REMOVE #response";

/// A reservation as it is stored.
#[derive(Debug, Deserialize)]
struct StoredReservation {
    token: String,
    ids: IdSequence,
    payload: String,
    lease_ends_at: Timestamp,
    #[serde(skip)]
    response: Option<Vec<u8>>,
}

impl Reservations<'_> {
    /// Reserves the request with this idempotency key and payload. Both are opaque hashes.
    #[instrument(skip_all)]
    pub async fn reserve(
        self,
        request_hash: &str,
        payload: &str,
    ) -> Result<ReservationOutcome, TableError> {
        let now = self.table.env.now();
        let ours = IdempotencyReservation {
            request_hash: request_hash.to_owned(),
            token: self.table.env.ulid().to_string(),
            ids: IdSequence::new(&self.table.env),
        };
        let is_free = Condition::default()
            .and("(attribute_not_exists(#token) OR expires_at <= :now)")
            .value("now", number(now.ms()));

        let Some(stored) = self.write(&ours, payload, is_free).await? else {
            return Ok(ReservationOutcome::Reserved(ours));
        };
        if stored.token == ours.token {
            // An attempt whose response was lost wrote the reservation.
            return Ok(ReservationOutcome::Reserved(ours));
        }
        if stored.response.is_none() && stored.lease_ends_at <= now {
            return self.take_over(stored, ours, payload).await;
        }
        if stored.payload != payload {
            return Ok(ReservationOutcome::OtherPayload);
        }
        Ok(stored.response.map_or(
            ReservationOutcome::InProgress(stored.lease_ends_at),
            ReservationOutcome::Completed,
        ))
    }

    /// Takes over a reservation whose lease has ended. A request with the same payload continues
    /// under the same ids, so it finds and replaces what the first attempt left behind. A request
    /// with another payload uses its own ids.
    async fn take_over(
        self,
        expired: StoredReservation,
        ours: IdempotencyReservation,
        payload: &str,
    ) -> Result<ReservationOutcome, TableError> {
        let ids = if expired.payload == payload {
            expired.ids
        } else {
            ours.ids
        };
        let ours = IdempotencyReservation { ids, ..ours };
        let is_expired = Condition::default()
            .and("#token = :expired_token AND attribute_not_exists(#response)")
            .value("expired_token", text(&expired.token));

        let stored = self.write(&ours, payload, is_expired).await?;
        Ok(match stored {
            // Another request took over first. A later attempt finds its outcome.
            Some(stored) if stored.token != ours.token => {
                ReservationOutcome::InProgress(stored.lease_ends_at)
            }
            _ => ReservationOutcome::Reserved(ours),
        })
    }

    /// Writes a reservation if a condition holds, else returns the stored reservation.
    async fn write(
        self,
        reservation: &IdempotencyReservation,
        payload: &str,
        condition: Condition,
    ) -> Result<Option<StoredReservation>, TableError> {
        let now = self.table.env.now();
        let lease_ends_at = now.plus_ms(RESERVATION_LEASE_MS.into());
        let expires_at = now.plus_ms(RETENTION_MS);
        let condition = condition
            .name("token", "token")
            .name("response", "response")
            .value("token", text(&reservation.token))
            .value("ids", text(String::from(reservation.ids)))
            .value("payload", text(payload))
            .value("lease_ends_at", number(lease_ends_at.ms()))
            .value("expires_at", number(expires_at.ms()))
            .value("expires_at_seconds", number(expires_at.seconds()));

        let key = Key::idempotency(&reservation.request_hash);
        let item = match self.table.update(key, RESERVE, &condition).await? {
            Updated::Written(_) => return Ok(None),
            Updated::ConditionFailed(item) => item.unwrap_or_default(),
        };

        let response = item
            .get("response")
            .and_then(|response| response.as_b().ok())
            .map(|response| response.clone().into_inner());
        Ok(Some(StoredReservation {
            response,
            ..record(item)?
        }))
    }

    /// Releases a reservation that was not completed, because its request failed. The request may
    /// be sent again.
    #[instrument(skip_all)]
    pub async fn release(self, reservation: &IdempotencyReservation) -> Result<(), TableError> {
        let key = Key::idempotency(&reservation.request_hash);
        self.table.delete_if(key, &is_open(reservation)).await
    }
}

impl Transaction<'_> {
    /// Releases a reservation, completed or not.
    pub(crate) fn release(&mut self, reservation: &IdempotencyReservation) {
        let is_held = Condition::equals("token", text(&reservation.token));
        self.delete_if(
            Key::idempotency(&reservation.request_hash),
            &is_held,
            Reason::ReservationLost,
        );
    }

    pub(crate) fn complete(&mut self, completion: &Completion) {
        let response = AttributeValue::B(Blob::new(completion.response.clone()));
        let is_open = is_open(&completion.reservation).value("response", response);
        self.update(
            Key::idempotency(&completion.reservation.request_hash),
            "SET #response = :response",
            &is_open,
            Reason::ReservationLost,
        );
    }
}

/// Holds while a reservation is neither completed nor taken over.
fn is_open(reservation: &IdempotencyReservation) -> Condition {
    Condition::equals("token", text(&reservation.token))
        .and("attribute_not_exists(#response)")
        .name("response", "response")
}
