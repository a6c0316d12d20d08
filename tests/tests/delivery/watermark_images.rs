//! `watermark.file_id`: a file of the space as the image of a watermark.

use futures::future;
use media::format::Format;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tests::{
    File, Folder, Stack, StackOptions, TestSpace, UNKNOWN_ID, field_error, file, seconds,
    stack_test,
};

use super::watermarks::{BLUE, RED, enable, is_marked, upload_image};
use crate::{
    files::replace::replace_by,
    support::{
        image_server::{ImageServer, logo},
        images::{image, png_of_sides},
    },
    uploads::presign::PendingFile,
};

const FIELD: &str = "security.watermark.file_id";
/// Calls of a request that sets a watermark of a file: authentication, space or folder, file,
/// original, copy, settings.
const CALLS: usize = 6;

fn watermark(file_id: &str, opacity: f64) -> Value {
    json!({"watermark": {"enabled": true, "file_id": file_id, "opacity": opacity}})
}

async fn upload_logo(acme: &TestSpace, color: [u8; 3]) -> File {
    let logo = acme.upload(logo(color));
    logo.named("logo.png", "image/png").await
}

/// Returns the SHA-256 of each stored image of a watermark.
async fn stored_images(stack: &Stack) -> Vec<String> {
    let objects = stack.dump().await.objects.into_iter();
    let images = objects.filter(|(key, _)| key.contains("/watermarks/"));
    images.map(|(_, digest)| digest).collect()
}

fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// A space with a folder, and an image in it.
struct Fixture {
    folder: Folder,
    photo: File,
}

impl Fixture {
    async fn new(acme: &TestSpace) -> Fixture {
        let folder = acme.folder("Photos").await;
        let photo = image(Format::Png, 64, 48);
        let photo = acme.upload(photo).named("a.png", "image/png");
        Fixture {
            photo: photo.into(&folder).await,
            folder,
        }
    }

    /// Returns the resources that can have a watermark, and the functions that set it.
    fn resources(&self, acme: &TestSpace) -> [(&'static str, String); 2] {
        [
            ("spaces", acme.path()),
            ("folders", self.folder.path().to_owned()),
        ]
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn original_bytes_are_the_watermark_although_the_file_has_one(
    stack: &Stack,
    acme: &TestSpace,
) {
    let fixture = Fixture::new(acme).await;
    let red = upload_logo(acme, RED).await;
    enable(acme, &ImageServer::start(&logo(BLUE)).await).await;
    let delivered = stack.anonymous.fetch(red.url()).await;
    assert!(is_marked(&delivered, BLUE));

    for (function, path) in fixture.resources(acme) {
        if function == "folders" {
            acme.set_security(&acme.path(), Value::Null).await;
        }
        let setting = acme.set_security(&path, watermark(&red.id, 1.0));
        let set = stack.calls_of(setting).await;

        let expected = json!({
            "enabled": true, "url": null, "file_id": red.id, "position": "southeast", "opacity": 1.0,
        });
        assert_eq!(set.output["security"]["watermark"], expected);
        assert_eq!(acme.get_ok(&path).await, set.output);
        assert_eq!(stored_images(stack).await, [digest(&logo(RED))], "{path}");
        let delivered = stack.anonymous.fetch(fixture.photo.url()).await;
        assert!(is_marked(&delivered, RED), "{path}");

        let calls = set.calls.iter().filter(|call| call.starts_with(function));
        let replaced = usize::from(function == "spaces");
        assert_eq!(calls.count(), CALLS + replaced, "{:?}", set.calls);
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn copy_is_kept_after_its_file_is_deleted(stack: &Stack, acme: &TestSpace) {
    let fixture = Fixture::new(acme).await;

    for (_, path) in fixture.resources(acme) {
        let red = upload_logo(acme, RED).await;
        acme.set_security(&path, watermark(&red.id, 0.5)).await;
        acme.delete_ok(red.path()).await;
        stack.run_purges().await;

        let changed = acme.set_security(&path, watermark(&red.id, 1.0)).await;
        assert_eq!(changed["security"]["watermark"]["file_id"], red.id);
        let delivered = stack.anonymous.fetch(fixture.photo.url()).await;
        assert!(is_marked(&delivered, RED), "{path}");

        // Newer bytes, another image, or none replace the copy.
        let blue = upload_logo(acme, BLUE).await;
        acme.set_security(&path, watermark(&blue.id, 1.0)).await;
        assert_eq!(stored_images(stack).await, [digest(&logo(BLUE))]);
        let part = file("logo.png", "image/png", logo(RED));
        replace_by(acme, &blue.id, part).await.expect_ok();
        acme.set_security(&path, watermark(&blue.id, 1.0)).await;
        assert_eq!(stored_images(stack).await, [digest(&logo(RED))]);
        let off = json!({"watermark": {"enabled": false, "file_id": red.id}});
        acme.set_security(&path, off).await;
        assert_eq!(stored_images(stack).await, [""; 0]);
        let body = json!({"security": watermark(&red.id, 1.0)});
        let errors = acme.put_err(422, &format!("{path}/security"), body).await;
        assert_eq!(errors, field_error(FIELD, ""));
    }
    stack.run_purges().await;
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn other_files_are_rejected(stack: &Stack, acme: &TestSpace, other: &TestSpace) {
    let fixture = Fixture::new(acme).await;
    let upload = async |mime_type: &str, bytes: Vec<u8>| {
        acme.upload(bytes).named("a", mime_type).await.id.clone()
    };
    let mut large = logo(RED);
    large.resize((5 << 20) + 1, 0);
    let invalid = "is invalid";
    let undecodable = "must be the id of a PNG, JPEG, WebP or GIF that can be decoded";
    let too_large = "must be the id of an image of at most 5 MiB";
    let detailed = png_of_sides(4_000, 1_001);
    let too_many_pixels = "must not have more than 4000000 pixels";
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"/>".into();
    let own = upload_logo(acme, RED).await.id.clone();
    let cases = [
        (UNKNOWN_ID.to_owned(), invalid),
        ("logo.png".to_owned(), invalid),
        (upload_image(other).await.id.clone(), invalid),
        (
            PendingFile::create(acme, json!({})).await.id().to_owned(),
            "must be the id of a file whose upload is complete",
        ),
        (upload("text/plain", "text".into()).await, undecodable),
        (upload("image/svg+xml", svg).await, undecodable),
        (upload("image/png", large).await, too_large),
        (upload("image/png", detailed).await, too_many_pixels),
    ];
    let account = stack.account();
    let before = stack.dump().await;

    for (_, path) in fixture.resources(acme) {
        let path = format!("{path}/security");
        for (id, end) in &cases {
            for client in [&acme.client, &account] {
                let body = json!({"security": watermark(id, 1.0)});
                let errors = client.put_err(422, &path, body).await;
                let message = errors[FIELD][0].as_str().unwrap_or_default();
                assert!(message.ends_with(&format!("{end}.")), "{id}: {errors}");
            }
        }
        let both = json!({"enabled": false, "url": "https://example.com/logo.png", "file_id": own});
        let body = json!({"security": {"watermark": both}});
        let errors = acme.put_err(422, &path, body).await;
        let absent = field_error(FIELD, "must be absent when url is present");
        assert_eq!(errors, absent);
    }

    stack.assert_unchanged(&before, "other files").await;
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn owner_sets_that_of_a_space_and_admin_that_of_a_folder(stack: &Stack, acme: &TestSpace) {
    let fixture = Fixture::new(acme).await;
    let red = upload_logo(acme, RED).await;
    let body = json!({"security": watermark(&red.id, 1.0)});

    for (role, allowed) in [("user", 0), ("admin", 1), ("owner", 2)] {
        let client = acme.role(role).await;
        for (at_least, (_, path)) in [2, 1].into_iter().zip(fixture.resources(acme)) {
            let path = format!("{path}/security");
            let status = if allowed >= at_least { 200 } else { 403 };
            client.put(&path, &body).await.expect_status(status);
        }
    }

    let delivered = stack.anonymous.fetch(fixture.photo.url()).await;
    assert!(is_marked(&delivered, RED));
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn file_that_is_deleted_meanwhile_changes_nothing(stack: &Stack, acme: &TestSpace) {
    let fixture = Fixture::new(acme).await;

    for (function, path) in fixture.resources(acme) {
        let red = upload_logo(acme, RED).await;
        let body = json!({"security": watermark(&red.id, 1.0)});
        let path = format!("{path}/security");
        let mut hold = stack.local.faults().hold(function, 3);
        let delete = async {
            hold.reached().await;
            acme.delete_ok(red.path()).await;
            stack.run_purges().await;
            hold.release();
        };

        let (set, ()) = future::join(acme.put(&path, &body), delete).await;

        set.expect_error(503);
        acme.put_err(422, &path, &body).await;
    }
    assert_eq!(stored_images(stack).await, [""; 0]);
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn copy_that_is_replaced_meanwhile_is_not_kept(stack: &Stack, acme: &TestSpace) {
    let fixture = Fixture::new(acme).await;
    let red = upload_logo(acme, RED).await;
    let blue = upload_logo(acme, BLUE).await;

    for (function, path) in fixture.resources(acme) {
        acme.set_security(&path, watermark(&red.id, 0.5)).await;
        let mut hold = stack.local.faults().hold(function, 2);
        let replace = async {
            hold.reached().await;
            acme.set_security(&path, watermark(&blue.id, 1.0)).await;
            hold.release();
        };
        let body = json!({"security": watermark(&red.id, 1.0)});
        let path = format!("{path}/security");
        let kept = acme.put(&path, body);

        let (kept, ()) = future::join(kept, replace).await;

        kept.expect_error(503);
        let delivered = stack.anonymous.fetch(fixture.photo.url()).await;
        assert!(is_marked(&delivered, BLUE), "{path}");
        acme.set_security(&acme.path(), Value::Null).await;
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn bytes_that_are_replaced_meanwhile_are_copied_by_the_next_request(
    stack: &Stack,
    acme: &TestSpace,
) {
    let fixture = Fixture::new(acme).await;

    for (function, path) in fixture.resources(acme) {
        let logo_file = upload_logo(acme, RED).await;
        // The record of the file has been read, and its bytes have not.
        let mut hold = stack.local.faults().hold(function, 3);
        let replace = async {
            hold.reached().await;
            let part = file("logo.png", "image/png", logo(BLUE));
            replace_by(acme, &logo_file.id, part).await.expect_ok();
            stack.clock.advance(seconds(1));
            hold.release();
        };
        let set = acme.set_security(&path, watermark(&logo_file.id, 1.0));
        future::join(set, replace).await;
        assert_eq!(stored_images(stack).await, [digest(&logo(RED))]);

        let security = watermark(&logo_file.id, 1.0);
        acme.set_security(&path, security).await;

        assert_eq!(stored_images(stack).await, [digest(&logo(BLUE))]);
        acme.set_security(&path, Value::Null).await;
    }
    stack.run_purges().await;
}
