//! `/folders`: the keys that manage folders, and idempotent creation.

use serde_json::{Value, json};
use tests::{Client, PHOTO, Stack, TestSpace, UNKNOWN_ID, folder_path, minutes, stack_test, text};

use super::create::{ROOT, get_folder, new, paths};
use crate::routes::creations::{Creation, assert_first, assert_replay};

/// Retention of responses for idempotency keys, in minutes.
const KEPT_MINUTES: u64 = 24 * 60;

/// The requests for one folder: method, path after the folder, and body.
fn requests() -> [(&'static str, &'static str, Value); 7] {
    [
        ("GET", "", Value::Null),
        ("PUT", "", json!({"name": "New"})),
        (
            "PUT",
            "/access-control",
            json!({"access_control": {"requires_auth": true}}),
        ),
        ("DELETE", "/access-control", Value::Null),
        ("PUT", "/security", json!({"security": {}})),
        ("DELETE", "/security", Value::Null),
        ("DELETE", "", Value::Null),
    ]
}

#[stack_test]
async fn foreign_folder_returns_404(stack: &Stack, acme: &TestSpace, other: &TestSpace) {
    let outsider = stack.user().await;
    let photos = acme.folder("Photos").await;
    let file = text(&acme.upload(PHOTO).await["id"]);
    let id = text(&photos["id"]);
    let before = stack.dump().await;
    let invalid = [
        UNKNOWN_ID, "x", "root", "%20", "a%2Fb", "%C3%A9", &acme.id, &file,
    ];

    for (method, behind, body) in requests() {
        let ask = async |client: &Client, id: &str| {
            let request = client.request(method, &format!("/folders/{id}{behind}"));
            let request = if body.is_null() {
                request
            } else {
                request.json(&body)
            };
            assert_eq!(
                client.send(request).await.expect_error(404),
                json!({}),
                "{method} {id}{behind}"
            );
        };
        for other_client in [&other.client, &outsider.client] {
            ask(other_client, &id).await;
        }
        for invalid in invalid {
            ask(&acme.client, invalid).await;
        }
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "requests for what does not exist");
    assert_eq!(get_folder(acme, &photos).await, photos);
}

#[stack_test]
async fn folders_are_managed_with_space_and_account_keys(stack: &Stack, acme: &TestSpace) {
    let photos = acme.folder("Photos").await;

    for role in ["viewer", "user", "admin", "owner"] {
        let member = stack.user().await;
        stack.add_member(&member, acme, role).await;
        for (kind, client) in [
            ("space key", acme.role(role).await),
            ("account key", member.client),
        ] {
            assert_eq!(
                client.get_ok(&folder_path(&photos)).await["name"],
                "Photos",
                "{role} {kind}"
            );
            let response = client
                .post("/folders", new(acme, &photos, &format!("{role} {kind}")))
                .await;
            if ["admin", "owner"].contains(&role) {
                let folder = response.expect_created();
                assert_eq!(client.get_ok(&folder_path(&folder)).await, folder);
                client
                    .put_ok(&folder_path(&folder), json!({"parent_id": null}))
                    .await;
                client.delete_ok(&folder_path(&folder)).await;
                continue;
            }
            assert_eq!(response.expect_error(403), json!({}), "{role} {kind}");
            for (method, behind, body) in requests()
                .into_iter()
                .filter(|(method, ..)| *method != "GET")
            {
                let request = client.request(method, &format!("{}{behind}", folder_path(&photos)));
                let request = if body.is_null() {
                    request
                } else {
                    request.json(&body)
                };
                assert_eq!(
                    client.send(request).await.expect_error(403),
                    json!({}),
                    "{role} {kind}: {method} {behind}"
                );
            }
        }
    }

    assert_eq!(get_folder(acme, &photos).await, photos);
    assert_eq!(paths(acme).await, ["Photos/"]);
}

#[stack_test]
async fn repeated_create_with_idempotency_key_creates_one_folder(stack: &Stack, acme: &TestSpace) {
    let creation = Creation::json(&acme.client, "/folders", new(acme, &ROOT, "Photos"));
    let account = Creation::json(&stack.account(), "/folders", new(acme, &ROOT, "Texts"));
    let first = assert_first(creation.send("one").await);
    // The same idempotency key of another caller is independent.
    let texts = assert_first(account.send("one").await);
    let before = stack.dump().await;
    assert_replay(&creation.send(" one ").await, &first);
    assert_replay(&account.send("one").await, &texts);
    let another = Creation::json(&acme.client, "/folders", new(acme, &ROOT, "Others"));
    let message = "The idempotency key field was already used for a request with another payload.";
    assert_eq!(
        another.send("one").await.expect_error(422),
        json!({"idempotency_key": [message]})
    );
    stack
        .dump()
        .await
        .assert_unchanged(&before, "requests that were made before");

    // An error is not stored, and a stored response is replayed even if the request would fail now.
    assert!(creation.send("two").await.expect_error(422)["name"].is_array());
    let photos = first.json()["data"].clone();
    acme.delete_ok(&folder_path(&photos)).await;
    assert_replay(&creation.send("one").await, &first);
    acme.get_err(404, &folder_path(&photos)).await;
    let second = assert_first(creation.send("two").await);
    assert_ne!(second.json()["data"]["id"], photos["id"]);
    stack.clock.advance(minutes(KEPT_MINUTES));
    assert!(creation.send("one").await.expect_error(422)["name"].is_array());
    assert_eq!(paths(acme).await, ["Photos/", "Texts/"]);
}
