//! Requests that name a folder: only a folder of the space is accepted.

use reqwest::multipart::Form;
use serde_json::{Value, json};
use tests::{
    Client, PHOTO, Response, Stack, StackOptions, TestSpace, UNKNOWN_ID, field_error, file, merged,
    stack_test, text,
};

use crate::uploads::presign::presign_body;

/// A request without the field that names the folder, and this field.
struct Reference {
    method: &'static str,
    path: String,
    /// Null if the query names the folder.
    body: Value,
    field: &'static str,
}

impl Reference {
    async fn send(&self, client: &Client, folder: &str) -> Response {
        let Reference {
            method,
            path,
            body,
            field,
        } = self;
        if body.is_null() {
            let path = format!("{path}&{field}={folder}");
            return client.get(&path).await.with_context(folder);
        }

        let body = merged(body.clone(), json!({ *field: folder }));
        let request = client.request(method, path);
        let request = if path == "/upload" {
            let photo = Form::new().part("file", file("a.jpg", "image/jpeg", PHOTO));
            let fields = body.as_object().expect("an object").iter();
            let add =
                |form: Form, (name, value): (&String, &Value)| form.text(name.clone(), text(value));
            request.multipart(fields.fold(photo, add))
        } else {
            request.json(&body)
        };
        client.send(request).await.with_context(folder)
    }
}

/// Returns all requests that name a folder.
async fn references(acme: &TestSpace, file: &str, folder: &str) -> Vec<Reference> {
    let space = acme.get_ok(&acme.path()).await;
    let config = json!({"upload_config_id": space["active_upload_config_id"]});
    let form = json!({"space": acme.handle});
    let presign = presign_body(acme, json!({}));
    let folder_path = json!({"folder_path": "a/b"});
    let by_body = json!({"id": file, "folder_path": "a/b", "ref": "x"});
    let new = json!({"name": "New", "space_id": acme.id});
    let by_id = format!("/folders/{folder}");
    let rename = json!({"name": "New"});
    let reference = |method, path: &str, body: &Value, field| Reference {
        method,
        path: path.to_owned(),
        body: body.clone(),
        field,
    };
    let in_space = |path: &str| format!("{path}?space_id={}", acme.id);
    let with_path = |body: &Value| merged(body.clone(), folder_path.clone());

    vec![
        reference("GET", &in_space("/files"), &Value::Null, "folder_id"),
        reference("PUT", &format!("/files/{file}"), &json!({}), "folder_id"),
        reference("PUT", "/files", &by_body, "folder_id"),
        reference("POST", "/upload", &form, "folder_id"),
        reference("POST", "/upload", &with_path(&form), "folder_id"),
        reference("POST", "/upload/presign", &presign, "folder_id"),
        reference("POST", "/upload/presign", &with_path(&presign), "folder_id"),
        reference("POST", "/upload/generate-signed-url", &config, "folder_id"),
        reference("GET", &in_space("/folders"), &Value::Null, "parent_id"),
        reference("POST", "/folders", &new, "parent_id"),
        reference("PUT", &by_id, &rename, "parent_id"),
    ]
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn unknown_foreign_and_deleted_folders_are_rejected_by_every_request(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    let photos = acme.folder("Photos").await;
    let foreign = other.folder("Photos").await.id;
    let deleted = acme.folder("Gone").await;
    acme.delete_ok(deleted.path()).await;
    let file = acme.upload(PHOTO).into(&photos).await.id;
    let references = references(acme, &file, &photos.id).await;
    let before = stack.dump().await;

    let ids = [&acme.id, &foreign, &deleted.id, &file].map(String::as_str);
    let unknown = [UNKNOWN_ID, "x", "Photos", "Photos/", "ROOT/"];

    for reference in &references {
        let invalid = field_error(reference.field, "");
        for folder in unknown.into_iter().chain(ids) {
            for client in [&acme.client, &stack.account()] {
                let response = reference.send(client, folder).await;
                assert_eq!(response.expect_error(422), invalid, "{folder}");
            }
        }
    }

    stack.assert_unchanged(&before, "unknown folders").await;
}

#[stack_test]
async fn unknown_folder_and_invalid_field_are_reported_together(acme: &TestSpace) {
    let file = acme.upload(PHOTO).await.id;
    let errors = merged(
        field_error("folder_id", ""),
        field_error("ref", "must not be greater than 255 characters"),
    );

    for mut upload in references(acme, &file, UNKNOWN_ID).await {
        if ["/upload", "/upload/presign"].contains(&&*upload.path) {
            upload.body["ref"] = json!("x".repeat(256));
            let response = upload.send(acme, UNKNOWN_ID).await;
            assert_eq!(response.expect_error(422), errors, "{}", upload.path);
        }
    }
}
