//! Every route against input that is wrong in every way that its fields can be: never a 5xx, always
//! the standard body, and nothing is written.

mod bodies;
mod fields;
mod foreign_ids;
mod forms;
mod ids_and_queries;

use tests::Response;

/// Demands a refusal in the standard body, one of the client's own fault.
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
    let named = errors.as_object().map_or(0, serde_json::Map::len);

    assert_eq!(named > 0, status == 422, "{message} {errors} for {input}");
}
