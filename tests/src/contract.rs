//! The API's description as a contract: an answer with a status that `openapi.json` does not
//! describe fails the test.

use std::{collections::BTreeMap, sync::LazyLock};

use serde_json::Value;

use crate::Answer;

/// The description. A test compares it with the declarations of the endpoints.
const DOCUMENT: &str = include_str!("../../openapi.json");
/// Media type of all bodies that are described.
const JSON: &str = "application/json";

static PATHS: LazyLock<Vec<DescribedPath>> = LazyLock::new(read);

/// A described path and its endpoints by method.
struct DescribedPath {
    path: String,
    endpoints: BTreeMap<String, Responses>,
}

/// Whether a response has a body, by status.
type Responses = BTreeMap<u16, bool>;

/// Fails the test if this is an endpoint's answer and not described: its status, or whether it has
/// a JSON body. schemathesis compares bodies with their schemas.
#[track_caller]
pub(crate) fn require_described(method: &str, path: &str, answer: &Answer) {
    let described_method = if method == "HEAD" {
        "get".to_owned()
    } else {
        method.to_lowercase()
    };
    let matching = PATHS.iter().filter(|described| described.matches(path));
    // `/files/by-ref` says more than `/files/{id}`.
    let most_precise = matching.min_by_key(|described| described.path.matches('{').count());
    let responses = most_precise.and_then(|described| described.endpoints.get(&described_method));
    let Some(responses) = responses else { return };

    let Answer { asked, status, .. } = answer;
    let has_body = responses
        .get(status)
        .unwrap_or_else(|| panic!("{asked}: openapi.json describes no {status}"));
    let content_type = if *has_body { JSON } else { "" };
    assert_eq!(
        answer.header("content-type"),
        content_type,
        "{asked}: {status}"
    );
    assert_eq!(
        !answer.body.is_empty(),
        *has_body && method != "HEAD",
        "{asked}: {status}: {:?}",
        answer.body
    );
}

impl DescribedPath {
    /// Whether a path, still encoded, is this one.
    fn matches(&self, path: &str) -> bool {
        let is_same = |(part, given): (&str, &str)| {
            part == given || (part.starts_with('{') && !given.is_empty())
        };
        self.path.split('/').count() == path.split('/').count()
            && self.path.split('/').zip(path.split('/')).all(is_same)
    }
}

fn read() -> Vec<DescribedPath> {
    let document: Value = serde_json::from_str(DOCUMENT).expect("the description is JSON");
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
