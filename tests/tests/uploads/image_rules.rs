//! What upload configs ask of images: how large they are, and what they are stored as.

use std::sync::atomic::{AtomicU32, Ordering};

use media::{Dimensions, EncodeOptions, Format, ImageInfo, Pixels, decode, encode, probe};
use reqwest::multipart::Form;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tests::{PHOTO, Response, Stack, Tenant, file, form, stack_test};

use crate::support::images::{
    PLACE, animation, contains, image, jpeg_of_sides, png_of_sides, progressive, webp_of_sides,
    with_exif,
};

const SVG: &[u8] = b"<svg xmlns='http://www.w3.org/2000/svg' width='20' height='20'/>";

/// The photo with a quarter of its width and height, since encoding all of it as AVIF takes
/// seconds.
fn small_photo() -> Vec<u8> {
    const STEP: u32 = 4;
    let photo = seen(PHOTO).1.expect("pixels");
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

/// Makes a config of these rules, and a name for it.
async fn config(acme: &Tenant, rules: Value) -> String {
    static MADE: AtomicU32 = AtomicU32::new(0);

    let name = format!("config-{}", MADE.fetch_add(1, Ordering::Relaxed));
    let config = json!({"space_id": acme.id, "name": name, "config": rules});
    acme.client
        .post("/upload-configs", config)
        .await
        .expect_created();

    name
}

async fn upload(acme: &Tenant, config: &str, name: &str, bytes: &[u8]) -> Response {
    let form = form(&acme.handle, name, "application/octet-stream", bytes);
    acme.client
        .upload(form.text("upload_config", config.to_owned()))
        .await
}

/// What is delivered of a stored file, demanding that its record says of it what it is.
async fn agreed(stack: &Stack, acme: &Tenant, record: &Value) -> Vec<u8> {
    let id = record["id"].as_str().expect("an id");
    assert_eq!(
        &acme.client.get(&format!("/files/{id}")).await.expect_ok(),
        record
    );

    let delivered = stack
        .anonymous
        .get(record["url"].as_str().expect("an address"))
        .await
        .expect_status(200);

    assert_eq!(record["size"], json!(delivered.body.len()));
    assert_eq!(
        record["checksum_sha256"],
        json!(hex::encode(Sha256::digest(&delivered.body)))
    );
    assert_eq!(
        record["mime_type"],
        json!(
            delivered
                .header("content-type")
                .trim_end_matches("; charset=utf-8")
        )
    );
    assert!(
        record["name"]
            .as_str()
            .expect("a name")
            .ends_with(record["extension"].as_str().expect("an extension"))
    );

    if let Some(reported) = Format::detect(&delivered.body).map(Format::media_type) {
        assert_eq!(
            (&record["mime_type"], &record["extension"]),
            (&json!(reported.mime_type), &json!(reported.extension))
        );
    }

    delivered.body.to_vec()
}

/// Uploads an image under these transformations, and gives what is delivered of it.
async fn stored(stack: &Stack, acme: &Tenant, transformations: Value, bytes: &[u8]) -> Vec<u8> {
    let config = config(acme, json!({"transformations": transformations})).await;
    let record = upload(acme, &config, "image", bytes).await.expect_created();
    agreed(stack, acme, &record).await
}

/// What an image is, and its pixels, as far as they are decoded here.
fn seen(bytes: &[u8]) -> (ImageInfo, Option<Pixels>) {
    let probed = probe(bytes).expect("an image");
    let pixels =
        (probed.format != Format::Avif).then(|| decode(bytes, &probed).expect("a whole image"));
    (probed, pixels)
}

#[stack_test]
async fn dimensions_respect_orientation(stack: &Stack) {
    let acme = stack.space("Acme").await;

    // As stored they are 24 wide and 16 high.
    let mut images = vec![(image(Format::Avif, 24, 16), 24, 16)];
    for format in [Format::Jpeg, Format::Png, Format::WebP] {
        images.extend([
            (image(format, 24, 16), 24, 16),
            (with_exif(format, 6), 16, 24),
        ]);
    }

    for rule in ["width", "height"] {
        for (bound, side, is_least) in [
            ("min", 16, true),
            ("min", 17, true),
            ("max", 16, false),
            ("max", 15, false),
        ] {
            let config = config(
                &acme,
                json!({"validation": {format!("{bound}_image_{rule}"): side}}),
            )
            .await;
            for (bytes, width, height) in &images {
                let length = if rule == "width" { *width } else { *height };
                let response = upload(&acme, &config, "image", bytes).await;
                if if is_least {
                    length >= side
                } else {
                    length <= side
                } {
                    assert_eq!(
                        &agreed(stack, &acme, &response.expect_created()).await,
                        bytes
                    );
                } else {
                    let errors = json!({"file": ["The file field has invalid image dimensions."]});
                    assert_eq!(
                        response.expect_error(422),
                        errors,
                        "{bound} {rule} {side}, {width}×{height}"
                    );
                }
            }
        }
    }
}

#[stack_test]
async fn image_without_readable_dimensions_is_rejected(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let config = config(
        &acme,
        json!({"validation": {"max_image_width": 100, "min_image_height": 1}}),
    )
    .await;

    for (name, bytes) in [
        ("a.txt", &b"just text"[..]),
        ("a.pdf", b"%PDF-1.7\n%"),
        ("a.mp4", b"\0\0\0\x20ftypisom\0\0"),
    ] {
        upload(&acme, &config, name, bytes).await.expect_created();
    }

    let before = stack.dump().await;
    let jpeg = image(Format::Jpeg, 24, 16);

    for (name, bytes) in [
        ("vector.svg", SVG),
        ("ends before its frame", &jpeg[..20]),
        ("a bomb", &png_of_sides(65_000, 65_000)),
        ("no pixels", &png_of_sides(0, 16)),
        (
            "an unknown format",
            b"8BPS\0\x01\0\0\0\0\0\0\0\x03\0\0\0\x10\0\0\0\x10\0\x08\0\x03",
        ),
    ] {
        let errors = upload(&acme, &config, name, bytes).await.expect_error(422);
        assert_eq!(
            errors,
            json!({"file": ["The file field has invalid image dimensions."]}),
            "{name}"
        );
    }

    for format in [Format::Jpeg, Format::Png, Format::WebP] {
        let whole = image(format, 24, 16);
        let errors = upload(&acme, &config, "image", &whole[..whole.len() - 4])
            .await
            .expect_error(422);
        assert_eq!(
            errors,
            json!({"file": ["The file field must not be a truncated image."]}),
            "{format:?}"
        );
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "images that cannot be measured");
}

#[stack_test]
async fn exif_at_end_of_large_file_is_respected(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let config = config(
        &acme,
        json!({"validation": {"max_image_width": 16, "max_image_height": 24}}),
    )
    .await;
    let turned = with_exif(Format::WebP, 6);
    let at = turned
        .windows(4)
        .position(|window| window == b"EXIF")
        .expect("camera data");
    let mut large = turned[..at].to_vec();

    large.extend(
        [
            &b"JUNK"[..],
            &2_000_000_u32.to_le_bytes(),
            &vec![0; 2_000_000],
            &turned[at..],
        ]
        .concat(),
    );

    let length = u32::try_from(large.len() - 8).expect("a small file");
    large[4..8].copy_from_slice(&length.to_le_bytes());
    upload(&acme, &config, "image", &large)
        .await
        .expect_created();
}

#[stack_test]
async fn each_format_is_converted_to_each_requested_format(stack: &Stack) {
    let acme = stack.space("Acme").await;
    for source in [Format::Jpeg, Format::Png, Format::WebP] {
        let bytes = image(source, 48, 32);
        for (asked, target) in [
            ("original", source),
            ("jpeg", Format::Jpeg),
            ("png", Format::Png),
            ("webp", Format::WebP),
            ("avif", Format::Avif),
        ] {
            let delivered = stored(stack, &acme, json!({"upload_format": asked}), &bytes).await;
            let (probed, pixels) = seen(&delivered);
            assert_eq!(
                (probed.format, probed.displayed()),
                (
                    target,
                    Dimensions {
                        width: 48,
                        height: 32
                    }
                ),
                "{source:?} as {asked}"
            );
            assert_eq!(
                delivered == bytes,
                target == source,
                "{source:?} as {asked}"
            );
            let before = seen(&bytes).1.expect("pixels");
            let distances = pixels
                .iter()
                .flat_map(|after| after.samples.iter().zip(&before.samples));
            assert!(
                distances
                    .map(|(after, before)| after.abs_diff(*before))
                    .max()
                    < Some(20),
                "{source:?} as {asked}"
            );
        }
    }
}

#[stack_test]
async fn quality_and_progressive_setting_are_applied(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let photo = small_photo();

    for format in ["jpeg", "webp", "avif"] {
        let mut sizes = Vec::new();
        for quality in [10, 60, 95] {
            let rules = json!({"upload_format": format, "upload_quality": quality});
            sizes.push(stored(stack, &acme, rules, &photo).await.len());
        }
        assert!(
            sizes.is_sorted() && sizes[0] * 2 < sizes[2],
            "{format} {sizes:?}"
        );
    }

    let jpeg = image(Format::Jpeg, 48, 32);
    let coarsely_first = stored(stack, &acme, json!({"progressive": true}), &jpeg).await;
    assert!(seen(&coarsely_first).0.progressive && !seen(&jpeg).0.progressive);

    for same in [
        progressive(48, 32),
        image(Format::WebP, 48, 32),
        animation(),
        SVG.to_vec(),
        b"just text".to_vec(),
    ] {
        assert_eq!(
            stored(stack, &acme, json!({"progressive": true}), &same).await,
            same
        );
    }
}

#[stack_test]
async fn metadata_is_removed_on_request_without_changing_pixels(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let stripping = || json!({"strip_metadata": true});

    for format in [Format::Jpeg, Format::Png, Format::WebP] {
        for orientation in [1, 6] {
            let bytes = with_exif(format, orientation);
            assert!(contains(&bytes, PLACE));
            let delivered = stored(stack, &acme, stripping(), &bytes).await;
            assert!(!contains(&delivered, PLACE), "{format:?} {orientation}");
            let ((after, pixels), (before, whole)) = (seen(&delivered), seen(&bytes));
            assert_eq!(
                after.displayed(),
                before.displayed(),
                "{format:?} {orientation}"
            );
            assert!(
                orientation != 1 || pixels == whole,
                "{format:?}: no pixel was touched"
            );
            // Nobody asked for it to be removed.
            let kept = stored(
                stack,
                &acme,
                json!({"upload_format": "jpeg", "upload_quality": 90}),
                &bytes,
            )
            .await;
            assert!(contains(&kept, PLACE), "{format:?} {orientation}");
            assert_eq!(
                seen(&kept).0.displayed(),
                before.displayed(),
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
        stored(stack, &acme, stripping(), &commented).await,
        animation(),
        "still an animation"
    );
}

#[stack_test]
async fn mislabeled_image_is_rejected_and_not_stored(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let converting = config(&acme, json!({"transformations": {"upload_format": "avif"}})).await;
    let stripping = config(&acme, json!({"transformations": {"strip_metadata": true}})).await;
    let measuring = config(&acme, json!({"validation": {"min_image_width": 10}})).await;
    let because = |end: &str| json!({"file": [format!("The file field {end}.")]});
    let bomb = || because("must not have more than 100000000 pixels");
    let lie = || because("must be an image that can be decoded");
    let stump = || because("must not be a truncated image");
    let before = stack.dump().await;

    for (name, bytes, expected) in [
        ("PNG bomb", png_of_sides(65_000, 65_000), bomb()),
        ("JPEG bomb", jpeg_of_sides(65_500, 65_500), bomb()),
        ("WebP bomb", webp_of_sides(16_383, 16_383), bomb()),
        ("JPEG, too high", jpeg_of_sides(240, 4_000), lie()),
        ("JPEG, too wide", jpeg_of_sides(4_000, 160), lie()),
        ("PNG, too high", png_of_sides(240, 4_000), lie()),
    ] {
        assert_eq!(
            upload(&acme, &converting, name, &bytes)
                .await
                .expect_error(422),
            expected,
            "{name}"
        );
    }

    let kept = because("must be of a format whose metadata can be removed");
    for (name, bytes) in [
        ("image.avif", image(Format::Avif, 24, 16)),
        ("image.svg", SVG.to_vec()),
    ] {
        assert_eq!(
            upload(&acme, &stripping, name, &bytes)
                .await
                .expect_error(422),
            kept,
            "{name}"
        );
    }

    for (name, bytes, expected) in [
        ("PNG bomb", png_of_sides(65_000, 65_000), bomb()),
        ("JPEG, too high", jpeg_of_sides(240, 4_000), lie()),
        ("PNG, too high", png_of_sides(240, 4_000), lie()),
    ] {
        assert_eq!(
            upload(&acme, &measuring, name, &bytes)
                .await
                .expect_error(422),
            expected,
            "{name}"
        );
    }

    for format in [Format::Jpeg, Format::Png, Format::WebP] {
        let whole = image(format, 240, 160);
        for length in [whole.len() / 10, whole.len() / 2, whole.len() - 1] {
            for config in [&converting, &stripping] {
                let errors = upload(&acme, config, "image", &whole[..length])
                    .await
                    .expect_error(422);
                assert_eq!(
                    errors,
                    stump(),
                    "{format:?}, {length} bytes of {}",
                    whole.len()
                );
            }
        }
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "images that are not what they say");
}

#[stack_test]
async fn one_untransformable_image_rejects_request(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let config = config(&acme, json!({"transformations": {"upload_format": "webp"}})).await;

    let form = |files: &[Vec<u8>]| {
        let form = Form::new()
            .text("space", acme.handle.clone())
            .text("upload_config", config.clone());
        files.iter().fold(form, |form, bytes| {
            form.part("files", file("image", "image/jpeg", bytes.clone()))
        })
    };

    let whole = image(Format::Jpeg, 48, 32);
    let stump = image(Format::Jpeg, 48, 32)[..400].to_vec();
    let before = stack.dump().await;
    let errors = acme
        .client
        .upload(form(&[whole.clone(), stump.clone(), whole.clone(), stump]))
        .await
        .expect_error(422);
    let message =
        |field: &str| json!([format!("The {field} field must not be a truncated image.")]);

    assert_eq!(
        errors,
        json!({"files.1": message("files.1"), "files.3": message("files.3")})
    );

    stack
        .dump()
        .await
        .assert_unchanged(&before, "a list with images that end early");

    for record in acme
        .client
        .upload(form(&vec![whole; 10]))
        .await
        .expect_created()
        .as_array()
        .expect("a list")
    {
        assert_eq!(
            seen(&agreed(stack, &acme, record).await).0.format,
            Format::WebP
        );
    }
}

#[stack_test]
async fn transformed_upload_is_replayed(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let config = config(&acme, json!({"transformations": {"upload_format": "webp"}})).await;

    let send = || {
        let form =
            form(&acme.handle, "image", "image/jpeg", PHOTO).text("upload_config", config.clone());
        acme.client.send(
            acme.client
                .request("POST", "/upload")
                .header("idempotency-key", "one")
                .multipart(form),
        )
    };

    let record = send().await.expect_created();
    assert_eq!(
        seen(&agreed(stack, &acme, &record).await).0.format,
        Format::WebP
    );

    let before = stack.dump().await;
    assert_eq!(send().await.expect_created(), record);

    stack
        .dump()
        .await
        .assert_unchanged(&before, "an upload that was done before");
}
