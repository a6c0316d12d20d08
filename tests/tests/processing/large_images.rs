//! Images that are too large to be rendered: their metadata is read from the first bytes.

use bytes::Bytes;
use futures::stream;
use media::format::Format;
use reqwest::Body;
use serde_json::{Value, json};
use tests::{Stack, StackOptions, WebhookReceiver, assert_fields, seconds, stack_test, text};

use super::photos::PHONE;
use crate::{support::images::with_exif, uploads::presign::PendingFile};

/// Size of a file that is too large to be rendered, in bytes.
const SIZE_BYTES: usize = (100 << 20) + 1;
/// Bytes of the file that are in memory at a time.
const CHUNK_BYTES: usize = 1 << 20;
/// Offset behind the bytes that are read of such a file.
const BEYOND_PREFIX: u32 = 50 << 20;
/// Length of the header of a WebP, and of the header of each of its chunks, in bytes.
const WEBP_HEADER_BYTES: usize = 12;
const CHUNK_HEADER_BYTES: usize = 8;

/// Returns a body that begins with an image, followed by zeros.
fn padded(image: Vec<u8>) -> Body {
    let zeros = Bytes::from(vec![0; CHUNK_BYTES]);
    let padding = SIZE_BYTES - image.len();
    let mut chunks = vec![Bytes::from(image)];
    chunks.extend(std::iter::repeat_n(zeros.clone(), padding / CHUNK_BYTES));
    chunks.push(zeros.slice(..padding % CHUNK_BYTES));
    Body::wrap_stream(stream::iter(chunks.into_iter().map(std::io::Result::Ok)))
}

/// An image after its processing.
struct ProcessedImage {
    /// The file as the API shows it.
    file: Value,
    /// The events that were sent, sorted.
    events: Vec<String>,
}

impl ProcessedImage {
    /// Asserts that the image failed because of its size.
    fn assert_too_large(&self) {
        assert_eq!(self.events, ["file.failed", "file.uploaded"]);
        assert_eq!(self.file["status"], "active");
        assert_eq!(self.file["thumbnails"], json!([]));

        let processing = &self.file["processing"];
        assert_eq!(processing["status"], "failed");
        let error = text(&processing["error"]);
        assert!(error.contains("100 MiB"), "{error}");
    }

    /// Asserts that only the format of the image is recorded.
    fn assert_unknown_dimensions(&self, format: &str) {
        let meta = &self.file["storage_meta"];
        assert_eq!(meta["format"], format);
        for absent in ["width", "height", "has_alpha", "pages", "exif", "blurhash"] {
            assert!(meta.get(absent).is_none(), "{absent}: {meta}");
        }
    }
}

/// Returns the beginning of a TIFF whose directory follows the pixels.
fn tiff_with_late_directory() -> Vec<u8> {
    [&b"II*\0"[..], &BEYOND_PREFIX.to_le_bytes()].concat()
}

/// Returns the beginning of a WebP whose EXIF data follows large pixels.
fn webp_with_late_exif() -> Vec<u8> {
    let mut webp = with_exif(Format::WebP, 6);
    let file_length = u32::try_from(SIZE_BYTES - CHUNK_HEADER_BYTES).expect("32 bits");
    webp[4..8].copy_from_slice(&file_length.to_le_bytes());

    // The pixels follow the header of the extended format.
    let mut pixels = WEBP_HEADER_BYTES;
    while !webp[pixels..].starts_with(b"VP8 ") {
        let length = webp[pixels + 4..].first_chunk().expect("a length");
        let length = usize::try_from(u32::from_le_bytes(*length)).expect("64 bits");
        pixels += CHUNK_HEADER_BYTES + length + length % 2;
    }
    webp[pixels + 4..pixels + 8].copy_from_slice(&BEYOND_PREFIX.to_le_bytes());
    webp
}

/// Uploads an image with padding, and runs the jobs that follow.
async fn process(stack: &Stack, format: Format, bytes: Vec<u8>) -> ProcessedImage {
    let acme = stack.space("Acme").await;
    let receiver = WebhookReceiver::start().await;
    let events = ["file.processed", "file.failed"];
    let settings = json!({"notifications": {"webhook_url": receiver.url(), "events": events}});
    acme.upload_config("all").with_settings(settings).await;
    let mime_type = format.media_type().mime_type;
    let declared = json!({"content_type": mime_type, "size": SIZE_BYTES, "upload_config": "all"});
    let pending = PendingFile::create(&acme, declared).await;
    let request = stack
        .anonymous
        .request("PUT", pending.url())
        .header("content-type", mime_type)
        .header("content-length", SIZE_BYTES)
        .body(padded(bytes));
    stack.anonymous.send(request).await.expect_status(200);
    pending.confirm(&acme.client).await.expect_ok();

    stack.run_post_upload().await;
    // The events of the processing wait for the record.
    for _ in 0..3 {
        stack.run_for(seconds(1)).await;
    }
    stack.run_confirm_checks().await;

    let webhooks = receiver.received().into_iter();
    let mut events: Vec<String> = webhooks
        .map(|webhook| text(&webhook.json()["event"]))
        .collect();
    events.sort();
    let file = acme.get_ok(&pending.address()).await;
    ProcessedImage { file, events }
}

#[stack_test]
async fn image_over_100_mib_has_the_metadata_of_its_header_and_fails(stack: &Stack) {
    let photo = process(stack, Format::Jpeg, with_exif(Format::Jpeg, 6)).await;

    photo.assert_too_large();
    let meta = &photo.file["storage_meta"];
    let expected = json!({"width": 16, "height": 24, "format": "jpeg", "orientation": 6});
    assert_fields(meta, expected);
    assert!(meta["exif"]["ImageDescription"].is_string(), "{meta}");
    assert!(meta.get("blurhash").is_none());
}

#[stack_test(options = StackOptions::default().with_parameters(&[("DecodeHeic", "false")]))]
async fn image_over_100_mib_without_a_decoder_is_processed(stack: &Stack) {
    let heic = process(stack, Format::Heic, PHONE.to_vec()).await;

    assert_eq!(heic.events, ["file.processed", "file.uploaded"]);
    let completed = json!({"status": "completed", "error": null});
    let expected = json!({"processing": completed, "thumbnails": []});
    assert_fields(&heic.file, expected);
    let expected = json!({"width": 378, "format": "heic"});
    assert_fields(&heic.file["storage_meta"], expected);
}

#[stack_test]
async fn tiff_over_100_mib_whose_directory_follows_the_pixels_has_a_format(stack: &Stack) {
    let tiff = process(stack, Format::Tiff, tiff_with_late_directory()).await;

    assert_eq!(tiff.file["status"], "active");
    assert_eq!(tiff.file["thumbnails"], json!([]));
    tiff.assert_unknown_dimensions("tiff");
}

#[stack_test]
async fn webp_over_100_mib_whose_exif_data_follows_the_pixels_has_a_format_and_fails(
    stack: &Stack,
) {
    let webp = process(stack, Format::WebP, webp_with_late_exif()).await;

    webp.assert_too_large();
    webp.assert_unknown_dimensions("webp");
}
