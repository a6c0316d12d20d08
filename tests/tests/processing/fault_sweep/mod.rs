//! Uploads and the jobs that follow, with a function killed at each of its calls.
//!
//! Afterwards:
//! - The file is active, and each of its events was sent by one delivery. An image has metadata, thumbnails
//!   and a blurhash.
//! - Or it does not exist, and no event was sent. Only an upload in a form may end so, and only without a
//!   successful response.
//! - No queue holds a message, dead-letter queues included.

mod uploader;

use std::collections::BTreeSet;

use futures::future::join_all;
use local_stack::Messages;
use serde_json::{Value, json};
use tests::{Stack, StackOptions, distributed, failed_calls, minutes, share_of};

use crate::support::queues::Queues;
use uploader::{
    ROUTES,
    Route::{self, Check, Confirm, Form, LateUrl, Signed, Text, Unsigned},
    Uploader,
};

/// Concurrent stacks.
const STACKS: usize = 4;
/// Every how many points the default run kills a function.
const SHARE: usize = 9;
/// Calls that each victim makes in every run. It makes more if it waits for the record of a file.
const MIN_CALLS: u32 = 4;
/// Rounds after which all jobs have ended, although one was interrupted.
const MOST_ROUNDS: u32 = 30;

/// A function that is killed while a file is uploaded by a route.
#[derive(Clone, Copy, Debug)]
struct Victim {
    route: Route,
    function: &'static str,
}

impl Victim {
    const fn new(route: Route, function: &'static str) -> Victim {
        Victim { route, function }
    }
}

/// The functions that each route involves. What follows an upload is the same for all routes, except that
/// `processing` sends the event of an upload whose webhook URL is set late.
const VICTIMS: [Victim; 8] = [
    Victim::new(Form, "uploads"),
    Victim::new(Text, "uploads"),
    Victim::new(Signed, "uploads"),
    Victim::new(Unsigned, "uploads"),
    Victim::new(Confirm, "uploads"),
    Victim::new(Check, "confirm-check"),
    Victim::new(Form, "processing"),
    Victim::new(LateUrl, "processing"),
];

/// A point at which a function is killed.
#[derive(Clone, Copy, Debug)]
struct Kill {
    victim: Victim,
    /// Number of calls before it.
    after: u32,
    /// Whether the interrupted call takes effect.
    takes_effect: bool,
}

impl Kill {
    /// Returns the reference of the file that is uploaded meanwhile.
    fn reference(self) -> String {
        let Victim { route, function } = self.victim;
        format!("{route:?} {function} {} {}", self.after, self.takes_effect)
    }

    fn plan(self, stack: &Stack) {
        let faults = stack.local.faults();
        faults.disconnect(self.victim.function, self.after, self.takes_effect);
    }
}

/// Returns the options of a stack whose jobs run from the start.
fn options() -> StackOptions {
    StackOptions {
        runs_post_upload: true,
        ..StackOptions::without_rate_limits()
    }
}

/// Runs all jobs. A killed function is alive again once one of its requests or jobs has failed. Returns
/// whether a planned kill happened: a function that waits for a record makes more calls in some runs.
async fn run_jobs(stack: &Stack, kill: Option<Kill>) -> bool {
    let mut is_killed = kill.is_some();
    let faults = stack.local.faults();

    for _ in 0..MOST_ROUNDS {
        let has_failed = |messages: Messages| {
            if is_killed {
                faults.broken_calls() > 0 && failed_calls(&faults) >= messages.in_flight
            } else {
                // A job that is repeated after the kill may send an event again. That message fails if the
                // webhook is being sent, and is received again later.
                kill.is_some()
            }
        };
        let is_idle = |messages: Messages| {
            let is_at_rest = messages.visible == 0 && messages.running_batches == 0;
            messages.are_quiet() || (is_at_rest && has_failed(messages))
        };

        let left = stack.local.until(is_idle).await.unwrap_or_else(|error| {
            let broken = faults.broken_calls();
            panic!("{kill:?}, {broken} broken calls: {error}")
        });
        if is_killed && faults.broken_calls() > 0 {
            faults.reconnect();
            is_killed = false;
        }
        if left == Messages::default() {
            break;
        }
        // The longest delay of a message. Visibility timeouts and first delays of failed messages are shorter.
        stack.clock.advance(minutes(15));
    }
    faults.reconnect();
    kill.is_some() && !is_killed
}

/// Returns the calls during an upload by a route and the jobs that follow it.
async fn calls_of(route: Route) -> Vec<String> {
    let stack = Stack::start_with(options()).await;
    let uploader = Uploader::new(&stack, [route]).await;

    let work = async {
        let begin = || stack.local.call_log().clear();
        uploader.upload(route, "counted", begin).await;
        run_jobs(&stack, None).await;
    };
    let calls = stack.calls_of(work).await.calls;
    stack.stop().await;
    calls
}

/// Returns the number of calls of a function. Those of its event source do not count.
fn count(calls: &[String], function: &str) -> u32 {
    let is_own = |call: &&String| {
        call.split_once(' ').is_some_and(|(caller, operation)| {
            caller == function && operation != "DeleteMessageBatch"
        })
    };
    let count = calls.iter().filter(is_own).count();
    u32::try_from(count).expect("a few dozen")
}

/// Whether a file is processed completely, and an image has a blurhash and thumbnails.
async fn is_complete(stack: &Stack, file: &Value) -> bool {
    let thumbnails = file["thumbnails"].as_array().expect("a list");
    for thumbnail in thumbnails {
        let url = thumbnail["url"].as_str().expect("a URL");
        stack.anonymous.fetch(url).await;
    }
    let is_completed = file["status"] == "active" && file["processing"]["status"] == "completed";
    let has_blurhash = file["storage_meta"]["blurhash"].is_string();
    let has_results = has_blurhash && !thumbnails.is_empty();
    is_completed && has_results == (file["resource_type"] == "image")
}

/// Uploads a file while a function is killed, and asserts that the file and its events are complete, or
/// that there are none. Returns whether the kill happened.
async fn survive(uploader: &Uploader<'_>, kill: Kill) -> bool {
    let Victim { route, function } = kill.victim;
    let stack = uploader.stack;
    let reference = kill.reference();
    let earlier = uploader.receiver.received().len();

    let begin = || kill.plan(stack);
    let must_exist = uploader.upload(route, &reference, begin).await;
    let is_killed = run_jobs(stack, Some(kill)).await;

    assert!(must_exist || function == "uploads", "{kill:?}: rejected");
    let events = uploader.events_since(earlier);
    let Some(file) = uploader.find(&reference).await else {
        assert!(!must_exist, "{kill:?}: the file is lost");
        assert_eq!(events, [] as [String; 0], "{kill:?}");
        return is_killed;
    };
    assert!(is_complete(stack, &file).await, "{kill:?}: {file}");
    let id = file["id"].as_str().expect("an id");
    let expected = ["file.processed", "file.uploaded"].map(|event| format!("{event} {id}"));
    assert_eq!(events, expected, "{kill:?}");
    is_killed
}

/// Asserts that no job was moved to a dead-letter queue.
async fn assert_no_dead_letters(stack: &Stack) {
    let queues = &stack.local.template().queues;
    let redrives = queues.iter().filter_map(|queue| queue.redrive.as_ref());
    let names: Vec<&str> = redrives
        .filter_map(|redrive| redrive.dead_letter_queue.strip_prefix("larder-"))
        .collect();
    assert!(!names.is_empty());

    let queues = Queues::of(stack, "uploads");
    for name in names {
        assert_eq!(queues.count(name).await, 0, "{name}");
    }
}

/// Uploads one file for each kill in one stack, and returns the kills that did not happen.
async fn survives(kills: Vec<Kill>) -> Vec<Kill> {
    let stack = Stack::start_with(options()).await;
    let routes: BTreeSet<Route> = kills.iter().map(|kill| kill.victim.route).collect();
    let uploader = Uploader::new(&stack, routes).await;

    let mut missed = Vec::new();
    for kill in kills {
        if !survive(&uploader, kill).await {
            missed.push(kill);
        }
    }

    assert_eq!(uploader.pending_files().await, json!([]));
    assert_no_dead_letters(&stack).await;
    stack.stop().await;
    missed
}

/// Returns all points of all victims.
async fn all_kills() -> Vec<Kill> {
    let calls_by_route = join_all(ROUTES.map(calls_of)).await;
    let mut kills = Vec::new();
    for (route, calls) in ROUTES.into_iter().zip(calls_by_route) {
        let victims = VICTIMS.into_iter().filter(|victim| victim.route == route);
        for victim in victims {
            let count = count(&calls, victim.function);
            assert!(count >= MIN_CALLS, "{victim:?} makes {count} calls");
            kills.extend((0..count).flat_map(|after| kills_at(victim, after)));
        }
    }
    kills
}

/// Returns the kills before and after a call takes effect.
fn kills_at(victim: Victim, after: u32) -> [Kill; 2] {
    [false, true].map(|takes_effect| Kill {
        victim,
        after,
        takes_effect,
    })
}

#[expect(clippy::print_stdout, reason = "shows what the sweep covers")]
fn report(covered: usize, all: usize) {
    println!("fault sweep: functions killed at {covered} of {all} points");
}

#[tokio::test(flavor = "multi_thread")]
async fn upload_killed_at_any_call_leaves_a_complete_file_or_none() {
    let kills = all_kills().await;
    let all = kills.len();
    let chosen: Vec<Kill> = share_of(kills, SHARE).collect();
    let planned = chosen.len();

    let groups = distributed(chosen, STACKS);
    let missed = join_all(groups.into_iter().map(survives)).await.concat();
    report(planned - missed.len(), all);

    assert!(missed.len() * 10 <= planned, "of {planned}: {missed:?}");
    let must_happen = |kill: &&Kill| kill.after < MIN_CALLS;
    assert_eq!(missed.iter().filter(must_happen).count(), 0, "{missed:?}");
}
