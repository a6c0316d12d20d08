//! Anonymous uploads of JavaScript are stored and delivered as plain text.

use serde_json::{Value, json};
use tests::{Stack, assert_fields, file, stack_test, text};

use super::routes::{BY_KEY, Uploads, WITHOUT_KEY};

/// Declared types of JavaScript.
pub(super) const SCRIPT_TYPES: [&str; 2] = ["text/javascript", "application/javascript"];

const SCRIPT: &[u8] = b"alert(1)";

/// Asserts that a file is plain text in its record, its name and its delivery.
async fn assert_delivered_as_text(stack: &Stack, record: &Value) {
    let expected = json!({
        "mime_type": "text/plain", "resource_type": "text",
    });
    assert_fields(record, expected);
    let name = text(&record["name"]);
    let (_, extension) = name.rsplit_once('.').expect("an extension");
    assert_eq!(extension, "txt");

    let delivered = stack.anonymous.fetch(&text(&record["url"])).await;
    let content_type = delivered.header("content-type");
    assert_eq!(content_type, "text/plain; charset=utf-8");
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
    let more = json!({"filename": "a.js", "content_type": "text/javascript", "size": SCRIPT.len()});
    let pending_file = uploads.unsigned.pending(more).await;
    pending_file.put(stack, SCRIPT).await;

    stack.run_confirm_checks().await;

    let active = uploads.acme().get_ok(&pending_file.address()).await;
    let expected = json!({"status": "active", "mime_type": "text/plain"});
    assert_fields(&active, expected);
}
