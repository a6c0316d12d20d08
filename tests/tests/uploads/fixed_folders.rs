//! The folder mode `fixed`: the URL of a file contains the folders that it was uploaded into, and
//! does not change when they do.

use serde_json::{Value, json};
use tests::{PHOTO, Response, Stack, TestSpace, file_path, folder_path, stack_test, text};

use super::{config_rules::own_names, folders::MAX_DEPTH, presign::PendingFile};

/// Maximum length of a folder's slug in a URL.
const SLUG_MAX_CHARS: usize = 100;

/// Creates a space of a folder mode, with a config under which files keep their names.
async fn space(stack: &Stack, mode: &str) -> TestSpace {
    let fields = json!({"name": mode, "folder_mode": mode});
    let acme = stack.space_with(fields).await;
    assert_eq!(acme.get_ok(&acme.path()).await["folder_mode"], mode);
    acme.upload_config("own").with_settings(own_names()).await;
    acme
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
    assert_eq!(file["storage_path"], path);
    assert_eq!(file["url"], format!("{}/{path}", stack.local.cdn_url()));

    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._/-".contains(&byte);
    assert!(path.bytes().all(is_plain), "{path}");
    let delivered = stack.anonymous.fetch(&text(&file["url"])).await;
    assert!(delivered.body == PHOTO, "{path}");
}

#[stack_test]
async fn fixed_folders_are_transliterated_in_urls(stack: &Stack) {
    let acme = space(stack, "fixed").await;
    let long = "x".repeat(255);
    let cut = format!("{}/", "x".repeat(SLUG_MAX_CHARS));

    // `None`: a name that cannot be transliterated is replaced by the id of the folder.
    for (path, slugs) in [
        ("Photos", Some("photos/")),
        ("PHOTOS/Holiday (2)", Some("photos/holiday-2/")),
        ("Été/ÑANDÚ", Some("ete/nandu/")),
        ("a_b/C.D", Some("a_b/c-d/")),
        ("%2E%2E/a\\b", Some("2e-2e/a-b/")),
        (&long, Some(&*cut)),
        ("日本", Some("ri-ben/")),
        ("Photos/\u{E000}", None),
        ("Photos/...", None),
    ] {
        for _ in 0..2 {
            let file = upload(&acme, path, "photo.jpg", "starter").await;
            let file = file.expect_created();
            let by_id = format!("photos/{}/", text(&file["folder_id"]));
            assert_delivered(stack, &acme, &file, slugs.unwrap_or(&by_id)).await;
        }
    }

    let settings = json!({"storage": {"folder": "In Box/2026"}});
    acme.upload_config("in").with_settings(settings).await;
    let file = acme.upload(PHOTO).with_config("in").await;
    assert_delivered(stack, &acme, &file, "in-box/2026/").await;
    let in_root = acme.upload(PHOTO).await;
    assert_delivered(stack, &acme, &in_root, "").await;
}

#[stack_test]
async fn longest_path_is_delivered(stack: &Stack) {
    let acme = space(stack, "fixed").await;
    let folder = "x".repeat(255);
    let path = [folder.as_str(); MAX_DEPTH].join("/");
    let slugs = format!("{}/", &folder[..SLUG_MAX_CHARS]).repeat(MAX_DEPTH);

    for (name, config) in [
        ("photo.jpg".to_owned(), "starter"),
        (format!("{}.jpg", "y".repeat(251)), "own"),
    ] {
        let file = upload(&acme, &path, &name, config).await.expect_created();
        assert_eq!(file["original_name"], name);
        assert_delivered(stack, &acme, &file, &slugs).await;
    }
}

#[stack_test]
async fn url_stays_when_folders_move_or_change(stack: &Stack) {
    let acme = space(stack, "fixed").await;
    let other = acme.folder("Other").await;
    let active = upload(&acme, "Photos/Süd", "photo.jpg", "starter").await;
    let active = active.expect_created();
    let pending_file = PendingFile::create(&acme, json!({"folder_id": active["folder_id"]})).await;
    let pending = acme.get_ok(&pending_file.address()).await;
    let path = format!("{}/photos/sud/{}", acme.handle, text(&pending["name"]));
    assert_eq!(pending["storage_path"], path);

    let folder = json!({"id": active["folder_id"]});
    let moved = json!({"name": "North", "parent_id": other.id});
    acme.put_ok(&folder_path(&folder), moved).await;
    acme.put_ok(other.path(), json!({"name": "Another"})).await;
    pending_file.put(stack, PHOTO).await;

    let confirmed = pending_file.confirm(&acme.client).await.expect_ok();
    for file in [&active, &confirmed] {
        let address = file_path(file);
        let record = acme.get_ok(&address).await;
        assert_eq!(record["folder_path"], "Another/North/");
        assert_delivered(stack, &acme, &record, "photos/sud/").await;
        for folder_id in [json!(other.id), json!(null)] {
            let change = json!({ "folder_id": folder_id });
            let moved = acme.put_ok(&address, change).await;
            assert_eq!(moved["folder_id"], folder_id);
            assert_delivered(stack, &acme, &moved, "photos/sud/").await;
        }
    }

    // Later uploads use the new path.
    let later = upload(&acme, "another/north", "photo.jpg", "starter").await;
    let later = later.expect_created();
    assert_eq!(later["folder_id"], folder["id"]);
    assert_delivered(stack, &acme, &later, "another/north/").await;
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn equal_names_in_different_folders_have_different_urls(stack: &Stack) {
    let fixed = space(stack, "fixed").await;
    let dynamic = space(stack, "dynamic").await;

    for (path, slugs) in [
        ("A b", Some("a-b/")),
        ("C", Some("c/")),
        ("C/A b", Some("c/a-b/")),
        ("a-B", None),
        ("c/a_b", Some("c/a_b/")),
        ("C", None),
    ] {
        let response = upload(&fixed, path, "Photo.jpg", "own").await;
        if let Some(slugs) = slugs {
            assert_delivered(stack, &fixed, &response.expect_created(), slugs).await;
        } else {
            response.expect_error(409);
        }
    }

    let first = upload(&dynamic, "A", "Photo.jpg", "own").await;
    let first = first.expect_created();
    assert_eq!(first["name"], "photo.jpg");
    for path in ["A", "B", "A/B"] {
        let taken = upload(&dynamic, path, "photo.jpg", "own").await;
        taken.expect_error(409);
    }
    assert_delivered(stack, &dynamic, &first, "").await;
}
