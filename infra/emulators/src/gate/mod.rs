//! The gate before each service: who calls, what for, whether that is allowed; the wire log;
//! planned faults and moods.
//!
//! Invariant: no request but a CORS preflight reaches a service that its principal's permissions do
//! not allow, and every answered attempt is on the wire log before its answer leaves.

mod backend;
mod batch;
mod credential;
mod fault;
mod hold;
mod mood;
mod operation;
mod overlap;
mod permission;
mod refusal;
mod wire;

use std::{sync::Arc, time::Duration};

use axum::body::Body;
use http::{Request, Response, request::Parts};
use thiserror::Error;

use crate::principals::{Keys, Principal};
use backend::Attempt;
use fault::Fault;
use operation::Operation;
use overlap::{Kind, Work, Working};
use refusal::Refusal;

pub(crate) use backend::Backend;
pub use fault::Faults;
pub use hold::Hold;
pub use mood::Moods;
pub(crate) use overlap::Overlaps;
pub use wire::{Call, Service, Wire};

/// Principal of a call whose access key nobody holds.
const NOBODY: &str = "unknown";

/// How long a transaction goes on at least while AWS has moods: as it might there, and long enough
/// to meet others.
const TRANSACTION_LASTS: Duration = Duration::from_millis(5);

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
    pub(crate) moods: Moods,
    pub(crate) overlaps: Overlaps,
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
    pub(crate) async fn answer(
        &self,
        request: Request<Body>,
    ) -> Result<Response<Body>, AnswerLost> {
        let (head, body) = request.into_parts();
        let (operation, payload) = match B::read(&head, body).await {
            Ok(read) => read,
            Err(refusal) => {
                return Ok(self.refusal(&refusal, &head, NOBODY, &Operation::unknown()));
            }
        };
        let mut attempt = Attempt {
            head,
            payload,
            operation,
            principal: NOBODY.to_owned(),
        };
        if B::is_open(&attempt.head) {
            return Ok(self.backend.forward(attempt, None).await);
        }
        let principal = match self.caller(&attempt.head) {
            Ok(principal) => principal,
            Err(refusal) => return Ok(self.refuse(&refusal, attempt, NOBODY).await),
        };
        attempt.principal.clone_from(&principal.name);
        if let Some(need) = attempt
            .operation
            .needs
            .iter()
            .find(|need| !need.is_met(&principal.permissions))
        {
            let refusal = Refusal::denied(B::SERVICE, &principal.name, need);
            return Ok(self.refuse(&refusal, attempt, &principal.name).await);
        }
        self.perform(attempt, &principal).await
    }

    fn caller(&self, head: &Parts) -> Result<Arc<Principal>, Refusal> {
        let access_key =
            credential::access_key(head).ok_or_else(|| Refusal::anonymous(B::SERVICE))?;
        self.watch
            .keys
            .principal(&access_key)
            .ok_or_else(|| Refusal::unknown_key(B::SERVICE))
    }

    /// Carries out what is allowed, with the fault that is planned or drawn for it.
    async fn perform(
        &self,
        attempt: Attempt<B::Payload>,
        principal: &Principal,
    ) -> Result<Response<Body>, AnswerLost> {
        let name = attempt.operation.name.clone();
        let path = attempt.head.uri.path().to_owned();
        self.watch.faults.held(&principal.name, &name).await;
        let planned = self.watch.faults.take(&principal.name, B::SERVICE, &name);
        let fault = planned.or_else(|| self.watch.moods.fault(B::SERVICE, &name));
        if fault == Some(Fault::Break) {
            B::discard(attempt.payload).await;
            return Err(AnswerLost);
        }
        // Without moods no transaction goes on for long enough to meet another.
        let work = if self.watch.moods.are_on() {
            B::work(&attempt)
        } else {
            None
        };
        let begun = match &fault {
            Some(Fault::Refuse { status, code }) => Err(Refusal::planned(*status, code)),
            _ => self.begin(work).await,
        };
        let working = match begun {
            Ok(working) => working,
            Err(refusal) => return Ok(self.refuse(&refusal, attempt, &principal.name).await),
        };
        let whim = match fault {
            Some(Fault::Whim(whim)) => Some(whim),
            _ => None,
        };
        let answer = self.backend.forward(attempt, whim).await;
        drop(working);
        let answer = B::disclose(answer, &name, &path, principal);
        self.record(&principal.name, &name, answer.status().as_u16());
        if fault == Some(Fault::LoseAnswer) {
            Err(AnswerLost)
        } else {
            Ok(answer)
        }
    }

    /// Begins work on the items of a call, unless others are at work on them.
    async fn begin(&self, work: Option<Work>) -> Result<Option<Working>, Refusal> {
        let Some(work) = work else { return Ok(None) };
        let working = self
            .watch
            .overlaps
            .begin(&work)
            .map_err(|members| Refusal::conflict(work.kind, members))?;
        if work.kind == Kind::Transaction {
            tokio::time::sleep(TRANSACTION_LASTS).await;
        }
        Ok(Some(working))
    }

    async fn refuse(
        &self,
        refusal: &Refusal,
        attempt: Attempt<B::Payload>,
        principal: &str,
    ) -> Response<Body> {
        B::discard(attempt.payload).await;
        self.refusal(refusal, &attempt.head, principal, &attempt.operation)
    }

    fn refusal(
        &self,
        refusal: &Refusal,
        head: &Parts,
        principal: &str,
        operation: &Operation,
    ) -> Response<Body> {
        self.record(principal, &operation.name, refusal.status.as_u16());
        refusal.answer(B::SERVICE, &head.method, operation)
    }

    fn record(&self, principal: &str, operation: &str, status: u16) {
        let (principal, operation) = (principal.to_owned(), operation.to_owned());
        self.watch.wire.record(Call {
            principal,
            service: B::SERVICE,
            operation,
            status,
        });
    }
}
