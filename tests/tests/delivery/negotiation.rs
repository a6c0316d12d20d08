//! Formats of transformed images that the client does not request, chosen by `Accept` and the
//! original; and animations.

use domain::naming::ImageSize;
use media::{
    decode::decode,
    encode::{EncodeOptions, encode},
    format::Format,
    pixels::{Channels, Pixels},
    probe::{Frames, probe},
};
use tests::{File, Response, Stack, TestSpace, stack_test, text};

use crate::support::{
    image_server::{ImageServer, logo},
    images::{image, png_of_sides},
};

/// Accept header of a browser.
const BROWSER: &str = "image/avif,image/webp,*/*;q=0.8";
/// Side of an image that WebP does not support, in pixels.
const WIDE: u32 = 17_000;

async fn upload(acme: &TestSpace, format: Format, width: u32, height: u32) -> File {
    let mime_type = format.media_type().mime_type;
    let bytes = image(format, width, height);
    acme.upload(bytes).named("image", &mime_type).await
}

/// Returns the format of the image in a response.
fn delivered(response: &Response) -> Format {
    let info = probe(&response.body).expect("an image");
    response.expect_header("content-type", info.format.media_type().mime_type);
    info.format
}

#[stack_test]
async fn format_is_negotiated_unless_it_is_requested(stack: &Stack, acme: &TestSpace) {
    let jpeg = upload(acme, Format::Jpeg, 64, 48).await;
    let png = upload(acme, Format::Png, 64, 48).await;

    for (file, accept, format) in [
        (&jpeg, BROWSER, Format::Avif),
        (&jpeg, "image/webp;q=0.5,image/jpeg", Format::Jpeg),
        (&jpeg, "*/*", Format::Jpeg),
        (&png, BROWSER, Format::WebP),
        (&png, "image/avif,*/*;q=0.8", Format::Avif),
    ] {
        let accept = [("accept", accept)];
        let negotiated = file.url_with("w=32");
        let response = stack.anonymous.fetch_as(200, &negotiated, &accept).await;
        response.expect_header("vary", "accept");
        assert_eq!(delivered(&response), format, "{accept:?}");

        let fixed = file.url_with("w=32&f=gif");
        let response = stack.anonymous.fetch_as(200, &fixed, &accept).await;
        response.expect_header("vary", "");
        assert_eq!(delivered(&response), Format::Gif, "{accept:?}");

        let original = stack.anonymous.fetch_as(200, file.url(), &accept).await;
        original.expect_header("vary", "");
        original.expect_header("content-type", text(&file["mime_type"]));
    }
}

#[stack_test]
async fn negotiated_format_gives_way_to_one_that_supports_the_size(
    stack: &Stack,
    acme: &TestSpace,
) {
    // More pixels than an AVIF that is negotiated, and a side that WebP does not support.
    let wide = upload(acme, Format::Jpeg, WIDE, 120).await;
    let large = upload(acme, Format::Jpeg, 1_700, 1_200).await;

    let mut etags = Vec::new();
    for (file, accept, expected) in [
        (&wide, BROWSER, Format::Jpeg),
        (&wide, "image/webp,*/*", Format::Jpeg),
        (&wide, "*/*", Format::Jpeg),
        (&large, BROWSER, Format::WebP),
        (&large, "image/avif,image/webp;q=0", Format::Jpeg),
    ] {
        let accept = [("accept", accept)];
        let url = file.url_with("q=80");
        let response = stack.anonymous.fetch_as(200, &url, &accept).await;
        response.expect_header("vary", "accept");
        assert_eq!(delivered(&response), expected, "{accept:?}");
        etags.push(response.header("etag").to_owned());
    }

    // It is stored as the delivered format.
    let webp = wide.url_with("q=80&f=webp");
    stack.anonymous.get_err(422, &webp).await;
    let jpeg = wide.url_with("q=80&f=jpg");
    let jpeg = stack.anonymous.fetch(&jpeg).await;
    for etag in &etags[..3] {
        jpeg.expect_header("etag", etag);
    }
}

#[stack_test]
async fn head_states_a_negotiated_format_unless_another_may_replace_it(
    stack: &Stack,
    acme: &TestSpace,
) {
    for (width, query, accept, expected) in [
        (10_000, "w=100", "image/webp", "image/webp"),
        (10_000, "w=100", "image/avif", "image/avif"),
        (10_001, "w=100", "image/webp", ""),
        (10_000, "w=5000", "image/webp", ""),
    ] {
        let png = png_of_sides(width, 5_000);
        let file = acme.upload(png).named("a.png", "image/png").await;

        let request = stack.anonymous.request("HEAD", &file.url_with(query));
        let request = request.header("accept", accept);
        let response = stack.anonymous.send(request).await.expect_status(200);

        response.expect_header("content-type", expected);
    }
}

/// Duration of each frame of the animation, in hundredths of a second.
const DELAYS: [u8; 3] = [5, 20, 100];
/// Length of a GIF's header with the table of two colors that the encoder writes, in bytes.
const GIF_HEADER: usize = 19;
/// Start of the extension before each frame of a GIF.
const GIF_CONTROL: &[u8] = b"\x21\xF9\x04";
/// Extension of a GIF that is repeated twice, so shown three times.
const TWO_REPETITIONS: &[u8] = b"\x21\xFF\x0BNETSCAPE2.0\x03\x01\x02\0\0";

/// Returns a GIF of 64 × 48 pixels in one color.
fn still_gif(color: [u8; 3]) -> Vec<u8> {
    let pixels = Pixels::new(ImageSize::new(64, 48), Channels::Rgb, color.repeat(64 * 48));
    let options = EncodeOptions::new(Format::Gif, 90);
    encode(pixels, &options).expect("a GIF")
}

/// Returns a GIF of 64 × 48 pixels that is red, then green, then blue, three times.
pub(crate) fn animation() -> Vec<u8> {
    let colors = [[255, 0, 0], [0, 255, 0], [0, 0, 255]];
    let mut file = still_gif(colors[0])[..GIF_HEADER].to_vec();
    file.extend_from_slice(TWO_REPETITIONS);
    for (color, delay) in colors.into_iter().zip(DELAYS) {
        let still = still_gif(color);
        let mut frame = still[GIF_HEADER..still.len() - 1].to_vec();
        assert!(frame.starts_with(GIF_CONTROL));
        frame[4] = delay;
        file.append(&mut frame);
    }
    file.push(b';');
    file
}

async fn upload_animation(acme: &TestSpace) -> File {
    acme.upload(animation()).named("a.gif", "image/gif").await
}

/// An animated image in a response.
#[derive(Debug, PartialEq, Eq)]
struct Animation {
    format: Format,
    size: (u32, u32),
    /// Duration of each frame, in milliseconds.
    durations: Vec<u32>,
}

fn animation_of(response: Response) -> Animation {
    let response = response.expect_status(200);
    let info = probe(&response.body).expect("an image");
    assert_eq!(info.frames, Frames::Animated);
    response.expect_header("content-type", info.format.media_type().mime_type);

    let is_gif = info.format == Format::Gif;
    let start = if is_gif { GIF_CONTROL } else { b"ANMF" };
    let durations = positions(&response.body, start).map(|at| {
        let frame = &response.body[at..];
        if is_gif {
            u32::from(u16::from_le_bytes([frame[4], frame[5]])) * 10
        } else {
            u32::from_le_bytes([frame[20], frame[21], frame[22], 0])
        }
    });
    Animation {
        format: info.format,
        size: (info.width, info.height),
        durations: durations.collect(),
    }
}

fn positions(bytes: &[u8], what: &[u8]) -> impl Iterator<Item = usize> {
    let windows = bytes.windows(what.len()).enumerate();
    windows
        .filter(move |(_, window)| *window == what)
        .map(|(at, _)| at)
}

fn expected(format: Format, size: (u32, u32)) -> Animation {
    Animation {
        format,
        size,
        durations: DELAYS.map(|delay| u32::from(delay) * 10).to_vec(),
    }
}

#[stack_test]
async fn animation_stays_animated_in_negotiated_formats(stack: &Stack, acme: &TestSpace) {
    let url = upload_animation(acme).await.url_with("w=32");

    for (accept, format) in [
        ("image/avif,image/webp,*/*;q=0.8", Format::WebP),
        ("image/avif,*/*;q=0.8", Format::Gif),
        ("*/*", Format::Gif),
    ] {
        let response = stack.anonymous.get_with(&url, &[("accept", accept)]).await;
        response.expect_header("vary", "accept");
        let animation = animation_of(response);
        assert_eq!(animation, expected(format, (32, 24)), "{accept}");
    }
}

#[stack_test]
async fn animation_is_cropped_and_keeps_its_loops(stack: &Stack, acme: &TestSpace) {
    let file = upload_animation(acme).await;

    let of_webp = &b"ANIM\x06\0\0\0\0\0\0\0\x03\0"[..];
    for (query, format, loops) in [
        ("w=20&h=20&r=fill&f=gif", Format::Gif, TWO_REPETITIONS),
        ("w=20&h=20&r=thumb&f=webp", Format::WebP, of_webp),
    ] {
        let response = stack.anonymous.get(&file.url_with(query)).await;
        assert_eq!(positions(&response.body, loops).count(), 1, "{query}");
        let animation = animation_of(response);
        assert_eq!(animation, expected(format, (20, 20)), "{query}");
    }
}

#[stack_test]
async fn original_with_a_watermark_stays_animated(stack: &Stack, acme: &TestSpace) {
    let file = upload_animation(acme).await;
    let server = ImageServer::start(&logo([255, 255, 255])).await;
    acme.set_security(&acme.path(), server.watermark()).await;

    let marked = stack.anonymous.get(file.url()).await;
    assert!(marked.body != animation());
    assert_eq!(animation_of(marked), expected(Format::Gif, (64, 48)));
}

#[stack_test]
async fn other_formats_of_an_animation_have_its_first_frame(stack: &Stack, acme: &TestSpace) {
    let file = upload_animation(acme).await;

    for (query, format) in [("w=32&f=jpeg", Format::Jpeg), ("w=32&f=png", Format::Png)] {
        let response = stack.anonymous.fetch(&file.url_with(query)).await;
        let info = probe(&response.body).expect("an image");
        assert_eq!((info.format, info.frames), (format, Frames::Still));

        let pixels = decode(&response.body, &info).expect("pixels");
        let (red, green) = (pixels.samples[0], pixels.samples[1]);
        assert!(red > 240 && green < 15, "{query}: {red} {green}");
    }
    let avif = stack.anonymous.fetch(&file.url_with("w=8&f=avif")).await;
    avif.expect_header("content-type", "image/avif");
}

#[stack_test]
async fn animation_with_too_many_frames_returns_422(stack: &Stack, acme: &TestSpace) {
    let frame = b"\x2C\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0";
    let header = b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xFF\xFF\xFF";
    let bytes = [&header[..], &frame.repeat(10_000), b";"].concat();
    let file = acme.upload(bytes).named("long.gif", "image/gif").await;

    for query in ["w=8", "f=webp"] {
        let errors = stack.anonymous.get_err(422, &file.url_with(query)).await;
        let message = text(&errors["file"][0]);
        assert!(message.contains("3,000 frames"), "{query}: {message}");
    }
    stack.anonymous.fetch(&file.url_with("f=png")).await;
}
