//! Tests of batches.

use std::{
    io,
    sync::{Arc, Mutex},
    time::Duration,
};

use aws_lambda_events::event::sqs::{SqsEvent, SqsMessage};
use domain::{
    env::{Clock, Env, Random, Timestamp},
    errors::ServiceError,
};
use telemetry::Meter;
use tokio::time::Instant;

use crate::{
    BatchHandler, BatchSettings, JobContext, JobError, RedeliveryFuture, ServedQueue, Worker,
    redelivery::MAX_RESTARTED_AGE_MS,
};

/// Time until the deadline of the tests' invocations.
const TIMEOUT: Duration = Duration::from_mins(2);

struct FixedClock;
impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_ms(1_700_000_000_000)
    }
}

/// A source of one byte.
struct FixedRandom(u8);
impl Random for FixedRandom {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(self.0);
    }
}

/// Returns an environment with a stopped clock and random bytes of zero.
pub(crate) fn env() -> Env {
    env_with_byte(0)
}

/// Returns an environment with a stopped clock and random bytes of this value.
pub(crate) fn env_with_byte(byte: u8) -> Env {
    Env::new(Arc::new(FixedClock), Arc::new(FixedRandom(byte)))
}

/// A message that was hidden.
#[derive(Debug, PartialEq, Eq)]
struct Hidden {
    receipt_handle: String,
    seconds: i32,
}

fn hidden(receipt_handle: &str, seconds: i32) -> Hidden {
    Hidden {
        receipt_handle: receipt_handle.to_owned(),
        seconds,
    }
}

/// A queue that records which messages are hidden. It hides none with the receipt handle "unknown".
#[derive(Default)]
struct RecordingQueue(Mutex<Vec<Hidden>>);
impl ServedQueue for RecordingQueue {
    fn hide<'a>(&'a self, receipt_handle: &'a str, seconds: i32) -> RedeliveryFuture<'a> {
        Box::pin(async move {
            if receipt_handle == "unknown" {
                return Err(JobError::new("no such message"));
            }
            let mut all = self.0.lock().unwrap();
            all.push(hidden(receipt_handle, seconds));
            Ok(())
        })
    }
}

/// Outcome of a batch.
struct Handled {
    failed_ids: Vec<String>,
    hidden: Vec<Hidden>,
}

/// Returns a batch of messages whose ids and receipt handles are their indexes.
fn event<'a>(bodies: impl IntoIterator<Item = &'a str>) -> SqsEvent {
    let records = bodies.into_iter().enumerate().map(|(index, body)| {
        let mut message = SqsMessage::default();
        message.message_id = Some(index.to_string());
        message.receipt_handle = Some(index.to_string());
        message.body = Some(body.to_owned());
        message
    });
    let mut event = SqsEvent::default();
    event.records = records.collect();
    event
}

fn set_receive_count(message: &mut SqsMessage, count: &str) {
    let name = "ApproximateReceiveCount".to_owned();
    message.attributes.insert(name, count.to_owned());
}

async fn handle(worker: impl Worker, event: SqsEvent) -> Handled {
    let queue = Arc::new(RecordingQueue::default());
    let settings = BatchSettings {
        queue: Arc::clone(&queue) as Arc<dyn ServedQueue>,
        meter: Meter::new("worker", "Larder", env()),
        env: env(),
    };

    let handler = BatchHandler::of(worker, settings);
    let response = handler.handle(event, Instant::now() + TIMEOUT).await;

    let failures = response.batch_item_failures.into_iter();
    let mut all_hidden = queue.0.lock().unwrap();
    Handled {
        failed_ids: failures.map(|failure| failure.item_identifier).collect(),
        hidden: all_hidden.drain(..).collect(),
    }
}

/// A worker whose jobs specify their outcome.
struct ScriptedWorker;
impl Worker for ScriptedWorker {
    type Job = String;

    async fn work(&self, job: String, context: &JobContext) -> Result<(), JobError> {
        match job.as_str() {
            "fail" => return Err(JobError::new("failed")),
            "wait" => return Err(JobError::new("busy").with_pause(Duration::from_mins(1))),
            "panic" => panic!("job of a test"),
            "third" => assert_eq!(context.receive_count, 3),
            "ninth" => assert!(context.must_restart(context.env.now())),
            "tenth" => assert!(context.may_kill_process(context.env.now())),
            "old" => {
                let announced_at = context.env.now().plus_ms(-MAX_RESTARTED_AGE_MS);
                assert!(!context.must_restart(announced_at));
                assert!(!context.may_kill_process(announced_at));
            }
            _ => assert!(!context.may_kill_process(context.env.now())),
        }

        Ok(())
    }
}

#[tokio::test]
async fn failed_job_fails_no_other() {
    let event = event(["\"ok\"", "\"fail\"", "\"panic\"", "not json", "\"ok\""]);
    let handled = handle(ScriptedWorker, event).await;
    assert_eq!(handled.failed_ids, ["1", "2", "3"]);
}

#[tokio::test]
async fn message_without_an_id_is_dropped() {
    let mut event = event(["\"fail\"", "\"fail\"", "\"fail\""]);
    event.records[0].message_id = None;
    event.records[1].message_id = Some(String::new());

    let handled = handle(ScriptedWorker, event).await;
    assert_eq!(handled.failed_ids, ["2"]);
}

#[tokio::test]
async fn message_of_failed_job_is_hidden_for_a_delay_that_grows_with_its_receives() {
    let mut event = event(["\"fail\"", "\"ok\"", "\"panic\"", "not json", "\"wait\""]);
    set_receive_count(&mut event.records[0], "4");
    set_receive_count(&mut event.records[2], "2");
    set_receive_count(&mut event.records[3], "many");

    let handled = handle(ScriptedWorker, event).await;

    let expected = [
        hidden("0", 300),
        hidden("2", 30),
        hidden("3", 5),
        hidden("4", 60),
    ];
    assert_eq!(handled.hidden, expected);
}

#[tokio::test]
async fn message_that_cannot_be_hidden_is_reported_as_failed() {
    let mut event = event(["\"fail\"", "\"fail\""]);
    event.records[0].receipt_handle = Some("unknown".to_owned());
    event.records[1].receipt_handle = None;

    let handled = handle(ScriptedWorker, event).await;

    assert_eq!(handled.failed_ids, ["0", "1"]);
    assert_eq!(handled.hidden, []);
}

#[tokio::test]
async fn context_has_the_receive_count_of_the_message() {
    let mut event = event(["\"third\"", "\"ninth\"", "\"tenth\"", "\"old\"", "\"old\""]);
    for (message, count) in event.records.iter_mut().zip(["3", "9", "10", "9", "10"]) {
        set_receive_count(message, count);
    }

    let handled = handle(ScriptedWorker, event).await;
    assert!(handled.failed_ids.is_empty(), "{:?}", handled.failed_ids);
}

/// A writer that keeps the log in memory.
#[derive(Clone, Default)]
struct LogBuffer(Arc<Mutex<Vec<u8>>>);
impl io::Write for LogBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A worker whose jobs fail with a nested error.
struct FailingWorker;
impl Worker for FailingWorker {
    type Job = u32;

    async fn work(&self, _: u32, _: &JobContext) -> Result<(), JobError> {
        let cause = ServiceError::internal("no capacity");
        Err(JobError::new(ServiceError::unavailable(cause)))
    }
}

#[tokio::test]
async fn failed_job_is_logged_with_its_causes() {
    let buffer = LogBuffer::default();
    let writer = buffer.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(move || writer.clone())
        .finish();

    let guard = tracing::subscriber::set_default(subscriber);
    // Another test may just have disabled the log statement, since it had no subscriber.
    handle(FailingWorker, event(["1"])).await;
    tracing::callsite::rebuild_interest_cache();
    assert_eq!(handle(FailingWorker, event(["1"])).await.failed_ids, ["0"]);
    drop(guard);

    let log = String::from_utf8(buffer.0.lock().unwrap().clone()).unwrap();
    let causes = "The service is busy. Retry after the number of seconds in Retry-After: Server error: no capacity";
    assert!(log.contains(causes), "{log}");
    assert!(log.contains(r#""message_id":"0""#), "{log}");
}

#[tokio::test(start_paused = true)]
async fn time_left_is_zero_after_the_deadline() {
    let started = Instant::now();
    let context = |deadline| JobContext {
        env: env(),
        receive_count: 1,
        deadline,
    };
    assert_eq!(context(started + TIMEOUT).time_left(), TIMEOUT);

    tokio::time::advance(TIMEOUT).await;
    assert_eq!(context(started + TIMEOUT).time_left(), Duration::ZERO);
    assert_eq!(context(started).time_left(), Duration::ZERO);
}
