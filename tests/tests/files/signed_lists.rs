//! Signed and transformed URLs of many files: `sign_minutes` of lists, and `POST /files/urls`.

use serde_json::{Value, json};
use tests::{File, PHOTO, Stack, TestSpace, minutes, seconds, stack_test, text};

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
        for (record, (file, is_protected)) in
            listed.as_array().expect("a list").iter().rev().zip(&files)
        {
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
        let count = |index: usize| listed[index]["thumbnails"].as_array().map(Vec::len);
        assert_eq!(
            [0, 1, 2, 3].map(count),
            [Some(3), Some(3), Some(0), Some(3)]
        );

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
        let signed = client.post("/files/urls", request).await.json();
        for (found, (file, _)) in signed["data"]
            .as_array()
            .expect("a list")
            .iter()
            .zip(&files)
        {
            assert_eq!(found["id"], file.id);
            let image = stack.anonymous.fetch(&text(&found["url"])).await;
            image.expect_header("x-image-width", "100");
            image.expect_header("content-type", "image/webp");
        }
        let url = text(&signed["data"][2]["url"]);
        stack
            .anonymous
            .get_err(403, &url.replace("w=100", "w=101"))
            .await;
        stack.clock.advance(minutes(1));
        stack.anonymous.get_err(403, &url).await;

        let request = json!({"file_ids": ids, "transformation": transformation});
        let unsigned = client.post("/files/urls", request).await.json();
        let expected = files[0].0.url_with("w=100&r=fit&f=webp");
        assert_eq!(unsigned["data"][0]["url"], expected);
        stack.anonymous.fetch(&expected).await;
        stack
            .anonymous
            .get_err(403, &text(&unsigned["data"][2]["url"]))
            .await;
    }
}

#[stack_test]
async fn invalid_validity_and_transformation_return_422(acme: &TestSpace) {
    for (minutes, end) in [
        ("0", "be at least 1"),
        ("1441", "not be greater than 1440"),
        ("ten", "be an integer"),
    ] {
        let errors = acme
            .get_err(422, &format!("/files?sign_minutes={minutes}"))
            .await;
        let message = format!("The sign minutes field must {end}.");
        assert_eq!(errors, json!({"sign_minutes": [message]}));
    }

    let id = acme.upload(PHOTO).await.id.clone();
    for (fields, name) in [
        (json!({"expiration_minutes": 0}), "expiration_minutes"),
        (json!({"expiration_minutes": 1441}), "expiration_minutes"),
        (json!({"transformation": {"w": 0}}), "transformation.w"),
        (
            json!({"transformation": {"r": "cover"}}),
            "transformation.r",
        ),
        (
            json!({"transformation": {"width": 5}}),
            "transformation.width",
        ),
        (json!({"transformation": {"W": 5}}), "transformation.W"),
        (
            json!({"transformation": {"w": 5, "widht": 5}}),
            "transformation.widht",
        ),
        (json!({"transformation": "w=5"}), "transformation"),
    ] {
        let mut body = fields.clone();
        body["file_ids"] = json!([id]);
        let errors = acme.post_err(422, "/files/urls", body).await;
        let names: Vec<&String> = errors.as_object().expect("an object").keys().collect();
        assert_eq!(names, [name], "{fields}");
    }
    let blank = json!({"file_ids": [id], "expiration_minutes": null, "transformation": null});
    let urls: Value = acme
        .post("/files/urls", blank)
        .await
        .expect_status(200)
        .json();
    assert!(!text(&urls["data"][0]["url"]).contains('?'));
}
