//! `POST /upload/confirm/:fileId`: validation and transformation of the uploaded bytes.

use media::Format;
use serde_json::{Value, json};
use tests::{PHOTO, Stack, TestSpace, large_photo, stack_test};

use super::{
    confirm::{DIGEST_MAX_BYTES, delivered_bytes, file_error, original_keys},
    presign::PendingFile,
};
use crate::support::images::{PLACE, animation, contains, image, png_of_sides, with_exif};

/// An upload that a confirmation rejects.
struct InvalidUpload {
    case: &'static str,
    /// Fields of the presign request.
    fields: Value,
    bytes: Vec<u8>,
    /// End of the error message.
    error_end: &'static str,
}

fn disallowed_uploads() -> Vec<InvalidUpload> {
    let executable = b"MZ\x90\0\x03\0\0\0".to_vec();
    let executable_error = "must not be an executable file";

    vec![
        InvalidUpload {
            case: "a format",
            fields: json!({"upload_config": "pngs", "content_type": "application/octet-stream"}),
            bytes: PHOTO.to_vec(),
            error_end: "must be a file of type: png",
        },
        InvalidUpload {
            case: "an executable",
            fields: json!({}),
            bytes: executable.clone(),
            error_end: executable_error,
        },
        InvalidUpload {
            case: "an executable without a type",
            fields: json!({"content_type": "application/octet-stream"}),
            bytes: executable,
            error_end: executable_error,
        },
        InvalidUpload {
            case: "another media type",
            fields: json!({"filename": "a.pdf", "content_type": "application/pdf"}),
            bytes: PHOTO.to_vec(),
            error_end: "must be application/pdf as declared, but is image/jpeg",
        },
        InvalidUpload {
            case: "no image",
            fields: json!({}),
            bytes: b"just text".to_vec(),
            error_end: "must be image/jpeg as declared, but is text/plain",
        },
        InvalidUpload {
            case: "no supported image",
            fields: json!({"content_type": "image/png"}),
            bytes: b"\0\x01\x02\x03".to_vec(),
            error_end: "must be image/png as declared, but is not recognized",
        },
    ]
}

fn invalid_images() -> Vec<InvalidUpload> {
    let jpeg_for = |config: &str| json!({"upload_config": config});
    let png_for = |config: &str| json!({"upload_config": config, "content_type": "image/png"});
    let bomb = png_of_sides(65_000, 65_000);
    let jpeg = image(Format::Jpeg, 48, 32);
    let larger_jpeg = image(Format::Jpeg, 240, 160);
    let truncated_error = "must be a complete image; this one is truncated";

    vec![
        InvalidUpload {
            case: "too wide",
            fields: jpeg_for("narrow"),
            bytes: larger_jpeg.clone(),
            error_end: "has invalid image dimensions: the image has 240 × 160 pixels, but the \
                        upload config requires a width of at most 100",
        },
        InvalidUpload {
            case: "a truncated header",
            fields: jpeg_for("narrow"),
            bytes: PHOTO[..20].to_vec(),
            error_end: "has invalid image dimensions: they cannot be read",
        },
        InvalidUpload {
            case: "a decompression bomb, measured",
            fields: png_for("narrow"),
            bytes: bomb.clone(),
            error_end: "has invalid image dimensions: the image has 65000 × 65000 pixels, but the \
                        upload config requires a width of at most 100",
        },
        InvalidUpload {
            case: "a truncated image, measured",
            fields: jpeg_for("narrow"),
            bytes: jpeg[..jpeg.len() - 4].to_vec(),
            error_end: truncated_error,
        },
        InvalidUpload {
            case: "a decompression bomb, transformed",
            fields: png_for("webp"),
            bytes: bomb,
            error_end: "must not have more than 100000000 pixels",
        },
        InvalidUpload {
            case: "a truncated image, transformed",
            fields: jpeg_for("webp"),
            bytes: larger_jpeg[..larger_jpeg.len() / 2].to_vec(),
            error_end: truncated_error,
        },
    ]
}

#[stack_test]
async fn confirming_invalid_upload_rejects_and_removes_it(stack: &Stack, acme: &TestSpace) {
    acme.upload_config("pngs")
        .with_settings(json!({"validation": {"allowed_formats": ["png"]}}))
        .await;
    acme.upload_config("narrow")
        .with_settings(json!({"validation": {"max_image_width": 100}}))
        .await;
    acme.upload_config("webp")
        .with_settings(json!({"transformations": {"upload_format": "webp"}}))
        .await;

    for upload in [disallowed_uploads(), invalid_images()]
        .into_iter()
        .flatten()
    {
        let before = stack.dump().await;
        let mut fields = upload.fields;
        fields["size"] = json!(upload.bytes.len());
        let pending_file = PendingFile::create(acme, fields).await;
        pending_file
            .send(stack, upload.bytes)
            .await
            .expect_status(200);

        let errors = pending_file.confirm(&acme.client).await.expect_error(422);
        assert_eq!(errors, file_error(upload.error_end), "{}", upload.case);
        stack.dump().await.assert_unchanged(&before, upload.case);

        pending_file.confirm(&acme.client).await.expect_error(404);
        acme.get_err(404, &pending_file.address()).await;
    }

    // S3 rejects bytes of another size. Put them without the presigned URL.
    for bytes in [&b""[..], b"short", PHOTO.split_last().expect("bytes").1] {
        let before = stack.dump().await;
        let pending_file = PendingFile::create(acme, json!({})).await;
        stack.put_object(pending_file.object_key(), bytes).await;
        let errors = pending_file.confirm(&acme.client).await.expect_error(422);
        assert_eq!(
            errors,
            file_error("must have the declared size"),
            "{} bytes",
            bytes.len()
        );
        stack
            .dump()
            .await
            .assert_unchanged(&before, "objects of another size");
    }

    stack.run_confirm_checks().await;
}

#[stack_test]
async fn confirmation_applies_rules_of_presign_time(stack: &Stack, acme: &TestSpace) {
    let id = acme
        .upload_config("own")
        .with_settings(json!({"metadata": {"tags": ["old"]}}))
        .await
        .id;
    let pending_file = PendingFile::create(acme, json!({"upload_config": "own"})).await;

    pending_file.send(stack, PHOTO).await.expect_status(200);

    let rules = json!({"validation": {"allowed_formats": ["png"]}, "metadata": {"tags": ["new"]}});
    acme.post_ok("/upload-configs/update", json!({"id": id, "config": rules}))
        .await;

    let delete = acme
        .request("DELETE", "/upload-configs")
        .json(&json!({"id": id}));

    acme.send(delete).await.expect_status(204);

    let active = pending_file.confirm(&acme.client).await.expect_ok();
    assert_eq!(
        (&active["tags"], &active["upload_config_id"]),
        (&json!(["old"]), &json!(id))
    );
    assert!(delivered_bytes(stack, &active).await == PHOTO);

    stack.run_confirm_checks().await;
}

/// An upload, and the type that a config stores it as.
struct Transformed {
    config: &'static str,
    content_type: &'static str,
    bytes: Vec<u8>,
    stored_type: &'static str,
    is_unchanged: bool,
}

fn transformed_uploads() -> Vec<Transformed> {
    let rotated = with_exif(Format::Jpeg, 6);
    let converted = |content_type, bytes| Transformed {
        config: "webp",
        content_type,
        bytes,
        stored_type: "image/webp",
        is_unchanged: false,
    };
    let unchanged = |config, content_type, bytes| Transformed {
        config,
        content_type,
        bytes,
        stored_type: content_type,
        is_unchanged: true,
    };
    let stripped = Transformed {
        config: "bare",
        content_type: "image/jpeg",
        bytes: rotated.clone(),
        stored_type: "image/jpeg",
        is_unchanged: false,
    };

    vec![
        converted("image/jpeg", PHOTO.to_vec()),
        converted("application/octet-stream", image(Format::Png, 48, 32)),
        unchanged("webp", "image/webp", image(Format::WebP, 48, 32)),
        stripped,
        unchanged("starter", "image/jpeg", rotated),
        // Animations and other files are not converted.
        unchanged("webp", "image/gif", animation()),
        unchanged("webp", "text/plain", b"just text".to_vec()),
    ]
}

#[stack_test]
async fn confirmation_transforms_images(stack: &Stack, acme: &TestSpace) {
    acme.upload_config("webp")
        .with_settings(json!({"transformations": {"upload_format": "webp"}}))
        .await;
    acme.upload_config("bare")
        .with_settings(json!({"transformations": {"strip_metadata": true}}))
        .await;

    for upload in transformed_uploads() {
        let case = format!("{} {}", upload.config, upload.content_type);
        let fields = json!({"upload_config": upload.config, "content_type": upload.content_type, "size": upload.bytes.len()});
        let pending_file = PendingFile::create(acme, fields).await;
        pending_file
            .send(stack, upload.bytes.clone())
            .await
            .expect_status(200);

        let active = pending_file.confirm(&acme.client).await.expect_ok();
        assert_eq!(active["mime_type"], upload.stored_type, "{case}");
        let record = acme.get_ok(&pending_file.address()).await;
        assert_eq!(record, active);

        let delivered = delivered_bytes(stack, &active).await;
        assert_eq!(delivered == upload.bytes, upload.is_unchanged, "{case}");
        let detected = Format::detect(&delivered).map(|format| format.media_type().mime_type);
        let detected = detected.as_deref().unwrap_or("text/plain");
        assert_eq!(detected, upload.stored_type, "{case}");
        let has_place = contains(&delivered, PLACE);
        assert_eq!(has_place, upload.config == "starter", "{case}");
    }

    let dump = stack.dump().await;
    let keys = original_keys(&dump, &acme.id);
    assert_eq!(dump.files_with_bytes().len(), keys.len());

    stack.run_confirm_checks().await;
}

#[stack_test]
async fn large_files_are_stored_unchanged_without_digest(stack: &Stack, acme: &TestSpace) {
    let unknown = "application/octet-stream";
    for (content_type, bytes) in [
        (unknown, vec![0; DIGEST_MAX_BYTES]),
        (unknown, vec![0; DIGEST_MAX_BYTES + 1]),
        (unknown, vec![0; 51 << 20]),
        ("image/jpeg", large_photo(DIGEST_MAX_BYTES + 1)),
    ] {
        let fields = json!({"content_type": content_type, "size": bytes.len()});
        let pending_file = PendingFile::create(acme, fields).await;
        pending_file
            .send(stack, bytes.clone())
            .await
            .expect_status(200);
        let active = pending_file.confirm(&acme.client).await.expect_ok();
        assert_eq!(active["mime_type"], content_type);
        assert!(
            delivered_bytes(stack, &active).await == bytes,
            "{} bytes differ",
            bytes.len()
        );
    }

    stack.run_confirm_checks().await;
}
