//! Requests that no client would send, to the API and to the CDN: each is refused, or its
//! connection closed, and what comes after it is answered as ever.

mod bodies;
mod heads;
mod program;

use serde_json::json;
use tests::{Client, PHOTO, RawConnection, Response, Stack, authority, form};

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// It was answered with this status, below 400.
    Answered(u16),
    /// It was refused with this status, in the standard body.
    Rejected(u16),
    /// The listener did not take it for a request: it said so without a body, and closed the
    /// connection. Where it did not read everything before, the client may see no more than the end
    /// of the connection.
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

/// A request and what has to become of it.
type Row = (Vec<u8>, Outcome);

/// So many headers with this value.
fn numbered(count: usize, value: &str) -> String {
    let lines: Vec<String> = (0..count)
        .map(|number| format!("x-{number}: {value}\r\n"))
        .collect();
    lines.concat()
}

/// One of the two listeners, and an address below it that answers with 200.
struct Target {
    url: String,
    path: String,
    key: String,
    is_api: bool,
}

impl Target {
    /// Both listeners of a stack, with a space and a file of its own.
    async fn of(account: &Client, api_url: &str, cdn_url: &str) -> [Target; 2] {
        let space = account
            .post("/spaces", json!({"name": "Acme"}))
            .await
            .expect_created();
        let (id, handle) = (
            space["id"].as_str().expect("an id"),
            space["handle"].as_str().expect("a handle"),
        );
        let record = account
            .upload(form(handle, "photo.jpg", "image/jpeg", PHOTO))
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
            stack.cloud.api_url(),
            stack.cloud.cdn_url(),
        )
        .await
    }

    fn host(&self) -> &str {
        authority(&self.url)
    }

    /// A request with a key, these further lines of head, and a body.
    fn request(&self, method: &str, target: &str, lines: &str, body: &str) -> Vec<u8> {
        let (host, key) = (self.host(), &self.key);
        format!("{method} {target} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {key}\r\n{lines}\r\n{body}").into()
    }

    fn get(&self, lines: &str) -> Vec<u8> {
        self.request("GET", &self.path, lines, "")
    }

    /// What the API says, or what the CDN says.
    fn either<T>(&self, api: T, cdn: T) -> T {
        if self.is_api { api } else { cdn }
    }

    /// Demands what has to become of each request, and that the listener answers as ever after it.
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
