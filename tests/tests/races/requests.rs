//! Concurrent requests for names, spaces and settings.

use std::{cell::Cell, time::Duration};

use emulators::{InjectedError, Service::Sqs};
use futures::{
    FutureExt,
    future::{join, join_all},
};
use serde_json::{Value, json};
use table::keys;
use tests::{Extent, PHOTO, Response, Stack, StackOptions, TestSpace, form, seconds, stack_test};

/// Number of deletions of empty spaces that race against uploads.
const EMPTY_ROUNDS: Extent = Extent {
    default: 24,
    thorough: 240,
    variable: "LARDER_EMPTY_SPACE_ROUNDS",
};
/// Number of pairs of deletions that race against uploads.
const DELETION_ROUNDS: Extent = Extent {
    default: 20,
    thorough: 200,
    variable: "LARDER_DELETION_ROUNDS",
};

/// Asserts that one response has this status, and that all others reject the name as taken.
#[track_caller]
fn assert_one_winner(responses: Vec<Response>, status: u16) {
    let is_success = |response: &&Response| response.status == status;
    assert_eq!(responses.iter().filter(is_success).count(), 1);

    for response in responses
        .into_iter()
        .filter(|response| response.status != status)
    {
        assert_eq!(
            response.expect_error(422),
            json!({"name": ["The name has already been taken."]})
        );
    }
}

/// Returns a variant of a name: bit `i` of the number makes letter `i` upper case.
fn case_variant(name: &str, number: usize) -> String {
    let letters = name.chars().enumerate();
    letters
        .map(|(index, letter)| {
            if number >> index & 1 == 1 {
                letter.to_ascii_uppercase()
            } else {
                letter
            }
        })
        .collect()
}

#[stack_test]
async fn fifty_spellings_of_one_name_create_one_space(stack: &Stack) {
    let account = stack.account();
    let before = account.fetch("/spaces").await.json();
    let attempts = (0..50)
        .map(|number| account.post("/spaces", json!({"name": case_variant("photos", number)})));
    assert_one_winner(join_all(attempts).await, 201);
    let after = account.fetch("/spaces").await.json();
    let count = |page: &Value| page["data"].as_array().map(Vec::len);
    assert_eq!(count(&after), count(&before).map(|count| count + 1));
}

#[stack_test]
async fn one_of_concurrent_renames_gets_the_name(stack: &Stack) {
    let mut tenants = Vec::new();
    for index in 0..10 {
        tenants.push(stack.space(&format!("Space {index}")).await);
    }

    let renames = tenants
        .iter()
        .enumerate()
        .map(|(number, tenant)| async move {
            tenant
                .put(
                    &tenant.path(),
                    json!({"name": case_variant("photos", number)}),
                )
                .await
        });
    let responses = join_all(renames).await;
    let winner = responses
        .iter()
        .position(|response| response.status == 200)
        .expect("one of them");

    assert_one_winner(responses, 200);

    for (index, tenant) in tenants.iter().enumerate() {
        let name = tenant.get_ok(&tenant.path()).await["name"].clone();
        let expected = if index == winner {
            case_variant("photos", index)
        } else {
            format!("Space {index}")
        };

        assert_eq!(name, expected);

        // Only the winner's old name is free.
        let status = if index == winner { 201 } else { 422 };
        stack
            .account()
            .post("/spaces", json!({"name": format!("Space {index}")}))
            .await
            .expect_status(status);
    }
}

#[stack_test]
async fn rename_or_create_gets_the_name(stack: &Stack) {
    let account = stack.account();
    let acme = stack.space("Acme").await;
    let path = acme.path();

    for round in 0..20 {
        let body = json!({"name": format!("Name {round}")});
        let rename = acme.put(&path, body.clone());
        let rename = rename.map(|response| (200, response)).boxed_local();
        let create = account.post("/spaces", body);
        let create = create.map(|response| (201, response)).boxed_local();
        // Every second round sends the creation first.
        let requests = if round % 2 == 0 {
            [rename, create]
        } else {
            [create, rename]
        };

        let responses = join_all(requests).await;

        let rejected: Vec<Response> = responses
            .into_iter()
            .filter(|(success, response)| response.status != *success)
            .map(|(_, response)| response)
            .collect();
        assert_eq!(rejected.len(), 1);
        for response in rejected {
            assert_eq!(
                response.expect_error(422),
                json!({"name": ["The name has already been taken."]})
            );
        }
    }
}

#[stack_test]
async fn name_of_space_being_deleted_is_never_shared(stack: &Stack) {
    let account = stack.account();
    for round in 0..10 {
        let name = format!("Name {round}");
        let acme = stack.space(&name).await;
        let path = format!("/spaces?id={}", acme.id);
        let (deleted, created) = join(
            acme.delete(&path),
            account.post("/spaces", json!({ "name": name })),
        )
        .await;

        deleted.expect_status(204);
        created.expect_error(422);

        let (created, ()) = join(
            account.post("/spaces", json!({ "name": name })),
            stack.run_for(seconds(1)),
        )
        .await;

        if created.status != 201 {
            created.expect_error(422);
            account.create("/spaces", json!({ "name": name })).await;
        }

        account
            .post_err(422, "/spaces", json!({ "name": name }))
            .await;
    }

    stack.run_purges().await;
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn space_with_accepted_file_is_not_deleted_as_empty(stack: &Stack) {
    let account = stack.account();
    let mut deleted = 0;
    let mut rejected = 0;

    for round in 0..EMPTY_ROUNDS.rounds() {
        let acme = stack.space(&format!("Space {round}")).await;
        let path = format!("/spaces?id={}", acme.id);
        // Other requests before the deletion delay it, depending on the round.
        let deletion = async {
            for _ in 0..round % 6 {
                account.fetch("/spaces?limit=1").await;
            }
            account.delete(&path).await
        };
        let upload = || acme.upload_form(form(&acme.handle, "a.txt", "text/plain", "some text"));
        let (deletion, uploads) = join(deletion, join_all([upload(), upload()])).await;

        if deletion.status == 204 {
            deleted += 1;
            for upload in uploads {
                let status = upload.status;
                upload
                    .expect_status_of(&[401, 422, 503])
                    .expect_error(status);
            }
        } else {
            rejected += 1;
            deletion.expect_error(409);
            for upload in uploads.into_iter().filter(|upload| upload.status != 503) {
                let file = upload.expect_created();
                acme.get_ok(&format!("/files/{}", file["id"].as_str().expect("an id")))
                    .await;
                stack
                    .anonymous
                    .fetch(file["url"].as_str().expect("a URL"))
                    .await;
            }
            acme.upload(PHOTO).await;
        }
    }

    assert!(
        deleted > 0 && rejected > 0,
        "{deleted} deleted, {rejected} rejected: both outcomes must occur"
    );
    stack.run_purges().await;
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn concurrent_deletions_keep_accepted_uploads(stack: &Stack) {
    let account = stack.account();
    let mut surviving_spaces = 0;
    for round in 0..DELETION_ROUNDS.rounds() {
        let acme = stack.space(&format!("Space {round}")).await;
        let path = format!("/spaces?id={}", acme.id);
        let upload = || acme.upload_form(form(&acme.handle, "a.txt", "text/plain", "some text"));
        // Other requests before the deletions delay them, depending on the round.
        let delete_after = async |requests: u64| {
            for _ in 0..requests {
                account.fetch("/spaces?limit=1").await;
            }
            account.delete(&path).await
        };
        let deletions = join_all([delete_after(round % 6), delete_after(round % 5)]);
        let (deletions, uploads) = join(deletions, join_all([upload(), upload(), upload()])).await;
        let deleted = deletions.iter().any(|deletion| deletion.status == 204);
        let accepted = uploads.iter().filter(|upload| upload.status == 201).count();

        assert!(
            !deleted || accepted == 0,
            "the deletion deleted {accepted} accepted files"
        );

        let partition_key = format!("{}{}", keys::SPACES, acme.id);
        let items = stack.dump().await.items;
        let stored = items
            .keys()
            .filter(|key| key.partition == partition_key && key.sort.starts_with(keys::FILES))
            .count();

        assert!(
            deleted || stored == accepted,
            "{stored} of {accepted} accepted files exist"
        );
        surviving_spaces += usize::from(!deleted);
    }

    assert!(surviving_spaces > 0, "no upload was first");
    stack.run_purges().await;
}

#[stack_test]
async fn upload_between_emptiness_check_and_tombstone_is_rejected(stack: &Stack, acme: &TestSpace) {
    let faults = stack.local.faults();

    // The deletion sends its message after the emptiness check. Two failed attempts delay it there.
    let error = InjectedError::new(500, "InternalFailure");
    faults.fail(Sqs, "SendMessageBatch", 2, error);

    let upload = async {
        let first_failure = async {
            while faults.pending() == 2 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::time::timeout(seconds(20), first_failure)
            .await
            .expect("the deletion sends its message");
        acme.upload_form(form(&acme.handle, "a.txt", "text/plain", "some text"))
            .await
    };
    let path = format!("/spaces?id={}", acme.id);
    let second_deletion = Cell::new(None);
    let upload_and_delete = async {
        let upload = upload.await;
        second_deletion.set(Some(acme.delete(&path).await));
        upload
    };

    let (deletion, upload) = join(acme.delete(&path), upload_and_delete).await;
    let second_deletion = second_deletion.take().expect("a response");

    deletion.expect_status(204);
    // Only the deletion that locked the space continues.
    second_deletion.expect_status_of(&[404, 409]);
    // The deletion may end before the upload.
    upload.expect_status_of(&[422, 503]);
    stack.run_purges().await;
}

#[stack_test]
async fn concurrent_updates_keep_each_others_fields(acme: &TestSpace) {
    let space = acme.path();
    let client = &acme.client;
    let put = |path: &str, body: Value| {
        let path = format!("{space}{path}");
        async move { client.put_ok(&path, body).await }
    };

    for round in 0..20 {
        let description = format!("Round {round}");
        let url = format!("https://example.com/{round}");
        let requires_auth = round % 2 == 0;
        let public_read = !requires_auth;
        let opacity = f64::from(round + 1) / 20.0;

        join_all([
            put("", json!({"name": "Acme", "description": description})),
            put("", json!({"name": "Acme", "webhook_url": url})),
            put(
                "/access-control",
                json!({"access_control": {"requires_auth": requires_auth}}),
            ),
            put(
                "/access-control",
                json!({"access_control": {"public_read": public_read}}),
            ),
            put(
                "/security",
                json!({"security": {"watermark": {"opacity": opacity}}}),
            ),
        ])
        .await;

        let record = acme.get_ok(&space).await;
        assert_eq!(
            (&record["description"], &record["webhook_url"]),
            (&json!(description), &json!(url))
        );

        let expected = json!({"requires_auth": requires_auth, "public_read": public_read});
        assert_eq!(record["access_control"], expected);
        assert_eq!(record["security"]["watermark"]["opacity"], json!(opacity));
    }
}
