//! Compares every response with `openapi.json`: an undescribed status fails the test.

use std::{collections::BTreeMap, sync::LazyLock};

use http_api::describe::API_PREFIX;
use serde_json::Value;

use crate::Response;

/// The API description. `routes::declarations` checks that it matches the endpoints.
const DOCUMENT: &str = include_str!("../../openapi.json");
/// Media type of all described bodies.
const JSON: &str = "application/json";

static PATHS: LazyLock<Vec<DescribedPath>> = LazyLock::new(read);

/// A described path, and the responses of its endpoints by method.
struct DescribedPath {
    path: String,
    endpoints: BTreeMap<String, Responses>,
}

/// Whether the response of a status has a body.
type Responses = BTreeMap<u16, bool>;

/// Panics if an endpoint's response has a status that is not described, or a JSON body where none
/// is described, or none where one is. schemathesis compares bodies with their schemas.
#[track_caller]
pub(crate) fn assert_described(method: &str, path: &str, response: &Response) {
    let described_method = if method == "HEAD" {
        "get".to_owned()
    } else {
        method.to_lowercase()
    };
    let Some(path) = path.strip_prefix(API_PREFIX) else {
        return;
    };
    let matching = PATHS.iter().filter(|described| described.matches(path));
    // `/files/by-ref` is more specific than `/files/{id}`.
    let most_specific = matching.min_by_key(|described| described.path.matches('{').count());
    let responses = most_specific.and_then(|described| described.endpoints.get(&described_method));
    let Some(responses) = responses else { return };

    let Response {
        request, status, ..
    } = response;
    let has_body = responses
        .get(status)
        .unwrap_or_else(|| panic!("{request}: openapi.json does not describe {status}"));
    let content_type = if *has_body { JSON } else { "" };
    assert_eq!(
        response.header("content-type"),
        content_type,
        "{request}: {status}"
    );
    assert_eq!(
        !response.body.is_empty(),
        *has_body && method != "HEAD",
        "{request}: {status}: {:?}",
        response.body
    );
}

impl DescribedPath {
    /// Returns whether a percent-encoded path matches this one.
    fn matches(&self, path: &str) -> bool {
        let is_same = |(part, given): (&str, &str)| {
            part == given || (part.starts_with('{') && !given.is_empty())
        };
        self.path.split('/').count() == path.split('/').count()
            && self.path.split('/').zip(path.split('/')).all(is_same)
    }
}

fn read() -> Vec<DescribedPath> {
    let document: Value = serde_json::from_str(DOCUMENT).expect("openapi.json is JSON");
    let has_body = |response: &Value| {
        let reference = response["$ref"]
            .as_str()
            .and_then(|reference| reference.strip_prefix('#'));
        let response = reference
            .and_then(|pointer| document.pointer(pointer))
            .unwrap_or(response);
        !response["content"][JSON].is_null()
    };
    let responses = |endpoint: &Value| -> Responses {
        let responses = endpoint["responses"].as_object().expect("responses").iter();
        responses
            .map(|(status, response)| (status.parse().expect("a status"), has_body(response)))
            .collect()
    };

    let paths = document["paths"]
        .as_object()
        .expect("paths")
        .iter()
        .map(|(path, endpoints)| {
            let endpoints = endpoints.as_object().expect("endpoints").iter();
            let endpoints = endpoints
                .map(|(method, endpoint)| (method.clone(), responses(endpoint)))
                .collect();
            DescribedPath {
                path: path.clone(),
                endpoints,
            }
        });
    paths.collect()
}
