//! Requests that create records, to send with an `Idempotency-Key`.

use reqwest::{RequestBuilder, multipart::Form};
use serde_json::{Value, json};
use tests::{Client, PHOTO, Response, Stack, TestSpace, file};

/// A request that creates a record.
pub(crate) struct Creation {
    client: Client,
    pub(crate) path: String,
    payload: Payload,
}

pub(crate) enum Payload {
    Json(Value),
    /// An upload of the photo in each of these fields.
    Form {
        space: String,
        file_fields: &'static [&'static str],
    },
}

impl Creation {
    pub(crate) fn json(client: &Client, path: &str, body: Value) -> Creation {
        Creation {
            client: client.clone(),
            path: path.to_owned(),
            payload: Payload::Json(body),
        }
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Returns whether the record has a unique name.
    pub(crate) fn has_unique_name(&self) -> bool {
        ["/spaces", "/folders", "/upload-configs"].contains(&self.path.as_str())
    }

    pub(crate) fn upload(
        client: &Client,
        acme: &TestSpace,
        file_fields: &'static [&'static str],
    ) -> Creation {
        let payload = Payload::Form {
            space: acme.handle.clone(),
            file_fields,
        };
        Creation {
            client: client.clone(),
            path: "/upload".to_owned(),
            payload,
        }
    }

    /// Sends the request with an `Idempotency-Key`.
    pub(crate) async fn send(&self, key: &str) -> Response {
        let request = with_idempotency_key(&self.client, &self.path, key);

        self.client
            .send(match &self.payload {
                Payload::Json(body) => request.json(body),
                Payload::Form { space, file_fields } => {
                    let form = Form::new().text("space", space.clone());
                    let with_photo =
                        |form: Form, field: &&str| form.part(field.to_string(), photo());
                    request.multipart(file_fields.iter().fold(form, with_photo))
                }
            })
            .await
    }
}

/// Returns a request for each kind of record. No two have the same caller and route.
pub(crate) fn creations(stack: &Stack, acme: &TestSpace) -> Vec<Creation> {
    let account = &stack.account();
    let named = |name: &str| json!({ "name": name });
    let in_space = |name: &str| json!({"space_id": acme.id, "name": name});
    let key = json!({"name": "Plain Name of a Key", "role": "user"});
    vec![
        Creation::json(account, "/spaces", named("Plain Name of a Space")),
        Creation::json(acme, &keys(acme), key),
        Creation::json(account, "/account/api-keys", named("Plain Name of a Key")),
        Creation::json(acme, "/folders", in_space("Plain Name of a Folder")),
        Creation::json(acme, "/upload-configs", in_space("plain-name")),
        Creation::upload(acme, acme, &["file"]),
        Creation::upload(account, acme, &["files[]", "files[]", "file"]),
    ]
}

/// Returns the path of the keys of a space.
pub(crate) fn keys(acme: &TestSpace) -> String {
    acme.keys_path()
}

pub(crate) fn photo() -> reqwest::multipart::Part {
    file("plain-name.jpg", "image/jpeg", PHOTO)
}

pub(crate) fn with_idempotency_key(client: &Client, path: &str, key: &str) -> RequestBuilder {
    client.request("POST", path).header("idempotency-key", key)
}

/// Asserts that a response is a replay of the first one.
#[track_caller]
pub(crate) fn assert_replay(response: &Response, first: &Response) {
    let replay = response.clone().expect_status(201);
    replay
        .expect_header("idempotent-replayed", "true")
        .expect_header("content-type", first.header("content-type"))
        .expect_body(&first.body);
}

/// Asserts that a response is not a replay, and returns it.
#[track_caller]
pub(crate) fn assert_first(response: Response) -> Response {
    response.expect_header("idempotent-replayed", "");
    response.expect_status(201)
}

#[track_caller]
pub(crate) fn assert_payload_mismatch(response: Response) {
    let message = "The idempotency key field was already used for a request with another payload.";
    let errors = json!({"idempotency_key": [message]});
    assert_eq!(response.expect_error(422), errors);
}
