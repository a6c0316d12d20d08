//! `POST /folders`, `GET` and `PUT /folders/:id`: names, uniqueness and the choice of space and
//! parent.

use futures::future::join_all;
use serde_json::{Value, json};
use tests::{
    Ends, Folder, Stack, TestSpace, UNKNOWN_ID, field_error, field_errors, field_names,
    folder_path, name_taken, rows, seconds, stack_test, text,
};

/// The parent of folders in the root.
pub(crate) static ROOT: Value = Value::Null;
/// Concurrent creations of the same folder.
const CALLERS: usize = 10;
/// End of the error of names that no folder can have.
const NAME_FORMAT: &str = "must not be . or .., and must not contain slashes or control characters";

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
    assert_eq!(field_names(errors), [field], "{errors}");
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

/// Returns invalid names, and the ends of their errors.
fn wrong_names() -> Vec<(Value, &'static str)> {
    let blank = [json!(null), json!(""), json!(" \t ")];
    let long = ["x", "é", "e\u{301}"].map(|character| json!(character.repeat(256)));
    let formats = [
        "/", "a/b", "/a", "a/", ".", "..", " .. ", "a\u{0}b", "a\nb", "a\u{7F}b", "a\u{85}b",
    ];
    let others = [json!(5), json!(true), json!(["a"]), json!({"a": 1})];

    let mut wrong = Vec::new();
    wrong.extend(blank.map(|name| (name, "is required")));
    wrong.extend(long.map(|name| (name, "must not be greater than 255 characters")));
    wrong.extend(formats.map(|name| (json!(name), NAME_FORMAT)));
    wrong.extend(others.map(|name| (name, "must be a string")));
    wrong
}

#[stack_test]
async fn invalid_name_returns_422_and_changes_nothing(stack: &Stack, acme: &TestSpace) {
    let photos = acme.folder("Photos").await;
    let before = stack.dump().await;

    for (name, end) in wrong_names() {
        let new = json!({"name": name, "space_id": acme.id});
        let rename = json!({ "name": name });
        for errors in [
            acme.post_err(422, "/folders", new).await,
            acme.put_err(422, photos.path(), rename).await,
        ] {
            assert_eq!(errors, field_error("name", end), "{name}");
        }
    }
    stack.assert_unchanged(&before, "invalid names").await;
}

#[stack_test]
async fn invalid_folder_reports_all_errors_and_changes_nothing(stack: &Stack, acme: &TestSpace) {
    let photos = acme.folder("Photos").await;
    let before = stack.dump().await;
    let required = "is required";
    let string = "must be a string";

    // Folders require a space even for an account key, which has a default space.
    for (body, ends) in rows::<(Value, Ends)>(json!([
        [{}, {"name": required, "space_id": required}],
        [{"name": "New"}, {"space_id": required}],
        [
            {"name": 5, "space_id": [acme.id], "parent_id": 5},
            {"name": string, "space_id": string, "parent_id": string},
        ],
        [
            {"name": "a/b", "space_id": " ", "parent_id": "x"},
            {"name": NAME_FORMAT, "space_id": required, "parent_id": ""},
        ],
    ])) {
        let expected = field_errors(ends);
        for client in [&acme.client, &stack.account()] {
            let errors = client.post_err(422, "/folders", &body).await;
            assert_eq!(errors, expected, "{body}");
        }
    }

    let change = json!({"name": null, "parent_id": ["x"]});
    let errors = acme.put_err(422, photos.path(), change).await;
    let expected = field_errors([("name", required), ("parent_id", string)]);
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
    let before = stack.dump().await;

    // `routes::roles` has clients of other spaces.
    let ids = [&acme.handle, &other.id, &photos.id].map(String::as_str);
    for space in [UNKNOWN_ID, "x", "root"].into_iter().chain(ids) {
        let body = json!({"name": "New", "space_id": space});
        let errors = acme.post_err(422, "/folders", body).await;
        assert_eq!(errors, field_error("space_id", ""), "{space}");
    }

    stack.assert_unchanged(&before, "unknown spaces").await;
}

#[stack_test]
async fn names_are_stored_in_nfc(acme: &TestSpace) {
    let long = "x".repeat(255);
    let longest = "\u{E9}".repeat(255);
    let plain = "...|.hidden|root|a\\b|%2F|日本|😀|two  spaces|<b>&\"'";
    let plain = plain.split('|').chain([&*long, &longest]);
    let composed = [
        ("E\u{301}te\u{301}", "\u{C9}t\u{E9}"),
        ("A\u{30A}", "\u{C5}"),
    ];

    for (requested, stored) in plain.map(|name| (name, name)).chain(composed) {
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
const PAIRS: [(&str, &str, bool); 14] = [
    ("Photos", "Photos", true),
    ("Photos", " pHOTOS ", true),
    ("\u{C9}t\u{E9}", "e\u{301}TE\u{301}", true),
    ("stra\u{DF}e", "STRA\u{DF}E", true),
    ("\u{434}\u{43E}\u{43C}", "\u{414}\u{41E}\u{41C}", true),
    // The signs of Ångström and Kelvin are letters.
    ("\u{E5}", "\u{212B}", true),
    ("k", "\u{212A}", true),
    ("ΟΔΟΣ", "οδοσ", true),
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
