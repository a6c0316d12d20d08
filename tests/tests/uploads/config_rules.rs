//! Upload configs: allowed formats and sizes, executables, names, tags and delivery types.

use reqwest::multipart::Form;
use serde_json::{Value, json};
use tests::{PHOTO, Response, Stack, TestSpace, file, stack_test};

/// A space that uploads files with its configs.
struct Uploader {
    acme: TestSpace,
}

impl Uploader {
    async fn config(&self, name: &str, settings: Value) {
        self.acme.upload_config(name).with_settings(settings).await;
    }

    async fn send(&self, config: &str, files: &[(&str, &str, &[u8])]) -> Response {
        let form = Form::new()
            .text("space", self.acme.handle.clone())
            .text("upload_config", config.to_owned());
        let form = files.iter().fold(form, |form, (name, mime_type, bytes)| {
            form.part("files", file(name, mime_type, bytes.to_vec()))
        });
        self.acme.upload_form(form).await
    }
}

#[stack_test]
async fn config_limits_formats_and_sizes(stack: &Stack) {
    let uploader = Uploader {
        acme: stack.space("Acme").await,
    };
    uploader
        .config(
            "images",
            json!({"validation": {"allowed_formats": "JPEG,png"}}),
        )
        .await;
    uploader
        .config("any", json!({"validation": {"allowed_formats": []}}))
        .await;
    uploader
        .config("small", json!({"validation": {"max_file_size": 10}}))
        .await;

    let photo = ("photo.jpg", "image/jpeg", PHOTO);
    let text = |bytes: &'static [u8]| ("a.txt", "text/plain", bytes);
    uploader.send("images", &[photo]).await.expect_created();
    uploader
        .send("any", &[photo, text(b"text")])
        .await
        .expect_created();
    uploader
        .send("small", &[text(b"0123456789")])
        .await
        .expect_created();

    for (config, rejected, message) in [
        (
            "images",
            text(b"text"),
            "The files.1 field must be a file of type: jpg, png.",
        ),
        (
            "images",
            (
                "a.png",
                "application/octet-stream",
                b"text with the extension of an image",
            ),
            "The files.1 field must be a file of type: jpg, png.",
        ),
        // An executable extension in the middle of a name is rejected, although its last extension
        // is allowed.
        (
            "images",
            ("a.php.jpg", "image/jpeg", PHOTO),
            "The files.1 field must not be an executable file.",
        ),
        (
            "small",
            text(b"0123456789a"),
            "The files.1 field must not be greater than 10 bytes.",
        ),
    ] {
        let fine = if config == "images" {
            photo
        } else {
            text(b"fine")
        };
        let errors = uploader
            .send(config, &[fine, rejected])
            .await
            .expect_error(422);
        assert_eq!(errors, json!({"files.1": [message]}));
    }
}

#[stack_test]
async fn executables_are_accepted_only_if_config_lists_them(stack: &Stack) {
    let uploader = Uploader {
        acme: stack.space("Acme").await,
    };
    let binary = [b"MZ\x90\0".to_vec(), vec![0; 200]].concat();
    uploader.config("none", json!({})).await;
    uploader
        .config(
            "windows",
            json!({"validation": {"allowed_formats": ["exe"]}}),
        )
        .await;
    uploader
        .config(
            "scripts",
            json!({"validation": {"allowed_formats": ["sh", "php"]}}),
        )
        .await;

    let exe = ("setup.exe", "application/octet-stream", &binary[..]);
    let script = ("run.sh", "text/plain", &b"#!/bin/sh\necho hello\n"[..]);
    let page = (
        "page.php.sh",
        "application/octet-stream",
        &b"<?php echo 1;"[..],
    );

    for (config, file, extension) in [
        ("none", exe, None),
        ("none", script, None),
        ("windows", exe, Some("exe")),
        ("windows", script, None),
        ("scripts", exe, None),
        ("scripts", script, Some("sh")),
        ("scripts", page, Some("sh")),
    ] {
        let response = uploader.send(config, &[file]).await;
        match extension {
            Some(extension) => assert_eq!(
                response.expect_created()[0]["extension"],
                extension,
                "{config} {}",
                file.0
            ),
            None => assert!(
                response.expect_error(422)["files.0"].is_array(),
                "{config} {}",
                file.0
            ),
        }
    }
}

fn photo(name: &'static str) -> (&'static str, &'static str, &'static [u8]) {
    (name, "image/jpeg", PHOTO)
}

#[stack_test]
async fn config_without_unique_names_rejects_taken_name(stack: &Stack) {
    let uploader = Uploader {
        acme: stack.space("Acme").await,
    };
    let handle = &uploader.acme.handle;
    uploader
        .config(
            "own",
            json!({"storage": {"generate_filename": false, "unique_filename": false}}),
        )
        .await;

    let own = uploader
        .send("own", &[photo("Summer Holiday (2).JPEG")])
        .await
        .expect_created();
    assert_eq!(
        own[0]["storage_path"],
        json!(format!("{handle}/summer-holiday-2.jpg"))
    );
    assert_eq!(
        (&own[0]["original_name"], &own[0]["tags"]),
        (&json!("Summer Holiday (2).JPEG"), &json!([]))
    );

    let before = stack.dump().await;

    // The name is taken by an existing file, or by another file of the request.
    let summer = &[photo("summer holiday 2.jpg")][..];
    let twins = &[photo("twin.jpg"), photo("other.jpg"), photo("Twin.jpeg")];
    for (files, which) in [
        (summer, "named `summer-holiday-2.jpg`"),
        (twins, "with this name"),
    ] {
        let response = uploader.send("own", files).await;
        let message = format!(
            "A file {which} already exists. Rename the file, or use an upload config with \
             `unique_filename`."
        );
        assert_eq!(response.json()["message"], message);
        response.expect_error(409);
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "uploads with a taken name");
}

#[stack_test]
async fn config_sets_unique_name_tags_and_delivery_type(stack: &Stack) {
    let uploader = Uploader {
        acme: stack.space("Acme").await,
    };
    let client = &uploader.acme.client;
    uploader
        .config(
            "unique",
            json!({"storage": {"generate_filename": false}, "metadata": {"tags": ["a", "b"]}}),
        )
        .await;
    uploader
        .acme
        .upload_config("protected")
        .with(json!({"delivery_type": "private"}))
        .await;

    let unique = uploader
        .send("unique", &[photo("twin.jpg"), photo("twin.jpg")])
        .await
        .expect_created();
    let name = |index: usize| unique[index]["name"].as_str().expect("a name").to_owned();
    assert_ne!(name(0), name(1));

    let random = name(0)
        .strip_prefix("twin-")
        .and_then(|rest| rest.strip_suffix(".jpg").map(str::len));
    assert_eq!(random, Some(6), "{}", name(0));
    assert_eq!(unique[0]["tags"], json!(["a", "b"]));

    let record = client
        .get_ok(&format!(
            "/files/{}",
            unique[0]["id"].as_str().expect("an id")
        ))
        .await;
    assert_eq!(record, unique[0]);

    stack
        .anonymous
        .fetch(unique[0]["url"].as_str().expect("a URL"))
        .await;

    let protected = uploader
        .send("protected", &[photo("a.jpg")])
        .await
        .expect_created();
    assert_eq!(
        (
            &protected[0]["type"],
            &protected[0]["access_control"]["source"]
        ),
        (&json!("private"), &json!("upload_config"))
    );

    let url = protected[0]["url"].as_str().expect("a URL");
    stack.anonymous.get_err(403, url).await;
    client.fetch(url).await;
}
