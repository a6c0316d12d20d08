//! `POST /upload/confirm/:fileId`: what was sent to storage is judged, and becomes active once.

use futures::future::join_all;
use media::Format;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tests::{Dump, PHOTO, Stack, form, large_photo, minutes, seconds, stack_test};

use super::presign::{PendingFile, UNKNOWN, presign_body};
use crate::support::images::{PLACE, animation, contains, image, png_of_sides, with_exif};

/// 50 MB: the largest file whose digest is told, and that is transformed.
const SUMMED_BYTES: usize = 50 << 20;
/// Confirmations at once.
const CALLERS: usize = 8;

/// What is delivered of an active file, demanding that its record says of it what it is.
pub(crate) async fn delivered(stack: &Stack, record: &Value) -> Vec<u8> {
    assert_eq!(record["status"], "active");

    let delivered = stack
        .anonymous
        .get(record["url"].as_str().expect("an address"))
        .await
        .expect_status(200);

    assert_eq!(record["size"], json!(delivered.body.len()));
    assert_eq!(
        record["mime_type"],
        json!(
            delivered
                .header("content-type")
                .trim_end_matches("; charset=utf-8")
        )
    );

    let sum = json!(hex::encode(Sha256::digest(&delivered.body)));
    assert_eq!(
        record["checksum_sha256"],
        if delivered.body.len() > SUMMED_BYTES {
            Value::Null
        } else {
            sum
        }
    );

    let name = record["name"].as_str().expect("a name");
    let extension = record["extension"].as_str().expect("a text");
    assert!(name.ends_with(&format!(".{extension}")), "{name}");
    assert!(
        record["storage_path"]
            .as_str()
            .is_some_and(|path| path.ends_with(&format!("/{name}"))),
        "{record}"
    );

    delivered.body.to_vec()
}

/// The keys of the objects that are kept of a space's files.
pub(crate) fn originals<'a>(dump: &'a Dump, space: &str) -> Vec<&'a String> {
    let beginning = format!("{space}/originals/");
    dump.objects
        .keys()
        .filter(|key| key.starts_with(&beginning))
        .collect()
}

fn because(end: &str) -> Value {
    json!({"file": [format!("The file field {end}.")]})
}

#[stack_test]
async fn presigned_upload_is_confirmed_repeatedly(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let pending_file = PendingFile::create(&acme, json!({"ref": "order 7"})).await;
    let before = stack.dump().await;
    let early = pending_file.confirm(&acme.client).await;
    assert_eq!(
        early.json()["message"],
        "The file has not been uploaded yet."
    );
    assert_eq!(
        early.expect_error(409),
        because("must be uploaded to its URL first")
    );
    stack
        .dump()
        .await
        .assert_unchanged(&before, "a confirmation that came early");

    pending_file.send(stack, PHOTO).await.expect_status(200);
    stack.clock.advance(seconds(1));
    let active = pending_file.confirm(&acme.client).await.expect_ok();
    assert!(delivered(stack, &active).await == PHOTO);
    assert_eq!(
        (&active["ref"], &active["id"]),
        (&json!("order 7"), &json!(pending_file.id()))
    );
    assert!(
        active["updated_at"].as_str() > active["created_at"].as_str(),
        "{active}"
    );
    assert_eq!(
        acme.client.get(&pending_file.address()).await.expect_ok(),
        active
    );
    let after = stack.dump().await;
    assert_eq!(
        (
            after.files_with_bytes().len(),
            originals(&after, &acme.id).len()
        ),
        (1, 1)
    );
    for client in [&acme.client, &stack.account(), &acme.client] {
        stack.clock.advance(seconds(1));
        assert_eq!(pending_file.confirm(client).await.expect_ok(), active);
    }
    stack
        .dump()
        .await
        .assert_unchanged(&after, "another confirmation");
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn file_is_confirmed_by_its_uploader_or_admin(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let other = stack.space("Other").await;
    let outsider = stack.user().await;
    let (user, another) = (acme.role("user").await, acme.role("user").await);
    let viewer = acme.role("viewer").await;
    let admin = acme.role("admin").await;

    for manager in [&user, &admin, &acme.client, &stack.account()] {
        let pending_file = PendingFile::by(&user, presign_body(&acme, json!({}))).await;
        pending_file.send(stack, PHOTO).await.expect_status(200);
        let before = stack.dump().await;
        assert_eq!(
            pending_file
                .confirm(&stack.anonymous)
                .await
                .expect_error(401),
            json!({})
        );
        for client in [&other.client, &outsider.client] {
            assert_eq!(
                pending_file.confirm(client).await.expect_error(404),
                json!({})
            );
        }
        for client in [&another, &viewer] {
            assert_eq!(
                pending_file.confirm(client).await.expect_error(403),
                json!({})
            );
        }
        stack
            .dump()
            .await
            .assert_unchanged(&before, "confirmations of those who may not");
        let active = pending_file.confirm(manager).await.expect_ok();
        assert_eq!(pending_file.confirm(&user).await.expect_ok(), active);
        pending_file.confirm(&another).await.expect_error(403);
    }

    for id in [UNKNOWN, "x", "%20", "a%2Fb", &acme.id] {
        let path = format!("/upload/confirm/{id}");
        assert_eq!(
            acme.client.post(&path, json!({})).await.expect_error(404),
            json!({}),
            "{id}"
        );
    }

    stack.run_confirm_checks().await;
}

/// What breaks a rule: what is said of it, its bytes, and the end of what is answered.
type Broken = (&'static str, Value, Vec<u8>, &'static str);

fn broken() -> Vec<Broken> {
    let by = |name: &str| json!({"upload_config": name});
    let family = "must match the declared content type";
    let stump = "must not be a truncated image";
    let half = |bytes: Vec<u8>| bytes[..bytes.len() / 2].to_vec();
    let without_end = |bytes: Vec<u8>| bytes[..bytes.len() - 4].to_vec();
    let program = b"MZ\x90\0\x03\0\0\0".to_vec();
    let pdf = json!({"filename": "a.pdf", "content_type": "application/pdf"});
    let bomb = png_of_sides(65_000, 65_000);
    let pixels = "must not have more than 100000000 pixels";
    let unknown = json!({"upload_config": "pngs", "content_type": "application/octet-stream"});
    let png = |name: &str| json!({"upload_config": name, "content_type": "image/png"});

    vec![
        (
            "a format",
            unknown,
            PHOTO.to_vec(),
            "must be a file of type: png",
        ),
        (
            "too wide",
            by("narrow"),
            PHOTO.to_vec(),
            "has invalid image dimensions",
        ),
        (
            "a header that ends",
            by("narrow"),
            PHOTO[..20].to_vec(),
            "has invalid image dimensions",
        ),
        (
            "a bomb that is measured",
            png("narrow"),
            bomb.clone(),
            "has invalid image dimensions",
        ),
        (
            "a stump that is measured",
            by("narrow"),
            without_end(image(Format::Jpeg, 48, 32)),
            stump,
        ),
        ("a bomb that is transformed", png("webp"), bomb, pixels),
        (
            "a stump that is transformed",
            by("webp"),
            half(image(Format::Jpeg, 240, 160)),
            stump,
        ),
        (
            "a program",
            json!({}),
            program.clone(),
            "must not be an executable file",
        ),
        (
            "a program without a type",
            json!({"content_type": "application/octet-stream"}),
            program,
            "must not be an executable file",
        ),
        ("another family", pdf, PHOTO.to_vec(), family),
        ("no picture", json!({}), b"just text".to_vec(), family),
        (
            "no known picture",
            json!({"content_type": "image/png"}),
            b"\0\x01\x02\x03".to_vec(),
            family,
        ),
    ]
}

#[stack_test]
async fn confirming_invalid_upload_rejects_and_removes_it(stack: &Stack) {
    let acme = stack.space("Acme").await;
    acme.upload_config("pngs")
        .with_settings(json!({"validation": {"allowed_formats": ["png"]}}))
        .await;
    acme.upload_config("narrow")
        .with_settings(json!({"validation": {"max_image_width": 100}}))
        .await;
    acme.upload_config("webp")
        .with_settings(json!({"transformations": {"upload_format": "webp"}}))
        .await;

    for (what, mut fields, bytes, end) in broken() {
        let before = stack.dump().await;
        fields["size"] = json!(bytes.len());
        let pending_file = PendingFile::create(&acme, fields).await;
        pending_file.send(stack, bytes).await.expect_status(200);
        assert_eq!(
            pending_file.confirm(&acme.client).await.expect_error(422),
            because(end),
            "{what}"
        );
        stack.dump().await.assert_unchanged(&before, what);
        pending_file.confirm(&acme.client).await.expect_error(404);
        acme.client
            .get(&pending_file.address())
            .await
            .expect_error(404);
    }

    // Nobody but us could store bytes of another size.
    for bytes in [&b""[..], b"short", PHOTO.split_last().expect("bytes").1] {
        let before = stack.dump().await;
        let pending_file = PendingFile::create(&acme, json!({})).await;
        stack.put_object(pending_file.object_key(), bytes).await;
        let errors = pending_file.confirm(&acme.client).await.expect_error(422);
        assert_eq!(
            errors,
            because("must have the declared size"),
            "{} bytes",
            bytes.len()
        );
        stack
            .dump()
            .await
            .assert_unchanged(&before, "bytes of another size");
    }

    stack.run_confirm_checks().await;
}

#[stack_test]
async fn confirmation_applies_rules_of_presign_time(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let id = acme
        .upload_config("own")
        .with_settings(json!({"metadata": {"tags": ["then"]}}))
        .await
        .id;
    let pending_file = PendingFile::create(&acme, json!({"upload_config": "own"})).await;

    pending_file.send(stack, PHOTO).await.expect_status(200);

    let rules = json!({"validation": {"allowed_formats": ["png"]}, "metadata": {"tags": ["now"]}});
    acme.client
        .post("/upload-configs/update", json!({"id": id, "config": rules}))
        .await
        .expect_ok();

    let delete = acme
        .client
        .request("DELETE", "/upload-configs")
        .json(&json!({"id": id}));

    acme.client.send(delete).await.expect_status(204);

    let active = pending_file.confirm(&acme.client).await.expect_ok();
    assert_eq!(
        (&active["tags"], &active["upload_config_id"]),
        (&json!(["then"]), &json!(id))
    );
    assert!(delivered(stack, &active).await == PHOTO);

    stack.run_confirm_checks().await;
}

#[stack_test]
async fn confirmation_transforms_images(stack: &Stack) {
    let acme = stack.space("Acme").await;
    acme.upload_config("webp")
        .with_settings(json!({"transformations": {"upload_format": "webp"}}))
        .await;
    acme.upload_config("bare")
        .with_settings(json!({"transformations": {"strip_metadata": true}}))
        .await;

    let turned = with_exif(Format::Jpeg, 6);
    for (config, content_type, bytes, expected, is_same) in [
        ("webp", "image/jpeg", PHOTO.to_vec(), "image/webp", false),
        (
            "webp",
            "application/octet-stream",
            image(Format::Png, 48, 32),
            "image/webp",
            false,
        ),
        (
            "webp",
            "image/webp",
            image(Format::WebP, 48, 32),
            "image/webp",
            true,
        ),
        ("bare", "image/jpeg", turned.clone(), "image/jpeg", false),
        ("starter", "image/jpeg", turned, "image/jpeg", true),
        // Neither animations nor what is no image is converted.
        ("webp", "image/gif", animation(), "image/gif", true),
        (
            "webp",
            "text/plain",
            b"just text".to_vec(),
            "text/plain",
            true,
        ),
    ] {
        let fields =
            json!({"upload_config": config, "content_type": content_type, "size": bytes.len()});
        let pending_file = PendingFile::create(&acme, fields).await;
        pending_file
            .send(stack, bytes.clone())
            .await
            .expect_status(200);
        let active = pending_file.confirm(&acme.client).await.expect_ok();
        assert_eq!(active["mime_type"], expected, "{config} {content_type}");
        assert_eq!(
            acme.client.get(&pending_file.address()).await.expect_ok(),
            active
        );
        let delivered = delivered(stack, &active).await;
        assert_eq!(delivered == bytes, is_same, "{config} {content_type}");
        let reported = Format::detect(&delivered).map(|format| format.media_type().mime_type);
        assert_eq!(
            reported.as_deref().unwrap_or("text/plain"),
            expected,
            "{config} {content_type}"
        );
        assert_eq!(
            contains(&delivered, PLACE),
            config == "starter",
            "{config} {content_type}"
        );
    }

    let dump = stack.dump().await;
    assert_eq!(
        dump.files_with_bytes().len(),
        originals(&dump, &acme.id).len()
    );

    stack.run_confirm_checks().await;
}

#[stack_test]
async fn large_files_are_stored_unchanged_without_digest(stack: &Stack) {
    let acme = stack.space("Acme").await;
    acme.upload_config("webp")
        .with_settings(json!({"transformations": {"upload_format": "webp"}}))
        .await;

    let unknown = "application/octet-stream";
    for (config, content_type, bytes) in [
        ("starter", unknown, vec![0; SUMMED_BYTES]),
        ("starter", unknown, vec![0; SUMMED_BYTES + 1]),
        ("starter", unknown, vec![0; 51 << 20]),
        ("webp", "image/jpeg", large_photo(SUMMED_BYTES + 1)),
    ] {
        let fields =
            json!({"upload_config": config, "content_type": content_type, "size": bytes.len()});
        let pending_file = PendingFile::create(&acme, fields).await;
        pending_file
            .send(stack, bytes.clone())
            .await
            .expect_status(200);
        let active = pending_file.confirm(&acme.client).await.expect_ok();
        assert_eq!(active["mime_type"], content_type);
        assert!(
            delivered(stack, &active).await == bytes,
            "{} bytes differ",
            bytes.len()
        );
    }

    stack.run_confirm_checks().await;
}

#[stack_test]
async fn storage_accepts_only_declared_type_and_size(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let pending_file = PendingFile::create(&acme, json!({})).await;
    let late = PendingFile::create(&acme, json!({})).await;
    let before = stack.dump().await;
    let url = pending_file.url();
    let longer = [PHOTO, b"x"].concat();
    let tampered = |from: &str, to: &str| {
        assert!(url.contains(from), "{url}");
        url.replacen(from, to, 1)
    };
    let to_another = tampered(pending_file.id(), UNKNOWN);
    let longer_life = tampered("Expires=3600", "Expires=7200");
    let signature = url
        .split("X-Amz-Signature=")
        .nth(1)
        .and_then(|rest| rest.get(..64))
        .expect("a signature");
    let unsigned = tampered(signature, &"0".repeat(64));
    let more = format!("{url}&x-amz-meta-a=b");
    for (what, url, content_type, bytes) in [
        ("shorter", url, Some("image/jpeg"), &PHOTO[1..]),
        ("longer", url, Some("image/jpeg"), &longer),
        ("empty", url, Some("image/jpeg"), b""),
        ("of another type", url, Some("image/png"), PHOTO),
        (
            "of the type with a parameter",
            url,
            Some("image/jpeg; q=1"),
            PHOTO,
        ),
        ("without a type", url, None, PHOTO),
        ("to another key", &to_another, Some("image/jpeg"), PHOTO),
        (
            "with a longer life",
            &longer_life,
            Some("image/jpeg"),
            PHOTO,
        ),
        (
            "with another signature",
            &unsigned,
            Some("image/jpeg"),
            PHOTO,
        ),
        ("with more in its query", &more, Some("image/jpeg"), PHOTO),
    ] {
        let request = stack.anonymous.request("PUT", url).body(bytes.to_vec());
        let request = content_type.into_iter().fold(request, |request, value| {
            request.header("content-type", value)
        });
        let status = stack.anonymous.send(request).await.status;
        assert!((400..500).contains(&status), "{what}: {status}");
    }
    stack
        .dump()
        .await
        .assert_unchanged(&before, "what storage refused");
    pending_file.confirm(&acme.client).await.expect_error(409);

    stack.clock.advance(minutes(60));
    pending_file.send(stack, PHOTO).await.expect_status(200);
    stack.clock.advance(seconds(1));
    late.send(stack, PHOTO).await.expect_status(403);
    late.confirm(&acme.client).await.expect_error(409);
    pending_file.confirm(&acme.client).await.expect_ok();
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn later_put_to_presigned_url_does_not_change_active_file(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let mut other = PHOTO.to_vec();
    other.reverse();

    let pending_file = PendingFile::create(&acme, json!({})).await;

    // Before it is confirmed, what came last counts.
    pending_file
        .send(stack, other.clone())
        .await
        .expect_status(200);
    pending_file.send(stack, PHOTO).await.expect_status(200);

    let active = pending_file.confirm(&acme.client).await.expect_ok();
    let before = stack.dump().await;
    pending_file
        .send(stack, other.clone())
        .await
        .expect_status(200);

    let after = stack.dump().await;
    assert_eq!(
        after.objects[pending_file.object_key()],
        hex::encode(Sha256::digest(&other))
    );
    assert_ne!(
        before.objects[pending_file.object_key()],
        after.objects[pending_file.object_key()]
    );
    assert_eq!(
        (&after.items, originals(&after, &acme.id)),
        (&before.items, originals(&before, &acme.id))
    );
    assert_eq!(pending_file.confirm(&acme.client).await.expect_ok(), active);
    assert!(delivered(stack, &active).await == PHOTO);

    stack.run_confirm_checks().await;
    assert_eq!(
        acme.client.get(&pending_file.address()).await.expect_ok(),
        active
    );
    assert!(delivered(stack, &active).await == PHOTO);
}

#[stack_test]
async fn first_confirmation_gets_stored_name(stack: &Stack) {
    let acme = stack.space("Acme").await;
    acme.upload_config("own")
        .with_settings(json!({"storage": {"generate_filename": false, "unique_filename": false}}))
        .await;

    let own = || json!({"upload_config": "own"});
    let first = PendingFile::create(&acme, own()).await;
    let second = PendingFile::create(&acme, own()).await;
    let third = PendingFile::create(&acme, own()).await;

    for pending_file in [&first, &second, &third] {
        pending_file.send(stack, PHOTO).await.expect_status(200);
    }

    let active = first.confirm(&acme.client).await.expect_ok();
    assert_eq!(
        active["storage_path"],
        json!(format!("{}/photo.jpg", acme.handle))
    );

    let before = stack.dump().await;
    for pending_file in [&second, &third, &second] {
        let taken = pending_file.confirm(&acme.client).await.expect_error(409);
        assert_eq!(taken, json!({"file": ["The file has already been taken."]}));
        assert_eq!(
            acme.client.get(&pending_file.address()).await.expect_ok()["status"],
            "pending"
        );
    }

    let directly =
        form(&acme.handle, "photo.jpg", "image/jpeg", PHOTO).text("upload_config", "own");
    acme.client.upload(directly).await.expect_error(409);

    stack
        .dump()
        .await
        .assert_unchanged(&before, "names that are taken");
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn disabled_space_rejects_confirmations(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let other = stack.space("Other").await;
    let ours = PendingFile::create(&acme, json!({})).await;
    let theirs = PendingFile::create(&other, json!({})).await;

    for pending_file in [&ours, &theirs] {
        pending_file.send(stack, PHOTO).await.expect_status(200);
    }

    let switch = async |enabled: bool| {
        let body = json!({"name": "Acme", "enabled": enabled});
        acme.client
            .put(&format!("/spaces/{}", acme.id), body)
            .await
            .expect_ok();
    };
    switch(false).await;

    let before = stack.dump().await;
    for client in [&acme.client, &stack.account()] {
        assert_eq!(ours.confirm(client).await.expect_error(403), json!({}));
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "confirmations into a disabled space");

    // The other space goes on, for whoever belongs to both.
    assert_eq!(
        theirs.confirm(&stack.account()).await.expect_ok()["space_id"],
        json!(other.id)
    );

    switch(true).await;
    assert!(delivered(stack, &ours.confirm(&acme.client).await.expect_ok()).await == PHOTO);

    stack.run_confirm_checks().await;
}

#[stack_test]
async fn concurrent_confirmations_activate_once(stack: &Stack) {
    let acme = stack.space("Acme").await;
    acme.upload_config("webp")
        .with_settings(json!({"transformations": {"upload_format": "webp"}}))
        .await;
    acme.upload_config("pngs")
        .with_settings(json!({"validation": {"allowed_formats": ["png"]}}))
        .await;

    for (made, config) in [(1, "starter"), (2, "webp"), (3, "starter"), (4, "webp")] {
        let pending_file = PendingFile::create(&acme, json!({"upload_config": config})).await;
        pending_file.send(stack, PHOTO).await.expect_status(200);
        let responses = join_all((0..CALLERS).map(|_| pending_file.confirm(&acme.client))).await;
        let shown = acme.client.get(&pending_file.address()).await.expect_ok();
        delivered(stack, &shown).await;
        for response in responses {
            assert_eq!(response.expect_ok(), shown);
        }
        let dump = stack.dump().await;
        assert_eq!(
            (
                dump.files_with_bytes().len(),
                originals(&dump, &acme.id).len()
            ),
            (made, made),
            "{config}"
        );
    }

    let before = stack.dump().await;
    let unknown = json!({"upload_config": "pngs", "content_type": "application/octet-stream"});
    let pending_file = PendingFile::create(&acme, unknown).await;

    pending_file.send(stack, PHOTO).await.expect_status(200);

    let responses = join_all((0..CALLERS).map(|_| pending_file.confirm(&acme.client))).await;
    assert_eq!(
        responses
            .iter()
            .filter(|response| response.status == 422)
            .count(),
        1
    );

    // Whoever looks for the bytes once they are gone finds none; whoever looks for the file as
    // well.
    assert!(
        responses
            .iter()
            .all(|response| [404, 409, 422].contains(&response.status)),
        "{responses:?}"
    );

    stack
        .dump()
        .await
        .assert_unchanged(&before, "what was refused once");
    stack.run_confirm_checks().await;
}
