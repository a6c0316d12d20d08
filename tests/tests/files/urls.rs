//! `POST /files/urls` and `GET /files/by-ref`: files by ids and by reference.

use reqwest::multipart::Form;
use serde_json::{Value, json};
use tests::{
    Client, PHOTO, Stack, TestSpace, UNKNOWN_ID, file, file_path, seconds, stack_test, text,
};

use crate::{support::signer::query, uploads::presign::PendingFile};

/// Maximum number of ids of a request.
const MOST_IDS: usize = 100;
/// Maximum number of files of an upload.
const MOST_FILES: usize = 10;

async fn urls(client: &Client, body: Value) -> Value {
    client
        .post("/files/urls", body)
        .await
        .expect_status(200)
        .json()
}

/// Returns the expected views of files.
fn expected_urls(files: &[&Value]) -> Value {
    files
        .iter()
        .map(|file| json!({"id": file["id"], "url": file["url"]}))
        .collect()
}

#[stack_test]
async fn urls_keep_request_order_and_omit_foreign_files(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    let [a, b, c] = [
        acme.upload(PHOTO).await,
        acme.upload(PHOTO).await,
        acme.upload(PHOTO).await,
    ];
    let foreign = other.upload(PHOTO).await;
    let ids = json!([
        c["id"],
        UNKNOWN_ID,
        a["id"],
        "not an id",
        a["id"],
        foreign["id"],
        text(&c["id"]).to_lowercase(),
        acme.id,
        b["id"],
        UNKNOWN_ID,
    ]);
    let own_files = json!({
        "data": expected_urls(&[&c, &a, &b]), "not_found": [UNKNOWN_ID, "not an id", foreign["id"], acme.id],
    });
    let both = json!({"data": expected_urls(&[&c, &a, &foreign, &b]), "not_found": [UNKNOWN_ID, "not an id", acme.id]});

    for client in [&acme.client, &acme.role("viewer").await] {
        assert_eq!(urls(client, json!({"file_ids": ids})).await, own_files);
    }

    let account = stack.account();
    let outsider = stack.user().await;

    assert_eq!(
        urls(&account, json!({"file_ids": ids})).await,
        both,
        "an account has several spaces"
    );

    let member = stack.user().await;
    stack.add_member(&member, acme, "viewer").await;
    assert_eq!(
        urls(&member.client, json!({"file_ids": ids})).await,
        own_files
    );

    let nothing = urls(&outsider.client, json!({"file_ids": [a["id"], UNKNOWN_ID]})).await;
    assert_eq!(
        nothing,
        json!({"data": [], "not_found": [a["id"], UNKNOWN_ID]})
    );

    for file in own_files["data"].as_array().expect("a list") {
        assert!(stack.anonymous.fetch(&text(&file["url"])).await.body == PHOTO);
    }
}

async fn ten(acme: &TestSpace) -> Vec<Value> {
    let form = (0..MOST_FILES).fold(
        Form::new().text("space", acme.handle.clone()),
        |form, number| {
            form.part(
                "files",
                file("a.txt", "text/plain", format!("text {number}")),
            )
        },
    );
    acme.upload_form(form)
        .await
        .expect_created()
        .as_array()
        .expect("a list")
        .clone()
}

#[stack_test]
async fn urls_accepts_at_most_hundred_ids(stack: &Stack, acme: &TestSpace) {
    let mut files = Vec::new();

    while files.len() < MOST_IDS {
        files.extend(ten(acme).await);
    }

    // Not in the order of ids: 37 and 100 are coprime.
    let files: Vec<&Value> = (0..MOST_IDS)
        .map(|index| &files[index * 37 % MOST_IDS])
        .collect();
    let mut ids: Vec<&Value> = files.iter().map(|file| &file["id"]).collect();

    for client in [&acme.client, &stack.account()] {
        let found = urls(client, json!({"file_ids": ids})).await;
        assert_eq!(
            found,
            json!({"data": expected_urls(&files), "not_found": []})
        );
    }

    let one_more = json!(UNKNOWN_ID);
    ids.push(&one_more);

    let message = "The file ids field must not have more than 100 items.";
    let errors = acme
        .post_err(422, "/files/urls", json!({"file_ids": ids}))
        .await;

    assert_eq!(errors, json!({"file_ids": [message]}));
}

#[stack_test]
async fn empty_id_list_returns_422(acme: &TestSpace) {
    let message = |field: &str, end: &str| json!({field: [format!("The {} field {end}.", field.replace('_', " "))]});

    for (body, errors) in [
        (json!({}), message("file_ids", "is required")),
        (
            json!({"file_ids": null}),
            message("file_ids", "is required"),
        ),
        (json!({"file_ids": []}), message("file_ids", "is required")),
        (
            json!({"file_ids": UNKNOWN_ID}),
            message("file_ids", "must be an array"),
        ),
        (
            json!({"file_ids": {"0": UNKNOWN_ID}}),
            message("file_ids", "must be an array"),
        ),
        (
            json!({"file_ids": [5]}),
            message("file_ids.0", "must be a string"),
        ),
        (
            json!({"file_ids": [UNKNOWN_ID, null]}),
            message("file_ids.1", "must be a string"),
        ),
    ] {
        assert_eq!(
            acme.post_err(422, "/files/urls", body.clone()).await,
            errors,
            "{body}"
        );
    }

    let errors = acme
        .post_err(422, "/files/urls", json!({"file_ids": [5, UNKNOWN_ID, []]}))
        .await;
    let reported: Vec<&String> = errors.as_object().expect("an object").keys().collect();

    assert_eq!(reported, ["file_ids.0", "file_ids.2"]);
}

/// Requests the file of a reference.
fn by_ref(reference: &str) -> String {
    format!(
        "/files/by-ref?{}",
        query(&[("ref".to_owned(), reference.to_owned())])
    )
}

/// Uploads a text with a reference.
async fn referred(acme: &TestSpace, reference: &str) -> Value {
    let text = acme.upload("some text").named("a.txt", "text/plain");
    text.with_ref(reference).await.record
}

#[stack_test]
async fn by_ref_returns_newest_file_of_space(stack: &Stack, acme: &TestSpace, other: &TestSpace) {
    acme.get_err(404, &by_ref("order 7")).await;
    let [.., newest] = four_files(stack, acme).await;
    stack.clock.advance(seconds(1));
    let upper_case = referred(acme, "Order 7").await;
    let longer = referred(acme, "order 70").await;
    let foreign = referred(other, "order 7").await;
    let viewer = acme.role("viewer").await;

    for (client, reference, expected) in [
        (&viewer, "order 7", &newest),
        (&viewer, "Order 7", &upper_case),
        (&viewer, " order 70 ", &longer),
        (&other.client, "order 7", &foreign),
    ] {
        let found = client.get_ok(&by_ref(reference)).await;
        assert_eq!(found, *expected, "{reference}");
    }

    let in_acme = format!("{}&space_id={}", by_ref("order 7"), acme.id);
    assert_eq!(stack.account().get_ok(&in_acme).await, newest);
    assert_eq!(other.get_err(404, &in_acme).await, json!({}));
}

#[stack_test]
async fn by_ref_follows_updates_and_deletions(stack: &Stack, acme: &TestSpace) {
    let [first, second, third, fourth] = four_files(stack, acme).await;
    let by_ref_order = async || acme.get(&by_ref("order 7")).await;
    let newest = async || by_ref_order().await.expect_ok();
    let update = async |file: &Value, body: Value| acme.put_ok(&file_path(file), body).await;
    let delete = async |file: &Value| {
        acme.delete_ok(&file_path(file)).await;
    };

    // An update of an older file does not make it the newest one.
    let older = update(&first, json!({"tags": ["a"], "ref": "order 7"})).await;
    assert_eq!(newest().await, fourth);

    let renamed = update(&fourth, json!({"ref": "order 8"})).await;
    assert_eq!(newest().await, third);
    let other_ref = acme.get_ok(&by_ref("order 8")).await;
    assert_eq!(other_ref, renamed);

    update(&third, json!({"ref": null})).await;
    assert_eq!(newest().await, second);
    delete(&second).await;
    assert_eq!(newest().await, older);

    // Files are compared by creation, whenever they got the reference.
    let restored = update(&third, json!({"ref": "order 7"})).await;
    assert_eq!(newest().await, restored);

    delete(&first).await;
    delete(&third).await;
    assert_eq!(by_ref_order().await.expect_error(404), json!({}));
    stack.run_purges().await;
}

/// Uploads four texts with the same reference, oldest first.
async fn four_files(stack: &Stack, acme: &TestSpace) -> [Value; 4] {
    let mut files = [const { Value::Null }; 4];
    for file in &mut files {
        stack.clock.advance(seconds(1));
        *file = referred(acme, "order 7").await;
    }
    files
}

#[stack_test]
async fn by_ref_accepts_every_valid_reference(stack: &Stack, acme: &TestSpace) {
    let longest = "😀".repeat(255);

    for reference in [
        "a/b?c=d&e#f",
        "100 % + 1",
        "é",
        "..",
        "{\"id\": 1}",
        "REF#",
        &longest,
    ] {
        let file = referred(acme, reference).await;
        assert_eq!(file["ref"], json!(reference));
        assert_eq!(acme.get_ok(&by_ref(reference)).await, file, "{reference}");
    }

    let required = json!({"ref": ["The ref field is required."]});
    for query in ["", "?ref=", "?ref=%20", "?reference=x", "?REF=x"] {
        let errors = acme.get_err(422, &format!("/files/by-ref{query}")).await;
        assert_eq!(errors, required, "{query}");
    }

    for unknown in [UNKNOWN_ID, "x"] {
        let address = format!("{}&space_id={unknown}", by_ref("é"));
        assert_eq!(acme.get_err(404, &address).await, json!({}), "{unknown}");
    }

    let pending_file = PendingFile::create(acme, json!({"ref": "to come"})).await;
    pending_file.send(stack, PHOTO).await.expect_status(200);

    let active = pending_file.confirm(&acme.client).await.expect_ok();
    assert_eq!(acme.get_ok(&by_ref("to come")).await, active);
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn by_ref_returns_the_newest_active_file(stack: &Stack, acme: &TestSpace) {
    let active = acme.upload(PHOTO).with_ref("order").await;
    stack.clock.advance(seconds(1));
    let presign = json!({
        "space": acme.handle, "filename": "photo.jpg", "content_type": "image/jpeg", "size": PHOTO.len(), "ref": "order",
    });
    acme.post("/upload/presign", presign)
        .await
        .expect_status(201);

    assert_eq!(
        acme.get_ok("/files/by-ref?ref=order").await["id"],
        active["id"]
    );

    stack.run_confirm_checks().await;
}
