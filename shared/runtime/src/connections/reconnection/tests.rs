use std::{
    collections::VecDeque,
    sync::{Mutex, atomic::AtomicUsize},
};

use aws_sdk_dynamodb::{
    Client,
    config::{BehaviorVersion, Credentials, Region, retry::RetryConfig},
};
use aws_smithy_http_client::Connector;
use aws_smithy_types::body::SdkBody;
use domain::env::{Clock, Timestamp};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use super::*;
use crate::context::SystemRandom;

const TIMEOUT: Duration = Duration::from_secs(2);
/// Time for which a function was frozen, in milliseconds.
const FROZEN_MS: i64 = 60_000;

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
    fn env(&self) -> Env {
        Env::new(Arc::new(self.clone()), Arc::new(SystemRandom))
    }

    /// Returns a client that has got one response, and then was idle for a time.
    async fn idle_client(&self, response_timeout: Option<Duration>, idle_ms: i64) -> Client {
        let network = self.clone();
        let connections = Connections::new(&self.env(), move || {
            network.pools.fetch_add(1, Ordering::Relaxed);
            SharedHttpConnector::new(network.clone())
        });
        let config = config(&connections, response_timeout);
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

/// Returns the settings of a client that makes one attempt of each call.
fn config(
    connections: &Connections,
    response_timeout: Option<Duration>,
) -> aws_sdk_dynamodb::config::Builder {
    aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("us-east-1"))
        .credentials_provider(Credentials::new("key", "secret", None, None, "test"))
        .retry_config(RetryConfig::disabled())
        .http_client(connections.client(response_timeout))
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

async fn respond(stream: &mut TcpStream) {
    assert!(stream.read(&mut [0; 8192]).await.unwrap() > 0);
    let response = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
    stream.write_all(response).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn all_kept_sockets_are_replaced_if_one_was_lost() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let clock = Network::default();
    let connections = Connections::new(&clock.env(), || {
        SharedHttpConnector::new(Connector::builder().build_http())
    });
    let url = format!("http://{}", listener.local_addr().unwrap());
    let config = config(&connections, Some(TIMEOUT)).endpoint_url(url);
    let client = Client::from_conf(config.build());

    let server = async {
        let (mut first, _) = listener.accept().await.unwrap();
        let (mut second, _) = listener.accept().await.unwrap();
        respond(&mut first).await;
        respond(&mut second).await;

        // The first two stay open, without further responses.
        let (mut third, _) = listener.accept().await.unwrap();
        respond(&mut third).await;
        std::future::pending::<()>().await;
    };
    let calls = async {
        let both = tokio::join!(succeeds(&client), succeeds(&client));
        assert_eq!(both, (true, true));

        clock.now_ms.fetch_add(FROZEN_MS, Ordering::Relaxed);
        assert!(succeeds(&client).await);
    };
    tokio::select! {
        () = server => {}
        () = calls => {}
    }
}
