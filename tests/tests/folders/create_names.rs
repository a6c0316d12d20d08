//! Names of folders: Unicode normalization and uniqueness among siblings.

use serde_json::json;
use tests::{Folder, TestSpace, name_taken, stack_test};

use super::create::{get_folder, new, paths};

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
