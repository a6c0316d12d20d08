//! What happens at once.

use std::time::Duration;

use emulators::{InjectedError, Service::Sqs};
use futures::future::{join, join_all};
use serde_json::{Value, json};
use tests::{Extent, PHOTO, Response, Stack, form, seconds, stack_test};

/// Deletions of empty spaces that race against uploads.
const EMPTY_ROUNDS: Extent = Extent {
    default: 24,
    thorough: 240,
    variable: "LARDER_EMPTY_SPACE_ROUNDS",
};
/// Pairs of deletions that race against uploads.
const DELETION_ROUNDS: Extent = Extent {
    default: 20,
    thorough: 200,
    variable: "LARDER_DELETION_ROUNDS",
};

/// Demands that one of the answers has this status and all others tell that the name is taken.
#[track_caller]
fn assert_one_winner(responses: Vec<Response>, status: u16) {
    assert_eq!(
        responses
            .iter()
            .filter(|response| response.status == status)
            .count(),
        1
    );

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

/// A name in one of its spellings: the bits of a number say which letters are large.
fn spelled(name: &str, number: usize) -> String {
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
    let before = account.get("/spaces").await.expect_status(200).json();
    let attempts =
        (0..50).map(|number| account.post("/spaces", json!({"name": spelled("photos", number)})));
    assert_one_winner(join_all(attempts).await, 201);
    let after = account.get("/spaces").await.expect_status(200).json();
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
                .client
                .put(
                    &format!("/spaces/{}", tenant.id),
                    json!({"name": spelled("photos", number)}),
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
        let name = tenant
            .client
            .get(&format!("/spaces/{}", tenant.id))
            .await
            .expect_ok()["name"]
            .clone();
        let expected = if index == winner {
            spelled("photos", index)
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
    let path = format!("/spaces/{}", acme.id);

    for round in 0..20 {
        let body = json!({"name": format!("Name {round}")});
        let rename = acme.client.put(&path, body.clone());
        let create = account.post("/spaces", body);
        let (rename, create) = if round % 2 == 0 {
            join(rename, create).await
        } else {
            let (create, rename) = join(create, rename).await;
            (rename, create)
        };
        let (won, lost) = if rename.status == 200 {
            (rename.expect_status(200), create)
        } else {
            (create.expect_status(201), rename)
        };

        assert_eq!(
            lost.expect_error(422),
            json!({"name": ["The name has already been taken."]}),
            "{}",
            won.request
        );
    }
}

#[stack_test]
async fn name_of_space_being_deleted_is_never_shared(stack: &Stack) {
    let account = stack.account();
    for round in 0..10 {
        let name = format!("Name {round}");
        let acme = stack.space(&name).await;
        let address = format!("/spaces?id={}", acme.id);
        let (deleted, created) = join(
            acme.client.delete(&address),
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
            account
                .post("/spaces", json!({ "name": name }))
                .await
                .expect_created();
        }

        account
            .post("/spaces", json!({ "name": name }))
            .await
            .expect_error(422);
    }

    stack.run_purges().await;
}

#[stack_test]
async fn space_with_accepted_file_is_not_deleted_as_empty(stack: &Stack) {
    let account = stack.account();
    let (mut deleted, mut rejected) = (0, 0);

    for round in 0..EMPTY_ROUNDS.rounds() {
        let acme = stack.space(&format!("Space {round}")).await;
        let address = format!("/spaces?id={}", acme.id);
        // Other requests before it make the deletion late by as much as the round says.
        let deletion = async {
            for _ in 0..round % 6 {
                account.get("/spaces?limit=1").await.expect_status(200);
            }
            account.delete(&address).await
        };
        let upload = || {
            acme.client
                .upload(form(&acme.handle, "a.txt", "text/plain", "some text"))
        };
        let (deletion, uploads) = join(deletion, join_all([upload(), upload()])).await;

        if deletion.status == 204 {
            deleted += 1;
            for upload in uploads {
                assert!(
                    [401, 422, 503].contains(&upload.status),
                    "{} {:?}",
                    upload.status,
                    upload.body
                );
                upload.clone().expect_error(upload.status);
            }
        } else {
            rejected += 1;
            deletion.expect_error(409);
            for upload in uploads.into_iter().filter(|upload| upload.status != 503) {
                let file = upload.expect_created();
                acme.client
                    .get(&format!("/files/{}", file["id"].as_str().expect("an id")))
                    .await
                    .expect_ok();
                stack
                    .anonymous
                    .get(file["url"].as_str().expect("an address"))
                    .await
                    .expect_status(200);
            }
            acme.upload(PHOTO).await;
        }
    }

    assert!(
        deleted > 0 && rejected > 0,
        "{deleted} deleted, {rejected} refused: both ends of the race are met"
    );
    stack.run_purges().await;
}

#[stack_test]
async fn concurrent_deletions_keep_accepted_uploads(stack: &Stack) {
    let account = stack.account();
    let mut lived = 0;
    for round in 0..DELETION_ROUNDS.rounds() {
        let acme = stack.space(&format!("Space {round}")).await;
        let address = format!("/spaces?id={}", acme.id);
        let upload = || {
            acme.client
                .upload(form(&acme.handle, "a.txt", "text/plain", "some text"))
        };
        // Other requests before them make the deletions late by as much as the round says.
        let late = async |requests: u64| {
            for _ in 0..requests {
                account.get("/spaces?limit=1").await.expect_status(200);
            }
            account.delete(&address).await
        };
        let deletions = join_all([late(round % 6), late(round % 5)]);
        let (deletions, uploads) = join(deletions, join_all([upload(), upload(), upload()])).await;
        let deleted = deletions.iter().any(|deletion| deletion.status == 204);
        let accepted = uploads.iter().filter(|upload| upload.status == 201).count();

        assert!(
            !deleted || accepted == 0,
            "{accepted} files went with their space"
        );

        let (kept, space) = (stack.dump().await.items, format!("SPACE#{}", acme.id));
        let kept = kept
            .keys()
            .filter(|(partition, sort)| *partition == space && sort.starts_with("FILE#"))
            .count();

        assert!(
            deleted || kept == accepted,
            "{kept} files are there of {accepted} that were accepted"
        );
        lived += usize::from(!deleted);
    }

    assert!(lived > 0, "uploads are never first");
    stack.run_purges().await;
}

#[stack_test]
async fn upload_between_emptiness_check_and_tombstone_is_rejected(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let faults = stack.cloud.faults();

    // The announcement comes after the last look: where it is refused twice, the deletion lingers
    // there.
    faults.fail(
        Sqs,
        "SendMessageBatch",
        2,
        InjectedError::new(500, "InternalFailure"),
    );

    let upload = async {
        let lingers = async {
            while faults.pending() == 2 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::time::timeout(seconds(20), lingers)
            .await
            .expect("the deletion announces itself");
        acme.client
            .upload(form(&acme.handle, "a.txt", "text/plain", "some text"))
            .await
    };
    let address = format!("/spaces?id={}", acme.id);
    let meet = async {
        let upload = upload.await;
        (upload, acme.client.delete(&address).await)
    };
    let (deletion, (upload, second)) = join(acme.client.delete(&address), meet).await;

    deletion.expect_status(204);
    // Only the deletion that closed the space goes on.
    assert!(
        [404, 409].contains(&second.status),
        "{} {:?}",
        second.status,
        second.body
    );
    // Nobody says how long the deletion lingers: it may be over by then.
    assert!(
        [422, 503].contains(&upload.status),
        "{} {:?}",
        upload.status,
        upload.body
    );
    stack.run_purges().await;
}

#[stack_test]
async fn concurrent_updates_keep_each_others_fields(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let space = format!("/spaces/{}", acme.id);
    let client = &acme.client;
    let put = |path: &str, body: Value| {
        let address = format!("{space}{path}");
        async move { client.put(&address, body).await.expect_ok() }
    };

    for round in 0..20 {
        let (description, url) = (
            format!("Round {round}"),
            format!("https://example.com/{round}"),
        );
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

        let shown = acme.client.get(&space).await.expect_ok();
        assert_eq!(
            (&shown["description"], &shown["webhook_url"]),
            (&json!(description), &json!(url))
        );

        let expected = json!({"requires_auth": requires_auth, "public_read": public_read});
        assert_eq!(shown["access_control"], expected);
        assert_eq!(shown["security"]["watermark"]["opacity"], json!(opacity));
    }
}
