//! Methods of every path, `HEAD`, preflights, and the headers that CORS exposes.

use std::collections::BTreeMap;

use http_api::describe::ValueForms;
use serde_json::json;
use tests::{Client, PHOTO, RawConnection, Stack, TestSpace, stack_test, text};

use super::{
    expected_error::assert_readable,
    fixture::{ROUTES, RouteFixture},
};

/// Methods that are sent to every path.
const METHODS: [&str; 8] = [
    "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND",
];

#[stack_test]
async fn method_not_allowed_lists_methods_of_path(stack: &Stack, acme: &TestSpace) {
    let unknown = stack.anonymous.with_key("nonsense");
    let mut methods_by_path: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for operation in openapi::api(ValueForms::Accepted).operations {
        let methods = methods_by_path.entry(operation.endpoint.path).or_default();
        methods.extend(operation.endpoint.methods());
    }

    for (template, methods) in methods_by_path {
        let path = template.replace("{id}", &acme.id).replace("{keyId}", "1");
        for client in [&stack.anonymous, &acme.client, &unknown] {
            assert_preflight(client, &path, &methods).await;
            assert_other_methods_are_rejected(client, &path, &methods).await;
        }
    }

    for method in ["HEAD", "GET", "PROPFIND"] {
        let request = acme.request(method, "/nowhere");
        let response = acme.send(request).await.expect_status(404);
        assert_eq!(response.header("allow"), "");
    }
}

async fn assert_preflight(client: &Client, path: &str, methods: &[&str]) {
    let allowed = format!("{}, OPTIONS", methods.join(", "));

    let request = client.request("OPTIONS", path);
    let preflight = client.send(request).await.expect_status(204);

    assert!(preflight.body.is_empty());
    for (name, value) in [
        ("allow", allowed.as_str()),
        ("access-control-allow-methods", &allowed),
        ("access-control-allow-headers", "Authorization, *"),
        ("access-control-max-age", "7200"),
    ] {
        preflight.expect_header(name, value);
    }
    assert_readable(&preflight);
}

async fn assert_other_methods_are_rejected(client: &Client, path: &str, methods: &[&str]) {
    let allowed = format!("{}, OPTIONS", methods.join(", "));
    let message = format!("This path supports the methods {allowed}.");

    for method in METHODS {
        if methods.contains(&method) {
            continue;
        }

        let response = client.send(client.request(method, path)).await;

        response.expect_header("allow", &allowed);
        assert_readable(&response);
        if method == "HEAD" {
            assert!(response.expect_status(405).body.is_empty(), "{path}");
            continue;
        }
        assert_eq!(response.json()["message"], message);
        assert_eq!(response.expect_error(405), json!({}));
    }
}

#[stack_test]
async fn preflight_of_any_path_returns_204(stack: &Stack) {
    for path in ["/nowhere", "/spaces/x/y/z", "/", "/%00"] {
        let request = stack.anonymous.request("OPTIONS", path);
        let preflight = stack.anonymous.send(request).await.expect_status(204);

        let methods = preflight.header("access-control-allow-methods");
        assert_eq!(methods, "GET, HEAD, POST, PUT, DELETE, OPTIONS", "{path}");
        assert_readable(&preflight);
    }
}

#[stack_test]
async fn head_returns_the_headers_of_get_without_a_body(stack: &Stack) {
    let fixture = RouteFixture::new(stack, "Acme").await;
    let account = stack.account();
    let viewer = fixture.tenant.role("viewer").await;

    for route in ROUTES.iter().filter(|route| route.method == "GET") {
        let path = fixture.path(route);
        for client in [&account, &viewer, &stack.anonymous] {
            let get = client.get(&path).await;
            let head = client.head(&path).await.expect_status(get.status);

            assert!(head.body.is_empty(), "{path}");
            for name in [
                "content-type",
                "x-amzn-remapped-www-authenticate",
                "x-ratelimit-limit",
            ] {
                head.expect_header(name, get.header(name));
            }
        }
    }
}

#[stack_test]
async fn cors_exposes_every_response_header(stack: &Stack, acme: &TestSpace) {
    let account = stack.account();
    let anonymous = &stack.anonymous;
    let create_key = || {
        let request = account
            .request("POST", "/account/api-keys")
            .header("idempotency-key", "one");
        account.send(request.json(&json!({"name": "x"})))
    };
    let uploaded = acme.upload(PHOTO).send().await;
    let url = &text(&uploaded.json()["data"]["url"]);
    let part = anonymous.get_with(url, &[("range", "bytes=0-9")]).await;
    let etag = part.header("etag").to_owned();

    let not_modified = anonymous.get_with(url, &[("if-none-match", &etag)]).await;
    let unsatisfiable = [("range", "bytes=999999999-")];
    let not_satisfiable = anonymous.get_with(url, &unsatisfiable).await;
    let not_found = anonymous.get(&format!("{url}x")).await;
    let image = anonymous.get(&format!("{url}?w=8&f=png")).await;
    assert_eq!(image.header("x-image-width"), "8");

    for response in [
        uploaded,
        create_key().await.expect_status(201),
        create_key().await.expect_status(201),
        account.fetch("/spaces").await,
        anonymous.fetch(url).await,
        anonymous.head(url).await.expect_status(200),
        not_modified.expect_status(304),
        not_satisfiable.expect_status(416),
        not_found.expect_status(404),
        part.expect_status(206),
        image.expect_status(200),
    ] {
        assert_readable(&response);
    }

    // A request that the HTTP server rejects has no request id.
    let too_long = format!(
        "GET /api/v1/{} HTTP/1.1\r\nhost: localhost\r\n\r\n",
        "x".repeat(1 << 16)
    );
    let rejected = RawConnection::request(stack.local.api_url(), too_long).await;
    assert!(rejected.is_none_or(|response| (400..500).contains(&response.status)));
}
