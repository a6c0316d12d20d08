//! Sends requests, and records them with their responses.

use std::collections::BTreeMap;

use http_api::describe::{Endpoint, ValueForms};
use reqwest::{RequestBuilder, multipart::Form};
use serde_json::{Map, Value, json};
use tests::{Client, PHOTO, Stack, file, text};

/// Referrer of unsigned uploads.
const REFERRER: &str = "https://blog.example.com/guests";

/// Sends requests and records them.
pub(super) struct Session {
    pub(super) client: Client,
    /// Requests and responses by operation id.
    pub(super) examples: Map<String, Value>,
    endpoints: BTreeMap<&'static str, Endpoint>,
    /// Values of earlier responses, which requests name in braces.
    values: BTreeMap<String, String>,
}

impl Session {
    pub(super) fn new(stack: &Stack) -> Session {
        let operations = openapi::api(ValueForms::Canonical).operations;
        let endpoints = operations.into_iter().map(|operation| operation.endpoint);
        Session {
            client: stack.account(),
            examples: Map::new(),
            endpoints: endpoints.map(|endpoint| (endpoint.id, endpoint)).collect(),
            values: BTreeMap::new(),
        }
    }

    /// Returns a kept value.
    pub(super) fn value(&self, name: &str) -> String {
        self.values[name].clone()
    }

    /// Keeps a value of a response.
    pub(super) fn keep(&mut self, name: &str, value: &Value) {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        self.values.insert(name.to_owned(), text);
    }

    /// Returns an operation without an example.
    pub(super) fn unrecorded(&self) -> Option<&&'static str> {
        let mut ids = self.endpoints.keys();
        ids.find(|id| !self.examples.contains_key(**id))
    }

    /// Sends requests: operation id, path, body, and names of values to keep with their pointers in
    /// the response. Body and names may be absent.
    pub(super) async fn send_all(&mut self, steps: &Value) {
        for step in steps.as_array().expect("a list") {
            let id = step[0].as_str().expect("an operation id");
            let request = self.request(id, step[1].as_str().expect("a path"));
            let body: Value =
                serde_json::from_str(&self.filled(&step[2].to_string())).expect("JSON");
            let request = if body.is_null() {
                request
            } else {
                request.json(&body)
            };

            let response = self.record(id, request, body).await;
            for (name, pointer) in step[3].as_object().into_iter().flatten() {
                let pointer = pointer.as_str().expect("a pointer");
                self.keep(name, response.pointer(pointer).expect("a value"));
            }
        }
    }

    /// Sends a form with these fields and a photo, and returns the body of the response.
    pub(super) async fn upload(&mut self, id: &str, path: &str, fields: Value) -> Value {
        let mut fields: Value =
            serde_json::from_str(&self.filled(&fields.to_string())).expect("JSON");
        let part = file("harbour.jpg", "image/jpeg", PHOTO);
        let mut form = Form::new().part("file", part);
        for (name, value) in fields.as_object().into_iter().flatten() {
            form = form.text(name.clone(), text(value));
        }

        let request = self.request(id, path).multipart(form);
        fields["file"] = json!("the bytes of harbour.jpg");
        self.record(id, request, fields).await
    }

    fn request(&self, id: &str, path: &str) -> RequestBuilder {
        let method = self.endpoints[id].method;
        let request = self.client.request(method, &self.filled(path));
        request.header("referer", REFERRER)
    }

    /// Replaces the names of values in braces.
    fn filled(&self, text: &str) -> String {
        let replace = |text: String, (name, value): (&String, &String)| {
            text.replace(&format!("{{{name}}}"), value)
        };
        self.values.iter().fold(text.to_owned(), replace)
    }

    async fn record(&mut self, id: &str, request: RequestBuilder, body: Value) -> Value {
        let response = self.client.send(request).await;
        assert!((200..300).contains(&response.status), "{id}: {response:?}");

        let answer: Value = serde_json::from_slice(&response.body).unwrap_or_default();
        let example = json!({"request": body, "status": response.status, "response": answer});
        let earlier = self.examples.insert(id.to_owned(), example);
        assert!(earlier.is_none(), "{id} is recorded twice");
        answer
    }
}
