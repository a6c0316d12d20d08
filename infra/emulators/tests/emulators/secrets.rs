//! Values that are generated once.

use std::{fs, os::unix::fs::PermissionsExt};

use aws_sdk_secretsmanager::{
    error::{ProvideErrorMetadata as _, SdkError},
    operation::get_secret_value::GetSecretValueOutput,
};
use emulators::{CallRecord, InjectedError, Service};
use template::{Secret, Stack};

use crate::support::{Cloud, principal};

const ARN: &str = "arn:aws:secretsmanager:us-east-1:000000000000:secret:larder-Master-abcdef";

fn stack() -> Stack {
    let secret = Secret {
        logical_id: "Master".to_owned(),
        name: "larder-Master".to_owned(),
        length: 64,
        excludes_punctuation: true,
    };
    Stack {
        secrets: vec![secret],
        ..Stack::default()
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
async fn a_value_is_read_by_arn_and_by_name() {
    let cloud = Cloud::with(&stack()).await;
    let client = cloud.secrets("operator");
    let by_arn = read(&client, ARN).await;
    assert_eq!(
        (by_arn.arn(), by_arn.name()),
        (Some(ARN), Some("larder-Master"))
    );
    assert_eq!(by_arn.version_stages(), ["AWSCURRENT"]);
    let value = by_arn.secret_string().unwrap();
    assert!(
        value.len() == 64 && value.bytes().all(|byte| byte.is_ascii_alphanumeric()),
        "{value}"
    );
    let now_seconds = emulators::AsyncClock::now_ms(&cloud.clock) / 1000;
    assert_eq!(by_arn.created_date().unwrap().secs(), now_seconds);

    let by_name = read(&client, "larder-Master").await;
    assert_eq!(by_name.secret_string(), by_arn.secret_string());
    let of_version = client
        .get_secret_value()
        .secret_id(ARN)
        .version_id(by_arn.version_id().unwrap());
    let of_version = of_version.version_stage("AWSCURRENT").send().await.unwrap();
    assert_eq!(of_version.secret_string(), by_arn.secret_string());
}

#[tokio::test]
async fn what_is_not_there_is_a_typed_error_and_what_is_not_emulated_is_refused() {
    let cloud = Cloud::with(&stack()).await;
    let client = cloud.secrets("operator");
    for wanted in [
        client.get_secret_value().secret_id("larder-Other"),
        client
            .get_secret_value()
            .secret_id(ARN)
            .version_stage("AWSPREVIOUS"),
        client
            .get_secret_value()
            .secret_id(ARN)
            .version_id("00000000-0000-0000-0000-000000000000"),
    ] {
        let missing = wanted.send().await.unwrap_err().into_service_error();
        assert!(missing.is_resource_not_found_exception(), "{missing:?}");
    }
    let refused = client
        .delete_secret()
        .secret_id(ARN)
        .send()
        .await
        .unwrap_err();
    assert_eq!(refused.code(), Some("UnknownOperationException"));
    assert!(
        refused.message().unwrap().contains("DeleteSecret"),
        "{refused:?}"
    );
}

#[tokio::test]
async fn secrets_are_allowed_one_by_one_and_every_call_is_logged() {
    let cloud = Cloud::with(&stack()).await;
    cloud.emulators.admit(principal(
        "reader",
        &[("secretsmanager:GetSecretValue", ARN)],
    ));
    cloud.emulators.admit(principal(
        "stranger",
        &[("secretsmanager:GetSecretValue", "arn:other")],
    ));
    let wire = cloud.emulators.call_log();
    read(&cloud.secrets("reader"), ARN).await;
    read(&cloud.secrets("reader"), "larder-Master").await;
    for (name, code) in [
        ("stranger", "AccessDeniedException"),
        ("nobody", "UnrecognizedClientException"),
    ] {
        let refused = cloud
            .secrets(name)
            .get_secret_value()
            .secret_id(ARN)
            .send()
            .await
            .unwrap_err();
        assert_eq!(refused.code(), Some(code));
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
        call("stranger", 400),
        call("unknown", 400),
    ];
    assert_eq!(wire.calls(), expected);
}

#[tokio::test]
async fn planned_faults_meet_secrets_too() {
    let cloud = Cloud::with(&stack()).await;
    let client = cloud.secrets("operator");
    let faults = cloud.emulators.faults();
    faults.fail(
        Service::SecretsManager,
        "GetSecretValue",
        1,
        InjectedError::new(400, "ThrottlingException"),
    );
    let refused = client
        .get_secret_value()
        .secret_id(ARN)
        .send()
        .await
        .unwrap_err();
    assert_eq!(refused.code(), Some("ThrottlingException"));
    faults.lose_response(Service::SecretsManager, "GetSecretValue", 1);
    let lost = client.get_secret_value().secret_id(ARN).send().await;
    assert!(
        matches!(lost, Err(SdkError::DispatchFailure(_))),
        "{lost:?}"
    );
    read(&client, ARN).await;
}

#[tokio::test]
async fn a_value_is_kept_for_its_owner_alone() {
    let cloud = Cloud::with(&stack()).await;
    let before = read(&cloud.secrets("operator"), ARN).await;
    let cloud = cloud.restart().await;
    let kept = read(&cloud.secrets("operator"), ARN).await;
    // A template that now says something else changes no value.
    let mut longer = stack();
    longer.secrets[0].length = 128;
    cloud.emulators.provision(&longer).await.unwrap();
    let after = read(&cloud.secrets("operator"), ARN).await;
    for output in [&kept, &after] {
        assert_eq!(output.secret_string(), before.secret_string());
        assert_eq!(output.version_id(), before.version_id());
    }
    let file = fs::metadata(cloud.directory.path().join("secrets.json")).unwrap();
    assert_eq!(file.permissions().mode() & 0o777, 0o600);
    let other = Cloud::with(&stack()).await;
    assert_ne!(
        read(&other.secrets("operator"), ARN).await.secret_string(),
        before.secret_string()
    );
}
