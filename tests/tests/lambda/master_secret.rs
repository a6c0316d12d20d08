//! The master secret: read when it is first needed, and never at a cold start.

use emulators::{InjectedError, Service::SecretsManager};
use serde_json::json;
use tests::{DEFAULT_ATTEMPTS, PHOTO, Stack, TestSpace, stack_test};

/// Returns how often a function has read the secret.
fn reads(stack: &Stack, function: &str) -> usize {
    let calls = stack.local.call_log().calls();
    calls
        .iter()
        .filter(|call| call.principal == function && call.operation == "GetSecretValue")
        .count()
}

#[stack_test]
async fn master_secret_is_read_once_on_first_need(stack: &Stack, acme: &TestSpace) {
    let record = acme.upload(PHOTO).await;
    let file = format!("/files/{}", record["id"].as_str().expect("an id"));
    let url = record["url"].as_str().expect("an address");

    acme.get_ok(&file).await;
    stack.anonymous.fetch(url).await;
    stack
        .anonymous
        .get_err(403, &format!("{url}?signature=incomplete"))
        .await;
    acme.get_ok(&format!(
        "/upload-configs/{}",
        record["upload_config_id"].as_str().expect("an id")
    ))
    .await;

    acme.folder("folder").await;

    for function in [
        "spaces",
        "files",
        "folders",
        "upload-configs",
        "uploads",
        "delivery",
    ] {
        assert_eq!(reads(stack, function), 0, "{function}");
    }

    let path = format!("{file}/signed-url");
    let sign = || acme.post(&path, json!({}));
    let (first, second) = tokio::join!(sign(), sign());
    let signed = first.expect_ok()["url"].take();

    second.expect_ok();
    acme.fetch("/files").await;
    assert_eq!(reads(stack, "files"), 1);

    for _ in 0..2 {
        stack
            .anonymous
            .fetch(signed.as_str().expect("an address"))
            .await;
    }

    assert_eq!(reads(stack, "delivery"), 1);
}

#[stack_test]
async fn unreadable_master_secret_returns_503_and_is_read_again(stack: &Stack, acme: &TestSpace) {
    let path = format!("/spaces/{}/signing-secret", acme.id);
    let faults = stack.local.faults();

    for (times, status, code) in [
        (DEFAULT_ATTEMPTS, 500, "InternalServiceError"),
        (1, 400, "AccessDeniedException"),
    ] {
        faults.fail(
            SecretsManager,
            "GetSecretValue",
            times,
            InjectedError::new(status, code),
        );

        let response = acme.get(&path).await;
        response.with_context(code).expect_busy();
        acme.get_ok(&acme.path()).await;
    }

    faults.fail(
        SecretsManager,
        "GetSecretValue",
        1,
        InjectedError::new(400, "AccessDeniedException"),
    );
    acme.post_err(503, &format!("{path}/rotate"), json!({}))
        .await;

    let secret = acme.get_ok(&path).await;
    assert_eq!(
        secret["kid"], "1",
        "a rotation that cannot show the secret has no effect: {secret}"
    );
}
