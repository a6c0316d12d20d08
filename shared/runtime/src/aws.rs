//! AWS clients, and the table, bucket, queues and secret behind them, from a function's variables.
//!
//! Credentials come by way of a function's variables, so that functions of one process each act as
//! themselves. One HTTP client with one TLS stack (rustls on ring, whose first handshake is the
//! cheapest) serves all clients of a function, and so reads the root certificates once; an endpoint
//! on `http://`, as the local stack has, needs no TLS.

use std::time::Duration;

use aws_sdk_dynamodb::config::{
    BehaviorVersion, IdentityCache, Region, SharedHttpClient, retry::RetryConfig,
    timeout::TimeoutConfig,
};
use aws_sdk_s3::config::RequestChecksumCalculation;
use aws_smithy_http_client::{Builder, tls};

use bucket::Bucket;
use queue::Queue;
use serde::Serialize;
use table::Table;

use crate::{LazyMasterSecret, Settings, aws_calls::CallObserver, credentials::credentials};

/// How long a connection may take to be made.
const CONNECT_DEADLINE: Duration = Duration::from_secs(3);
/// How long one try of an S3 call may take until its answer begins: time for the largest object to
/// go out.
const S3_ATTEMPT_DEADLINE: Duration = Duration::from_secs(10);
/// How long one try of a DynamoDB, SQS or Secrets Manager call may take. They answer in
/// milliseconds; what takes longer is a connection that was lost while Lambda had frozen the
/// function.
const ATTEMPT_DEADLINE: Duration = Duration::from_secs(2);
/// Tries of a DynamoDB call: a table without capacity is left alone soon.
const DYNAMODB_TRIES: u32 = 2;
/// Longest pause before the second of them.
const DYNAMODB_PAUSE: Duration = Duration::from_millis(50);
/// How long a call may take with all its tries: less than a function has for its answer.
const CALL_DEADLINE: Duration = Duration::from_secs(20);

/// The HTTP clients of one function, made when they are first asked for.
#[derive(Default)]
pub(crate) struct HttpClients {
    plain: Option<SharedHttpClient>,
    tls: Option<SharedHttpClient>,
}

impl HttpClients {
    /// The client for an endpoint; without one, for AWS itself.
    fn towards(&mut self, endpoint: Option<&str>) -> SharedHttpClient {
        if endpoint.is_some_and(|url| url.starts_with("http://")) {
            return self
                .plain
                .get_or_insert_with(|| Builder::new().build_http())
                .clone();
        }
        let provider = tls::Provider::Rustls(tls::rustls_provider::CryptoMode::Ring);
        self.tls
            .get_or_insert_with(|| Builder::new().tls_provider(provider).build_https())
            .clone()
    }
}

macro_rules! configure {
    ($builder:expr, $settings:expr, $endpoint:literal, $attempt_deadline:expr) => {{
        let endpoint = $settings.optional($endpoint);
        let mut builder = $builder
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new($settings.text("AWS_REGION")))
            .credentials_provider(credentials($settings))
            // The provider caches.
            .identity_cache(IdentityCache::no_cache())
            .timeout_config(deadlines($attempt_deadline))
            .interceptor(CallObserver)
            .http_client($settings.http_clients.towards(endpoint));
        builder.set_endpoint_url(endpoint.map(str::to_owned));
        builder
    }};
}

fn deadlines(attempt: Duration) -> TimeoutConfig {
    TimeoutConfig::builder()
        .connect_timeout(CONNECT_DEADLINE)
        .operation_attempt_timeout(attempt)
        .operation_timeout(CALL_DEADLINE)
        .build()
}

impl Settings<'_> {
    /// Opens the table that `TABLE_NAME` names.
    pub fn table(&mut self) -> Table {
        Table::new(self.dynamodb(), self.text("TABLE_NAME"), self.env().clone())
    }

    /// Opens the bucket that `BUCKET_NAME` names.
    pub fn bucket(&mut self) -> Bucket {
        Bucket::new(self.s3(), credentials(self), self.text("BUCKET_NAME"))
    }

    /// Opens the queue whose URL is in the variable of this name.
    pub fn queue<Job: Serialize>(&mut self, url_variable: &str) -> Queue<Job> {
        Queue::new(self.sqs(), self.text(url_variable))
    }

    /// Returns the master secret, whose name or ARN is in `MASTER_SECRET_ARN`. Nothing is called
    /// until a request needs it.
    pub fn master_secret(&mut self) -> LazyMasterSecret {
        let config = configure!(
            aws_sdk_secretsmanager::Config::builder(),
            self,
            "AWS_ENDPOINT_URL_SECRETS_MANAGER",
            ATTEMPT_DEADLINE
        );
        let client = aws_sdk_secretsmanager::Client::from_conf(config.build());
        LazyMasterSecret::new(client, self.text("MASTER_SECRET_ARN"))
    }

    /// Returns a DynamoDB client; `AWS_ENDPOINT_URL_DYNAMODB` sends it elsewhere.
    pub fn dynamodb(&mut self) -> aws_sdk_dynamodb::Client {
        let retries = RetryConfig::standard()
            .with_max_attempts(DYNAMODB_TRIES)
            .with_initial_backoff(DYNAMODB_PAUSE);
        let config = configure!(
            aws_sdk_dynamodb::Config::builder(),
            self,
            "AWS_ENDPOINT_URL_DYNAMODB",
            ATTEMPT_DEADLINE
        )
        .retry_config(retries);
        aws_sdk_dynamodb::Client::from_conf(config.build())
    }

    /// Returns an S3 client; `AWS_ENDPOINT_URL_S3` sends it elsewhere, with the bucket in the path.
    ///
    /// Checksums are those that a request names: the client's own would be signed into presigned
    /// addresses, whose users do not send them.
    pub fn s3(&mut self) -> aws_sdk_s3::Client {
        let config = configure!(
            aws_sdk_s3::Config::builder(),
            self,
            "AWS_ENDPOINT_URL_S3",
            S3_ATTEMPT_DEADLINE
        )
        .force_path_style(self.optional("AWS_ENDPOINT_URL_S3").is_some())
        .request_checksum_calculation(RequestChecksumCalculation::WhenRequired);
        aws_sdk_s3::Client::from_conf(config.build())
    }

    /// Returns an SQS client; `AWS_ENDPOINT_URL_SQS` sends it elsewhere.
    pub fn sqs(&mut self) -> aws_sdk_sqs::Client {
        let config = configure!(
            aws_sdk_sqs::Config::builder(),
            self,
            "AWS_ENDPOINT_URL_SQS",
            ATTEMPT_DEADLINE
        );
        aws_sdk_sqs::Client::from_conf(config.build())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use aws_sdk_dynamodb::{error::SdkError, types::AttributeValue};
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    use super::*;
    use crate::{Environment, system_sources};

    /// Both clients of a function whose endpoints are this listener.
    fn clients(listener: &TcpListener) -> (aws_sdk_dynamodb::Client, aws_sdk_s3::Client) {
        let url = format!("http://{}", listener.local_addr().unwrap());
        let variables = [
            ("AWS_ACCESS_KEY_ID", "key"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            ("AWS_REGION", "us-east-1"),
            ("AWS_ENDPOINT_URL_DYNAMODB", &url),
            ("AWS_ENDPOINT_URL_S3", &url),
        ];
        let variables: BTreeMap<String, String> = variables
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        let environment = Environment {
            function: "test".to_owned(),
            variables,
            env: system_sources(),
        };
        let mut settings = Settings::of(&environment);
        let clients = (settings.dynamodb(), settings.s3());
        settings.finish().unwrap();
        clients
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_without_an_answer_ends_before_the_function_has_to_answer() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let (dynamodb, s3) = clients(&listener);
        let key = AttributeValue::S("key".to_owned());
        let started = tokio::time::Instant::now();
        let ended = dynamodb
            .get_item()
            .table_name("table")
            .key("pk", key)
            .send()
            .await;
        assert!(matches!(ended, Err(SdkError::TimeoutError(_))), "{ended:?}");
        assert!(
            started.elapsed() < crate::ANSWER_DEADLINE,
            "{:?}",
            started.elapsed()
        );
        let started = tokio::time::Instant::now();
        s3.get_object()
            .bucket("bucket")
            .key("key")
            .send()
            .await
            .unwrap_err();
        assert!(
            started.elapsed() < crate::ANSWER_DEADLINE,
            "{:?}",
            started.elapsed()
        );
    }

    #[tokio::test(start_paused = true)]
    async fn lost_connection_costs_two_seconds_and_ten_for_storage() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let (dynamodb, s3) = clients(&listener);

        let started = tokio::time::Instant::now();
        dynamodb.list_tables().send().await.unwrap_err();
        let tries = ATTEMPT_DEADLINE * DYNAMODB_TRIES;
        assert!(
            (tries..=tries + DYNAMODB_PAUSE).contains(&started.elapsed()),
            "{:?}",
            started.elapsed()
        );

        let started = tokio::time::Instant::now();
        s3.list_buckets().send().await.unwrap_err();
        assert!(
            started.elapsed() > S3_ATTEMPT_DEADLINE,
            "{:?}",
            started.elapsed()
        );
    }

    #[tokio::test]
    async fn the_clients_of_a_function_share_their_connections() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let (dynamodb, s3) = clients(&listener);
        let server = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut read = [0; 8192];
            while stream.read(&mut read).await.is_ok_and(|length| length > 0) {
                stream
                    .write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")
                    .await
                    .unwrap();
            }
            panic!("the connection was not kept");
        };
        let calls = async {
            dynamodb.list_tables().send().await.unwrap_err();
            s3.list_buckets().send().await.unwrap_err();
            dynamodb.list_tables().send().await.unwrap_err();
        };
        tokio::select! {
            () = server => {}
            called = tokio::time::timeout(Duration::from_secs(10), calls) => called.expect("one connection serves all"),
        }
    }
}
