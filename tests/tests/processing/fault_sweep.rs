//! Uploads and the jobs that follow, with a function killed at each of its calls. Afterwards the file
//! is either active with metadata, thumbnails and blurhash, or it does not exist; and no queue holds a
//! message.

use std::collections::BTreeSet;

use futures::future::join_all;
use local::Messages;
use serde_json::{Value, json};
use tests::{Observed, PHOTO, Stack, StackOptions, failed_calls, is_thorough, minutes};

use crate::{
    support::signer::{Signer, photo},
    uploads::{
        presign::PendingFile,
        unsigned::{self, UnsignedConfig},
    },
};

/// Concurrent stacks.
const STACKS: usize = 4;
/// Every how many points the default run kills a function.
const SHARE: usize = 5;
/// Rounds after which all jobs have ended, although one was interrupted.
const MOST_ROUNDS: u32 = 30;

/// How the bytes of a file are uploaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Route {
    /// In a form, with a key.
    Form,
    /// In a form, to a signed URL.
    Signed,
    /// In a form, from an allowed referrer.
    Unsigned,
    /// To a presigned URL, confirmed by the client.
    Confirm,
    /// To a presigned URL, confirmed by the confirm-check.
    Check,
}
use Route::{Check, Confirm, Form, Signed, Unsigned};

/// All routes.
const ROUTES: [Route; 5] = [Form, Signed, Unsigned, Confirm, Check];

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

/// The functions that each route involves. What follows an upload is the same for all routes.
const VICTIMS: [Victim; 7] = [
    Victim::new(Form, "uploads"),
    Victim::new(Signed, "uploads"),
    Victim::new(Unsigned, "uploads"),
    Victim::new(Confirm, "uploads"),
    Victim::new(Check, "confirm-check"),
    Victim::new(Form, "thumbnails"),
    Victim::new(Form, "blurhash"),
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

/// A stack, and a space that accepts uploads by all routes.
struct Uploader<'a> {
    stack: &'a Stack,
    signer: Signer,
    unsigned: UnsignedConfig,
}

impl<'a> Uploader<'a> {
    /// Creates the space, and uploads a file by some routes: the first request of a function makes more
    /// calls than later ones.
    async fn new(stack: &'a Stack, routes: impl IntoIterator<Item = Route>) -> Uploader<'a> {
        let signer = Signer::new(stack, "Acme", json!({})).await;
        let unsigned = UnsignedConfig::new(stack, &signer.acme, "unsigned", json!({})).await;
        let uploader = Uploader {
            stack,
            signer,
            unsigned,
        };

        for route in routes {
            uploader.upload(route, "warm-up", || ()).await;
            run_jobs(stack, false).await;
        }
        uploader
    }

    /// Uploads the photo under a reference. `begin` is called right before the request that activates
    /// the file.
    async fn upload(&self, route: Route, reference: &str, begin: impl FnOnce()) {
        let Uploader {
            stack,
            signer,
            unsigned,
        } = self;
        let acme = &signer.acme;
        let field = reference.to_owned();

        match route {
            Form => {
                begin();
                acme.upload(PHOTO).with_ref(reference).send().await;
            }
            Signed => {
                let form = signer.form(photo()).text("ref", field);
                begin();
                signer.send_form(&signer.query(stack), form).await;
            }
            Unsigned => {
                let form = unsigned::form(photo()).text("ref", field);
                begin();
                unsigned.send_form(form).await;
            }
            Confirm | Check => {
                let pending = PendingFile::create(acme, json!({"ref": reference})).await;
                pending.send(stack, PHOTO).await.expect_status(200);
                begin();
                if route == Confirm {
                    pending.confirm(&acme.client).await;
                }
            }
        }
    }
}

/// Runs all jobs. A killed function is alive again once one of its requests or jobs has failed. Returns
/// whether a planned kill happened: a function that waits for a record makes more calls in some runs.
async fn run_jobs(stack: &Stack, is_kill_planned: bool) -> bool {
    let mut is_killed = is_kill_planned;
    let faults = stack.local.faults();
    for _ in 0..MOST_ROUNDS {
        let has_died = |messages: Messages| {
            is_killed && faults.broken_calls() > 0 && failed_calls(&faults) >= messages.in_flight
        };
        let is_idle = |messages: Messages| {
            let is_at_rest = messages.visible == 0 && messages.running_batches == 0;
            messages.are_quiet() || (is_at_rest && has_died(messages))
        };
        let left = stack
            .local
            .until(is_idle)
            .await
            .unwrap_or_else(|error| panic!("{error}"));
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
    is_kill_planned && !is_killed
}

/// Returns the calls during an upload by a route and the jobs that follow it.
async fn calls_of(route: Route) -> Vec<String> {
    let stack = Stack::start_with(options()).await;
    let uploader = Uploader::new(&stack, [route]).await;

    let work = async {
        let begin = || stack.local.call_log().clear();
        uploader.upload(route, "counted", begin).await;
        run_jobs(&stack, false).await;
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

/// Whether a file is processed completely: its metadata is recorded, and its thumbnails are stored.
async fn is_complete(stack: &Stack, file: &Value) -> bool {
    let thumbnails = file["thumbnails"].as_array().expect("a list");
    let mut rendered = false;
    for thumbnail in thumbnails {
        let url = thumbnail["url"].as_str().expect("a URL");
        let Observed {
            output: response,
            calls,
        } = stack.calls_of(stack.anonymous.get(url)).await;
        response.expect_status(200);
        rendered |= calls.iter().any(|call| call.ends_with("PutObject"));
    }
    let has_blurhash = file["storage_meta"]["blurhash"].is_string();
    file["status"] == "active" && has_blurhash && !thumbnails.is_empty() && !rendered
}

/// Uploads one file for each kill in one stack, and returns the number of kills that happened.
async fn survives(kills: Vec<Kill>) -> usize {
    let stack = Stack::start_with(options()).await;
    let routes: BTreeSet<Route> = kills.iter().map(|kill| kill.victim.route).collect();
    let uploader = Uploader::new(&stack, routes).await;
    let acme = &uploader.signer.acme;

    let mut killed = 0;
    for kill in kills {
        let route = kill.victim.route;
        let reference = kill.reference();
        let begin = || kill.plan(&stack);
        uploader.upload(route, &reference, begin).await;
        killed += usize::from(run_jobs(&stack, true).await);

        let reference = reference.replace(' ', "%20");
        let path = format!("/files/by-ref?space_id={}&ref={reference}", acme.id);
        let found = acme.client.get(&path).await;
        assert!([200, 404].contains(&found.status), "{kill:?}");
        if found.status == 200 {
            let file = &found.json()["data"];
            assert!(is_complete(&stack, file).await, "{kill:?}: {file}");
        }
    }

    let pending = format!("/files?space_id={}&status=pending", acme.id);
    let pending = acme.client.get(&pending).await.expect_status(200).json();
    assert_eq!(pending["data"], json!([]));
    stack.stop().await;
    killed
}

/// Returns all points of all victims.
async fn all_kills() -> Vec<Kill> {
    let calls_by_route = join_all(ROUTES.map(calls_of)).await;
    let mut kills = Vec::new();
    for (route, calls) in ROUTES.into_iter().zip(calls_by_route) {
        let victims = VICTIMS.into_iter().filter(|victim| victim.route == route);
        for victim in victims {
            let count = count(&calls, victim.function);
            assert!(count >= 4, "{victim:?} makes {count} calls");
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
    let step = if is_thorough() { 1 } else { SHARE };
    let chosen: Vec<Kill> = kills.into_iter().step_by(step).collect();
    let planned = chosen.len();

    let mut shares = vec![Vec::new(); STACKS];
    for (index, kill) in chosen.into_iter().enumerate() {
        shares[index % STACKS].push(kill);
    }
    let killed = join_all(shares.into_iter().map(survives)).await;
    let covered = killed.into_iter().sum();
    report(covered, all);
    assert!(covered * 10 >= planned * 9, "{covered} of {planned} points");
}
