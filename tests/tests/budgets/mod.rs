//! The number of AWS calls that each request makes.

use std::collections::BTreeMap;

use reqwest::RequestBuilder;
use serde_json::Value;
use tests::{Client, Response, Stack, TestSpace};

pub(crate) mod changes;
pub(crate) mod library;
pub(crate) mod reads;
pub(crate) mod requests;
pub(crate) mod uploads;

/// The call that counts a request of a key that was used in this minute before.
const COUNTED: &str = "UpdateItem";
/// The function that counts no requests.
const UNCOUNTED_FUNCTION: &str = "delivery";

/// Requests of a client to a function, whose AWS calls are asserted. Calls are given by operation,
/// with its number if there are several, and without [`COUNTED`] of a request with a key.
#[derive(Clone, Copy)]
struct Budget<'a> {
    stack: &'a Stack,
    function: &'a str,
    client: &'a Client,
}

impl<'a> Budget<'a> {
    fn of(stack: &'a Stack, function: &'a str, client: &'a Client) -> Budget<'a> {
        Budget {
            stack,
            function,
            client,
        }
    }

    async fn get(&self, path: &str, calls: &str) -> Response {
        self.send(200, self.request("GET", path, &Value::Null), calls)
            .await
    }

    async fn put(&self, path: &str, body: Value, calls: &str) -> Response {
        self.send(200, self.request("PUT", path, &body), calls)
            .await
    }

    async fn reset(&self, path: &str, calls: &str) -> Response {
        self.send(200, self.request("DELETE", path, &Value::Null), calls)
            .await
    }

    async fn delete(&self, path: &str, calls: &str) -> Response {
        self.send(204, self.request("DELETE", path, &Value::Null), calls)
            .await
    }

    async fn create(&self, path: &str, body: Value, calls: &str) -> Response {
        self.send(201, self.request("POST", path, &body), calls)
            .await
    }

    /// Sends a request line, such as `GET /spaces`, with any status.
    async fn line(&self, status: u16, line: &str, body: Value, calls: &str) -> Response {
        let (method, path) = line.split_once(' ').expect("a method and a path");
        self.send(status, self.request(method, path, &body), calls)
            .await
    }

    fn request(&self, method: &str, path: &str, body: &Value) -> RequestBuilder {
        let request = self.client.request(method, path);
        if body.is_null() {
            request
        } else {
            request.json(body)
        }
    }

    /// Sends any request, and asserts status and calls.
    async fn send(&self, status: u16, request: RequestBuilder, calls: &str) -> Response {
        let run = self.stack.calls_of(self.client.send(request)).await;
        let response = run.output.expect_status(status);
        let case = &response.request;
        let own = run.calls.iter().map(|call| {
            let (function, operation) = call.split_once(' ').expect("a function and a call");
            assert_eq!(function, self.function, "{case}: {:?}", run.calls);
            operation
        });

        let mut own: Vec<&str> = own.collect();
        if self.client.key.is_some() && self.function != UNCOUNTED_FUNCTION {
            let counted = own.iter().position(|operation| *operation == COUNTED);
            own.remove(counted.unwrap_or_else(|| panic!("{case} is not counted")));
        }
        assert_eq!(totals(own), calls, "{case}");
        response
    }
}

/// Returns each operation, with its number if there are several.
fn totals<'a>(operations: impl IntoIterator<Item = &'a str>) -> String {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    for operation in operations {
        *numbers.entry(operation).or_default() += 1;
    }

    let reported = |(operation, number): (&str, usize)| match number {
        1 => operation.to_owned(),
        number => format!("{number} {operation}"),
    };
    let reported: Vec<String> = numbers.into_iter().map(reported).collect();
    reported.join(", ")
}

/// Uses each key once, since recording the first use in a minute takes two more writes.
async fn warm(stack: &Stack, acme: &TestSpace) {
    for client in [&acme.client, &stack.account()] {
        client.get_ok(&acme.path()).await;
    }
}
