//! `Idempotency-Key`: a request that creates a resource runs once, however often it is sent.
//!
//! - The scope of a key is the caller and the path.
//! - The table stores HMACs of scope and payload, and the encrypted response. Their secrets are
//!   derived from the caller's secret, so the table reveals none of them.
//! - A caller's secret is derived from the API key or, without a key, from the identity of the
//!   client and the `Idempotency-Key`.

use std::panic::{AssertUnwindSafe, resume_unwind};

use domain::{
    env::{Env, Timestamp},
    errors::{FieldError, FieldErrors, ServiceError},
    id::IdSequence,
    requests::{Completion, IdempotencyKey, IdempotencyReservation, ReservationOutcome},
    signing::Secret,
};
use futures::FutureExt as _;
use http::{HeaderMap, HeaderName, HeaderValue, request::Parts};
use serde::Serialize;
use serde_json::Value;
use space_store::spaces::Tenants;

use crate::{
    caller::{ApiState, path::canonical_path},
    response::{ApiError, Replay, created_body},
};

/// Request header with the key.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// Name of the header in field errors.
const FIELD: &str = "idempotency_key";
/// Purposes of the secrets that are derived from a caller's secret.
const SCOPES: &str = "idempotency scopes";
const PAYLOADS: &str = "idempotency payloads";
const RESPONSES: &str = "idempotency responses";

/// What a handler does with a request.
pub enum IdempotencyOutcome {
    /// Run the request, and complete the reservation in its transaction.
    Proceed(Box<Reservation>),
    /// Return the response of the earlier request.
    Replay(Replay),
}

/// Permission to run one request, with the ids of the resources it creates.
pub struct Reservation {
    ids: IdSequence,
    /// `None` without an `Idempotency-Key`.
    active: Option<ActiveReservation>,
}

/// A reservation in the table.
struct ActiveReservation {
    reservation: IdempotencyReservation,
    /// HMAC of path and key.
    scope_mac: String,
    response_secret: Secret,
    env: Env,
    tenants: Tenants,
}

impl Reservation {
    /// Returns the ids of the resources that the request creates.
    pub fn ids(&self) -> IdSequence {
        self.ids
    }

    /// Returns the write that completes the reservation, for the transaction that creates the
    /// resource. It stores the body of the 201.
    pub fn complete(&self, created: &impl Serialize) -> Option<Completion> {
        self.complete_with(created_body(created))
    }

    /// Returns the same write, but with bytes that [`Replay::stored`] returns instead of a body.
    pub fn complete_with(&self, bytes: Vec<u8>) -> Option<Completion> {
        let active = self.active.as_ref()?;
        let context = active.scope_mac.as_bytes();
        Some(Completion {
            reservation: active.reservation.clone(),
            response: active.response_secret.encrypt(bytes, context, &active.env),
        })
    }

    /// Runs the request. If it fails or panics, releases the reservation, so that the client can
    /// retry at once. If the release fails, the client can retry after the lease.
    pub async fn release_on_failure<T>(
        &self,
        work: impl Future<Output = Result<T, ApiError>>,
    ) -> Result<T, ApiError> {
        let result = AssertUnwindSafe(work).catch_unwind().await;
        if !matches!(result, Ok(Ok(_)))
            && let Some(active) = &self.active
            && let Err(error) = active
                .tenants
                .reservations()
                .release(&active.reservation)
                .await
        {
            tracing::warn!(%error, "an idempotency reservation was not released");
        }

        result.unwrap_or_else(|panic| resume_unwind(panic))
    }
}

/// An `Idempotency-Key`, and the secret of the caller.
#[derive(Clone)]
struct ScopedKey {
    key: IdempotencyKey,
    secret: Secret,
}

/// Caller and path of a request, within which its `Idempotency-Key` is unique.
#[derive(Clone)]
pub struct IdempotencyScope {
    /// `None` without an `Idempotency-Key`.
    key: Option<Result<ScopedKey, FieldError>>,
    /// Canonical path of the request.
    pub(crate) path: String,
    tenants: Tenants,
    env: Env,
}

impl IdempotencyScope {
    /// Returns the scope of a request. `secret` returns the caller's secret, which may depend on
    /// the key.
    pub fn of(
        parts: &Parts,
        state: &ApiState,
        secret: impl FnOnce(&IdempotencyKey) -> Secret,
    ) -> IdempotencyScope {
        let with_secret = |key: IdempotencyKey| ScopedKey {
            secret: secret(&key),
            key,
        };
        IdempotencyScope {
            key: read_key(&parts.headers).map(|key| key.map(with_secret)),
            path: canonical_path(parts.uri.path()),
            tenants: state.tenants.clone(),
            env: state.env.clone(),
        }
    }

    /// Whether the request has an `Idempotency-Key`.
    pub fn has_key(&self) -> bool {
        self.key.is_some()
    }

    /// Reserves a request with this payload, which must contain everything that it specifies.
    ///
    /// Fails with 422 if the key is malformed or was used with another payload, and with 409 while
    /// the request is in progress.
    pub async fn reserve(&self, payload: &Value) -> Result<IdempotencyOutcome, ServiceError> {
        let Some(key) = &self.key else {
            return Ok(IdempotencyOutcome::Proceed(Box::new(Reservation {
                ids: IdSequence::new(&self.env),
                active: None,
            })));
        };
        let ScopedKey { key, secret } = key
            .as_ref()
            .map_err(|error| FieldErrors::from((FIELD, error.clone())))?;

        let scope = format!("{}\n{}", self.path, key.as_str());
        let scope_mac = hex::encode(secret.subkey(SCOPES).mac(scope.as_bytes()));
        // Members of JSON objects are sorted, so their order in the body does not matter.
        let payload = payload.to_string();
        let payload_mac = hex::encode(secret.subkey(PAYLOADS).mac(payload.as_bytes()));
        let response_secret = secret.subkey(RESPONSES);

        match self
            .tenants
            .reservations()
            .reserve(&scope_mac, &payload_mac)
            .await?
        {
            ReservationOutcome::Reserved(reservation) => {
                let ids = reservation.ids;
                let active = ActiveReservation {
                    reservation,
                    scope_mac,
                    response_secret,
                    env: self.env.clone(),
                    tenants: self.tenants.clone(),
                };
                Ok(IdempotencyOutcome::Proceed(Box::new(Reservation {
                    ids,
                    active: Some(active),
                })))
            }
            ReservationOutcome::Completed(response) => {
                let response = response_secret
                    .decrypt(&response, scope_mac.as_bytes())
                    .ok_or_else(|| {
                        ServiceError::internal("a stored response cannot be decrypted")
                    })?;
                Ok(IdempotencyOutcome::Replay(Replay(response)))
            }
            ReservationOutcome::OtherPayload => Err(other_payload().into()),
            ReservationOutcome::InProgress(lease_ends_at) => {
                Err(in_progress(lease_ends_at, self.env.now()))
            }
        }
    }
}

/// Returns the key of a request. Fails if the header is malformed or repeated. API Gateway joins
/// repeated headers with commas, and so does this function.
fn read_key(headers: &HeaderMap) -> Option<Result<IdempotencyKey, FieldError>> {
    let values = headers.get_all(IDEMPOTENCY_KEY).iter();
    let values: Vec<&[u8]> = values.map(HeaderValue::as_bytes).collect();
    (!values.is_empty()).then(|| IdempotencyKey::parse(&values.join(&b',')))
}

fn other_payload() -> FieldErrors {
    let error = FieldError::Custom("was already used for a request with another payload");
    (FIELD, error).into()
}

/// Returns the 409 of a request whose first attempt holds its lease.
fn in_progress(lease_ends_at: Timestamp, now: Timestamp) -> ServiceError {
    let message = "A request with this Idempotency-Key is already in progress. Retry after the number of seconds in \
                   Retry-After.";
    let field_error = FieldError::Custom("belongs to a request in progress");
    ServiceError {
        retry_after_seconds: Some(lease_ends_at.seconds_after(now)),
        ..ServiceError::conflict(message, FIELD, field_error)
    }
}
