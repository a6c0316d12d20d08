//! The proxy before each service: who calls, what for, whether that is allowed; the wire log;
//! planned faults and chaos.
//!
//! Invariant: no request but a CORS preflight reaches a service that its principal's permissions do
//! not allow, and every answered attempt is on the wire log before its answer leaves.

mod backend;
mod batch;
mod call_log;
mod chaos;
mod conflict;
mod credential;
mod fault;
mod hold;
mod operation;
mod permission;
mod rejection;

use std::{sync::Arc, time::Duration};

use axum::body::Body;
use http::{Request, Response, request::Parts};
use thiserror::Error;

use crate::principals::{Keys, Principal};
use backend::Attempt;
use conflict::{AccessGuard, ItemAccess, Kind};
use fault::Fault;
use operation::Operation;
use rejection::Rejection;

pub(crate) use backend::Backend;
pub use call_log::{Call, CallLog, Service};
pub use chaos::Chaos;
pub(crate) use conflict::ConflictTracker;
pub use fault::{Faults, InjectedError};
pub use hold::Hold;

/// Principal of a call whose access key nobody holds.
const UNKNOWN_PRINCIPAL: &str = "unknown";

/// How long a transaction goes on at least while AWS has chaos: as it might there, and long enough
/// to meet others.
const TRANSACTION_LASTS: Duration = Duration::from_millis(5);

/// The connection has to break without an answer: it was lost, as planned.
#[derive(Clone, Copy, Debug, Error)]
#[error("the answer was lost, as planned")]
pub(crate) struct ConnectionAborted;

/// What all proxies share.
#[derive(Clone, Default)]
pub(crate) struct ProxyState {
    pub(crate) keys: Keys,
    pub(crate) call_log: CallLog,
    pub(crate) faults: Faults,
    pub(crate) chaos: Chaos,
    pub(crate) conflicts: ConflictTracker,
}

/// The proxy before one service.
pub(crate) struct Proxy<B> {
    backend: B,
    state: ProxyState,
}

impl<B: Backend> Proxy<B> {
    pub(crate) fn new(backend: B, state: ProxyState) -> Proxy<B> {
        Proxy { backend, state }
    }

    /// Answers one request, or demands that its connection breaks.
    pub(crate) async fn answer(
        &self,
        request: Request<Body>,
    ) -> Result<Response<Body>, ConnectionAborted> {
        let (head, body) = request.into_parts();
        let (operation, payload) = match B::read(&head, body).await {
            Ok(read) => read,
            Err(rejection) => {
                return Ok(self.rejection(
                    &rejection,
                    &head,
                    UNKNOWN_PRINCIPAL,
                    &Operation::unknown(),
                ));
            }
        };
        let mut attempt = Attempt {
            head,
            payload,
            operation,
            principal: UNKNOWN_PRINCIPAL.to_owned(),
        };
        if B::is_open(&attempt.head) {
            return Ok(self.backend.forward(attempt, None).await);
        }
        let principal = match self.caller(&attempt.head) {
            Ok(principal) => principal,
            Err(rejection) => return Ok(self.refuse(&rejection, attempt, UNKNOWN_PRINCIPAL).await),
        };
        attempt.principal.clone_from(&principal.name);
        if let Some(need) = attempt
            .operation
            .required
            .iter()
            .find(|need| !need.is_met(&principal.permissions))
        {
            let rejection = Rejection::denied(B::SERVICE, &principal.name, need);
            return Ok(self.refuse(&rejection, attempt, &principal.name).await);
        }
        self.perform(attempt, &principal).await
    }

    fn caller(&self, head: &Parts) -> Result<Arc<Principal>, Rejection> {
        let access_key =
            credential::access_key(head).ok_or_else(|| Rejection::anonymous(B::SERVICE))?;
        self.state
            .keys
            .principal(&access_key)
            .ok_or_else(|| Rejection::unknown_key(B::SERVICE))
    }

    /// Carries out what is allowed, with the fault that is planned or drawn for it.
    async fn perform(
        &self,
        attempt: Attempt<B::Payload>,
        principal: &Principal,
    ) -> Result<Response<Body>, ConnectionAborted> {
        let name = attempt.operation.name.clone();
        let path = attempt.head.uri.path().to_owned();
        self.state.faults.held(&principal.name, &name).await;
        let planned = self.state.faults.take(&principal.name, B::SERVICE, &name);
        let fault = planned.or_else(|| self.state.chaos.fault(B::SERVICE, &name));
        if fault == Some(Fault::Break) {
            B::discard(attempt.payload).await;
            return Err(ConnectionAborted);
        }
        // Without chaos no transaction goes on for long enough to meet another.
        let work = if self.state.chaos.is_enabled() {
            B::work(&attempt)
        } else {
            None
        };
        let begun = match &fault {
            Some(Fault::Reject(error)) => Err(Rejection::planned(error)),
            _ => self.begin(work).await,
        };
        let working = match begun {
            Ok(working) => working,
            Err(rejection) => return Ok(self.refuse(&rejection, attempt, &principal.name).await),
        };
        let anomaly = match fault {
            Some(Fault::Anomaly(anomaly)) => Some(anomaly),
            _ => None,
        };
        let answer = self.backend.forward(attempt, anomaly).await;
        drop(working);
        let answer = B::disclose(answer, &name, &path, principal);
        self.record(&principal.name, &name, answer.status().as_u16());
        if fault == Some(Fault::LoseResponse) {
            Err(ConnectionAborted)
        } else {
            Ok(answer)
        }
    }

    /// Begins work on the items of a call, unless others are at work on them.
    async fn begin(&self, work: Option<ItemAccess>) -> Result<Option<AccessGuard>, Rejection> {
        let Some(work) = work else { return Ok(None) };
        let working = self
            .state
            .conflicts
            .begin(&work)
            .map_err(|members| Rejection::conflict(work.kind, members))?;
        if work.kind == Kind::Transaction {
            tokio::time::sleep(TRANSACTION_LASTS).await;
        }
        Ok(Some(working))
    }

    async fn refuse(
        &self,
        rejection: &Rejection,
        attempt: Attempt<B::Payload>,
        principal: &str,
    ) -> Response<Body> {
        B::discard(attempt.payload).await;
        self.rejection(rejection, &attempt.head, principal, &attempt.operation)
    }

    fn rejection(
        &self,
        rejection: &Rejection,
        head: &Parts,
        principal: &str,
        operation: &Operation,
    ) -> Response<Body> {
        self.record(principal, &operation.name, rejection.status.as_u16());
        rejection.answer(B::SERVICE, &head.method, operation)
    }

    fn record(&self, principal: &str, operation: &str, status: u16) {
        let (principal, operation) = (principal.to_owned(), operation.to_owned());
        self.state.call_log.record(Call {
            principal,
            service: B::SERVICE,
            operation,
            status,
        });
    }
}
