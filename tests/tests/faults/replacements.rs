//! Replacements of the bytes of a file, by a request and by a confirmation, with a crash or a fault
//! at each of their calls, and their purge. The file has the old bytes or the new ones, and nothing
//! of the others remains.

use futures::future::join_all;
use serde_json::json;
use tests::{Response, Stack, TestSpace, share_of, stack_test};

use super::deletions::{CALL_FAULTS, CallFault, calls_of, plan};
use crate::{
    files::replace::{assert_no_old_bytes, jpeg, replace},
    support::{
        kills::{Kill, count, longest_delay, run_jobs},
        seeded::{Place, invariants::assert_file_records},
    },
    uploads::presign::PendingFile,
};

/// Every how many points the default run kills the purge.
const SHARE: usize = 3;

/// How the bytes are replaced.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Route {
    Request,
    Confirmation,
}

/// A file, and what replaces its bytes.
struct Setup {
    acme: TestSpace,
    file: String,
    url: String,
    /// The pending upload of a confirmation.
    upload: Option<PendingFile>,
    old: Vec<u8>,
    new: Vec<u8>,
}

impl Route {
    async fn prepare(self, stack: &Stack, acme: &TestSpace) -> Setup {
        let [old, new] = [jpeg(5, 4), jpeg(70, 40)];
        let photo = acme.upload(old.clone()).await;

        let mut upload = None;
        if self == Route::Confirmation {
            let fields = json!({"replaces": photo.id, "size": new.len()});
            let pending = PendingFile::create(acme, fields).await;
            pending.put(stack, new.clone()).await;
            upload = Some(pending);
        }

        Setup {
            acme: acme.clone(),
            file: photo.id.clone(),
            url: photo.url().to_owned(),
            upload,
            old,
            new,
        }
    }

    /// Replaces the bytes with a fault at each call, and returns how often that took effect at
    /// once.
    async fn survives(self, fault: CallFault) -> usize {
        let stack = Stack::start().await;
        let acme = stack.space("Acme").await;
        let setup = self.prepare(&stack, &acme).await;
        let done = async { setup.perform().await.expect_status(200) };
        let calls = calls_of(&stack, "uploads", done).await;
        let mut replaced = 0;

        for index in 0..calls.len() {
            let setup = self.prepare(&stack, &acme).await;
            let case = format!("{self:?} with {fault:?} at {:?}", calls[index]);
            plan(&stack.local.faults(), "uploads", &calls, index, fault);
            let response = setup.perform().await.with_context(&case);
            let is_acknowledged = response.expect_status_of(&[200, 503]).status == 200;
            assert_eq!(stack.local.faults().pending(), 0, "{case} does not happen");
            stack.local.faults().reconnect();
            let is_replaced = setup.settle(&stack, &case).await;
            assert!(is_replaced || !is_acknowledged, "{case} is lost");
            replaced += usize::from(is_replaced);
        }
        stack.run_post_upload().await;
        stack.stop().await;
        replaced
    }
}

impl Setup {
    async fn perform(&self) -> Response {
        match &self.upload {
            Some(upload) => upload.confirm(&self.acme).await,
            None => replace(&self.acme, &self.file, self.new.clone()).await,
        }
    }

    /// Asserts that the file is whole, and that all jobs leave it so. Returns whether it had the
    /// new bytes before them.
    async fn settle(&self, stack: &Stack, case: &str) -> bool {
        let is_new = self.is_new(stack, case).await;
        stack.run_confirm_checks().await;
        stack.run_purges().await;

        // A check confirms what a client could not.
        let is_new_in_the_end = self.is_new(stack, case).await;
        let expected = is_new || self.upload.is_some();
        assert_eq!(is_new_in_the_end, expected, "{case}");
        assert_no_old_bytes(stack, &self.file).await;
        assert_file_records(&stack.dump().await, Place { seed: 0, step: 0 });
        is_new
    }

    async fn is_new(&self, stack: &Stack, case: &str) -> bool {
        let record = self.acme.get_ok(&format!("/files/{}", self.file)).await;
        let delivered = stack.anonymous.fetch(&self.url).await;
        let is_new = record["size"] == self.new.len();
        let bytes = if is_new { &self.new } else { &self.old };
        delivered.with_context(case).expect_body(bytes);
        is_new
    }
}

/// Only the transaction replaces the bytes. Concurrent calls share failing attempts, so a few of
/// these faults are repeated with success.
async fn assert_whole_or_nothing(route: Route) {
    let run = |fault| Box::pin(route.survives(fault));
    let [before, after, ..]: [usize; CALL_FAULTS.len()] = join_all(CALL_FAULTS.map(run))
        .await
        .try_into()
        .expect("a number for each fault");
    assert_eq!([before, after], [0, 1], "{route:?}: {CALL_FAULTS:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn interrupted_replacement_is_atomic() {
    assert_whole_or_nothing(Route::Request).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn interrupted_confirmation_of_replacement_is_atomic() {
    assert_whole_or_nothing(Route::Confirmation).await;
}

/// Replaces the bytes and runs all jobs, with the purge killed once.
async fn replace_and_purge(stack: &Stack, acme: &TestSpace, kill: Option<Kill>) {
    let setup = Route::Request.prepare(stack, acme).await;
    stack.anonymous.fetch(&format!("{}?w=3", setup.url)).await;
    setup.perform().await.expect_status(200);
    if let Some(kill) = kill {
        kill.plan(stack);
    }
    let is_killed = run_jobs(stack, kill, longest_delay).await;
    assert!(is_killed || kill.is_none(), "{kill:?} does not happen");
    assert_no_old_bytes(stack, &setup.file).await;
}

#[stack_test]
async fn purge_of_replaced_bytes_killed_at_any_call_completes_on_retry(
    stack: &Stack,
    acme: &TestSpace,
) {
    stack.run_post_upload().await;
    let calls = stack
        .calls_of(replace_and_purge(stack, acme, None))
        .await
        .calls;
    let calls = count(&calls, "purge");
    // It looks for the record, and removes the original and the renditions of both kinds.
    assert!(calls >= 5, "{calls}");

    for kill in share_of(Kill::at_each("purge", calls), SHARE) {
        replace_and_purge(stack, acme, Some(kill)).await;
    }
}
