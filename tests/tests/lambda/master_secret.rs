//! The master secret: read when it is first needed, and never at a cold start.

use emulators::{InjectedError, Service::SecretsManager};
use serde_json::json;
use tests::{DEFAULT_ATTEMPTS, PHOTO, Stack, TestSpace, minutes, stack_test, text};

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
    let file = acme.upload(PHOTO).await;
    acme.get_ok(file.path()).await;
    stack.anonymous.fetch(file.url()).await;
    let unsigned = file.url_with("signature=incomplete");
    stack.anonymous.get_err(403, &unsigned).await;
    let config = text(&file["upload_config_id"]);
    acme.get_ok(&format!("/upload-configs/{config}")).await;
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

    let sign = || acme.sign(&file, minutes(60));
    let (signed, _) = tokio::join!(sign(), sign());
    acme.fetch("/files").await;
    assert_eq!(reads(stack, "files"), 1);

    for _ in 0..2 {
        stack.anonymous.fetch(&signed).await;
    }
    assert_eq!(reads(stack, "delivery"), 1);
}

#[stack_test]
async fn unreadable_master_secret_returns_503_and_is_read_again(stack: &Stack, acme: &TestSpace) {
    let path = format!("{}/signing-secret", acme.path());
    let fail = |times, status, code: &str| {
        let error = InjectedError::new(status, code);
        let faults = stack.local.faults();
        faults.fail(SecretsManager, "GetSecretValue", times, error);
    };

    for (times, status, code) in [
        (DEFAULT_ATTEMPTS, 500, "InternalServiceError"),
        (1, 400, "AccessDeniedException"),
    ] {
        fail(times, status, code);
        let response = acme.get(&path).await;
        response.with_context(code).expect_busy();
        acme.get_ok(&acme.path()).await;
    }

    fail(1, 400, "AccessDeniedException");
    let rotate = format!("{path}/rotate");
    acme.post_err(503, &rotate, json!({})).await;
    let secret = acme.get_ok(&path).await;
    assert_eq!(
        secret["kid"], "1",
        "a rotation that cannot show the secret has no effect: {secret}"
    );
}
