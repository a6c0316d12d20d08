//! The folder mode `fixed`: the URL of a file contains the folders that it was uploaded into, and
//! does not change when they do.

use reqwest::multipart::Form;
use serde_json::{Value, json};
use tests::{PHOTO, Response, Stack, TestSpace, file, folder_path, stack_test, text};

use super::presign::PendingFile;

/// Maximum depth of folders.
const MAX_DEPTH: usize = 20;
/// Maximum length of a folder's slug in a URL.
const SLUG_MAX_CHARS: usize = 100;

/// Creates a space of a folder mode.
async fn space(stack: &Stack, mode: &str) -> TestSpace {
    let space = stack
        .account()
        .create("/spaces", json!({"name": mode, "folder_mode": mode}))
        .await;

    assert_eq!(space["folder_mode"], json!(mode));

    let id = text(&space["id"]);
    let handle = text(&space["handle"]);
    let key = stack
        .account()
        .create(&format!("/spaces/{id}/api-keys"), json!({"name": "owner"}))
        .await;
    let client = stack.anonymous.with_key(&text(&key["key"]));

    TestSpace {
        client,
        id,
        handle,
        key_id: key["id"].as_u64().expect("a number"),
    }
}

/// Uploads the photo with a file name into a folder path, with a config.
async fn upload(acme: &TestSpace, path: &str, name: &str, config: &str) -> Response {
    let photo = acme.upload(PHOTO).named(name, "image/jpeg");
    let photo = photo.into_id("root").with_path(path);
    photo.with_config(config).send().await
}

/// Asserts that a file is delivered at its URL, whose path starts with `folders`.
async fn assert_delivered(stack: &Stack, acme: &TestSpace, file: &Value, folders: &str) {
    let path = format!("{}/{folders}{}", acme.handle, text(&file["name"]));
    assert_eq!(file["storage_path"], json!(path));
    assert_eq!(
        file["url"],
        json!(format!("{}/{path}", stack.local.cdn_url()))
    );

    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._/-".contains(&byte);
    assert!(path.bytes().all(is_plain), "{path}");
    assert!(
        stack.anonymous.fetch(&text(&file["url"])).await.body == PHOTO,
        "{path}"
    );
}

/// Creates the config `own`, which stores files under their original names.
async fn create_original_names_config(acme: &TestSpace) {
    acme.upload_config("own")
        .with_settings(json!({"storage": {"generate_filename": false, "unique_filename": false}}))
        .await;
}

#[stack_test]
async fn fixed_folders_are_transliterated_in_urls(stack: &Stack) {
    let acme = space(stack, "fixed").await;
    let long = "x".repeat(255);
    let cut = format!("{}/", "x".repeat(SLUG_MAX_CHARS));

    // `None`: a name that cannot be transliterated is replaced by the id of the folder.
    for (path, slugs) in [
        ("Photos", Some("photos/")),
        (
            "PHOTOS/Summer Holiday (2)",
            Some("photos/summer-holiday-2/"),
        ),
        ("Été/ÑANDÚ", Some("ete/nandu/")),
        ("a_b/C.D", Some("a_b/c-d/")),
        ("%2E%2E/a\\b", Some("2e-2e/a-b/")),
        (long.as_str(), Some(cut.as_str())),
        ("日本", Some("ri-ben/")),
        ("Photos/\u{E000}", None),
        ("Photos/...", None),
    ] {
        let file = upload(&acme, path, "photo.jpg", "starter")
            .await
            .expect_created();
        let parent = if path.contains('/') { "photos/" } else { "" };
        let by_id = format!("{parent}{}/", text(&file["folder_id"]));
        assert_delivered(stack, &acme, &file, slugs.unwrap_or(&by_id)).await;
        let again = upload(&acme, path, "photo.jpg", "starter")
            .await
            .expect_created();
        assert_delivered(stack, &acme, &again, slugs.unwrap_or(&by_id)).await;
    }

    acme.upload_config("in")
        .with_settings(json!({"storage": {"folder": "In Box/2026"}}))
        .await;

    let form = Form::new()
        .text("space", acme.handle.clone())
        .text("upload_config", "in");
    let file = acme
        .upload_form(form.part("file", file("photo.jpg", "image/jpeg", PHOTO)))
        .await
        .expect_created();

    assert_delivered(stack, &acme, &file, "in-box/2026/").await;
    assert_delivered(stack, &acme, &acme.upload(PHOTO).await.record, "").await;
}

#[stack_test]
async fn longest_path_is_delivered(stack: &Stack) {
    let acme = space(stack, "fixed").await;
    create_original_names_config(&acme).await;

    let folder = "x".repeat(255);
    let path = [folder.as_str(); MAX_DEPTH].join("/");
    let slugs = format!("{}/", &folder[..SLUG_MAX_CHARS]).repeat(MAX_DEPTH);

    for (name, config) in [
        ("photo.jpg".to_owned(), "starter"),
        (format!("{}.jpg", "y".repeat(251)), "own"),
    ] {
        let file = upload(&acme, &path, &name, config).await.expect_created();
        assert_eq!(file["original_name"], json!(name));
        assert_delivered(stack, &acme, &file, &slugs).await;
    }
}

#[stack_test]
async fn url_stays_when_folders_move_or_change(stack: &Stack) {
    let acme = space(stack, "fixed").await;
    let client = &acme.client;
    let other = acme.folder("Other").await;
    let active = upload(&acme, "Photos/Süd", "photo.jpg", "starter")
        .await
        .expect_created();
    let pending_file = PendingFile::create(&acme, json!({"folder_id": active["folder_id"]})).await;
    let pending = client.get_ok(&pending_file.address()).await;
    let path = format!("{}/photos/sud/{}", acme.handle, text(&pending["name"]));
    assert_eq!(pending["storage_path"], json!(path));

    let folder = json!({"id": active["folder_id"]});
    client
        .put_ok(
            &folder_path(&folder),
            json!({"name": "North", "parent_id": other["id"]}),
        )
        .await;
    client
        .put_ok(&folder_path(&other), json!({"name": "Another"}))
        .await;
    pending_file.send(stack, PHOTO).await.expect_status(200);

    let confirmed = pending_file.confirm(client).await.expect_ok();
    for file in [&active, &confirmed] {
        let record = client
            .get_ok(&format!("/files/{}", text(&file["id"])))
            .await;
        assert_eq!(record["folder_path"], "Another/North/");
        assert_delivered(stack, &acme, &record, "photos/sud/").await;
        for folder_id in [other["id"].clone(), json!(null)] {
            let address = format!("/files/{}", text(&file["id"]));
            let moved = client
                .put_ok(&address, json!({"folder_id": folder_id}))
                .await;
            assert_eq!(moved["folder_id"], folder_id);
            assert_delivered(stack, &acme, &moved, "photos/sud/").await;
        }
    }

    // Later uploads use the new path.
    let later = upload(&acme, "another/north", "photo.jpg", "starter")
        .await
        .expect_created();
    assert_eq!(later["folder_id"], folder["id"]);
    assert_delivered(stack, &acme, &later, "another/north/").await;

    stack.run_confirm_checks().await;
}

#[stack_test]
async fn equal_names_in_different_folders_have_different_urls(stack: &Stack) {
    let fixed = space(stack, "fixed").await;
    let dynamic = space(stack, "dynamic").await;

    for acme in [&fixed, &dynamic] {
        create_original_names_config(acme).await;
    }

    for (path, is_available) in [
        ("A b", true),
        ("C", true),
        ("C/A b", true),
        ("a-B", false),
        ("c/a_b", true),
        ("C", false),
    ] {
        let response = upload(&fixed, path, "Photo.jpg", "own").await;
        if is_available {
            let slugs = format!("{}/", path.to_lowercase().replace(' ', "-"));
            assert_delivered(stack, &fixed, &response.expect_created(), &slugs).await;
        } else {
            response.expect_error(409);
        }
    }

    let first = upload(&dynamic, "A", "Photo.jpg", "own")
        .await
        .expect_created();
    assert_delivered(stack, &dynamic, &first, "").await;
    assert_eq!(first["name"], "photo.jpg");

    for path in ["A", "B", "A/B"] {
        upload(&dynamic, path, "photo.jpg", "own")
            .await
            .expect_error(409);
    }

    // The existing file is still delivered.
    assert_delivered(stack, &dynamic, &first, "").await;
}
