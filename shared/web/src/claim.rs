//! `Idempotency-Key`: a request that creates something is done once, however often it is sent.
//!
//! Who calls, what they call the request and its path make its mark; what they ask for makes its payload. Both are HMACs
//! under secrets derived from the caller's own, and the kept answer is sealed under another: the table tells nothing of any
//! of them. A caller's own secret is their API key; that of a stranger is who they are and what they call the request.

use axum::extract::{FromRequest, Request as HttpRequest};
use domain::{ChosenIds, Fault, IdempotencyKey, Secret, Sources, Timestamp, Violation, Violations};
use http::{HeaderName, request::Parts};
use serde::Serialize;
use serde_json::Value;
use tenant::{Claimed, Completion, Tenants};

use crate::{
    Authenticated, Edge, Failure, FromFields, answer::created_body, exchange::Exchange, fields::read_fields,
    path::canonical_path,
};

/// The header by which a client names a request.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// The same as a field of errors.
const FIELD: &str = "idempotency_key";
/// Purposes of the secrets derived from a caller's own.
const MARKS: &str = "idempotency marks";
const PAYLOADS: &str = "idempotency payloads";
const ANSWERS: &str = "idempotency answers";

/// A valid JSON body of a request that is done once.
pub struct IdempotentJson<T> {
    /// What is asked for.
    pub request: T,
    /// The claim to do it.
    pub claim: Claim,
}

/// The claim to do one request, with the ids of what it makes.
pub struct Claim {
    ids: ChosenIds,
    /// `None` where the client did not name the request.
    kept: Option<Kept>,
}

struct Kept {
    claim: tenant::Claim,
    mark: String,
    sealing: Secret,
    sources: Sources,
}

impl Claim {
    /// The ids of what the request makes.
    pub fn ids(&self) -> ChosenIds {
        self.ids
    }

    /// What ends the request in the transaction that does it: the resource as a 201 shows it, kept for whoever asks again.
    pub fn complete(&self, created: &impl Serialize) -> Option<Completion> {
        self.complete_with(created_body(created))
    }

    /// The same, where what is kept is not the answer itself, but what it is made from again.
    pub fn complete_with(&self, kept: Vec<u8>) -> Option<Completion> {
        let Kept { claim, mark, sealing, sources } = self.kept.as_ref()?;
        let answer = sealing.seal(kept, mark.as_bytes(), sources);
        Some(Completion { claim: claim.clone(), answer })
    }
}

/// In whose name a request is done once.
#[derive(Clone)]
pub(crate) struct Claimant {
    /// How the client names the request, and the secret that is the caller's own; none, where they do not name it.
    named: Option<Result<(IdempotencyKey, Secret), Violation>>,
    /// The request's path, in its one spelling.
    pub(crate) path: String,
    exchange: Exchange,
    tenants: Tenants,
    sources: Sources,
}

impl Claimant {
    /// The claimant of a request; `secret` is the caller's own, which may depend on how they name the request.
    pub(crate) fn of(parts: &Parts, edge: &Edge, secret: impl FnOnce(&IdempotencyKey) -> Secret) -> Claimant {
        let key = parts.headers.get(IDEMPOTENCY_KEY).map(|header| IdempotencyKey::parse(header.as_bytes()));
        let named = |key: IdempotencyKey| {
            let secret = secret(&key);
            (key, secret)
        };
        Claimant {
            named: key.map(|key| key.map(named)),
            path: canonical_path(parts.uri.path()),
            exchange: Exchange::of(parts),
            tenants: edge.tenants.clone(),
            sources: edge.sources.clone(),
        }
    }

    /// Whether the client names the request.
    pub(crate) fn is_named(&self) -> bool {
        self.named.is_some()
    }

    /// Claims the request, whose payload is all that it asks for. Where it was done before, its first answer is the
    /// failure to claim it.
    pub(crate) async fn claim(&self, payload: &Value) -> Result<Claim, Failure> {
        let Some(named) = &self.named else {
            return Ok(Claim { ids: ChosenIds::new(&self.sources), kept: None });
        };
        let (key, secret) = named.as_ref().map_err(|why| Violations::from((FIELD, why.clone())))?;
        let name = format!("{}\n{}", self.path, key.as_str());
        let mark = hex::encode(secret.within(MARKS).mark(name.as_bytes()));
        // An object's keys are sorted, so their order in the body is no difference.
        let payload = hex::encode(secret.within(PAYLOADS).mark(payload.to_string().as_bytes()));
        let sealing = secret.within(ANSWERS);
        match self.tenants.claim(&mark, &payload).await? {
            Claimed::Ours(claim) => {
                self.exchange.note_claim(self.tenants.clone(), claim.clone());
                let kept = Kept { mark, sealing, sources: self.sources.clone(), claim };
                Ok(Claim { ids: kept.claim.ids, kept: Some(kept) })
            }
            Claimed::Done(answer) => {
                let unreadable = || Fault::internal("the kept answer of a claim does not open");
                Err(Failure::Replay(sealing.open(&answer, mark.as_bytes()).ok_or_else(unreadable)?))
            }
            Claimed::AnotherPayload => Err(another_payload().into()),
            Claimed::InProgress(lease_ends_at) => Err(in_progress(lease_ends_at, self.sources.now()).into()),
        }
    }
}

fn another_payload() -> Violations {
    (FIELD, Violation::Must("was used before, for a request with another payload")).into()
}

/// The error of a request whose first attempt still holds its lease.
fn in_progress(lease_ends_at: Timestamp, now: Timestamp) -> Fault {
    let message = "A request with this Idempotency-Key is already in progress. Retry after the number of seconds in \
                   Retry-After.";
    let violation = Violation::Must("is that of a request in progress");
    Fault { retry_after_seconds: Some(lease_ends_at.seconds_after(now)), ..Fault::conflict(message, FIELD, violation) }
}

impl<T: FromFields, S: Send + Sync> FromRequest<S> for IdempotentJson<T> {
    type Rejection = Failure;

    async fn from_request(request: HttpRequest, _state: &S) -> Result<IdempotentJson<T>, Failure> {
        let by = Authenticated::of(&request)?.clone();
        let (mut fields, payload) = read_fields(request, by.sources().now()).await?;
        // Before it is judged: what was done once is answered again though it would be refused by now.
        let claim = by.claimant.claim(&payload).await?;
        let read = T::read(&mut fields);
        Ok(IdempotentJson { request: fields.finish(read)?, claim })
    }
}
