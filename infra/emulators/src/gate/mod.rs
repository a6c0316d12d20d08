//! The gate before each service: who calls, what for, whether that is allowed; the wire log; planned faults.
//!
//! Invariant: no request but a CORS preflight reaches a service that its principal's permissions do not allow, and
//! every answered attempt is on the wire log before its answer leaves.

mod backend;
mod batch;
mod credential;
mod fault;
mod operation;
mod permission;
mod refusal;
mod wire;

use std::sync::Arc;

use axum::body::Body;
use http::{Request, Response, request::Parts};
use thiserror::Error;

use crate::principals::{Keys, Principal};
use backend::Attempt;
use fault::Fault;
use operation::Operation;
use refusal::Refusal;

pub(crate) use backend::Backend;
pub use fault::Faults;
pub use wire::{Call, Service, Wire};

/// Principal of a call whose access key nobody holds.
const NOBODY: &str = "unknown";

/// The connection has to break without an answer: it was lost, as planned.
#[derive(Clone, Copy, Debug, Error)]
#[error("the answer was lost, as planned")]
pub(crate) struct AnswerLost;

/// What all gates share.
#[derive(Clone, Default)]
pub(crate) struct Watch {
    pub(crate) keys: Keys,
    pub(crate) wire: Wire,
    pub(crate) faults: Faults,
}

/// The gate before one service.
pub(crate) struct Gate<B> {
    backend: B,
    watch: Watch,
}

impl<B: Backend> Gate<B> {
    pub(crate) fn new(backend: B, watch: Watch) -> Gate<B> {
        Gate { backend, watch }
    }

    /// Answers one request, or demands that its connection breaks.
    pub(crate) async fn answer(&self, request: Request<Body>) -> Result<Response<Body>, AnswerLost> {
        let (head, body) = request.into_parts();
        let (operation, payload) = match B::read(&head, body).await {
            Ok(read) => read,
            Err(refusal) => return Ok(self.refusal(&refusal, &head, NOBODY, &Operation::unknown())),
        };
        let attempt = Attempt { head, payload, operation };
        if B::is_open(&attempt.head) {
            return Ok(self.backend.forward(attempt).await);
        }
        let principal = match self.caller(&attempt.head) {
            Ok(principal) => principal,
            Err(refusal) => return Ok(self.refuse(&refusal, attempt, NOBODY).await),
        };
        if let Some(need) = attempt.operation.needs.iter().find(|need| !need.is_met(&principal.permissions)) {
            let refusal = Refusal::denied(B::SERVICE, &principal.name, need);
            return Ok(self.refuse(&refusal, attempt, &principal.name).await);
        }
        self.perform(attempt, &principal).await
    }

    fn caller(&self, head: &Parts) -> Result<Arc<Principal>, Refusal> {
        let access_key = credential::access_key(head).ok_or_else(|| Refusal::anonymous(B::SERVICE))?;
        self.watch.keys.principal(&access_key).ok_or_else(|| Refusal::unknown_key(B::SERVICE))
    }

    /// Carries out what is allowed, with the fault that is planned for it.
    async fn perform(&self, attempt: Attempt<B::Payload>, principal: &Principal) -> Result<Response<Body>, AnswerLost> {
        let name = attempt.operation.name.clone();
        let path = attempt.head.uri.path().to_owned();
        let fault = self.watch.faults.take(B::SERVICE, &name);
        let answer = match &fault {
            Some(Fault::Refuse { status, code }) => {
                return Ok(self.refuse(&Refusal::planned(*status, code), attempt, &principal.name).await);
            }
            Some(Fault::LeaveUnprocessed) => self.backend.forward_half(attempt).await,
            Some(Fault::LoseAnswer) | None => self.backend.forward(attempt).await,
        };
        let answer = B::disclose(answer, &name, &path, principal);
        self.record(&principal.name, &name, answer.status().as_u16());
        if fault == Some(Fault::LoseAnswer) { Err(AnswerLost) } else { Ok(answer) }
    }

    async fn refuse(&self, refusal: &Refusal, attempt: Attempt<B::Payload>, principal: &str) -> Response<Body> {
        B::discard(attempt.payload).await;
        self.refusal(refusal, &attempt.head, principal, &attempt.operation)
    }

    fn refusal(&self, refusal: &Refusal, head: &Parts, principal: &str, operation: &Operation) -> Response<Body> {
        self.record(principal, &operation.name, refusal.status.as_u16());
        refusal.answer(B::SERVICE, &head.method, operation)
    }

    fn record(&self, principal: &str, operation: &str, status: u16) {
        let (principal, operation) = (principal.to_owned(), operation.to_owned());
        self.watch.wire.record(Call { principal, service: B::SERVICE, operation, status });
    }
}
