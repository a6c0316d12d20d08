//! HTTP client that recovers from connections that were lost while Lambda had frozen the function.
//!
//! A request on such a connection gets neither a response nor an error. When a request after an
//! idle time gets none in time, the client drops all kept connections and repeats it once on a new
//! one. This is part of the same attempt of the SDK, so that lost connections do not use up the
//! attempts.
//!
//! A connector with its roots is created together with the clients, so during the initialization of
//! a function, and not by its first request: Lambda gives the initialization a whole processor.
//!
//! The clients of DynamoDB, SQS, STS and Secrets Manager do so. Responses of S3 have no separate
//! time limit, because large objects take long to send: there, a lost connection uses up an
//! attempt.

use std::{
    fmt,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use aws_sdk_dynamodb::config::{RuntimeComponents, SharedHttpClient};
use aws_smithy_runtime_api::client::{
    http::{
        HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
    },
    orchestrator::{HttpRequest, HttpResponse},
    result::ConnectorError,
};
use domain::env::Env;

/// Time without a response after which kept connections may be lost, in milliseconds. It is read
/// from the wall clock, because the monotonic clock stands still while a machine is suspended
/// (`CLOCK_MONOTONIC` in `clock_gettime(2)`).
const IDLE_MS: i64 = 5_000;
/// Time of the last response of connections that had none: they are never idle.
const NO_RESPONSE_MS: i64 = i64::MAX;

/// Creates a connector without connections.
type CreateConnector = Arc<dyn Fn() -> SharedHttpConnector + Send + Sync>;

/// The connections that the clients of a function share. Clones share them.
#[derive(Clone)]
pub(crate) struct Connections {
    current: Arc<RwLock<Pool>>,
    create: CreateConnector,
    env: Env,
}

/// A connector with the connections that it keeps.
#[derive(Clone)]
struct Pool {
    connector: SharedHttpConnector,
    /// Milliseconds since 1970, or [`NO_RESPONSE_MS`].
    last_response_ms: Arc<AtomicI64>,
}

/// The HTTP client of one AWS client.
#[derive(Clone, Debug)]
struct ReconnectingClient {
    connections: Connections,
    response_timeout: Option<Duration>,
}

impl Connections {
    pub(crate) fn new(
        env: &Env,
        create: impl Fn() -> SharedHttpConnector + Send + Sync + 'static,
    ) -> Connections {
        Connections {
            current: Arc::new(RwLock::new(Pool::new(create()))),
            create: Arc::new(create),
            env: env.clone(),
        }
    }

    /// Returns a client of these connections. With a timeout, a response must begin within this
    /// time, and a request on a lost connection is repeated.
    pub(crate) fn client(&self, response_timeout: Option<Duration>) -> SharedHttpClient {
        SharedHttpClient::new(ReconnectingClient {
            connections: self.clone(),
            response_timeout,
        })
    }

    fn now_ms(&self) -> i64 {
        self.env.now().ms()
    }

    fn pool(&self) -> Pool {
        let current = self.current.read();
        current.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Drops the connections that a pool keeps. Its running requests are not affected.
    fn drop_kept(&self, pool: &Pool) {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&current.last_response_ms, &pool.last_response_ms) {
            *current = Pool::new((self.create)());
        }
    }
}

impl Pool {
    fn new(connector: SharedHttpConnector) -> Pool {
        Pool {
            connector,
            last_response_ms: Arc::new(AtomicI64::new(NO_RESPONSE_MS)),
        }
    }

    fn last_response_ms(&self) -> i64 {
        self.last_response_ms.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for Connections {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Connections")
            .finish_non_exhaustive()
    }
}

impl HttpClient for ReconnectingClient {
    /// The settings are those of the connector: all AWS clients have the same.
    fn http_connector(
        &self,
        _: &HttpConnectorSettings,
        _: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl HttpConnector for ReconnectingClient {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let client = self.clone();
        HttpConnectorFuture::new(async move { client.send(request).await })
    }
}

impl ReconnectingClient {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, ConnectorError> {
        let connections = &self.connections;
        let pool = connections.pool();
        let last_response_ms = pool.last_response_ms();
        let idle_ms = connections.now_ms().saturating_sub(last_response_ms);
        let can_repeat = self.response_timeout.is_some() && idle_ms >= IDLE_MS;
        let copy = can_repeat.then(|| request.try_clone()).flatten();

        match (self.send_once(&pool, request).await, copy) {
            // A response since then shows a live connection, so this response may be late instead
            // of lost.
            (Err(error), Some(copy))
                if error.is_timeout() && pool.last_response_ms() == last_response_ms =>
            {
                connections.drop_kept(&pool);
                self.send_once(&connections.pool(), copy).await
            }
            (result, _) => result,
        }
    }

    async fn send_once(
        &self,
        pool: &Pool,
        request: HttpRequest,
    ) -> Result<HttpResponse, ConnectorError> {
        let call = pool.connector.call(request);
        let response = match self.response_timeout {
            None => call.await,
            Some(timeout) => tokio::time::timeout(timeout, call)
                .await
                .unwrap_or_else(|elapsed| Err(ConnectorError::timeout(elapsed.into()))),
        }?;

        let now_ms = self.connections.now_ms();
        pool.last_response_ms.store(now_ms, Ordering::Relaxed);
        Ok(response)
    }
}

#[cfg(test)]
mod tests;
