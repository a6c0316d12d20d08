//! An HTTP client of the API and the CDN.

use std::{
    net::{IpAddr, Ipv4Addr},
    panic::Location,
};

use reqwest::{
    Method, RequestBuilder,
    multipart::{Form, Part},
};
use serde::Serialize;
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
    #[track_caller]
    pub fn send(&self, request: RequestBuilder) -> impl Future<Output = Response> {
        let request = request.build().expect("a valid request");
        let method = request.method().clone();
        let path = request.url().path().to_owned();
        let test = Location::caller();
        let description = format!("{test}: {method} {}", request.url());
        let http = self.http.clone();

        async move {
            let received = async {
                let received = http.execute(request).await?;
                let status = received.status().as_u16();
                let headers = received.headers().clone();
                Ok::<_, reqwest::Error>((status, headers, received.bytes().await?))
            };
            let (status, headers, body) = received
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
    }

    #[track_caller]
    pub fn get(&self, path: &str) -> impl Future<Output = Response> {
        self.send(self.request("GET", path))
    }

    #[track_caller]
    pub fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> impl Future<Output = Response> {
        let add =
            |request: RequestBuilder, (name, value): &(&str, &str)| request.header(*name, *value);
        self.send(headers.iter().fold(self.request("GET", path), add))
    }

    #[track_caller]
    pub fn head(&self, path: &str) -> impl Future<Output = Response> {
        self.send(self.request("HEAD", path))
    }

    #[track_caller]
    pub fn delete(&self, path: &str) -> impl Future<Output = Response> {
        self.send(self.request("DELETE", path))
    }

    #[track_caller]
    pub fn post(&self, path: &str, body: impl Serialize) -> impl Future<Output = Response> {
        self.send(self.request("POST", path).json(&body))
    }

    #[track_caller]
    pub fn put(&self, path: &str, body: impl Serialize) -> impl Future<Output = Response> {
        self.send(self.request("PUT", path).json(&body))
    }

    // `…_ok` expects success (200, of `DELETE` 204), `create` 201, `…_err` the status, and return
    // `data` or `errors` of the body. `fetch` expects 200, and returns the response.

    #[track_caller]
    pub fn get_ok(&self, path: &str) -> impl Future<Output = Value> {
        checked(self.get(path), Response::expect_ok)
    }

    #[track_caller]
    pub fn post_ok(&self, path: &str, body: impl Serialize) -> impl Future<Output = Value> {
        checked(self.post(path, body), Response::expect_ok)
    }

    #[track_caller]
    pub fn put_ok(&self, path: &str, body: impl Serialize) -> impl Future<Output = Value> {
        checked(self.put(path, body), Response::expect_ok)
    }

    #[track_caller]
    pub fn delete_ok(&self, path: &str) -> impl Future<Output = Response> {
        checked(self.delete(path), |response| response.expect_status(204))
    }

    #[track_caller]
    pub fn create(&self, path: &str, body: impl Serialize) -> impl Future<Output = Value> {
        checked(self.post(path, body), Response::expect_created)
    }

    #[track_caller]
    pub fn fetch(&self, url: &str) -> impl Future<Output = Response> {
        checked(self.get(url), |response| response.expect_status(200))
    }

    /// Sends `GET` with headers, and expects a status.
    #[track_caller]
    pub fn fetch_as(
        &self,
        status: u16,
        url: &str,
        headers: &[(&str, &str)],
    ) -> impl Future<Output = Response> {
        checked(self.get_with(url, headers), move |response| {
            response.expect_status(status)
        })
    }

    /// Expects a redirect, and returns its target.
    #[track_caller]
    pub fn redirect(&self, url: &str) -> impl Future<Output = String> {
        checked(self.get(url), |response| {
            let redirect = response.expect_status(307);
            assert_eq!(redirect.header("cache-control"), "no-store");
            redirect.header("location").to_owned()
        })
    }

    #[track_caller]
    pub fn get_err(&self, status: u16, path: &str) -> impl Future<Output = Value> {
        checked(self.get(path), move |response| {
            response.expect_error(status)
        })
    }

    #[track_caller]
    pub fn post_err(
        &self,
        status: u16,
        path: &str,
        body: impl Serialize,
    ) -> impl Future<Output = Value> {
        checked(self.post(path, body), move |response| {
            response.expect_error(status)
        })
    }

    #[track_caller]
    pub fn put_err(
        &self,
        status: u16,
        path: &str,
        body: impl Serialize,
    ) -> impl Future<Output = Value> {
        checked(self.put(path, body), move |response| {
            response.expect_error(status)
        })
    }

    #[track_caller]
    pub fn delete_err(&self, status: u16, path: &str) -> impl Future<Output = Value> {
        checked(self.delete(path), move |response| {
            response.expect_error(status)
        })
    }

    /// Sends a form to `POST /upload`.
    #[track_caller]
    pub fn upload_form(&self, form: Form) -> impl Future<Output = Response> {
        self.send(self.request("POST", "/upload").multipart(form))
    }
}

/// Checks a response once it is received.
async fn checked<T>(sent: impl Future<Output = Response>, check: impl FnOnce(Response) -> T) -> T {
    check(sent.await)
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
