//! Deletions of files and folders, moves of folders, and the purge of files, with a crash or a
//! fault at each of their calls. Each either takes effect as a whole or not at all, and nothing of
//! a deleted record remains.

use emulators::{Faults, InjectedError, Service};
use futures::future::join_all;
use tests::{
    PHOTO, Stack, TestSpace, failed_calls, max_attempts, minutes, seconds, share_of, stack_test,
    text,
};

use super::deletion_setup::{Operation, Setup};
use crate::spaces::delete::stored_data;

/// Every how many points the default run kills the purge.
const SHARE: usize = 3;
/// Rounds after which a purge that was interrupted once has ended.
const MOST_ROUNDS: u32 = 12;

/// A fault of one call and all later ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallFault {
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
const CALL_FAULTS: [CallFault; 4] = [DiesBefore, DiesAfter, Fails, LosesResponse];

/// A call of a function.
#[derive(Debug, PartialEq)]
struct OwnCall {
    service: Service,
    operation: String,
}

/// Returns the calls of a function during an operation, in order.
async fn calls_of<T>(stack: &Stack, function: &str, work: impl Future<Output = T>) -> Vec<OwnCall> {
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

/// One of the calls of a function.
#[derive(Clone, Copy)]
struct ChosenCall<'a> {
    function: &'a str,
    /// All calls of the function.
    calls: &'a [OwnCall],
    index: usize,
}

/// Plans a fault of a call.
fn plan(faults: &Faults, call: ChosenCall<'_>, fault: CallFault) {
    let ChosenCall {
        function,
        calls,
        index,
    } = call;
    let few = |number: usize| u32::try_from(number).expect("a few");

    if let DiesBefore | DiesAfter = fault {
        faults.disconnect(function, few(index), fault == DiesAfter);
        return;
    }

    let OwnCall { service, operation } = &calls[index];
    let before = calls[..index]
        .iter()
        .filter(|call| **call == calls[index])
        .count();

    if before > 0 {
        faults.skip(*service, operation, few(before));
    }

    if fault == LosesResponse {
        faults.lose_response(*service, operation, max_attempts(*service));
    } else {
        let code = if *service == Service::DynamoDb {
            "InternalServerError"
        } else {
            "InternalFailure"
        };
        faults.fail(
            *service,
            operation,
            max_attempts(*service),
            InjectedError::new(500, code),
        );
    }
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
    assert!(
        operation.settle(&setup).await,
        "{operation:?} is done without trouble"
    );

    let mut done = 0;
    for index in 0..calls.len() {
        let before = stored_data(&stack).await;
        let setup = operation.prepare(&stack, &acme).await;
        let call = ChosenCall {
            function: operation.function(),
            calls: &calls,
            index,
        };
        plan(&stack.local.faults(), call, fault);
        operation.perform(&setup).await.expect_error(503);
        let faults = stack.local.faults();
        assert_eq!(
            faults.pending(),
            0,
            "{operation:?}: {fault:?} at {:?} does not happen",
            calls[index]
        );
        faults.reconnect();
        done += usize::from(operation.settle(&setup).await);
        let by = format!("{operation:?} with {fault:?} at {:?}", calls[index]);
        stored_data(&stack).await.assert_unchanged(&before, &by);
    }

    stack.run_confirm_checks().await;
    stack.stop().await;

    done
}

/// The last call commits: the operation takes effect only if that call does.
async fn assert_whole_or_nothing(operation: Operation) {
    let done =
        join_all(CALL_FAULTS.map(|fault| Box::pin(is_whole_or_nothing(operation, fault)))).await;
    assert_eq!(done, [0, 1, 0, 1], "{operation:?}: {CALL_FAULTS:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn interrupted_file_deletion_is_atomic() {
    assert_whole_or_nothing(Operation::DeleteFile).await;
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
async fn interrupted_folder_move_is_atomic() {
    assert_whole_or_nothing(Operation::MoveFolder).await;
}

/// Deletes a file and runs all jobs, with the purge killed once after this number of calls.
async fn delete(setup: &Setup<'_>, kill: Option<(u32, bool)>) {
    let stack = setup.stack;
    let faults = setup.stack.local.faults();
    setup.delete(&setup.address).await;
    if let Some((after, takes_effect)) = kill {
        faults.disconnect("purge", after, takes_effect);
    }

    let mut is_cut_off = kill.is_some();
    for round in 0..MOST_ROUNDS {
        stack
            .clock
            .advance(if round == 0 { seconds(1) } else { minutes(15) });
        // Its job has failed once all attempts of a call have.
        let has_died = || failed_calls(&faults) >= 1;
        let is_idle = |messages: local_stack::Messages| {
            messages.are_quiet() || (messages.visible == 0 && is_cut_off && has_died())
        };
        let remaining = stack
            .local
            .until(is_idle)
            .await
            .unwrap_or_else(|error| panic!("{kill:?}: {error}"));
        if is_cut_off && faults.broken_calls() > 0 {
            faults.reconnect();
            is_cut_off = false;
        }
        if remaining == local_stack::Messages::default() {
            break;
        }
    }

    assert!(!is_cut_off, "{kill:?}: the purge makes fewer calls");
}

#[stack_test]
async fn file_purge_killed_at_any_call_completes_on_retry(stack: &Stack, acme: &TestSpace) {
    let other = acme.upload(PHOTO).await;
    let setup = Operation::DeleteFile.prepare(stack, acme).await;
    let calls = calls_of(stack, "purge", delete(&setup, None)).await;

    assert!(
        calls.len() >= 4,
        "it looks for the record, removes what was sent and what was kept: {calls:?}"
    );
    for id in [&setup.from, &setup.to] {
        setup.delete(&format!("/folders/{id}")).await;
    }

    let kills = (0..u32::try_from(calls.len()).expect("a few"))
        .flat_map(|after| [false, true].map(|takes_effect| (after, takes_effect)));
    for kill in share_of(kills, SHARE) {
        let before = stored_data(stack).await;
        let setup = Operation::DeleteFile.prepare(stack, acme).await;
        delete(&setup, Some(kill)).await;
        for id in [&setup.from, &setup.to] {
            setup.delete(&format!("/folders/{id}")).await;
        }
        let by = format!("a purge that is killed after {kill:?} of {calls:?}");
        stored_data(stack).await.assert_unchanged(&before, &by);
    }

    assert!(stack.anonymous.fetch(&text(&other["url"])).await.body == PHOTO);
}
