//! Upload configs: transformations of images.

use domain::naming::ImageSize;
use media::{
    decode::decode,
    format::Format,
    pixels::Pixels,
    probe::{ImageInfo, probe},
};
use serde_json::{Value, json};
use tests::{PHOTO, Stack, field_errors, stack_test};

use super::{
    confirm::delivered_bytes,
    image_rules::{SVG, TRUNCATED, UNKNOWN},
    multiple_files::parts,
    routes::{ROUTES, Route, Uploads},
};
use crate::support::images::{PLACE, animation, contains, image, progressive, with_exif};

/// Uploads an image with transformations, and returns the delivered bytes.
async fn transform(uploads: &Uploads<'_>, transformations: Value, bytes: &[u8]) -> Vec<u8> {
    let rules = json!({ "transformations": transformations });
    uploads.set_rules(rules).await;
    let upload = uploads.file(Route::Form, "image", UNKNOWN, bytes);
    let record = upload.send().await.expect_created();
    delivered_bytes(uploads.stack, &record).await
}

struct Decoded {
    info: ImageInfo,
    pixels: Pixels,
}

fn decoded(bytes: &[u8]) -> Decoded {
    let info = probe(bytes).expect("an image");
    let pixels = decode(bytes, &info).expect("an image");
    Decoded { info, pixels }
}

#[stack_test]
async fn each_format_is_converted_to_each_requested_format(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({})).await;
    for source in [Format::Jpeg, Format::Png, Format::WebP, Format::Avif] {
        let bytes = image(source, 48, 32);
        let before = decoded(&bytes).pixels;
        for (requested, target) in [
            ("original", source),
            ("jpeg", Format::Jpeg),
            ("png", Format::Png),
            ("webp", Format::WebP),
            ("avif", Format::Avif),
        ] {
            let case = format!("{source:?} as {requested}");
            let rules = json!({ "upload_format": requested });
            let delivered = transform(&uploads, rules, &bytes).await;
            let after = decoded(&delivered);

            assert_eq!(after.info.format, target, "{case}");
            let size = after.info.displayed();
            assert_eq!(size, ImageSize::new(48, 32), "{case}");
            assert_eq!(delivered == bytes, target == source, "{case}");
            let mut samples = after.pixels.samples.iter().zip(&before.samples);
            let is_near = samples.all(|(after, before)| after.abs_diff(*before) < 20);
            assert!(is_near, "{case}");
        }
    }
}

#[stack_test]
async fn quality_and_progressive_setting_are_applied(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({})).await;
    // Encoding the whole photo as AVIF takes seconds.
    let whole = uploads.acme().upload(PHOTO).await;
    let small = whole.url_with("w=240&f=png");
    let photo = stack.anonymous.fetch(&small).await.body;

    for format in ["jpeg", "webp", "avif"] {
        let mut sizes = Vec::new();
        for quality in [10, 60, 95] {
            let rules = json!({"upload_format": format, "upload_quality": quality});
            sizes.push(transform(&uploads, rules, &photo).await.len());
        }
        let is_applied = sizes.is_sorted() && sizes[0] * 2 < sizes[2];
        assert!(is_applied, "{format} {sizes:?}");
    }

    let rules = || json!({"progressive": true});
    let jpeg = image(Format::Jpeg, 48, 32);
    let converted = transform(&uploads, rules(), &jpeg).await;
    assert!(decoded(&converted).info.progressive && !decoded(&jpeg).info.progressive);

    for same in [
        progressive(48, 32),
        image(Format::WebP, 48, 32),
        animation(),
        SVG.to_vec(),
        b"just text".to_vec(),
    ] {
        assert_eq!(transform(&uploads, rules(), &same).await, same);
    }
}

#[stack_test]
async fn metadata_is_removed_on_request_without_changing_pixels(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({})).await;
    let stripping = || json!({"strip_metadata": true});
    let converting = || json!({"upload_format": "jpeg", "upload_quality": 90});

    for format in [Format::Jpeg, Format::Png, Format::WebP] {
        for orientation in [1, 6] {
            let case = format!("{format:?} {orientation}");
            let bytes = with_exif(format, orientation);
            let before = decoded(&bytes);
            assert!(contains(&bytes, PLACE));

            let delivered = transform(&uploads, stripping(), &bytes).await;
            assert!(!contains(&delivered, PLACE), "{case}");
            let after = decoded(&delivered);
            assert_eq!(after.info.displayed(), before.info.displayed(), "{case}");
            assert!(orientation != 1 || after.pixels == before.pixels, "{case}");

            // A conversion keeps metadata without `strip_metadata`.
            let converted = transform(&uploads, converting(), &bytes).await;
            assert!(contains(&converted, PLACE), "{case}");
            let after = decoded(&converted);
            assert_eq!(after.info.displayed(), before.info.displayed(), "{case}");
        }
    }

    let (head, frames) = (&animation()[..19], &animation()[19..]);
    let commented = [head, b"\x21\xFE\x11", PLACE, b"\0", frames].concat();
    let delivered = transform(&uploads, stripping(), &commented).await;
    assert_eq!(delivered, animation());
}

/// Transformations, a file with its declared type, and the type of the stored file, whose bytes
/// differ if it is another one or metadata is removed.
fn transformed_uploads() -> Vec<(Value, &'static str, Vec<u8>, &'static str)> {
    let webp = || json!({"upload_format": "webp"});
    let stripped = json!({"strip_metadata": true});
    let rotated = with_exif(Format::Jpeg, 6);
    let of_format = image(Format::WebP, 48, 32);

    vec![
        (webp(), "image/jpeg", PHOTO.to_vec(), "image/webp"),
        (webp(), UNKNOWN, image(Format::Png, 48, 32), "image/webp"),
        (webp(), "image/webp", of_format, "image/webp"),
        (stripped, "image/jpeg", rotated.clone(), "image/jpeg"),
        (json!({}), "image/jpeg", rotated, "image/jpeg"),
        // Animations and other files are not converted.
        (webp(), "image/gif", animation(), "image/gif"),
        (webp(), "text/plain", b"just text".to_vec(), "text/plain"),
    ]
}

#[stack_test]
async fn images_are_transformed_on_every_route(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({})).await;

    for (transformations, content_type, bytes, stored_type) in transformed_uploads() {
        let is_stripped = transformations["strip_metadata"] == true;
        let has_place = contains(&bytes, PLACE) && !is_stripped;
        let rules = json!({ "transformations": transformations });
        uploads.set_rules(rules).await;
        for route in ROUTES {
            let case = format!("{route:?} {transformations} {content_type}");
            let upload = uploads.file(route, "a", content_type, bytes.clone());
            let record = uploads.record(upload.finish().await).await;
            assert_eq!(record["mime_type"], stored_type, "{case}");

            let delivered = delivered_bytes(stack, &record).await;
            let is_same = !is_stripped && content_type == stored_type;
            assert_eq!(delivered == bytes, is_same, "{case}");
            assert_eq!(contains(&delivered, PLACE), has_place, "{case}");
        }
    }

    stack.run_confirm_checks().await;
}

#[stack_test]
async fn one_untransformable_image_rejects_request(stack: &Stack) {
    let webp = json!({"transformations": {"upload_format": "webp"}});
    let uploads = Uploads::new(stack, webp).await;
    let acme = uploads.acme();
    let send = async |images: Vec<&[u8]>| {
        let images = images.into_iter();
        let images = images.map(|bytes| ("image", "image/jpeg", bytes));
        let form = parts(acme, "files", images).text("upload_config", "by-key");
        acme.upload_form(form).await
    };

    let whole = image(Format::Jpeg, 48, 32);
    let truncated = &whole[..400];
    let before = stack.dump().await;
    let rejected = send(vec![&whole, truncated, &whole, truncated]).await;
    let errors = field_errors(["files.1", "files.3"].map(|field| (field, TRUNCATED)));
    assert_eq!(rejected.expect_error(422), errors);
    stack.assert_unchanged(&before, "truncated images").await;

    let stored = send(vec![&whole; 10]).await.expect_created();
    for record in stored.as_array().expect("a list") {
        let delivered = delivered_bytes(stack, record).await;
        assert_eq!(decoded(&delivered).info.format, Format::WebP);
    }
}
