//! Ids in paths, and parameters of queries, that are none.

use serde_json::json;
use tests::{Stack, StackOptions, stack_test};

use super::assert_refused;
use crate::routes::fixture::{ROUTES, Route, RouteFixture};

/// What stands where an id should, percent-encoded.
const NO_IDS: [&str; 22] = [
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

/// The addresses of a route with each of its ids in turn replaced by none, and spelled as it is
/// not.
fn wrong_addresses(fixture: &RouteFixture, route: &Route) -> Vec<String> {
    let mut ids = Vec::new();
    if route.path.contains("{id}") {
        ids.push(fixture.id(route));
    }

    if route.path.contains("{keyId}") {
        ids.push(fixture.key.to_string());
    }

    if route.path.contains("{fileId}") {
        ids.push(fixture.file());
    }

    let address = fixture.path(route);
    let mut wrong = Vec::new();
    for id in ids {
        let around = [
            format!("+{id}"),
            format!("0{id}"),
            format!("{id}%20"),
            format!("%00{id}"),
            format!("{id}.0"),
        ];

        for no_id in NO_IDS
            .map(str::to_owned)
            .into_iter()
            .chain(around)
            .chain(["9".repeat(4_000)])
        {
            // From the right: digits of a number stand in other ids as well.
            let (before, after) = address.rsplit_once(&id).expect("the id is in the address");
            wrong.push(format!("{before}{no_id}{after}"));
        }
    }

    wrong
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn malformed_id_returns_404(stack: &Stack) {
    let fixture = RouteFixture::new(stack, "Acme").await;
    for route in ROUTES.iter() {
        let before = stack.dump().await;
        for client in [&stack.account(), &fixture.tenant.client] {
            for address in wrong_addresses(&fixture, route) {
                let request = client.request(route.method, &address);
                let response = match fixture.body(route) {
                    Some(body) => client.send(request.json(&body)).await,
                    None => client.send(request).await,
                };

                // An account's keys are nobody's business but an account key's.
                if route.path.starts_with("/account") && response.status == 403 {
                    continue;
                }

                let status = if address.contains("%FF") { 400 } else { 404 };
                assert_eq!(
                    response.expect_error(status),
                    json!({}),
                    "{} {address}",
                    route.method
                );
            }
        }

        stack.dump().await.assert_unchanged(&before, route.path);
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn invalid_query_parameter_returns_422(stack: &Stack) {
    let fixture = RouteFixture::new(stack, "Acme").await;
    let long = format!("cursor={}", "A".repeat(4_000));
    let queries = [
        ("limit", "limit=0"),
        ("limit", "limit=-1"),
        ("limit", "limit=101"),
        ("limit", "limit=1.5"),
        ("limit", "limit=1e1"),
        ("limit", "limit=0x10"),
        ("limit", "limit=NaN"),
        ("limit", "limit=%00"),
        ("limit", "limit=%FF"),
        ("limit", "limit=%F0%9F%9A%80"),
        ("limit", "limit=99999999999999999999999"),
        ("limit", "limit=5&limit=0"),
        ("limit", "limit=0&limit=5"),
        ("cursor", "cursor=x"),
        ("cursor", "cursor=%00"),
        ("cursor", "cursor=%FF"),
        ("cursor", "cursor=null"),
        ("cursor", "cursor=eyJpZCI6MX0"),
        ("cursor", long.as_str()),
    ];

    for route in ROUTES.iter().filter(|route| route.method == "GET") {
        let address = fixture.path(route);
        let lists = [
            "spaces",
            "api-keys",
            "upload-configs",
            "all",
            "files",
            "folders",
        ];
        let is_list = route
            .path
            .rsplit('/')
            .next()
            .is_some_and(|last| lists.contains(&last));
        let separator = if address.contains('?') { '&' } else { '?' };

        for (field, query) in queries {
            let response = stack
                .account()
                .get(&format!("{address}{separator}{query}"))
                .await;

            if is_list {
                let errors = response.expect_error(422);
                assert_eq!(
                    errors.as_object().map(serde_json::Map::len),
                    Some(1),
                    "{query} {errors}"
                );
                assert!(errors[field].is_array(), "{query} {errors}");
            } else {
                response.expect_status(200);
            }
        }

        let many: Vec<String> = (0..500).map(|index| format!("a{index}=b")).collect();
        for ignored in [
            "",
            "limit=",
            "cursor=&limit=%20",
            "%00=%FF&&&==",
            "limit%5B%5D=x",
            &many.join("&"),
        ] {
            stack
                .account()
                .get(&format!("{address}{separator}{ignored}"))
                .await
                .expect_status(200);
        }
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn delete_with_invalid_query_deletes_nothing(stack: &Stack) {
    let fixture = RouteFixture::new(stack, "Acme").await;
    let empty = stack.space("Empty").await;
    let before = stack.dump().await;
    let id = &empty.id;

    for query in [
        String::new(),
        "id=".to_owned(),
        "id=%20".to_owned(),
        "id".to_owned(),
        "force=true".to_owned(),
        format!("ID={id}"),
        format!("id%5B%5D={id}"),
        format!("id={id}&force=maybe"),
        format!("id={id}&force=yes&force=true"),
        format!("id={id}&force=%FF"),
        format!("id={id}&force=TRUE"),
        format!("id={id}&id={id}"),
        format!("id={id}&id=&force=true"),
        format!("id={}&id={id}&force=true", fixture.tenant.id),
    ] {
        let errors = stack
            .account()
            .delete(&format!("/spaces?{query}"))
            .await
            .expect_error(422);
        assert!(
            errors["id"].is_array() || errors["force"].is_array(),
            "{query}"
        );
    }

    for no_id in NO_IDS {
        for client in [&stack.account(), &empty.client, &fixture.tenant.client] {
            assert_refused(client.delete(&format!("/spaces?id={no_id}")).await, no_id);
            assert_refused(
                client
                    .delete(&format!("/spaces?id={no_id}&force=true"))
                    .await,
                no_id,
            );
        }
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "wrong deletions");
}
