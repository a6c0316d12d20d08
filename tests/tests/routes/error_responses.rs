//! Every kind of refusal, whole: its status, its body, and the headers that it has and has not. And
//! what every path says to `HEAD`, to `OPTIONS` and to methods that it does not take.

use std::collections::{BTreeMap, BTreeSet};

use emulators::{InjectedError, Service::DynamoDb};
use serde_json::{Value, json};
use tests::{
    Client, DYNAMODB_ATTEMPTS, PHOTO, RawConnection, Response, Stack, StackOptions, Tenant, form,
    seconds, stack_test,
};

/// What a refusal has to be.
struct Expected {
    status: u16,
    message: &'static str,
    errors: Value,
    /// Headers beside those of every refusal.
    headers: Vec<(&'static str, String)>,
    /// Whether the caller's key was found valid.
    counted: bool,
}

/// Headers that some refusals have.
const PARTICULAR: [&str; 5] = [
    "www-authenticate",
    "allow",
    "retry-after",
    "idempotent-replayed",
    "location",
];
const LIMITS: [&str; 5] = [
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "ratelimit-policy",
    "ratelimit",
];
/// Headers that every script may read, or that concern no script (Fetch standard; RFC 9110, 9111).
const UNKNOWN_IDS: [&str; 10] = [
    "cache-control",
    "connection",
    "content-language",
    "content-type",
    "date",
    "expires",
    "last-modified",
    "transfer-encoding",
    "vary",
    "x-content-type-options",
];

fn rejection(status: u16, message: &'static str, errors: Value) -> Expected {
    Expected {
        status,
        message,
        errors,
        headers: Vec::new(),
        counted: true,
    }
}

impl Expected {
    fn with(self, name: &'static str, value: &str) -> Expected {
        Expected {
            headers: vec![(name, value.to_owned())],
            ..self
        }
    }

    fn uncounted(self) -> Expected {
        Expected {
            counted: false,
            ..self
        }
    }

    #[track_caller]
    fn check(&self, response: &Response) {
        let asked = &response.request;
        assert_eq!(response.status, self.status, "{asked}: {:?}", response.body);
        assert_eq!(
            response.json(),
            json!({"message": self.message, "errors": self.errors}),
            "{asked}"
        );
        assert_eq!(
            response.header("content-type"),
            "application/json",
            "{asked}"
        );

        for name in PARTICULAR {
            let value = self
                .headers
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, value)| value.as_str());
            assert_eq!(
                response.header(name),
                value.unwrap_or_default(),
                "{asked}: {name}"
            );
        }

        for name in LIMITS {
            assert_eq!(
                response.headers.contains_key(name),
                self.counted,
                "{asked}: {name}"
            );
        }

        assert_readable(response);
    }
}

/// Demands that an answer has an id, and that scripts of any origin may read all of its headers
/// that are ours.
#[track_caller]
fn assert_readable(response: &Response) {
    let asked = &response.request;
    let id = response.header("x-request-id");
    assert!(
        id.len() == 26
            && id
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase()),
        "{asked}"
    );
    assert_eq!(
        response.header("access-control-allow-origin"),
        "*",
        "{asked}"
    );
    assert!(
        !response
            .headers
            .contains_key("access-control-allow-credentials"),
        "{asked}"
    );

    let exposed = response
        .header("access-control-expose-headers")
        .to_lowercase();
    let exposed: BTreeSet<&str> = exposed.split(", ").collect();

    for name in response
        .headers
        .keys()
        .map(reqwest::header::HeaderName::as_str)
    {
        let is_ours = !UNKNOWN_IDS.contains(&name) && !name.starts_with("access-control-");
        assert!(
            !is_ours || exposed.contains(name),
            "{asked}: scripts cannot read {name}"
        );
        assert_eq!(
            response.headers.get_all(name).iter().count(),
            1,
            "{asked}: {name}"
        );
    }
}

async fn send(client: &Client, path: &str, kind: &str, body: impl Into<reqwest::Body>) -> Response {
    client
        .send(
            client
                .request("POST", path)
                .header("content-type", kind)
                .body(body),
        )
        .await
}

async fn upload(acme: &Tenant) -> Response {
    acme.client
        .upload(form(&acme.handle, "a.jpg", "image/jpeg", PHOTO))
        .await
}

#[stack_test]
async fn malformed_and_unauthenticated_requests_have_documented_errors(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let (space, keys) = (
        format!("/spaces/{}", acme.id),
        format!("/spaces/{}/api-keys", acme.id),
    );
    let client = &acme.client;
    let anonymous = || {
        rejection(401, "Unauthenticated.", json!({}))
            .with("www-authenticate", "Bearer")
            .uncounted()
    };
    let invalid = |errors| rejection(422, "The given data was invalid.", errors);
    let not_json = "The body is not valid JSON: EOF while parsing an object at line 1 column 1.";
    let no_form = "The content type of the form has no boundary.";
    let large = || "x".repeat((1 << 20) + 1);

    for (response, expected) in [
        (
            send(client, &keys, "application/json", "{").await,
            rejection(400, not_json, json!({})),
        ),
        (
            send(client, &keys, "application/json", "[]").await,
            rejection(400, "The body must be a JSON object.", json!({})),
        ),
        (
            send(client, "/upload", "multipart/form-data", "x").await,
            rejection(400, no_form, json!({})),
        ),
        (stack.anonymous.get(&space).await, anonymous()),
        (
            stack
                .anonymous
                .with_key("x")
                .post("/spaces", json!({}))
                .await,
            anonymous(),
        ),
        (
            stack.anonymous.with_key("x").get("/files/x").await,
            anonymous(),
        ),
        (
            send(&stack.anonymous, "/upload", "text/plain", "x").await,
            anonymous(),
        ),
        (
            client.get("/spaces/x").await,
            rejection(404, "Not found.", json!({})),
        ),
        (
            client.delete("/spaces?id=x").await,
            rejection(404, "Not found.", json!({})),
        ),
        (
            client.get("/files/01JCQZ4XK8V9W7Y6T5S4R3Q2P1").await,
            rejection(404, "Not found.", json!({})),
        ),
        (
            client.get("/nowhere").await,
            rejection(404, "Not found.", json!({})).uncounted(),
        ),
        (
            stack.anonymous.get("/nowhere").await,
            rejection(404, "Not found.", json!({})).uncounted(),
        ),
        (
            send(client, &keys, "application/json", large()).await,
            rejection(
                413,
                "The body must not be greater than 1024 kilobytes.",
                json!({}),
            ),
        ),
        (
            send(client, &keys, "text/plain", "{}").await,
            rejection(415, "The content type must be application/json.", json!({})),
        ),
        (
            send(client, "/upload", "application/json", "{}").await,
            rejection(
                415,
                "The content type must be multipart/form-data.",
                json!({}),
            ),
        ),
        (
            client.post(&keys, json!({})).await,
            invalid(json!({"name": ["The name field is required."]})),
        ),
        (
            client.delete("/spaces").await,
            invalid(json!({"id": ["The id field is required."]})),
        ),
        (
            client.get("/spaces?limit=0").await,
            invalid(json!({"limit": ["The limit field must be at least 1."]})),
        ),
    ] {
        expected.check(&response);
    }
}

#[stack_test]
async fn conflicting_and_forbidden_requests_have_documented_errors(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let space = format!("/spaces/{}", acme.id);
    let viewer = acme.role("viewer").await;
    let low = "This action requires the role owner or higher. Your role is viewer.";
    let low_upload = "This action requires the role user or higher. Your role is viewer.";
    let no_account = "This endpoint requires an account key. The given key belongs to one space.";
    let full = "The space is not empty. Delete its files and folders first, or use force=true to delete everything.";

    acme.upload(PHOTO).await;

    for (response, expected) in [
        (
            viewer
                .send(viewer.request("PUT", &space).json(&json!({})))
                .await,
            rejection(403, low, json!({})),
        ),
        (
            viewer
                .upload(form(&acme.handle, "a.jpg", "image/jpeg", PHOTO))
                .await,
            rejection(403, low_upload, json!({})),
        ),
        (
            acme.client.post("/spaces", json!({})).await,
            rejection(403, no_account, json!({})),
        ),
        (
            acme.client.delete(&format!("/spaces?id={}", acme.id)).await,
            rejection(
                409,
                full,
                json!({"id": ["The id field must be the id of an empty space."]}),
            ),
        ),
    ] {
        expected.check(&response);
    }

    let disable = acme
        .client
        .request("PUT", &space)
        .json(&json!({"name": "Acme", "enabled": false}));
    acme.client.send(disable).await.expect_ok();
    rejection(
        403,
        "This space is disabled and does not accept uploads.",
        json!({}),
    )
    .check(&upload(&acme).await);

    // A request under a name, whose function died.
    stack.cloud.faults().fail(
        DynamoDb,
        "TransactWriteItems",
        DYNAMODB_ATTEMPTS,
        InjectedError::new(500, "InternalServerError"),
    );
    stack.cloud.faults().fail(
        DynamoDb,
        "DeleteItem",
        DYNAMODB_ATTEMPTS,
        InjectedError::new(500, "InternalServerError"),
    );

    let again = || {
        let request = acme
            .client
            .request("POST", &format!("{space}/api-keys"))
            .header("idempotency-key", "one");
        acme.client.send(request.json(&json!({"name": "web"})))
    };
    let busy = "The service is busy. Please try again.";

    rejection(503, busy, json!({}))
        .with("retry-after", "1")
        .check(&again().await);

    let errors = json!({
        "idempotency_key": ["The idempotency key field belongs to a request in progress."],
    });
    let message = "A request with this Idempotency-Key is already in progress. Retry after the number of seconds in \
                   Retry-After.";

    rejection(409, message, errors.clone())
        .with("retry-after", "60")
        .check(&again().await);
    stack.clock.advance(seconds(45));
    rejection(409, message, errors)
        .with("retry-after", "15")
        .check(&again().await);
}

#[stack_test(options = StackOptions::default().with_parameters(&[("AdminRequestsPerMinute", "4")]))]
async fn internal_errors_reveal_nothing(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let space = format!("/spaces/{}", acme.id);
    let faults = stack.cloud.faults();

    acme.client.get(&space).await.expect_ok();
    faults.fail(
        DynamoDb,
        "GetItem",
        1,
        InjectedError::new(400, "ValidationException"),
    );
    rejection(500, "Server error.", json!({})).check(&acme.client.get(&space).await);
    faults.fail(
        DynamoDb,
        "GetItem",
        DYNAMODB_ATTEMPTS,
        InjectedError::new(400, "ThrottlingException"),
    );

    let busy = rejection(503, "The service is busy. Please try again.", json!({}))
        .with("retry-after", "1");
    busy.check(&acme.client.get(&space).await);
    faults.fail(
        DynamoDb,
        "UpdateItem",
        DYNAMODB_ATTEMPTS,
        InjectedError::new(400, "ThrottlingException"),
    );
    busy.uncounted().check(&acme.client.get(&space).await);
    acme.client.get(&space).await.expect_ok();

    let limited = acme.client.get(&space).await;
    let resets = limited.header("retry-after").to_owned();
    let expected = rejection(429, "Too Many Attempts.", json!({}));

    assert!(
        limited
            .header("ratelimit")
            .ends_with(&format!("t={resets}")),
        "{resets}"
    );
    expected.with("retry-after", &resets).check(&limited);
}

#[stack_test]
async fn method_not_allowed_lists_methods_of_path(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let mut methods: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for operation in openapi::api().operations {
        methods
            .entry(operation.endpoint.path)
            .or_default()
            .extend(operation.endpoint.methods());
    }

    for (path, methods) in methods {
        let address = path.replace("{id}", &acme.id).replace("{keyId}", "1");
        let allowed = format!("{}, OPTIONS", methods.join(", "));

        for client in [
            &stack.anonymous,
            &acme.client,
            &stack.anonymous.with_key("nonsense"),
        ] {
            let preflight = client
                .send(client.request("OPTIONS", &address))
                .await
                .expect_status(204);
            assert!(preflight.body.is_empty());

            for (name, value) in [
                ("allow", allowed.as_str()),
                ("access-control-allow-methods", &allowed),
                ("access-control-allow-headers", "Authorization, *"),
                ("access-control-max-age", "7200"),
            ] {
                assert_eq!(preflight.header(name), value, "{path}: {name}");
            }

            assert_readable(&preflight);

            for method in [
                "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND",
            ] {
                if methods.contains(&method) {
                    continue;
                }

                let response = client.send(client.request(method, &address)).await;
                assert_eq!(response.header("allow"), allowed, "{method} {path}");
                assert_readable(&response);

                if method == "HEAD" {
                    assert!(response.expect_status(405).body.is_empty(), "{path}");
                    continue;
                }

                assert_eq!(
                    response.json()["message"],
                    format!("This path supports the methods {allowed}.")
                );
                assert_eq!(response.expect_error(405), json!({}));
            }
        }
    }

    for method in ["HEAD", "GET", "PROPFIND"] {
        let response = acme
            .client
            .send(acme.client.request(method, "/nowhere"))
            .await
            .expect_status(404);
        assert_eq!(response.header("allow"), "");
    }
}

#[stack_test]
async fn preflight_of_any_path_returns_204(stack: &Stack) {
    for path in ["/nowhere", "/spaces/x/y/z", "/", "/%00"] {
        let preflight = stack
            .anonymous
            .send(stack.anonymous.request("OPTIONS", path))
            .await
            .expect_status(204);
        let methods = preflight.header("access-control-allow-methods");
        assert_eq!(methods, "GET, HEAD, POST, PUT, DELETE, OPTIONS", "{path}");
        assert_readable(&preflight);
    }
}

#[stack_test]
async fn head_returns_the_headers_of_get_without_a_body(stack: &Stack) {
    let place = crate::routes::roles::Place::new(stack, "Acme").await;
    let account = stack.account();
    let viewer = place.tenant.role("viewer").await;

    for row in crate::routes::roles::ROWS
        .iter()
        .filter(|row| row.method == "GET")
    {
        let address = place.address(row);
        for client in [&account, &viewer, &stack.anonymous] {
            let get = client.get(&address).await;
            let head = client.head(&address).await.expect_status(get.status);

            assert!(head.body.is_empty(), "{address}");
            for name in ["content-type", "www-authenticate", "x-ratelimit-limit"] {
                assert_eq!(head.header(name), get.header(name), "{address}: {name}");
            }
        }
    }
}

#[stack_test]
async fn error_body_names_at_most_a_hundred_errors(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let unknown: serde_json::Map<String, Value> = (0..5_000)
        .map(|key| (format!("key{key}"), json!(1)))
        .collect();
    let body = json!({"space_id": acme.id, "name": "odd", "config": unknown});

    let errors = acme
        .client
        .post("/upload-configs", body)
        .await
        .expect_error(422);

    assert_eq!(errors.as_object().map(serde_json::Map::len), Some(100));
}

#[stack_test]
async fn cors_exposes_every_response_header(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let account = stack.account();
    let make_key = || {
        let request = account
            .request("POST", "/account/api-keys")
            .header("idempotency-key", "one");
        account.send(request.json(&json!({"name": "x"})))
    };
    let uploaded = upload(&acme).await;
    let url = uploaded.json()["data"]["url"]
        .as_str()
        .expect("an address")
        .to_owned();
    let part = stack
        .anonymous
        .get_with(&url, &[("range", "bytes=0-9")])
        .await
        .expect_status(206);
    let etag = part.header("etag").to_owned();
    let head = format!(
        "GET /api/v1/{} HTTP/1.1\r\nhost: localhost\r\n\r\n",
        "x".repeat(1 << 16)
    );

    for response in [
        uploaded,
        make_key().await.expect_status(201),
        make_key().await.expect_status(201),
        account.get("/spaces").await.expect_status(200),
        stack.anonymous.get(&url).await.expect_status(200),
        stack.anonymous.head(&url).await.expect_status(200),
        stack
            .anonymous
            .get_with(&url, &[("if-none-match", &etag)])
            .await
            .expect_status(304),
        stack
            .anonymous
            .get_with(&url, &[("range", "bytes=999999999-")])
            .await
            .expect_status(416),
        stack
            .anonymous
            .get(&format!("{url}x"))
            .await
            .expect_status(404),
        part,
    ] {
        assert_readable(&response);
    }

    // What is refused before there is a request has no id.
    let rejected = RawConnection::request(stack.cloud.api_url(), head).await;
    assert!(rejected.is_none_or(|response| (400..500).contains(&response.status)));
}
