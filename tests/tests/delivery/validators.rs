//! `ETag` and `Last-Modified`: what changes them, and what does not.

use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};
use tests::{PHOTO, minutes, seconds};

use super::fixture::{Shelf, text};
use crate::uploads::presign::Announced;

/// The entity tag of a file for a caller who may always see it.
async fn etag(shelf: &Shelf, url: &str) -> String {
    shelf
        .acme
        .client
        .head(url)
        .await
        .demand(200)
        .header("etag")
        .to_owned()
}

/// The date of HTTP's headers, seconds from now.
fn http_date(shelf: &Shelf, seconds: i64) -> String {
    httpdate::fmt_http_date(
        UNIX_EPOCH + Duration::from_secs((shelf.now() + seconds).unsigned_abs()),
    )
}

/// A folder within the folder of the shelf, and its id.
async fn inner_folder(shelf: &Shelf) -> String {
    shelf
        .folder_in("Inner", Some(shelf.folder.trim_start_matches("/folders/")))
        .await
}

#[tokio::test]
async fn etag_changes_with_every_change_of_access_or_type() {
    let shelf = Shelf::new().await;
    let inner = inner_folder(&shelf).await;
    let file = shelf.put("upload", &inner).await;
    let levels = [
        shelf.space(),
        shelf.folder.clone(),
        format!("/folders/{inner}"),
        file.path.clone(),
    ];

    let mut seen = vec![etag(&shelf, &file.url).await];
    for level in &levels {
        // The last one of each leads back to the access before the first one.
        for requires_auth in [Some(true), Some(false), None] {
            if level == &levels[0] && requires_auth.is_none() {
                continue;
            }
            shelf.set(level, requires_auth).await;
            seen.push(etag(&shelf, &file.url).await);
        }
    }
    for delivery_type in [
        "private",
        "authenticated",
        "upload",
        "authenticated",
        "upload",
    ] {
        shelf
            .acme
            .client
            .put(&file.path, json!({"type": delivery_type}))
            .await
            .ok();
        seen.push(etag(&shelf, &file.url).await);
    }
    let folder = json!(shelf.folder.trim_start_matches("/folders/"));
    for folder in [folder.clone(), Value::Null, folder, Value::Null] {
        shelf
            .acme
            .client
            .put(&file.path, json!({"folder_id": folder}))
            .await
            .ok();
        seen.push(etag(&shelf, &file.url).await);
    }

    let count = seen.len();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), count, "{seen:?}");
    shelf.stack.stop().await;
}

#[tokio::test]
async fn moved_folder_changes_etags_below_it() {
    let shelf = Shelf::new().await;
    let inner = inner_folder(&shelf).await;
    let file = shelf.put("upload", &inner).await;
    let before = etag(&shelf, &file.url).await;
    let move_to = async |parent: Value| {
        shelf
            .acme
            .client
            .put(&format!("/folders/{inner}"), json!({"parent_id": parent}))
            .await
            .ok();
        etag(&shelf, &file.url).await
    };

    let moved = move_to(Value::Null).await;
    let moved_back = move_to(json!(shelf.folder.trim_start_matches("/folders/"))).await;

    assert_ne!(moved, before);
    assert_ne!(moved_back, before);
    assert_ne!(moved_back, moved);
    shelf.stack.stop().await;
}

#[tokio::test]
async fn etag_stays_where_neither_access_nor_bytes_change() {
    let shelf = Shelf::new().await;
    let inner = inner_folder(&shelf).await;
    let file = shelf.put("upload", &inner).await;
    let client = &shelf.acme.client;
    for level in [&shelf.folder, &file.path] {
        shelf.set(level, Some(false)).await;
    }
    let before = etag(&shelf, &file.url).await;

    client
        .put(
            &shelf.space(),
            json!({"name": "Renamed", "description": "x"}),
        )
        .await
        .ok();
    client
        .put(&shelf.folder, json!({"name": "Renamed"}))
        .await
        .ok();
    client
        .put(&format!("/folders/{inner}"), json!({"name": "Renamed"}))
        .await
        .ok();
    shelf.folder_in("New", Some(&inner)).await;
    client
        .put(
            &file.path,
            json!({"ref": "x", "tags": ["x"], "type": "upload", "folder_id": inner}),
        )
        .await
        .ok();
    for level in [&shelf.space(), &shelf.folder, &file.path] {
        shelf.set(level, Some(false)).await;
        client
            .put(
                &format!("{level}/access-control"),
                json!({"access_control": {}}),
            )
            .await
            .ok();
    }

    assert_eq!(etag(&shelf, &file.url).await, before);
    shelf.stack.stop().await;
}

#[tokio::test]
async fn etag_differs_between_inline_and_attachment_and_names() {
    let shelf = Shelf::new().await;
    let file = shelf.put_here("upload").await;
    let before = etag(&shelf, &file.url).await;
    assert_ne!(
        etag(&shelf, &format!("{}?download", file.url)).await,
        before
    );
    shelf
        .acme
        .client
        .put(&file.path, json!({"original_name": "renamed.jpg"}))
        .await
        .ok();
    assert_ne!(etag(&shelf, &file.url).await, before);
    shelf.stack.stop().await;
}

#[tokio::test]
async fn last_modified_is_the_activation() {
    let shelf = Shelf::new().await;
    let nobody = &shelf.stack.anonymous;
    let announced = Announced::to(&shelf.acme, json!({})).await;
    announced.send(&shelf.stack, PHOTO).await.demand(200);
    shelf.stack.clock.advance(minutes(10));
    let url = text(&announced.confirm(&shelf.acme.client).await.ok()["url"]);

    let at = http_date(&shelf, 0);
    let before = http_date(&shelf, -1);
    let after = http_date(&shelf, 1);
    assert_eq!(
        nobody.get(&url).await.demand(200).header("last-modified"),
        at
    );
    shelf.stack.clock.advance(seconds(100));
    shelf
        .acme
        .client
        .put(
            &announced.address(),
            json!({"ref": "x", "original_name": "y.jpg"}),
        )
        .await
        .ok();
    for (name, date, status) in [
        ("if-modified-since", &before, 200),
        ("if-modified-since", &at, 304),
        ("if-modified-since", &after, 304),
        ("if-unmodified-since", &before, 412),
        ("if-unmodified-since", &at, 200),
        ("if-unmodified-since", &after, 200),
    ] {
        let answer = nobody.get_with(&url, &[(name, date)]).await.demand(status);
        if status < 400 {
            assert_eq!(answer.header("last-modified"), at, "{name}: {date}");
        }
    }
    for (date, status) in [(&at, 206), (&before, 200)] {
        nobody
            .get_with(&url, &[("range", "bytes=0-9"), ("if-range", date)])
            .await
            .demand(status);
    }
    shelf.stack.checked().await;
    shelf.stack.stop().await;
}

#[tokio::test]
async fn last_modified_of_a_direct_upload_is_its_creation() {
    let shelf = Shelf::new().await;
    let at = http_date(&shelf, 0);
    let file = shelf.put_here("upload").await;
    shelf.stack.clock.advance(minutes(1));
    assert_eq!(
        shelf
            .stack
            .anonymous
            .head(&file.url)
            .await
            .demand(200)
            .header("last-modified"),
        at
    );
    shelf.stack.stop().await;
}
