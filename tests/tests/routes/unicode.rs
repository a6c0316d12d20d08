//! Texts are stored in Unicode NFC, and stored names are transliterated.

use serde_json::{Value, json};
use tests::{PHOTO, Stack, TestSpace, assert_fields, file_path, form, stack_test, text};

/// The same text in NFC and in NFD.
const COMPOSED: &str = "\u{e9}t\u{e9}";
const DECOMPOSED: &str = "e\u{301}te\u{301}";

/// Creates a space, a key and an upload config `a` with decomposed texts, and returns the space.
async fn space_with_decomposed_texts(stack: &Stack) -> Value {
    let account = stack.account();
    let body = json!({"name": DECOMPOSED, "description": DECOMPOSED});
    let space = account.create("/spaces", body).await;
    assert_fields(&space, json!({"name": COMPOSED, "description": COMPOSED}));
    let same_name = json!({"name": COMPOSED.to_uppercase()});
    let errors = account.post_err(422, "/spaces", same_name).await;
    assert_eq!(
        errors,
        json!({"name": ["The name has already been taken."]})
    );

    let keys = format!("/spaces/{}/api-keys", text(&space["id"]));
    let key = account.create(&keys, json!({"name": DECOMPOSED})).await;
    assert_eq!(key["name"], COMPOSED);

    let config = json!({
        "space_id": space["id"], "name": "a", "description": DECOMPOSED,
        "config": {"metadata": {"tags": [DECOMPOSED]}},
    });
    let config = account.create("/upload-configs", config).await;
    assert_eq!(config["description"], COMPOSED);
    space
}

#[stack_test]
async fn texts_are_stored_in_nfc(stack: &Stack) {
    let account = stack.account();
    let space = space_with_decomposed_texts(stack).await;
    let id = text(&space["id"]);

    let name = format!("{DECOMPOSED}.jpg");
    let upload = form(&text(&space["handle"]), &name, "image/jpeg", PHOTO)
        .text("ref", DECOMPOSED)
        .text("upload_config", "a");
    let file = account.upload_form(upload).await.expect_created();
    let expected = json!({
        "original_name": format!("{COMPOSED}.jpg"), "ref": COMPOSED, "tags": [COMPOSED],
    });
    assert_fields(&file, expected);

    let change =
        json!({"original_name": "o\u{308}.jpg", "ref": "o\u{308}", "tags": ["o\u{308}", "\u{f6}"]});
    let changed = account.put_ok(&file_path(&file), change).await;
    let expected = json!({"original_name": "\u{f6}.jpg", "ref": "\u{f6}", "tags": ["\u{f6}"]});
    assert_fields(&changed, expected);

    for filter in [
        "search=%C3%B6",
        "search=o%CC%88",
        "search=O%CC%88",
        "tag=%C3%B6",
        "tag=o%CC%88",
    ] {
        let path = format!("/files?space_id={id}&{filter}");
        let list = account.get_ok(&path).await;
        assert_eq!(list[0]["id"], file["id"], "{filter}");
    }
    for reference in ["%C3%B6", "o%CC%88"] {
        let path = format!("/files/by-ref?space_id={id}&ref={reference}");
        assert_eq!(account.get_ok(&path).await["id"], file["id"]);
    }
}

#[stack_test]
async fn stored_names_are_transliterated(stack: &Stack, acme: &TestSpace) {
    acme.upload_config("own")
        .with_settings(json!({"storage": {"generate_filename": false, "unique_filename": false}}))
        .await;

    for (name, stored_name) in [
        ("\u{dc}n\u{ef}.jpg", "uni.jpg"),
        ("U\u{308}ni\u{308} 2.jpg", "uni-2.jpg"),
        ("Москва.jpg", "moskva.jpg"),
        ("日本.jpg", "ri-ben.jpg"),
    ] {
        let upload = acme.upload(PHOTO).named(name, "image/jpeg");
        let file = upload.with_config("own").await;
        assert_eq!(file["name"], stored_name, "{name}");
        stack.anonymous.fetch(file.url()).await;
    }

    // Different names conflict if they have the same transliteration.
    let upload = acme.upload(PHOTO).named("uni.jpg", "image/jpeg");
    let upload = upload.with_config("own").send().await;
    upload.expect_error(409);
}
