//! Formats, sizes, executables, declared types and names that upload configs allow, and the records
//! of files, on every route.

use serde_json::{Value, json};
use tests::{PHOTO, Stack, TestSpace, assert_fields, stack_test, text};

use super::{
    anonymous::SCRIPT_TYPES,
    multiple_files::photos_named,
    routes::{BY_KEY, PRESIGNED, ROUTES, Route, Uploads, assert_rejected, without_limits},
};

/// Name, declared type and bytes of a file.
type File = (&'static str, &'static str, &'static [u8]);
/// A file, and its extension or the end of the error.
type Case = (File, Result<&'static str, &'static str>);

const JPEG: File = ("photo.jpg", "image/jpeg", PHOTO);
const TEXT: File = ("a.txt", "text/plain", b"0123456789");
pub(super) const HEIC_BYTES: &[u8] = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic";
const HEIC: File = ("a.heic", "image/heic", HEIC_BYTES);
const MIDI: File = ("a.mid", "audio/midi", b"MThd\0\0\0\x06\0\x01\0\x01\0`MTrk");
const PROGRAM: File = ("setup.exe", UNKNOWN, b"MZ\x90\0\x03\0\0\0");
const SCRIPT: File = ("run.sh", UNKNOWN, b"#!/bin/sh\necho hello\n");
const PAGE: File = ("page.php.sh", UNKNOWN, b"<?php echo 1;");
const UNKNOWN: &str = "application/octet-stream";

const EXECUTABLE: Result<&str, &str> = Err("must not be an executable file");
const NOT_IMAGE: Result<&str, &str> = Err("must be a file of type: jpeg, png");

fn without_rules() -> Vec<Case> {
    let not_pdf = Err("must be application/pdf as declared, but is image/jpeg");
    let not_jpeg = Err("must be image/jpeg as declared, but is text/plain");
    let not_png = Err("must be image/png as declared, but is not recognized");

    vec![
        (JPEG, Ok("jpg")),
        (PROGRAM, EXECUTABLE),
        (SCRIPT, EXECUTABLE),
        (("a.jpg.exe", "image/jpeg", PHOTO), EXECUTABLE),
        (("a.php.jpg", "image/jpeg", PHOTO), EXECUTABLE),
        (("a.jpg", "image/jpeg", PROGRAM.2), EXECUTABLE),
        (("a.jpg", UNKNOWN, PROGRAM.2), EXECUTABLE),
        (("a.pdf", "application/pdf", PHOTO), not_pdf),
        (("a.jpg", "image/jpeg", b"just text"), not_jpeg),
        (("a.png", "image/png", b"\0\x01\x02\x03"), not_png),
    ]
}

fn rules() -> Vec<(Value, Vec<Case>)> {
    let not_any = Err("must be a file of type: heif, midi, htm, image/jpg");
    let long_text = ("a.txt", "text/plain", &b"0123456789a"[..]);
    let too_large = Err("must not be greater than 10 bytes");

    vec![
        (json!({}), without_rules()),
        (
            json!({"allowed_formats": "JPEG,png"}),
            vec![
                (JPEG, Ok("jpg")),
                (("a", UNKNOWN, PHOTO), Ok("jpg")),
                (TEXT, NOT_IMAGE),
                (("a.png", UNKNOWN, b"text named like an image"), NOT_IMAGE),
                // An executable extension in the middle of a name is rejected, although its last
                // extension is allowed.
                (("a.php.jpg", "image/jpeg", PHOTO), EXECUTABLE),
            ],
        ),
        (
            json!({"allowed_formats": "heif, midi, htm, image/jpg"}),
            vec![
                (HEIC, Ok("heic")),
                (MIDI, Ok("mid")),
                (JPEG, Ok("jpg")),
                (("a.html", "text/html", b"<p>text</p>"), Ok("html")),
                (TEXT, not_any),
            ],
        ),
        (
            json!({"allowed_formats": []}),
            vec![(JPEG, Ok("jpg")), (TEXT, Ok("txt"))],
        ),
        (
            json!({"max_file_size": 10}),
            vec![(TEXT, Ok("txt")), (long_text, too_large)],
        ),
        (
            json!({"allowed_formats": ["exe"]}),
            vec![(PROGRAM, Ok("exe")), (SCRIPT, EXECUTABLE)],
        ),
        (
            json!({"allowed_formats": ["sh", "php"]}),
            vec![(PROGRAM, EXECUTABLE), (SCRIPT, Ok("sh")), (PAGE, Ok("sh"))],
        ),
    ]
}

#[stack_test(options = without_limits(), undrained)]
async fn config_limits_formats_and_sizes(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({})).await;

    for (rules, files) in rules() {
        uploads.set_rules(json!({ "validation": rules })).await;
        for ((name, content_type, bytes), expected) in files {
            let before = uploads.stored().await;
            for route in ROUTES {
                let upload = uploads.file(route, name, content_type, bytes);
                let response = upload.finish().await;
                let response = response.with_context(&rules.to_string());
                match expected {
                    Ok(extension) => {
                        let record = uploads.record(response).await;
                        assert_eq!(record["extension"], extension, "{route:?} {name}");
                    }
                    Err(error_end) => assert_rejected(response, error_end),
                }
            }
            if expected.is_err() {
                uploads.assert_unchanged(&before, name).await;
            }
        }
    }
}

/// Declared types that a config accepts whose formats are jpg, tif and docx.
const ACCEPTED_TYPES: [&str; 7] = [
    "image/jpeg",
    "IMAGE/JPEG; q=1",
    "image/tiff",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/octet-stream",
    "application/x-mine",
    "image/x-unknown",
];
/// Declared types that it rejects.
const REJECTED_TYPES: &str = "image/png image/svg+xml video/mp4 audio/x-m4a text/plain \
    application/javascript application/zip application/pdf";

#[stack_test(undrained)]
async fn declared_types_outside_allowed_formats_are_rejected_on_every_route(stack: &Stack) {
    let rules = json!({"validation": {"allowed_formats": ["jpg", "tif", "docx"]}});
    let uploads = Uploads::new(stack, rules).await;

    for route in PRESIGNED {
        let send = async |content_type: &str| {
            let upload = uploads.file(route, "photo.jpg", content_type, PHOTO);
            upload.send().await.with_context(content_type)
        };
        for content_type in ACCEPTED_TYPES {
            send(content_type).await.expect_status(201);
        }
        for content_type in REJECTED_TYPES.split(' ') {
            let rejected = send(content_type).await;
            assert_rejected(rejected, "must be a file of type: jpg, tif, docx");
        }
    }
}

#[stack_test(undrained)]
async fn declared_type_is_validated_as_stored_type(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({})).await;
    let presign = async |format: &str, route: Route, name: &str, content_type: &str| {
        let rules = json!({"validation": {"allowed_formats": [format]}});
        uploads.set_rules(rules).await;
        uploads.file(route, name, content_type, "x").send().await
    };

    for route in PRESIGNED {
        // An executable that the config allows keeps its extension.
        let allowed = presign("sh", route, "a.sh", "text/plain").await;
        allowed.expect_status(201);
        let other = presign("sh", route, "a.txt", "text/plain").await;
        assert_rejected(other, "must be a file of type: sh");

        // A script of an anonymous uploader is stored as text.
        let (accepted, rejected) = if BY_KEY.contains(&route) {
            ("js", "txt")
        } else {
            ("txt", "js")
        };
        for content_type in SCRIPT_TYPES {
            let allowed = presign(accepted, route, "a.js", content_type).await;
            allowed.expect_status(201);
            let other = presign(rejected, route, "a.js", content_type).await;
            assert_rejected(other, &format!("must be a file of type: {rejected}"));
        }
    }
}

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
    let expected = json!({"storage_path": path, "original_name": "Summer Holiday (2).JPEG"});
    assert_fields(&own, expected);
    let before = uploads.stored().await;

    for route in ROUTES {
        let taken = uploads.file(route, "summer holiday 2.jpg", "image/jpeg", PHOTO);
        let response = taken.finish().await;
        let message = "A file named `summer-holiday-2.jpg` already exists. Rename the file, or use an upload config \
                       with `unique_filename`.";
        assert_eq!(response.json()["message"], message, "{route:?}");
        let errors = response.expect_error(409);
        if PRESIGNED.contains(&route) {
            let taken = json!({"file": ["The file has already been taken."]});
            assert_eq!(errors, taken);
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
    let twins = twins.text("upload_config", "by-key");
    let response = acme.upload_form(twins).await;
    response.expect_message("A file with this name already exists.");
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
