//! Malformed input on every route returns 4xx with the standard body, and writes nothing.

mod bodies;
mod fields;
mod foreign_ids;
mod forms;
pub(crate) mod ids_and_queries;

use reqwest::Body;
use serde_json::Value;
use tests::{Client, Response};

use crate::routes::fixture::{ROUTES, Route, RouteFixture};

/// Asserts that a response is a 4xx with the standard body, with field errors only for 422.
#[track_caller]
fn assert_rejected(response: Response, input: &str) {
    let response = response.with_context(&format!("{input:.200}"));
    let status = response.status;
    let request = response.request.clone();
    assert!((400..500).contains(&status), "{request}: {status}");

    let errors = response.expect_error(status);
    let fields = errors.as_object().map_or(0, serde_json::Map::len);
    assert_eq!(fields > 0, status == 422, "{request}: {errors}");
}

/// Returns the routes that take a body, with a valid one.
fn routes_with_bodies(fixture: &RouteFixture) -> Vec<(&'static Route, Value)> {
    let routes = ROUTES.iter();
    routes
        .filter_map(|route| Some((route, fixture.body(route)?)))
        .collect()
}

/// Sends a body to a route, with a header.
async fn send(
    client: &Client,
    fixture: &RouteFixture,
    route: &Route,
    header: (&str, &str),
    body: impl Into<Body>,
) -> Response {
    let request = client.request(route.method, &fixture.path(route));
    let request = request.header(header.0, header.1);
    client.send(request.body(body)).await
}
