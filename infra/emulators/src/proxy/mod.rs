//! The proxy in front of each service: authentication, authorization, call log, and injected
//! faults.
//!
//! Invariants:
//! - Only requests that the permissions of their principal allow reach a service. CORS preflights
//!   are the exception.
//! - A call is logged before its response is sent.

mod attempt;
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
mod service;
mod signature;
mod used_units;

use std::{sync::Arc, time::Duration};

use axum::body::Body;
use futures::{StreamExt as _, future, stream};
use http::{Request, Response, request::Parts};
use http_body_util::BodyExt as _;
use thiserror::Error;

use crate::{
    dynamodb::CostedCall,
    principal::{AccessKeys, IamPrincipal},
};
use attempt::{Attempt, AwsOperation};
use backend::ParsedRequest;
use conflict::{AccessGuard, AccessKind, ItemAccess};
use fault::Fault;
use permission::RequiredPermission;
use rejection::ProxyRejection;
use signature::SignedBody as _;

pub(crate) use backend::Backend;
pub use call_log::{CallLog, CallRecord, UsedPermission};
pub use chaos::Chaos;
pub(crate) use conflict::ConflictTracker;
pub use fault::{Faults, InjectedError};
pub use hold::Hold;
pub use service::Service;
pub use used_units::{UnitMeter, UsedUnits};

/// Name of the principal in the log if the access key is missing or not registered.
const UNKNOWN_PRINCIPAL: &str = "unknown";

/// Minimum duration of a transaction while chaos is enabled, long enough to overlap with others.
const TRANSACTION_DURATION: Duration = Duration::from_millis(5);

/// The server has to close the connection without a response.
#[derive(Clone, Copy, Debug, Error)]
#[error("an injected fault closed the connection")]
pub(crate) struct ConnectionAborted;

/// State that all proxies share.
#[derive(Clone, Default)]
pub(crate) struct ProxyState {
    pub(crate) access_keys: AccessKeys,
    pub(crate) call_log: CallLog,
    pub(crate) faults: Faults,
    pub(crate) chaos: Chaos,
    pub(crate) conflicts: ConflictTracker,
    pub(crate) units: UnitMeter,
}

/// The proxy in front of one service.
pub(crate) struct Proxy<B> {
    backend: B,
    state: ProxyState,
}

impl<B: Backend> Proxy<B> {
    pub(crate) fn new(backend: B, state: ProxyState) -> Proxy<B> {
        Proxy { backend, state }
    }

    /// Responds to one request. Fails if the connection has to be closed without a response.
    pub(crate) async fn handle(
        &self,
        request: Request<Body>,
    ) -> Result<Response<Body>, ConnectionAborted> {
        let (head, body) = request.into_parts();
        let ParsedRequest { operation, body } = match B::parse(&head, body).await {
            Ok(parsed) => parsed,
            Err(rejection) => {
                let operation = AwsOperation::unknown();
                return Ok(self.respond(&rejection, &head, UNKNOWN_PRINCIPAL, &operation));
            }
        };

        let mut attempt = Attempt {
            head,
            body,
            operation,
            principal: UNKNOWN_PRINCIPAL.to_owned(),
        };

        if B::is_public(&attempt.head) {
            return Ok(self.backend.forward(attempt, None).await);
        }

        let principal = match self.authenticate(&attempt) {
            Ok(principal) => principal,
            Err(rejection) => return Ok(self.reject(&rejection, attempt).await),
        };

        attempt.principal.clone_from(&principal.name);
        let mut required = attempt.operation.required.iter();
        let denied = required.find_map(|required| self.authorize(required, &principal).err());
        if let Some(rejection) = denied {
            return Ok(self.reject(&rejection, attempt).await);
        }

        self.perform(attempt, &principal).await
    }

    fn authenticate(
        &self,
        attempt: &Attempt<B::RequestBody>,
    ) -> Result<Arc<IamPrincipal>, ProxyRejection> {
        let access_key = credential::access_key(&attempt.head)
            .ok_or_else(|| ProxyRejection::missing_credentials(B::SERVICE))?;
        let principal = self.state.access_keys.principal(&access_key);
        let principal = principal.ok_or_else(|| ProxyRejection::unknown_key(B::SERVICE))?;
        if !attempt.body.is_signed(&attempt.head, &principal.secret_key) {
            return Err(ProxyRejection::invalid_signature(B::SERVICE));
        }

        if credential::is_presigned(&attempt.head) {
            Ok(Arc::new(principal.of_presigned_url()))
        } else {
            Ok(principal)
        }
    }

    /// Forwards an authorized attempt, with the fault that is planned or drawn for it.
    async fn perform(
        &self,
        attempt: Attempt<B::RequestBody>,
        principal: &IamPrincipal,
    ) -> Result<Response<Body>, ConnectionAborted> {
        let operation = attempt.operation.name.clone();
        let path = attempt.head.uri.path().to_owned();
        let faults = &self.state.faults;
        faults.wait_while_held(&principal.name, &operation).await;

        let fault = faults
            .take(&principal.name, B::SERVICE, &operation)
            .or_else(|| self.state.chaos.next_fault(B::SERVICE, &operation));
        if fault == Some(Fault::CloseConnection) {
            B::discard(attempt.body).await;
            return Err(ConnectionAborted);
        }

        // Without chaos, no transaction runs long enough to overlap with another.
        let access = if self.state.chaos.is_enabled() {
            self.backend.item_access(&attempt)
        } else {
            None
        };

        let started = if let Some(Fault::Reject(error)) = &fault {
            Err(ProxyRejection::injected(error))
        } else {
            let is_counted = self.state.units.is_started();
            let call = is_counted.then(|| self.backend.costed_call(&attempt));
            self.count_units(call.flatten()).await;
            self.start_access(access).await
        };

        let guard = match started {
            Ok(guard) => guard,
            Err(rejection) => return Ok(self.reject(&rejection, attempt).await),
        };

        let anomaly = match fault {
            Some(Fault::Anomaly(anomaly)) => Some(anomaly),
            _ => None,
        };

        let response = self.backend.forward(attempt, anomaly).await;
        drop(guard);

        let disclosing = B::disclosing_permission(&response, &operation, &path);
        let response = match disclosing.map(|required| self.authorize(&required, principal)) {
            Some(Err(rejection)) => B::hide(response, &rejection, &operation),
            _ => response,
        };
        self.record(&principal.name, &operation, response.status().as_u16());
        match fault {
            Some(Fault::LoseResponse) => Err(ConnectionAborted),
            Some(Fault::TruncateResponse) => Ok(response.map(truncate)),
            _ => Ok(response),
        }
    }

    /// Fails unless the principal has a permission.
    fn authorize(
        &self,
        required: &RequiredPermission,
        principal: &IamPrincipal,
    ) -> Result<(), ProxyRejection> {
        if required.is_allowed_by(&principal.permissions) {
            self.state.call_log.record_use(&principal.name, required);
            return Ok(());
        }
        let name = &principal.name;
        Err(ProxyRejection::denied(B::SERVICE, name, required))
    }

    /// Counts the units of a call.
    async fn count_units(&self, call: Option<CostedCall>) {
        if let Some(call) = call {
            let costs = crate::spawn_blocking(move || call.costs()).await;
            self.state.units.add(&costs.unwrap_or_default());
        }
    }

    /// Starts to access the items of a call. Fails if it conflicts with running calls.
    async fn start_access(
        &self,
        access: Option<ItemAccess>,
    ) -> Result<Option<AccessGuard>, ProxyRejection> {
        let Some(access) = access else {
            return Ok(None);
        };

        let guard = self
            .state
            .conflicts
            .start(&access)
            .map_err(|item_indexes| ProxyRejection::conflict(access.kind, item_indexes))?;
        if access.kind == AccessKind::TransactionalWrite {
            tokio::time::sleep(TRANSACTION_DURATION).await;
        }

        Ok(Some(guard))
    }

    /// Discards the body, and responds with an error.
    async fn reject(
        &self,
        rejection: &ProxyRejection,
        attempt: Attempt<B::RequestBody>,
    ) -> Response<Body> {
        B::discard(attempt.body).await;
        self.respond(
            rejection,
            &attempt.head,
            &attempt.principal,
            &attempt.operation,
        )
    }

    /// Logs and creates an error response.
    fn respond(
        &self,
        rejection: &ProxyRejection,
        head: &Parts,
        principal: &str,
        operation: &AwsOperation,
    ) -> Response<Body> {
        self.record(principal, &operation.name, rejection.status.as_u16());
        rejection.response(B::SERVICE, &head.method, operation)
    }

    fn record(&self, principal: &str, operation: &str, status: u16) {
        self.state.call_log.record(CallRecord {
            principal: principal.to_owned(),
            service: B::SERVICE,
            operation: operation.to_owned(),
            status,
        });
    }
}

/// Returns half of the first frame of a body, then an error, which closes the connection.
fn truncate(mut body: Body) -> Body {
    let half = async move {
        let frame = body.frame().await?.ok()?;
        let bytes = frame.into_data().ok()?;
        Some(Ok(bytes.slice(..bytes.len() / 2)))
    };
    let end = async {
        // The server sends what it has while it waits for more.
        tokio::task::yield_now().await;
        Some(Err(ConnectionAborted))
    };
    let frames = stream::once(half).chain(stream::once(end));
    Body::from_stream(frames.filter_map(future::ready))
}
