//! A client of the API and the CDN, with or without a key.

use reqwest::{
    Method, RequestBuilder,
    multipart::{Form, Part},
};
use serde_json::Value;

use crate::{Answer, contract};

/// A client.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    api_url: String,
    /// The key it sends, if any.
    pub key: Option<String>,
}

impl Client {
    /// A client of the API at this address, without a key. It follows no redirects.
    pub fn at(api_url: &str) -> Client {
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .build();
        Client {
            http: http.expect("a client"),
            api_url: api_url.to_owned(),
            key: None,
        }
    }

    /// The same client with another key.
    #[must_use]
    pub fn with_key(&self, key: &str) -> Client {
        Client {
            key: Some(key.to_owned()),
            ..self.clone()
        }
    }

    /// A request to a path of the API, or to a whole address.
    pub fn request(&self, method: &str, address: &str) -> RequestBuilder {
        let method = Method::from_bytes(method.as_bytes()).expect("a method");
        let url = if address.starts_with("http") {
            address.to_owned()
        } else {
            format!("{}{address}", self.api_url)
        };
        let request = self.http.request(method, url);
        match &self.key {
            Some(key) => request.bearer_auth(key),
            None => request,
        }
    }

    /// Sends a request and reads the whole answer. Fails the test if it is not as `openapi.json`
    /// describes it.
    pub async fn send(&self, request: RequestBuilder) -> Answer {
        let request = request.build().expect("a request");
        let method = request.method().clone();
        let path = request.url().path().to_owned();
        let asked = format!("{} {}", request.method(), request.url());
        let response = self
            .http
            .execute(request)
            .await
            .unwrap_or_else(|error| panic!("{asked}: {error:?}"));
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = response
            .bytes()
            .await
            .unwrap_or_else(|error| panic!("{asked}: {error:?}"));
        let answer = Answer {
            asked,
            status,
            headers,
            body,
        };
        contract::require_described(method.as_str(), &path, &answer);
        answer
    }

    /// `GET`.
    pub async fn get(&self, address: &str) -> Answer {
        self.send(self.request("GET", address)).await
    }

    /// `GET` with headers.
    pub async fn get_with(&self, address: &str, headers: &[(&str, &str)]) -> Answer {
        let request = headers
            .iter()
            .fold(self.request("GET", address), |request, (name, value)| {
                request.header(*name, *value)
            });
        self.send(request).await
    }

    /// `HEAD`.
    pub async fn head(&self, address: &str) -> Answer {
        self.send(self.request("HEAD", address)).await
    }

    /// `DELETE`.
    pub async fn delete(&self, address: &str) -> Answer {
        self.send(self.request("DELETE", address)).await
    }

    /// `POST` of a JSON body.
    pub async fn post(&self, address: &str, body: Value) -> Answer {
        self.send(self.request("POST", address).json(&body)).await
    }

    /// `PUT` of a JSON body.
    pub async fn put(&self, address: &str, body: Value) -> Answer {
        self.send(self.request("PUT", address).json(&body)).await
    }

    /// Uploads a form.
    pub async fn upload(&self, form: Form) -> Answer {
        self.send(self.request("POST", "/upload").multipart(form))
            .await
    }
}

/// A form with a space and a file.
pub fn form(handle: &str, name: &str, mime_type: &str, bytes: impl Into<Vec<u8>>) -> Form {
    Form::new()
        .text("space", handle.to_owned())
        .part("file", file(name, mime_type, bytes))
}

/// A file of a form.
pub fn file(name: &str, mime_type: &str, bytes: impl Into<Vec<u8>>) -> Part {
    Part::bytes(bytes.into())
        .file_name(name.to_owned())
        .mime_str(mime_type)
        .expect("a type")
}
