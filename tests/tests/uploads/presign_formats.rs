//! Presign requests are rejected if the declared type breaks the allowed formats of the config.

use serde_json::{Value, json};
use tests::{Stack, TestSpace, stack_test};

use super::{presign::presign_body, unsigned::UnsignedConfig};
use crate::support::signer::Signer;

fn rejection(formats: &str) -> Value {
    json!({"content_type": [format!("The content type field must be a file of type: {formats}.")]})
}

#[stack_test(undrained)]
async fn declared_types_outside_allowed_formats_are_rejected_on_every_route(stack: &Stack) {
    let rules = json!({"validation": {"allowed_formats": ["jpg", "tif", "docx"]}});
    let signer = Signer::new(stack, "Acme", rules.clone()).await;
    let acme = &signer.acme;
    let unsigned = UnsignedConfig::new(stack, acme, "open", json!({"config": rules})).await;
    let signed_query = signer.query(stack);

    for (content_type, status) in [
        ("image/jpeg", 201),
        ("IMAGE/JPEG; q=1", 201),
        ("image/tiff", 201),
        (
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            201,
        ),
        ("application/octet-stream", 201),
        ("application/x-mine", 201),
        ("image/x-unknown", 201),
        ("image/png", 422),
        ("image/svg+xml", 422),
        ("video/mp4", 422),
        ("audio/x-m4a", 422),
        ("text/plain", 422),
        ("application/javascript", 422),
        ("application/zip", 422),
        ("application/pdf", 422),
    ] {
        let fields = json!({"content_type": content_type});
        let mut with_key = presign_body(acme, fields.clone());
        with_key["upload_config"] = json!("by-signature");
        for response in [
            acme.post("/upload/presign", with_key).await,
            signer.presign(&signed_query, fields.clone()).await,
            unsigned.presign(fields.clone()).await,
        ] {
            let response = response.with_context(content_type).expect_status(status);
            if status == 422 {
                assert_eq!(
                    response.expect_error(422),
                    rejection("jpg, tiff, docx"),
                    "{content_type}"
                );
            }
        }
    }
}

#[stack_test(undrained)]
async fn declared_type_is_validated_as_stored_type(stack: &Stack, acme: &TestSpace) {
    acme.upload_config("executables")
        .with_settings(json!({"validation": {"allowed_formats": ["sh"]}}))
        .await;
    acme.upload_config("scripts")
        .with_settings(json!({"validation": {"allowed_formats": ["js"]}}))
        .await;

    let scripts = json!({"config": {"validation": {"allowed_formats": ["js"]}}});
    let unsigned = UnsignedConfig::new(stack, acme, "open", scripts).await;
    let texts = json!({"config": {"validation": {"allowed_formats": ["txt"]}}});
    let open_texts = UnsignedConfig::new(stack, acme, "texts", texts).await;
    let presign = |upload_config: &str, filename: &str, content_type: &str| {
        let fields = json!({"upload_config": upload_config, "filename": filename, "content_type": content_type});
        acme.post("/upload/presign", presign_body(acme, fields))
    };
    let script = json!({"filename": "a.js", "content_type": "text/javascript"});

    // An executable that the config allows keeps its extension.
    presign("executables", "a.sh", "text/plain")
        .await
        .expect_status(201);
    assert_eq!(
        presign("executables", "a.txt", "text/plain")
            .await
            .expect_error(422),
        rejection("sh")
    );

    presign("scripts", "a.js", "text/javascript")
        .await
        .expect_status(201);

    // A script of an anonymous uploader is stored as text.
    assert_eq!(
        unsigned.presign(script.clone()).await.expect_error(422),
        rejection("js")
    );

    open_texts.presign(script).await.expect_status(201);
}
