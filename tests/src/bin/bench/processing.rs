//! `scripts/bench/run processing IMAGE`: measures the jobs that follow an upload. How long it takes
//! until the results of a photo are visible, and which share of the CPU time of many small uploads
//! the codecs need.

use std::{fs, sync::Arc, time::Duration};

use emulators::AsyncSystemClock;
use futures::{StreamExt, stream};
use local_stack::{LocalStack, Messages, Options, Ports, TEMPLATE, all_functions};
use runtime::{context::SystemRandom, http::BodyDeadlines};
use serde_json::{Value, json};
use tempfile::TempDir;
use tests::{
    Client, PHOTO, POST_UPLOAD_WORKERS, StackOptions, WebhookReceiver, form, parse_template, text,
};
use tokio::time::Instant;

use crate::{codec, log};

/// Uploads of the photo before the measured ones.
const WARM_UP: u32 = 3;
/// Measured uploads of the photo.
const ROUNDS: u32 = 15;
/// Pause between two reads of a record, which limits the resolution.
const POLL_PAUSE: Duration = Duration::from_millis(2);
/// Number of small uploads.
const SMALL_UPLOADS: u32 = 1_000;
/// Maximum number of small uploads at a time.
const CONCURRENT_UPLOADS: usize = 8;
/// Maximum time of the jobs of all small uploads, which usually take seconds.
const MAX_JOBS_TIME: Duration = Duration::from_mins(10);
/// Clock ticks per second of `/proc/self/stat`: `USER_HZ` is 100 on all architectures that Lambda
/// has (proc(5), times(2)).
const TICKS_PER_SECOND: u64 = 100;

/// A stack with the clock of the system, and a space whose webhooks are received.
struct Deployment {
    local: LocalStack,
    owner: Client,
    handle: String,
    receiver: WebhookReceiver,
    _directory: TempDir,
}

/// Times from the start of an upload.
struct Timeline {
    /// The response of the upload.
    response: Duration,
    /// The metadata, the blurhash and the thumbnails in the record.
    results: Duration,
    /// The webhook at its endpoint.
    webhook: Duration,
}

/// Measures with a photo, and returns the report.
pub(crate) async fn benchmark(photo: &[u8]) -> Result<String, String> {
    log("uploading photos");
    let timelines = measure_photo(photo).await?;
    let median = |of: fn(&Timeline) -> Duration| {
        let mut times: Vec<Duration> = timelines.iter().map(of).collect();
        times.sort_unstable();
        format!("{:>7.0} ms", times[times.len() / 2].as_secs_f64() * 1_000.0)
    };
    let photo_codec = codec_time(photo, ROUNDS)?;

    log("uploading small images");
    let small = measure_small_uploads().await?;

    Ok(format!(
        "One upload of {} bytes, median of {ROUNDS}, from the start of the request:\n\
         {} response\n{} metadata, blurhash and thumbnails\n{} webhook received\n\
         {:>7.0} ms of this is CPU time of the codecs\n\n\
         Jobs of {SMALL_UPLOADS} uploads of {} bytes:\n\
         {:>7.1} s until all are done, {:.0} per second\n{:>7.1} s CPU time\n\
         {:>7.1} s of this in the codecs: {:.0} %",
        photo.len(),
        median(|timeline| timeline.response),
        median(|timeline| timeline.results),
        median(|timeline| timeline.webhook),
        photo_codec.as_secs_f64() * 1_000.0,
        PHOTO.len(),
        small.elapsed.as_secs_f64(),
        f64::from(SMALL_UPLOADS) / small.elapsed.as_secs_f64(),
        small.cpu.as_secs_f64(),
        small.codec.as_secs_f64(),
        100.0 * small.codec.div_duration_f64(small.cpu),
    ))
}

/// Uploads a photo several times, one after the other.
async fn measure_photo(photo: &[u8]) -> Result<Vec<Timeline>, String> {
    let deployment = Deployment::start(&[]).await?;
    let mut timelines = Vec::new();
    for number in 0..WARM_UP + ROUNDS {
        let timeline = deployment.time_upload(photo, number).await;
        if number >= WARM_UP {
            timelines.push(timeline);
        }
    }
    deployment.local.stop().await;
    Ok(timelines)
}

/// Jobs of many small uploads.
struct SmallUploads {
    /// Time until all jobs are done.
    elapsed: Duration,
    /// CPU time of the process meanwhile, with its emulators.
    cpu: Duration,
    /// CPU time of the same work of the codecs alone.
    codec: Duration,
}

/// Uploads small images while the workers are paused, then measures the jobs.
async fn measure_small_uploads() -> Result<SmallUploads, String> {
    let deployment = Deployment::start(&POST_UPLOAD_WORKERS).await?;
    let uploads = (0..SMALL_UPLOADS).map(|number| deployment.upload(PHOTO, number));
    stream::iter(uploads)
        .buffer_unordered(CONCURRENT_UPLOADS)
        .collect::<Vec<Value>>()
        .await;

    let started = Instant::now();
    let cpu_before = process_cpu()?;
    deployment.local.resume_workers();
    deployment.wait_for_jobs().await?;
    let elapsed = started.elapsed();
    let cpu = process_cpu()?.saturating_sub(cpu_before);

    deployment.local.stop().await;
    Ok(SmallUploads {
        elapsed,
        cpu,
        codec: codec_time(PHOTO, SMALL_UPLOADS)? * SMALL_UPLOADS,
    })
}

impl Deployment {
    /// Starts a stack whose workers `paused` process nothing at first.
    async fn start(paused: &'static [&'static str]) -> Result<Deployment, String> {
        let directory = TempDir::new().expect("a temporary directory");
        let local = LocalStack::start(Options {
            data_dir: directory.path().join("data"),
            reset: false,
            template: parse_template(TEMPLATE),
            registry: all_functions(),
            ports: Ports::default(),
            parameters: StackOptions::without_rate_limits().parameters,
            clock: Arc::new(AsyncSystemClock),
            random: Arc::new(SystemRandom),
            body_deadlines: BodyDeadlines::default(),
            paused_workers: paused,
            cargo_lambda: None,
        });
        let local = local.await.map_err(|error| error.to_string())?;

        let account = Client::new(local.api_url())
            .with_key(local.api_key().expect("the template has a table"));
        let receiver = WebhookReceiver::start().await;
        let body = json!({"name": "Photos", "webhook_url": receiver.url()});
        let space = account.create("/spaces", body).await;
        let keys = format!("/spaces/{}/api-keys", text(&space["id"]));
        let key = account.create(&keys, json!({ "name": "owner" })).await;

        Ok(Deployment {
            owner: account.with_key(&text(&key["key"])),
            handle: text(&space["handle"]),
            local,
            receiver,
            _directory: directory,
        })
    }

    /// Uploads an image, and returns its record.
    async fn upload(&self, image: &[u8], number: u32) -> Value {
        let name = format!("{number}.jpg");
        let form = form(&self.handle, &name, "image/jpeg", image);
        self.owner.upload_form(form).await.expect_created()
    }

    /// Uploads an image, and waits for all results.
    async fn time_upload(&self, image: &[u8], number: u32) -> Timeline {
        let webhooks = self.receiver.received().len();
        let started = Instant::now();
        let received = async {
            self.receiver.wait_for(webhooks + 1).await;
            started.elapsed()
        };
        let processed = async {
            let file = self.upload(image, number).await;
            let response = started.elapsed();
            let path = format!("/files/{}", text(&file["id"]));
            self.wait_for(&path, |file| file["processing"]["status"] == "completed")
                .await;
            (response, started.elapsed())
        };

        let (webhook, (response, results)) = tokio::join!(received, processed);
        Timeline {
            response,
            results,
            webhook,
        }
    }

    /// Waits until all jobs of the small uploads are done. Fails if they take too long.
    async fn wait_for_jobs(&self) -> Result<(), String> {
        let done = async {
            self.receiver.wait_for(SMALL_UPLOADS as usize).await;
            // The wait of the stack is shorter than the jobs may take.
            while self.local.until(Messages::are_quiet).await.is_err() {}
        };
        tokio::time::timeout(MAX_JOBS_TIME, done)
            .await
            .map_err(|_| format!("the jobs did not end within {MAX_JOBS_TIME:?}"))
    }

    async fn wait_for(&self, path: &str, is_reached: impl Fn(&Value) -> bool) {
        while !is_reached(&self.owner.get_ok(path).await) {
            tokio::time::sleep(POLL_PAUSE).await;
        }
    }
}

/// Returns the CPU time of the codecs for one image.
fn codec_time(image: &[u8], rounds: u32) -> Result<Duration, String> {
    let before = process_cpu()?;
    for _ in 0..rounds {
        codec::process(image).map_err(|error| error.to_string())?;
    }
    Ok(process_cpu()?.saturating_sub(before) / rounds)
}

/// Returns the CPU time of this process, user and system.
fn process_cpu() -> Result<Duration, String> {
    let stat = fs::read_to_string("/proc/self/stat")
        .map_err(|error| format!("the benchmark needs Linux: {error}"))?;
    // The name of the program, in parentheses, may contain spaces.
    let fields = stat.rsplit(") ").next().unwrap_or_default();
    let ticks: u64 = fields
        .split(' ')
        .skip(11)
        .take(2)
        .filter_map(|ticks| ticks.parse::<u64>().ok())
        .sum();
    Ok(Duration::from_millis(ticks * 1_000 / TICKS_PER_SECOND))
}
