//! `POST /upload/presign` and `POST /upload/confirm/:fileId`.

use serde_json::{Value, json};
use tests::{Answer, PHOTO, Stack, Tenant};

/// Announces the photo.
async fn presigned(acme: &Tenant, more: Value) -> Value {
    let mut body = json!({"space": acme.handle, "filename": "photo.jpg", "content_type": "image/jpeg", "size": PHOTO.len()});
    body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    let answer = acme.client.post("/upload/presign", body).await;
    answer.demand(201).json()
}

/// Sends bytes to a presigned address as a plain client does.
async fn put(stack: &Stack, presigned: &Value, bytes: &[u8]) -> Answer {
    let request = stack.anonymous.request("PUT", presigned["upload_url"].as_str().expect("an address"));
    stack.anonymous.send(request.header("content-type", "image/jpeg").body(bytes.to_vec())).await
}

fn confirmation(presigned: &Value) -> String {
    format!("/upload/confirm/{}", presigned["file_id"].as_str().expect("an id"))
}

#[tokio::test]
async fn a_file_is_announced_sent_to_storage_and_confirmed() {
    let stack = Stack::start().await;
    let acme = stack.space("Acme").await;
    let announced = presigned(&acme, json!({"ref": "order 7"})).await;
    let file = format!("/files/{}", announced["file_id"].as_str().expect("an id"));
    assert_eq!(announced["expires_in"], 3600);
    assert_eq!(announced["headers"], json!({"content-type": "image/jpeg"}));
    assert!(announced.get("confirm_token").is_none() && announced.get("data").is_none());
    assert_eq!(acme.client.get(&file).await.ok()["status"], "pending");
    let none = json!("");
    let early = acme.client.post(&confirmation(&announced), none).await;
    assert_eq!(early.refused(409)["file"], json!(["The file field must be uploaded to its URL first."]));

    put(&stack, &announced, PHOTO).await.demand(200);
    let active = acme.client.post(&confirmation(&announced), json!("")).await.ok();
    assert_eq!((&active["status"], &active["mime_type"], &active["ref"]), (&json!("active"), &json!("image/jpeg"), &json!("order 7")));
    assert_eq!(acme.client.get(&file).await.ok(), active);
    let delivered = stack.anonymous.get(active["url"].as_str().expect("an address")).await;
    assert_eq!(delivered.demand(200).body, PHOTO);
    assert_eq!(acme.client.post(&confirmation(&announced), json!("")).await.ok(), active);
    stack.leave().await;
}
