//! The number of AWS calls that each request makes.

use std::{collections::BTreeMap, fmt};

use reqwest::RequestBuilder;
use serde_json::Value;
use tests::Client;

pub(crate) mod changes;
pub(crate) mod library;
pub(crate) mod reads;
pub(crate) mod requests;
pub(crate) mod uploads;

/// A request with an optional JSON body.
struct ApiRequest<'a> {
    client: &'a Client,
    method: &'static str,
    path: String,
    /// Null for a request without a body.
    body: Value,
}

impl<'a> ApiRequest<'a> {
    fn new(
        client: &'a Client,
        method: &'static str,
        path: impl Into<String>,
        body: Value,
    ) -> ApiRequest<'a> {
        ApiRequest {
            client,
            method,
            path: path.into(),
            body,
        }
    }

    fn build(&self) -> RequestBuilder {
        let request = self.client.request(self.method, &self.path);
        if self.body.is_null() {
            request
        } else {
            request.json(&self.body)
        }
    }
}

/// Returns each operation, with its number if there are several.
fn totals<'a>(operations: impl Iterator<Item = &'a str>) -> String {
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

impl fmt::Display for ApiRequest<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {} {}", self.method, self.path, self.body)
    }
}
