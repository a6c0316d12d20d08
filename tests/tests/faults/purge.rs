//! Deletions of spaces and their purge, killed at each of their calls.

use futures::future::join_all;
use tests::{PHOTO, Stack, TestSpace, User, distributed, failed_calls, minutes, seconds, share_of};

use crate::spaces::delete::{stored_data, with_retired};

/// Concurrent stacks.
const STACKS: usize = 8;
/// Every how many points the default run kills the purge.
const SHARE: usize = 3;
/// Rounds after which a purge that was interrupted once has ended.
const MOST_ROUNDS: u32 = 12;

/// A point at which the purge is killed.
#[derive(Clone, Copy, Debug)]
struct Kill {
    /// Number of calls before it.
    after: u32,
    /// Whether the interrupted call takes effect.
    takes_effect: bool,
}

/// Creates a space with files, keys and a member, and an object without a record.
async fn furnished(stack: &Stack, name: &str, user: &User) -> TestSpace {
    let tenant = stack.space(name).await;
    tenant.upload(PHOTO).await;
    tenant
        .upload("some text")
        .named("a.txt", "text/plain")
        .await;
    tenant.role("viewer").await;
    stack.add_member(user, &tenant, "user").await;
    stack
        .put_object(&format!("_objects/{}/originals/stray", tenant.id), b"stray")
        .await;
    tenant
}

/// Deletes a space and runs all jobs, with the purge killed once.
async fn delete(stack: &Stack, tenant: &TestSpace, kill: Option<Kill>) {
    tenant
        .delete(&format!("/spaces?id={}&force=true", tenant.id))
        .await
        .expect_status(202);

    let faults = stack.local.faults();
    if let Some(Kill {
        after,
        takes_effect,
    }) = kill
    {
        faults.disconnect("purge", after, takes_effect);
    }

    let mut is_cut_off = kill.is_some();
    for round in 0..MOST_ROUNDS {
        stack.clock.advance(match round {
            0 => seconds(1),
            2 => minutes(60),
            _ => minutes(15),
        });
        // Each message in flight while the purge is disconnected has a job that fails after all
        // attempts of one call.
        let has_died =
            |in_flight: u64| faults.broken_calls() > 0 && failed_calls(&faults) >= in_flight;
        let is_idle = |messages: local_stack::Messages| {
            let is_at_rest = messages.visible == 0 && messages.running_batches == 0;
            messages.are_quiet() || (is_at_rest && is_cut_off && has_died(messages.in_flight))
        };
        let messages_left = stack
            .local
            .until(is_idle)
            .await
            .unwrap_or_else(|error| panic!("{kill:?}: {error}"));
        if is_cut_off && faults.broken_calls() > 0 {
            faults.reconnect();
            is_cut_off = false;
        }
        if messages_left == local_stack::Messages::default() {
            break;
        }
    }

    assert!(
        !is_cut_off,
        "the purge makes no more than {} calls",
        kill.map_or(0, |kill| kill.after)
    );
}

/// Counts the calls of the purge of such a space.
async fn calls() -> u32 {
    let stack = Stack::start().await;
    let user = stack.user().await;
    let acme = furnished(&stack, "Acme", &user).await;
    let calls = stack.calls_of(delete(&stack, &acme, None)).await.calls;
    let calls = calls
        .iter()
        .filter(|call| call.starts_with("purge "))
        .count();
    stack.stop().await;
    u32::try_from(calls).expect("a few dozen")
}

/// Deletes one space for each kill in one stack, together with a space that must stay unchanged.
async fn survives(kills: Vec<Kill>) {
    let stack = Stack::start().await;
    let user = stack.user().await;
    let other = furnished(&stack, "Other", &user).await;
    let url = other.upload(PHOTO).await["url"]
        .as_str()
        .expect("an address")
        .to_owned();

    for kill in kills {
        let before = stored_data(&stack).await;
        let acme = furnished(&stack, "Acme", &user).await;
        delete(&stack, &acme, Some(kill)).await;
        let after = stored_data(&stack).await;
        after.assert_unchanged(
            &with_retired(before, &acme.handle),
            &format!("a purge with {kill:?}"),
        );
    }

    assert!(stack.anonymous.fetch(&url).await.body == PHOTO);
    other.create_key("x").await;
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn space_purge_killed_at_any_call_completes_and_touches_nothing_else() {
    let calls = Box::pin(calls()).await;
    assert!(
        calls >= 25,
        "{calls} calls: three passes, each over table and bucket"
    );

    let kills = (0..calls).flat_map(|after| {
        [false, true].map(|takes_effect| Kill {
            after,
            takes_effect,
        })
    });
    let groups = distributed(share_of(kills, SHARE), STACKS);
    join_all(groups.into_iter().map(survives)).await;
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
            assert!(
                stack
                    .anonymous
                    .fetch(file["url"].as_str().expect("an address"))
                    .await
                    .body
                    == PHOTO
            );
            assert_deletion(&acme, true).await;
        } else {
            deleted += 1;
        }
        stack.run_purges().await;
        let after = stored_data(&stack).await;
        after.assert_unchanged(
            &with_retired(before, &acme.handle),
            "a deletion that was killed",
        );
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
