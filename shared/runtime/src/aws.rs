//! AWS clients of a function, and the table, bucket, queues and secret that they open.
//!
//! Region, endpoints and credentials come from the function's variables, so that functions in one
//! process can have different credentials. All clients of a function share the connections of one HTTP
//! client at a time. Its TLS stack is rustls on ring, which has the fastest first handshake; the SDK reads
//! the root certificates once per process. `http://` endpoints, as in the local stack, use a client without TLS.

use std::time::Duration;

use aws_sdk_dynamodb::config::{
    BehaviorVersion, IdentityCache, Region, StalledStreamProtectionConfig, retry::RetryConfig,
    timeout::TimeoutConfig,
};
use aws_sdk_s3::config::RequestChecksumCalculation;
use aws_smithy_http_client::{Builder, tls};

use bucket::Bucket;
use domain::{Env, MasterSecret};
use queue::{Job, Queue};
use table::{InvalidReplicaCount, ReplicaCount, Table};

use crate::{
    LazyMasterSecret, LazySecret, ParseSecret, Settings, aws_calls::CallObserver,
    credentials::credentials, lazy_secret::SecretSource, reconnection::Connections,
};

/// Variable with the endpoint of all services, which that of one service precedes ("Service-specific endpoints" in the
/// AWS SDKs and Tools Reference Guide).
const ENDPOINT_VARIABLE: &str = "AWS_ENDPOINT_URL";
/// Time limit to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// Time limit of an attempt of an S3 call until its response begins: enough to send the largest
/// object.
const S3_ATTEMPT_TIMEOUT: Duration = Duration::from_secs(10);
/// Time in which the response to a DynamoDB, SQS or Secrets Manager call must begin. They respond within
/// milliseconds, unless the connection was lost while Lambda had frozen the function.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(2);
/// Time limit of an attempt of these calls: on a lost connection, and then on a new one.
const ATTEMPT_TIMEOUT: Duration = RESPONSE_TIMEOUT.saturating_mul(2);
/// Maximum attempts of a DynamoDB call: more would add load to a throttled table.
const DYNAMODB_ATTEMPTS: u32 = 2;
/// Maximum backoff before the second attempt.
const DYNAMODB_BACKOFF: Duration = Duration::from_millis(50);
/// Time limit of a call with all its attempts: less than [`crate::RESPONSE_DEADLINE`].
const CALL_TIMEOUT: Duration = Duration::from_secs(20);

/// HTTP clients of one function, created on first use.
#[derive(Default)]
pub(crate) struct HttpClients {
    plain: Option<Connections>,
    tls: Option<Connections>,
}

impl HttpClients {
    /// Returns the connections for an endpoint, or for the AWS endpoints if it is `None`.
    fn connections(&mut self, endpoint: Option<&str>, env: &Env) -> &Connections {
        if endpoint.is_some_and(|url| url.starts_with("http://")) {
            let create = || Connections::new(env, || Builder::new().build_http());
            return self.plain.get_or_insert_with(create);
        }
        self.tls.get_or_insert_with(|| {
            Connections::new(env, || {
                let provider = tls::Provider::Rustls(tls::rustls_provider::CryptoMode::Ring);
                Builder::new().tls_provider(provider).build_https()
            })
        })
    }
}

macro_rules! configure {
    ($builder:expr, $settings:expr, $endpoint:literal, $response_timeout:expr, $attempt_timeout:expr) => {{
        let endpoint = $settings.endpoint($endpoint);
        let env = $settings.env();
        let connections = $settings.http_clients.connections(endpoint, env);
        let http_client = connections.client($response_timeout);
        let mut builder = $builder
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new($settings.text("AWS_REGION")))
            .credentials_provider(credentials($settings))
            // The credentials provider has its own cache.
            .identity_cache(IdentityCache::no_cache())
            .timeout_config(timeouts($attempt_timeout))
            .interceptor(CallObserver)
            .http_client(http_client);
        builder.set_endpoint_url(endpoint.map(str::to_owned));
        builder
    }};
}

fn timeouts(attempt: Duration) -> TimeoutConfig {
    TimeoutConfig::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .operation_attempt_timeout(attempt)
        .operation_timeout(CALL_TIMEOUT)
        .build()
}

/// Disables stalled stream protection, for clients whose operations stream no bodies. [`ATTEMPT_TIMEOUT`] includes the body
/// of the response, and is shorter than the grace period of the SDK: 5 seconds in aws-smithy-runtime 1.16, 20 seconds by
/// "Configuring timeouts" in the AWS SDK for Rust developer guide.
fn without_stream_protection() -> StalledStreamProtectionConfig {
    StalledStreamProtectionConfig::disabled()
}

impl<'a> Settings<'a> {
    /// Opens the table in `TABLE_NAME`.
    pub fn table(&mut self) -> Table {
        let replicas = self.replica_count();
        Table::new(
            self.dynamodb(),
            self.text("TABLE_NAME"),
            self.env().clone(),
            replicas,
        )
    }

    /// Returns the number of replicas of a space for delivery, which is in `DELIVERY_REPLICAS`.
    fn replica_count(&mut self) -> ReplicaCount {
        let text = self.text("DELIVERY_REPLICAS");
        if text.is_empty() {
            return ReplicaCount::ONE;
        }
        text.parse().unwrap_or_else(|error: InvalidReplicaCount| {
            self.error(format!("DELIVERY_REPLICAS is invalid: {error}"));
            ReplicaCount::ONE
        })
    }

    /// Opens the bucket in `BUCKET_NAME`.
    pub fn bucket(&mut self) -> Bucket {
        Bucket::new(self.s3(), credentials(self), self.text("BUCKET_NAME"))
    }

    /// Opens the queue whose URL is in `url_variable`.
    pub fn queue<J: Job>(&mut self, url_variable: &str) -> Queue<J> {
        Queue::new(self.sqs(), self.text(url_variable))
    }

    /// Returns the master secret, whose name or ARN is in `MASTER_SECRET_ARN`. It is not read until
    /// a request needs it.
    pub fn master_secret(&mut self) -> LazyMasterSecret {
        let id = self.text("MASTER_SECRET_ARN");
        self.lazy_secret(SecretSource {
            id,
            description: "the master secret",
            parse: |text| Ok(MasterSecret::new(text)),
        })
    }

    /// Returns the secret whose name or ARN is in `variable`; `None` if the variable is not set or
    /// empty. `description` is its name in error messages. It is not read until a request needs it.
    pub fn optional_secret<T>(
        &mut self,
        variable: &str,
        description: &'static str,
        parse: ParseSecret<T>,
    ) -> Option<LazySecret<T>> {
        let id = self.optional(variable)?.to_owned();
        Some(self.lazy_secret(SecretSource {
            id,
            description,
            parse,
        }))
    }

    /// Returns the endpoint of a service, whose own variable is `variable`; `None` for that of AWS.
    fn endpoint(&mut self, variable: &str) -> Option<&'a str> {
        self.optional(variable)
            .or_else(|| self.optional(ENDPOINT_VARIABLE))
    }

    fn lazy_secret<T>(&mut self, source: SecretSource<T>) -> LazySecret<T> {
        let config = configure!(
            aws_sdk_secretsmanager::Config::builder(),
            self,
            "AWS_ENDPOINT_URL_SECRETS_MANAGER",
            Some(RESPONSE_TIMEOUT),
            ATTEMPT_TIMEOUT
        )
        .stalled_stream_protection(without_stream_protection());
        let client = aws_sdk_secretsmanager::Client::from_conf(config.build());
        LazySecret::new(client, source)
    }

    /// Returns a DynamoDB client.
    pub fn dynamodb(&mut self) -> aws_sdk_dynamodb::Client {
        let retries = RetryConfig::standard()
            .with_max_attempts(DYNAMODB_ATTEMPTS)
            .with_initial_backoff(DYNAMODB_BACKOFF);
        let config = configure!(
            aws_sdk_dynamodb::Config::builder(),
            self,
            "AWS_ENDPOINT_URL_DYNAMODB",
            Some(RESPONSE_TIMEOUT),
            ATTEMPT_TIMEOUT
        )
        .stalled_stream_protection(without_stream_protection())
        .retry_config(retries);
        aws_sdk_dynamodb::Client::from_conf(config.build())
    }

    /// Returns an S3 client. Its requests are path-style if it has another endpoint than that of AWS.
    ///
    /// The client adds no checksums: they would be signed into presigned URLs, and the
    /// clients that use those do not send them.
    pub fn s3(&mut self) -> aws_sdk_s3::Client {
        let config = configure!(
            aws_sdk_s3::Config::builder(),
            self,
            "AWS_ENDPOINT_URL_S3",
            None,
            S3_ATTEMPT_TIMEOUT
        )
        .force_path_style(self.endpoint("AWS_ENDPOINT_URL_S3").is_some())
        .request_checksum_calculation(RequestChecksumCalculation::WhenRequired);
        aws_sdk_s3::Client::from_conf(config.build())
    }

    /// Returns an SQS client.
    pub fn sqs(&mut self) -> aws_sdk_sqs::Client {
        let config = configure!(
            aws_sdk_sqs::Config::builder(),
            self,
            "AWS_ENDPOINT_URL_SQS",
            Some(RESPONSE_TIMEOUT),
            ATTEMPT_TIMEOUT
        )
        .stalled_stream_protection(without_stream_protection());
        aws_sdk_sqs::Client::from_conf(config.build())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use aws_sdk_dynamodb::{error::SdkError, types::AttributeValue};
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
        time::Instant,
    };

    use super::*;
    use crate::{FunctionContext, system_env};

    struct Clients {
        dynamodb: aws_sdk_dynamodb::Client,
        s3: aws_sdk_s3::Client,
    }

    fn context(variables: &[(&str, &str)]) -> FunctionContext {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        FunctionContext {
            function: "test".to_owned(),
            variables: variables.iter().map(owned).collect(),
            env: system_env(),
        }
    }

    #[test]
    fn endpoint_of_one_service_precedes_that_of_all() {
        let context = context(&[
            ("AWS_ENDPOINT_URL", "http://all"),
            ("AWS_ENDPOINT_URL_S3", "http://storage"),
        ]);
        let mut settings = Settings::of(&context);

        let endpoints = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL_SQS"];
        let endpoints = endpoints.map(|variable| settings.endpoint(variable).expect("set"));
        assert_eq!(endpoints, ["http://storage", "http://all"]);
    }

    /// Returns clients whose endpoints are this listener.
    fn clients(listener: &TcpListener) -> Clients {
        let url = format!("http://{}", listener.local_addr().unwrap());
        let context = context(&[
            ("AWS_ACCESS_KEY_ID", "key"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            ("AWS_REGION", "us-east-1"),
            ("AWS_ENDPOINT_URL", &url),
        ]);

        let mut settings = Settings::of(&context);
        let clients = Clients {
            dynamodb: settings.dynamodb(),
            s3: settings.s3(),
        };
        settings.finish().unwrap();
        clients
    }

    #[tokio::test(start_paused = true)]
    async fn call_without_a_response_ends_before_the_response_deadline() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let Clients { dynamodb, s3 } = clients(&listener);

        let started = Instant::now();
        let result = dynamodb
            .get_item()
            .table_name("table")
            .key("pk", AttributeValue::S("key".to_owned()))
            .send()
            .await;
        let error = result.unwrap_err();
        let SdkError::DispatchFailure(failure) = &error else {
            panic!("{error:?}");
        };
        assert!(failure.is_timeout(), "{error:?}");
        assert!(started.elapsed() < crate::RESPONSE_DEADLINE);

        let started = Instant::now();
        let get = s3.get_object().bucket("bucket").key("key").send();
        get.await.unwrap_err();
        assert!(started.elapsed() < crate::RESPONSE_DEADLINE);
    }

    #[tokio::test(start_paused = true)]
    async fn attempt_without_response_ends_after_its_timeout() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let Clients { dynamodb, s3 } = clients(&listener);

        let started = Instant::now();
        dynamodb.list_tables().send().await.unwrap_err();
        let attempts = RESPONSE_TIMEOUT * DYNAMODB_ATTEMPTS;
        let expected = attempts..=attempts + DYNAMODB_BACKOFF;
        assert!(
            expected.contains(&started.elapsed()),
            "{:?}",
            started.elapsed()
        );

        let started = Instant::now();
        s3.list_buckets().send().await.unwrap_err();
        assert!(started.elapsed() > S3_ATTEMPT_TIMEOUT);
    }

    #[tokio::test(start_paused = true)]
    async fn response_that_stalls_ends_after_the_timeout_of_its_attempts() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let Clients { dynamodb, .. } = clients(&listener);
        let responses = Cell::new(0);
        let server = async {
            let mut open = Vec::new();
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let _ = stream.read(&mut [0; 8192]).await.unwrap();
                let start = b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{";
                stream.write_all(start).await.unwrap();
                responses.set(responses.get() + 1);
                open.push(stream);
            }
        };

        let started = Instant::now();
        tokio::select! {
            () = server => {}
            result = dynamodb.list_tables().send() => {
                let error = result.unwrap_err();
                assert!(matches!(error, SdkError::TimeoutError(_)), "{error:?}");
            }
        }
        let elapsed = started.elapsed();
        assert_eq!(responses.get(), DYNAMODB_ATTEMPTS);
        let attempts = ATTEMPT_TIMEOUT * DYNAMODB_ATTEMPTS;
        let expected = attempts..=attempts + DYNAMODB_BACKOFF;
        assert!(expected.contains(&elapsed), "{elapsed:?}");
    }

    #[tokio::test]
    async fn clients_of_a_function_share_connections() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let Clients { dynamodb, s3 } = clients(&listener);

        let server = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut buffer = [0; 8192];
            let response = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";
            while stream
                .read(&mut buffer)
                .await
                .is_ok_and(|length| length > 0)
            {
                stream.write_all(response).await.unwrap();
            }
            panic!("the connection was closed");
        };
        let calls = async {
            dynamodb.list_tables().send().await.unwrap_err();
            s3.list_buckets().send().await.unwrap_err();
            dynamodb.list_tables().send().await.unwrap_err();
        };
        tokio::select! {
            () = server => {}
            result = tokio::time::timeout(Duration::from_secs(10), calls) => {
                result.expect("all calls use one connection");
            }
        }
    }
}
