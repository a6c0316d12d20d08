//! `POST /folders`, `GET` and `PUT /folders/:id`: names, uniqueness and the choice of space and
//! parent.

use futures::future::join_all;
use serde_json::{Value, json};
use tests::{Stack, TestSpace, UNKNOWN_ID, folder_path, seconds, stack_test, text};

/// The parent of folders in the root.
pub(crate) static ROOT: Value = Value::Null;
/// Concurrent creations of the same folder.
const CALLERS: usize = 10;

/// Returns the body that creates a folder in a parent.
pub(crate) fn new(acme: &TestSpace, parent: &Value, name: &str) -> Value {
    json!({"name": name, "space_id": acme.id, "parent_id": parent["id"]})
}

/// Returns the current record of a folder.
pub(crate) async fn get_folder(acme: &TestSpace, folder: &Value) -> Value {
    acme.get_ok(&folder_path(folder)).await
}

/// Returns the paths of the folders of a space, sorted. Supports up to 100 folders.
pub(crate) async fn paths(acme: &TestSpace) -> Vec<String> {
    let list = acme.fetch("/folders?limit=100").await.json();
    let folders = list["data"].as_array().expect("a list");
    let mut paths: Vec<String> = folders.iter().map(|folder| text(&folder["path"])).collect();
    paths.sort();
    paths
}

/// Asserts that errors concern one field alone.
#[track_caller]
pub(crate) fn assert_only(errors: &Value, field: &str) {
    let reported: Vec<&String> = errors.as_object().expect("an object").keys().collect();
    assert_eq!(reported, [field], "{errors}");
}

pub(super) fn name_taken() -> Value {
    json!({"name": ["The name has already been taken."]})
}

#[stack_test]
async fn folder_is_created_and_returned(stack: &Stack, acme: &TestSpace) {
    let made_at = stack.now().rfc3339();
    let body = json!({"name": "  Photos ", "space_id": acme.id.to_lowercase(), "parent_id": "root", "colour": "red"});
    let photos = acme.create("/folders", body).await;
    let id = text(&photos["id"]);
    assert!(id.len() == 26 && id == id.to_uppercase(), "{id}");
    let expected = json!({
        "id": id, "name": "Photos", "path": "Photos/", "space_id": acme.id, "parent_id": null, "has_children": false,
        "access_control": {
            "requires_auth": false, "public_read": true, "source": "space", "inherited_from": acme.id,
            "setting": null,
        },
        "security": {
            "watermark": {"enabled": false, "url": null, "position": "southeast", "opacity": 0.5},
            "transformations": "any",
            "sources": {
                "watermark": {"source": "space", "inherited_from": acme.id},
                "transformations": {"source": "space", "inherited_from": acme.id},
            },
        },
        "created_at": made_at, "updated_at": made_at,
    });
    assert_eq!(photos, expected);

    let body = json!({"name": "Vacation", "space_id": acme.id, "parent_id": id.to_lowercase()});
    let vacation = acme.create("/folders", body).await;
    assert_eq!(
        (&vacation["path"], &vacation["parent_id"]),
        (&json!("Photos/Vacation/"), &json!(id))
    );
    for client in [
        acme.client.clone(),
        acme.role("viewer").await,
        stack.account(),
    ] {
        for address in [
            folder_path(&vacation),
            folder_path(&vacation).to_lowercase(),
        ] {
            assert_eq!(client.get_ok(&address).await, vacation, "{address}");
        }
    }
}

#[stack_test]
async fn renamed_folder_changes_paths_and_nothing_else(stack: &Stack, acme: &TestSpace) {
    let body = json!({"name": "Photos", "space_id": acme.id});
    let photos = acme.create("/folders", body).await;
    let body = json!({"name": "Vacation", "space_id": acme.id, "parent_id": photos["id"]});
    let vacation = acme.create("/folders", body).await;

    let mut expected = get_folder(acme, &photos).await;
    stack.clock.advance(seconds(1));
    let renamed = acme
        .put_ok(
            &folder_path(&photos),
            json!({"name": " Pictures ", "colour": "red"}),
        )
        .await;
    expected["name"] = json!("Pictures");
    expected["path"] = json!("Pictures/");
    expected["updated_at"] = json!(stack.now().rfc3339());
    assert_eq!(renamed, expected);
    assert_eq!(get_folder(acme, &photos).await, renamed);
    assert_eq!(
        get_folder(acme, &vacation).await["path"],
        "Pictures/Vacation/"
    );

    // Absent fields are unchanged.
    let updated = acme.put_ok(&folder_path(&vacation), json!({})).await;
    for field in ["id", "name", "parent_id", "created_at"] {
        assert_eq!(updated[field], vacation[field], "{field}");
    }
    assert_eq!(updated["path"], "Pictures/Vacation/");
}

/// Returns invalid names and their errors.
fn wrong_names() -> Vec<(Value, &'static str)> {
    let required = "The name field is required.";
    let format =
        "The name field must not be . or .., and must not contain slashes or control characters.";
    let long = "The name field must not be greater than 255 characters.";
    let mut wrong = vec![
        (json!(null), required),
        (json!(""), required),
        (json!(" \t "), required),
        (json!("x".repeat(256)), long),
        (json!("é".repeat(256)), long),
        (json!("e\u{301}".repeat(256)), long),
    ];
    let formats = [
        "/", "a/b", "/a", "a/", ".", "..", " .. ", "a\u{0}b", "a\nb", "a\u{7F}b", "a\u{85}b",
    ];
    wrong.extend(formats.map(|name| (json!(name), format)));

    let others = [json!(5), json!(true), json!(["a"]), json!({"a": 1})];
    wrong.extend(others.map(|name| (name, "The name field must be a string.")));

    wrong
}

#[stack_test]
async fn invalid_name_returns_422_and_changes_nothing(stack: &Stack, acme: &TestSpace) {
    let photos = acme.folder("Photos").await;
    let before = stack.dump().await;

    for (name, message) in wrong_names() {
        let errors = json!({"name": [message]});
        let new_folder = json!({"name": name, "space_id": acme.id});
        let created = acme.post("/folders", new_folder).await;
        assert_eq!(created.expect_error(422), errors, "{name}");

        let rename = json!({"name": name});
        let renamed = acme.put(&folder_path(&photos), rename).await;
        assert_eq!(renamed.expect_error(422), errors, "{name}");
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "invalid names");
}

#[stack_test]
async fn invalid_folder_reports_all_errors_and_changes_nothing(stack: &Stack, acme: &TestSpace) {
    let photos = acme.folder("Photos").await;
    let before = stack.dump().await;
    let required = |field: &str| json!([format!("The {field} field is required.")]);
    let not_a_string = |field: &str| json!([format!("The {field} field must be a string.")]);

    for (body, errors) in [
        (
            json!({}),
            json!({"name": required("name"), "space_id": required("space id")}),
        ),
        (
            json!({"name": 5, "space_id": [acme.id], "parent_id": 5}),
            json!({
                "name": not_a_string("name"), "space_id": not_a_string("space id"),
                "parent_id": not_a_string("parent id"),
            }),
        ),
        (
            json!({"name": "a/b", "space_id": " ", "parent_id": "x"}),
            json!({
                "name": ["The name field must not be . or .., and must not contain slashes or control characters."], "space_id": required("space id"),
                "parent_id": ["The selected parent id is invalid."],
            }),
        ),
    ] {
        let response = acme.post("/folders", body).await;
        assert_eq!(response.expect_error(422), errors);
    }

    // Folders require a space even for an account key, which has a default space.
    let without_space = json!({"name": "New"});
    let response = stack.account().post("/folders", without_space).await;
    assert_eq!(
        response.expect_error(422),
        json!({"space_id": required("space id")})
    );

    let change = json!({"name": null, "parent_id": ["x"]});
    let response = acme.put(&folder_path(&photos), change).await;
    assert_eq!(
        response.expect_error(422),
        json!({"name": required("name"), "parent_id": not_a_string("parent id")})
    );
    stack
        .dump()
        .await
        .assert_unchanged(&before, "invalid folders");
}

#[stack_test]
async fn one_of_concurrent_creates_succeeds(acme: &TestSpace) {
    for parent in [ROOT.clone(), acme.folder("Photos").await.record] {
        let body = |index: usize| {
            new(
                acme,
                &parent,
                if index.is_multiple_of(2) {
                    "Race"
                } else {
                    "RACE"
                },
            )
        };
        let attempts = (0..CALLERS).map(|index| acme.post("/folders", body(index)));
        let responses = join_all(attempts).await;
        assert_eq!(
            responses
                .iter()
                .filter(|response| response.status == 201)
                .count(),
            1
        );
        for response in responses
            .into_iter()
            .filter(|response| response.status != 201)
        {
            assert_eq!(response.expect_error(422), name_taken());
        }
    }

    assert_eq!(paths(acme).await.len(), 3);
}

#[stack_test]
async fn create_accepts_only_reachable_space_and_parent(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    let photos = acme.folder("Photos").await;
    let foreign = other.folder("Photos").await;
    let deleted = acme.folder("Gone").await;
    acme.delete_ok(&folder_path(&deleted)).await;
    let [photos_id, foreign_id, gone_id] =
        [&photos, &foreign, &deleted].map(|folder| text(&folder["id"]));
    let outsider = stack.user().await;
    let before = stack.dump().await;

    let invalid = json!({"space_id": ["The selected space id is invalid."]});
    for space in [UNKNOWN_ID, "x", "root", &acme.handle, &other.id, &photos_id] {
        let body = json!({"name": "New", "space_id": space});
        assert_eq!(
            acme.post_err(422, "/folders", body).await,
            invalid,
            "{space}"
        );
    }
    let body = json!({"name": "New", "space_id": acme.id});
    assert_eq!(
        outsider.client.post_err(422, "/folders", body).await,
        invalid
    );

    let invalid = json!({"parent_id": ["The selected parent id is invalid."]});
    for parent in [
        UNKNOWN_ID,
        "x",
        "Photos",
        "Photos/",
        &acme.id,
        &foreign_id,
        &gone_id,
    ] {
        for client in [&acme.client, &stack.account()] {
            let body = json!({"name": "New", "space_id": acme.id, "parent_id": parent});
            assert_eq!(
                client.post_err(422, "/folders", body).await,
                invalid,
                "{parent}"
            );
            let body = json!({"name": "New", "parent_id": parent});
            assert_eq!(
                client.put_err(422, &folder_path(&photos), body).await,
                invalid,
                "{parent}"
            );
        }
    }
    stack
        .dump()
        .await
        .assert_unchanged(&before, "places that are none");
}
