//! HEIC and AVIF originals: a photo as phones write it, of 48 tiles, turned, with another color
//! profile and a place, and AVIF of each depth, with alpha, and of tiles.

use media::{decode::decode, probe::probe};
use serde_json::json;
use tests::{Response, Stack, StackOptions, TestSpace, column, stack_test};

use super::images::processed;
use crate::{
    delivery::watermarks::{RED, enable},
    support::{
        image_server::{ImageServer, logo},
        images::contains,
    },
    uploads::{
        confirm::delivered_bytes,
        presign::{PendingFile, presign_body},
        routes::{ROUTES, Route, Uploads},
    },
};

pub(super) const PHONE: &[u8] = include_bytes!("../../../shared/media/tests/heic/phone.heic");
macro_rules! avif {
    ($name:literal) => {
        include_bytes!(concat!("../../../shared/media/tests/avif/", $name, ".avif"))
    };
}
/// Displayed size of the photo, in pixels.
const SIZE: (u32, u32) = (378, 504);
const NOT_DECODED: &str =
    "The file is a HEIC original, which this deployment does not transform or mark.";

async fn upload(acme: &TestSpace) -> tests::File {
    acme.upload(PHONE)
        .named("IMG_0001.heic", "image/heic")
        .await
}

/// Whether the lower half of an image, which is white and green, has a red mark.
fn has_red_below(response: &Response) -> bool {
    let info = probe(&response.body).expect("an image");
    let pixels = decode(&response.body, &info).expect("an image");
    let samples = pixels.samples.chunks_exact(pixels.channels.count());
    let mut lower = samples.skip((pixels.width * pixels.height / 2) as usize);
    lower.any(|sample| sample[0] > 200 && sample[1] < 60 && sample[2] < 60)
}

#[stack_test]
async fn photo_of_a_phone_has_thumbnails_and_is_delivered_upright(stack: &Stack, acme: &TestSpace) {
    let file = upload(acme).await;

    let after = processed(stack, acme, file.path()).await;
    assert_eq!(after["processing"]["status"], "completed");
    assert!(after["storage_meta"]["blurhash"].is_string());
    assert_eq!(after["thumbnails"].as_array().map(Vec::len), Some(2));

    // Without another format it becomes JPEG, without the place.
    let accepted = [("accept", "image/jpeg")];
    let url = file.url_with("w=378");
    let delivered = stack.anonymous.fetch_as(200, &url, &accepted).await;
    delivered.expect_header("content-type", "image/jpeg");
    delivered.expect_header("x-image-width", SIZE.0.to_string());
    delivered.expect_header("x-image-height", SIZE.1.to_string());
    assert!(!contains(&delivered.body, b"Exif"));
    stack.anonymous.fetch(file.url()).await.expect_body(PHONE);

    let server = ImageServer::start(&logo(RED)).await;
    enable(acme, &server).await;
    for query in ["", "w=200", "w=100&h=100&r=fill"] {
        let url = file.url_with(query);
        let marked = stack.anonymous.fetch_as(200, &url, &accepted).await;
        assert!(has_red_below(&marked), "{query}");
        assert!(!contains(&marked.body, b"Exif"), "{query}");
    }
}

#[stack_test]
async fn avif_is_an_image_like_others(stack: &Stack, acme: &TestSpace) {
    let cases: [(&str, &[u8]); 6] = [
        ("8 bits", avif!("half_chroma")),
        ("10 bits", avif!("ten_bits")),
        ("12 bits", avif!("twelve_bits")),
        ("alpha", avif!("alpha")),
        ("tiles", avif!("grid")),
        ("turned, with a place", avif!("place")),
    ];
    for (name, bytes) in cases {
        let file = acme.upload(bytes).named("a.avif", "image/avif").await;
        let after = processed(stack, acme, file.path()).await;
        assert_eq!(after["processing"]["status"], "completed", "{name}");
        assert!(after["storage_meta"]["blurhash"].is_string(), "{name}");
        assert_ne!(after["thumbnails"], json!([]), "{name}");

        for (query, mime_type) in [
            ("w=48", "image/avif"),
            ("w=48&f=webp", "image/webp"),
            ("w=48&f=jpeg", "image/jpeg"),
        ] {
            let delivered = stack.anonymous.fetch(&file.url_with(query)).await;
            delivered.expect_header("content-type", mime_type);
            delivered.expect_header("x-image-width", "48");
            for name in [b"Exif", b"EXIF"] {
                assert!(!contains(&delivered.body, name), "{name:?}");
            }
        }
        stack.anonymous.fetch(file.url()).await.expect_body(bytes);
    }
}

#[stack_test]
async fn damaged_avif_is_an_error_of_its_request_alone(stack: &Stack, acme: &TestSpace) {
    let mut damaged = avif!("half_chroma").to_vec();
    let middle = damaged.len() - 90;
    damaged[middle..].fill(0xA5);
    let file = acme.upload(damaged).named("a.avif", "image/avif").await;
    let whole = acme
        .upload(avif!("odd"))
        .named("b.avif", "image/avif")
        .await;

    let after = processed(stack, acme, file.path()).await;
    assert_eq!(after["processing"]["status"], "failed");
    assert_eq!(after["storage_meta"]["width"], 96);
    stack.anonymous.get_err(422, &file.url_with("w=9")).await;
    stack.anonymous.fetch(&whole.url_with("w=9")).await;
}

#[stack_test]
async fn photos_are_converted_on_every_route(stack: &Stack) {
    let rules = json!({"transformations": {"upload_format": "webp", "strip_metadata": true}});
    let uploads = Uploads::new(stack, rules).await;
    let photos: [(&str, &[u8], (u32, u32)); 2] = [
        ("image/heic", PHONE, SIZE),
        ("image/avif", avif!("place"), (300, 400)),
    ];
    for (mime_type, bytes, size) in photos {
        for route in ROUTES {
            let upload = uploads.file(route, "IMG_0001", mime_type, bytes);
            let record = uploads.record(upload.finish().await).await;
            assert_eq!(record["mime_type"], "image/webp", "{route:?} {mime_type}");

            let stored = delivered_bytes(stack, &record).await;
            let displayed = probe(&stored).expect("an image").displayed();
            assert_eq!(
                (displayed.width, displayed.height),
                size,
                "{route:?} {mime_type}"
            );
            assert!(
                contains(bytes, b"Exif") && !contains(&stored, b"EXIF"),
                "{route:?}"
            );
        }
    }
    stack.run_confirm_checks().await;
}

fn without_decoder() -> StackOptions {
    StackOptions::default().with_parameters(&[("DecodeHeic", "false")])
}

#[stack_test(options = without_decoder())]
async fn deployment_without_a_decoder_stores_and_delivers_photos(stack: &Stack) {
    let photos = stack.space("Photos").await;
    let file = upload(&photos).await;
    let after = processed(stack, &photos, file.path()).await;
    assert_eq!(after["processing"]["status"], "completed");
    assert_eq!(after["storage_meta"]["format"], "heic");
    assert_eq!(after["storage_meta"]["blurhash"], json!(null));
    assert_eq!(after["thumbnails"], json!([]));
    stack.anonymous.fetch(file.url()).await.expect_body(PHONE);

    let server = ImageServer::start(&logo(RED)).await;
    for query in ["w=189", "f=auto", ""] {
        let response = stack.anonymous.get(&file.url_with(query)).await;
        let errors = json!({"file": [NOT_DECODED]});
        assert_eq!(response.expect_error(422), errors, "{query}");
        enable(&photos, &server).await;
    }
}

/// Returns a photo whose headers are valid, but not its pixels.
fn damaged() -> Vec<u8> {
    let mut photo = PHONE.to_vec();
    let middle = photo.len() / 2;
    photo[middle..].fill(0xA5);
    photo
}

#[stack_test(options = without_decoder())]
async fn rules_of_a_deployment_without_a_decoder_need_no_pixels(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({})).await;
    let rule = |name: &str, pixels: u32| json!({"validation": {name: pixels}});
    let converted = json!({"transformations": {"upload_format": "webp"}});
    let stripped = json!({"transformations": {"upload_format": "webp", "strip_metadata": true}});
    let mut unconfirmed = Vec::new();

    for (rules, bytes, is_accepted) in [
        (rule("min_image_width", 378), PHONE.to_vec(), true),
        (rule("min_image_width", 379), PHONE.to_vec(), false),
        (rule("max_image_height", 504), damaged(), true),
        (rule("max_image_height", 503), damaged(), false),
        (converted, PHONE.to_vec(), true),
        // What is not converted keeps its metadata.
        (stripped, PHONE.to_vec(), false),
    ] {
        uploads.set_rules(rules.clone()).await;
        let photo = |route| uploads.file(route, "IMG_0001.heic", "image/heic", &bytes[..]);
        for route in [Route::Form, Route::Presign] {
            let response = photo(route).finish().await;
            if is_accepted {
                let record = uploads.record(response).await;
                assert_eq!(record["mime_type"], "image/heic", "{route:?} {rules}");
                assert_eq!(delivered_bytes(stack, &record).await, bytes);
            } else {
                response.expect_error(422);
            }
        }

        let pending = PendingFile::of(photo(Route::Presign).send().await);
        pending.put(stack, bytes.clone()).await;
        unconfirmed.push((pending, rules, is_accepted));
    }

    stack.run_confirm_checks().await;
    for (pending, rules, is_accepted) in unconfirmed {
        let checked = uploads.acme().get(&pending.address()).await;
        let status = if is_accepted { 200 } else { 404 };
        let checked = checked.with_context(&rules.to_string());
        checked.expect_status(status);
    }
}

#[stack_test(options = without_decoder())]
async fn eager_transformations_without_a_decoder_are_not_created(stack: &Stack, acme: &TestSpace) {
    let eager = json!([{"width": 32}, {"width": 64, "format": "webp"}]);
    let settings = json!({"transformations": {"eager": eager}});
    acme.upload_config("eager").with_settings(settings).await;

    for (mime_type, bytes, widths) in [
        ("image/heic", PHONE, json!([])),
        ("image/avif", avif!("grid"), json!([32, 64, 160])),
    ] {
        let file = acme.upload(bytes).named("a", mime_type);
        let file = file.with_config("eager").await;

        let after = processed(stack, acme, file.path()).await;

        assert_eq!(after["processing"]["status"], "completed", "{mime_type}");
        assert_eq!(json!(column(&after["thumbnails"], "width")), widths);
    }
}

#[stack_test(options = without_decoder())]
async fn photo_over_256_mb_that_is_not_transformed_can_be_declared(
    stack: &Stack,
    acme: &TestSpace,
) {
    let settings = json!({"transformations": {"upload_format": "webp"}});
    acme.upload_config("webp").with_settings(settings).await;
    for (content_type, status) in [("image/heic", 201), ("image/avif", 422)] {
        let fields =
            json!({"upload_config": "webp", "content_type": content_type, "size": (256 << 20) + 1});
        let response = acme
            .post("/upload/presign", presign_body(acme, fields))
            .await;
        response.expect_status(status);
    }
    stack.run_confirm_checks().await;
}
