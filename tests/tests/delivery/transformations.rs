//! Transformed images: sizes, formats, storage and limits.

use futures::future::join_all;
use media::{Dimensions, Format, probe};
use serde_json::json;
use tests::{Observed, PHOTO, Response, Stack, StackOptions, TestSpace, stack_test};

use crate::support::images::{animation, image, png_of_sides, with_exif};

/// Accept header of a browser.
const BROWSER: (&str, &str) = ("accept", "image/avif,image/webp,*/*;q=0.8");

/// Uploads an image of 64 × 48 pixels and returns its URL.
async fn upload_image(acme: &TestSpace, format: Format) -> String {
    let bytes = image(format, 64, 48);
    let file = acme.upload(bytes).named("a.b.bin", "image/jpeg").await;
    file.url().to_owned()
}

/// Format and dimensions of the image in a response.
#[derive(Debug, PartialEq, Eq)]
struct Delivered {
    format: Format,
    width: u32,
    height: u32,
}

fn delivered(response: Response) -> Delivered {
    let response = response.expect_status(200);
    let info = probe(&response.body).expect("an image");
    let Dimensions { width, height } = info.displayed();

    let format = info.format.media_type().mime_type;
    assert_eq!(response.header("content-type"), format);
    assert_eq!(response.header("x-image-width"), width.to_string());
    assert_eq!(response.header("x-image-height"), height.to_string());
    assert_eq!(response.header("x-content-type-options"), "nosniff");

    Delivered {
        format: info.format,
        width,
        height,
    }
}

fn expected(format: Format, width: u32, height: u32) -> Delivered {
    Delivered {
        format,
        width,
        height,
    }
}

#[stack_test]
async fn image_is_resized_and_converted_as_requested(stack: &Stack, acme: &TestSpace) {
    let url = upload_image(acme, Format::Png).await;
    for (query, image) in [
        ("w=32", expected(Format::Png, 32, 24)),
        ("h=12&f=jpeg", expected(Format::Jpeg, 16, 12)),
        ("h=12&f=jpg", expected(Format::Jpeg, 16, 12)),
        ("w=32&h=32", expected(Format::Png, 32, 24)),
        ("w=32&h=32&r=fill&f=webp", expected(Format::WebP, 32, 32)),
        ("w=32&h=32&r=scale&f=gif", expected(Format::Gif, 32, 32)),
        ("w=16&r=crop&g=southeast", expected(Format::Png, 16, 48)),
        ("w=24&h=24&r=thumb&f=avif", expected(Format::Avif, 24, 24)),
        ("w=128", expected(Format::Png, 64, 48)),
        ("w=128&r=scale", expected(Format::Png, 64, 48)),
        ("f=jpeg&q=10", expected(Format::Jpeg, 64, 48)),
        ("q=auto", expected(Format::Png, 64, 48)),
    ] {
        let response = stack.anonymous.get(&format!("{url}?{query}")).await;
        assert_eq!(delivered(response), image, "{query}");
    }
}

#[stack_test]
async fn orientation_is_applied_and_metadata_removed(stack: &Stack, acme: &TestSpace) {
    let rotated = with_exif(Format::Jpeg, 6);
    let upright = probe(&rotated).expect("an image").displayed();
    let file = acme.upload(rotated).named("a.jpg", "image/jpeg").await;

    let url = format!("{}?f=jpeg", file.url());
    let response = stack.anonymous.fetch(&url).await;

    let info = probe(&response.body).expect("an image");
    assert_eq!((info.width, info.height), (upright.width, upright.height));
    let has_exif = response.body.windows(4).any(|bytes| bytes == b"Exif");
    assert!(!has_exif);
}

#[stack_test]
async fn variant_is_rendered_once_and_reused(stack: &Stack, acme: &TestSpace) {
    let url = upload_image(acme, Format::Png).await;
    let first_url = format!("{url}?w=32&r=fill");
    let second_url = format!("{url}?r=fit&g=west&w=0032");

    let Observed {
        output: first,
        calls: first_calls,
    } = stack.calls_of(stack.anonymous.get(&first_url)).await;
    let Observed {
        output: second,
        calls: second_calls,
    } = stack.calls_of(stack.anonymous.get(&second_url)).await;

    assert_eq!(
        first_calls,
        [
            "delivery BatchGetItem",
            "delivery GetObject",
            "delivery GetObject",
            "delivery GetObject",
            "delivery PutObject",
            "delivery TransactGetItems",
            "delivery UpdateItem",
            "delivery UpdateItem",
        ]
    );
    assert_eq!(
        second_calls,
        ["delivery GetObject", "delivery TransactGetItems"]
    );
    let first = first.expect_status(200);
    let second = second.expect_status(200);
    assert_eq!(first.header("etag"), second.header("etag"));
    assert!(first.body == second.body);
}

#[stack_test]
async fn requests_for_the_same_image_share_one_object(stack: &Stack, acme: &TestSpace) {
    let url = upload_image(acme, Format::Jpeg).await;
    let webp = [("accept", "image/webp")];

    for query in [
        "w=32",
        "w=32&f=webp",
        "w=32&f=png",
        "w=32&f=png&q=9",
        "w=32&f=png&q=10&v=2",
    ] {
        let response = stack
            .anonymous
            .get_with(&format!("{url}?{query}"), &webp)
            .await;
        response.expect_status(200);
    }

    let objects = stack.dump().await.objects;
    let variants = objects.keys().filter(|key| key.contains("/variants/"));
    assert_eq!(variants.count(), 2, "a WebP and a PNG");
}

#[stack_test]
async fn simultaneous_requests_render_once(stack: &Stack, acme: &TestSpace) {
    let url = format!("{}?w=32", upload_image(acme, Format::Png).await);

    let requests = join_all((0..20).map(|_| stack.anonymous.get(&url)));
    let Observed {
        output: responses,
        calls,
    } = stack.calls_of(requests).await;

    for response in responses {
        delivered(response);
    }
    let renderings = calls.iter().filter(|call| call.ends_with("PutObject"));
    assert_eq!(renderings.count(), 1, "{calls:?}");
}

#[stack_test]
async fn unchanged_variant_returns_304_without_reading_it(stack: &Stack, acme: &TestSpace) {
    let url = format!("{}?w=32", upload_image(acme, Format::Jpeg).await);
    let webp = stack.anonymous.get_with(&url, &[BROWSER]).await;
    let etag = webp.header("etag").to_owned();

    let conditional = [BROWSER, ("if-none-match", etag.as_str())];
    let Observed {
        output: unchanged,
        calls,
    } = stack
        .calls_of(stack.anonymous.get_with(&url, &conditional))
        .await;

    let unchanged = unchanged.expect_status(304);
    assert_eq!(unchanged.header("vary"), "accept");
    assert_eq!(calls, ["delivery TransactGetItems"]);

    // Another format has another ETag.
    let other = [("accept", "*/*"), ("if-none-match", etag.as_str())];
    let other = stack.anonymous.get_with(&url, &other).await;
    assert_eq!(delivered(other).format, Format::Jpeg);
}

#[stack_test]
async fn head_has_the_headers_of_get(stack: &Stack, acme: &TestSpace) {
    let url = format!(
        "{}?w=32&f=png&download",
        upload_image(acme, Format::Png).await
    );

    let get = stack.anonymous.fetch(&url).await;
    let head = stack.anonymous.head(&url).await.expect_status(200);

    assert_eq!(get.header("content-length"), get.body.len().to_string());
    assert_eq!(
        get.header("content-disposition"),
        "attachment; filename=\"a.b.png\""
    );
    assert_eq!(
        head.header("x-amzn-remapped-content-length"),
        get.header("content-length")
    );
    for name in [
        "content-type",
        "etag",
        "x-image-width",
        "content-disposition",
    ] {
        assert_eq!(head.header(name), get.header(name), "{name}");
    }
}

#[stack_test]
async fn invalid_transformation_reports_all_parameters(stack: &Stack, acme: &TestSpace) {
    let url = upload_image(acme, Format::Png).await;

    for (query, names) in [
        (
            "w=0&h=8193&r=pad&g=middle&f=bmp&q=101",
            &["w", "h", "r", "g", "f", "q"][..],
        ),
        ("w=&f=", &["w", "f"]),
        ("w=10&w=10", &["w"]),
        ("width=10&format=webp&utm_source=a", &["width", "format"]),
    ] {
        let response = stack.anonymous.get(&format!("{url}?{query}")).await;
        let errors = response.expect_error(422);
        for name in names {
            assert!(errors[name][0].is_string(), "{query}: {errors}");
        }
    }
}

#[stack_test]
async fn file_that_cannot_be_rendered_returns_422(stack: &Stack, acme: &TestSpace) {
    let truncated = image(Format::Jpeg, 64, 48);
    let truncated = truncated[..truncated.len() / 2].to_vec();

    let svg = b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec();
    for (name, mime_type, bytes, expected) in [
        (
            "a.txt",
            "text/plain",
            b"some text".to_vec(),
            &["The file must be an image"][..],
        ),
        ("a.svg", "image/svg+xml", svg, &["can be decoded"]),
        (
            "cut.jpg",
            "image/jpeg",
            truncated,
            &["The file is a truncated image."],
        ),
        (
            "bomb.png",
            "image/png",
            png_of_sides(65_535, 65_535),
            &["100000000 pixels", "more memory"],
        ),
    ] {
        let file = acme.upload(bytes.clone()).named(name, mime_type).await;

        let transformed = stack.anonymous.get(&format!("{}?w=32", file.url())).await;
        let errors = transformed.expect_error(422);
        let message = errors["file"][0].as_str().expect("an error");
        let has_reason = expected.iter().any(|reason| message.contains(reason));
        assert!(has_reason, "{name}: {message}");

        let original = stack.anonymous.fetch(file.url()).await;
        assert!(original.body == bytes, "{name}");
    }
}

#[stack_test]
async fn conditions_apply_only_to_variants_that_can_be_delivered(stack: &Stack, acme: &TestSpace) {
    let text = acme.upload("text").named("a.txt", "text/plain").await;
    let text = format!("{}?w=32", text.url());
    let image = format!("{}?w=32", upload_image(acme, Format::Png).await);

    for (condition, status) in [
        (("if-none-match", "*"), 304),
        (("if-match", "*"), 200),
        (("if-match", "\"other\""), 412),
        (("if-none-match", "\"other\""), 200),
    ] {
        let invalid = stack.anonymous.get_with(&text, &[condition]).await;
        invalid.expect_error(422);
        let valid = stack.anonymous.get_with(&image, &[condition]).await;
        assert_eq!(valid.status, status, "{condition:?}");
    }
}

#[stack_test]
async fn animation_is_not_rendered_as_avif_unless_requested(stack: &Stack, acme: &TestSpace) {
    let gif = animation();
    let file = acme.upload(gif).named("a.gif", "image/gif").await;

    let url = format!("{}?w=8", file.url());
    let negotiated = stack.anonymous.get_with(&url, &[BROWSER]).await;
    assert_eq!(delivered(negotiated).format, Format::WebP);

    let requested = stack.anonymous.get(&format!("{url}&f=avif")).await;
    assert_eq!(delivered(requested).format, Format::Avif);
}

#[stack_test]
async fn variants_are_deleted_with_their_file_and_space(stack: &Stack, acme: &TestSpace) {
    let deleted = acme.upload(PHOTO).named("a.jpg", "image/jpeg").await;
    let kept = acme.upload(PHOTO).named("b.jpg", "image/jpeg").await;
    for file in [&deleted, &kept] {
        let url = format!("{}?w=32", file.url());
        stack.anonymous.fetch(&url).await;
    }

    acme.delete_ok(deleted.path()).await;
    stack.run_purges().await;

    let objects = stack.dump().await.objects;
    let of_deleted = objects.keys().filter(|key| key.contains(&deleted.id));
    assert_eq!(of_deleted.count(), 0);
    let of_kept = objects.keys().filter(|key| key.contains(&kept.id));
    assert_eq!(of_kept.count(), 2, "the original and a variant");

    let space = format!("/spaces?id={}&force=true", acme.id);
    stack.account().delete(&space).await.expect_status(202);
    stack.run_purges().await;
    assert_eq!(stack.dump().await.objects.len(), 0);
}

#[stack_test(options = StackOptions::without_rate_limits().with_parameters(&[("RedirectAboveBytes", "2000")]))]
async fn large_variant_is_redirected_to_its_stored_object(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let file = acme.upload(PHOTO).named("a.jpg", "image/jpeg").await;

    let url = format!("{}?w=128&f=png", file.url());
    let redirect = stack.anonymous.get(&url).await.expect_status(307);
    let location = redirect.header("location");
    let stored = stack.anonymous.fetch(location).await;

    assert_eq!(stored.header("content-type"), "image/png");
    let info = probe(&stored.body).expect("an image");
    assert_eq!(info.width, 128);
    assert_eq!(json!(info.format.media_type().mime_type), "image/png");
}
