//! An HTTP client of the API and the CDN.

use std::net::{IpAddr, Ipv4Addr};

use reqwest::{
    Method, RequestBuilder,
    multipart::{Form, Part},
};
use serde_json::Value;

use crate::{Response, contract};

/// Sends requests to the API and the CDN, with or without a key.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    api_url: String,
    /// API key, sent as a bearer token.
    pub key: Option<String>,
}

impl Client {
    /// Creates a client without a key. It does not follow redirects.
    pub fn new(api_url: &str) -> Client {
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .build();
        Client {
            http: http.expect("a valid client configuration"),
            api_url: api_url.to_owned(),
            key: None,
        }
    }

    /// Returns a client without a key, whose requests come from an address of the loopback network.
    #[must_use]
    pub fn at_address(&self, address: Ipv4Addr) -> Client {
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .local_address(IpAddr::V4(address))
            .build();
        Client {
            http: http.expect("a valid client configuration"),
            api_url: self.api_url.clone(),
            key: None,
        }
    }

    /// Returns the same client with another key.
    #[must_use]
    pub fn with_key(&self, key: &str) -> Client {
        Client {
            key: Some(key.to_owned()),
            ..self.clone()
        }
    }

    /// Builds a request to a path of the API, or to an absolute URL.
    pub fn request(&self, method: &str, url: &str) -> RequestBuilder {
        let method = Method::from_bytes(method.as_bytes()).expect("a valid method");
        let url = if url.starts_with("http") {
            url.to_owned()
        } else {
            format!("{}{url}", self.api_url)
        };
        let request = self.http.request(method, url);
        match &self.key {
            Some(key) => request.bearer_auth(key),
            None => request,
        }
    }

    /// Sends a request and returns the response with its whole body.
    ///
    /// Panics if `openapi.json` does not describe the response.
    pub async fn send(&self, request: RequestBuilder) -> Response {
        let request = request.build().expect("a valid request");
        let method = request.method().clone();
        let path = request.url().path().to_owned();
        let description = format!("{} {}", request.method(), request.url());

        let received = self
            .http
            .execute(request)
            .await
            .unwrap_or_else(|error| panic!("{description}: {error:?}"));
        let status = received.status().as_u16();
        let headers = received.headers().clone();
        let body = received
            .bytes()
            .await
            .unwrap_or_else(|error| panic!("{description}: {error:?}"));

        let response = Response {
            request: description,
            status,
            headers,
            body,
        };
        contract::assert_described(method.as_str(), &path, &response);
        response
    }

    pub async fn get(&self, path: &str) -> Response {
        self.send(self.request("GET", path)).await
    }

    /// Sends a `GET` with headers.
    pub async fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Response {
        let request = headers
            .iter()
            .fold(self.request("GET", path), |request, (name, value)| {
                request.header(*name, *value)
            });
        self.send(request).await
    }

    pub async fn head(&self, path: &str) -> Response {
        self.send(self.request("HEAD", path)).await
    }

    pub async fn delete(&self, path: &str) -> Response {
        self.send(self.request("DELETE", path)).await
    }

    /// Sends a `POST` with a JSON body.
    pub async fn post(&self, path: &str, body: Value) -> Response {
        self.send(self.request("POST", path).json(&body)).await
    }

    /// Sends a `PUT` with a JSON body.
    pub async fn put(&self, path: &str, body: Value) -> Response {
        self.send(self.request("PUT", path).json(&body)).await
    }

    /// Sends a form to `POST /upload`.
    pub async fn upload(&self, form: Form) -> Response {
        self.send(self.request("POST", "/upload").multipart(form))
            .await
    }
}

/// Returns an upload form with a space and a file.
pub fn form(handle: &str, name: &str, mime_type: &str, bytes: impl Into<Vec<u8>>) -> Form {
    Form::new()
        .text("space", handle.to_owned())
        .part("file", file(name, mime_type, bytes))
}

/// Returns a file part of an upload form.
pub fn file(name: &str, mime_type: &str, bytes: impl Into<Vec<u8>>) -> Part {
    Part::bytes(bytes.into())
        .file_name(name.to_owned())
        .mime_str(mime_type)
        .expect("a valid MIME type")
}
