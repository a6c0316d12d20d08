//! Images that are too large to be rendered: their metadata is read from the first bytes.

use bytes::Bytes;
use futures::stream;
use media::Format;
use reqwest::Body;
use serde_json::{Value, json};
use tests::{Stack, WebhookReceiver, seconds, stack_test, text};

use crate::{
    support::images::{image, with_exif},
    uploads::presign::PendingFile,
};

/// Size of a file that is too large to be rendered, in bytes.
const SIZE_BYTES: usize = (100 << 20) + 1;
/// Bytes of the file that are in memory at a time.
const CHUNK_BYTES: usize = 1 << 20;

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
    let file = acme.client.get(&pending.address()).await.expect_ok();
    ProcessedImage { file, events }
}

#[stack_test]
async fn image_over_100_mib_has_the_metadata_of_its_header_and_fails(stack: &Stack) {
    let photo = process(stack, Format::Jpeg, with_exif(Format::Jpeg, 6)).await;

    assert_eq!(photo.events, ["file.failed", "file.uploaded"]);
    assert_eq!(photo.file["thumbnails"], json!([]));
    let meta = &photo.file["storage_meta"];
    assert_eq!(meta["width"], 16);
    assert_eq!(meta["height"], 24);
    assert_eq!(meta["format"], "jpeg");
    assert_eq!(meta["orientation"], 6);
    assert!(meta["exif"]["ImageDescription"].is_string(), "{meta}");
    assert!(meta.get("blurhash").is_none());
}

#[stack_test]
async fn image_over_100_mib_without_a_decoder_is_processed(stack: &Stack) {
    let avif = process(stack, Format::Avif, image(Format::Avif, 64, 48)).await;

    assert_eq!(avif.events, ["file.processed", "file.uploaded"]);
    assert_eq!(avif.file["thumbnails"], json!([]));
    assert_eq!(avif.file["storage_meta"]["width"], 64);
    assert_eq!(avif.file["storage_meta"]["format"], "avif");
}
