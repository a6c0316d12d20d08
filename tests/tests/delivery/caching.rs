//! What clients keep, ask again for, or ask a part of: whoever may not see a file learns nothing of
//! it by that either.

use serde_json::json;
use tests::{Answer, Client, PHOTO, large_photo, seconds};

use super::fixture::{CACHED_SECONDS, HOUR_SECONDS, NOT_CACHED, Shelf, TYPES, cached};

/// Before any file here was made.
const BEFORE: &str = "Fri, 02 Jan 2026 03:04:05 GMT";
/// After all tests.
const AFTER: &str = "Sat, 02 Jan 2094 03:04:05 GMT";

/// A request for a file by a method, with a header, and the status that it has for whoever may see
/// the file.
type Asked<'a> = (&'a str, (&'a str, &'a str), u16);

/// Every kind of request for a file with this tag.
fn all_asked(etag: &str) -> Vec<Asked<'_>> {
    let (range, beyond) = (("range", "bytes=0-9"), ("range", "bytes=99999999-"));
    let (known, unchanged) = (("if-none-match", etag), ("if-modified-since", AFTER));
    let (other, changed) = (("if-match", "\"other\""), ("if-unmodified-since", BEFORE));
    vec![
        ("GET", ("accept", "*/*"), 200),
        ("HEAD", ("accept", "*/*"), 200),
        ("GET", range, 206),
        ("HEAD", range, 200),
        ("GET", beyond, 416),
        ("GET", known, 304),
        ("HEAD", known, 304),
        ("GET", ("if-none-match", "*"), 304),
        ("GET", unchanged, 304),
        ("HEAD", unchanged, 304),
        ("GET", other, 412),
        ("GET", changed, 412),
    ]
}

async fn answer(client: &Client, address: &str, (method, (name, value), _): Asked<'_>) -> Answer {
    client
        .send(client.request(method, address).header(name, value))
        .await
}

#[tokio::test]
async fn heads_parts_and_conditions_are_answered_after_the_check_alone() {
    let shelf = Shelf::new().await;
    let viewer = shelf.acme.role("viewer").await;
    let nobody = &shelf.stack.anonymous;
    shelf.set(&shelf.folder, Some(true)).await;
    for delivery_type in TYPES {
        let url = shelf.put_here(delivery_type).await.url;
        let signed = shelf.signed(&url);
        let expired = shelf.signer.sign(&url, shelf.now(), &[]);
        let by_signature = if delivery_type == "authenticated" {
            NOT_CACHED.to_owned()
        } else {
            cached(CACHED_SECONDS)
        };
        for (client, address, cache_control) in [
            (nobody, &signed, by_signature.as_str()),
            (&viewer, &url, NOT_CACHED),
        ] {
            let etag = client
                .head(address)
                .await
                .demand(200)
                .header("etag")
                .to_owned();
            assert!(!etag.is_empty(), "{delivery_type}");
            for asked in all_asked(&etag) {
                let answer = answer(client, address, asked).await.demand(asked.2);
                if answer.status < 400 {
                    assert_eq!(
                        answer.header("cache-control"),
                        cache_control,
                        "{delivery_type} {asked:?}"
                    );
                }
                let whole = asked.0 == "GET" && answer.status < 300;
                let expected = if whole {
                    &PHOTO[..answer.body.len()]
                } else {
                    &[]
                };
                assert!(
                    answer.status >= 400 || answer.body == expected,
                    "{delivery_type} {asked:?}"
                );
                assert!(
                    !whole || !answer.body.is_empty(),
                    "{delivery_type} {asked:?}"
                );
            }
            for (client, address) in [(nobody, &url), (nobody, &expired), (&viewer, &expired)] {
                for asked in all_asked(&etag) {
                    let refused = answer(client, address, asked).await.demand(403);
                    for name in [
                        "etag",
                        "last-modified",
                        "content-range",
                        "content-disposition",
                    ] {
                        assert_eq!(refused.header(name), "", "{delivery_type} {asked:?}");
                    }
                    if asked.0 == "GET" {
                        refused.refused(403);
                    }
                }
            }
        }
    }
    shelf.stack.stop().await;
}

#[tokio::test]
async fn what_is_kept_is_no_longer_confirmed_once_access_is_closed() {
    let shelf = Shelf::new().await;
    let file = shelf.put_here("upload").await;
    let nobody = &shelf.stack.anonymous;
    for level in [&shelf.space(), &shelf.folder, &file.path] {
        let etag = nobody
            .get(&file.url)
            .await
            .demand(200)
            .header("etag")
            .to_owned();
        let kept = [("if-none-match", etag.as_str())];
        let confirmed = nobody.get_with(&file.url, &kept).await.demand(304);
        assert_eq!(
            confirmed.header("cache-control"),
            cached(CACHED_SECONDS),
            "{level}"
        );
        shelf.set(level, Some(true)).await;
        nobody.get_with(&file.url, &kept).await.refused(403);
        nobody
            .get_with(&file.url, &[("if-modified-since", AFTER)])
            .await
            .refused(403);
        shelf.set(level, None).await;
        nobody.get(&file.url).await.demand(200);
    }
    let kept = [("if-none-match", "*")];
    for (delivery_type, status) in [
        ("private", 403),
        ("upload", 304),
        ("authenticated", 403),
        ("upload", 304),
    ] {
        shelf
            .acme
            .client
            .put(&file.path, json!({"type": delivery_type}))
            .await
            .ok();
        nobody.get_with(&file.url, &kept).await.demand(status);
    }
    shelf.stack.stop().await;
}

#[tokio::test]
async fn what_a_browser_keeps_is_confirmed_no_longer_than_its_address_is_good() {
    let shelf = Shelf::new().await;
    let url = shelf.put_here("private").await.url;
    let nobody = &shelf.stack.anonymous;
    let signed = shelf.signer.sign(&url, shelf.now() + HOUR_SECONDS, &[]);
    let etag = nobody
        .get(&signed)
        .await
        .demand(200)
        .header("etag")
        .to_owned();
    let kept = [("if-none-match", etag.as_str())];
    shelf.stack.clock.advance(seconds(3_590));
    let confirmed = nobody.get_with(&signed, &kept).await.demand(304);
    assert_eq!(confirmed.header("cache-control"), cached(10));
    shelf.stack.clock.advance(seconds(10));
    nobody.get_with(&signed, &kept).await.refused(403);
    shelf.stack.stop().await;
}

#[tokio::test]
async fn nobody_is_sent_to_storage_who_may_not_see_the_file() {
    let shelf = Shelf::with(&[("RedirectAboveBytes", "100000")]).await;
    let viewer = shelf.acme.role("viewer").await;
    let nobody = &shelf.stack.anonymous;
    let bytes = large_photo(100_001);
    for (delivery_type, by_signature) in [
        ("private", &*cached(CACHED_SECONDS)),
        ("authenticated", NOT_CACHED),
    ] {
        let url = shelf
            .put_file(
                delivery_type,
                "root",
                ("large.jpg", "image/jpeg", &bytes[..]),
            )
            .await
            .url;
        nobody.get(&url).await.refused(403);
        for (client, address, cache_control) in [
            (nobody, &shelf.signed(&url), by_signature),
            (&viewer, &url, NOT_CACHED),
        ] {
            let sent = client.get(address).await.demand(307);
            assert_eq!(sent.header("cache-control"), "no-store", "{delivery_type}");
            let stored = nobody.get(sent.header("location")).await.demand(200);
            assert!(stored.body == bytes, "{delivery_type}");
            assert_eq!(
                stored.header("cache-control"),
                cache_control,
                "{delivery_type}"
            );
        }
    }
    shelf.stack.stop().await;
}
