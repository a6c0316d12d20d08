//! `POST /folders`, `GET` and `PUT /folders/:id`: names, uniqueness and the choice of space and
//! parent.

use futures::future::join_all;
use serde_json::{Value, json};
use tests::{
    Folder, Stack, TestSpace, UNKNOWN_ID, field_error, folder_path, name_taken, seconds,
    stack_test, text,
};

/// The parent of folders in the root.
pub(crate) static ROOT: Value = Value::Null;
/// Concurrent creations of the same folder.
const CALLERS: usize = 10;
/// Error of names that no folder can have.
const NAME_FORMAT: &str =
    "The name field must not be . or .., and must not contain slashes or control characters.";

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
    let folders = acme.get_ok("/folders?limit=100").await;
    let folders = folders.as_array().expect("a list");
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
            "watermark": {"enabled": false, "url": null, "file_id": null, "position": "southeast", "opacity": 0.5},
            "transformations": "any",
            "sources": {
                "watermark": {"source": "space", "inherited_from": acme.id},
                "transformations": {"source": "space", "inherited_from": acme.id},
            },
        },
        "created_at": made_at, "updated_at": made_at, "ancestors": [],
    });
    assert_eq!(photos, expected);

    let body = json!({"name": "Vacation", "space_id": acme.id, "parent_id": id.to_lowercase()});
    let vacation = acme.create("/folders", body).await;
    assert_eq!(vacation["path"], "Photos/Vacation/");
    assert_eq!(vacation["parent_id"], *id);
    let path = folder_path(&vacation);
    for client in [&acme.client, &acme.role("viewer").await, &stack.account()] {
        for path in [&path, &path.to_lowercase()] {
            assert_eq!(client.get_ok(path).await, vacation, "{path}");
        }
    }
}

#[stack_test]
async fn renamed_folder_changes_paths_and_nothing_else(stack: &Stack, acme: &TestSpace) {
    let photos = acme.folder("Photos").await;
    let vacation = acme.folder("Vacation").inside(&photos).await;
    let mut expected = get_folder(acme, &photos).await;
    stack.clock.advance(seconds(1));

    let rename = json!({"name": " Pictures ", "colour": "red"});
    let renamed = acme.put_ok(photos.path(), rename).await;

    expected["name"] = json!("Pictures");
    expected["path"] = json!("Pictures/");
    expected["updated_at"] = json!(stack.now().rfc3339());
    assert_eq!(renamed, expected);
    assert_eq!(get_folder(acme, &photos).await, renamed);
    // Absent fields are unchanged.
    let updated = acme.put_ok(vacation.path(), json!({})).await;
    for field in ["id", "name", "parent_id", "created_at"] {
        assert_eq!(updated[field], vacation[field], "{field}");
    }
    assert_eq!(updated["path"], "Pictures/Vacation/");
}

/// Returns invalid names and their errors.
fn wrong_names() -> Vec<(Value, &'static str)> {
    let required = "The name field is required.";
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
    wrong.extend(formats.map(|name| (json!(name), NAME_FORMAT)));

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
        let body = json!({"name": name, "space_id": acme.id});
        assert_eq!(acme.post_err(422, "/folders", body).await, errors, "{name}");
        let body = json!({ "name": name });
        assert_eq!(
            acme.put_err(422, photos.path(), body).await,
            errors,
            "{name}"
        );
    }
    stack.assert_unchanged(&before, "invalid names").await;
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
                "name": [NAME_FORMAT], "space_id": required("space id"),
                "parent_id": ["The selected parent id is invalid."],
            }),
        ),
    ] {
        assert_eq!(acme.post_err(422, "/folders", body).await, errors);
    }

    // Folders require a space even for an account key, which has a default space.
    let without_space = json!({"name": "New"});
    let errors = stack
        .account()
        .post_err(422, "/folders", without_space)
        .await;
    assert_eq!(errors, json!({"space_id": required("space id")}));

    let change = json!({"name": null, "parent_id": ["x"]});
    let errors = acme.put_err(422, photos.path(), change).await;
    let expected = json!({"name": required("name"), "parent_id": not_a_string("parent id")});
    assert_eq!(errors, expected);
    stack.assert_unchanged(&before, "invalid folders").await;
}

#[stack_test]
async fn one_of_concurrent_creates_succeeds(acme: &TestSpace) {
    for parent in [ROOT.clone(), acme.folder("Photos").await.record] {
        let attempts = (0..CALLERS).map(|index| {
            let name = ["Race", "RACE"][index % 2];
            acme.post("/folders", new(acme, &parent, name))
        });
        let responses = join_all(attempts).await;

        let (created, rejected): (Vec<_>, Vec<_>) = responses
            .into_iter()
            .partition(|response| response.status == 201);
        assert_eq!(created.len(), 1);
        for response in rejected {
            assert_eq!(response.expect_error(422), name_taken());
        }
    }

    assert_eq!(paths(acme).await.len(), 3);
}

#[stack_test]
async fn create_accepts_only_reachable_space(stack: &Stack, acme: &TestSpace, other: &TestSpace) {
    let photos = acme.folder("Photos").await;
    let outsider = stack.user().await;
    let before = stack.dump().await;

    for (client, space) in [
        (&acme.client, UNKNOWN_ID),
        (&acme.client, "x"),
        (&acme.client, "root"),
        (&acme.client, &acme.handle),
        (&acme.client, &other.id),
        (&acme.client, &photos.id),
        (&outsider.client, &acme.id),
    ] {
        let body = json!({"name": "New", "space_id": space});
        let errors = client.post_err(422, "/folders", body).await;
        assert_eq!(errors, field_error("space_id", ""), "{space}");
    }

    stack.assert_unchanged(&before, "unknown spaces").await;
}

#[stack_test]
async fn names_are_stored_in_nfc(acme: &TestSpace) {
    let long = "x".repeat(255);
    let longest = "\u{E9}".repeat(255);
    let plain = [
        "...",
        ".hidden",
        "root",
        "a\\b",
        "%2F",
        "日本",
        "😀",
        "two  spaces",
        "<b>&\"'",
        &long,
        &longest,
    ];
    let composed = [
        ("E\u{301}te\u{301}", "\u{C9}t\u{E9}"),
        ("A\u{30A}", "\u{C5}"),
    ];

    for (requested, stored) in plain.map(|name| (name, name)).into_iter().chain(composed) {
        let folder = acme.folder(requested).await;
        assert_eq!(folder["name"], stored);
        assert_eq!(folder["path"], format!("{stored}/"));
        assert_eq!(get_folder(acme, &folder).await, folder);

        for (name, stored) in [("Other", "Other"), (requested, stored)] {
            let body = json!({ "name": name });
            assert_eq!(acme.put_ok(folder.path(), body).await["name"], stored);
        }
    }
}

/// Pairs of names, and whether they conflict in one folder.
const PAIRS: [(&str, &str, bool); 13] = [
    ("Photos", "Photos", true),
    ("Photos", " pHOTOS ", true),
    ("\u{C9}t\u{E9}", "e\u{301}TE\u{301}", true),
    ("stra\u{DF}e", "STRA\u{DF}E", true),
    ("\u{434}\u{43E}\u{43C}", "\u{414}\u{41E}\u{41C}", true),
    // The signs of Ångström and Kelvin are letters.
    ("\u{E5}", "\u{212B}", true),
    ("k", "\u{212A}", true),
    ("Ete", "\u{C9}te", false),
    ("strasse", "stra\u{DF}e", false),
    // Names that look alike: a ligature and a full-width letter.
    ("file", "\u{FB01}le", false),
    ("a", "\u{FF41}", false),
    ("a b", "a  b", false),
    ("photos", "photos.", false),
];

#[stack_test]
async fn sibling_names_are_unique_ignoring_case_and_unicode_form(acme: &TestSpace) {
    for (number, (first, second, is_taken)) in PAIRS.into_iter().enumerate() {
        let parent = acme.folder(&format!("case {number}")).await;
        let one = acme.folder(first).inside(&parent).await;
        let other = acme.folder("other").inside(&parent).await;
        let third = new(acme, &parent, second);
        if !is_taken {
            acme.create("/folders", third).await;
            continue;
        }

        let errors = acme.post_err(422, "/folders", third).await;
        assert_eq!(errors, name_taken(), "{first:?} {second:?}");
        let rename = json!({ "name": second });
        let errors = acme.put_err(422, other.path(), &rename).await;
        assert_eq!(errors, name_taken(), "{second:?}");
        // A folder may keep its own name, and another folder may have the same name.
        acme.put_ok(one.path(), rename).await;
        acme.folder(second).inside(&one).await;
    }
}

#[stack_test]
async fn name_is_free_after_rename_or_deletion(acme: &TestSpace) {
    let first = acme.folder("A").await;
    let second = acme.folder("B").await;
    let rename = async |folder: &Folder, name: &str| {
        let body = json!({ "name": name });
        acme.put(folder.path(), body).await
    };

    assert_eq!(rename(&second, "a").await.expect_error(422), name_taken());
    rename(&first, "C").await.expect_ok();
    rename(&second, "a").await.expect_ok();
    assert_eq!(rename(&first, "A").await.expect_error(422), name_taken());

    let third = acme.folder("B").await;
    acme.delete_ok(second.path()).await;
    rename(&third, "A").await.expect_ok();
    acme.delete_ok(third.path()).await;

    let fourth = acme.folder("a").await;
    assert_ne!(fourth.id, second.id);
    assert_eq!(paths(acme).await, ["C/", "a/"]);
}
