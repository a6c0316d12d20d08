//! Deletions of spaces and their purge, killed at each of their calls.

use futures::future::join_all;
use tests::{PHOTO, Stack, TestSpace, User, failed_calls, minutes, seconds};

use crate::{
    spaces::delete::{stored_data, with_retired},
    support::kills::{Kill, Sweep, count, run_jobs},
};

/// How the purge is killed: at all of its calls, which are at least 25 in three passes over table
/// and bucket.
const SWEEP: Sweep = Sweep {
    stacks: 8,
    share: 3,
    min_calls: u32::MAX,
    missed_share: 1,
};

/// Creates a space with files, keys and a member, and an object without a record.
async fn furnished(stack: &Stack, name: &str, user: &User) -> TestSpace {
    let tenant = stack.space(name).await;
    tenant.upload(PHOTO).await;
    tenant.upload("text").named("a.txt", "text/plain").await;
    tenant.role("viewer").await;
    stack.add_member(user, &tenant, "user").await;
    let stray = format!("_objects/{}/originals/stray", tenant.id);
    stack.put_object(&stray, b"stray").await;
    tenant
}

/// Deletes a space and runs all jobs, with the purge killed once. Returns whether it was.
async fn delete(stack: &Stack, tenant: &TestSpace, kill: Option<Kill>) -> bool {
    tenant.delete_by_force().await;
    if let Some(kill) = kill {
        kill.plan(stack);
    }

    stack.clock.advance(seconds(1));
    // The third pass is an hour after the second one.
    let step = |round| if round == 1 { minutes(60) } else { minutes(15) };
    run_jobs(stack, kill, step).await
}

/// Counts the calls of the purge of such a space.
async fn calls() -> u32 {
    let stack = Stack::start().await;
    let user = stack.user().await;
    let acme = furnished(&stack, "Acme", &user).await;
    let calls = stack.calls_of(delete(&stack, &acme, None)).await.calls;
    stack.stop().await;
    count(&calls, "purge")
}

/// Deletes one space for each kill in one stack, together with a space that must stay unchanged.
/// Returns the kills that did not happen.
async fn survives(kills: Vec<Kill>) -> Vec<Kill> {
    let stack = Stack::start().await;
    let user = stack.user().await;
    let other = furnished(&stack, "Other", &user).await;
    let file = other.upload(PHOTO).await;

    let mut missed = Vec::new();
    for kill in kills {
        let before = stored_data(&stack).await;
        let acme = furnished(&stack, "Acme", &user).await;
        if !delete(&stack, &acme, Some(kill)).await {
            missed.push(kill);
        }
        let expected = with_retired(before, &acme.handle);
        let after = stored_data(&stack).await;
        after.assert_unchanged(&expected, &format!("{kill:?}"));
    }

    stack.anonymous.fetch(file.url()).await.expect_body(PHOTO);
    other.create_key("x").await;
    stack.stop().await;
    missed
}

#[tokio::test(flavor = "multi_thread")]
async fn space_purge_killed_at_any_call_completes_and_touches_nothing_else() {
    let calls = Box::pin(calls()).await;
    assert!(calls >= 25, "{calls}");
    SWEEP.run(Kill::at_each("purge", calls), survives).await;
}

/// Counts the calls of a deletion.
async fn calls_of_a_deletion(force: bool) -> u32 {
    let stack = Stack::start().await;
    let acme = used_space(&stack, "Acme").await;
    let calls = stack.calls_of(assert_deletion(&acme, force)).await.calls;
    stack.run_purges().await;
    stack.stop().await;
    u32::try_from(calls.len()).expect("a few")
}

/// Creates a space and uses its key once, since recording the first use in a minute takes more
/// writes.
async fn used_space(stack: &Stack, name: &str) -> TestSpace {
    let tenant = stack.space(name).await;
    tenant.get_ok(&tenant.path()).await;
    tenant
}

async fn assert_deletion(tenant: &TestSpace, force: bool) {
    let status = if force { 202 } else { 204 };
    tenant
        .delete(&deletion(tenant, force))
        .await
        .expect_status(status);
}

fn deletion(tenant: &TestSpace, force: bool) -> String {
    format!("/spaces?id={}&force={force}", tenant.id)
}

/// Kills a deletion at each of its calls, and returns the number of spaces that were deleted all
/// the same.
async fn is_whole_or_nothing(force: bool, takes_effect: bool) -> usize {
    let calls = Box::pin(calls_of_a_deletion(force)).await;
    let stack = Stack::start().await;
    let mut deleted = 0;

    for after in 0..calls {
        let before = stored_data(&stack).await;
        let acme = used_space(&stack, &format!("Space {after}")).await;
        let faults = stack.local.faults();
        faults.disconnect("spaces", after, takes_effect);
        acme.delete_err(503, &deletion(&acme, force)).await;
        assert!(failed_calls(&faults) >= 1, "{after}");
        faults.reconnect();
        // Longer than the lock of a space, and than the delay of the purge.
        for time in [seconds(1), minutes(3), minutes(15)] {
            stack.run_for(time).await;
        }
        if stack.account().get(&acme.path()).await.status == 200 {
            let file = acme.upload(PHOTO).await;
            stack.anonymous.fetch(file.url()).await.expect_body(PHOTO);
            assert_deletion(&acme, true).await;
        } else {
            deleted += 1;
        }
        stack.run_purges().await;
        let expected = with_retired(before, &acme.handle);
        let after = stored_data(&stack).await;
        after.assert_unchanged(&expected, "a deletion that was killed");
    }

    stack.stop().await;

    deleted
}

#[tokio::test(flavor = "multi_thread")]
async fn interrupted_space_deletion_is_atomic() {
    let kinds = [(true, false), (true, true), (false, false), (false, true)];
    let deleted =
        join_all(kinds.map(|(force, takes_effect)| is_whole_or_nothing(force, takes_effect))).await;
    // The tombstone deletes the space. After it, the deletion removes the keys, or else the purge
    // does.
    assert_eq!(deleted, [2, 3, 2, 3]);
}
