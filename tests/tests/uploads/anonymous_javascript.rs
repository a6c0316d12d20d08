//! Anonymous uploads of JavaScript are stored and delivered as plain text.

use serde_json::{Value, json};
use tests::{Stack, TestSpace, file, stack_test, text};

use super::{
    anonymous::{confirm, put},
    unsigned::{UnsignedConfig, form},
};
use crate::support::signer::{Signer, query, with};

/// Asserts that a file is plain text in its record, its name and its delivery.
async fn assert_delivered_as_text(stack: &Stack, view: &Value) {
    assert_eq!(
        (&view["mime_type"], &view["resource_type"]),
        (&json!("text/plain"), &json!("text")),
        "{view}"
    );
    assert_eq!(
        text(&view["name"])
            .rsplit_once('.')
            .map(|(_, extension)| extension),
        Some("txt"),
        "{view}"
    );

    let delivered = stack.anonymous.fetch(&text(&view["url"])).await;

    assert_eq!(
        delivered.header("content-type"),
        "text/plain; charset=utf-8"
    );
}

#[stack_test(undrained)]
async fn anonymous_javascript_is_stored_as_plain_text(stack: &Stack) {
    const SCRIPT: &[u8] = b"alert(1)";

    let signer = Signer::new(stack, "Acme", json!({})).await;
    let acme = &signer.acme;
    let unsigned = UnsignedConfig::new(stack, acme, "open", json!({})).await;
    let mut stored = Vec::new();
    for (name, content_type) in [
        ("a.js", "text/javascript"),
        ("a.mjs", "application/javascript"),
        ("a.js", "application/octet-stream"),
        ("a.txt", "text/javascript"),
    ] {
        stored.push(
            unsigned
                .send_form(form(file(name, content_type, SCRIPT)))
                .await
                .expect_created(),
        );
        let more = json!({"filename": name, "content_type": content_type, "size": SCRIPT.len()});
        let pending_file = unsigned.presign(more).await.expect_status(201).json();
        let path = format!("/files/{}", text(&pending_file["file_id"]));
        let pending = acme.get_ok(&path).await;
        assert_eq!(
            (&pending["mime_type"], &pending["extension"]),
            (&json!("text/plain"), &json!("txt")),
            "{name}"
        );
        put(stack, &pending_file, SCRIPT).await;
        stored.push(confirm(stack, &pending_file).await.expect_ok());
    }

    // A URL signed for JavaScript accepts it, and it is stored as text.
    let script_query = query(&signer.signed(with(
        signer.parameters(stack),
        "content_type",
        "text/javascript",
    )));
    stored.push(
        signer
            .send_form(
                &script_query,
                signer.form(file("a.js", "text/javascript", SCRIPT)),
            )
            .await
            .expect_created(),
    );
    signer
        .send_form(
            &script_query,
            signer.form(file("a.csv", "text/csv", SCRIPT)),
        )
        .await
        .expect_error(422);

    for view in &stored {
        assert_delivered_as_text(stack, view).await;
    }

    let with_key = acme.upload(SCRIPT).named("a.js", "text/javascript");
    assert_eq!(
        with_key.with_config("starter").await["mime_type"],
        "text/javascript"
    );
}

#[stack_test]
async fn confirm_check_stores_anonymous_javascript_as_plain_text(stack: &Stack, acme: &TestSpace) {
    let unsigned = UnsignedConfig::new(stack, acme, "open", json!({})).await;
    let more = json!({"filename": "a.js", "content_type": "text/javascript", "size": 8});
    let pending_file = unsigned.presign(more).await.expect_status(201).json();
    put(stack, &pending_file, b"alert(1)").await;

    stack.run_confirm_checks().await;

    let active = acme
        .get_ok(&format!("/files/{}", text(&pending_file["file_id"])))
        .await;
    assert_eq!(
        (&active["status"], &active["mime_type"]),
        (&json!("active"), &json!("text/plain"))
    );
}
