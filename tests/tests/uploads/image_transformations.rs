//! Upload configs: transformations of images.

use media::{Dimensions, EncodeOptions, Format, ImageInfo, Pixels, decode, encode, probe};
use reqwest::multipart::Form;
use serde_json::{Value, json};
use tests::{PHOTO, Stack, TestSpace, file, form, stack_test};

use super::image_rules::{SVG, create_config, delivered_bytes, upload};
use crate::support::images::{PLACE, animation, contains, image, progressive, with_exif};

/// Returns the photo with a quarter of its width and height. Encoding the whole photo as AVIF takes
/// seconds.
fn small_photo() -> Vec<u8> {
    const STEP: u32 = 4;

    let photo = decoded(PHOTO).pixels.expect("pixels");
    let pixel_bytes = photo.samples.len() / (photo.width * photo.height) as usize;
    let pixels = photo.samples.chunks(pixel_bytes).collect::<Vec<_>>();
    let rows = pixels.chunks(photo.width as usize).step_by(STEP as usize);
    let samples = rows
        .flat_map(|row| row.iter().step_by(STEP as usize))
        .copied()
        .flatten()
        .copied()
        .collect();

    let small = Pixels {
        width: photo.width / STEP,
        height: photo.height / STEP,
        samples,
        ..photo
    };
    let encoding = EncodeOptions {
        format: Format::Png,
        quality: 95,
        progressive: false,
        lossless: true,
        exif: None,
    };
    encode(small, &encoding).expect("an image")
}

/// Uploads an image with transformations, and returns the delivered bytes.
async fn transform(
    stack: &Stack,
    acme: &TestSpace,
    transformations: Value,
    bytes: &[u8],
) -> Vec<u8> {
    let config = create_config(acme, json!({"transformations": transformations})).await;
    let record = upload(acme, &config, "image", bytes).await.expect_created();
    delivered_bytes(stack, acme, &record).await
}

struct Decoded {
    info: ImageInfo,
    /// `None` for AVIF, which cannot be decoded.
    pixels: Option<Pixels>,
}

fn decoded(bytes: &[u8]) -> Decoded {
    let info = probe(bytes).expect("an image");
    let pixels =
        (info.format != Format::Avif).then(|| decode(bytes, &info).expect("a whole image"));

    Decoded { info, pixels }
}

#[stack_test]
async fn each_format_is_converted_to_each_requested_format(stack: &Stack, acme: &TestSpace) {
    for source in [Format::Jpeg, Format::Png, Format::WebP] {
        let bytes = image(source, 48, 32);
        for (requested, target) in [
            ("original", source),
            ("jpeg", Format::Jpeg),
            ("png", Format::Png),
            ("webp", Format::WebP),
            ("avif", Format::Avif),
        ] {
            let delivered =
                transform(stack, acme, json!({"upload_format": requested}), &bytes).await;
            let after = decoded(&delivered);
            let before = decoded(&bytes).pixels.expect("pixels");

            assert_eq!(
                (after.info.format, after.info.displayed()),
                (
                    target,
                    Dimensions {
                        width: 48,
                        height: 32
                    }
                ),
                "{source:?} as {requested}"
            );
            assert_eq!(
                delivered == bytes,
                target == source,
                "{source:?} as {requested}"
            );
            let distances = after
                .pixels
                .iter()
                .flat_map(|after| after.samples.iter().zip(&before.samples));
            assert!(
                distances
                    .map(|(after, before)| after.abs_diff(*before))
                    .max()
                    < Some(20),
                "{source:?} as {requested}"
            );
        }
    }
}

#[stack_test]
async fn quality_and_progressive_setting_are_applied(stack: &Stack, acme: &TestSpace) {
    let photo = small_photo();

    for format in ["jpeg", "webp", "avif"] {
        let mut sizes = Vec::new();
        for quality in [10, 60, 95] {
            let rules = json!({"upload_format": format, "upload_quality": quality});
            sizes.push(transform(stack, acme, rules, &photo).await.len());
        }
        assert!(
            sizes.is_sorted() && sizes[0] * 2 < sizes[2],
            "{format} {sizes:?}"
        );
    }

    let jpeg = image(Format::Jpeg, 48, 32);
    let converted = transform(stack, acme, json!({"progressive": true}), &jpeg).await;
    assert!(decoded(&converted).info.progressive && !decoded(&jpeg).info.progressive);

    for same in [
        progressive(48, 32),
        image(Format::WebP, 48, 32),
        animation(),
        SVG.to_vec(),
        b"just text".to_vec(),
    ] {
        assert_eq!(
            transform(stack, acme, json!({"progressive": true}), &same).await,
            same
        );
    }
}

#[stack_test]
async fn metadata_is_removed_on_request_without_changing_pixels(stack: &Stack, acme: &TestSpace) {
    let stripping = || json!({"strip_metadata": true});

    for format in [Format::Jpeg, Format::Png, Format::WebP] {
        for orientation in [1, 6] {
            let bytes = with_exif(format, orientation);
            assert!(contains(&bytes, PLACE));
            let delivered = transform(stack, acme, stripping(), &bytes).await;
            assert!(!contains(&delivered, PLACE), "{format:?} {orientation}");
            let after = decoded(&delivered);
            let before = decoded(&bytes);
            assert_eq!(
                after.info.displayed(),
                before.info.displayed(),
                "{format:?} {orientation}"
            );
            assert!(
                orientation != 1 || after.pixels == before.pixels,
                "{format:?}: pixels are unchanged"
            );
            // A conversion keeps metadata without `strip_metadata`.
            let converted = transform(
                stack,
                acme,
                json!({"upload_format": "jpeg", "upload_quality": 90}),
                &bytes,
            )
            .await;
            assert!(contains(&converted, PLACE), "{format:?} {orientation}");
            assert_eq!(
                decoded(&converted).info.displayed(),
                before.info.displayed(),
                "{format:?} {orientation}"
            );
        }
    }

    let commented = [
        &animation()[..19],
        b"\x21\xFE\x11",
        PLACE,
        b"\0",
        &animation()[19..],
    ]
    .concat();

    assert_eq!(
        transform(stack, acme, stripping(), &commented).await,
        animation(),
        "still an animation"
    );
}

#[stack_test]
async fn one_untransformable_image_rejects_request(stack: &Stack, acme: &TestSpace) {
    let config = create_config(acme, json!({"transformations": {"upload_format": "webp"}})).await;

    let form = |files: &[Vec<u8>]| {
        let form = Form::new()
            .text("space", acme.handle.clone())
            .text("upload_config", config.clone());
        files.iter().fold(form, |form, bytes| {
            form.part("files", file("image", "image/jpeg", bytes.clone()))
        })
    };

    let whole = image(Format::Jpeg, 48, 32);
    let truncated = image(Format::Jpeg, 48, 32)[..400].to_vec();
    let before = stack.dump().await;
    let errors = acme
        .upload_form(form(&[
            whole.clone(),
            truncated.clone(),
            whole.clone(),
            truncated,
        ]))
        .await
        .expect_error(422);
    let message = |field: &str| {
        json!([format!(
            "The {field} field must be a complete image; this one is truncated."
        )])
    };

    assert_eq!(
        errors,
        json!({"files.1": message("files.1"), "files.3": message("files.3")})
    );

    stack
        .dump()
        .await
        .assert_unchanged(&before, "a request with truncated images");

    for record in acme
        .upload_form(form(&vec![whole; 10]))
        .await
        .expect_created()
        .as_array()
        .expect("a list")
    {
        assert_eq!(
            decoded(&delivered_bytes(stack, acme, record).await)
                .info
                .format,
            Format::WebP
        );
    }
}

#[stack_test]
async fn transformed_upload_is_replayed(stack: &Stack, acme: &TestSpace) {
    let config = create_config(acme, json!({"transformations": {"upload_format": "webp"}})).await;

    let send = || {
        let form =
            form(&acme.handle, "image", "image/jpeg", PHOTO).text("upload_config", config.clone());
        acme.send(
            acme.request("POST", "/upload")
                .header("idempotency-key", "one")
                .multipart(form),
        )
    };

    let record = send().await.expect_created();
    assert_eq!(
        decoded(&delivered_bytes(stack, acme, &record).await)
            .info
            .format,
        Format::WebP
    );

    let before = stack.dump().await;
    assert_eq!(send().await.expect_created(), record);

    stack
        .dump()
        .await
        .assert_unchanged(&before, "a replayed upload");
}
