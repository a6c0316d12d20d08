//! Cursors of file lists: each is valid only for the filters that it was issued for.

use serde_json::{Value, json};
use tests::{Client, Folder, StackOptions, TestSpace, stack_test, text};

/// Uploads three texts.
async fn upload_texts(acme: &TestSpace, folder: Option<&Folder>) {
    let settings = json!({"metadata": {"tags": ["a", "b"]}});
    acme.upload_config("tagged").with_settings(settings).await;
    for name in ["a1.txt", "a2.txt", "a3.txt"] {
        let text = acme.upload("text").named(name, "text/plain");
        let folder_id = folder.map_or("root", |folder| &folder.id);
        text.into_id(folder_id).with_config("tagged").await;
    }
}

/// Returns the cursor after the first file of a list.
async fn next_of(client: &Client, query: &str) -> String {
    let page = client.fetch(&format!("/files?{query}&limit=1")).await;
    text(&page.json()["next_cursor"])
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn cursor_is_valid_for_its_filters_only(acme: &TestSpace, other: &TestSpace) {
    let photos = acme.folder("Photos").await;
    upload_texts(acme, Some(&photos)).await;
    upload_texts(other, None).await;

    let in_folder = format!("folder_id={}", photos.id);
    let queries = [
        "",
        "type=upload",
        "resource_type=text",
        "status=active",
        "tag=a",
        "tag=b",
        "search=a",
        "search=a&tag=b",
        "type=upload&tag=a",
        "tag=a&search=a",
        &in_folder,
    ];
    let invalid = json!({"cursor": ["The selected cursor is invalid."]});

    for issued_for in queries {
        let cursor = next_of(acme, issued_for).await;
        for used_with in queries {
            let path = format!("/files?{used_with}&cursor={cursor}&limit=2");
            if used_with == issued_for {
                let files = acme.get_ok(&path).await;
                assert_eq!(files.as_array().map(Vec::len), Some(2), "{used_with}");
            } else {
                assert_eq!(acme.get_err(422, &path).await, invalid, "{issued_for}");
            }
        }
        // The folder does not exist in another space.
        if issued_for != in_folder {
            let path = format!("/files?{issued_for}&cursor={cursor}");
            assert_eq!(other.get_err(422, &path).await, invalid, "{issued_for}");
        }
    }
}

#[stack_test]
async fn cursor_ignores_order_of_filters(acme: &TestSpace) {
    upload_texts(acme, None).await;
    let cursor = next_of(acme, "type=upload&search=a").await;
    let viewer = acme.role("viewer").await;

    for (client, query) in [
        (&acme.client, "search=a&type=upload"),
        (&viewer, "search=%61&type=upload"),
    ] {
        let path = format!("/files?{query}&cursor={cursor}");
        let files = client.get_ok(&path).await;
        let files = files.as_array().expect("a list");
        let names: Vec<&Value> = files.iter().map(|file| &file["original_name"]).collect();
        assert_eq!(names, ["a2.txt", "a3.txt"], "{query}");
    }

    let invalid = json!({"cursor": ["The selected cursor is invalid."]});
    for path in ["/folders", "/spaces", "/upload-configs"] {
        let errors = acme.get_err(422, &format!("{path}?cursor={cursor}")).await;
        assert_eq!(errors, invalid, "{path}");
    }

    for (index, byte) in cursor.bytes().enumerate() {
        let mut tampered = cursor.clone().into_bytes();
        // A distant letter, so that it differs in more than the bits that decoding discards.
        tampered[index] = if byte == b'Q' { b'x' } else { b'Q' };
        let tampered = String::from_utf8(tampered).expect("ASCII");
        let path = format!("/files?type=upload&search=a&cursor={tampered}");
        assert_eq!(acme.get_err(422, &path).await, invalid, "{tampered}");
    }
}
