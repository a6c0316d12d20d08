//! HTTP that no client sends, to the API and to the CDN: each request is rejected or its connection
//! closed, and later requests work.

mod bodies;
mod heads;
mod program;

use serde_json::json;
use tests::{Client, PHOTO, RawConnection, Response, Stack, authority, form};

/// Outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// A response with this status, below 400.
    Answered(u16),
    /// An error with this status and the standard body.
    Rejected(u16),
    /// An error without a body, and the connection is closed. If the listener did not read all
    /// bytes, the client may only see the end of the connection.
    Unheard,
}
use Outcome::{Answered, Rejected, Unheard};

impl Outcome {
    #[track_caller]
    fn of(response: Option<Response>) -> Outcome {
        let Some(response) = response else {
            return Unheard;
        };
        let status = response.status;

        if response.body.is_empty()
            && matches!(status, 400 | 414 | 431)
            && response.header("connection") == "close"
        {
            return Unheard;
        }

        if status < 400 {
            return Answered(status);
        }

        response.expect_error(status);

        Rejected(status)
    }
}

/// A request and its expected outcome.
type Row = (Vec<u8>, Outcome);

/// Returns a number of headers with this value.
fn numbered(count: usize, value: &str) -> String {
    let lines: Vec<String> = (0..count)
        .map(|number| format!("x-{number}: {value}\r\n"))
        .collect();
    lines.concat()
}

/// One of the two listeners, and a path that responds with 200.
struct Target {
    url: String,
    path: String,
    key: String,
    is_api: bool,
}

impl Target {
    /// Returns both listeners of a stack, with a space and a file.
    async fn of(account: &Client, api_url: &str, cdn_url: &str) -> [Target; 2] {
        let space = account.create("/spaces", json!({"name": "Acme"})).await;
        let id = space["id"].as_str().expect("an id");
        let handle = space["handle"].as_str().expect("a handle");
        let record = account
            .upload_form(form(handle, "photo.jpg", "image/jpeg", PHOTO))
            .await
            .expect_created();
        let path = format!("/{}", record["storage_path"].as_str().expect("a path"));
        let key = account.key.clone().expect("a key");

        [
            Target {
                url: api_url.to_owned(),
                path: format!("/api/v1/spaces/{id}"),
                key: key.clone(),
                is_api: true,
            },
            Target {
                url: cdn_url.to_owned(),
                path,
                key,
                is_api: false,
            },
        ]
    }

    async fn of_stack(stack: &Stack) -> [Target; 2] {
        Target::of(
            &stack.account(),
            stack.local.api_url(),
            stack.local.cdn_url(),
        )
        .await
    }

    fn host(&self) -> &str {
        authority(&self.url)
    }

    /// Returns a request with a key, more header lines and a body.
    fn request(&self, method: &str, target: &str, lines: &str, body: &str) -> Vec<u8> {
        let host = self.host();
        let key = &self.key;
        format!("{method} {target} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {key}\r\n{lines}\r\n{body}").into()
    }

    fn get(&self, lines: &str) -> Vec<u8> {
        self.request("GET", &self.path, lines, "")
    }

    /// Returns the value for the API or for the CDN.
    fn either<T>(&self, api: T, cdn: T) -> T {
        if self.is_api { api } else { cdn }
    }

    /// Asserts the outcome of each request, and that the listener works after it.
    async fn check(&self, rows: Vec<Row>) {
        for (request, expected) in rows {
            let shown = request[..request.len().min(200)].escape_ascii().to_string();
            assert_eq!(
                Outcome::of(RawConnection::request(&self.url, &request).await),
                expected,
                "{}: {shown}",
                self.url
            );
            self.is_well().await;
        }
    }

    async fn is_well(&self) {
        assert_eq!(
            Outcome::of(RawConnection::request(&self.url, self.get("")).await),
            Answered(200),
            "{}",
            self.url
        );
    }
}
