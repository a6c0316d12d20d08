//! AWS calls of reads and changes of files.

use serde_json::{Value, json};
use tests::{File, Stack, TestSpace, UNKNOWN_ID, seconds, stack_test};

use crate::files::trash::keep_for_days;

use super::{Budget, nested, stored, warm};

/// A space with nested folders, and files with tags and references.
struct TaggedFiles {
    acme: TestSpace,
    /// Ids of the folders, the outermost first.
    ids: Vec<String>,
    /// File in the root.
    top: File,
    /// File in the first folder.
    first: File,
    /// File in the fifth folder.
    fifth: File,
}

impl TaggedFiles {
    async fn new(stack: &Stack) -> TaggedFiles {
        let acme = warm(stack).await;
        let ids = nested(&acme, 5).await;
        let top = stored(&acme, "root").await;
        let first = stored(&acme, &ids[0]).await;
        let fifth = stored(&acme, &ids[4]).await;

        for file in [&top, &first, &fifth] {
            let named = json!({"ref": format!("of {}", file.id), "tags": ["red"]});
            acme.put_ok(file.path(), named).await;
        }

        TaggedFiles {
            acme,
            ids,
            top,
            first,
            fifth,
        }
    }
}

#[stack_test]
async fn file_reads_stay_within_call_budget(stack: &Stack) {
    let library = TaggedFiles::new(stack).await;
    let acme = &library.acme;
    let account = stack.account();
    let by_key = Budget::of(stack, "files", &acme.client);
    let by_account = Budget::of(stack, "files", &account);
    let [top, first, fifth] = [&library.top, &library.first, &library.fifth].map(File::path);

    // The space, the file, and its ancestors in one read.
    by_key.get(top, "BatchGetItem").await;
    by_key.get(first, "2 BatchGetItem").await;
    by_key.get(fifth, "2 BatchGetItem").await;
    by_account.get(top, "BatchGetItem, GetItem").await;
    by_account.get(fifth, "2 BatchGetItem, GetItem").await;
    let missing = format!("GET /files/{UNKNOWN_ID}");
    by_key
        .line(404, &missing, Value::Null, "BatchGetItem")
        .await;

    for (file, calls) in [
        (&library.top, "BatchGetItem, GetItem, Query"),
        (&library.fifth, "2 BatchGetItem, GetItem, Query"),
    ] {
        let path = format!("/files/by-ref?space_id={}&ref=of%20{}", acme.id, file.id);
        by_key.get(&path, calls).await;
    }
}

#[stack_test]
async fn file_urls_stay_within_call_budget(stack: &Stack) {
    let library = TaggedFiles::new(stack).await;
    let account = stack.account();
    let by_key = Budget::of(stack, "files", &library.acme.client);
    let by_account = Budget::of(stack, "files", &account);
    let ids = json!({"file_ids": [library.top.id, library.fifth.id]});
    let urls = |budget: Budget<'_>| budget.request("POST", "/files/urls", &ids);
    let sign = format!("{}/signed-url", library.fifth.path());
    let sign = by_key.request("POST", &sign, &json!({}));

    by_key
        .send(200, urls(by_key), "BatchGetItem, GetItem")
        .await;
    by_account
        .send(200, urls(by_account), "3 BatchGetItem")
        .await;
    by_key.send(200, sign, "BatchGetItem").await;
}

/// Each file of a batch makes the calls of a request for it alone.
#[stack_test]
async fn batches_and_usage_stay_within_call_budget(stack: &Stack) {
    let library = TaggedFiles::new(stack).await;
    let acme = &library.acme;
    let by_key = Budget::of(stack, "files", &acme.client);
    let ids = [&library.top.id, &library.fifth.id];
    let update = json!({"ids": ids, "operation": "update", "add_tags": ["new"]});
    let trash = json!({"ids": ids, "operation": "delete"});
    let restoration = json!({"ids": ids, "operation": "restore"});
    let deletion = json!({"ids": ids, "operation": "delete", "permanent": true});

    let changes = "3 BatchGetItem, 2 TransactWriteItems";
    by_key.line(200, "POST /files/batch", update, changes).await;
    keep_for_days(acme, 1).await;
    let changes = "3 BatchGetItem, 2 GetItem, 2 TransactWriteItems";
    for body in [trash, restoration] {
        by_key.line(200, "POST /files/batch", body, changes).await;
    }
    let deletions = "2 BatchGetItem, 2 GetItem, 2 SendMessageBatch, 2 TransactWriteItems";
    by_key
        .line(200, "POST /files/batch", deletion, deletions)
        .await;

    let spaces = Budget::of(stack, "spaces", &acme.client);
    let usage = format!("{}/usage", acme.path());
    spaces.get(&usage, "BatchGetItem, GetItem").await;
    stack.run_purges().await;
}

#[stack_test]
async fn file_lists_stay_within_call_budget(stack: &Stack) {
    let library = TaggedFiles::new(stack).await;
    let account = stack.account();
    let by_key = Budget::of(stack, "files", &library.acme.client);
    let by_account = Budget::of(stack, "files", &account);
    let list = format!("/files?space_id={}", library.acme.id);
    let in_folder = |index: usize| format!("&folder_id={}", library.ids[index]);
    by_account.get(&list, "2 BatchGetItem, Query").await;

    // The space, one page of the range, and the ancestors of all its files.
    let page = "BatchGetItem, GetItem, Query";
    let none = "GetItem, Query";
    // The records of the entries are read.
    let entries = "2 BatchGetItem, GetItem, Query";
    // The folder is read first, to know that it exists.
    let folder = "3 BatchGetItem, GetItem, Query";
    for (filter, calls) in [
        ("", page),
        ("&type=upload&status=active", page),
        ("&type=private", none),
        ("&tag=red", entries),
        ("&tag=blue", none),
        ("&search=PHO", entries),
        ("&folder_id=root", page),
        (&in_folder(0), folder),
        (&in_folder(4), folder),
        (&in_folder(2), page),
    ] {
        by_key.get(&format!("{list}{filter}"), calls).await;
    }
}

/// A list that also read the other end would have to read on to fill its page.
#[stack_test]
async fn list_of_a_range_of_times_reads_only_that_range(stack: &Stack) {
    let acme = warm(stack).await;
    stack.clock.advance(seconds(1));
    let old = stored(&acme, "root").await;
    stack.clock.advance(seconds(1));
    let between = stack.now().rfc3339();
    let new = stored(&acme, "root").await;

    let by_key = Budget::of(stack, "files", &acme.client);
    for (range, first) in [
        (format!("created_to={between}"), &old),
        (format!("created_from={between}&order=asc"), &new),
    ] {
        let list = format!("/files?limit=1&{range}");
        let page = by_key.get(&list, "GetItem, Query").await.json();
        assert_eq!(page["data"][0]["id"], first.id, "{range}");
    }
}

/// Moves a file from the root into other folders and back.
async fn assert_moves(budget: Budget<'_>, file: &File, ids: &[String]) {
    for (target, calls) in [
        // The target is read, and its ancestors again for the response.
        (
            json!({"folder_id": ids[0]}),
            "3 BatchGetItem, TransactWriteItems",
        ),
        (
            json!({"folder_id": ids[4]}),
            "5 BatchGetItem, TransactWriteItems",
        ),
        (
            json!({"folder_id": null}),
            "2 BatchGetItem, TransactWriteItems",
        ),
        (
            json!({"folder_id": "root", "folder_path": "level 1/level 2"}),
            "3 BatchGetItem, 2 GetItem, TransactWriteItems",
        ),
        (
            json!({"folder_id": "root"}),
            "2 BatchGetItem, TransactWriteItems",
        ),
        // The first name is missing, and so are those below it. Each created folder is one write.
        (
            json!({"folder_id": "root", "folder_path": "x/y"}),
            "3 BatchGetItem, GetItem, 3 TransactWriteItems",
        ),
    ] {
        budget.put(file.path(), target, calls).await;
    }
}

#[stack_test]
async fn file_changes_stay_within_call_budget(stack: &Stack) {
    let acme = warm(stack).await;
    let ids = nested(&acme, 5).await;
    let top = stored(&acme, "root").await;
    let inner = stored(&acme, &ids[0]).await;
    let budget = Budget::of(stack, "files", &acme.client);

    let fields = json!({"original_name": "a.jpg", "ref": "x", "tags": ["a", "b"]});
    let change = "BatchGetItem, TransactWriteItems";
    budget.put(top.path(), fields, change).await;
    // The ancestors are read before the update, to compare read-only fields, and after it.
    let fields = json!({"original_name": "a.jpg"});
    let change = "3 BatchGetItem, TransactWriteItems";
    budget.put(inner.path(), fields, change).await;
    let line = format!("PUT {}", top.path());
    let read_only = json!({"size": 1});
    budget.line(422, &line, read_only, "BatchGetItem").await;

    assert_moves(budget, &top, &ids).await;

    let access = format!("{}/access-control", top.path());
    let protected = json!({"access_control": {"requires_auth": true}});
    let change = "2 BatchGetItem, TransactWriteItems";
    budget.put(&access, protected, change).await;
    budget.reset(&access, change).await;
    let deletion = "BatchGetItem, GetItem, SendMessageBatch, TransactWriteItems";
    budget.delete(top.path(), deletion).await;
    budget.delete(inner.path(), deletion).await;
    stack.run_purges().await;
}
