//! HTTP client that recovers from connections that were lost while Lambda had frozen the function.
//!
//! A request on such a connection gets neither a response nor an error. When a request after an idle time gets none
//! in time, the client drops all kept connections and repeats it once on a new one. This is part of the same attempt
//! of the SDK, so that lost connections do not use up the attempts.
//!
//! The clients of DynamoDB, SQS and Secrets Manager do so. Responses of S3 have no separate time limit, because
//! large objects take long to send: there, a lost connection uses up an attempt.

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
use domain::Env;

/// Time without a response after which kept connections may be lost, in milliseconds. It is read from the wall clock,
/// because the monotonic clock stands still while a machine is suspended (`CLOCK_MONOTONIC` in `clock_gettime(2)`).
const IDLE_MS: i64 = 5_000;
/// Time of the last response of connections that had none: they are never idle.
const NO_RESPONSE_MS: i64 = i64::MAX;

/// Creates an HTTP client without connections.
type CreateClient = Arc<dyn Fn() -> SharedHttpClient + Send + Sync>;

/// The connections that the clients of a function share. Clones share them.
#[derive(Clone)]
pub(crate) struct Connections {
    current: Arc<RwLock<Pool>>,
    create: CreateClient,
    env: Env,
}

/// An HTTP client with the connections that it keeps.
#[derive(Clone)]
struct Pool {
    client: SharedHttpClient,
    /// Milliseconds since 1970, or [`NO_RESPONSE_MS`].
    last_response_ms: Arc<AtomicI64>,
}

/// The HTTP client of one AWS client.
#[derive(Clone, Debug)]
struct ReconnectingClient {
    connections: Connections,
    response_timeout: Option<Duration>,
}

/// Sends requests with the settings of one AWS client.
#[derive(Clone, Debug)]
struct ReconnectingConnector {
    client: ReconnectingClient,
    settings: HttpConnectorSettings,
    components: RuntimeComponents,
}

impl Connections {
    pub(crate) fn new(
        env: &Env,
        create: impl Fn() -> SharedHttpClient + Send + Sync + 'static,
    ) -> Connections {
        Connections {
            current: Arc::new(RwLock::new(Pool::new(create()))),
            create: Arc::new(create),
            env: env.clone(),
        }
    }

    /// Returns a client of these connections. With a timeout, a response must begin within this time, and a request on
    /// a lost connection is repeated.
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
    fn new(client: SharedHttpClient) -> Pool {
        Pool {
            client,
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
        let last_response_ms = pool.last_response_ms();
        let idle_ms = connections.now_ms().saturating_sub(last_response_ms);
        let can_repeat = self.client.response_timeout.is_some() && idle_ms >= IDLE_MS;
        let copy = can_repeat.then(|| request.try_clone()).flatten();

        match (self.send_once(&pool, request).await, copy) {
            // A response since then shows a live connection, so this response may be late instead of lost.
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
        let connector = pool.client.http_connector(&self.settings, &self.components);
        let call = connector.call(request);
        let response = match self.client.response_timeout {
            None => call.await,
            Some(timeout) => tokio::time::timeout(timeout, call)
                .await
                .unwrap_or_else(|elapsed| Err(ConnectorError::timeout(elapsed.into()))),
        }?;

        let now_ms = self.client.connections.now_ms();
        pool.last_response_ms.store(now_ms, Ordering::Relaxed);
        Ok(response)
    }
}

#[cfg(test)]
mod tests {
    use std::{
        collections::VecDeque,
        sync::{Mutex, atomic::AtomicUsize},
    };

    use aws_sdk_dynamodb::{
        Client,
        config::{BehaviorVersion, Credentials, Region, retry::RetryConfig},
    };
    use aws_smithy_types::body::SdkBody;
    use domain::{Clock, Timestamp};

    use super::*;
    use crate::system::SystemRandom;

    const TIMEOUT: Duration = Duration::from_secs(2);

    /// What happens to a request.
    #[derive(Clone, Copy, Debug)]
    enum Outcome {
        ResponseAfter(Duration),
        Lost,
        Refused,
    }
    use Outcome::{Lost, Refused, ResponseAfter};

    const PROMPT: Outcome = ResponseAfter(Duration::ZERO);
    const LATE: Outcome = ResponseAfter(Duration::from_secs(3));

    /// A network and a clock.
    #[derive(Clone, Debug, Default)]
    struct Network {
        outcomes: Arc<Mutex<VecDeque<Outcome>>>,
        pools: Arc<AtomicUsize>,
        now_ms: Arc<AtomicI64>,
    }

    impl Clock for Network {
        fn now(&self) -> Timestamp {
            Timestamp::from_ms(self.now_ms.load(Ordering::Relaxed))
        }
    }

    impl HttpClient for Network {
        fn http_connector(
            &self,
            _: &HttpConnectorSettings,
            _: &RuntimeComponents,
        ) -> SharedHttpConnector {
            SharedHttpConnector::new(self.clone())
        }
    }

    impl HttpConnector for Network {
        fn call(&self, _: HttpRequest) -> HttpConnectorFuture {
            let outcome = self.outcomes.lock().unwrap().pop_front();
            let outcome = outcome.expect("fewer requests");
            HttpConnectorFuture::new(async move {
                match outcome {
                    ResponseAfter(delay) => tokio::time::sleep(delay).await,
                    Refused => return Err(ConnectorError::io("refused".into())),
                    Lost => std::future::pending().await,
                }
                let status = 200.try_into().unwrap();
                Ok(HttpResponse::new(status, SdkBody::from("{}")))
            })
        }
    }

    impl Network {
        /// Returns a client that has got one response, and then was idle for a time.
        async fn idle_client(&self, response_timeout: Option<Duration>, idle_ms: i64) -> Client {
            let network = self.clone();
            let env = Env::new(Arc::new(self.clone()), Arc::new(SystemRandom));
            let connections = Connections::new(&env, move || {
                network.pools.fetch_add(1, Ordering::Relaxed);
                SharedHttpClient::new(network.clone())
            });
            let config = aws_sdk_dynamodb::Config::builder()
                .behavior_version(BehaviorVersion::latest())
                .region(Region::new("us-east-1"))
                .credentials_provider(Credentials::new("key", "secret", None, None, "test"))
                .retry_config(RetryConfig::disabled())
                .http_client(connections.client(response_timeout));
            let client = Client::from_conf(config.build());

            self.plan(&[PROMPT]);
            assert!(succeeds(&client).await);
            self.now_ms.fetch_add(idle_ms, Ordering::Relaxed);
            client
        }

        /// Sets the outcomes of the next requests.
        fn plan(&self, outcomes: &[Outcome]) {
            self.outcomes.lock().unwrap().extend(outcomes);
        }

        /// Checks that all planned requests were sent, and how often connections were dropped.
        fn expect_drops(&self, drops: usize) {
            assert_eq!(self.outcomes.lock().unwrap().len(), 0);
            assert_eq!(self.pools.load(Ordering::Relaxed), 1 + drops);
        }
    }

    async fn succeeds(client: &Client) -> bool {
        client.list_tables().send().await.is_ok()
    }

    #[tokio::test(start_paused = true)]
    async fn request_on_lost_connection_is_repeated_once_on_a_new_one() {
        for repeated in [PROMPT, Lost, Refused] {
            let network = Network::default();
            let client = network.idle_client(Some(TIMEOUT), IDLE_MS).await;
            network.plan(&[Lost, repeated]);

            let succeeded = succeeds(&client).await;
            assert_eq!(succeeded, matches!(repeated, ResponseAfter(_)));
            network.expect_drops(1);

            // Without a response, the new client keeps nothing that can be lost.
            network.now_ms.fetch_add(IDLE_MS, Ordering::Relaxed);
            if !succeeded {
                network.plan(&[Lost]);
                assert!(!succeeds(&client).await);
            }
            network.expect_drops(1);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn request_to_slow_server_is_sent_once() {
        let network = Network::default();
        let client = network.idle_client(Some(TIMEOUT), IDLE_MS - 1).await;
        network.plan(&[LATE, LATE]);

        assert!(!succeeds(&client).await);
        assert!(!succeeds(&client).await);
        network.expect_drops(0);

        network.now_ms.fetch_add(IDLE_MS, Ordering::Relaxed);
        network.plan(&[LATE, PROMPT]);
        let both = tokio::join!(succeeds(&client), succeeds(&client));
        assert_eq!(both, (false, true));
        network.expect_drops(0);
    }

    #[tokio::test(start_paused = true)]
    async fn cancelled_call_and_call_without_timeout_keep_connections() {
        for response_timeout in [None, Some(TIMEOUT)] {
            let network = Network::default();
            let client = network.idle_client(response_timeout, IDLE_MS).await;
            network.plan(&[Lost]);

            let cancelled = tokio::time::timeout(TIMEOUT / 2, succeeds(&client)).await;
            assert!(cancelled.is_err());
            network.expect_drops(0);
        }

        let network = Network::default();
        let client = network.idle_client(None, IDLE_MS).await;
        network.plan(&[LATE]);
        assert!(succeeds(&client).await);
        network.expect_drops(0);
    }
}
