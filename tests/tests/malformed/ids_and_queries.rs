//! Malformed ids in paths and queries, and invalid query parameters.

use serde_json::json;
use tests::{Response, Stack, StackOptions, stack_test};

use crate::{
    folders::create::assert_only,
    routes::fixture::{ROUTES, Route, RouteFixture},
};
pub(crate) const MALFORMED_IDS: [&str; 22] = [
    "x",
    "-1",
    "1e3",
    "0x10",
    "%00",
    "%FF",
    "%C3%A9",
    "%F0%9F%9A%80",
    "%E2%80%AE",
    "%20",
    "%0A",
    "a%2Fb",
    "%2e%2e%2f",
    "%25",
    "null",
    "'%20OR%201=1",
    "*",
    "{id}",
    "01JCQZ4XK8V9W7Y6T5S4R3Q2P",
    "01JCQZ4XK8V9W7Y6T5S4R3Q2P1X",
    "8ZZZZZZZZZZZZZZZZZZZZZZZZZ",
    "99999999999999999999999999999999",
];

/// Returns the paths of a route with each of its ids in turn replaced by malformed ids and
/// malformed variants of the id.
fn malformed_paths(fixture: &RouteFixture, route: &Route) -> Vec<String> {
    let ids = [
        ("{id}", fixture.id(route)),
        ("{keyId}", fixture.key.to_string()),
        ("{fileId}", fixture.file()),
        ("{deliveryId}", fixture.webhook_message.clone()),
    ];
    let path = fixture.path(route);
    let mut paths = Vec::new();
    let named = |(parameter, _): &(&str, String)| route.path.contains(parameter);
    for (_, id) in ids.into_iter().filter(named) {
        let variants = [
            format!("+{id}"),
            format!("0{id}"),
            format!("{id}%20"),
            format!("%00{id}"),
            format!("{id}.0"),
            "9".repeat(4_000),
        ];
        // The last occurrence: other ids may contain the digits of a number.
        let (before, after) = path.rsplit_once(&id).expect("the id is in the path");
        let malformed = MALFORMED_IDS.map(str::to_owned).into_iter().chain(variants);
        paths.extend(malformed.map(|malformed| format!("{before}{malformed}{after}")));
    }

    paths
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn malformed_id_returns_404(stack: &Stack) {
    let fixture = RouteFixture::new(stack, "Acme").await;
    let before = stack.dump().await;
    for route in ROUTES.iter() {
        for client in [&stack.account(), &fixture.tenant.client] {
            for path in malformed_paths(&fixture, route) {
                let request = client.request(route.method, &path);
                let response = match fixture.body(route) {
                    Some(body) => client.send(request.json(&body)).await,
                    None => client.send(request).await,
                };

                // Space keys cannot access account keys.
                if route.path.starts_with("/account") && response.status == 403 {
                    continue;
                }

                let status = if path.contains("%FF") { 400 } else { 404 };
                assert_eq!(response.expect_error(status), json!({}), "{path}");
            }
        }
    }
    stack.assert_unchanged(&before, "malformed ids").await;
}

/// Invalid values of `limit`.
const INVALID_LIMITS: [&str; 14] = [
    "limit=0",
    "limit=-1",
    "limit=101",
    "limit=%2B5",
    "limit=1.5",
    "limit=1e1",
    "limit=0x10",
    "limit=NaN",
    "limit=%00",
    "limit=%FF",
    "limit=%F0%9F%9A%80",
    "limit=99999999999999999999999",
    "limit=5&limit=0",
    "limit=0&limit=5",
];
/// Invalid values of `cursor`.
const INVALID_CURSORS: [&str; 5] = [
    "cursor=x",
    "cursor=%00",
    "cursor=%FF",
    "cursor=null",
    "cursor=eyJpZCI6MX0",
];

fn is_list(route: &Route) -> bool {
    let lists = [
        "spaces",
        "api-keys",
        "upload-configs",
        "all",
        "files",
        "folders",
        "webhook-deliveries",
    ];
    let last = route.path.rsplit('/').next();
    last.is_some_and(|last| lists.contains(&last))
}

/// Asserts that a list reports an invalid query parameter as the only error, and that other routes
/// ignore it.
#[track_caller]
fn assert_invalid_query(route: &Route, response: Response, field: &str) {
    if !is_list(route) {
        response.expect_status(200);
        return;
    }

    assert_only(&response.expect_error(422), field);
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn invalid_query_parameter_returns_422(stack: &Stack) {
    let fixture = RouteFixture::new(stack, "Acme").await;
    let account = stack.account();
    let long_cursor = format!("cursor={}", "A".repeat(4_000));
    let many: Vec<String> = (0..500).map(|index| format!("a{index}=b")).collect();
    let many = many.join("&");

    for route in ROUTES.iter().filter(|route| route.method == "GET") {
        let path = fixture.path(route);
        let separator = if path.contains('?') { '&' } else { '?' };
        let get = async |query: &str| account.get(&format!("{path}{separator}{query}")).await;

        for query in INVALID_LIMITS {
            assert_invalid_query(route, get(query).await, "limit");
        }
        for query in INVALID_CURSORS.into_iter().chain([long_cursor.as_str()]) {
            assert_invalid_query(route, get(query).await, "cursor");
        }

        for absent in ["", "limit=", "cursor=&limit=%20"] {
            get(absent).await.expect_status(200);
        }
        let status = if is_list(route) { 422 } else { 200 };
        for unknown in ["%00=%FF&&&==", "limit%5B%5D=x", &many] {
            get(unknown).await.expect_status(status);
        }
    }
}
