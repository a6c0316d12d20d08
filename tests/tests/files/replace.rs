//! `PUT /files/:id/content`: other bytes under the same URL.

use std::cell::Cell;

use media::format::Format;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use tests::{
    Client, Dump, File, PHOTO, ReceivedWebhook, Response, Stack, StackOptions, TestSpace,
    assert_fields, column, field_error, file, large_photo, merged, minutes, seconds, stack_test,
    text,
};

use crate::{
    delivery::fixture::{LARGE_BYTES, options_with_redirects},
    support::{
        images::image,
        seeded::{Place, invariants::assert_file_records},
    },
    uploads::{presign::PendingFile, unsigned::UnsignedConfig},
    webhooks::fixture::Hooks,
};

/// Minutes of a day.
const DAY_MINUTES: u64 = 24 * 60;

/// Sends other bytes of a file.
pub(crate) async fn replace(client: &Client, id: &str, bytes: impl Into<Vec<u8>>) -> Response {
    replace_by(client, id, file("new.jpg", "image/jpeg", bytes)).await
}

pub(crate) async fn replace_by(client: &Client, id: &str, part: Part) -> Response {
    let request = client.request("PUT", &format!("/files/{id}/content"));
    let form = Form::new().part("file", part);
    client.send(request.multipart(form)).await
}

/// Returns a JPEG of these sides.
pub(crate) fn jpeg(width: u32, height: u32) -> Vec<u8> {
    image(Format::Jpeg, width, height)
}

/// Creates an upload config with all events of files, tags and an eager rendition.
async fn create_config(acme: &TestSpace) {
    let settings = json!({
        "metadata": {"tags": ["a"]},
        "transformations": {"eager": [{"width": 20, "height": 20, "crop": "fill", "format": "png"}]},
        "notifications": {"events": ["file.processed", "file.replaced", "file.deleted"]},
    });
    acme.upload_config("all").with_settings(settings).await;
}

/// Asserts that the objects of a file are those of its current bytes.
pub(crate) async fn assert_no_old_bytes(stack: &Stack, file: &str) {
    let Dump { objects, items } = stack.dump().await;
    let of_file = |key: &&String| key.contains(file);
    let originals: Vec<&String> = objects.keys().filter(of_file).collect();

    let record = format!("FILE#{file}");
    let records = items.iter().filter(|(key, _)| key.sort == record);
    let revisions: Vec<String> = records.map(|(_, item)| text(&item["revision"])).collect();
    let [revision] = &revisions[..] else {
        panic!("{revisions:?}");
    };

    assert!(!originals.is_empty());
    for key in originals {
        assert!(key.contains(revision), "{key} of {revision}");
    }
}

/// Fields of a file that stay when its bytes are replaced.
const KEPT: &str = "id name original_name storage_path url ref tags folder_id created_at";

/// Asserts that a client that has cached the old bytes gets the new ones.
async fn assert_outdated(stack: &Stack, url: &str, cached: &Response, new: &[u8]) {
    let etag = cached.header("etag");
    let unchanged = [("if-none-match", etag)];
    let date = cached.header("last-modified");
    let since = [("if-modified-since", date)];
    let range = ("range", "bytes=0-9");
    let of_etag = [range, ("if-range", etag)];
    let of_date = [range, ("if-range", date)];
    for headers in [&unchanged[..], &since, &of_etag, &of_date] {
        let fetched = stack.anonymous.fetch_as(200, url, headers).await;
        fetched.expect_body(new);
        fetched.expect_header("last-modified", "");
    }
}

#[stack_test]
async fn replaced_file_keeps_its_url_and_shows_the_new_bytes(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    let acme = &hooks.acme;
    create_config(acme).await;
    let photos = acme.folder("Photos").await;
    let photo = acme.upload(jpeg(300, 200)).with_config("all");
    let photo = photo.with_ref("cover").into(&photos).await;
    stack.run_post_upload().await;
    let before = acme.get_ok(photo.path()).await;
    let small = photo.url_with("w=100&f=png");
    let cached = stack.anonymous.fetch(photo.url()).await;
    let cached_small = stack.anonymous.fetch(&small).await;
    stack.run_for(seconds(5)).await;

    let new = jpeg(120, 90);
    let replaced = replace(acme, &photo.id, new.clone()).await.expect_ok();

    for field in KEPT.split(' ') {
        assert_eq!(replaced[field], before[field], "{field}");
    }
    let expected =
        json!({"size": new.len(), "status": "active", "storage_meta": {}, "thumbnails": []});
    assert_fields(&replaced, expected);
    assert_ne!(replaced["checksum_sha256"], before["checksum_sha256"]);
    assert_eq!(acme.get_ok(photo.path()).await, replaced);
    assert_outdated(stack, photo.url(), &cached, &new).await;
    let unchanged = [("if-none-match", cached_small.header("etag"))];
    let new_small = stack.anonymous.fetch_as(200, &small, &unchanged).await;
    new_small.expect_header("x-image-height", "75");

    stack.run_post_upload().await;
    let processed = acme.get_ok(photo.path()).await;
    let meta = &processed["storage_meta"];
    assert_fields(meta, json!({"width": 120, "height": 90}));
    assert_ne!(meta["blurhash"], before["storage_meta"]["blurhash"]);
    assert_ne!(processed["thumbnails"], json!([]));
    assert_events(&hooks, &photo, new.len()).await;

    stack.run_purges().await;
    assert_no_old_bytes(stack, &photo.id).await;
    assert_file_records(&stack.dump().await, Place { seed: 0, step: 0 });
    let stored_small = stack.anonymous.fetch(&small).await;
    stored_small.expect_body(&new_small.body);
}

/// Asserts the events of a file that was uploaded and replaced, and their order in the log.
async fn assert_events(hooks: &Hooks, file: &File, size: usize) {
    let path = hooks.acme.path();
    let log = format!("{path}/webhook-deliveries?file_id={}", file.id);
    let log = column(&hooks.acme.get_ok(&log).await, "event");
    let mut names: Vec<String> = log.iter().map(text).collect();
    names.sort();
    let expected = "file.processed file.processed file.replaced file.uploaded";
    assert_eq!(names.join(" "), expected);

    let received = hooks.receiver.received();
    let sent = received.iter().map(ReceivedWebhook::json);
    let is_replacement = |sent: &Value| sent["event"] == "file.replaced";
    let replaced: Vec<Value> = sent.filter(is_replacement).collect();
    let uploaded = received[0].json();
    let assigned = json!({"size": size, "title": null, "alt": null, "metadata": {}});
    let expected = merged(uploaded["file"].clone(), assigned);
    let expected = json!({"event": "file.replaced", "file": expected});
    assert_eq!(replaced, [expected]);
}

#[stack_test]
async fn bytes_that_the_url_or_the_config_excludes_are_rejected(stack: &Stack, acme: &TestSpace) {
    let settings = json!({"validation": {"max_file_size": 100_000}});
    acme.upload_config("small").with_settings(settings).await;
    let photo = acme.upload(jpeg(30, 20)).with_config("small").await;
    let of_photo = |bytes: Vec<u8>| file("a.jpg", "image/jpeg", bytes);
    let note = file("a.txt", "text/plain", "text");
    let png = image(Format::Png, 3, 2);
    let large = large_photo(100_001);
    let not_jpg = "must be a file of type: jpg";
    let too_large = "must not be greater than 100000 bytes";

    for (part, error) in [
        (of_photo(png), not_jpg),
        (note, not_jpg),
        (of_photo(vec![]), "must not be empty"),
        (of_photo(large), too_large),
        (Part::text("text"), "must be a file"),
    ] {
        let rejected = replace_by(acme, &photo.id, part).await;
        assert_eq!(rejected.expect_error(422), field_error("file", error));
    }
    let empty = acme.request("PUT", &format!("{}/content", photo.path()));
    let empty = empty.multipart(Form::new().text("other", "x"));
    let errors = acme.send(empty).await.expect_error(422);
    assert_eq!(errors, field_error("file", "is required"));

    let pending = PendingFile::create(acme, json!({})).await;
    replace(acme, pending.id(), PHOTO).await.expect_error(409);
    acme.set_enabled(false).await;
    replace(acme, &photo.id, PHOTO).await.expect_error(403);
    acme.set_enabled(true).await;
    assert_eq!(acme.get_ok(photo.path()).await, photo.record);
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn replacement_requires_the_role_of_an_update(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    let viewer = acme.role("viewer").await;
    let user = acme.role("user").await;
    let colleague = acme.role("user").await;
    let admin = acme.role("admin").await;
    let photo = acme.upload(PHOTO).by(&user).await;

    for (client, status) in [
        (&viewer, 403),
        (&colleague, 403),
        (&other.client, 404),
        (&stack.anonymous, 401),
    ] {
        let rejected = replace(client, &photo.id, jpeg(3, 2)).await;
        rejected.expect_error(status);
        assert_eq!(acme.get_ok(photo.path()).await, photo.record);
    }
    for (client, side) in [
        (&user, 3),
        (&admin, 4),
        (&acme.client, 5),
        (&stack.account(), 6),
    ] {
        let replaced = replace(client, &photo.id, jpeg(side, side)).await;
        assert_eq!(replaced.expect_ok()["uploaded_by"], photo["uploaded_by"]);
        let fetched = stack.anonymous.fetch(photo.url()).await;
        fetched.expect_body(jpeg(side, side));
    }
    stack.run_purges().await;
    assert_no_old_bytes(stack, &photo.id).await;
}

#[stack_test]
async fn uploader_without_a_key_sees_what_was_activated(stack: &Stack, acme: &TestSpace) {
    let settings = json!({"config": {"transformations": {"upload_format": "original"}}});
    let open = UnsignedConfig::new(stack, acme, "open", settings).await;
    let pending = open.pending(json!({})).await;
    pending.put(stack, PHOTO).await;
    let activated = pending.confirm_by_token(stack).await.expect_ok();

    let renamed = json!({"original_name": "b.jpg"});
    acme.put_ok(&pending.address(), renamed).await;
    replace(acme, pending.id(), jpeg(3, 2)).await.expect_ok();

    assert_eq!(pending.confirm_by_token(stack).await.expect_ok(), activated);
    stack.run_confirm_checks().await;
}

/// Number of replacements during which a file is read.
const REPLACEMENTS: u32 = 20;

#[stack_test(options = StackOptions::without_rate_limits())]
async fn reader_gets_the_old_or_the_new_bytes(stack: &Stack, acme: &TestSpace) {
    let photo = acme.upload(jpeg(10, 10)).await;
    let versions: Vec<Vec<u8>> = (10..=10 + REPLACEMENTS)
        .map(|side| jpeg(side, 10))
        .collect();
    let small = photo.url_with("w=9&f=png");
    let is_over = Cell::new(false);

    let replacing = async {
        for version in &versions[1..] {
            replace(acme, &photo.id, version.clone()).await.expect_ok();
        }
        is_over.set(true);
    };
    let reading = async {
        let mut newest = 0;
        while !is_over.get() {
            let read = stack.anonymous.fetch(photo.url()).await;
            let version = versions.iter().position(|version| read.body == *version);
            let version = version.unwrap_or_else(|| panic!("mixed bytes: {:?}", read.headers));
            assert!(version >= newest, "{version} after {newest}");
            newest = version;
            let rendered = stack.anonymous.fetch(&small).await;
            rendered.expect_header("x-image-width", "9");
        }
        newest
    };
    let (newest, ()) = tokio::join!(reading, replacing);

    assert!(newest > 0);
    let last = stack.anonymous.fetch(photo.url()).await;
    last.expect_body(&versions[20]);
    stack.run_purges().await;
    assert_no_old_bytes(stack, &photo.id).await;
}

#[stack_test(options = options_with_redirects())]
async fn redirect_of_the_old_bytes_ends_with_its_lifetime(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let old = large_photo(LARGE_BYTES);
    let photo = acme.upload(old.clone()).await;
    stack.run_for(minutes(DAY_MINUTES - 5)).await;
    let redirect = stack.anonymous.redirect(photo.url()).await;

    let new = large_photo(LARGE_BYTES + 1);
    replace(&acme, &photo.id, new).await.expect_ok();

    assert_ne!(stack.anonymous.redirect(photo.url()).await, redirect);
    // The sweep, which runs meanwhile, reads the originals of the day of the upload.
    stack.run_for(minutes(10)).await;
    stack.anonymous.fetch(&redirect).await.expect_body(&old);
    stack.run_purges().await;
    assert_no_old_bytes(stack, &photo.id).await;
}

#[stack_test]
async fn reader_of_purged_bytes_gets_the_new_ones(stack: &Stack, acme: &TestSpace) {
    let photo = acme.upload(jpeg(10, 10)).await;
    // After the records, before the original is read.
    let mut hold = stack.local.faults().hold("delivery", 1);
    let mut reading = Box::pin(stack.anonymous.get(photo.url()));
    tokio::select! {
        response = &mut reading => panic!("not paused: {}", response.status),
        () = hold.reached() => {}
    }
    replace(acme, &photo.id, jpeg(30, 20)).await.expect_ok();
    stack.run_purges().await;
    hold.release();

    let read = reading.await.expect_status(200);
    let new = stack.anonymous.fetch(photo.url()).await;
    read.expect_body(jpeg(30, 20))
        .expect_header("etag", new.header("etag"));
}
