//! `ETag` and `Last-Modified`: what changes them, and what does not.

use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};
use tests::{File, PHOTO, Stack, StackOptions, minutes, seconds, stack_test, text};

use super::fixture::DeliveryFixture;
use crate::uploads::presign::PendingFile;

/// Returns the entity tag at a URL, for a client with access.
async fn etag(acme: &DeliveryFixture<'_>, url: &str) -> String {
    let head = acme.head(url).await.expect_status(200);
    head.header("etag").to_owned()
}

/// Changes a record, and returns the entity tag of the file.
async fn changed(acme: &DeliveryFixture<'_>, file: &File, path: &str, body: Value) -> String {
    acme.put_ok(path, body).await;
    etag(acme, file.url()).await
}

/// Returns the time some seconds from now as an HTTP date.
fn http_date(acme: &DeliveryFixture<'_>, seconds: i64) -> String {
    let time = (acme.now() + seconds).unsigned_abs();
    httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(time))
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn etag_changes_with_access_and_type(stack: &Stack) {
    let acme = DeliveryFixture::new(stack).await;
    let inner = acme.folder("Inner").inside(&acme.folder).await;
    let file = acme.put("upload", &inner.id).await;
    let mut etags = vec![etag(&acme, file.url()).await];

    let space = acme.path();
    for level in [&space, acme.folder.path(), inner.path(), file.path()] {
        // The last change of each list restores the access before the first one.
        for requires_auth in [Some(true), Some(false), None] {
            if level == space && requires_auth.is_none() {
                continue;
            }
            acme.set_access(level, requires_auth).await;
            etags.push(etag(&acme, file.url()).await);
        }
    }
    for delivery_type in [
        "private",
        "authenticated",
        "upload",
        "authenticated",
        "upload",
    ] {
        let body = json!({ "type": delivery_type });
        etags.push(changed(&acme, &file, file.path(), body).await);
    }
    for folder in [
        &acme.folder["id"],
        &Value::Null,
        &acme.folder["id"],
        &Value::Null,
    ] {
        let body = json!({ "folder_id": folder });
        etags.push(changed(&acme, &file, file.path(), body).await);
    }

    let count = etags.len();
    etags.sort();
    etags.dedup();
    assert_eq!(etags.len(), count, "{etags:?}");
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn folder_move_changes_etags_of_descendants(stack: &Stack) {
    let acme = DeliveryFixture::new(stack).await;
    let inner = acme.folder("Inner").inside(&acme.folder).await;
    let file = acme.put("upload", &inner.id).await;

    let before = etag(&acme, file.url()).await;
    let outside = json!({"parent_id": null});
    let moved = changed(&acme, &file, inner.path(), outside).await;
    let back = json!({"parent_id": acme.folder.id});
    let moved_back = changed(&acme, &file, inner.path(), back).await;

    assert_ne!(moved, before);
    assert_ne!(moved_back, before);
    assert_ne!(moved_back, moved);
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn etag_stays_where_neither_access_nor_bytes_change(stack: &Stack) {
    let acme = DeliveryFixture::new(stack).await;
    let inner = acme.folder("Inner").inside(&acme.folder).await;
    let file = acme.put("upload", &inner.id).await;
    for level in [acme.folder.path(), file.path()] {
        acme.set_access(level, Some(false)).await;
    }
    let before = etag(&acme, file.url()).await;

    let renamed = json!({"name": "Renamed", "description": "x"});
    for path in [&acme.path(), acme.folder.path(), inner.path()] {
        acme.put_ok(path, renamed.clone()).await;
    }
    acme.folder("New").inside(&inner).await;
    let body = json!({"ref": "x", "tags": ["x"], "type": "upload", "folder_id": inner.id});
    acme.put_ok(file.path(), body).await;
    for level in [&acme.path(), acme.folder.path(), file.path()] {
        acme.set_access(level, Some(false)).await;
        let path = format!("{level}/access-control");
        acme.put_ok(&path, json!({"access_control": {}})).await;
    }

    assert_eq!(etag(&acme, file.url()).await, before);
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn last_modified_is_the_activation(stack: &Stack) {
    let acme = DeliveryFixture::new(stack).await;
    let anonymous = &stack.anonymous;
    let pending_file = PendingFile::create(&acme, json!({})).await;
    let sent = pending_file.send(stack, PHOTO).await;
    sent.expect_status(200);
    stack.clock.advance(minutes(10));
    let direct = acme.put_here("upload").await;
    let url = text(&pending_file.confirm(&acme).await.expect_ok()["url"]);

    let at = http_date(&acme, 0);
    let before = http_date(&acme, -1);
    stack.clock.advance(seconds(100));
    let body = json!({"ref": "x", "original_name": "y.jpg"});
    acme.put_ok(&pending_file.address(), body).await;
    for url in [&url, direct.url()] {
        let response = anonymous.fetch(url).await;
        response.expect_header("last-modified", &at);
    }
    for (name, date, status) in [
        ("if-modified-since", &before, 200),
        ("if-modified-since", &at, 304),
        ("if-unmodified-since", &before, 412),
        ("if-unmodified-since", &at, 200),
    ] {
        let response = anonymous.fetch_as(status, &url, &[(name, date)]).await;
        if status < 400 {
            response.expect_header("last-modified", &at);
        }
    }
    for (date, status) in [(&at, 206), (&before, 200)] {
        let headers = [("range", "bytes=0-9"), ("if-range", &**date)];
        anonymous.fetch_as(status, &url, &headers).await;
    }
    stack.run_confirm_checks().await;
}
