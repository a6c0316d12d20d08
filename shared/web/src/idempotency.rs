//! `Idempotency-Key`: a request that creates something is done once, however often it is sent.
//!
//! A key's scope is the caller and the path. Scope and payload are kept as HMACs under secrets
//! derived from the caller's own, and the response is encrypted under another: the table reveals
//! none of them. The secret of a caller with an API key is the key; that of another caller is their
//! identity and the `Idempotency-Key`.

use std::panic::{AssertUnwindSafe, resume_unwind};

use axum::extract::{FromRequest, Request as HttpRequest};
use domain::{
    Completion, Env, FieldError, FieldErrors, IdSequence, IdempotencyKey, IdempotencyReservation,
    ReservationOutcome, Secret, ServiceError, Timestamp,
};
use futures::FutureExt as _;
use http::{HeaderName, request::Parts};
use serde::Serialize;
use serde_json::Value;
use tenant::Tenants;

use crate::{
    ApiError, ApiState, Authenticated, Created, FromFields, UnreadJson, path::canonical_path,
    responses::created_body,
};

/// The header by which a client names a request.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// The same as a field of errors.
const FIELD: &str = "idempotency_key";
/// Purposes of the secrets derived from a caller's own.
const MARKS: &str = "idempotency marks";
const PAYLOADS: &str = "idempotency payloads";
const RESPONSES: &str = "idempotency answers";

/// What a request with an `Idempotency-Key` has to do.
pub enum IdempotencyOutcome {
    /// Do the request, and complete the reservation in its transaction.
    Proceed(Box<Reservation>),
    /// Answer as before.
    Replay(Replay),
}

/// What was kept of the first response to a request.
#[derive(Clone, Debug)]
pub struct Replay(pub(crate) Vec<u8>);

impl Replay {
    /// Returns what [`Reservation::complete_with`] was given.
    pub fn stored(&self) -> &[u8] {
        &self.0
    }
}

/// The right to do one request, with the ids of what it creates.
pub struct Reservation {
    ids: IdSequence,
    /// `None` without an `Idempotency-Key`.
    kept: Option<Kept>,
}

struct Kept {
    reservation: IdempotencyReservation,
    mark: String,
    sealing: Secret,
    env: Env,
    tenants: Tenants,
}

impl Reservation {
    /// Returns the ids of what the request creates.
    pub fn ids(&self) -> IdSequence {
        self.ids
    }

    /// Returns what completes the reservation in the transaction that does the request: the
    /// resource as a 201 shows it.
    pub fn complete(&self, created: &impl Serialize) -> Option<Completion> {
        self.complete_with(created_body(created))
    }

    /// Returns the same, with what the response is made from when the request is sent again.
    pub fn complete_with(&self, kept: Vec<u8>) -> Option<Completion> {
        let Kept {
            reservation,
            mark,
            sealing,
            env,
            ..
        } = self.kept.as_ref()?;
        let response = sealing.encrypt(kept, mark.as_bytes(), env);
        Some(Completion {
            reservation: reservation.clone(),
            response,
        })
    }

    /// Does the request by `work`. If it fails or panics, releases the reservation, so that the
    /// request may be sent again at once; if that fails too, after the reservation's lease.
    pub async fn release_on_failure<T>(
        &self,
        work: impl Future<Output = Result<T, ApiError>>,
    ) -> Result<T, ApiError> {
        let result = AssertUnwindSafe(work).catch_unwind().await;
        if let (
            Ok(Err(_)) | Err(_),
            Some(Kept {
                reservation,
                tenants,
                ..
            }),
        ) = (&result, &self.kept)
            && let Err(error) = tenants.release(reservation).await
        {
            tracing::warn!(%error, "an idempotency reservation was not released");
        }

        result.unwrap_or_else(|panic| resume_unwind(panic))
    }
}

/// In whose name a request is done once.
#[derive(Clone)]
pub struct IdempotencyScope {
    /// The key of the request and the secret of the caller; `None` without an `Idempotency-Key`.
    named: Option<Result<(IdempotencyKey, Secret), FieldError>>,
    /// The request's path, in its one spelling.
    pub(crate) path: String,
    tenants: Tenants,
    env: Env,
}

impl IdempotencyScope {
    /// Returns the scope of a request; `secret` is the caller's own, which may depend on the key.
    pub fn of(
        parts: &Parts,
        edge: &ApiState,
        secret: impl FnOnce(&IdempotencyKey) -> Secret,
    ) -> IdempotencyScope {
        let key = parts
            .headers
            .get(IDEMPOTENCY_KEY)
            .map(|header| IdempotencyKey::parse(header.as_bytes()));
        let named = |key: IdempotencyKey| {
            let secret = secret(&key);
            (key, secret)
        };
        IdempotencyScope {
            named: key.map(|key| key.map(named)),
            path: canonical_path(parts.uri.path()),
            tenants: edge.tenants.clone(),
            env: edge.env.clone(),
        }
    }

    /// Whether the request has an `Idempotency-Key`.
    pub fn is_named(&self) -> bool {
        self.named.is_some()
    }

    /// Reserves the request, whose payload is all that it specifies.
    ///
    /// Fails with 422 if the key is malformed or was used for another payload, and with 409 while
    /// the request is in progress.
    pub async fn reserve(&self, payload: &Value) -> Result<IdempotencyOutcome, ServiceError> {
        let Some(named) = &self.named else {
            return Ok(IdempotencyOutcome::Proceed(Box::new(Reservation {
                ids: IdSequence::new(&self.env),
                kept: None,
            })));
        };
        let (key, secret) = named
            .as_ref()
            .map_err(|why| FieldErrors::from((FIELD, why.clone())))?;

        let name = format!("{}\n{}", self.path, key.as_str());
        let mark = hex::encode(secret.subkey(MARKS).mac(name.as_bytes()));
        // An object's keys are sorted, so their order in the body is no difference.
        let payload = hex::encode(secret.subkey(PAYLOADS).mac(payload.to_string().as_bytes()));
        let sealing = secret.subkey(RESPONSES);

        match self.tenants.reserve(&mark, &payload).await? {
            ReservationOutcome::Reserved(reservation) => {
                let ids = reservation.ids;
                let tenants = self.tenants.clone();
                let kept = Kept {
                    reservation,
                    mark,
                    sealing,
                    env: self.env.clone(),
                    tenants,
                };
                Ok(IdempotencyOutcome::Proceed(Box::new(Reservation {
                    ids,
                    kept: Some(kept),
                })))
            }
            ReservationOutcome::Completed(response) => {
                let unreadable =
                    || ServiceError::internal("the kept response of a request cannot be decrypted");
                let response = sealing
                    .decrypt(&response, mark.as_bytes())
                    .ok_or_else(unreadable)?;
                Ok(IdempotencyOutcome::Replay(Replay(response)))
            }
            ReservationOutcome::OtherPayload => Err(another_payload().into()),
            ReservationOutcome::InProgress(lease_ends_at) => {
                Err(in_progress(lease_ends_at, self.env.now()))
            }
        }
    }
}

fn another_payload() -> FieldErrors {
    (
        FIELD,
        FieldError::Custom("was used before, for a request with another payload"),
    )
        .into()
}

/// The error of a request whose first attempt still holds its lease.
fn in_progress(lease_ends_at: Timestamp, now: Timestamp) -> ServiceError {
    let message = "A request with this Idempotency-Key is already in progress. Retry after the number of seconds in \
                   Retry-After.";
    let field_error = FieldError::Custom("is that of a request in progress");
    ServiceError {
        retry_after_seconds: Some(lease_ends_at.seconds_after(now)),
        ..ServiceError::conflict(message, FIELD, field_error)
    }
}

/// A JSON body of a request that is done once.
pub struct IdempotentJson<T> {
    body: UnreadJson<T>,
    scope: IdempotencyScope,
}

impl<T: FromFields> IdempotentJson<T> {
    /// Does the request by `work`, unless it was done before. A request that was done is answered
    /// as before even if its fields would be refused by now.
    pub async fn run_once<V>(
        self,
        work: impl AsyncFnOnce(T, &Reservation) -> Result<V, ApiError>,
    ) -> Result<Created<V>, ApiError> {
        let work =
            async |(), request: T, reservation: &Reservation| work(request, reservation).await;
        self.run_once_authorized(async |_| Ok(()), work).await
    }

    /// Does the same with a request whose fields say where the caller acts: `authorize` is asked
    /// before each answer, so that nobody gets one from a space that they lost.
    pub async fn run_once_authorized<P, V>(
        mut self,
        authorize: impl AsyncFnOnce(&T) -> Result<P, ApiError>,
        work: impl AsyncFnOnce(P, T, &Reservation) -> Result<V, ApiError>,
    ) -> Result<Created<V>, ApiError> {
        let begun = self.scope.reserve(&self.body.value).await?;
        let read = T::read(&mut self.body.fields);
        let request = self.body.fields.finish(read);

        let reservation = match begun {
            IdempotencyOutcome::Proceed(reservation) => reservation,
            IdempotencyOutcome::Replay(replay) => {
                if let Ok(request) = &request {
                    authorize(request).await?;
                }
                return Ok(Created::Replayed(replay));
            }
        };
        // In a box, so that the futures of requests stay small.
        let done = Box::pin(async {
            let request = request?;
            let permission = authorize(&request).await?;
            work(permission, request, &reservation)
                .await
                .map(Created::New)
        });
        reservation.release_on_failure(done).await
    }
}

impl<T: FromFields, S: Send + Sync> FromRequest<S> for IdempotentJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: HttpRequest, state: &S) -> Result<IdempotentJson<T>, ApiError> {
        let scope = Authenticated::of(&request)?.idempotency.clone();
        let body = UnreadJson::from_request(request, state).await?;
        Ok(IdempotentJson { body, scope })
    }
}
