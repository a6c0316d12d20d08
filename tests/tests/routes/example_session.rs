//! Sends requests, and records them with their responses.

use std::collections::BTreeMap;

use http_api::{Endpoint, openapi::ValueForms};
use reqwest::multipart::Form;
use serde_json::{Map, Value, json};
use tests::{Client, PHOTO, Stack, file};

/// Referrer of unsigned uploads.
const REFERRER: &str = "https://blog.example.com/guests";

/// Sends requests and records them.
pub(super) struct Session {
    pub(super) client: Client,
    pub(super) endpoints: BTreeMap<&'static str, Endpoint>,
    pub(super) examples: Map<String, Value>,
}

/// A request of an operation.
struct Example<'a> {
    id: &'a str,
    /// Path below the prefix, or a complete URL.
    path: String,
    body: Value,
    form: Option<Form>,
}

impl Session {
    pub(super) fn new(stack: &Stack) -> Session {
        let operations = openapi::api(ValueForms::Canonical).operations;
        let endpoints = operations.into_iter().map(|operation| operation.endpoint);
        Session {
            client: stack.account(),
            endpoints: endpoints.map(|endpoint| (endpoint.id, endpoint)).collect(),
            examples: Map::new(),
        }
    }

    /// Sends a request without a body.
    pub(super) async fn call(&mut self, id: &str, path: &str) -> Value {
        self.send(id, path, Value::Null).await
    }

    /// Sends a JSON body, unless it is null, and returns the body of the response.
    pub(super) async fn send(&mut self, id: &str, path: &str, body: Value) -> Value {
        let path = path.to_owned();
        let example = Example {
            id,
            path,
            body,
            form: None,
        };
        self.record(example).await
    }

    /// Sends a form with a photo.
    pub(super) async fn upload(&mut self, id: &str, path: &str, form: Form) -> Value {
        let part = file("harbour.jpg", "image/jpeg", PHOTO);
        let path = path.to_owned();
        let form = Some(form.part("file", part));
        let example = Example {
            id,
            path,
            body: Value::Null,
            form,
        };
        self.record(example).await
    }

    async fn record(&mut self, example: Example<'_>) -> Value {
        let Example {
            id,
            path,
            body,
            form,
        } = example;
        let method = self.endpoints[id].method;
        let request = self
            .client
            .request(method, &path)
            .header("referer", REFERRER);
        let request = match form {
            Some(form) => request.multipart(form),
            None if body.is_null() => request,
            None => request.json(&body),
        };

        let response = self.client.send(request).await;
        assert!((200..300).contains(&response.status), "{id}: {response:?}");
        let answer = serde_json::from_slice(&response.body).unwrap_or_default();
        let example = json!({"request": body, "status": response.status, "response": answer});
        let earlier = self.examples.insert(id.to_owned(), example);
        assert!(earlier.is_none(), "{id} is recorded twice");
        answer
    }
}
