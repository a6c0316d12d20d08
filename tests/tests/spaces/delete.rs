//! `DELETE /spaces`, and the purge of deleted spaces.

use crate::routes::fixture::{ROUTES, RouteFixture};
use domain::{Handle, IdSequence, NewSpace, Space, SpaceName, UploadConfig, UserId};
use emulators::Hold;
use futures::future;
use serde_json::{Value, json};
use std::pin::pin;
use table::{Reason, WriteError, keys::Key};
use tests::{Dump, PHOTO, Stack, TestSpace, UNKNOWN_ID, form, seconds, stack_test};

/// Returns the path that deletes a space.
pub(super) fn deletion_path(tenant: &TestSpace) -> String {
    format!("/spaces?id={}", tenant.id)
}

/// Returns the stored data without usage and the counter of key ids, which deletions do not reset.
pub(crate) async fn stored_data(stack: &Stack) -> Dump {
    let mut dump = stack.dump().await.without_usage();
    dump.items.retain(|key, _| *key != Key::last_api_key());
    dump
}

/// Adds the retired handle of a deleted space, the only item that remains of it.
pub(crate) fn with_retired(mut dump: Dump, handle: &str) -> Dump {
    let key = Key::handle(&Handle::parse(handle).expect("a handle"));
    dump.items.insert(key, json!({"is_retired": true}));
    dump
}

/// Creates a space, and returns whether its name was available.
async fn create_if_available(stack: &Stack, name: &str) -> bool {
    let response = stack
        .account()
        .post("/spaces", json!({ "name": name }))
        .await;

    if response.status == 201 {
        return true;
    }

    assert_eq!(
        response.expect_error(422),
        json!({"name": ["The name has already been taken."]})
    );

    false
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
    let path = deletion_path(acme);
    stack.account().delete_ok(&path).await;
    holds.into_iter().for_each(Hold::release);

    list.await.expect_error(404);
    stack.run_purges().await;
}

#[stack_test]
async fn space_under_delete_lock_returns_409_with_retry_after(stack: &Stack) {
    /// AWS calls of a deletion until the second query for files, when the space is locked.
    const CALLS_UNTIL_LOCKED: u32 = 6;

    let acme = stack.space("Acme").await;
    let path = deletion_path(&acme);
    let mut hold = stack.local.faults().hold("spaces", CALLS_UNTIL_LOCKED);
    let mut first = pin!(acme.delete(&path));
    tokio::select! {
        response = &mut first => panic!("{} {:?}", response.status, response.body),
        () = hold.reached() => {}
    }

    stack.clock.advance(seconds(5));
    let second = acme.delete(&path).await;
    assert_eq!(
        second.header("retry-after"),
        "30",
        "the rest of 35 seconds: {}",
        second.status
    );
    assert!(second.expect_error(409)["id"].is_array());

    let upload = acme
        .upload_form(form(&acme.handle, "a.txt", "text/plain", "text"))
        .await;
    assert_eq!(
        upload.json()["message"],
        "The space is being deleted. Retry after the number of seconds in Retry-After."
    );
    upload.clone().expect_busy();

    upload.expect_error(503);

    hold.release();
    first.await.expect_status(204);
    stack.run_purges().await;
}

#[stack_test]
async fn delete_requires_space_id(stack: &Stack, acme: &TestSpace, other: &TestSpace) {
    let before = stack.dump().await;
    let delete = async |path: &str| acme.delete(path).await;
    let required = json!({"id": ["The id field is required."]});

    for query in ["", "?id=", "?id=%20", "?force=true", "?ID=x"] {
        let errors = delete(&format!("/spaces{query}")).await.expect_error(422);
        assert_eq!(errors, required, "{query}");
    }

    for force in ["yes", "2", "TRUE", "null"] {
        let path = format!("/spaces?id={}&force={force}", acme.id);
        let errors = delete(&path).await.expect_error(422);
        assert_eq!(
            errors,
            json!({"force": ["The force field must be true or false."]}),
            "{force}"
        );
    }

    let both = delete("/spaces?force=maybe").await.expect_error(422);
    assert_eq!(
        both.as_object().map(serde_json::Map::len),
        Some(2),
        "{both}"
    );

    for id in [other.id.as_str(), UNKNOWN_ID, "x", "%00", &acme.handle] {
        for force in ["", "&force=true"] {
            let path = format!("/spaces?id={id}{force}");
            assert_eq!(delete(&path).await.expect_error(404), json!({}), "{id}");
        }
    }

    acme.role("admin")
        .await
        .delete_err(403, &format!("/spaces?id={}&force=true", acme.id))
        .await;

    let mut after = stack.dump().await;

    // Ignore the key of the admin, which the test created.
    after.items.retain(|key, _| before.items.contains_key(key));

    let counter = Key::last_api_key();
    after
        .items
        .insert(counter.clone(), before.items[&counter].clone());
    after.assert_unchanged(&before, "rejected deletions");
}

#[stack_test]
async fn nonempty_space_is_deleted_only_with_force(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    let url = file["url"].as_str().expect("a URL");

    for force in ["", "&force=false", "&force=0", "&force="] {
        let response = acme
            .delete(&format!("{}{force}", deletion_path(acme)))
            .await;
        let message = response.json()["message"]
            .as_str()
            .expect("a sentence")
            .to_owned();
        assert!(
            message.contains("not empty") && message.contains("force=true"),
            "{message}"
        );
        assert_eq!(
            response.expect_error(409),
            json!({"id": ["The id field must be the id of an empty space."]})
        );
        assert!(stack.anonymous.fetch(url).await.body == PHOTO);
        acme.upload(PHOTO).await;
    }

    let id = acme.id.to_lowercase();
    assert!(
        acme.delete(&format!("/spaces?id={id}&force=true"))
            .await
            .expect_status(202)
            .body
            .is_empty()
    );

    stack.anonymous.get_err(404, url).await;

    stack.run_purges().await;
}

#[stack_test]
async fn empty_space_is_deleted_with_configs_keys_and_members(stack: &Stack) {
    let user = stack.user().await;
    let before = stored_data(stack).await;
    let acme = stack.space("Acme").await;

    acme.role("viewer").await;
    stack.add_member(&user, &acme, "admin").await;
    assert!(acme.delete_ok(&deletion_path(&acme)).await.body.is_empty());

    acme.delete_err(401, &deletion_path(&acme)).await;
    stack.account().delete_err(404, &deletion_path(&acme)).await;

    stack.run_purges().await;
    stored_data(stack)
        .await
        .assert_unchanged(&with_retired(before, &acme.handle), "a deleted space");
}

#[stack_test]
async fn deleted_space_is_unreachable_at_once(stack: &Stack) {
    let place = RouteFixture::new(stack, "Acme").await;
    let acme = &place.tenant;
    let member = stack.user().await;
    stack.add_member(&member, acme, "owner").await;
    let url = acme.upload(PHOTO).await["url"]
        .as_str()
        .expect("a URL")
        .to_owned();
    let viewer = acme.role("viewer").await;
    acme.delete(&format!("{}&force=true", deletion_path(acme)))
        .await
        .expect_status(202);

    let is_of_space = |path: &str| path.contains("/spaces/{id}") || path.contains("/files/{id}");
    for client in [&stack.account(), &member.client] {
        for row in ROUTES
            .iter()
            .filter(|row| is_of_space(row.path) || (row.method, row.path) == ("DELETE", "/spaces"))
        {
            assert_eq!(
                place.call(row, client).await.expect_error(404),
                json!({}),
                "{} {}",
                row.method,
                row.path
            );
        }
        let upload = form(&acme.handle, "photo.jpg", "image/jpeg", PHOTO);
        assert_eq!(
            client.upload_form(upload).await.expect_error(422),
            json!({"space": ["The selected space is invalid."]})
        );
        let spaces = client.fetch("/spaces").await.body;
        assert!(!String::from_utf8_lossy(&spaces).contains(&acme.id));
    }

    for row in ROUTES.iter() {
        for client in [&acme.client, &viewer] {
            place.call(row, client).await.expect_error(401);
        }
    }

    for client in [
        &acme.client,
        &viewer,
        &stack.account(),
        &member.client,
        &stack.anonymous,
    ] {
        client.get_err(404, &url).await;
    }

    let change = json!({"default_space_id": acme.id});
    stack.account().put_err(422, "/account", change).await;
    stack.run_purges().await;
}

#[stack_test]
async fn deletion_frees_name_but_never_handle(stack: &Stack, acme: &TestSpace) {
    let first = acme.get_ok(&acme.path()).await;
    acme.delete_ok(&deletion_path(acme)).await;
    assert!(create_if_available(stack, "ACME").await);
    assert!(
        !create_if_available(stack, "Acme").await,
        "the new space has the name"
    );

    for late in [false, true] {
        let rejected = create_by_handle(stack, &acme.handle, &format!("late: {late}")).await;
        assert!(
            matches!(
                rejected,
                Err(WriteError::ConditionFailed(Reason::HandleTaken))
            ),
            "{rejected:?}"
        );
        stack.run_purges().await;
    }

    assert!(
        !create_if_available(stack, "acme").await,
        "later passes keep the name of the new space"
    );

    let second = stack.account().fetch("/spaces").await.json()["data"][0].clone();
    assert_ne!(
        (&second["id"], &second["handle"]),
        (&first["id"], &first["handle"])
    );
}

/// Creates a space with a handle, as if it was generated.
async fn create_by_handle(stack: &Stack, handle: &str, name: &str) -> Result<(), WriteError> {
    let context = stack.unrestricted_context();
    let mut settings = runtime::Settings::of(&context);
    let table = settings.table();
    let name = SpaceName::parse(name).expect("a name");
    let env = &context.env;
    let space = Space::new(NewSpace::named(name), &mut IdSequence::new(env), env);
    let space = Space {
        handle: Handle::parse(handle).expect("a handle"),
        ..space
    };

    table
        .spaces()
        .create(
            &space,
            &UploadConfig::starter(&space),
            UserId::new(env),
            None,
        )
        .await
}

#[stack_test]
async fn deleted_default_space_is_unset(stack: &Stack, acme: &TestSpace) {
    stack
        .account()
        .put_ok("/account", json!({"default_space_id": acme.id}))
        .await;

    acme.delete_ok(&deletion_path(acme)).await;
    assert_eq!(
        stack.account().get_ok("/account").await["default_space_id"],
        Value::Null
    );

    stack.run_purges().await;
    assert_eq!(
        stack.account().get_ok("/account").await["default_space_id"],
        Value::Null
    );
}
