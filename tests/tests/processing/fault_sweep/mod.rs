//! Uploads and the jobs that follow, with a function killed at each of its calls.
//!
//! Afterwards:
//! - The file is active, and each of its events was sent by one webhook message. An image has
//!   metadata, thumbnails and a blurhash.
//! - Or it does not exist, and no event was sent. Only an upload in a form may end so, and only
//!   without a successful response.
//! - No queue holds a message, dead-letter queues included.

mod uploader;

use std::collections::BTreeSet;

use futures::future::join_all;
use serde_json::{Value, json};
use tests::{Stack, StackOptions, text};

use crate::support::{
    kills::{self, Kill, Sweep, count},
    queues::Queues,
};
use uploader::{
    ROUTES,
    Route::{self, Check, Confirm, Form, LateUrl, Signed, Text, Unsigned},
    Uploader,
};

/// How functions are killed. Each makes these calls in every run, and more if it waits for the
/// record of a file.
const SWEEP: Sweep = Sweep {
    stacks: 4,
    share: 9,
    min_calls: 4,
    missed_share: 10,
};

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

/// The functions that each route involves. What follows an upload is the same for all routes,
/// except that `processing` sends the event of an upload whose webhook URL is set late.
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

/// A point at which a function is killed while a file is uploaded by a route.
#[derive(Clone, Copy, Debug)]
struct RouteKill {
    route: Route,
    kill: Kill,
}

impl From<RouteKill> for Kill {
    fn from(RouteKill { kill, .. }: RouteKill) -> Kill {
        kill
    }
}

/// Returns the options of a stack whose jobs run from the start.
fn options() -> StackOptions {
    StackOptions {
        runs_post_upload: true,
        ..StackOptions::without_rate_limits()
    }
}

/// Runs all jobs, and returns whether a planned kill happened.
async fn run_jobs(stack: &Stack, kill: Option<Kill>) -> bool {
    kills::run_jobs(stack, kill, kills::longest_delay).await
}

/// Returns the calls during an upload by a route and the jobs that follow it, without those of
/// event sources.
async fn calls_of(route: Route) -> Vec<String> {
    let stack = Stack::start_with(options()).await;
    let uploader = Uploader::new(&stack, [route]).await;

    let work = async {
        let begin = || stack.local.call_log().clear();
        uploader.upload(route, "counted", begin).await;
        run_jobs(&stack, None).await;
    };
    let mut calls = stack.calls_of(work).await.calls;
    calls.retain(|call| !call.ends_with(" DeleteMessageBatch"));
    stack.stop().await;
    calls
}

/// Whether a file is processed completely, and an image has a blurhash and thumbnails.
async fn is_complete(stack: &Stack, file: &Value) -> bool {
    let thumbnails = file["thumbnails"].as_array().expect("a list");
    for thumbnail in thumbnails {
        stack.anonymous.fetch(&text(&thumbnail["url"])).await;
    }
    let is_completed = file["status"] == "active" && file["processing"]["status"] == "completed";
    let has_blurhash = file["storage_meta"]["blurhash"].is_string();
    let has_results = has_blurhash && !thumbnails.is_empty();
    is_completed && has_results == (file["resource_type"] == "image")
}

/// Uploads a file while a function is killed, and asserts that the file and its events are
/// complete, or that there are none. Returns whether the kill happened.
async fn survive(uploader: &Uploader<'_>, RouteKill { route, kill }: RouteKill) -> bool {
    let stack = uploader.stack;
    let reference = format!(
        "{route:?} {} {} {}",
        kill.function, kill.after, kill.takes_effect
    );
    let earlier = uploader.receiver.received().len();

    let begin = || kill.plan(stack);
    let must_exist = uploader.upload(route, &reference, begin).await;
    let is_killed = run_jobs(stack, Some(kill)).await;

    let may_fail = kill.function == "uploads";
    assert!(must_exist || may_fail, "{kill:?}: rejected");
    let events = uploader.events_since(earlier);
    let Some(file) = uploader.find(&reference).await else {
        assert!(!must_exist, "{kill:?}: the file is lost");
        assert_eq!(events, [] as [String; 0], "{kill:?}");
        return is_killed;
    };
    assert!(is_complete(stack, &file).await, "{kill:?}: {file}");
    let id = text(&file["id"]);
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
async fn survives(kills: Vec<RouteKill>) -> Vec<RouteKill> {
    let stack = Stack::start_with(options()).await;
    let routes: BTreeSet<Route> = kills.iter().map(|kill| kill.route).collect();
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
async fn all_kills() -> Vec<RouteKill> {
    let calls_by_route = join_all(ROUTES.map(calls_of)).await;
    let mut kills = Vec::new();
    for (route, calls) in ROUTES.into_iter().zip(calls_by_route) {
        let victims = VICTIMS.into_iter().filter(|victim| victim.route == route);
        for victim in victims {
            let count = count(&calls, victim.function);
            assert!(count >= SWEEP.min_calls, "{victim:?} makes {count} calls");
            let at_each = Kill::at_each(victim.function, count);
            kills.extend(at_each.map(|kill| RouteKill { route, kill }));
        }
    }
    kills
}

#[tokio::test(flavor = "multi_thread")]
async fn upload_killed_at_any_call_leaves_a_complete_file_or_none() {
    SWEEP.run(all_kills().await, survives).await;
}
