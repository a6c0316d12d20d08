//! The client of SQS, and its credentials.
//!
//! The SDK's default credentials chain is a large dependency. The AWS CLI, which a deployment needs too,
//! resolves profiles, SSO and roles instead ("aws configure export-credentials" in the AWS CLI Command
//! Reference).

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
};

use aws_sdk_sqs::{
    Client,
    config::{BehaviorVersion, Credentials, Region},
};
use aws_smithy_http_client::{Builder, tls};
use serde::Deserialize;

use crate::{OperationError, cli::Target};

/// Name of the emulated CloudFormation stack.
const LOCAL_STACK: &str = "larder";
/// Region of the emulated services.
const LOCAL_REGION: &str = "us-east-1";
/// File of the local stack with URLs and credentials.
const LOCAL_FILE: &str = "local.json";

/// Access to the queues of a stack.
pub(crate) struct Access {
    pub(crate) client: Client,
    /// Name of the CloudFormation stack.
    pub(crate) stack: String,
}

/// Credentials in the format of `credential_process`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ProcessCredentials {
    access_key_id: String,
    secret_access_key: String,
    session_token: Option<String>,
}

/// The part of [`LOCAL_FILE`] that concerns SQS.
#[derive(Deserialize)]
struct LocalAccess {
    sqs_url: String,
    access_key_id: String,
    secret_access_key: String,
}

impl Access {
    /// Reads the credentials and creates the client.
    pub(crate) fn of(
        target: Target,
        variables: &BTreeMap<String, String>,
    ) -> Result<Access, OperationError> {
        match target {
            Target::Local(data_dir) => {
                let local = local_access(&data_dir)?;
                let key = local.access_key_id;
                let credentials =
                    Credentials::new(key, local.secret_access_key, None, None, "local");
                Ok(Access {
                    client: client(credentials, LOCAL_REGION.to_owned(), Some(local.sqs_url)),
                    stack: LOCAL_STACK.to_owned(),
                })
            }
            Target::Aws { stack, endpoint } => Ok(Access {
                client: client(credentials(variables)?, region(variables)?, endpoint),
                stack,
            }),
        }
    }
}

fn client(credentials: Credentials, region: String, endpoint: Option<String>) -> Client {
    let is_plain = endpoint
        .as_deref()
        .is_some_and(|url| url.starts_with("http://"));
    let http_client = if is_plain {
        Builder::new().build_http()
    } else {
        let provider = tls::Provider::Rustls(tls::rustls_provider::CryptoMode::Ring);
        Builder::new().tls_provider(provider).build_https()
    };

    let mut config = aws_sdk_sqs::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new(region))
        .credentials_provider(credentials)
        .http_client(http_client);
    config.set_endpoint_url(endpoint);
    Client::from_conf(config.build())
}

fn local_access(data_dir: &Path) -> Result<LocalAccess, OperationError> {
    let path: PathBuf = data_dir.join(LOCAL_FILE);
    let read = std::fs::read(&path).map_err(|error| error.to_string());
    let parsed =
        read.and_then(|text| serde_json::from_slice(&text).map_err(|error| error.to_string()));
    parsed.map_err(|reason| OperationError::LocalFile { path, reason })
}

/// Returns the credentials of the environment, or those of the AWS CLI.
pub(crate) fn credentials(
    variables: &BTreeMap<String, String>,
) -> Result<Credentials, OperationError> {
    let variable = |name: &str| variables.get(name).filter(|value| !value.is_empty());
    let key = variable("AWS_ACCESS_KEY_ID");
    let secret = variable("AWS_SECRET_ACCESS_KEY");
    if let (Some(key), Some(secret)) = (key, secret) {
        let token = variable("AWS_SESSION_TOKEN").cloned();
        return Ok(Credentials::new(key, secret, token, None, "environment"));
    }

    let printed = aws_cli(&["configure", "export-credentials"], variables)?;
    let exported: ProcessCredentials = serde_json::from_str(&printed).map_err(|error| {
        OperationError::AwsCli(format!("the AWS CLI printed invalid credentials: {error}"))
    })?;
    Ok(Credentials::new(
        exported.access_key_id,
        exported.secret_access_key,
        exported.session_token,
        None,
        "aws-cli",
    ))
}

/// Returns the region of the environment, or that of the AWS CLI.
pub(crate) fn region(variables: &BTreeMap<String, String>) -> Result<String, OperationError> {
    let named = ["AWS_REGION", "AWS_DEFAULT_REGION"]
        .into_iter()
        .find_map(|name| variables.get(name).filter(|value| !value.is_empty()));
    match named {
        Some(region) => Ok(region.clone()),
        None => Ok(aws_cli(&["configure", "get", "region"], variables)?
            .trim()
            .to_owned()),
    }
}

/// Runs the AWS CLI with these variables as its environment, and returns its output.
pub(crate) fn aws_cli(
    arguments: &[&str],
    variables: &BTreeMap<String, String>,
) -> Result<String, OperationError> {
    let failed = |reason: &str| {
        OperationError::AwsCli(format!("`aws {}` failed: {reason}", arguments.join(" ")))
    };
    let mut command = Command::new("aws");
    let output = command.args(arguments).env_clear().envs(variables).output();
    let output =
        output.map_err(|error| failed(&format!("{error}. Install the AWS CLI, version 2.")))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
