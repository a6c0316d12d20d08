//! Spaces of the folder mode `fixed`: the folders that a file is uploaded into are part of where it
//! is delivered, whatever becomes of them later.

use reqwest::multipart::Form;
use serde_json::{Value, json};
use tests::{PHOTO, Response, Stack, Tenant, file, stack_test};

use super::presign::PendingFile;
use crate::{folders::create::address, support::signer::text};

/// Most folders within one another.
const MOST: usize = 20;
/// Most characters that a folder's name has in an address.
const SLUG: usize = 100;

/// Makes a space of a folder mode.
async fn space(stack: &Stack, mode: &str) -> Tenant {
    let space = stack
        .account()
        .post("/spaces", json!({"name": mode, "folder_mode": mode}))
        .await
        .expect_created();

    assert_eq!(space["folder_mode"], json!(mode));

    let id = text(&space["id"]);
    let handle = text(&space["handle"]);
    let key = stack
        .account()
        .post(&format!("/spaces/{id}/api-keys"), json!({"name": "owner"}))
        .await
        .expect_created();
    let client = stack.anonymous.with_key(&text(&key["key"]));

    Tenant {
        client,
        id,
        handle,
        key_id: key["id"].as_u64().expect("a number"),
    }
}

/// Uploads the photo under a name down a path from the top, by a config.
async fn upload(acme: &Tenant, path: &str, name: &str, config: &str) -> Response {
    let form = Form::new()
        .text("space", acme.handle.clone())
        .text("upload_config", config.to_owned());
    let form = form
        .text("folder_id", "root")
        .text("folder_path", path.to_owned());
    acme.client
        .upload(form.part("file", file(name, "image/jpeg", PHOTO)))
        .await
}

/// Demands that a file is delivered where its record says, at a path of these folders.
async fn assert_delivered(stack: &Stack, acme: &Tenant, file: &Value, folders: &str) {
    let path = format!("{}/{folders}{}", acme.handle, text(&file["name"]));
    assert_eq!(file["storage_path"], json!(path));
    assert_eq!(
        file["url"],
        json!(format!("{}/{path}", stack.cloud.cdn_url()))
    );

    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._/-".contains(&byte);
    assert!(path.bytes().all(is_plain), "{path}");
    assert!(
        stack
            .anonymous
            .get(&text(&file["url"]))
            .await
            .expect_status(200)
            .body
            == PHOTO,
        "{path}"
    );
}

/// Makes the config `own`, by which files keep the names that they come with.
async fn own_names(acme: &Tenant) {
    acme.upload_config("own")
        .with_settings(json!({"storage": {"generate_filename": false, "unique_filename": false}}))
        .await;
}

#[stack_test]
async fn fixed_folders_are_transliterated_in_urls(stack: &Stack) {
    let acme = space(stack, "fixed").await;
    let long = "x".repeat(255);
    let cut = format!("{}/", "x".repeat(SLUG));

    // What is called in none of these letters goes by its id.
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
        let above = if path.contains('/') { "photos/" } else { "" };
        let by_id = format!("{above}{}/", text(&file["folder_id"]));
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
        .client
        .upload(form.part("file", file("photo.jpg", "image/jpeg", PHOTO)))
        .await
        .expect_created();

    assert_delivered(stack, &acme, &file, "in-box/2026/").await;
    assert_delivered(stack, &acme, &acme.upload(PHOTO).await.record, "").await;
}

#[stack_test]
async fn longest_path_is_delivered(stack: &Stack) {
    let acme = space(stack, "fixed").await;
    own_names(&acme).await;

    let folder = "x".repeat(255);
    let path = [folder.as_str(); MOST].join("/");
    let slugs = format!("{}/", &folder[..SLUG]).repeat(MOST);

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
    let pending = client.get(&pending_file.address()).await.expect_ok();
    let path = format!("{}/photos/sud/{}", acme.handle, text(&pending["name"]));
    assert_eq!(pending["storage_path"], json!(path));

    let folder = json!({"id": active["folder_id"]});
    client
        .put(
            &address(&folder),
            json!({"name": "North", "parent_id": other["id"]}),
        )
        .await
        .expect_ok();
    client
        .put(&address(&other), json!({"name": "Another"}))
        .await
        .expect_ok();
    pending_file.send(stack, PHOTO).await.expect_status(200);
    let confirmed = pending_file.confirm(client).await.expect_ok();
    for file in [&active, &confirmed] {
        let found = client
            .get(&format!("/files/{}", text(&file["id"])))
            .await
            .expect_ok();
        assert_eq!(found["folder_path"], "Another/North/");
        assert_delivered(stack, &acme, &found, "photos/sud/").await;
        for place in [other["id"].clone(), json!(null)] {
            let address = format!("/files/{}", text(&file["id"]));
            let moved = client
                .put(&address, json!({"folder_id": place}))
                .await
                .expect_ok();
            assert_eq!(moved["folder_id"], place);
            assert_delivered(stack, &acme, &moved, "photos/sud/").await;
        }
    }
    // Whoever comes later goes where the folders are by then.
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
        own_names(acme).await;
    }

    for (path, is_apart) in [
        ("A b", true),
        ("C", true),
        ("C/A b", true),
        ("a-B", false),
        ("c/a_b", true),
        ("C", false),
    ] {
        let response = upload(&fixed, path, "Photo.jpg", "own").await;
        if is_apart {
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

    // The first one is none the worse for it.
    assert_delivered(stack, &dynamic, &first, "").await;
}
