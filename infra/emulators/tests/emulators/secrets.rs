//! Generated secrets.

use std::{fs, os::unix::fs::PermissionsExt};

use aws_sdk_secretsmanager::{
    error::ProvideErrorMetadata as _, operation::get_secret_value::GetSecretValueOutput,
};
use emulators::AsyncClock as _;

use crate::support::{Emulation, code, template};

const ARN: &str = "arn:aws:secretsmanager:us-east-1:000000000000:secret:larder-Master-abcdef";

async fn read(emulation: &Emulation, id: &str) -> GetSecretValueOutput {
    let get = emulation.secrets("unrestricted").get_secret_value();
    get.secret_id(id).send().await.unwrap()
}

#[tokio::test]
async fn value_is_read_by_arn_and_by_name() {
    let emulation = Emulation::start().await;

    let by_arn = read(&emulation, ARN).await;
    let by_name = read(&emulation, "larder-Master").await;

    assert_eq!(by_name.secret_string(), by_arn.secret_string());
    assert_eq!(by_arn.arn(), Some(ARN));
    assert_eq!(by_arn.name(), Some("larder-Master"));
    assert_eq!(by_arn.version_stages(), ["AWSCURRENT"]);
    let now_seconds = emulation.clock.now_ms() / 1000;
    assert_eq!(by_arn.created_date().unwrap().secs(), now_seconds);
    let value = by_arn.secret_string().unwrap();
    let is_alphanumeric = value.bytes().all(|byte| byte.is_ascii_alphanumeric());
    assert!(value.len() == 64 && is_alphanumeric, "{value}");
}

#[tokio::test]
async fn missing_secret_and_unknown_operation_are_rejected() {
    let emulation = Emulation::start().await;
    let client = emulation.secrets("unrestricted");

    let other = client.get_secret_value().secret_id("larder-Other");
    let missing = other.send().await.unwrap_err().into_service_error();
    assert!(missing.is_resource_not_found_exception(), "{missing:?}");

    let version = client.get_secret_value().secret_id(ARN);
    let error = version.version_stage("AWSPREVIOUS").send().await;
    assert_eq!(code(error.unwrap_err()), "InvalidParameterException");

    let delete = client.delete_secret().secret_id(ARN);
    let error = delete.send().await.unwrap_err();
    assert_eq!(error.code(), Some("UnknownOperationException"));
    let message = error.message().unwrap();
    assert!(message.contains("DeleteSecret"), "{message}");
}

#[tokio::test]
async fn value_never_changes_and_only_its_owner_can_read_the_file() {
    let emulation = Emulation::start().await;
    let before = read(&emulation, ARN).await;

    let restarted = emulation.restart().await;
    // A changed template does not change the value.
    let mut longer = template();
    longer.secrets[0].length = 128;
    restarted.emulators.provision(&longer).await.unwrap();

    let after = read(&restarted, ARN).await;
    assert_eq!(after.secret_string(), before.secret_string());
    assert_eq!(after.version_id(), before.version_id());
    let file = fs::metadata(restarted.directory.path().join("secrets.json")).unwrap();
    assert_eq!(file.permissions().mode() & 0o777, 0o600);

    let other = read(&Emulation::start().await, ARN).await;
    assert_ne!(other.secret_string(), before.secret_string());
}
