//! A space whose webhooks a receiver of the test gets, and access to the worker's queues.

use std::{sync::Arc, time::Duration};

use domain::env::Timestamp;
use local_stack::{Messages, all_functions};
use runtime::context::Settings;
use safe_http::{Network, SystemNetwork};
use serde_json::{Value, json};
use space_store::jobs::{DelayedJob, WebhookJob};
use tests::{
    Answer, File, PHOTO, Stack, StackOptions, TestSpace, WebhookReceiver, assert_fields, seconds,
    text,
};
use webhooks::SendOptions;

use crate::support::queues::Queues;

/// Maximum delay of a job.
const MAX_DELAY: Duration = Duration::from_mins(15);
/// Time after which a failed job is received again.
const VISIBILITY_TIMEOUT: Duration = Duration::from_mins(3);
/// Maximum steps in which all jobs are processed.
const MAX_ROUNDS: u32 = 12;
/// Deadline of an attempt in tests of endpoints that do not respond.
const SHORT_DEADLINE: Duration = Duration::from_millis(500);
/// Deadline of an attempt in tests that hold responses.
const LONG_DEADLINE: Duration = Duration::from_mins(2);

/// A space and the receiver of its webhooks.
pub(crate) struct Hooks {
    pub(crate) acme: TestSpace,
    pub(crate) receiver: WebhookReceiver,
}

impl Hooks {
    pub(crate) async fn new(stack: &Stack) -> Hooks {
        Hooks::named(stack, "Acme").await
    }

    pub(super) async fn named(stack: &Stack, name: &str) -> Hooks {
        let acme = stack.space(name).await;
        let receiver = WebhookReceiver::start().await;
        let body = json!({"name": name, "webhook_url": receiver.url()});
        acme.update(body).await;
        Hooks { acme, receiver }
    }

    /// Sets the webhook URL of the space `Acme`.
    pub(super) async fn set_url(&self, url: &str) {
        self.acme.update(json!({ "webhook_url": url })).await;
    }

    /// Answers the next request with a status.
    pub(super) fn answer_next(&self, status: u16) {
        self.receiver.answer_next(Answer::status(status));
    }

    /// Answers all further requests with a status.
    pub(super) fn answer_all(&self, status: u16) {
        self.receiver.answer_all(Answer::status(status));
    }

    /// Returns the number of received webhooks.
    pub(super) fn received(&self) -> usize {
        self.receiver.received().len()
    }

    /// Uploads the photo and runs the workers.
    pub(super) async fn upload(&self, stack: &Stack) -> File {
        let file = self.acme.upload(PHOTO).await;
        stack.run_post_upload().await;
        file
    }

    /// Uploads a file with an upload config that asks for all events of its processing.
    pub(crate) async fn upload_with_all_events(&self, bytes: Vec<u8>, mime_type: &str) -> File {
        let events = json!({"notifications": {"events": ["file.processed", "file.failed"]}});
        self.acme.upload_config("all").with_settings(events).await;
        let upload = self.acme.upload(bytes).named("file", mime_type);
        upload.with_config("all").await
    }

    /// Returns the events of the received webhooks, sorted.
    pub(crate) fn events(&self) -> Vec<String> {
        events(&self.receiver)
    }

    /// Returns the path of the log in the API.
    pub(super) fn log_path(&self) -> String {
        format!("{}/webhook-deliveries", self.acme.path())
    }

    /// Returns the messages of the space, newest first.
    pub(crate) async fn messages(&self) -> Vec<Value> {
        let list = self.acme.get_ok(&self.log_path()).await;
        list.as_array().expect("a list").clone()
    }

    /// Asserts fields of the only message.
    pub(crate) async fn assert_message(&self, expected: Value) {
        assert_fields(&self.message().await, expected);
    }

    /// Asserts that all messages succeeded.
    pub(crate) async fn assert_delivered(&self) {
        for message in self.messages().await {
            assert_eq!(message["status"], "delivered", "{message}");
        }
    }

    /// Returns the only message of the space.
    pub(crate) async fn message(&self) -> Value {
        let messages = self.messages().await;
        assert_eq!(messages.len(), 1, "{messages:?}");
        messages[0].clone()
    }
}

/// Returns the events that a receiver got, sorted.
pub(super) fn events(receiver: &WebhookReceiver) -> Vec<String> {
    let webhooks = receiver.received();
    let events = webhooks
        .iter()
        .map(|webhook| text(&webhook.json()["event"]));
    let mut events: Vec<String> = events.collect();
    events.sort();
    events
}

/// Options of a stack whose worker reaches endpoints through a network.
pub(super) fn with_network(network: impl Network + 'static) -> StackOptions {
    with_network_and_deadline(network, SHORT_DEADLINE)
}

/// Options of a stack whose worker waits for responses until the test releases them.
pub(super) fn with_long_deadline() -> StackOptions {
    with_network_and_deadline(SystemNetwork, LONG_DEADLINE)
}

fn with_network_and_deadline(network: impl Network + 'static, deadline: Duration) -> StackOptions {
    let network: Arc<dyn Network> = Arc::new(network);
    let start = move |context: &runtime::context::FunctionContext| {
        let options = SendOptions {
            network: Arc::clone(&network),
            deadline,
        };
        webhooks::handler_with(context, options)
    };
    StackOptions {
        registry: all_functions().worker("webhooks", start),
        ..StackOptions::default()
    }
}

/// Options of a stack whose worker waits for a response for a short time only.
pub(super) fn with_short_deadline() -> StackOptions {
    with_network(SystemNetwork)
}

/// Advances the clock to a time, and waits for the jobs that become due on the way.
pub(super) async fn run_until(stack: &Stack, time: Timestamp) {
    loop {
        let left_ms = u64::try_from(time.ms() - stack.now().ms()).unwrap_or_default();
        if left_ms == 0 {
            return;
        }
        stack
            .run_for(Duration::from_millis(left_ms).min(MAX_DELAY))
            .await;
    }
}

/// Returns a time of a response.
#[track_caller]
pub(super) fn time(value: &Value) -> Timestamp {
    Timestamp::parse_rfc3339(&text(value)).expect("a time")
}

/// Waits until no job can be received or is running, and returns the jobs that are
/// left: delayed ones, and failed ones that are received again later.
pub(crate) async fn until_idle(stack: &Stack) -> Messages {
    let is_idle = |messages: Messages| messages.visible == 0 && messages.running_batches == 0;
    let idle = stack.local.until(is_idle).await;
    idle.unwrap_or_else(|error| panic!("{error}"))
}

/// Runs all jobs, also those that failed. Advances the clock in steps in which failed
/// jobs are received again.
pub(crate) async fn run_with_failures(stack: &Stack) {
    for _ in 0..MAX_ROUNDS {
        if until_idle(stack).await == Messages::default() {
            break;
        }
        stack.clock.advance(VISIBILITY_TIMEOUT + seconds(1));
    }
    until_idle(stack).await;
}

/// Returns the job of the event of a message, announced now.
pub(crate) fn event_job(stack: &Stack, acme: &TestSpace, message: &Value) -> WebhookJob {
    WebhookJob::Event {
        space_id: acme.space_id(),
        webhook_message_id: text(&message["id"]).parse().expect("an id"),
        announced_at: stack.now(),
    }
}

/// Sends jobs to the queue of the worker.
pub(crate) async fn send_jobs(stack: &Stack, jobs: &[WebhookJob]) {
    let context = stack.unrestricted_context();
    let mut settings = Settings::of(&context);
    let queue = settings.queue("WEBHOOKS_QUEUE_URL");
    let jobs: Vec<DelayedJob<WebhookJob>> =
        jobs.iter().cloned().map(DelayedJob::immediate).collect();
    queue.send(&jobs).await.expect("the queue");
}

/// Receives and returns the dead letters.
pub(super) async fn dead_letters(stack: &Stack) -> Vec<Value> {
    let queues = Queues::of(stack, "webhooks");
    let bodies = queues.receive("WebhooksDeadLetters").await;
    let parse = |body: &String| serde_json::from_str(body).expect("JSON");
    bodies.iter().map(parse).collect()
}
