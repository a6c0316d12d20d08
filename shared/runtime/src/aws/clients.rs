//! AWS clients of a function, and the table, bucket, queues and secret that they open.
//!
//! Region, endpoints and credentials come from the function's variables, so that functions in one
//! process can have different credentials. All clients of a function share the connections of one
//! HTTP client at a time. Its TLS stack is rustls on ring, which has the fastest first handshake.
//! It trusts the roots of Amazon, or those of the system if a variable selects them: to read the
//! 140 of a system doubles the CPU time until the first response of a function. `http://`
//! endpoints, as in the local stack, use a client without TLS.

use std::time::Duration;

use aws_sdk_dynamodb::config::{
    BehaviorVersion, IdentityCache, Region, StalledStreamProtectionConfig, retry::RetryConfig,
    timeout::TimeoutConfig,
};
use aws_sdk_s3::config::{RequestChecksumCalculation, ResponseChecksumValidation};
use aws_smithy_http_client::tls::TrustStore;

use aws_credential_types::provider::SharedCredentialsProvider;

use bucket::Bucket;
use domain::signing::MasterSecret;
use queue::{Job, Queue};
use table::Table;

use crate::{
    aws::{
        LazyMasterSecret, LazySecret, ParseSecret, assumed_role::AssumedRole, calls::CallObserver,
        credentials::credentials, credentials_cache::CredentialsCache, lazy_secret::SecretSource,
    },
    context::Settings,
};

/// Variable with the endpoint of all services, which that of one service precedes
/// ("Service-specific endpoints" in the AWS SDKs and Tools Reference Guide).
const ENDPOINT_VARIABLE: &str = "AWS_ENDPOINT_URL";
/// The roots that "Trust store and pinning recommendations" at
/// <https://www.amazontrust.com/repository/> names. Endpoints of the European Sovereign Cloud are
/// cross-signed by them; those of other partitions may need a variable of [`ROOTS_VARIABLES`].
const AMAZON_ROOTS: &[u8] = include_bytes!("amazon_roots.pem");
/// Variables with a file or a directory of root certificates, which replace those of Amazon.
/// rustls-native-certs reads them from the environment of the process, which on Lambda has the
/// variables of the function.
const ROOTS_VARIABLES: [&str; 2] = ["SSL_CERT_FILE", "SSL_CERT_DIR"];
/// Time limit of an attempt of an S3 call until its response begins: enough to send the largest
/// object.
const S3_ATTEMPT_TIMEOUT: Duration = Duration::from_secs(10);
/// Time in which the response to a DynamoDB, SQS, STS or Secrets Manager call must begin. They
/// respond within milliseconds, unless the connection was lost while Lambda had frozen the
/// function.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(2);
/// Time limit of an attempt of these calls: on a lost connection, and then on a new one.
const ATTEMPT_TIMEOUT: Duration = RESPONSE_TIMEOUT.saturating_mul(2);
/// Maximum attempts of a DynamoDB call: more would add load to a throttled table.
const DYNAMODB_ATTEMPTS: u32 = 2;
/// Maximum backoff before the second attempt.
const DYNAMODB_BACKOFF: Duration = Duration::from_millis(50);
/// Maximum time of a DynamoDB call that conflicts with no other. The release of a reservation may
/// conflict with a cancelled transaction that DynamoDB still runs; a reservation that is not
/// released expires, and its token prevents that another one is.
pub(crate) const MAX_DYNAMODB_CALL: Duration = ATTEMPT_TIMEOUT
    .saturating_mul(DYNAMODB_ATTEMPTS)
    .saturating_add(DYNAMODB_BACKOFF);
/// Maximum attempts of an STS call, for which requests wait.
const STS_ATTEMPTS: u32 = 2;
/// Time limit of a call with all its attempts: less than `RESPONSE_DEADLINE`.
const CALL_TIMEOUT: Duration = Duration::from_secs(20);

macro_rules! configure {
    ($builder:expr, $settings:expr, $endpoint:literal, $response_timeout:expr, $attempt_timeout:expr) => {{
        let endpoint = $settings.endpoint($endpoint);
        let env = $settings.env();
        let roots = $settings.trust_store();
        let connections = $settings.http_clients.connections(endpoint, env, roots);
        let http_client = connections.client($response_timeout);
        let mut builder = $builder
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new($settings.text("AWS_REGION")))
            .credentials_provider(credentials($settings))
            // The credentials are those of the environment, or have their own cache.
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
        .operation_attempt_timeout(attempt)
        .operation_timeout(CALL_TIMEOUT)
        .build()
}

/// Disables stalled stream protection, for clients whose operations stream no bodies.
/// [`ATTEMPT_TIMEOUT`] includes the body of the response, and is shorter than the grace period of
/// the SDK: 5 seconds in aws-smithy-runtime 1.16, 20 seconds by "Configuring timeouts" in the AWS
/// SDK for Rust developer guide.
fn without_stream_protection() -> StalledStreamProtectionConfig {
    StalledStreamProtectionConfig::disabled()
}

impl<'a> Settings<'a> {
    /// Opens the table in `TABLE_NAME`.
    pub fn table(&mut self) -> Table {
        let client = self.dynamodb();
        let name = self.text("TABLE_NAME");
        Table::new(client, name, self.env().clone())
    }

    /// Opens the bucket in `BUCKET_NAME`, for a function that presigns no URLs on AWS.
    pub fn bucket(&mut self) -> Bucket {
        let credentials = credentials(self);
        Bucket::new(self.s3(), credentials, self.text("BUCKET_NAME"))
    }

    /// Opens the bucket in `BUCKET_NAME`. The role in `PRESIGN_ROLE_ARN` signs its URLs. The
    /// variable is required unless the credentials are an access key without a session token, as in
    /// the local stack: those of Lambda and of containers are sessions, whose URLs would have all
    /// permissions of the function, and end when it gets the next session.
    pub fn presigning_bucket(&mut self) -> Bucket {
        let client = self.s3();
        self.presigning_bucket_of(client)
    }

    /// Opens the bucket in `BUCKET_NAME` for a function that presigns URLs, and passes objects on
    /// or renders them. It does not hash them to compare their checksums: S3 verifies what it
    /// stores ("Data protection in Amazon S3" in the Amazon S3 User Guide), and TLS what it sends.
    pub fn delivery_bucket(&mut self) -> Bucket {
        let config = self.s3().config().to_builder();
        let config = config.response_checksum_validation(ResponseChecksumValidation::WhenRequired);
        self.presigning_bucket_of(aws_sdk_s3::Client::from_conf(config.build()))
    }

    fn presigning_bucket_of(&mut self, client: aws_sdk_s3::Client) -> Bucket {
        let is_required = self.optional("AWS_SESSION_TOKEN").is_some()
            || self.optional("AWS_ACCESS_KEY_ID").is_none();
        let role_arn = if is_required {
            Some(self.text("PRESIGN_ROLE_ARN"))
        } else {
            self.optional("PRESIGN_ROLE_ARN").map(str::to_owned)
        };
        let url_credentials = match role_arn {
            Some(role_arn) => self.assumed_role(role_arn),
            None => credentials(self),
        };
        Bucket::new(client, url_credentials, self.text("BUCKET_NAME"))
    }

    fn assumed_role(&mut self, role_arn: String) -> SharedCredentialsProvider {
        let config = configure!(
            aws_sdk_sts::Config::builder(),
            self,
            "AWS_ENDPOINT_URL_STS",
            Some(RESPONSE_TIMEOUT),
            ATTEMPT_TIMEOUT
        )
        .stalled_stream_protection(without_stream_protection())
        .retry_config(RetryConfig::standard().with_max_attempts(STS_ATTEMPTS));
        let client = aws_sdk_sts::Client::from_conf(config.build());

        let role = AssumedRole { client, role_arn };
        SharedCredentialsProvider::new(CredentialsCache::new(role, self.env().clone()))
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

    /// Returns the roots that the certificates of endpoints must have.
    fn trust_store(&self) -> TrustStore {
        let is_set = |variable: &&str| self.optional(variable).is_some();
        if ROOTS_VARIABLES.iter().any(is_set) {
            TrustStore::default()
        } else {
            TrustStore::empty().with_pem_certificate(AMAZON_ROOTS)
        }
    }

    /// Returns the endpoint of a service, whose own variable is `variable`; `None` for that of AWS.
    fn endpoint(&self, variable: &str) -> Option<&'a str> {
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

    /// Returns an S3 client. Its requests are path-style if it has another endpoint than that of
    /// AWS.
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

    /// Returns the origin of presigned URLs: the endpoint of [`Settings::s3`], or the host of the
    /// bucket, `BUCKET_DOMAIN`.
    pub fn storage_origin(&mut self) -> String {
        let domain = self.text("BUCKET_DOMAIN");
        self.endpoint("AWS_ENDPOINT_URL_S3")
            .map_or_else(|| format!("https://{domain}"), str::to_owned)
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
mod tests;
