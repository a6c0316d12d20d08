//! `POST /upload` with `files`: stores all files of a request or none, also while calls of S3 and
//! DynamoDB fail.

use emulators::{
    InjectedError,
    Service::{DynamoDb, S3},
};
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use table::item_keys;
use tests::{
    DEFAULT_ATTEMPTS, DYNAMODB_ATTEMPTS, Dump, PHOTO, Stack, TestSpace, column, field_error, file,
    stack_test, text,
};

/// Maximum number of files of a request.
pub(super) const MAX_FILES: usize = 10;

pub(super) fn space(acme: &TestSpace) -> Form {
    Form::new().text("space", acme.handle.clone())
}

/// Returns a form of several files, by name, declared type and bytes.
pub(super) fn parts<'a>(
    acme: &TestSpace,
    field: &'static str,
    files: impl IntoIterator<Item = (&'a str, &'a str, &'a [u8])>,
) -> Form {
    let add = |form: Form, (name, content_type, bytes): (&str, &str, &[u8])| {
        form.part(field, file(name, content_type, bytes))
    };
    files.into_iter().fold(space(acme), add)
}

/// Returns a form of the photo under several names.
pub(super) fn photos_named(acme: &TestSpace, names: &[&str]) -> Form {
    let photos = names.iter().map(|name| (*name, "image/jpeg", PHOTO));
    parts(acme, "files", photos)
}

/// Returns a photo that ends with its name.
pub(super) fn photo(name: &str) -> Part {
    file(name, "image/jpeg", [PHOTO, name.as_bytes()].concat())
}

pub(super) fn photos(acme: &TestSpace, field: &'static str, count: usize) -> Form {
    let names = (0..count).map(|index| format!("{index}.jpg"));
    names.fold(space(acme), |form, name| form.part(field, photo(&name)))
}

pub(super) fn empty() -> Part {
    file("a.txt", "text/plain", Vec::new())
}

/// Returns the part that a browser sends if no file is selected.
pub(super) fn unselected() -> Part {
    file("", "application/octet-stream", Vec::new())
}

fn names(files: &Value) -> Vec<String> {
    let files = files.as_array().expect("a list").iter();
    files.map(|file| text(&file["original_name"])).collect()
}

/// Asserts that every file is returned by the API, delivered and stored once.
pub(super) async fn assert_stored(stack: &Stack, acme: &TestSpace, files: &Value, before: &Dump) {
    let files = files.as_array().expect("a list");
    for file in files {
        let path = format!("/files/{}", text(&file["id"]));
        assert_eq!(&acme.get_ok(&path).await, file);
        let delivered = stack.anonymous.fetch(&text(&file["url"])).await;
        let name = text(&file["original_name"]);
        assert!(delivered.body.ends_with(name.as_bytes()));
    }

    let after = stack.dump().await;
    assert_eq!(after.objects.len() - before.objects.len(), files.len());
    let paths = |dump: &Dump| dump.items_with_prefix("PATH#").count();
    assert_eq!(paths(&after) - paths(before), files.len());
}

#[stack_test]
async fn one_file_returns_object_and_several_return_list(stack: &Stack, acme: &TestSpace) {
    let upload = async |form: Form| acme.upload_form(form).await.expect_created();
    let single = space(acme).part("file", photo("a.jpg"));
    assert!(upload(single).await.is_object());

    for field in ["files", "files[]", "files[0]", "files[17]"] {
        let before = stack.dump().await;
        let files = upload(space(acme).part(field, photo("a.jpg"))).await;
        assert_eq!(names(&files), ["a.jpg"], "{field}");
        assert_stored(stack, acme, &files, &before).await;
    }

    // The file of `file` first, then the order of the form.
    let before = stack.dump().await;
    let mixed = space(acme)
        .part("files[1]", photo("b.jpg"))
        .part("files", photo("c.jpg"))
        .part("file", photo("a.jpg"))
        .part("files[0]", photo("b.jpg"));
    let files = upload(mixed).await;
    assert_eq!(names(&files), ["a.jpg", "b.jpg", "c.jpg", "b.jpg"]);
    assert_stored(stack, acme, &files, &before).await;

    let unselected_first = space(acme)
        .part("file", unselected())
        .part("files", photo("a.jpg"))
        .part("files", unselected());
    assert_eq!(names(&upload(unselected_first).await), ["a.jpg"]);

    let unselected_list = space(acme).part("files", unselected());
    let single = unselected_list.part("file", photo("a.jpg"));
    assert!(upload(single).await.is_object());
}

/// The entries of ten files with twenty tags do not fit into the transaction of their records.
#[stack_test]
async fn files_are_listed_by_all_tags_after_incomplete_batch_writes(
    stack: &Stack,
    acme: &TestSpace,
) {
    let tags: Vec<String> = (0..20).map(|number| format!("tag-{number}")).collect();
    let settings = json!({"metadata": {"tags": tags}});
    acme.upload_config("tagged").with_settings(settings).await;
    let faults = stack.local.faults();
    faults.leave_unprocessed("BatchWriteItem", 2);

    let form = photos(acme, "files", MAX_FILES).text("upload_config", "tagged");
    let mut uploaded = column(&acme.upload_form(form).await.expect_created(), "id");
    assert_eq!(faults.pending(), 0);

    uploaded.reverse();
    for tag in tags {
        let list = format!("/files?space_id={}&tag={tag}", acme.id);
        let page = acme.get_ok(&list).await;
        assert_eq!(column(&page, "id"), uploaded, "{tag}");
    }
}

#[stack_test]
async fn request_is_limited_to_ten_files(stack: &Stack, acme: &TestSpace) {
    for form in [
        photos(acme, "files[]", MAX_FILES),
        photos(acme, "files", MAX_FILES - 1).part("file", photo("file.jpg")),
        photos(acme, "files", MAX_FILES).part("files", unselected()),
    ] {
        let before = stack.dump().await;
        let files = acme.upload_form(form).await.expect_created();
        assert_eq!(names(&files).len(), MAX_FILES);
        assert_stored(stack, acme, &files, &before).await;
    }

    let before = stack.dump().await;
    let errors = field_error("files", "must not have more than 10 items");
    for form in [
        photos(acme, "files[]", MAX_FILES + 1),
        photos(acme, "files", MAX_FILES).part("file", photo("file.jpg")),
        photos(acme, "files", 50),
    ] {
        let rejected = acme.upload_form(form).await;
        assert_eq!(rejected.expect_error(422), errors);
    }
    stack.assert_unchanged(&before, "too many files").await;
}

/// Attempts of an S3 call before it fails.
const ATTEMPTS: u32 = DEFAULT_ATTEMPTS;
/// Attempts of a conflicting transaction.
const CONFLICT_ATTEMPTS: u32 = 8;
const COMMIT: &str = "TransactWriteItems";

/// Uploads while a service fails, and asserts that the failed upload leaves nothing.
async fn assert_503_leaves_nothing(stack: &Stack, acme: &TestSpace, before: &Dump) {
    let response = acme.upload_form(photos(acme, "files", 5)).await;
    response.expect_busy();

    // The id stays fenced for a limited time, so that a late write fails.
    let mut after = stack.dump().await;
    after.items.retain(|key, item| {
        !key.partition.starts_with(item_keys::FILE_LOOKUPS) || !item["space_id"].is_null()
    });
    after.assert_unchanged(before, "a failed upload");
}

#[stack_test]
async fn failure_after_partial_storage_leaves_nothing(stack: &Stack, acme: &TestSpace) {
    let faults = stack.local.faults();
    acme.get_ok(&acme.path()).await;
    let before = stack.dump().await;

    faults.skip(S3, "PutObject", 2);
    let slow_down = InjectedError::new(503, "SlowDown");
    faults.fail(S3, "PutObject", 5 * ATTEMPTS - 2, slow_down);
    assert_503_leaves_nothing(stack, acme, &before).await;

    // S3 stores the objects, but the responses are lost.
    faults.lose_response(S3, "PutObject", 5 * ATTEMPTS);
    assert_503_leaves_nothing(stack, acme, &before).await;
    for (attempts, error) in [
        (
            DYNAMODB_ATTEMPTS,
            InjectedError::new(500, "InternalServerError"),
        ),
        (
            CONFLICT_ATTEMPTS,
            InjectedError::new(400, "TransactionConflict"),
        ),
    ] {
        faults.fail(DynamoDb, COMMIT, attempts, error);
        assert_503_leaves_nothing(stack, acme, &before).await;
    }

    let rejected = async || {
        let response = acme.upload_form(photos(acme, "files", 5)).await;
        response.expect_error(500);
    };
    faults.skip(S3, "PutObject", 2);
    faults.fail(
        S3,
        "PutObject",
        1,
        InjectedError::new(400, "InvalidRequest"),
    );
    rejected().await;
    faults.fail(
        DynamoDb,
        COMMIT,
        1,
        InjectedError::new(400, "ValidationException"),
    );
    rejected().await;
    assert_eq!(stack.dump().await.objects, before.objects);

    let files = acme.upload_form(photos(acme, "files", 5)).await;
    assert_stored(stack, acme, &files.expect_created(), &before).await;
}

#[stack_test]
async fn unknown_commit_outcome_is_resolved(stack: &Stack, acme: &TestSpace) {
    let faults = stack.local.faults();
    let before = stack.dump().await;
    faults.lose_response(DynamoDb, COMMIT, DYNAMODB_ATTEMPTS);
    let files = acme.upload_form(photos(acme, "files", 3)).await;
    assert_stored(stack, acme, &files.expect_created(), &before).await;

    // If the outcome stays unknown, the upload fails, and objects that may be referenced remain.
    let before = stack.dump().await;
    faults.lose_response(DynamoDb, COMMIT, DYNAMODB_ATTEMPTS);
    let error = InjectedError::new(500, "InternalServerError");
    faults.fail(DynamoDb, COMMIT, DYNAMODB_ATTEMPTS, error);
    let failed = acme.upload_form(photos(acme, "files", 3)).await;
    failed.expect_error(503);

    let after = stack.dump().await;
    assert_eq!(after.objects.len() - before.objects.len(), 3);
    assert_eq!(after.files_with_bytes().len(), after.objects.len());
}
