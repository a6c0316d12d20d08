//! What happens at once.

use std::time::Duration;

use emulators::{InjectedError, Service::Sqs};
use futures::future::{join, join_all};
use serde_json::{Value, json};
use tests::{Answer, Extent, PHOTO, Stack, form, seconds};

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
fn demand_one_winner(answers: Vec<Answer>, status: u16) {
    assert_eq!(
        answers
            .iter()
            .filter(|answer| answer.status == status)
            .count(),
        1
    );
    for answer in answers.into_iter().filter(|answer| answer.status != status) {
        assert_eq!(
            answer.refused(422),
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

#[tokio::test]
async fn fifty_creations_of_one_name_in_fifty_spellings_make_one_space() {
    let stack = Stack::start().await;
    let account = stack.account();
    let before = account.get("/spaces").await.demand(200).json();
    let attempts =
        (0..50).map(|number| account.post("/spaces", json!({"name": spelled("photos", number)})));
    demand_one_winner(join_all(attempts).await, 201);
    let after = account.get("/spaces").await.demand(200).json();
    let count = |page: &Value| page["data"].as_array().map(Vec::len);
    assert_eq!(count(&after), count(&before).map(|count| count + 1));
    stack.stop().await;
}

#[tokio::test]
async fn of_spaces_that_are_renamed_alike_one_gets_the_name() {
    let stack = Stack::start().await;
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
    let answers = join_all(renames).await;
    let winner = answers
        .iter()
        .position(|answer| answer.status == 200)
        .expect("one of them");
    demand_one_winner(answers, 200);
    for (index, tenant) in tenants.iter().enumerate() {
        let name = tenant
            .client
            .get(&format!("/spaces/{}", tenant.id))
            .await
            .ok()["name"]
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
            .demand(status);
    }
    stack.stop().await;
}

#[tokio::test]
async fn of_a_renaming_and_a_creation_one_gets_the_name() {
    let stack = Stack::start().await;
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
            (rename.demand(200), create)
        } else {
            (create.demand(201), rename)
        };
        assert_eq!(
            lost.refused(422),
            json!({"name": ["The name has already been taken."]}),
            "{}",
            won.asked
        );
    }
    stack.stop().await;
}

#[tokio::test]
async fn a_name_is_never_two_spaces_though_its_first_one_is_being_deleted() {
    let stack = Stack::start().await;
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
        deleted.demand(204);
        created.refused(422);
        let (created, ()) = join(
            account.post("/spaces", json!({ "name": name })),
            stack.pass(seconds(1)),
        )
        .await;
        if created.status != 201 {
            created.refused(422);
            account
                .post("/spaces", json!({ "name": name }))
                .await
                .created();
        }
        account
            .post("/spaces", json!({ "name": name }))
            .await
            .refused(422);
    }
    stack.purged().await;
    stack.stop().await;
}

#[tokio::test]
async fn a_space_with_a_file_that_was_accepted_is_not_deleted_as_an_empty_one() {
    let stack = Stack::start().await;
    let account = stack.account();
    let (mut deleted, mut refused) = (0, 0);
    for round in 0..EMPTY_ROUNDS.rounds() {
        let acme = stack.space(&format!("Space {round}")).await;
        let address = format!("/spaces?id={}", acme.id);
        // Other requests before it make the deletion late by as much as the round says.
        let deletion = async {
            for _ in 0..round % 6 {
                account.get("/spaces?limit=1").await.demand(200);
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
                upload.clone().refused(upload.status);
            }
        } else {
            refused += 1;
            deletion.refused(409);
            for upload in uploads.into_iter().filter(|upload| upload.status != 503) {
                let file = upload.created();
                acme.client
                    .get(&format!("/files/{}", file["id"].as_str().expect("an id")))
                    .await
                    .ok();
                stack
                    .anonymous
                    .get(file["url"].as_str().expect("an address"))
                    .await
                    .demand(200);
            }
            acme.client
                .upload(form(&acme.handle, "photo.jpg", "image/jpeg", PHOTO))
                .await
                .created();
        }
    }
    assert!(
        deleted > 0 && refused > 0,
        "{deleted} deleted, {refused} refused: both ends of the race are met"
    );
    stack.purged().await;
    stack.stop().await;
}

#[tokio::test]
async fn two_deletions_at_once_destroy_nothing_that_was_accepted() {
    let stack = Stack::start().await;
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
                account.get("/spaces?limit=1").await.demand(200);
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
    stack.purged().await;
    stack.stop().await;
}

#[tokio::test]
async fn an_upload_between_a_deletions_last_look_and_its_mark_is_not_accepted() {
    let stack = Stack::start().await;
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
    deletion.demand(204);
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
    stack.purged().await;
    stack.stop().await;
}

#[tokio::test]
async fn updates_at_once_lose_none_of_each_others_fields() {
    let stack = Stack::start().await;
    let acme = stack.space("Acme").await;
    let space = format!("/spaces/{}", acme.id);
    let client = &acme.client;
    let put = |path: &str, body: Value| {
        let address = format!("{space}{path}");
        async move { client.put(&address, body).await.ok() }
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
        let shown = acme.client.get(&space).await.ok();
        assert_eq!(
            (&shown["description"], &shown["webhook_url"]),
            (&json!(description), &json!(url))
        );
        let expected = json!({"requires_auth": requires_auth, "public_read": public_read});
        assert_eq!(shown["access_control"], expected);
        assert_eq!(shown["security"]["watermark"]["opacity"], json!(opacity));
    }
    stack.stop().await;
}
