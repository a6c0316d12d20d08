//! `docs/costs.md`: what requests cost, from the calls that they make and `docs/prices.json`.

pub(crate) mod page;
pub(crate) mod prices;
pub(crate) mod usage;

use std::{env, fs, path::PathBuf};

use serde_json::{Value, json};
use tests::{PHOTO, Stack, TestSpace, WebhookReceiver, large_photo, minutes, stack_test, text};

use page::{idle_month, page, total};
use prices::Prices;
use usage::{Usage, measure};

use crate::{
    delivery::fixture::{REDIRECT_ABOVE_BYTES, options_with_cdn_redirects},
    uploads::unsigned::UnsignedConfig,
};

/// A kind of request, and what one request uses.
pub(crate) struct Kind {
    name: &'static str,
    usage: Usage,
}

/// Measures a request, by its name in `docs/prices.json`.
struct Measurement<'a> {
    stack: &'a Stack,
    prices: &'a Prices,
    kinds: Vec<Kind>,
}

impl Measurement<'_> {
    async fn add<T>(&mut self, name: &'static str, work: impl Future<Output = T>) -> T {
        let (output, usage) = measure(self.stack, self.prices, name, work).await;
        self.kinds.push(Kind { name, usage });
        output
    }
}

/// Compares totals with those of the page in the repository, or writes it if the variable `UPDATE`
/// is set.
#[stack_test(options = options_with_cdn_redirects())]
#[expect(
    clippy::disallowed_methods,
    reason = "`scripts/costs` sets the variable for this test only"
)]
async fn costs_page_matches_the_counted_calls(stack: &Stack) {
    let docs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let prices = Prices::read(&docs.join("prices.json"));
    let acme = stack.space("Acme").await;
    acme.upload(PHOTO).await;
    stack.run_post_upload().await;

    let mut measurement = Measurement {
        stack,
        prices: &prices,
        kinds: Vec::new(),
    };
    deliveries(&mut measurement, &acme).await;
    reads(&mut measurement, &acme).await;
    uploads(&mut measurement, &acme).await;

    let expected = page(&measurement.kinds, &prices);
    let path = docs.join("costs.md");
    if env::var_os("UPDATE").is_some() {
        fs::write(&path, &expected).expect("a writable file");
    }
    let content = fs::read_to_string(&path).unwrap_or_default();
    for kind in &measurement.kinds {
        assert_current(&content, kind, &prices);
    }
    assert!(content.contains(&idle_month(&prices)), "run scripts/costs");
}

/// Expects that a page has the total of a kind, give or take the reads that depend on the order of
/// jobs.
#[track_caller]
fn assert_current(page: &str, kind: &Kind, prices: &Prices) {
    let start = format!("| {} | ", kind.name);
    let line = page.lines().find_map(|line| line.strip_prefix(&start));
    let written: Option<f64> = line.and_then(|rest| rest.trim_end_matches(" |").parse().ok());
    let ratio = written.unwrap_or_default() / total(kind, prices);

    let is_current = (0.97..1.03).contains(&ratio);
    assert!(is_current, "{}: run scripts/costs ({ratio})", kind.name);
}

async fn deliveries(measurement: &mut Measurement<'_>, acme: &TestSpace) {
    let stack = measurement.stack;
    let photo = acme.upload(PHOTO).await;
    stack.run_post_upload().await;
    let url = text(&photo["url"]);
    let transformed = format!("{url}?w=400&f=webp");

    let small = stack.anonymous.get(&url);
    let response = measurement.add("Delivery of a small file", small).await;
    let etag = response.expect_status(200).header("etag").to_owned();
    let revalidation = stack
        .anonymous
        .request("GET", &url)
        .header("if-none-match", etag);
    let revalidation = stack.anonymous.send(revalidation);
    let name = "Revalidation of an image (304)";
    measurement.add(name, revalidation).await.expect_status(304);

    for name in [
        "First delivery of a transformed image",
        "Delivery of a stored transformed image",
    ] {
        let delivery = stack.anonymous.get(&transformed);
        measurement.add(name, delivery).await.expect_status(200);
    }

    let large = large_photo(REDIRECT_ABOVE_BYTES + 1);
    let large = acme.upload(large).named("large.jpg", "image/jpeg").await;
    stack.run_post_upload().await;
    let download = async {
        let redirect = stack.anonymous.get(large.url()).await.expect_status(307);
        let object = stack.anonymous.get(redirect.header("location"));
        object.await.expect_status(200);
    };
    let name = "Download of a large file by a redirect to the CDN";
    measurement.add(name, download).await;
}

async fn reads(measurement: &mut Measurement<'_>, acme: &TestSpace) {
    for _ in 0..20 {
        acme.upload(PHOTO).await;
    }
    measurement.stack.run_post_upload().await;
    let file = acme.upload(PHOTO).await;
    measurement.stack.run_post_upload().await;
    let path = format!("/files/{}", text(&file["id"]));

    let read = acme.get(&path);
    measurement.add("Read of a file", read).await.expect_ok();
    let list = format!("/files?space_id={}&limit=20", acme.id);
    let list = acme.get(&list);
    measurement.add("List of 20 files", list).await.expect_ok();
    let stack = measurement.stack;
    let deletion = async {
        acme.delete_ok(&path).await;
        stack.run_purges().await;
    };
    measurement
        .add("Deletion of a file, with its purge", deletion)
        .await;
}

async fn uploads(measurement: &mut Measurement<'_>, acme: &TestSpace) {
    let stack = measurement.stack;
    let form = async {
        acme.upload(PHOTO).await;
        stack.run_post_upload().await;
    };
    let name = "Upload of an image by form, with processing";
    measurement.add(name, form).await;

    let open = UnsignedConfig::new(stack, acme, "open", json!({})).await;
    let unsigned = async {
        open.send().await.expect_status(201);
        stack.run_post_upload().await;
    };
    let name = "Unsigned upload of an image by form, with processing";
    measurement.add(name, unsigned).await;

    let receiver = WebhookReceiver::start().await;
    let settings = json!({"name": "Acme", "webhook_url": receiver.url()});
    acme.put_ok(&acme.path(), settings).await;
    let presigned = async {
        let described = json!({
            "space": acme.handle, "filename": "photo.jpg", "content_type": "image/jpeg", "size": PHOTO.len(),
        });
        let pending: Value = acme
            .post("/upload/presign", described)
            .await
            .expect_status(201)
            .json();
        let put = stack
            .anonymous
            .request("PUT", &text(&pending["upload_url"]));
        let put = put.header("content-type", "image/jpeg").body(PHOTO);
        stack.anonymous.send(put).await.expect_status(200);
        let confirm = format!("/upload/confirm/{}", text(&pending["file_id"]));
        acme.send(acme.request("POST", &confirm))
            .await
            .expect_status(200);
        stack.run_post_upload().await;
        stack.run_for(minutes(16)).await;
    };
    let name = "Presigned upload of an image, with check, processing and webhook";
    measurement.add(name, presigned).await;
}
