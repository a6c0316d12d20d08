//! The number of AWS calls of each upload route.

use reqwest::{RequestBuilder, multipart::Form};
use serde_json::{Value, json};
use tests::{Client, PHOTO, Response, Stack, TestSpace, file, form, stack_test, text};

use super::{Budget, totals};
use crate::{
    support::signer::declared_photo,
    uploads::{presign::presign_body, unsigned::UnsignedConfig},
};

/// Calls of a presign request. The space is read again after the file is pending.
const PRESIGN_CALLS: &str = "2 BatchGetItem, SendMessageBatch, TransactWriteItems";
/// Calls of a confirmation without a key. The second batch reads the key that signed the URL, or
/// before the bytes are copied the quota, which the transaction counts.
const ANONYMOUS_CONFIRM_CALLS: &str = "2 BatchGetItem, CopyObject, 3 GetItem, GetObject, SendMessageBatch, \
                                       TransactWriteItems, UpdateItem";
/// Calls of an upload without a key. The space is read again after the file is stored.
const ANONYMOUS_CALLS: &str =
    "2 BatchGetItem, PutObject, SendMessageBatch, TransactWriteItems, UpdateItem";
/// `Referer` of unsigned uploads.
const REFERRER: &str = "https://example.com/";

/// Uploads once, since recording the first use of a key in a minute takes more writes.
async fn warm(acme: &TestSpace) {
    acme.upload(PHOTO).await;
}

fn photo() -> Form {
    Form::new().part("file", file("photo.jpg", "image/jpeg", PHOTO))
}

/// Sends the photo to the URL of a pending file.
async fn put(client: &Client, presigned: &Value) {
    let request = client.request("PUT", &text(&presigned["upload_url"]));
    let request = request.header("content-type", "image/jpeg").body(PHOTO);
    client.send(request).await.expect_status(200);
}

/// Returns a confirmation of a pending file with a key, or else with its token.
fn confirmation(client: &Client, pending: &Value) -> RequestBuilder {
    let path = format!("/upload/confirm/{}", text(&pending["file_id"]));
    let request = client.request("POST", &path);
    if client.key.is_some() {
        return request;
    }
    request.json(&json!({"confirm_token": pending["confirm_token"]}))
}

#[stack_test]
async fn presigned_uploads_stay_within_call_budget(stack: &Stack, acme: &TestSpace) {
    warm(acme).await;
    let budget = Budget::of(stack, "uploads", &acme.client);
    let mut body = presign_body(acme, json!({}));
    let presigned = budget.create("/upload/presign", body.clone(), PRESIGN_CALLS);
    let pending = presigned.await.json();
    let confirm = || confirmation(&acme.client, &pending);

    budget
        .send(409, confirm(), "2 BatchGetItem, CopyObject")
        .await;
    put(&stack.anonymous, &pending).await;
    // One read is that of the upload config, whose rules at this moment determine what follows.
    let activation =
        "BatchGetItem, CopyObject, 2 GetItem, GetObject, SendMessageBatch, TransactWriteItems";
    budget.send(200, confirm(), activation).await;
    budget.send(200, confirm(), "BatchGetItem").await;

    let settings = json!({"transformations": {"strip_metadata": true}});
    acme.upload_config("stripped").with_settings(settings).await;
    body["upload_config"] = json!("stripped");
    let pending = acme.post("/upload/presign", body).await;
    let pending = pending.expect_status(201).json();
    put(&stack.anonymous, &pending).await;
    // An image with rules is read once as a whole, and stored.
    let stripping =
        "BatchGetItem, 2 GetItem, GetObject, PutObject, SendMessageBatch, TransactWriteItems";
    let confirm = confirmation(&acme.client, &pending);
    budget.send(200, confirm, stripping).await;
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn replacements_stay_within_call_budget(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    let budget = Budget::of(stack, "uploads", &acme.client);

    // Beside the processing, a job is sent that deletes the old bytes.
    let path = format!("{}/content", file.path());
    let replaced = "BatchGetItem, GetItem, PutObject, 2 SendMessageBatch, TransactWriteItems";
    let request = acme.request("PUT", &path).multipart(photo());
    budget.send(200, request, replaced).await;

    let body = presign_body(acme, json!({"replaces": file.id}));
    let pending = budget.create("/upload/presign", body, PRESIGN_CALLS).await;
    let pending = pending.json();
    let confirm = || confirmation(&acme.client, &pending);
    let absent = "4 BatchGetItem, GetObject";
    budget.send(409, confirm(), absent).await;
    put(&stack.anonymous, &pending).await;
    // The id is looked for among files first. The file is read, and before the job is sent, whether
    // there are bytes.
    let confirmed =
        "3 BatchGetItem, CopyObject, GetItem, 2 GetObject, 2 SendMessageBatch, TransactWriteItems";
    budget.send(200, confirm(), confirmed).await;
    budget.send(200, confirm(), "3 BatchGetItem").await;
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn upload_of_text_sends_no_message(stack: &Stack, acme: &TestSpace) {
    warm(acme).await;
    let form = form(&acme.handle, "a.txt", "text/plain", "Hello");
    let upload = acme.request("POST", "/upload").multipart(form);
    let budget = Budget::of(stack, "uploads", &acme.client);

    let calls = "2 BatchGetItem, PutObject, TransactWriteItems";
    let uploaded = budget.send(201, upload, calls).await;

    let status = &uploaded.json()["data"]["processing"]["status"];
    assert_eq!(status, "completed");
}

#[stack_test]
async fn anonymous_uploads_stay_within_call_budget(stack: &Stack, acme: &TestSpace) {
    warm(acme).await;
    let space = acme.get_ok(&acme.path()).await;
    let config = text(&space["active_upload_config_id"]);
    let by_key = Budget::of(stack, "uploads", &acme.client);
    let anonymous = &stack.anonymous;
    let budget = Budget::of(stack, "uploads", anonymous);

    let path = "/upload/generate-signed-url";
    let generate = acme.request("POST", path);
    let generate = generate.json(&json!({ "upload_config_id": config }));
    let signed = by_key.send(200, generate, "BatchGetItem").await.expect_ok();

    let url = text(&signed["url"]);
    let form = photo()
        .text("space_id", acme.id.clone())
        .text("upload_config_id", config);
    let upload = anonymous.request("POST", &url).multipart(form);
    budget.send(201, upload, ANONYMOUS_CALLS).await;
    let tampered = url.replace("expires=", "expires=1");
    let upload = anonymous.request("POST", &tampered).multipart(photo());
    budget.send(403, upload, "BatchGetItem").await;

    let presign = anonymous.request("POST", &text(&signed["presign_url"]));
    let presigned = "2 BatchGetItem, SendMessageBatch, TransactWriteItems, UpdateItem";
    let pending = budget
        .send(201, presign.json(&declared_photo()), presigned)
        .await
        .json();
    put(anonymous, &pending).await;
    let confirm = confirmation(anonymous, &pending);
    budget.send(200, confirm, ANONYMOUS_CONFIRM_CALLS).await;
    stack.run_confirm_checks().await;
}

/// Creates a config for unsigned uploads with these restrictions, and returns the path of its
/// uploads.
async fn unsigned(acme: &TestSpace, name: &str, max_uploads_per_hour: Value) -> String {
    let mut restrictions = json!({"allowed_referrers": ["example.com"], "require_https": true});
    if !max_uploads_per_hour.is_null() {
        restrictions["max_uploads_per_hour"] = max_uploads_per_hour;
    }
    let fields = json!({"allow_unsigned": true, "unsigned_restrictions": restrictions});
    acme.upload_config(name).with(fields).await;
    format!("/upload/unsigned/{}/{name}", acme.handle)
}

#[stack_test]
async fn unsigned_uploads_stay_within_call_budget(stack: &Stack, acme: &TestSpace) {
    warm(acme).await;
    let limited = unsigned(acme, "open", json!(1)).await;
    let bare = unsigned(acme, "bare", Value::Null).await;
    let anonymous = &stack.anonymous;
    let budget = Budget::of(stack, "uploads", anonymous);
    let upload = |path: &str, referrer: &str| {
        let request = anonymous.request("POST", path);
        request.header("referer", referrer).multipart(photo())
    };

    // The id of the space, the space with the config, the uploads of this hour, and the space
    // again.
    let stored =
        "3 BatchGetItem, GetItem, PutObject, SendMessageBatch, TransactWriteItems, UpdateItem";
    budget.send(201, upload(&limited, REFERRER), stored).await;
    let foreign = upload(&limited, "https://example.org/");
    let rejected = "BatchGetItem, GetItem, UpdateItem";
    budget.send(403, foreign, rejected).await;
    // Above the hourly limit nothing is read, transformed or stored.
    let exceeded = "2 BatchGetItem, GetItem, UpdateItem";
    budget.send(429, upload(&limited, REFERRER), exceeded).await;
    // A config without a limit has that of the deployment.
    budget.send(201, upload(&bare, REFERRER), stored).await;
}

#[stack_test]
async fn unsigned_presigned_uploads_stay_within_call_budget(stack: &Stack, acme: &TestSpace) {
    warm(acme).await;
    let path = unsigned(acme, "open", Value::Null).await;
    let anonymous = &stack.anonymous;
    let budget = Budget::of(stack, "uploads", anonymous);

    // The quota is read, and the transaction counts the presigned uploads of the client.
    let calls = "3 BatchGetItem, GetItem, SendMessageBatch, TransactWriteItems, UpdateItem";
    let presign = anonymous.request("POST", &format!("{path}/presign"));
    let presign = presign.header("referer", REFERRER).json(&declared_photo());
    let pending = budget.send(201, presign, calls).await.json();
    put(anonymous, &pending).await;
    let confirm = confirmation(anonymous, &pending);
    budget.send(200, confirm, ANONYMOUS_CONFIRM_CALLS).await;
    stack.run_confirm_checks().await;
}

/// Presigns the photo and sends it, and returns the calls of its checks until it is active.
async fn check_calls(stack: &Stack, presign: impl Future<Output = Response>) -> String {
    let pending = presign.await.expect_status(201).json();
    put(&stack.anonymous, &pending).await;

    let calls = stack.calls_of(stack.run_confirm_checks()).await.calls;
    let of_checks = calls
        .iter()
        .filter_map(|call| call.strip_prefix("confirm-check "));
    totals(of_checks)
}

#[stack_test]
async fn confirm_checks_stay_within_call_budget(stack: &Stack, acme: &TestSpace) {
    warm(acme).await;
    let unsigned = UnsignedConfig::new(stack, acme, "open", json!({})).await;

    let with_key = check_calls(
        stack,
        acme.post("/upload/presign", presign_body(acme, json!({}))),
    )
    .await;
    let without_key = check_calls(stack, unsigned.presign(json!({}))).await;

    let activation = "CopyObject, 8 DeleteMessageBatch, 2 GetItem, GetObject, 8 SendMessageBatch, TransactWriteItems";
    assert_eq!(with_key, format!("8 BatchGetItem, {activation}"));
    // The last one also reads the quota.
    assert_eq!(without_key, format!("9 BatchGetItem, {activation}"));
}
