//! Cursors of file lists: each is valid only for the filters that it was issued for.

use serde_json::{Value, json};
use tests::{Client, StackOptions, TestSpace, stack_test};

use super::list_rules::upload_as;

/// Returns the cursor after the first file of a list.
async fn next_of(client: &Client, query: &str) -> String {
    let page = client
        .fetch(&format!("/files?{query}&limit=1"))
        .await
        .json();
    page["next_cursor"].as_str().expect("a cursor").to_owned()
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn cursor_is_valid_for_its_filters_only(acme: &TestSpace, other: &TestSpace) {
    let photos = acme.folder("Photos").await;
    let folder_id = &photos.id;
    let tags = json!({"metadata": {"tags": ["a", "b"]}});
    acme.upload_config("tagged").with_settings(tags).await;
    for name in ["a1.txt", "a2.txt", "a3.txt"] {
        let text = acme.upload("some text").named(name, "text/plain");
        text.into(&photos).with_config("tagged").await;
        upload_as(other, &other.client, name).await;
    }

    let in_folder = format!("folder_id={folder_id}");
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
        let cursor = next_of(&acme.client, issued_for).await;
        for used_with in queries {
            let response = acme
                .get(&format!("/files?{used_with}&cursor={cursor}&limit=2"))
                .await;
            if used_with == issued_for {
                assert_eq!(
                    response.expect_status(200).json()["data"]
                        .as_array()
                        .map(Vec::len),
                    Some(2),
                    "{used_with}"
                );
            } else {
                assert_eq!(
                    response.expect_error(422),
                    invalid,
                    "{used_with} by a cursor of {issued_for}"
                );
            }
        }
        // The folder does not exist in another space.
        if issued_for != in_folder {
            let foreign = other
                .get(&format!("/files?{issued_for}&cursor={cursor}"))
                .await;
            assert_eq!(foreign.expect_error(422), invalid, "{issued_for}");
        }
    }
}

#[stack_test]
async fn cursor_ignores_order_of_filters(acme: &TestSpace) {
    for name in ["a1.txt", "a2.txt", "a3.txt"] {
        upload_as(acme, &acme.client, name).await;
    }

    let cursor = next_of(&acme.client, "type=upload&search=a").await;
    let viewer = acme.role("viewer").await;

    for (client, query) in [
        (&acme.client, "search=a&type=upload"),
        (&viewer, "search=%61&type=upload"),
    ] {
        let page = client
            .fetch(&format!("/files?{query}&cursor={cursor}"))
            .await
            .json();
        let names: Vec<&Value> = page["data"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|file| &file["original_name"])
            .collect();
        assert_eq!(names, ["a2.txt", "a3.txt"], "{query}");
    }

    let invalid = json!({"cursor": ["The selected cursor is invalid."]});
    for address in ["/folders", "/spaces", "/upload-configs"] {
        assert_eq!(
            acme.get_err(422, &format!("{address}?cursor={cursor}"))
                .await,
            invalid,
            "{address}"
        );
    }

    for (index, byte) in cursor.bytes().enumerate() {
        let mut tampered = cursor.clone().into_bytes();
        // A distant letter, so that it differs in more than the bits that decoding discards.
        tampered[index] = if byte == b'Q' { b'x' } else { b'Q' };
        let tampered = String::from_utf8(tampered).expect("ASCII");
        let address = format!("/files?type=upload&search=a&cursor={tampered}");
        assert_eq!(acme.get_err(422, &address).await, invalid, "{tampered}");
    }
}
