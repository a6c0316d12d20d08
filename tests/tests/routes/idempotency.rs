//! `Idempotency-Key`: a request that creates something is done once, however often it is sent.

use futures::future::join_all;
use reqwest::{RequestBuilder, header::HeaderValue, multipart::Form};
use serde_json::{Value, json};
use tests::{Client, PHOTO, Response, Stack, Tenant, file, minutes, seconds, stack_test};

/// Minutes for which an answer is kept.
const KEPT_MINUTES: u64 = 24 * 60;

/// A request that creates something.
pub(crate) struct Creation {
    client: Client,
    path: String,
    payload: Payload,
}

pub(crate) enum Payload {
    Json(Value),
    /// The handle of a space, and the fields of files.
    Form(String, &'static [&'static str]),
}

impl Creation {
    pub(crate) fn json(client: &Client, path: &str, body: Value) -> Creation {
        Creation {
            client: client.clone(),
            path: path.to_owned(),
            payload: Payload::Json(body),
        }
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Whether a name of it is taken once it has been sent.
    fn has_unique_name(&self) -> bool {
        ["/spaces", "/folders", "/upload-configs"].contains(&self.path.as_str())
    }

    pub(crate) fn upload(
        client: &Client,
        acme: &Tenant,
        fields: &'static [&'static str],
    ) -> Creation {
        let payload = Payload::Form(acme.handle.clone(), fields);
        Creation {
            client: client.clone(),
            path: "/upload".to_owned(),
            payload,
        }
    }

    /// Sends it under a name.
    pub(crate) async fn send(&self, name: &str) -> Response {
        let request = named(&self.client, &self.path, name);

        self.client
            .send(match &self.payload {
                Payload::Json(body) => request.json(body),
                Payload::Form(handle, fields) => {
                    let form = Form::new().text("space", handle.clone());
                    let with_photo =
                        |form: Form, field: &&str| form.part(field.to_string(), photo());
                    request.multipart(fields.iter().fold(form, with_photo))
                }
            })
            .await
    }
}

/// One of each request that creates something, no two of one caller on one route.
pub(crate) fn creations(stack: &Stack, acme: &Tenant) -> Vec<Creation> {
    vec![
        Creation::json(
            &stack.account(),
            "/spaces",
            json!({"name": "Plain Name of a Space"}),
        ),
        Creation::json(
            &acme.client,
            &keys(acme),
            json!({"name": "Plain Name of a Key", "role": "user"}),
        ),
        Creation::json(
            &stack.account(),
            "/account/api-keys",
            json!({"name": "Plain Name of an Account Key"}),
        ),
        Creation::json(
            &acme.client,
            "/folders",
            json!({"space_id": acme.id, "name": "Plain Name of a Folder"}),
        ),
        Creation::json(
            &acme.client,
            "/upload-configs",
            json!({"space_id": acme.id, "name": "plain-name"}),
        ),
        Creation::upload(&acme.client, acme, &["file"]),
        Creation::upload(&stack.account(), acme, &["files[]", "files[]", "file"]),
    ]
}

fn keys(acme: &Tenant) -> String {
    format!("/spaces/{}/api-keys", acme.id)
}

fn photo() -> reqwest::multipart::Part {
    file("plain-name.jpg", "image/jpeg", PHOTO)
}

fn named(client: &Client, path: &str, name: &str) -> RequestBuilder {
    client.request("POST", path).header("idempotency-key", name)
}

/// Demands that an answer is the first one again.
#[track_caller]
pub(crate) fn assert_replay(response: &Response, first: &Response) {
    assert_eq!(
        (response.status, response.header("idempotent-replayed")),
        (201, "true"),
        "{}",
        response.request
    );
    assert_eq!(
        response.header("content-type"),
        first.header("content-type")
    );
    assert_eq!(response.body, first.body);
}

/// Demands that an answer is the first one, and tells so.
#[track_caller]
pub(crate) fn assert_first(response: Response) -> Response {
    assert!(
        !response.headers.contains_key("idempotent-replayed"),
        "{}",
        response.request
    );
    response.expect_status(201)
}

#[track_caller]
fn assert_another_payload(response: Response) {
    let message = "The idempotency key field was already used for a request with another payload.";
    assert_eq!(
        response.expect_error(422),
        json!({"idempotency_key": [message]})
    );
}

#[stack_test]
async fn repeated_request_is_replayed_and_has_one_effect(stack: &Stack) {
    let acme = stack.space("Acme").await;
    for creation in creations(stack, &acme) {
        let first = assert_first(creation.send("order 7").await);
        let before = stack.dump().await;

        for _ in 0..2 {
            let (again, calls) = stack.calls_of(creation.send(" order 7 ")).await;
            assert_replay(&again, &first);
            assert!(
                !calls
                    .iter()
                    .any(|call| call.contains("Transact") || call.contains("Put")),
                "{calls:?}"
            );
        }

        stack.dump().await.assert_unchanged(&before, &creation.path);

        let under_another_name = creation.send("order 8").await;
        if creation.has_unique_name() {
            under_another_name.expect_error(422);
        } else {
            assert_ne!(assert_first(under_another_name).body, first.body);
        }
    }
}

#[stack_test]
async fn same_key_with_other_payload_is_rejected(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let send = |body: &'static str| {
        let request =
            named(&acme.client, &keys(&acme), "one").header("content-type", "application/json");
        acme.client.send(request.body(body))
    };
    let first = assert_first(send(r#"{"name": "web", "role": "user"}"#).await);

    for same in [
        r#"{"role":"user","name":"web"}"#,
        "{\n\"name\":\"w\\u0065b\",\n\"role\":\"user\"}",
    ] {
        assert_replay(&send(same).await, &first);
    }

    for other in [
        r#"{"name": "web"}"#,
        r#"{"name": "api", "role": "user"}"#,
        r#"{"name": "web", "role": "viewer"}"#,
    ] {
        assert_another_payload(send(other).await);
    }

    let upload = |form: Form| {
        acme.client
            .send(named(&acme.client, "/upload", "one").multipart(form))
    };
    let space = || Form::new().text("space", acme.handle.clone());
    let first = assert_first(upload(space().text("ref", "r").part("file", photo())).await);
    let before = stack.dump().await;

    // The boundary is another one each time.
    assert_replay(
        &upload(space().text("ref", "r").part("file", photo())).await,
        &first,
    );

    let reordered = Form::new()
        .part("file", photo())
        .text("ref", "r")
        .text("space", acme.handle.clone());
    assert_replay(&upload(reordered).await, &first);

    let with_ref = || space().text("ref", "r");
    for other in [
        space().part("file", photo()),
        space().text("ref", "s").part("file", photo()),
        with_ref().part("files", photo()),
        with_ref().part("file", photo()).part("files", photo()),
        with_ref().part("file", file("other.jpg", "image/jpeg", PHOTO)),
        with_ref().part(
            "file",
            file("plain-name.jpg", "application/octet-stream", PHOTO),
        ),
        with_ref().part(
            "file",
            file("plain-name.jpg", "image/jpeg", &PHOTO[..PHOTO.len() - 1]),
        ),
    ] {
        assert_another_payload(upload(other).await);
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "other payloads");
}

#[stack_test]
async fn key_is_scoped_to_caller_and_route(stack: &Stack) {
    let (acme, other) = (stack.space("Acme").await, stack.space("Other").await);
    let second_key = acme.role("owner").await;
    let body = || json!({"name": "one"});
    let mut bodies = Vec::new();
    for (client, path) in [
        (&acme.client, keys(&acme)),
        (&second_key, keys(&acme)),
        (&stack.account(), keys(&acme)),
        (&stack.account(), keys(&other)),
        (&stack.account(), "/account/api-keys".to_owned()),
        (&stack.account(), "/spaces".to_owned()),
    ] {
        let first = assert_first(Creation::json(client, &path, body()).send("one").await);
        for spelled in [
            path.clone(),
            path.replace(&acme.id, &acme.id.to_lowercase()),
        ] {
            assert_replay(
                &Creation::json(client, &spelled, body()).send("one").await,
                &first,
            );
        }

        bodies.push(first.body);
    }

    bodies.sort();
    bodies.dedup();
    assert_eq!(bodies.len(), 6);
}

#[stack_test]
async fn response_is_replayed_for_a_day(stack: &Stack) {
    let acme = stack.space("Acme").await;
    for creation in [
        Creation::json(&acme.client, &keys(&acme), json!({"name": "one"})),
        Creation::json(
            &stack.account(),
            "/account/api-keys",
            json!({"name": "one"}),
        ),
        Creation::upload(&acme.client, &acme, &["file"]),
    ] {
        let first = assert_first(creation.send("one").await);
        stack.clock.advance(minutes(KEPT_MINUTES - 1));
        stack.clock.advance(seconds(59));
        assert_replay(&creation.send("one").await, &first);
        stack.clock.advance(seconds(1));

        let second = assert_first(creation.send("one").await);
        assert_ne!(second.body, first.body);
        assert_replay(&creation.send("one").await, &second);
    }
}

#[stack_test]
async fn replay_succeeds_even_if_request_would_now_fail(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let end = stack
        .admin_environment()
        .env
        .now()
        .plus_ms(600_000)
        .rfc3339();
    let creation = Creation::json(
        &acme.client,
        &keys(&acme),
        json!({"name": "short", "expires_at": end}),
    );
    let first = assert_first(creation.send("one").await);

    stack.clock.advance(minutes(11));
    creation.send("two").await.expect_error(422);
    assert_replay(&creation.send("one").await, &first);
}

#[stack_test]
async fn replay_into_deleted_space_is_rejected(stack: &Stack) {
    let account = stack.account();
    for force in [true, false] {
        let acme = stack.space("Acme").await;
        let config = json!({"space_id": acme.id, "name": "other"});
        let mut creations = vec![
            Creation::json(&account, "/upload-configs", config),
            Creation::json(&account, &keys(&acme), json!({"name": "web"})),
        ];
        if force {
            creations.push(Creation::json(
                &account,
                "/folders",
                json!({"space_id": acme.id, "name": "folder"}),
            ));
            creations.push(Creation::upload(&account, &acme, &["file"]));
        }

        let name = format!("forced: {force}");
        for creation in &creations {
            let first = assert_first(creation.send(&name).await);
            assert_replay(&creation.send(&name).await, &first);
        }

        account
            .delete(&format!("/spaces?id={}&force={force}", acme.id))
            .await
            .expect_status(if force { 202 } else { 204 });

        for creation in &creations {
            let status = if creation.path == keys(&acme) {
                404
            } else {
                422
            };
            creation.send(&name).await.expect_error(status);
        }

        stack.run_purges().await;
    }
}

#[stack_test]
async fn concurrent_requests_with_one_key_have_one_effect(stack: &Stack) {
    let acme = stack.space("Acme").await;
    for (creation, index) in creations(stack, &acme).iter().zip(0..) {
        for count in [2, 10] {
            let before = stack.dump().await;
            let name = format!("at once {index} {count}");
            let responses = join_all((0..count).map(|_| creation.send(&name))).await;

            if creation.has_unique_name() && count > 2 {
                // The name is taken by what the two made.
                assert!(
                    responses
                        .iter()
                        .all(|response| response.status == 422 || response.status == 409)
                );
                continue;
            }

            let first = responses
                .iter()
                .filter(|response| response.header("idempotent-replayed").is_empty());
            let first: Vec<_> = first.filter(|response| response.status == 201).collect();
            assert_eq!(first.len(), 1, "{}", creation.path);

            for response in responses.iter().filter(|response| response.status != 201) {
                assert_eq!(
                    response.header("retry-after"),
                    "60",
                    "the lease of the first one"
                );
                assert!(response.clone().expect_error(409)["idempotency_key"].is_array());
            }

            for response in responses
                .iter()
                .filter(|response| !response.header("idempotent-replayed").is_empty())
            {
                assert_replay(response, first[0]);
            }

            assert_replay(&creation.send(&name).await, first[0]);

            let objects = stack.dump().await.objects.len() - before.objects.len();
            let made = first[0].json()["data"].as_array().map_or(1, Vec::len);
            assert_eq!(objects, if creation.path == "/upload" { made } else { 0 });
        }
    }

    let listed = acme
        .client
        .get(&keys(&acme))
        .await
        .expect_status(200)
        .json();
    assert_eq!(
        listed["data"].as_array().map(Vec::len),
        Some(3),
        "the owner's, and one of each round"
    );
}

#[stack_test]
async fn stored_reservation_contains_no_secret(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let name = "a very telling name of a request";
    let mut secrets = vec![name.to_owned()];

    secrets
        .extend([&stack.account(), &acme.client].map(|client| client.key.clone().expect("a key")));

    for creation in creations(stack, &acme) {
        let made = assert_first(creation.send(name).await).json();
        secrets.extend(made["data"]["key"].as_str().map(str::to_owned));
    }

    assert_eq!(secrets.len(), 5);

    let dump = stack.dump().await;
    let claims = dump
        .items
        .iter()
        .filter(|((partition, _), _)| partition.starts_with("IDEMPOTENCY#"));
    let claims: Vec<String> = claims
        .map(|(key, item)| format!("{key:?} {item}"))
        .collect();

    assert_eq!(claims.len(), creations(stack, &acme).len());

    for (key, item) in &dump.items {
        let shown = format!("{key:?} {item}");
        assert!(
            !secrets.iter().any(|secret| shown.contains(secret.as_str())),
            "{shown}"
        );
    }

    for plain in [
        "Plain Name",
        "plain-name",
        "image/jpeg",
        "\"data\"",
        "storage_path",
        &acme.handle,
        "/api/v1",
    ] {
        assert!(!claims.iter().any(|claim| claim.contains(plain)), "{plain}");
    }
}

#[stack_test]
async fn malformed_key_is_rejected_by_creating_routes(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let before = stack.dump().await;
    let (long, longest) = ("x".repeat(256), "x".repeat(255));

    for (name, message) in [
        (&b""[..], "The idempotency key field is required."),
        (b" \t ", "The idempotency key field is required."),
        (
            long.as_bytes(),
            "The idempotency key field must not be greater than 255 characters.",
        ),
        (
            "é".as_bytes(),
            "The idempotency key field format is invalid.",
        ),
    ] {
        let name = HeaderValue::from_bytes(name).expect("a header");
        for path in ["/spaces", &keys(&acme), "/account/api-keys", "/upload"] {
            let request = stack
                .account()
                .request("POST", path)
                .header("idempotency-key", &name);
            let request = match path {
                "/upload" => {
                    request.multipart(tests::form(&acme.handle, "a.jpg", "image/jpeg", PHOTO))
                }
                _ => request.json(&json!({"name": "one"})),
            };
            let errors = stack.account().send(request).await.expect_error(422);

            assert_eq!(errors, json!({"idempotency_key": [message]}), "{path}");
        }
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "names that cannot be");

    let creation = Creation::json(&acme.client, &keys(&acme), json!({"name": "one"}));
    let first = assert_first(creation.send(&longest).await);
    assert_replay(&creation.send(&longest).await, &first);
}
