//! The master secret: read when it is first needed, and never at a cold start.

use emulators::{InjectedError, Service::SecretsManager};
use serde_json::json;
use tests::{OTHER_TRIES, Stack};

/// Returns how often a function has read the secret.
fn reads(stack: &Stack, function: &str) -> usize {
    let calls = stack.cloud.call_log().calls();
    calls
        .iter()
        .filter(|call| call.principal == function && call.operation == "GetSecretValue")
        .count()
}

#[tokio::test]
async fn master_secret_is_read_once_by_the_first_request_that_needs_it() {
    let stack = Stack::start().await;
    let acme = stack.space("Acme").await;
    let record = acme.upload_photo().await;
    let file = format!("/files/{}", record["id"].as_str().expect("an id"));
    let url = record["url"].as_str().expect("an address");

    acme.client.get(&file).await.ok();
    stack.anonymous.get(url).await.demand(200);
    stack
        .anonymous
        .get(&format!("{url}?signature=incomplete"))
        .await
        .refused(403);
    acme.client
        .get(&format!(
            "/upload-configs/{}",
            record["upload_config_id"].as_str().expect("an id")
        ))
        .await
        .ok();
    let folder = json!({"space_id": acme.id, "name": "folder"});
    acme.client.post("/folders", folder).await.created();
    for function in [
        "spaces",
        "files",
        "folders",
        "upload-configs",
        "uploads",
        "delivery",
    ] {
        assert_eq!(reads(&stack, function), 0, "{function}");
    }

    let path = format!("{file}/signed-url");
    let sign = || acme.client.post(&path, json!({}));
    let (first, second) = tokio::join!(sign(), sign());
    let signed = first.ok()["url"].take();
    second.ok();
    acme.client.get("/files").await.demand(200);
    assert_eq!(reads(&stack, "files"), 1);

    for _ in 0..2 {
        stack
            .anonymous
            .get(signed.as_str().expect("an address"))
            .await
            .demand(200);
    }
    assert_eq!(reads(&stack, "delivery"), 1);
    stack.stop().await;
}

#[tokio::test]
async fn request_fails_with_503_while_master_secret_is_unreadable_and_the_next_reads_it_again() {
    let stack = Stack::start().await;
    let acme = stack.space("Acme").await;
    let path = format!("/spaces/{}/signing-secret", acme.id);
    let faults = stack.cloud.faults();

    for (times, status, code) in [
        (OTHER_TRIES, 500, "InternalServiceError"),
        (1, 400, "AccessDeniedException"),
    ] {
        faults.fail(
            SecretsManager,
            "GetSecretValue",
            times,
            InjectedError::new(status, code),
        );
        let answer = acme.client.get(&path).await;
        assert_eq!(answer.header("retry-after"), "1", "{code}");
        answer.refused(503);
        acme.client.get(&format!("/spaces/{}", acme.id)).await.ok();
    }

    faults.fail(
        SecretsManager,
        "GetSecretValue",
        1,
        InjectedError::new(400, "AccessDeniedException"),
    );
    acme.client
        .post(&format!("{path}/rotate"), json!({}))
        .await
        .refused(503);
    let secret = acme.client.get(&path).await.ok();
    assert_eq!(
        secret["kid"], "1",
        "a rotation that cannot show the secret has no effect: {secret}"
    );
    stack.stop().await;
}
