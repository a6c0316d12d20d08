//! HTTP client that recovers from connections that were lost while Lambda had frozen the function.
//!
//! A request on such a connection gets neither a response nor an error. When a request gets none in time, the client
//! drops all kept connections and repeats it on a new one. This is part of the same attempt of the SDK, so that lost
//! connections do not use up the attempts.

use std::{
    fmt,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
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

/// The connections that the clients of a function share. Clones share them.
#[derive(Clone)]
pub(crate) struct Connections {
    current: Arc<RwLock<Pool>>,
    /// Creates an HTTP client without connections.
    create: fn() -> SharedHttpClient,
}

/// An HTTP client with the connections that it keeps.
#[derive(Clone)]
struct Pool {
    client: SharedHttpClient,
    /// Whether a request has got a response, so that the next one may use the same connection.
    has_kept: Arc<AtomicBool>,
}

/// The HTTP client of one AWS client.
#[derive(Clone, Debug)]
struct ReconnectingClient {
    connections: Connections,
    response_timeout: Duration,
}

/// Sends requests with the settings of one AWS client.
#[derive(Clone, Debug)]
struct ReconnectingConnector {
    client: ReconnectingClient,
    settings: HttpConnectorSettings,
    components: RuntimeComponents,
}

/// A request in progress. Dropped without a response, it drops the kept connections.
struct Unanswered<'a> {
    connections: &'a Connections,
    pool: &'a Pool,
    is_answered: bool,
}

impl Connections {
    pub(crate) fn new(create: fn() -> SharedHttpClient) -> Connections {
        Connections {
            current: Arc::new(RwLock::new(Pool::new(create()))),
            create,
        }
    }

    /// Returns a client of these connections. A response must begin within a time.
    pub(crate) fn client(&self, response_timeout: Duration) -> SharedHttpClient {
        SharedHttpClient::new(ReconnectingClient {
            connections: self.clone(),
            response_timeout,
        })
    }

    fn pool(&self) -> Pool {
        let current = self.current.read();
        current.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Drops the connections that a pool keeps. Its running requests are not affected.
    fn drop_kept(&self, pool: &Pool) {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&current.has_kept, &pool.has_kept) {
            *current = Pool::new((self.create)());
        }
    }
}

impl Pool {
    fn new(client: SharedHttpClient) -> Pool {
        Pool {
            client,
            has_kept: Arc::default(),
        }
    }

    fn has_kept(&self) -> bool {
        self.has_kept.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for Connections {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Connections")
            .finish_non_exhaustive()
    }
}

impl Drop for Unanswered<'_> {
    fn drop(&mut self) {
        if !self.is_answered && self.pool.has_kept() {
            self.connections.drop_kept(self.pool);
        }
    }
}

impl HttpClient for ReconnectingClient {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(ReconnectingConnector {
            client: self.clone(),
            settings: settings.clone(),
            components: components.clone(),
        })
    }
}

impl HttpConnector for ReconnectingConnector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let connector = self.clone();
        HttpConnectorFuture::new(async move { connector.send(request).await })
    }
}

impl ReconnectingConnector {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, ConnectorError> {
        let connections = &self.client.connections;
        let pool = connections.pool();
        let copy = if pool.has_kept() {
            request.try_clone()
        } else {
            None
        };

        match (self.send_once(&pool, request).await, copy) {
            (Err(error), Some(copy)) if error.is_timeout() => {
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
        let mut unanswered = Unanswered {
            connections: &self.client.connections,
            pool,
            is_answered: false,
        };
        let connector = pool.client.http_connector(&self.settings, &self.components);
        let call = connector.call(request);
        let result = tokio::time::timeout(self.client.response_timeout, call).await;
        let result = result.map_err(|elapsed| ConnectorError::timeout(elapsed.into()))?;

        unanswered.is_answered = true;
        pool.has_kept.store(true, Ordering::Relaxed);
        result
    }
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::{TcpListener, TcpStream},
        sync::Barrier,
        time::Instant,
    };

    use crate::aws::{
        RESPONSE_TIMEOUT,
        tests::{Clients, clients},
    };

    const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
    const THROTTLED: &str = "HTTP/1.1 400 Bad Request\r\ncontent-length: 52\r\n\r\n\
        {\"__type\":\"ProvisionedThroughputExceededException\"} ";

    /// Responds to one request after another, then reads and never responds.
    async fn serve(mut stream: TcpStream, responses: &[&str], ready: Option<&Barrier>) {
        let mut buffer = [0; 8192];
        for response in responses {
            let _ = stream.read(&mut buffer).await.unwrap();
            if let Some(ready) = ready {
                ready.wait().await;
            }
            stream.write_all(response.as_bytes()).await.unwrap();
        }
        while stream
            .read(&mut buffer)
            .await
            .is_ok_and(|length| length > 0)
        {}
    }

    /// With the real clock: a paused one advances while the connections are read.
    #[tokio::test]
    async fn lost_connections_are_not_counted_as_attempts() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let Clients { dynamodb, .. } = clients(&listener);
        let both_open = Barrier::new(2);
        let accept = async || listener.accept().await.unwrap().0;
        let server = async {
            let one = accept().await;
            let other = accept().await;
            let third = async { serve(accept().await, &[THROTTLED, OK], None).await };
            tokio::join!(
                serve(one, &[OK], Some(&both_open)),
                serve(other, &[OK], Some(&both_open)),
                third,
            );
        };
        let calls = async {
            let list = || dynamodb.list_tables().send();
            let (one, other) = tokio::join!(list(), list());
            one.unwrap();
            other.unwrap();

            let started = Instant::now();
            list().await.unwrap();
            started.elapsed()
        };

        let elapsed = tokio::select! {
            elapsed = calls => elapsed,
            () = server => unreachable!("the connections stay open"),
        };
        assert!(elapsed < RESPONSE_TIMEOUT * 2, "{elapsed:?}");
    }
}
