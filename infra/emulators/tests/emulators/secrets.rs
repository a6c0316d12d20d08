//! Generated secrets.

use std::{fs, os::unix::fs::PermissionsExt};

use aws_sdk_secretsmanager::{
    error::ProvideErrorMetadata as _, operation::get_secret_value::GetSecretValueOutput,
};
use emulators::{CallRecord, Service};
use sam_template::{ResolvedTemplate, SecretSpec};

use crate::support::{Emulation, allow, principal};

const ARN: &str = "arn:aws:secretsmanager:us-east-1:000000000000:secret:larder-Master-abcdef";

fn stack() -> ResolvedTemplate {
    let secret = SecretSpec {
        logical_id: "Master".to_owned(),
        name: "larder-Master".to_owned(),
        length: 64,
        excludes_punctuation: true,
    };
    ResolvedTemplate {
        secrets: vec![secret],
        ..ResolvedTemplate::default()
    }
}

async fn read(client: &aws_sdk_secretsmanager::Client, id: &str) -> GetSecretValueOutput {
    client
        .get_secret_value()
        .secret_id(id)
        .send()
        .await
        .unwrap()
}

#[tokio::test]
async fn value_is_read_by_arn_and_by_name() {
    let emulation = Emulation::with(&stack()).await;
    let client = emulation.secrets("unrestricted");

    let by_arn = read(&client, ARN).await;
    assert_eq!(by_arn.arn(), Some(ARN));
    assert_eq!(by_arn.name(), Some("larder-Master"));
    assert_eq!(by_arn.version_stages(), ["AWSCURRENT"]);

    let value = by_arn.secret_string().unwrap();
    assert!(
        value.len() == 64 && value.bytes().all(|byte| byte.is_ascii_alphanumeric()),
        "{value}"
    );

    let now_seconds = emulators::AsyncClock::now_ms(&emulation.clock) / 1000;
    assert_eq!(by_arn.created_date().unwrap().secs(), now_seconds);

    let by_name = read(&client, "larder-Master").await;
    assert_eq!(by_name.secret_string(), by_arn.secret_string());
}

#[tokio::test]
async fn missing_secret_and_unknown_operation_are_rejected() {
    let emulation = Emulation::with(&stack()).await;
    let client = emulation.secrets("unrestricted");

    let other = client.get_secret_value().secret_id("larder-Other");
    let missing = other.send().await.unwrap_err().into_service_error();
    assert!(missing.is_resource_not_found_exception(), "{missing:?}");

    let version = client.get_secret_value().secret_id(ARN);
    let error = version.version_stage("AWSPREVIOUS").send().await;
    assert_eq!(error.unwrap_err().code(), Some("InvalidParameterException"));

    let error = client
        .delete_secret()
        .secret_id(ARN)
        .send()
        .await
        .unwrap_err();

    assert_eq!(error.code(), Some("UnknownOperationException"));
    assert!(
        error.message().unwrap().contains("DeleteSecret"),
        "{error:?}"
    );
}

#[tokio::test]
async fn permissions_apply_per_secret_and_calls_are_logged() {
    let emulation = Emulation::with(&stack()).await;
    emulation.emulators.register_principal(principal(
        "reader",
        [allow("secretsmanager:GetSecretValue", ARN)],
    ));
    emulation.emulators.register_principal(principal(
        "other",
        [allow("secretsmanager:GetSecretValue", "arn:other")],
    ));

    let call_log = emulation.emulators.call_log();
    read(&emulation.secrets("reader"), ARN).await;
    read(&emulation.secrets("reader"), "larder-Master").await;
    for (name, code) in [
        ("other", "AccessDeniedException"),
        ("unregistered", "UnrecognizedClientException"),
    ] {
        let error = emulation
            .secrets(name)
            .get_secret_value()
            .secret_id(ARN)
            .send()
            .await
            .unwrap_err();
        assert_eq!(error.code(), Some(code));
    }

    let call = |principal: &str, status| CallRecord {
        principal: principal.to_owned(),
        service: Service::SecretsManager,
        operation: "GetSecretValue".to_owned(),
        status,
    };

    let expected = [
        call("reader", 200),
        call("reader", 200),
        call("other", 400),
        call("unknown", 400),
    ];

    assert_eq!(call_log.calls(), expected);
}

#[tokio::test]
async fn value_never_changes_and_only_its_owner_can_read_the_file() {
    let emulation = Emulation::with(&stack()).await;
    let before = read(&emulation.secrets("unrestricted"), ARN).await;
    let emulation = emulation.restart().await;
    let kept = read(&emulation.secrets("unrestricted"), ARN).await;

    // A changed template does not change the value.
    let mut longer = stack();
    longer.secrets[0].length = 128;
    emulation.emulators.provision(&longer).await.unwrap();

    let after = read(&emulation.secrets("unrestricted"), ARN).await;
    for output in [&kept, &after] {
        assert_eq!(output.secret_string(), before.secret_string());
        assert_eq!(output.version_id(), before.version_id());
    }

    let file = fs::metadata(emulation.directory.path().join("secrets.json")).unwrap();
    assert_eq!(file.permissions().mode() & 0o777, 0o600);

    let other = Emulation::with(&stack()).await;
    assert_ne!(
        read(&other.secrets("unrestricted"), ARN)
            .await
            .secret_string(),
        before.secret_string()
    );
}
