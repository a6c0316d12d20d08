//! `ETag` and `Last-Modified`: what changes them, and what does not.

use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};
use tests::{PHOTO, Stack, StackOptions, minutes, seconds, stack_test, text};

use super::fixture::DeliveryFixture;
use crate::uploads::presign::PendingFile;

/// Returns the entity tag of a file, for a client with access.
async fn etag(fixture: &DeliveryFixture<'_>, url: &str) -> String {
    fixture
        .acme
        .head(url)
        .await
        .expect_status(200)
        .header("etag")
        .to_owned()
}

/// Returns the time some seconds from now as an HTTP date.
fn http_date(fixture: &DeliveryFixture<'_>, seconds: i64) -> String {
    httpdate::fmt_http_date(
        UNIX_EPOCH + Duration::from_secs((fixture.now() + seconds).unsigned_abs()),
    )
}

/// Creates a folder in the folder of the fixture, and returns its id.
async fn inner_folder(fixture: &DeliveryFixture<'_>) -> String {
    fixture
        .folder_in(
            "Inner",
            Some(fixture.folder.trim_start_matches("/folders/")),
        )
        .await
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn etag_changes_with_access_and_type(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let inner = inner_folder(&fixture).await;
    let file = fixture.put("upload", &inner).await;
    let levels = [
        fixture.space(),
        fixture.folder.clone(),
        format!("/folders/{inner}"),
        file.path.clone(),
    ];

    let mut etags = vec![etag(&fixture, &file.url).await];
    for level in &levels {
        // The last change of each list restores the access before the first one.
        for requires_auth in [Some(true), Some(false), None] {
            if level == &levels[0] && requires_auth.is_none() {
                continue;
            }
            fixture.set(level, requires_auth).await;
            etags.push(etag(&fixture, &file.url).await);
        }
    }
    for delivery_type in [
        "private",
        "authenticated",
        "upload",
        "authenticated",
        "upload",
    ] {
        fixture
            .acme
            .put_ok(&file.path, json!({"type": delivery_type}))
            .await;
        etags.push(etag(&fixture, &file.url).await);
    }
    let folder = json!(fixture.folder.trim_start_matches("/folders/"));
    for folder in [folder.clone(), Value::Null, folder, Value::Null] {
        fixture
            .acme
            .put_ok(&file.path, json!({"folder_id": folder}))
            .await;
        etags.push(etag(&fixture, &file.url).await);
    }

    let count = etags.len();
    etags.sort();
    etags.dedup();
    assert_eq!(etags.len(), count, "{etags:?}");
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn folder_move_changes_etags_of_descendants(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let inner = inner_folder(&fixture).await;
    let file = fixture.put("upload", &inner).await;
    let before = etag(&fixture, &file.url).await;
    let move_to = async |parent: Value| {
        fixture
            .acme
            .put_ok(&format!("/folders/{inner}"), json!({"parent_id": parent}))
            .await;
        etag(&fixture, &file.url).await
    };

    let moved = move_to(Value::Null).await;
    let moved_back = move_to(json!(fixture.folder.trim_start_matches("/folders/"))).await;

    assert_ne!(moved, before);
    assert_ne!(moved_back, before);
    assert_ne!(moved_back, moved);
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn etag_stays_where_neither_access_nor_bytes_change(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let inner = inner_folder(&fixture).await;
    let file = fixture.put("upload", &inner).await;
    let client = &fixture.acme.client;
    for level in [&fixture.folder, &file.path] {
        fixture.set(level, Some(false)).await;
    }
    let before = etag(&fixture, &file.url).await;

    client
        .put_ok(
            &fixture.space(),
            json!({"name": "Renamed", "description": "x"}),
        )
        .await;
    client
        .put_ok(&fixture.folder, json!({"name": "Renamed"}))
        .await;
    client
        .put_ok(&format!("/folders/{inner}"), json!({"name": "Renamed"}))
        .await;
    fixture.folder_in("New", Some(&inner)).await;
    client
        .put_ok(
            &file.path,
            json!({"ref": "x", "tags": ["x"], "type": "upload", "folder_id": inner}),
        )
        .await;
    for level in [&fixture.space(), &fixture.folder, &file.path] {
        fixture.set(level, Some(false)).await;
        client
            .put_ok(
                &format!("{level}/access-control"),
                json!({"access_control": {}}),
            )
            .await;
    }

    assert_eq!(etag(&fixture, &file.url).await, before);
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn etag_differs_between_inline_and_attachment_and_names(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let file = fixture.put_here("upload").await;
    let before = etag(&fixture, &file.url).await;

    assert_ne!(
        etag(&fixture, &format!("{}?download", file.url)).await,
        before
    );
    fixture
        .acme
        .put_ok(&file.path, json!({"original_name": "renamed.jpg"}))
        .await;
    assert_ne!(etag(&fixture, &file.url).await, before);
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn last_modified_is_the_activation(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let anonymous = &fixture.stack.anonymous;
    let pending_file = PendingFile::create(&fixture.acme, json!({})).await;
    pending_file
        .send(fixture.stack, PHOTO)
        .await
        .expect_status(200);
    fixture.stack.clock.advance(minutes(10));
    let url = text(&pending_file.confirm(&fixture.acme.client).await.expect_ok()["url"]);

    let at = http_date(&fixture, 0);
    let before = http_date(&fixture, -1);
    let after = http_date(&fixture, 1);
    assert_eq!(anonymous.fetch(&url).await.header("last-modified"), at);
    fixture.stack.clock.advance(seconds(100));
    fixture
        .acme
        .put_ok(
            &pending_file.address(),
            json!({"ref": "x", "original_name": "y.jpg"}),
        )
        .await;
    for (name, date, status) in [
        ("if-modified-since", &before, 200),
        ("if-modified-since", &at, 304),
        ("if-modified-since", &after, 304),
        ("if-unmodified-since", &before, 412),
        ("if-unmodified-since", &at, 200),
        ("if-unmodified-since", &after, 200),
    ] {
        let response = anonymous
            .get_with(&url, &[(name, date)])
            .await
            .expect_status(status);
        if status < 400 {
            assert_eq!(response.header("last-modified"), at, "{name}: {date}");
        }
    }
    for (date, status) in [(&at, 206), (&before, 200)] {
        anonymous
            .get_with(&url, &[("range", "bytes=0-9"), ("if-range", date)])
            .await
            .expect_status(status);
    }
    fixture.stack.run_confirm_checks().await;
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn last_modified_of_a_direct_upload_is_its_creation(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let at = http_date(&fixture, 0);
    let file = fixture.put_here("upload").await;
    fixture.stack.clock.advance(minutes(1));
    assert_eq!(
        fixture
            .stack
            .anonymous
            .head(&file.url)
            .await
            .expect_status(200)
            .header("last-modified"),
        at
    );
}
