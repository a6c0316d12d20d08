//! The number of AWS calls of each upload route.

use reqwest::multipart::Form;
use serde_json::{Value, json};
use tests::{Client, Observed, PHOTO, Response, Stack, TestSpace, file, form, stack_test};

use super::totals;
use crate::uploads::unsigned::UnsignedConfig;

/// Calls of a presign request. The space is read again after the file is pending.
const PRESIGN_CALLS: [&str; 5] = [
    "BatchGetItem",
    "BatchGetItem",
    "SendMessageBatch",
    "TransactWriteItems",
    "UpdateItem",
];

/// Calls of a confirmation without a key. The second batch reads the key that signed the URL, or before the
/// bytes are copied the quota, which the transaction counts.
const ANONYMOUS_CONFIRM_CALLS: [&str; 10] = [
    "BatchGetItem",
    "BatchGetItem",
    "CopyObject",
    "GetItem",
    "GetItem",
    "GetItem",
    "GetObject",
    "SendMessageBatch",
    "TransactWriteItems",
    "UpdateItem",
];

/// Creates a space and uses its key once, since recording the first use in a minute takes more
/// writes.
async fn warm(stack: &Stack) -> TestSpace {
    let acme = stack.space("Acme").await;
    acme.upload(PHOTO).await;
    acme
}

/// A response and its AWS calls.
struct Cost {
    response: Value,
    /// Operations that the function called, sorted.
    calls: Vec<String>,
}

/// Runs a request, and returns the response and the calls of its function.
async fn cost(stack: &Stack, status: u16, request: impl Future<Output = Response>) -> Cost {
    let Observed {
        output: response,
        calls,
    } = stack.calls_of(request).await;
    let calls = calls
        .iter()
        .map(|call| {
            call.strip_prefix("uploads ")
                .expect("a call of uploads")
                .to_owned()
        })
        .collect();

    Cost {
        response: response.expect_status(status).json(),
        calls,
    }
}

fn photo() -> Form {
    Form::new().part("file", file("photo.jpg", "image/jpeg", PHOTO))
}

fn described() -> Value {
    json!({"filename": "photo.jpg", "content_type": "image/jpeg", "size": PHOTO.len()})
}

async fn put(client: &Client, presigned: &Value) {
    let request = client.request("PUT", presigned["upload_url"].as_str().expect("an address"));
    client
        .send(request.header("content-type", "image/jpeg").body(PHOTO))
        .await
        .expect_status(200);
}

fn confirm_path(pending_file: &Value) -> String {
    format!(
        "/upload/confirm/{}",
        pending_file["file_id"].as_str().expect("an id")
    )
}

/// Returns the id of the active upload config of a space.
async fn active_config(acme: &TestSpace) -> String {
    let space = acme.get_ok(&acme.path()).await;
    space["active_upload_config_id"]
        .as_str()
        .expect("an id")
        .to_owned()
}

#[stack_test]
async fn presigned_uploads_stay_within_call_budget(stack: &Stack) {
    let acme = warm(stack).await;
    let mut body = described();
    body["space"] = json!(acme.handle);
    let Cost {
        response: pending_file,
        calls,
    } = cost(stack, 201, acme.post("/upload/presign", body.clone())).await;
    assert_eq!(calls, PRESIGN_CALLS);
    let confirm = confirm_path(&pending_file);
    let confirmation = || acme.send(acme.request("POST", &confirm));
    let absent = ["BatchGetItem", "BatchGetItem", "CopyObject", "UpdateItem"];
    assert_eq!(cost(stack, 409, confirmation()).await.calls, absent);
    put(&stack.anonymous, &pending_file).await;
    // One read is that of the upload config, whose rules at this moment determine what follows.
    let active = [
        "BatchGetItem",
        "CopyObject",
        "GetItem",
        "GetItem",
        "GetObject",
        "SendMessageBatch",
        "TransactWriteItems",
        "UpdateItem",
    ];
    assert_eq!(cost(stack, 200, confirmation()).await.calls, active);
    assert_eq!(
        cost(stack, 200, confirmation()).await.calls,
        ["BatchGetItem", "UpdateItem"]
    );

    let settings = json!({"transformations": {"strip_metadata": true}});
    acme.upload_config("stripped").with_settings(settings).await;
    body["upload_config"] = json!("stripped");
    let pending_file = acme
        .post("/upload/presign", body)
        .await
        .expect_status(201)
        .json();
    put(&stack.anonymous, &pending_file).await;
    let confirm = confirm_path(&pending_file);
    let confirmation = acme.send(acme.request("POST", &confirm));
    // An image with rules is read once as a whole, and stored.
    let confirmation_calls = [
        "BatchGetItem",
        "GetItem",
        "GetItem",
        "GetObject",
        "PutObject",
        "SendMessageBatch",
        "TransactWriteItems",
        "UpdateItem",
    ];
    assert_eq!(
        cost(stack, 200, confirmation).await.calls,
        confirmation_calls
    );
    stack.run_confirm_checks().await;
}

/// Signs a URL for uploads by a config.
async fn signed_url(stack: &Stack, acme: &TestSpace, config: &str) -> Cost {
    let body = json!({"upload_config_id": config});
    let generate = acme.post("/upload/generate-signed-url", body);
    cost(stack, 200, generate).await
}

#[stack_test]
async fn upload_of_text_sends_no_message(stack: &Stack) {
    let acme = warm(stack).await;
    let form = form(&acme.handle, "a.txt", "text/plain", "Hello");

    let Cost { response, calls } = cost(stack, 201, acme.upload_form(form)).await;

    assert_eq!(response["data"]["processing"]["status"], "completed");
    let stored = [
        "BatchGetItem",
        "BatchGetItem",
        "PutObject",
        "TransactWriteItems",
        "UpdateItem",
    ];
    assert_eq!(calls, stored);
}

#[stack_test]
async fn anonymous_uploads_stay_within_call_budget(stack: &Stack) {
    let acme = warm(stack).await;
    let config = active_config(&acme).await;
    let Cost {
        response: signed,
        calls,
    } = signed_url(stack, &acme, &config).await;

    assert_eq!(calls, ["BatchGetItem", "UpdateItem"]);

    let url = signed["data"]["url"].as_str().expect("an address");
    let form = photo()
        .text("space_id", acme.id.clone())
        .text("upload_config_id", config);
    let upload = stack
        .anonymous
        .send(stack.anonymous.request("POST", url).multipart(form));
    let stored = [
        "BatchGetItem",
        "BatchGetItem",
        "PutObject",
        "SendMessageBatch",
        "TransactWriteItems",
        "UpdateItem",
    ];

    assert_eq!(cost(stack, 201, upload).await.calls, stored);

    let presign_url = signed["data"]["presign_url"].as_str().expect("an address");
    let Cost {
        response: pending_file,
        calls,
    } = cost(stack, 201, stack.anonymous.post(presign_url, described())).await;

    assert_eq!(calls, PRESIGN_CALLS);
    put(&stack.anonymous, &pending_file).await;

    let confirm = confirm_path(&pending_file);
    let token = json!({"confirm_token": pending_file["confirm_token"]});
    assert_eq!(
        cost(stack, 200, stack.anonymous.post(&confirm, token))
            .await
            .calls,
        ANONYMOUS_CONFIRM_CALLS
    );
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn upload_with_an_invalid_signature_makes_one_read(stack: &Stack) {
    let acme = warm(stack).await;
    let config = active_config(&acme).await;
    let signed = signed_url(stack, &acme, &config).await.response;
    let url = signed["data"]["url"].as_str().expect("an address");

    let tampered = url.replace("expires=", "expires=1");
    let rejected = stack.anonymous.send(
        stack
            .anonymous
            .request("POST", &tampered)
            .multipart(photo()),
    );

    assert_eq!(cost(stack, 403, rejected).await.calls, ["BatchGetItem"]);
}

#[stack_test]
async fn unsigned_uploads_stay_within_call_budget(stack: &Stack) {
    let acme = warm(stack).await;
    let restrictions = json!({"allowed_referrers": ["example.com"], "require_https": true, "max_uploads_per_hour": 1});
    let unsigned = json!({"allow_unsigned": true, "unsigned_restrictions": restrictions});
    acme.upload_config("open").with(unsigned).await;

    let path = format!("/upload/unsigned/{}/open", acme.handle);
    let from = |referrer: &'static str| {
        let request = stack
            .anonymous
            .request("POST", &path)
            .header("referer", referrer);
        stack.anonymous.send(request.multipart(photo()))
    };

    // The id of the space, the space with the config, the uploads of this hour, and the space again.
    let stored = [
        "BatchGetItem",
        "BatchGetItem",
        "BatchGetItem",
        "GetItem",
        "PutObject",
        "SendMessageBatch",
        "TransactWriteItems",
        "UpdateItem",
    ];

    assert_eq!(
        cost(stack, 201, from("https://example.com/")).await.calls,
        stored
    );
    assert_eq!(
        cost(stack, 403, from("https://example.org/")).await.calls,
        ["BatchGetItem", "GetItem", "UpdateItem"]
    );

    // Above the hourly limit nothing is read, transformed or stored.
    let rejected = ["BatchGetItem", "BatchGetItem", "GetItem", "UpdateItem"];
    assert_eq!(
        cost(stack, 429, from("https://example.com/")).await.calls,
        rejected
    );

    // A config without a limit has that of the deployment.
    let restrictions = json!({"allowed_referrers": ["example.com"], "require_https": true});
    let unsigned = json!({"allow_unsigned": true, "unsigned_restrictions": restrictions});
    acme.upload_config("bare").with(unsigned).await;

    let request = stack
        .anonymous
        .request("POST", &path.replace("open", "bare"));
    let request = request
        .header("referer", "https://example.com/")
        .multipart(photo());

    assert_eq!(
        cost(stack, 201, stack.anonymous.send(request)).await.calls,
        stored
    );
}

#[stack_test]
async fn unsigned_presigned_uploads_stay_within_call_budget(stack: &Stack) {
    let acme = warm(stack).await;
    let restrictions = json!({"allowed_referrers": ["example.com"], "require_https": true});
    let unsigned = json!({"allow_unsigned": true, "unsigned_restrictions": restrictions});
    acme.upload_config("open").with(unsigned).await;

    let path = format!("/upload/unsigned/{}/open/presign", acme.handle);
    let request = stack.anonymous.request("POST", &path);
    let request = request.header("referer", "https://example.com/");
    let presign = stack.anonymous.send(request.json(&described()));
    let Cost {
        response: pending_file,
        calls,
    } = cost(stack, 201, presign).await;

    // The quota is read, and the transaction counts the presigned uploads of the client.
    let presigned = [
        "BatchGetItem",
        "BatchGetItem",
        "BatchGetItem",
        "GetItem",
        "SendMessageBatch",
        "TransactWriteItems",
        "UpdateItem",
    ];
    assert_eq!(calls, presigned);
    put(&stack.anonymous, &pending_file).await;

    let confirm = confirm_path(&pending_file);
    let token = json!({"confirm_token": pending_file["confirm_token"]});
    let confirmation = stack.anonymous.post(&confirm, token);
    assert_eq!(
        cost(stack, 200, confirmation).await.calls,
        ANONYMOUS_CONFIRM_CALLS
    );
    stack.run_confirm_checks().await;
}

/// Presigns the photo and sends it, with a key or without, and returns the calls of its checks until it is active.
async fn check_calls(stack: &Stack, presign: impl Future<Output = Response>) -> String {
    let pending_file = presign.await.expect_status(201).json();
    put(&stack.anonymous, &pending_file).await;

    let calls = stack.calls_of(stack.run_confirm_checks()).await.calls;
    let of_checks = calls
        .iter()
        .filter_map(|call| call.strip_prefix("confirm-check "));
    totals(of_checks)
}

#[stack_test]
async fn confirm_checks_stay_within_call_budget(stack: &Stack) {
    let acme = warm(stack).await;
    let unsigned = UnsignedConfig::new(stack, &acme, "open", json!({})).await;
    let mut body = described();
    body["space"] = json!(acme.handle);

    let with_key = check_calls(stack, acme.post("/upload/presign", body)).await;
    let without_key = check_calls(stack, unsigned.presign(json!({}))).await;

    let activation = "CopyObject, 8 DeleteMessageBatch, 2 GetItem, GetObject, 8 SendMessageBatch, TransactWriteItems";
    assert_eq!(with_key, format!("8 BatchGetItem, {activation}"));
    // The last one also reads the quota.
    assert_eq!(without_key, format!("9 BatchGetItem, {activation}"));
}
