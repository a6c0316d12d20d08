//! Files of anonymous uploaders: the view that they get, their limits, and JavaScript, which is
//! stored as text.

use serde_json::{Value, json};
use tests::{
    PHOTO, Stack, StackOptions, TestSpace, assert_fields, field_names, file, minutes, seconds,
    stack_test, text,
};

use super::{
    presign::PendingFile,
    routes::{BY_KEY, PRESIGNED, Route, Uploads, WITHOUT_KEY, assert_rejected},
    unsigned::UnsignedConfig,
};

/// Fields of the anonymous view, sorted.
const FIELDS: &str =
    "created_at id mime_type name original_name resource_type size status type url";
/// Maximum size of an anonymous file whose config sets none, in bytes.
const ANONYMOUS_FILE_BYTES: u64 = 50 << 20;

#[stack_test(undrained)]
async fn anonymous_uploads_and_confirmations_return_the_anonymous_view(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({"metadata": {"tags": ["internal"]}})).await;

    for route in WITHOUT_KEY {
        let upload = uploads.photo(route).with(&[("ref", "order 7")]);
        let response = upload.finish().await;
        let view = response.json()["data"].clone();
        let record = uploads.record(response).await;

        assert_eq!(field_names(&view).join(" "), FIELDS, "{route:?}");
        assert_eq!(view["status"], "active");
        assert_fields(&record, view.clone());
        assert_eq!(stack.anonymous.fetch(&text(&view["url"])).await.body, PHOTO);

        // A key confirms with the whole record.
        if PRESIGNED.contains(&route) {
            let path = format!("/upload/confirm/{}", text(&view["id"]));
            assert_eq!(uploads.acme().post_ok(&path, json!({})).await, record);
        }
    }
}

#[stack_test(undrained)]
async fn confirmation_by_token_hides_later_changes(stack: &Stack, acme: &TestSpace) {
    let unsigned = UnsignedConfig::new(stack, acme, "open", json!({})).await;
    let pending_file = unsigned.pending(json!({})).await;
    let path = pending_file.address();

    // Changes before the confirmation apply.
    let guest = json!({"original_name": "guest.jpg"});
    acme.put_ok(&path, guest).await;
    pending_file.put(stack, PHOTO).await;
    let first = pending_file.confirm_by_token(stack).await.expect_ok();
    assert_eq!(first["original_name"], "guest.jpg");

    for change in [
        json!({"original_name": "Fraud by Jane Doe.jpg"}),
        json!({"type": "private"}),
        json!({"original_name": "guest.jpg", "type": "authenticated", "tags": ["internal"], "ref": "internal"}),
    ] {
        acme.put_ok(&path, change.clone()).await;
        let again = pending_file.confirm_by_token(stack).await;
        assert_eq!(again.expect_ok(), first, "{change}");
    }

    let changed = json!({"type": "authenticated", "tags": ["internal"]});
    assert_fields(&acme.get_ok(&path).await, changed);
}

#[stack_test(undrained)]
async fn anonymous_pending_files_are_limited_to_50_mb_by_default(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({})).await;
    let query = uploads.signer.query(stack);

    for max in [ANONYMOUS_FILE_BYTES, ANONYMOUS_FILE_BYTES + 1] {
        let [accepted, rejected] = [max, max + 1].map(|size| json!({ "size": size }));
        let error_end = format!("must not be greater than {max} bytes");
        uploads.unsigned.pending(accepted.clone()).await;
        let signed = uploads.signer.presign(&query, accepted).await;
        signed.expect_status(201);

        let unsigned = uploads.unsigned.presign(rejected.clone()).await;
        assert_rejected(unsigned, &error_end);
        let signed = uploads.signer.presign(&query, rejected.clone()).await;
        assert_rejected(signed, &error_end);
        PendingFile::create(uploads.acme(), rejected).await;

        let larger = json!({"validation": {"max_file_size": max + 1}});
        uploads.set_rules(larger).await;
    }
}

#[stack_test(options = StackOptions::default().with_parameters(&[("UnsignedUploadsPerHour", "2")]), undrained)]
async fn hourly_limit_defaults_to_template_parameter(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let unsigned = UnsignedConfig::new(stack, &acme, "open", json!({})).await;
    let configured = UnsignedConfig::with_hourly_limit(stack, &acme, "stated", 3).await;

    unsigned.send().await.expect_created();
    unsigned.pending(json!({})).await;
    unsigned.send().await.expect_created();
    unsigned.send().await.expect_error(429);
    unsigned.presign(json!({})).await.expect_error(429);
    for _ in 0..3 {
        configured.send().await.expect_created();
    }
    configured.send().await.expect_error(429);

    stack.clock.advance(minutes(60));
    unsigned.send().await.expect_created();
}

#[stack_test(undrained)]
async fn confirm_token_expires_an_hour_after_presigned_url(stack: &Stack, acme: &TestSpace) {
    let unsigned = UnsignedConfig::new(stack, acme, "open", json!({})).await;
    let pending_file = unsigned.pending(json!({})).await;
    pending_file.put(stack, PHOTO).await;

    stack.clock.advance(minutes(119) + seconds(59));
    pending_file.confirm_by_token(stack).await.expect_ok();
    stack.clock.advance(seconds(1));
    let late = pending_file.confirm_by_token(stack).await;

    late.expect_message("The confirm token has expired. Create a new presigned upload.");
    assert_eq!(late.expect_error(403), json!({}));
}

#[stack_test(undrained)]
async fn urls_are_null_while_a_file_is_pending(stack: &Stack, acme: &TestSpace) {
    let pending_file = PendingFile::create(acme, json!({})).await;
    let id = pending_file.id();
    let path = pending_file.address();
    let record = acme.get_ok(&path).await;
    assert_fields(&record, json!({"status": "pending", "url": null}));

    let list = acme.get_ok(&format!("/files?space_id={}", acme.id)).await;
    assert_eq!(list[0]["url"], Value::Null);
    let urls = acme.post_ok("/files/urls", json!({"file_ids": [id]})).await;
    assert_eq!(urls, json!([{"id": id, "url": null}]));
    let signed = acme.post_ok(&format!("{path}/signed-url"), json!({})).await;
    assert_eq!(signed["url"], Value::Null);
    // A record may be sent back whole.
    assert_eq!(acme.put_ok(&path, record.clone()).await["url"], Value::Null);

    pending_file.put(stack, PHOTO).await;
    let active = pending_file.confirm(&acme.client).await.expect_ok();
    let path = text(&record["storage_path"]);
    assert_eq!(active["url"], format!("{}/{path}", stack.local.cdn_url()));
}

/// Declared types of JavaScript.
pub(super) const SCRIPT_TYPES: [&str; 2] = ["text/javascript", "application/javascript"];

const SCRIPT: &[u8] = b"alert(1)";

/// Asserts that a file is plain text in its record, its name and its delivery.
async fn assert_delivered_as_text(stack: &Stack, record: &Value) {
    let expected = json!({"mime_type": "text/plain", "resource_type": "text"});
    assert_fields(record, expected);
    let name = text(&record["name"]);
    assert_eq!(name.rsplit('.').next(), Some("txt"), "{record}");

    let delivered = stack.anonymous.fetch(&text(&record["url"])).await;
    delivered.expect_header("content-type", "text/plain; charset=utf-8");
}

#[stack_test(undrained)]
async fn anonymous_javascript_is_stored_as_plain_text(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({})).await;

    for (name, content_type) in [
        ("a.js", "text/javascript"),
        ("a.mjs", "application/javascript"),
        ("a.js", "application/octet-stream"),
        ("a.txt", "text/javascript"),
    ] {
        for route in WITHOUT_KEY {
            let script = uploads.file(route, name, content_type, SCRIPT);
            let stored = uploads.record(script.finish().await).await;
            assert_delivered_as_text(stack, &stored).await;
        }
    }
    for route in BY_KEY {
        let script = uploads.file(route, "a.js", "text/javascript", SCRIPT);
        let stored = uploads.record(script.finish().await).await;
        assert_eq!(stored["mime_type"], "text/javascript");
    }

    // A URL signed for JavaScript accepts it, and it is stored as text.
    let signer = &uploads.signer;
    let query = signer.query_with(stack, "content_type", "text/javascript");
    let script = signer.form(file("a.js", "text/javascript", SCRIPT));
    let stored = signer.send_form(&query, script).await.expect_created();
    assert_delivered_as_text(stack, &stored).await;
    let table = signer.form(file("a.csv", "text/csv", SCRIPT));
    signer.send_form(&query, table).await.expect_error(422);
}

#[stack_test]
async fn confirm_check_stores_anonymous_javascript_as_plain_text(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({})).await;
    let mut sent = Vec::new();
    for (route, uploader) in [
        (Route::SignedPresign, "signed_url"),
        (Route::UnsignedPresign, "unsigned"),
    ] {
        let script = uploads.file(route, "a.js", "text/javascript", SCRIPT);
        let pending_file = PendingFile::of(script.send().await);
        pending_file.put(stack, SCRIPT).await;
        sent.push((pending_file, uploader));
    }

    stack.run_confirm_checks().await;

    for (pending_file, uploader) in sent {
        let active = uploads.acme().get_ok(&pending_file.address()).await;
        let expected = json!({
            "status": "active", "mime_type": "text/plain", "uploaded_by": {"type": uploader},
        });
        assert_fields(&active, expected);
    }
}
