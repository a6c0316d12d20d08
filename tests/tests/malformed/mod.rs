//! Malformed input on every route returns 4xx with the standard body, and writes nothing.

mod bodies;
mod fields;
mod foreign_ids;
mod forms;
mod ids_and_queries;

use tests::Response;

/// Asserts that a response is a 4xx with the standard body, with field errors only for 422.
#[track_caller]
fn assert_rejected(response: Response, input: &str) {
    let input: String = input.chars().take(200).collect();
    assert!(
        (400..500).contains(&response.status),
        "{}: {} {:?} for {input}",
        response.request,
        response.status,
        response.body
    );

    let status = response.status;
    let message = response.json()["message"].clone();
    let errors = response.expect_error(status);
    let fields = errors.as_object().map_or(0, serde_json::Map::len);

    assert_eq!(fields > 0, status == 422, "{message} {errors} for {input}");
}
