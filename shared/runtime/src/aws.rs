//! AWS clients from a function's variables.
//!
//! Credentials come from the variables that Lambda sets, so that functions of one process each act as themselves. One
//! HTTP client with one TLS stack (rustls on ring, whose first handshake is the cheapest) serves all of them; an endpoint
//! on `http://`, as the local stack has, needs no TLS at all.

use aws_sdk_dynamodb::{
    config::{BehaviorVersion, Credentials, Region},
    error::DisplayErrorContext,
};
use aws_sdk_s3::config::RequestChecksumCalculation;
use aws_smithy_http_client::{Builder, tls};

use domain::MasterSecret;

use crate::Settings;

/// What every client shares.
struct Account {
    region: Region,
    credentials: Credentials,
}

impl Account {
    fn read(settings: &mut Settings) -> Account {
        let credentials = Credentials::new(
            settings.text("AWS_ACCESS_KEY_ID"),
            settings.text("AWS_SECRET_ACCESS_KEY"),
            settings.optional("AWS_SESSION_TOKEN").map(str::to_owned),
            None,
            "environment",
        );
        Account { region: Region::new(settings.text("AWS_REGION")), credentials }
    }
}

macro_rules! configure {
    ($builder:expr, $settings:ident, $endpoint:literal) => {{
        let account = Account::read($settings);
        let builder = $builder
            .behavior_version(BehaviorVersion::latest())
            .region(account.region)
            .credentials_provider(account.credentials);
        match $settings.optional($endpoint) {
            Some(url) if url.starts_with("http://") => {
                builder.endpoint_url(url).http_client(Builder::new().build_http())
            }
            Some(url) => builder.endpoint_url(url).http_client(https()),
            None => builder.http_client(https()),
        }
    }};
}

fn https() -> aws_sdk_dynamodb::config::SharedHttpClient {
    Builder::new().tls_provider(tls::Provider::Rustls(tls::rustls_provider::CryptoMode::Ring)).build_https()
}

/// A DynamoDB client; `AWS_ENDPOINT_URL_DYNAMODB` sends it elsewhere.
pub fn dynamodb(settings: &mut Settings) -> aws_sdk_dynamodb::Client {
    let config = configure!(aws_sdk_dynamodb::Config::builder(), settings, "AWS_ENDPOINT_URL_DYNAMODB");
    aws_sdk_dynamodb::Client::from_conf(config.build())
}

/// An S3 client; `AWS_ENDPOINT_URL_S3` sends it elsewhere, with the bucket in the path.
///
/// Checksums are those that a request names: the client's own would be signed into presigned addresses, whose users do
/// not send them.
pub fn s3(settings: &mut Settings) -> aws_sdk_s3::Client {
    let config = configure!(aws_sdk_s3::Config::builder(), settings, "AWS_ENDPOINT_URL_S3")
        .force_path_style(settings.optional("AWS_ENDPOINT_URL_S3").is_some())
        .request_checksum_calculation(RequestChecksumCalculation::WhenRequired);
    aws_sdk_s3::Client::from_conf(config.build())
}

/// An SQS client; `AWS_ENDPOINT_URL_SQS` sends it elsewhere.
pub fn sqs(settings: &mut Settings) -> aws_sdk_sqs::Client {
    let config = configure!(aws_sdk_sqs::Config::builder(), settings, "AWS_ENDPOINT_URL_SQS");
    aws_sdk_sqs::Client::from_conf(config.build())
}

/// The master secret, under the name that `MASTER_SECRET_ARN` gives it. Where it cannot be had the function cannot start,
/// and the next start tries again.
pub async fn master_secret(settings: &mut Settings<'_>) -> MasterSecret {
    let config = configure!(aws_sdk_secretsmanager::Config::builder(), settings, "AWS_ENDPOINT_URL_SECRETS_MANAGER");
    let client = aws_sdk_secretsmanager::Client::from_conf(config.build());
    let name = settings.text("MASTER_SECRET_ARN");
    if name.is_empty() {
        return MasterSecret::new("");
    }
    let kept = match client.get_secret_value().secret_id(name).send().await {
        Ok(answer) => answer.secret_string.ok_or_else(|| "it is not a text".to_owned()),
        Err(error) => Err(DisplayErrorContext(error).to_string()),
    };
    MasterSecret::new(kept.unwrap_or_else(|reason| {
        settings.mistake(format!("the master secret cannot be read: {reason}"));
        String::new()
    }))
}
