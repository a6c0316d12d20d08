//! `DELETE /spaces`, and the purge of deleted spaces.

use std::pin::pin;

use domain::{
    id::{IdSequence, UserId},
    naming::SpaceName,
    spaces::{Handle, NewSpace, Space},
    uploads::UploadConfig,
};
use emulators::Hold;
use futures::future;
use serde_json::{Value, json};
use table::{
    errors::{Reason, WriteError},
    item_keys::{self, Key},
};
use tests::{Dump, PHOTO, Stack, TestSpace, UNKNOWN_ID, rows, seconds, stack_test, text};

use crate::{
    malformed::ids_and_queries::MALFORMED_IDS,
    routes::fixture::{ROUTES, Route, RouteFixture},
};

/// Returns the path that deletes a space.
pub(super) fn deletion_path(tenant: &TestSpace) -> String {
    format!("/spaces?id={}", tenant.id)
}

/// Returns the stored data without usage, the counter of key ids and the versions of spaces, which
/// deletions do not reset.
pub(crate) async fn stored_data(stack: &Stack) -> Dump {
    let mut dump = stack.dump().await.without_usage();
    dump.items.retain(|key, _| *key != Key::last_api_key());
    for (key, item) in &mut dump.items {
        if key.sort == item_keys::SPACE {
            item["version"].take();
        }
    }
    dump
}

/// Adds the retired handle of a deleted space, the only item that remains of it.
pub(crate) fn with_retired(mut dump: Dump, handle: &str) -> Dump {
    let key = Key::handle(&Handle::parse(handle).expect("a handle"));
    dump.items.insert(key, json!({"is_retired": true}));
    dump
}

#[stack_test]
async fn list_of_space_that_is_deleted_meanwhile_returns_404(stack: &Stack, acme: &TestSpace) {
    let path = format!("/files?folder_id={UNKNOWN_ID}");
    acme.get_err(422, &path).await;

    let mut holds = [1, 2, 3].map(|skips| stack.local.faults().hold("files", skips));
    let mut list = pin!(acme.get(&path));
    tokio::select! {
        response = &mut list => panic!("{} {:?}", response.status, response.body),
        _ = future::join_all(holds.iter_mut().map(Hold::reached)) => {}
    }
    stack.account().delete_ok(&deletion_path(acme)).await;
    holds.into_iter().for_each(Hold::release);

    list.await.expect_error(404);
    stack.run_purges().await;
}

#[stack_test]
async fn space_under_delete_lock_returns_409_with_retry_after(stack: &Stack, acme: &TestSpace) {
    /// AWS calls of a deletion until the second query for files, when the space is locked.
    const CALLS_UNTIL_LOCKED: u32 = 6;

    let path = deletion_path(acme);
    let mut hold = stack.local.faults().hold("spaces", CALLS_UNTIL_LOCKED);
    let mut first = pin!(acme.delete(&path));
    tokio::select! {
        response = &mut first => panic!("{} {:?}", response.status, response.body),
        () = hold.reached() => {}
    }

    stack.clock.advance(seconds(5));
    let second = acme.delete(&path).await;
    // The rest of 35 seconds.
    second.expect_header("retry-after", "30");
    assert!(second.expect_error(409)["id"].is_array());

    let upload = acme.upload(PHOTO).send().await;
    let message = "The space is being deleted. Retry after the number of seconds in Retry-After.";
    assert_eq!(upload.json()["message"], message);
    upload.expect_busy();

    hold.release();
    first.await.expect_status(204);
    stack.run_purges().await;
}

#[stack_test]
async fn delete_requires_space_id(stack: &Stack, acme: &TestSpace, other: &TestSpace) {
    let before = stack.dump().await;
    let id = "The id field is required.";
    let force = "The force field must be true or false.";
    let own = format!("id={}", acme.id);

    for (query, expected) in rows::<(String, Value)>(json!([
        ["", {"id": [id]}],
        ["id=", {"id": [id]}],
        ["id=%20", {"id": [id]}],
        ["force=true", {"id": [id]}],
        ["id", {"id": [id]}],
        [format!("ID={}", acme.id), {"id": [id]}],
        [format!("id%5B%5D={}", acme.id), {"id": [id]}],
        [format!("{own}&force=yes"), {"force": [force]}],
        [format!("{own}&force=2"), {"force": [force]}],
        [format!("{own}&force=TRUE"), {"force": [force]}],
        [format!("{own}&force=null"), {"force": [force]}],
        ["force=maybe", {"id": [id], "force": [force]}],
    ])) {
        let errors = acme.delete_err(422, &format!("/spaces?{query}")).await;
        assert_eq!(errors, expected, "{query}");
    }

    for query in [
        format!("{own}&force=maybe"),
        format!("{own}&force=%FF"),
        format!("{own}&force=yes&force=true"),
        format!("{own}&{own}"),
        format!("{own}&id=&force=true"),
        format!("id={}&{own}&force=true", other.id),
    ] {
        let errors = acme.delete_err(422, &format!("/spaces?{query}")).await;
        let is_reported = errors["id"].is_array() || errors["force"].is_array();
        assert!(is_reported, "{query}");
    }

    let account = stack.account();
    let is_blank = |id: &&str| ["%20", "%0A"].contains(id);
    let malformed = MALFORMED_IDS.into_iter().filter(|id| !is_blank(id));
    let malformed = malformed.chain([UNKNOWN_ID, &acme.handle]);
    let by_account = malformed.clone().map(|id| (&account, id));
    let by_key = malformed.chain([&*other.id]).map(|id| (&acme.client, id));
    for (client, id) in by_account.chain(by_key) {
        for force in ["", "&force=true"] {
            let path = format!("/spaces?id={id}{force}");
            assert_eq!(client.delete_err(404, &path).await, json!({}), "{id}");
        }
    }
    stack.assert_unchanged(&before, "rejected deletions").await;
}

#[stack_test]
async fn nonempty_space_is_deleted_only_with_force(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;

    for force in ["", "&force=false", "&force=0", "&force="] {
        let path = format!("{}{force}", deletion_path(acme));
        let response = acme.delete(&path).await;
        let message = text(&response.json()["message"]);
        assert!(message.contains("not empty") && message.contains("force=true"));
        let errors = json!({"id": ["The id field must be the id of an empty space."]});
        assert_eq!(response.expect_error(409), errors);

        stack.anonymous.fetch(file.url()).await.expect_body(PHOTO);
        acme.upload(PHOTO).await;
    }

    let path = format!("/spaces?id={}&force=true", acme.id.to_lowercase());
    let deleted = acme.delete(&path).await.expect_status(202);
    deleted.expect_body("");
    stack.anonymous.get_err(404, file.url()).await;
    stack.run_purges().await;
}

#[stack_test]
async fn empty_space_is_deleted_with_configs_keys_and_members(stack: &Stack) {
    let user = stack.user().await;
    let before = stored_data(stack).await;
    let acme = stack.space("Acme").await;
    let path = deletion_path(&acme);
    acme.role("viewer").await;
    stack.add_member(&user, &acme, "admin").await;

    acme.delete_ok(&path).await.expect_body("");
    acme.delete_err(401, &path).await;
    stack.account().delete_err(404, &path).await;

    stack.run_purges().await;
    let expected = with_retired(before, &acme.handle);
    let after = stored_data(stack).await;
    after.assert_unchanged(&expected, "a deleted space");
}

#[stack_test]
async fn deleted_space_is_unreachable_at_once(stack: &Stack) {
    let place = RouteFixture::new(stack, "Acme").await;
    let acme = &place.tenant;
    let member = stack.user().await;
    stack.add_member(&member, acme, "owner").await;
    let file = acme.upload(PHOTO).await;
    let viewer = acme.role("viewer").await;
    let account = stack.account();
    acme.delete_by_force().await;

    let is_of_space = |route: &&Route| {
        let in_path = ["/spaces/{id}", "/files/{id}"];
        in_path.iter().any(|path| route.path.contains(path))
            || (route.method, route.path) == ("DELETE", "/spaces")
    };
    for client in [&account, &member.client] {
        for route in ROUTES.iter().filter(is_of_space) {
            let response = place.call(route, client).await;
            assert_eq!(response.expect_error(404), json!({}));
        }
        let upload = acme.upload(PHOTO).by(client).send().await;
        let errors = json!({"space": ["The selected space is invalid."]});
        assert_eq!(upload.expect_error(422), errors);
        let spaces = client.get_ok("/spaces").await.to_string();
        assert!(!spaces.contains(&acme.id));
    }
    for route in ROUTES.iter() {
        for client in [&acme.client, &viewer] {
            place.call(route, client).await.expect_error(401);
        }
    }

    let anonymous = &stack.anonymous;
    for client in [&acme.client, &viewer, &account, &member.client, anonymous] {
        client.get_err(404, file.url()).await;
    }
    let default = json!({"default_space_id": acme.id});
    account.put_err(422, "/account", default).await;
    stack.run_purges().await;
}

#[stack_test]
async fn deletion_frees_name_but_never_handle(stack: &Stack, acme: &TestSpace) {
    let account = stack.account();
    acme.delete_ok(&deletion_path(acme)).await;
    let named = |name: &str| json!({ "name": name });
    let second = account.create("/spaces", named("ACME")).await;
    assert_ne!(second["id"], acme.id);
    assert_ne!(second["handle"], acme.handle);

    let taken = json!({"name": ["The name has already been taken."]});
    for late in [false, true] {
        let errors = account.post_err(422, "/spaces", named("Acme")).await;
        assert_eq!(errors, taken);
        let rejected = create_by_handle(stack, &acme.handle, &format!("late: {late}")).await;
        let is_taken = matches!(
            rejected,
            Err(WriteError::ConditionFailed(Reason::HandleTaken))
        );
        assert!(is_taken, "{rejected:?}");
        stack.run_purges().await;
    }

    // Later passes keep the name of the new space.
    let errors = account.post_err(422, "/spaces", named("acme")).await;
    assert_eq!(errors, taken);
}

/// Creates a space with a handle, as if it was generated.
async fn create_by_handle(stack: &Stack, handle: &str, name: &str) -> Result<(), WriteError> {
    let context = stack.unrestricted_context();
    let env = &context.env;
    let name = SpaceName::parse(name).expect("a name");
    let space = Space {
        handle: Handle::parse(handle).expect("a handle"),
        ..Space::new(NewSpace::named(name), &mut IdSequence::new(env), env)
    };

    let table = runtime::context::Settings::of(&context).table();
    let starter = UploadConfig::starter(&space);
    let spaces = table.spaces();
    let created = spaces.create(&space, &starter, UserId::new(env), None);
    created.await
}

/// Maximum delay of an SQS message, in seconds: 15 minutes.
const MAX_DELAY_SECONDS: u64 = 900;

#[tokio::test]
async fn objects_arriving_after_deletion_are_purged_in_three_passes() {
    let stack = Stack::start().await;
    let other = stack.space("Other").await;
    other.upload(PHOTO).await;
    let before = stored_data(&stack).await;
    let acme = stack.space("Acme").await;
    for _ in 0..3 {
        acme.upload(PHOTO).await;
    }
    let late = format!("_objects/{}/originals/late", acme.id);
    let exists = async || stack.dump().await.objects.contains_key(&late);

    acme.delete_by_force().await;
    stack.put_object(&late, b"authorized before").await;
    stack.run_for(seconds(1)).await;
    assert!(!exists().await, "the first pass runs at once");

    stack.put_object(&late, b"authorized before").await;
    stack.run_for(seconds(MAX_DELAY_SECONDS - 2)).await;
    assert!(exists().await, "the second pass is not due");
    stack.run_for(seconds(1)).await;
    assert!(!exists().await, "the second pass runs after 15 minutes");

    stack.put_object(&late, b"authorized before").await;
    for _ in 0..3 {
        stack.run_for(seconds(MAX_DELAY_SECONDS)).await;
    }
    stack.run_for(seconds(MAX_DELAY_SECONDS - 1)).await;
    assert!(exists().await, "the last pass is not due");

    stack.run_for(seconds(1)).await;
    let expected = with_retired(before, &acme.handle);
    let after = stored_data(&stack).await;
    after.assert_unchanged(&expected, "the last pass");
    stack.stop().await;
}

#[stack_test]
async fn large_space_is_purged_page_by_page(stack: &Stack) {
    let before = stored_data(stack).await;
    let acme = stack.space("Acme").await;
    let mut keys = vec![acme.client.clone()];
    for index in 0..120 {
        keys.push(acme.create_key(&format!("key {index}")).await.client);
    }
    for index in 0..1_010 {
        let key = format!("_objects/{}/originals/{index}", acme.id);
        stack.put_object(&key, b"x").await;
    }

    acme.delete_ok(&deletion_path(&acme)).await;
    for key in &keys {
        key.get_err(401, "/account").await;
    }

    stack.run_for(seconds(1)).await;
    assert!(stack.dump().await.objects.is_empty());
    stack.run_purges().await;
    let expected = with_retired(before, &acme.handle);
    let after = stored_data(stack).await;
    after.assert_unchanged(&expected, "a large space");
}

#[stack_test(multi_thread)]
async fn key_created_during_a_deletion_does_not_authenticate_after_it(stack: &Stack) {
    for round in 0..10 {
        let acme: TestSpace = stack.space(&format!("Acme {round}")).await;
        let (path, keys) = (deletion_path(&acme), acme.keys_path());
        let account = stack.account();

        let (deleted, created) = tokio::join!(
            account.delete(&path),
            account.post(&keys, json!({"name": "late"})),
        );

        deleted.expect_status(204);
        let created = created.expect_status_of(&[201, 404, 503]);
        if created.status == 201 {
            let key = stack
                .anonymous
                .with_key(&text(&created.expect_created()["key"]));
            key.get_err(401, "/account").await;
        }
    }

    stack.run_purges().await;
}
