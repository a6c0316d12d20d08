//! Uploads and the jobs that follow, with a function killed at each of its calls. Afterwards the file
//! is either active with metadata, thumbnails and blurhash, or it does not exist; and no queue holds a
//! message.

use futures::future::join_all;
use local::Messages;
use serde_json::{Value, json};
use tests::{Observed, PHOTO, Stack, StackOptions, TestSpace, failed_calls, is_thorough, minutes};

use crate::uploads::presign::PendingFile;

/// Concurrent stacks.
const STACKS: usize = 4;
/// Every how many points the default run kills a function.
const SHARE: usize = 5;
/// Rounds after which all jobs have ended, although one was interrupted.
const MOST_ROUNDS: u32 = 30;

/// How the bytes of a file are uploaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Route {
    /// In a form.
    Form,
    /// To a presigned URL, confirmed by the client.
    Confirm,
    /// To a presigned URL, confirmed by the confirm-check.
    Check,
}
use Route::{Check, Confirm, Form};

/// A function that is killed while a file is uploaded by a route.
#[derive(Clone, Copy, Debug)]
struct Victim {
    route: Route,
    function: &'static str,
}

/// The functions that each route involves. What follows an upload is the same for all routes.
const VICTIMS: [Victim; 5] = [
    Victim {
        route: Form,
        function: "uploads",
    },
    Victim {
        route: Confirm,
        function: "uploads",
    },
    Victim {
        route: Check,
        function: "confirm-check",
    },
    Victim {
        route: Form,
        function: "thumbnails",
    },
    Victim {
        route: Form,
        function: "blurhash",
    },
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

/// A file to upload.
struct NewUpload<'a> {
    route: Route,
    reference: &'a str,
}

/// Uploads the photo under a reference. `begin` is called right before the request that activates
/// the file.
async fn upload(stack: &Stack, acme: &TestSpace, upload: NewUpload<'_>, begin: impl FnOnce()) {
    let NewUpload { route, reference } = upload;
    if route == Form {
        begin();
        acme.upload(PHOTO).with_ref(reference).send().await;
        return;
    }

    let pending = PendingFile::create(acme, json!({"ref": reference})).await;
    pending.send(stack, PHOTO).await.expect_status(200);
    begin();
    if route == Confirm {
        pending.confirm(&acme.client).await;
    }
}

/// Runs all jobs. A killed function is alive again once one of its requests or jobs has failed.
async fn run_jobs(stack: &Stack, mut is_killed: bool) {
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
    assert!(!is_killed, "the function makes fewer calls");
}

/// Returns the number of calls of a function during an upload.
async fn calls_of(victim: Victim) -> u32 {
    let stack = Stack::start_with(options()).await;
    let acme = stack.space("Acme").await;
    acme.upload(PHOTO).await;
    run_jobs(&stack, false).await;

    let work = async {
        let counted = NewUpload {
            route: victim.route,
            reference: "counted",
        };
        upload(&stack, &acme, counted, || stack.local.call_log().clear()).await;
        run_jobs(&stack, false).await;
    };
    let calls = stack.calls_of(work).await.calls;
    let is_own = |call: &&String| {
        call.split_once(' ').is_some_and(|(function, operation)| {
            function == victim.function && operation != "DeleteMessageBatch"
        })
    };
    let count = calls.iter().filter(is_own).count();
    stack.stop().await;
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

/// Uploads one file for each kill in one stack.
async fn survives(kills: Vec<Kill>) {
    let stack = Stack::start_with(options()).await;
    let acme = stack.space("Acme").await;
    acme.upload(PHOTO).await;
    run_jobs(&stack, false).await;

    for kill in kills {
        let killed = NewUpload {
            route: kill.victim.route,
            reference: &kill.reference(),
        };
        upload(&stack, &acme, killed, || kill.plan(&stack)).await;
        run_jobs(&stack, true).await;

        let reference = kill.reference().replace(' ', "%20");
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
}

#[tokio::test(flavor = "multi_thread")]
async fn upload_killed_at_any_call_leaves_a_complete_file_or_none() {
    let counts = join_all(VICTIMS.map(calls_of)).await;
    for (victim, count) in VICTIMS.iter().zip(&counts) {
        assert!(*count >= 4, "{victim:?} makes {count} calls");
    }

    let points = VICTIMS.into_iter().zip(counts).flat_map(|(victim, count)| {
        (0..count).flat_map(move |after| {
            [false, true].map(|takes_effect| Kill {
                victim,
                after,
                takes_effect,
            })
        })
    });
    let chosen = points
        .enumerate()
        .filter(|(index, _)| is_thorough() || index % SHARE == 0);
    let mut shares = vec![Vec::new(); STACKS];
    for (index, (_, kill)) in chosen.enumerate() {
        shares[index % STACKS].push(kill);
    }
    join_all(shares.into_iter().map(survives)).await;
}
