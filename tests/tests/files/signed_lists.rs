//! Signed and transformed URLs of many files: `sign_minutes` of lists, and `POST /files/urls`.

use serde_json::{Value, json};
use tests::{
    File, PHOTO, Stack, TestSpace, column, field_error, field_names, merged, minutes, rows,
    seconds, stack_test, text,
};

/// Uploads a public photo, and one that is protected by each level. Returns them with what opens
/// them.
async fn library(stack: &Stack, acme: &TestSpace) -> Vec<(File, bool)> {
    let closed = acme.folder("Closed").await;
    acme.set_access(closed.path(), Some(true)).await;

    let mut files = Vec::new();
    for (delivery_type, folder) in [
        ("upload", None),
        ("private", None),
        ("authenticated", None),
        ("upload", Some(&closed)),
    ] {
        let config = acme.upload_config(&format!("{delivery_type}-{}", files.len()));
        let config = config.with_delivery_type(delivery_type).await;
        let upload = acme.upload(PHOTO).with_config(&text(&config["name"]));
        let file = match folder {
            Some(folder) => upload.into(folder).await,
            None => upload.await,
        };
        files.push((file, delivery_type != "upload" || folder.is_some()));
    }

    stack.run_post_upload().await;
    files
}

#[stack_test]
async fn lists_sign_urls_of_protected_files(stack: &Stack, acme: &TestSpace) {
    let files = library(stack, acme).await;
    let viewer = acme.role("viewer").await;
    let anonymous = &stack.anonymous;

    for fields in ["", "&fields=url,thumbnails"] {
        let list = format!("/files?sign_minutes=10{fields}");
        let listed = viewer.get_ok(&list).await;
        let oldest_first = listed.as_array().expect("a list").iter().rev();
        for (record, (file, is_protected)) in oldest_first.zip(&files) {
            assert_eq!(record["id"], file.id);
            let url = text(&record["url"]);
            assert_eq!(url.contains("signature="), *is_protected, "{url}");
            anonymous.fetch(&url).await.expect_body(PHOTO);
            for thumbnail in record["thumbnails"].as_array().expect("a list") {
                let url = text(&thumbnail["url"]);
                assert_eq!(url.contains("signature="), *is_protected, "{url}");
                let image = anonymous.fetch(&url).await;
                image.expect_header("x-image-width", thumbnail["width"].to_string());
            }
        }
        // A private file lists no thumbnails, which would be public.
        let thumbnails = column(&listed, "thumbnails");
        let counts = thumbnails.iter().map(|list| list.as_array().map(Vec::len));
        assert!(counts.eq([Some(3), Some(3), Some(0), Some(3)]), "{listed}");

        stack.clock.advance(seconds(10 * 60 - 1));
        let newest = text(&listed[0]["url"]);
        anonymous.fetch(&newest).await.expect_body(PHOTO);
        stack.clock.advance(seconds(1));
        anonymous.get_err(403, &newest).await;
    }

    let page = viewer.fetch("/files?limit=1&sign_minutes=1").await.json();
    let next = format!("/files?limit=1&cursor={}", text(&page["next_cursor"]));
    assert!(!text(&viewer.get_ok(&next).await[0]["url"]).contains("signature="));
}

#[stack_test]
async fn urls_are_signed_and_transformed_on_request(stack: &Stack, acme: &TestSpace) {
    let files = library(stack, acme).await;
    let ids: Vec<&String> = files.iter().map(|(file, _)| &file.id).collect();
    let transformation = json!({"w": 100, "f": "webp", "r": "fit", "q": null});
    let account = stack.account();

    for client in [&acme.role("viewer").await, &account] {
        let request =
            json!({"file_ids": ids, "expiration_minutes": 1, "transformation": transformation});
        let urls = client.post_ok("/files/urls", request).await;
        let signed = urls.as_array().expect("a list");
        for (found, (file, _)) in signed.iter().zip(&files) {
            assert_eq!(found["id"], file.id);
            let image = stack.anonymous.fetch(&text(&found["url"])).await;
            image.expect_header("x-image-width", "100");
            image.expect_header("content-type", "image/webp");
        }
        let url = text(&signed[2]["url"]);
        let changed = url.replace("w=100", "w=101");
        stack.anonymous.get_err(403, &changed).await;
        stack.clock.advance(minutes(1));
        stack.anonymous.get_err(403, &url).await;

        let request = json!({"file_ids": ids, "transformation": transformation});
        let unsigned = client.post_ok("/files/urls", request).await;
        let expected = files[0].0.url_with("w=100&r=fit&f=webp");
        assert_eq!(unsigned[0]["url"], expected);
        stack.anonymous.fetch(&expected).await;
        let private = text(&unsigned[2]["url"]);
        stack.anonymous.get_err(403, &private).await;
    }
}

#[stack_test]
async fn invalid_validity_and_transformation_return_422(acme: &TestSpace) {
    for (minutes, end) in [
        ("0", "must be at least 1"),
        ("1441", "must not be greater than 1440"),
        ("ten", "must be an integer"),
    ] {
        let list = format!("/files?sign_minutes={minutes}");
        let errors = acme.get_err(422, &list).await;
        assert_eq!(errors, field_error("sign_minutes", end));
    }

    let ids = json!({"file_ids": [acme.upload(PHOTO).await.id]});
    for (fields, name) in rows::<(Value, String)>(json!([
        [{"expiration_minutes": 0}, "expiration_minutes"],
        [{"expiration_minutes": 1441}, "expiration_minutes"],
        [{"transformation": {"w": 0}}, "transformation.w"],
        [{"transformation": {"r": "cover"}}, "transformation.r"],
        [{"transformation": {"width": 5}}, "transformation.width"],
        [{"transformation": {"W": 5}}, "transformation.W"],
        [{"transformation": {"w": 5, "widht": 5}}, "transformation.widht"],
        [{"transformation": "w=5"}, "transformation"],
    ])) {
        let body = merged(ids.clone(), fields.clone());
        let errors = acme.post_err(422, "/files/urls", body).await;
        assert_eq!(field_names(&errors), [name], "{fields}");
    }
    let blank = json!({"expiration_minutes": null, "transformation": null});
    let urls = acme.post_ok("/files/urls", merged(ids, blank)).await;
    assert!(!text(&urls[0]["url"]).contains('?'));
}
