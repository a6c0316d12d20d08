//! Concurrent requests for names, spaces and settings.

use std::time::Duration;

use emulators::{InjectedError, Service::Sqs};
use futures::{
    FutureExt,
    future::{join, join_all},
};
use serde_json::{Value, json};
use table::item_keys::{self, Key};
use tests::{
    Client, Extent, PHOTO, Response, Stack, StackOptions, TestSpace, assert_fields, file_path,
    seconds, stack_test, text,
};

/// Number of deletions of empty spaces that race against uploads.
const EMPTY_ROUNDS: Extent = Extent::new(24, 240, "LARDER_EMPTY_SPACE_ROUNDS");
/// Number of pairs of deletions that race against uploads.
const DELETION_ROUNDS: Extent = Extent::new(20, 200, "LARDER_DELETION_ROUNDS");

/// Asserts that a response rejects the name as taken.
#[track_caller]
fn assert_taken(response: Response) {
    let taken = json!({"name": ["The name has already been taken."]});
    assert_eq!(response.expect_error(422), taken);
}

/// Asserts that one response has this status, and that all others reject the name as taken.
#[track_caller]
fn assert_one_winner(responses: Vec<Response>, status: u16) {
    let is_success = |response: &Response| response.status == status;
    let (winners, others): (Vec<_>, Vec<_>) = responses.into_iter().partition(is_success);
    assert_eq!(winners.len(), 1);
    others.into_iter().for_each(assert_taken);
}

/// Returns a variant of a name: bit `i` of the number makes letter `i` upper case.
fn case_variant(name: &str, number: usize) -> String {
    let letters = name.chars().enumerate();
    let cased = letters.map(|(index, letter)| match number >> index & 1 {
        1 => letter.to_ascii_uppercase(),
        _ => letter,
    });
    cased.collect()
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

    let rename = async |(number, tenant): (usize, &TestSpace)| {
        let body = json!({"name": case_variant("photos", number)});
        tenant.put(&tenant.path(), body).await
    };
    let responses = join_all(tenants.iter().enumerate().map(rename)).await;
    let winner = responses.iter().position(|response| response.status == 200);
    let winner = winner.expect("one of them");

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
        let body = json!({"name": format!("Space {index}")});
        let created = stack.account().post("/spaces", body).await;
        created.expect_status(status);
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

        let mut rejected = responses;
        rejected.retain(|(success, response)| response.status != *success);
        assert_eq!(rejected.len(), 1);
        assert_taken(rejected.remove(0).1);
    }
}

#[stack_test]
async fn name_of_space_being_deleted_is_never_shared(stack: &Stack) {
    let account = stack.account();
    for round in 0..10 {
        let name = format!("Name {round}");
        let acme = stack.space(&name).await;
        let path = format!("/spaces?id={}", acme.id);
        let body = json!({ "name": name });
        let create = || account.post("/spaces", &body);
        let (deleted, created) = join(acme.delete(&path), create()).await;

        deleted.expect_status(204);
        created.expect_error(422);

        let (created, ()) = join(create(), stack.run_for(seconds(1))).await;
        if created.status != 201 {
            created.expect_error(422);
            create().await.expect_created();
        }

        create().await.expect_error(422);
    }

    stack.run_purges().await;
}

/// Sends an upload of a text.
async fn upload(acme: &TestSpace) -> Response {
    let text = acme.upload("some text").named("a.txt", "text/plain");
    text.send().await
}

/// Deletes a space after a number of other requests, which delay the deletion.
async fn delete_after(requests: u64, account: &Client, acme: &TestSpace) -> Response {
    for _ in 0..requests {
        account.fetch("/spaces?limit=1").await;
    }
    account.delete(&format!("/spaces?id={}", acme.id)).await
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn space_with_accepted_file_is_not_deleted_as_empty(stack: &Stack) {
    let account = stack.account();
    let mut deleted = 0;
    let mut rejected = 0;

    for round in 0..EMPTY_ROUNDS.rounds() {
        let acme = stack.space(&format!("Space {round}")).await;
        let deletion = delete_after(round % 6, &account, &acme);
        let uploads = join_all([upload(&acme), upload(&acme)]);
        let (deletion, uploads) = join(deletion, uploads).await;

        if deletion.status == 204 {
            deleted += 1;
            for upload in uploads {
                let status = upload.status;
                let rejected = upload.expect_status_of(&[401, 422, 503]);
                rejected.expect_error(status);
            }
            continue;
        }
        rejected += 1;
        deletion.expect_error(409);
        for upload in uploads.into_iter().filter(|upload| upload.status != 503) {
            let file = upload.expect_created();
            acme.get_ok(&file_path(&file)).await;
            stack.anonymous.fetch(&text(&file["url"])).await;
        }
        acme.upload(PHOTO).await;
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
        let deletions = [round % 6, round % 5];
        let deletions = deletions.map(|requests| delete_after(requests, &account, &acme));
        let uploads = join_all([(); 3].map(|()| upload(&acme)));
        let (deletions, uploads) = join(join_all(deletions), uploads).await;
        let is_deleted = deletions.iter().any(|deletion| deletion.status == 204);
        let accepted = uploads.iter().filter(|upload| upload.status == 201).count();
        assert!(
            !is_deleted || accepted == 0,
            "the deletion deleted {accepted} accepted files"
        );

        let partition = format!("{}{}", item_keys::SPACES, acme.id);
        let is_stored =
            |key: &&Key| key.partition == partition && key.sort.starts_with(item_keys::FILES);
        let stored = stack.dump().await.items.keys().filter(is_stored).count();
        assert!(
            is_deleted || stored == accepted,
            "{stored} of {accepted} accepted files exist"
        );
        surviving_spaces += usize::from(!is_deleted);
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

    let path = format!("/spaces?id={}", acme.id);
    let upload_and_delete = async {
        let first_failure = async {
            while faults.pending() == 2 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        let waited = tokio::time::timeout(seconds(20), first_failure).await;
        waited.expect("the deletion sends its message");
        let upload = upload(acme).await;
        (upload, acme.delete(&path).await)
    };
    let requests = join(acme.delete(&path), upload_and_delete);
    let (deletion, (upload, second_deletion)) = requests.await;

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

        let access = |setting: Value| json!({ "access_control": setting });
        let security = json!({"security": {"watermark": {"opacity": opacity}}});
        join_all([
            put("", json!({"name": "Acme", "description": description})),
            put("", json!({"name": "Acme", "webhook_url": url})),
            put(
                "/access-control",
                access(json!({"requires_auth": requires_auth})),
            ),
            put(
                "/access-control",
                access(json!({"public_read": public_read})),
            ),
            put("/security", security),
        ])
        .await;

        let record = acme.get_ok(&space).await;
        let access = json!({"requires_auth": requires_auth, "public_read": public_read});
        let expected =
            json!({"description": description, "webhook_url": url, "access_control": access});
        assert_fields(&record, expected);
        assert_eq!(record["security"]["watermark"]["opacity"], json!(opacity));
    }
}
