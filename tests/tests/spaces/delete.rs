//! `DELETE /spaces`, and what the purge leaves of a deleted space.

use std::pin::pin;

use domain::{Handle, IdSequence, NewSpace, Space, SpaceName, UploadConfig, UserId};
use serde_json::{Value, json};
use table::{Reason, WriteError};
use tests::{Dump, PHOTO, Stack, Tenant, form, seconds, stack_test};

use crate::routes::roles::{Place, ROWS};

/// Seconds of a quarter of an hour, the longest that a message is kept back.
const QUARTER: u64 = 900;

/// The address that deletes a space.
fn deletion(tenant: &Tenant) -> String {
    format!("/spaces?id={}", tenant.id)
}

/// What is kept, without the number of the last key, which goes on whatever is deleted.
pub(crate) async fn kept(stack: &Stack) -> Dump {
    let mut dump = stack.dump().await.without_usage();
    dump.items
        .retain(|(partition, _), _| partition != "COUNTER#KEY");
    dump
}

/// What is kept, and that a handle is not to be used again: all that is to be left of a deleted
/// space.
pub(crate) fn with_retired(mut dump: Dump, handle: &str) -> Dump {
    dump.items.insert(
        (format!("HANDLE#{handle}"), "HANDLE".to_owned()),
        json!({"is_retired": true}),
    );
    dump
}

/// Whether a space of this name can be made.
async fn is_free(stack: &Stack, name: &str) -> bool {
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
async fn space_under_delete_lock_returns_409_with_retry_after(stack: &Stack) {
    /// Calls of a deletion up to the second search for files, when the space is closed.
    const CALLS_TO_CLOSE: u32 = 6;
    let acme = stack.space("Acme").await;
    let address = deletion(&acme);
    let mut hold = stack.cloud.faults().hold("spaces", CALLS_TO_CLOSE);
    let mut first = pin!(acme.client.delete(&address));
    tokio::select! {
        response = &mut first => panic!("{} {:?}", response.status, response.body),
        () = hold.reached() => {}
    }

    stack.clock.advance(seconds(5));
    let second = acme.client.delete(&address).await;
    assert_eq!(
        second.header("retry-after"),
        "30",
        "the rest of 35 seconds: {}",
        second.status
    );
    assert!(second.expect_error(409)["id"].is_array());
    let upload = acme
        .client
        .upload(form(&acme.handle, "a.txt", "text/plain", "text"))
        .await;
    assert_eq!(upload.header("retry-after"), "1");
    assert_eq!(
        upload.json()["message"],
        "The space is being deleted. Please try again."
    );
    upload.expect_error(503);

    hold.release();
    first.await.expect_status(204);
    stack.run_purges().await;
}

#[stack_test]
async fn delete_requires_space_id(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let other = stack.space("Other").await;
    let before = stack.dump().await;
    let required = json!({"id": ["The id field is required."]});

    for query in ["", "?id=", "?id=%20", "?force=true", "?ID=x"] {
        assert_eq!(
            acme.client
                .delete(&format!("/spaces{query}"))
                .await
                .expect_error(422),
            required,
            "{query}"
        );
    }

    for force in ["yes", "2", "TRUE", "null"] {
        let errors = acme
            .client
            .delete(&format!("/spaces?id={}&force={force}", acme.id))
            .await
            .expect_error(422);
        assert_eq!(
            errors,
            json!({"force": ["The force field must be true or false."]}),
            "{force}"
        );
    }

    let both = acme
        .client
        .delete("/spaces?force=maybe")
        .await
        .expect_error(422);

    assert_eq!(
        both.as_object().map(serde_json::Map::len),
        Some(2),
        "{both}"
    );

    for id in [
        other.id.as_str(),
        "01JCQZ4XK8V9W7Y6T5S4R3Q2P1",
        "x",
        "%00",
        &acme.handle,
    ] {
        for force in ["", "&force=true"] {
            assert_eq!(
                acme.client
                    .delete(&format!("/spaces?id={id}{force}"))
                    .await
                    .expect_error(404),
                json!({}),
                "{id}"
            );
        }
    }

    acme.role("admin")
        .await
        .delete(&format!("/spaces?id={}&force=true", acme.id))
        .await
        .expect_error(403);

    let mut after = stack.dump().await;

    // The admin's key was made for the test.
    after.items.retain(|key, _| before.items.contains_key(key));

    let counter = ("COUNTER#KEY".to_owned(), "COUNTER".to_owned());
    after
        .items
        .insert(counter.clone(), before.items[&counter].clone());
    after.assert_unchanged(&before, "refused deletions");
}

#[stack_test]
async fn nonempty_space_is_deleted_only_with_force(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let file = acme.upload(PHOTO).await;
    let url = file["url"].as_str().expect("an address");

    for force in ["", "&force=false", "&force=0", "&force="] {
        let response = acme
            .client
            .delete(&format!("{}{force}", deletion(&acme)))
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
        assert!(stack.anonymous.get(url).await.expect_status(200).body == PHOTO);
        acme.upload(PHOTO).await;
    }

    let id = acme.id.to_lowercase();
    assert!(
        acme.client
            .delete(&format!("/spaces?id={id}&force=true"))
            .await
            .expect_status(202)
            .body
            .is_empty()
    );
    stack.anonymous.get(url).await.expect_error(404);

    stack.run_purges().await;
}

#[stack_test]
async fn empty_space_is_deleted_with_configs_keys_and_members(stack: &Stack) {
    let user = stack.user().await;
    let before = kept(stack).await;
    let acme = stack.space("Acme").await;

    acme.role("viewer").await;
    stack.add_member(&user, &acme, "admin").await;
    assert!(
        acme.client
            .delete(&deletion(&acme))
            .await
            .expect_status(204)
            .body
            .is_empty()
    );
    acme.client.delete(&deletion(&acme)).await.expect_error(401);
    stack
        .account()
        .delete(&deletion(&acme))
        .await
        .expect_error(404);

    stack.run_purges().await;
    kept(stack)
        .await
        .assert_unchanged(&with_retired(before, &acme.handle), "a deleted space");
}

#[stack_test]
async fn deleted_space_is_unreachable_at_once(stack: &Stack) {
    let place = Place::new(stack, "Acme").await;
    let acme = &place.tenant;
    let member = stack.user().await;
    stack.add_member(&member, acme, "owner").await;
    let url = acme.upload(PHOTO).await["url"]
        .as_str()
        .expect("an address")
        .to_owned();
    let viewer = acme.role("viewer").await;
    acme.client
        .delete(&format!("{}&force=true", deletion(acme)))
        .await
        .expect_status(202);

    let of_the_space = |path: &str| path.contains("/spaces/{id}") || path.contains("/files/{id}");
    for client in [&stack.account(), &member.client] {
        for row in ROWS
            .iter()
            .filter(|row| of_the_space(row.path) || (row.method, row.path) == ("DELETE", "/spaces"))
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
            client.upload(upload).await.expect_error(422),
            json!({"space": ["The selected space is invalid."]})
        );
        let shown = client.get("/spaces").await.expect_status(200).body;
        assert!(!String::from_utf8_lossy(&shown).contains(&acme.id));
    }
    for row in ROWS.iter() {
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
        client.get(&url).await.expect_error(404);
    }
    let choice = json!({"default_space_id": acme.id});
    stack
        .account()
        .put("/account", choice)
        .await
        .expect_error(422);
    stack.run_purges().await;
}

#[stack_test]
async fn deletion_frees_name_but_never_handle(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let first = acme
        .client
        .get(&format!("/spaces/{}", acme.id))
        .await
        .expect_ok();
    acme.client
        .delete(&deletion(&acme))
        .await
        .expect_status(204);
    assert!(is_free(stack, "ACME").await);
    assert!(!is_free(stack, "Acme").await, "it belongs to the new one");

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
        !is_free(stack, "acme").await,
        "later passes leave the new one its name"
    );
    let second = stack
        .account()
        .get("/spaces")
        .await
        .expect_status(200)
        .json()["data"][0]
        .clone();
    assert_ne!(
        (&second["id"], &second["handle"]),
        (&first["id"], &first["handle"])
    );
}

/// Makes a space of this handle, as if it had been drawn.
async fn create_by_handle(stack: &Stack, handle: &str, name: &str) -> Result<(), WriteError> {
    let environment = stack.admin_environment();
    let mut settings = runtime::Settings::of(&environment);
    let table = settings.table();
    let name = SpaceName::parse(name).expect("a name");
    let env = &environment.env;
    let space = Space::new(NewSpace::named(name), &mut IdSequence::new(env), env);
    let space = Space {
        handle: Handle::parse(handle).expect("a handle"),
        ..space
    };

    table
        .create_space(
            &space,
            &UploadConfig::starter(&space),
            UserId::new(env),
            None,
        )
        .await
}

#[tokio::test]
async fn objects_arriving_after_deletion_are_purged_in_three_passes() {
    let stack = Stack::start().await;
    let other = stack.space("Other").await;
    other.upload(PHOTO).await;
    let before = kept(&stack).await;
    let acme = stack.space("Acme").await;
    for _ in 0..3 {
        acme.upload(PHOTO).await;
    }
    let late = format!("{}/originals/late", acme.id);
    let is_there = async || stack.dump().await.objects.contains_key(&late);
    acme.client
        .delete(&format!("{}&force=true", deletion(&acme)))
        .await
        .expect_status(202);
    stack.put_object(&late, b"authorized before").await;
    stack.run_for(seconds(1)).await;
    assert!(!is_there().await, "the first pass is made at once");

    stack.put_object(&late, b"authorized before").await;
    stack.run_for(seconds(QUARTER - 2)).await;
    assert!(is_there().await, "the second pass is not due");
    stack.run_for(seconds(1)).await;
    assert!(
        !is_there().await,
        "the second pass is made after 15 minutes"
    );

    stack.put_object(&late, b"authorized before").await;
    for _ in 0..3 {
        stack.run_for(seconds(QUARTER)).await;
    }
    stack.run_for(seconds(QUARTER - 1)).await;
    assert!(is_there().await, "the last pass is not due");
    stack.run_for(seconds(1)).await;
    kept(&stack)
        .await
        .assert_unchanged(&with_retired(before, &acme.handle), "the last pass");
    stack.stop().await;
}

#[stack_test]
async fn large_space_is_purged_page_by_page(stack: &Stack) {
    let before = kept(stack).await;
    let acme = stack.space("Acme").await;
    let keys = format!("/spaces/{}/api-keys", acme.id);

    for index in 0..120 {
        acme.client
            .post(&keys, json!({"name": format!("key {index}")}))
            .await
            .expect_created();
    }

    for index in 0..1_010 {
        stack
            .put_object(&format!("{}/originals/{index}", acme.id), b"x")
            .await;
    }

    acme.client
        .delete(&deletion(&acme))
        .await
        .expect_status(204);

    stack.run_for(seconds(1)).await;
    assert!(stack.dump().await.objects.is_empty());

    stack.run_purges().await;
    kept(stack)
        .await
        .assert_unchanged(&with_retired(before, &acme.handle), "a large space");
}

#[stack_test]
async fn deletion_revokes_more_keys_than_one_page(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let mut keys = Vec::new();
    for _ in 0..105 {
        keys.push(acme.role("viewer").await);
    }

    acme.client
        .delete(&deletion(&acme))
        .await
        .expect_status(204);

    for key in keys.iter().chain([&acme.client]) {
        key.get("/account").await.expect_error(401);
    }
    stack.run_purges().await;
}

#[stack_test(multi_thread)]
async fn key_created_during_a_deletion_does_not_authenticate_after_it(stack: &Stack) {
    for round in 0..10 {
        let acme = stack.space(&format!("Acme {round}")).await;
        let keys = format!("/spaces/{}/api-keys", acme.id);
        let account = stack.account();

        let deletion = deletion(&acme);
        let (deleted, created) = tokio::join!(
            account.delete(&deletion),
            account.post(&keys, json!({"name": "late"})),
        );

        deleted.expect_status(204);
        if created.status == 201 {
            let key = created.json()["data"]["key"]
                .as_str()
                .expect("a key")
                .to_owned();
            stack
                .anonymous
                .with_key(&key)
                .get("/account")
                .await
                .expect_error(401);
        } else {
            assert!([404, 503].contains(&created.status), "{}", created.status);
        }
    }
    stack.run_purges().await;
}

#[stack_test]
async fn deleted_default_space_is_unset(stack: &Stack) {
    let acme = stack.space("Acme").await;
    stack
        .account()
        .put("/account", json!({"default_space_id": acme.id}))
        .await
        .expect_ok();

    acme.client
        .delete(&deletion(&acme))
        .await
        .expect_status(204);
    assert_eq!(
        stack.account().get("/account").await.expect_ok()["default_space_id"],
        Value::Null
    );

    stack.run_purges().await;
    assert_eq!(
        stack.account().get("/account").await.expect_ok()["default_space_id"],
        Value::Null
    );
}
