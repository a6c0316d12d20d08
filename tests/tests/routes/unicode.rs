//! Texts are stored in Unicode NFC, and stored names are transliterated.

use serde_json::{Value, json};
use tests::{PHOTO, Stack, TestSpace, form, stack_test, text};

/// The same text in NFC and in NFD.
const COMPOSED: &str = "\u{e9}t\u{e9}";
const DECOMPOSED: &str = "e\u{301}te\u{301}";

/// Creates a space, a key and an upload config `a` with decomposed texts, and returns the space.
async fn space_with_decomposed_texts(stack: &Stack) -> Value {
    let account = stack.account();
    let space = account
        .create(
            "/spaces",
            json!({"name": DECOMPOSED, "description": DECOMPOSED}),
        )
        .await;

    assert_eq!(
        (&space["name"], &space["description"]),
        (&json!(COMPOSED), &json!(COMPOSED))
    );

    let taken = account
        .post_err(422, "/spaces", json!({"name": COMPOSED.to_uppercase()}))
        .await;
    assert_eq!(taken, json!({"name": ["The name has already been taken."]}));

    let keys = format!("/spaces/{}/api-keys", text(&space["id"]));
    assert_eq!(
        account.create(&keys, json!({"name": DECOMPOSED})).await["name"],
        COMPOSED
    );

    let config = json!({
        "space_id": space["id"], "name": "a", "description": DECOMPOSED,
        "config": {"metadata": {"tags": [DECOMPOSED]}},
    });
    assert_eq!(
        account.create("/upload-configs", config).await["description"],
        COMPOSED
    );

    space
}

#[stack_test]
async fn texts_are_stored_in_nfc(stack: &Stack) {
    let account = stack.account();
    let space = space_with_decomposed_texts(stack).await;
    let id = text(&space["id"]);
    let handle = text(&space["handle"]);

    let name = format!("{DECOMPOSED}.jpg");
    let upload = form(&handle, &name, "image/jpeg", PHOTO)
        .text("ref", DECOMPOSED)
        .text("upload_config", "a");
    let record = account.upload_form(upload).await.expect_created();

    assert_eq!(record["original_name"], format!("{COMPOSED}.jpg"));
    assert_eq!(
        (&record["ref"], &record["tags"]),
        (&json!(COMPOSED), &json!([COMPOSED]))
    );

    let file = format!("/files/{}", text(&record["id"]));
    let change =
        json!({"original_name": "o\u{308}.jpg", "ref": "o\u{308}", "tags": ["o\u{308}", "\u{f6}"]});
    let changed = account.put_ok(&file, change).await;

    assert_eq!(
        (&changed["original_name"], &changed["ref"]),
        (&json!("\u{f6}.jpg"), &json!("\u{f6}"))
    );
    assert_eq!(changed["tags"], json!(["\u{f6}"]));

    for encoded in ["%C3%B6", "o%CC%88", "O%CC%88"] {
        let list = async |filter: &str| {
            account
                .get(&format!("/files?space_id={id}&{filter}={encoded}"))
                .await
        };
        let first = |list: Value| list["data"][0]["id"].clone();
        assert_eq!(
            first(list("search").await.expect_status(200).json()),
            record["id"],
            "{encoded}"
        );

        if !encoded.starts_with('O') {
            assert_eq!(
                first(list("tag").await.expect_status(200).json()),
                record["id"],
                "{encoded}"
            );
            let by_ref = account
                .get_ok(&format!("/files/by-ref?space_id={id}&ref={encoded}"))
                .await;
            assert_eq!(by_ref["id"], record["id"], "{encoded}");
        }
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
        let record = acme
            .upload(PHOTO)
            .named(name, "image/jpeg")
            .with_config("own")
            .await;
        assert_eq!(record["name"], stored_name, "{name}");
        stack.anonymous.fetch(&text(&record["url"])).await;
    }

    // Different names conflict if they have the same transliteration.
    acme.upload(PHOTO)
        .named("uni.jpg", "image/jpeg")
        .with_config("own")
        .send()
        .await
        .expect_error(409);
}
