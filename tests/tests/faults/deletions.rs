//! Deletions of files and folders, moves of folders, restorations of files, and the purge of files
//! and of the trash, with a crash or a fault at each of their calls. Each either takes effect as a
//! whole or not at all, and nothing of a deleted record remains.

use emulators::{Faults, InjectedError, Service};
use futures::future::join_all;
use table::item_keys::Key;
use tests::{
    PHOTO, Stack, StackOptions, TestSpace, max_attempts, minutes, seconds, share_of, stack_test,
};

use super::deletion_setup::{Operation, Setup};
use crate::{
    files::trash::{DAY, keep_for_days},
    folders::delete_with_contents::Tree,
    spaces::delete::stored_data,
    support::{
        kills::{Kill, count, longest_delay, run_jobs},
        seeded::{Place, invariants::assert_file_records},
    },
};

/// Every how many points the default run kills the purge.
const SHARE: usize = 3;

/// A fault of one call and all later ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallFault {
    /// The function stops before the call takes effect.
    DiesBefore,
    /// The function stops after the call took effect.
    DiesAfter,
    /// All attempts of the call fail.
    Fails,
    /// The call takes effect, and its responses are lost.
    LosesResponse,
}
use CallFault::{DiesAfter, DiesBefore, Fails, LosesResponse};

/// All kinds of faults.
pub(super) const CALL_FAULTS: [CallFault; 4] = [DiesBefore, DiesAfter, Fails, LosesResponse];

/// A call of a function.
#[derive(Debug, PartialEq)]
pub(super) struct OwnCall {
    service: Service,
    operation: String,
}

/// Returns the calls of a function during an operation, in order.
pub(super) async fn calls_of<T>(
    stack: &Stack,
    function: &str,
    work: impl Future<Output = T>,
) -> Vec<OwnCall> {
    stack.local.call_log().clear();
    work.await;
    let calls = stack.local.call_log().calls().into_iter();
    let own_calls =
        calls.filter(|call| call.principal == function && call.operation != "ReceiveMessage");
    own_calls
        .map(|call| OwnCall {
            service: call.service,
            operation: call.operation,
        })
        .collect()
}

/// Plans a fault of one of the calls of a function.
pub(super) fn plan(
    faults: &Faults,
    function: &str,
    calls: &[OwnCall],
    index: usize,
    fault: CallFault,
) {
    let few = |number: usize| u32::try_from(number).expect("a few");
    if let DiesBefore | DiesAfter = fault {
        faults.disconnect(function, few(index), fault == DiesAfter);
        return;
    }

    let OwnCall { service, operation } = &calls[index];
    let earlier = calls[..index].iter();
    let earlier = earlier.filter(|call| **call == calls[index]).count();
    if earlier > 0 {
        faults.skip(*service, operation, few(earlier));
    }

    let times = max_attempts(*service);
    if fault == LosesResponse {
        faults.lose_response(*service, operation, times);
        return;
    }
    let code = match service {
        Service::DynamoDb => "InternalServerError",
        Service::S3 => "InternalError",
        _ => "InternalFailure",
    };
    let error = InjectedError::new(500, code);
    faults.fail(*service, operation, times, error);
}

/// Runs the operation with a fault at each of its calls, and returns how often it took effect.
async fn is_whole_or_nothing(operation: Operation, fault: CallFault) -> usize {
    let stack = Stack::start().await;
    let acme = stack.space("Acme").await;
    let setup = operation.prepare(&stack, &acme).await;
    let done = async {
        let response = operation.perform(&setup).await;
        assert!(response.status < 400, "{operation:?}: {:?}", response.body);
    };
    let calls = calls_of(&stack, operation.function(), done).await;

    assert!(calls.len() >= 4, "{operation:?}: {calls:?}");
    assert!(operation.settle(&setup).await, "{operation:?}");

    let mut done = 0;
    for index in 0..calls.len() {
        let before = stored_data(&stack).await;
        let setup = operation.prepare(&stack, &acme).await;
        let faults = stack.local.faults();
        plan(&faults, operation.function(), &calls, index, fault);
        operation.perform(&setup).await.expect_error(503);
        let case = format!("{operation:?} with {fault:?} at {:?}", calls[index]);
        assert_eq!(faults.pending(), 0, "{case} does not happen");
        faults.reconnect();

        done += usize::from(operation.settle(&setup).await);
        stored_data(&stack).await.assert_unchanged(&before, &case);
    }

    stack.run_confirm_checks().await;
    stack.stop().await;

    done
}

/// The last call commits: the operation takes effect only if that call does.
async fn assert_whole_or_nothing(operation: Operation) {
    let run = |fault| Box::pin(is_whole_or_nothing(operation, fault));
    let done = join_all(CALL_FAULTS.map(run)).await;
    assert_eq!(done, [0, 1, 0, 1], "{operation:?}: {CALL_FAULTS:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn interrupted_file_deletion_is_atomic() {
    assert_whole_or_nothing(Operation::DeleteFile).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn interrupted_move_to_trash_is_atomic() {
    assert_whole_or_nothing(Operation::TrashFile).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn interrupted_restoration_is_atomic() {
    assert_whole_or_nothing(Operation::RestoreFile).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn interrupted_deletion_of_pending_file_is_atomic() {
    assert_whole_or_nothing(Operation::DeletePending).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn interrupted_folder_deletion_is_atomic() {
    assert_whole_or_nothing(Operation::DeleteFolder).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn interrupted_deletion_of_folder_with_contents_is_atomic() {
    assert_whole_or_nothing(Operation::DeleteWithContents).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn interrupted_folder_move_is_atomic() {
    assert_whole_or_nothing(Operation::MoveFolder).await;
}

/// Deletes a file and runs all jobs, with the purge killed once.
async fn delete(setup: &Setup<'_>, kill: Option<Kill>) {
    setup.delete(&setup.address).await;
    if let Some(kill) = kill {
        kill.plan(setup.stack);
    }
    setup.stack.clock.advance(seconds(1));
    let is_killed = run_jobs(setup.stack, kill, longest_delay).await;
    assert!(is_killed || kill.is_none(), "{kill:?} does not happen");

    for id in [&setup.from, &setup.to] {
        setup.delete(&format!("/folders/{id}")).await;
    }
}

#[stack_test]
async fn file_purge_killed_at_any_call_completes_on_retry(stack: &Stack, acme: &TestSpace) {
    let other = acme.upload(PHOTO).await;
    let setup = Operation::DeleteFile.prepare(stack, acme).await;
    let calls = stack.calls_of(delete(&setup, None)).await.calls;
    let calls = count(&calls, "purge");
    // It looks for the record, and removes what was sent and what was kept.
    assert!(calls >= 4, "{calls}");

    for kill in share_of(Kill::at_each("purge", calls), SHARE) {
        let before = stored_data(stack).await;
        let setup = Operation::DeleteFile.prepare(stack, acme).await;
        delete(&setup, Some(kill)).await;
        let after = stored_data(stack).await;
        after.assert_unchanged(&before, &format!("{kill:?}"));
    }

    stack.anonymous.fetch(other.url()).await.expect_body(PHOTO);
}

/// Deletes a folder with its contents and runs all jobs, with the purge killed once.
async fn delete_tree(stack: &Stack, acme: &TestSpace, kill: Option<Kill>) {
    let tree = Tree::plant(stack, acme).await;
    tree.delete(acme).await;
    if let Some(kill) = kill {
        kill.plan(stack);
    }
    stack.clock.advance(minutes(1));
    let is_killed = run_jobs(stack, kill, longest_delay).await;
    assert!(is_killed || kill.is_none(), "{kill:?} does not happen");
}

#[stack_test]
async fn folder_purge_killed_at_any_call_completes_on_retry(stack: &Stack, acme: &TestSpace) {
    let other = acme.upload(PHOTO).await;
    let before = stored_data(stack).await;
    let calls = stack.calls_of(delete_tree(stack, acme, None)).await.calls;
    let calls = count(&calls, "purge");
    assert!(calls >= 40, "{calls}");

    for kill in share_of(Kill::at_each("purge", calls), SHARE) {
        delete_tree(stack, acme, Some(kill)).await;
        let after = stored_data(stack).await;
        after.assert_unchanged(&before, &format!("{kill:?}"));
    }
    stack.anonymous.fetch(other.url()).await.expect_body(PHOTO);
}

/// Lets two files in the trash become due, and runs the sweep and the purge, of which one is killed
/// once. Returns the calls until the kill has been repaired.
async fn purge_trash(stack: &Stack, acme: &TestSpace, kill: Option<Kill>) -> Vec<String> {
    for _ in 0..2 {
        let file = acme.upload(PHOTO).with_ref("x").await;
        stack.anonymous.fetch(&file.url_with("w=40")).await;
        acme.delete_ok(file.path()).await;
    }
    if let Some(kill) = kill {
        kill.plan(stack);
    }

    stack.clock.advance(DAY);
    let run = stack.calls_of(run_jobs(stack, kill, longest_delay)).await;
    assert!(run.output || kill.is_none(), "{kill:?} does not happen");
    // What was not removed in this round is removed in the next one.
    stack.run_for(DAY).await;
    stack.run_purges().await;
    run.calls
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn purge_of_the_trash_killed_at_any_call_completes(stack: &Stack, acme: &TestSpace) {
    keep_for_days(acme, 1).await;
    let kept = acme.upload(PHOTO).await;
    purge_trash(stack, acme, None).await;
    let calls = purge_trash(stack, acme, None).await;
    let is_progress = |key: &Key| key.sort == "SWEEP";

    for function in ["sweep", "purge"] {
        let calls = count(&calls, function);
        assert!(calls >= 8, "{calls}");
        for kill in share_of(Kill::at_each(function, calls), SHARE) {
            let mut before = stored_data(stack).await;
            purge_trash(stack, acme, Some(kill)).await;
            let mut after = stored_data(stack).await;
            assert_file_records(&after, Place { seed: 0, step: 0 });
            for dump in [&mut before, &mut after] {
                dump.items.retain(|key, _| !is_progress(key));
            }
            after.assert_unchanged(&before, &format!("{kill:?}"));
        }
    }
    stack.anonymous.fetch(kept.url()).await.expect_body(PHOTO);
}
