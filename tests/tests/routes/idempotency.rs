//! `Idempotency-Key`: repeated requests create a record once.

use futures::future::join_all;
use reqwest::{header::HeaderValue, multipart::Form};
use serde_json::json;
use table::item_keys;
use tests::{PHOTO, Response, Stack, TestSpace, column, file, minutes, seconds, stack_test};

use super::creations::{
    Creation, assert_first, assert_payload_mismatch, assert_replay, creations, keys, photo,
    with_idempotency_key,
};

/// Minutes for which a response is replayed.
const RETENTION_MINUTES: u64 = 24 * 60;

#[stack_test]
async fn repeated_request_is_replayed_and_has_one_effect(stack: &Stack, acme: &TestSpace) {
    for creation in creations(stack, acme) {
        let first = assert_first(creation.send("order 7").await);
        let before = stack.dump().await;

        for _ in 0..2 {
            let run = stack.calls_of(creation.send(" order 7 ")).await;
            assert_replay(&run.output, &first);
            let writes = |call: &String| call.contains("Transact") || call.contains("Put");
            assert!(!run.calls.iter().any(writes), "{:?}", run.calls);
        }

        stack.assert_unchanged(&before, &creation.path).await;

        let with_other_key = creation.send("order 8").await;
        if creation.has_unique_name() {
            with_other_key.expect_error(422);
        } else {
            assert_ne!(assert_first(with_other_key).body, first.body);
        }
    }
}

#[stack_test]
async fn same_key_with_other_payload_is_rejected(stack: &Stack, acme: &TestSpace) {
    let send = |body: &'static str| {
        let request = with_idempotency_key(&acme.client, &keys(acme), "one")
            .header("content-type", "application/json");
        acme.send(request.body(body))
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
        assert_payload_mismatch(send(other).await);
    }

    let upload = |form: Form| {
        acme.send(with_idempotency_key(&acme.client, "/upload", "one").multipart(form))
    };
    let space = || Form::new().text("space", acme.handle.clone());
    let first = assert_first(upload(space().text("ref", "r").part("file", photo())).await);
    let before = stack.dump().await;

    // Each form has a different boundary.
    let again = space().text("ref", "r").part("file", photo());
    assert_replay(&upload(again).await, &first);

    let reordered = Form::new()
        .part("file", photo())
        .text("ref", "r")
        .text("space", acme.handle.clone());
    assert_replay(&upload(reordered).await, &first);

    let with_ref = || space().text("ref", "r");
    let shorter = &PHOTO[..PHOTO.len() - 1];
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
        with_ref().part("file", file("plain-name.jpg", "image/jpeg", shorter)),
    ] {
        assert_payload_mismatch(upload(other).await);
    }

    stack.assert_unchanged(&before, "other payloads").await;
}

#[stack_test]
async fn key_is_scoped_to_caller_and_route(stack: &Stack, acme: &TestSpace, other: &TestSpace) {
    let second_key = acme.role("owner").await;
    let mut bodies = Vec::new();
    for (client, path) in [
        (&acme.client, keys(acme)),
        (&second_key, keys(acme)),
        (&stack.account(), keys(acme)),
        (&stack.account(), keys(other)),
        (&stack.account(), "/account/api-keys".to_owned()),
        (&stack.account(), "/spaces".to_owned()),
    ] {
        let create = async |path: &str| {
            let creation = Creation::json(client, path, json!({"name": "one"}));
            creation.send("one").await
        };
        let first = assert_first(create(&path).await);
        for same_path in [&path, &path.replace(&acme.id, &acme.id.to_lowercase())] {
            assert_replay(&create(same_path).await, &first);
        }

        bodies.push(first.body);
    }

    bodies.sort();
    bodies.dedup();
    assert_eq!(bodies.len(), 6);
}

#[stack_test]
async fn response_is_replayed_for_a_day(stack: &Stack, acme: &TestSpace) {
    let named = || json!({"name": "one"});
    for creation in [
        Creation::json(acme, &keys(acme), named()),
        Creation::json(&stack.account(), "/account/api-keys", named()),
        Creation::upload(acme, acme, &["file"]),
    ] {
        let first = assert_first(creation.send("one").await);
        stack.clock.advance(minutes(RETENTION_MINUTES - 1));
        stack.clock.advance(seconds(59));
        assert_replay(&creation.send("one").await, &first);
        stack.clock.advance(seconds(1));

        let second = assert_first(creation.send("one").await);
        assert_ne!(second.body, first.body);
        assert_replay(&creation.send("one").await, &second);
    }
}

#[stack_test]
async fn replay_succeeds_even_if_request_would_now_fail(stack: &Stack, acme: &TestSpace) {
    let expiry = stack.now().plus_ms(600_000).rfc3339();
    let body = json!({"name": "short", "expires_at": expiry});
    let creation = Creation::json(&acme.client, &keys(acme), body);
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
        let named = || json!({"space_id": acme.id, "name": "other"});
        let mut creations = vec![
            Creation::json(&account, "/upload-configs", named()),
            Creation::json(&account, &keys(&acme), json!({"name": "web"})),
        ];
        if force {
            creations.push(Creation::json(&account, "/folders", named()));
            creations.push(Creation::upload(&account, &acme, &["file"]));
        }

        let key = format!("forced: {force}");
        for creation in &creations {
            let first = assert_first(creation.send(&key).await);
            assert_replay(&creation.send(&key).await, &first);
        }

        let path = format!("/spaces?id={}&force={force}", acme.id);
        let status = if force { 202 } else { 204 };
        account.delete(&path).await.expect_status(status);

        for creation in &creations {
            let is_key = creation.path == keys(&acme);
            let status = if is_key { 404 } else { 422 };
            creation.send(&key).await.expect_error(status);
        }

        stack.run_purges().await;
    }
}

#[stack_test]
async fn concurrent_requests_with_one_key_have_one_effect(stack: &Stack, acme: &TestSpace) {
    for (creation, index) in creations(stack, acme).iter().zip(0..) {
        for count in [2, 10] {
            let before = stack.dump().await;
            let key = format!("at once {index} {count}");
            let responses = join_all((0..count).map(|_| creation.send(&key))).await;

            if creation.has_unique_name() && count > 2 {
                // The two requests before created a record with the name.
                for response in responses {
                    response.expect_status_of(&[409, 422]);
                }
                continue;
            }

            let first = assert_one_effect(&responses);
            assert_replay(&creation.send(&key).await, first);

            let objects = stack.dump().await.objects.len() - before.objects.len();
            let files = first.json()["data"].as_array().map_or(1, Vec::len);
            let is_upload = creation.path == "/upload";
            assert_eq!(objects, if is_upload { files } else { 0 });
        }
    }

    // The owner key, and one key per round.
    let list = acme.get_ok(&keys(acme)).await;
    assert_eq!(column(&list, "id").len(), 3);
}

/// Asserts that one request created a record and that all others are replays or in conflict with
/// it, and returns its response.
#[track_caller]
fn assert_one_effect(responses: &[Response]) -> &Response {
    let is_replay = |response: &&Response| !response.header("idempotent-replayed").is_empty();
    let first: Vec<&Response> = responses
        .iter()
        .filter(|response| response.status == 201 && !is_replay(response))
        .collect();
    assert_eq!(first.len(), 1, "{}", responses[0].request);

    for response in responses.iter().filter(|response| response.status != 201) {
        let retry_after = response.header("retry-after");
        assert_eq!(retry_after, "60", "the lease of the first request");
        assert!(response.clone().expect_error(409)["idempotency_key"].is_array());
    }
    for response in responses.iter().filter(is_replay) {
        assert_replay(response, first[0]);
    }

    first[0]
}

#[stack_test]
async fn stored_reservation_contains_no_secret(stack: &Stack, acme: &TestSpace) {
    let key = "a very specific idempotency key";
    let mut secrets = vec![key.to_owned()];
    for client in [&stack.account(), &acme.client] {
        secrets.extend(client.key.clone());
    }
    for creation in creations(stack, acme) {
        let created = assert_first(creation.send(key).await).json();
        secrets.extend(created["data"]["key"].as_str().map(str::to_owned));
    }
    assert_eq!(secrets.len(), 5);

    let plain_texts = [
        "Plain Name",
        "plain-name",
        "image/jpeg",
        "\"data\"",
        "storage_path",
        &acme.handle,
        "/api/v1",
    ];
    let mut reservations = 0;
    for (item_key, item) in &stack.dump().await.items {
        let stored = format!("{item_key:?} {item}");
        let has_secret = secrets.iter().any(|secret| stored.contains(secret));
        assert!(!has_secret, "{stored}");
        if item_key
            .partition
            .starts_with(item_keys::IDEMPOTENCY_RESERVATIONS)
        {
            let has_text = plain_texts.iter().any(|text| stored.contains(text));
            assert!(!has_text, "{stored}");
            reservations += 1;
        }
    }
    assert_eq!(reservations, creations(stack, acme).len());
}

#[stack_test]
async fn malformed_key_is_rejected_by_creating_routes(stack: &Stack, acme: &TestSpace) {
    let before = stack.dump().await;
    let too_long = "x".repeat(256);
    let longest = "x".repeat(255);

    let malformed =
        "The Idempotency-Key header must have 1 to 255 printable ASCII characters, or be absent.";
    let repeated = "The Idempotency-Key header must not be repeated, and must not contain a comma.";
    for (values, message) in [
        (vec![&b""[..]], malformed),
        (vec![&b" \t "[..]], malformed),
        (vec![too_long.as_bytes()], malformed),
        (vec!["é".as_bytes()], malformed),
        (vec![&b"one"[..], b"two"], repeated),
        (vec![&b"one"[..], b"one"], repeated),
        (vec![&b"one,two"[..]], repeated),
    ] {
        let header = |value: &&[u8]| HeaderValue::from_bytes(value).expect("a header");
        let values: Vec<HeaderValue> = values.iter().map(header).collect();
        for path in ["/spaces", &keys(acme), "/account/api-keys", "/upload"] {
            let request = stack.account().request("POST", path);
            let request = values.iter().fold(request, |request, value| {
                request.header("idempotency-key", value)
            });
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

    stack.assert_unchanged(&before, "malformed keys").await;

    let creation = Creation::json(&acme.client, &keys(acme), json!({"name": "one"}));
    let first = assert_first(creation.send(&longest).await);
    assert_replay(&creation.send(&longest).await, &first);
}
