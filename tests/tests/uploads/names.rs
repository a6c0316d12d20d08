//! Names, tags and delivery types of stored files, and their uploader, on every route.

use serde_json::{Value, json};
use tests::{PHOTO, Stack, TestSpace, assert_fields, stack_test, text};

use super::{
    multiple_files::photos_named,
    routes::{PRESIGNED, ROUTES, Route, Uploads},
};

/// Settings under which files keep the names of their uploads.
pub(crate) fn own_names() -> Value {
    json!({"storage": {"generate_filename": false, "unique_filename": false}})
}

#[stack_test(undrained)]
async fn record_names_uploader_and_config_on_every_route(stack: &Stack) {
    let fields = json!({"delivery_type": "authenticated", "config": {"metadata": {"tags": ["a"]}}});
    let uploads = Uploads::with(stack, fields).await;
    let acme = uploads.acme();
    let [by_key, signed, open] = &uploads.configs;

    for route in ROUTES {
        let (config, uploaded_by) = match route {
            Route::Form | Route::Presign => (by_key, json!({"type": "api_key", "id": acme.key_id})),
            Route::Signed | Route::SignedPresign => (signed, json!({"type": "signed_url"})),
            Route::Unsigned | Route::UnsignedPresign => (open, json!({"type": "unsigned"})),
        };
        let mut upload = uploads.photo(route).with(&[("ref", "order 7")]);
        if [Route::Signed, Route::Unsigned].contains(&route) {
            // Only the URL selects the space and the config.
            upload = upload.with(&[("upload_config", by_key), ("space", "zzzzzz")]);
        }

        let record = uploads.record(upload.finish().await).await;

        let expected = json!({
            "uploaded_by": uploaded_by, "upload_config_id": config, "space_id": acme.id, "status": "active",
            "type": "authenticated", "original_name": "photo.jpg", "mime_type": "image/jpeg", "size": PHOTO.len(),
            "ref": "order 7", "tags": ["a"],
        });
        assert_fields(&record, expected);
        assert_eq!(record["access_control"]["source"], "upload_config");
        let url = text(&record["url"]);
        assert_eq!(acme.fetch(&url).await.body, PHOTO);
        stack.anonymous.get_err(403, &url).await;
    }
}

#[stack_test(undrained)]
async fn config_without_unique_names_rejects_taken_name(stack: &Stack) {
    let uploads = Uploads::new(stack, own_names()).await;
    let acme = uploads.acme();

    let own = uploads.file(Route::Form, "Summer Holiday (2).JPEG", "image/jpeg", PHOTO);
    let own = uploads.record(own.send().await).await;
    let path = format!("{}/summer-holiday-2.jpg", acme.handle);
    assert_fields(
        &own,
        json!({"storage_path": path, "original_name": "Summer Holiday (2).JPEG"}),
    );
    let before = uploads.stored().await;

    for route in ROUTES {
        let taken = uploads.file(route, "summer holiday 2.jpg", "image/jpeg", PHOTO);
        let response = taken.finish().await;
        let message = "A file named `summer-holiday-2.jpg` already exists. Rename the file, or use an upload config \
                       with `unique_filename`.";
        assert_eq!(response.json()["message"], message, "{route:?}");
        let errors = response.expect_error(409);
        if PRESIGNED.contains(&route) {
            assert_eq!(
                errors,
                json!({"file": ["The file has already been taken."]})
            );
        }
    }

    // The rejected presigned files are pending.
    let after = uploads.stored().await;
    assert_eq!(after.files_with_bytes(), before.files_with_bytes());
    let is_pending = |item: &&Value| item["status"] == "pending";
    let pending = after.items.values().filter(is_pending);
    assert_eq!(pending.count(), PRESIGNED.len());

    // The name is taken by another file of the request.
    let twins = photos_named(acme, &["twin.jpg", "other.jpg", "Twin.jpeg"]);
    let response = acme
        .upload_form(twins.text("upload_config", "by-key"))
        .await;
    let message = text(&response.json()["message"]);
    assert!(
        message.starts_with("A file with this name already exists."),
        "{message}"
    );
    response.expect_error(409);
    uploads.assert_unchanged(&after, "files of one name").await;
}

#[stack_test]
async fn config_makes_names_unique(acme: &TestSpace) {
    let rules = json!({"storage": {"generate_filename": false}});
    acme.upload_config("unique").with_settings(rules).await;

    let twins = photos_named(acme, &["twin.jpg", "twin.jpg"]);
    let form = twins.text("upload_config", "unique");
    let twins = acme.upload_form(form).await.expect_created();

    let names = [0, 1].map(|index: usize| text(&twins[index]["name"]));
    assert_ne!(names[0], names[1]);
    for name in &names {
        let random = name
            .strip_prefix("twin-")
            .and_then(|rest| rest.strip_suffix(".jpg"));
        assert_eq!(random.map(str::len), Some(6), "{name}");
    }
}
