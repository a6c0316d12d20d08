//! `DELETE /folders/:id?force=true`: a folder with its contents is inaccessible at once, and all of
//! its data is deleted in time. What left the folder before stays.

use sam_template::RecursiveLoop;
use serde_json::{Value, json};
use table::item_keys;
use tests::{File, Folder, PHOTO, Stack, TestSpace, column, minutes, rows, seconds, stack_test};

use super::create::ROOT;
use crate::{
    files::delete::assert_unknown,
    jobs::batches::small_jobs,
    spaces::delete::stored_data,
    support::pages::list_ids,
    uploads::presign::{PendingFile, presign_body},
};

/// Three nested folders with files in them.
pub(crate) struct Tree {
    pub(crate) folders: [Folder; 3],
    /// An open and a protected file, and a text.
    pub(crate) files: [File; 3],
    /// A signed URL of the protected file.
    signed: String,
    /// A file whose bytes were sent, but not confirmed.
    pub(crate) pending: PendingFile,
}

impl Tree {
    /// Creates the folders and files, and a rendition.
    pub(crate) async fn plant(stack: &Stack, acme: &TestSpace) -> Tree {
        let outer = acme.folder("Photos").await;
        let inner = acme.folder("Inner").inside(&outer).await;
        let deepest = acme.folder("Deepest").inside(&inner).await;

        let open = acme.upload(PHOTO).into(&outer).with_ref("cover").await;
        let protected = acme.upload(PHOTO).into(&inner).await;
        let text = acme.upload("text").named("a.txt", "text/plain");
        let text = text.into(&deepest).await;
        stack.anonymous.fetch(&open.url_with("w=32")).await;
        acme.put_ok(open.path(), json!({"tags": ["red"]})).await;
        let private = json!({"type": "private"});
        acme.put_ok(protected.path(), private).await;

        let pending = PendingFile::create(acme, json!({"folder_id": inner.id})).await;
        pending.put(stack, PHOTO).await;
        Tree {
            folders: [outer, inner, deepest],
            signed: acme.sign(&protected, minutes(10)).await,
            files: [open, protected, text],
            pending,
        }
    }

    /// Returns the path that deletes the tree.
    pub(crate) fn deletion(&self) -> String {
        format!("{}?force=true", self.folders[0].path())
    }

    pub(crate) async fn delete(&self, acme: &TestSpace) {
        let deleted = acme.delete(&self.deletion()).await;
        deleted.expect_status(202).expect_body("");
    }

    /// Asserts that no request finds one of the folders.
    async fn assert_no_folders(&self, stack: &Stack, acme: &TestSpace) {
        let other = acme.folder("Other").await;
        let listed = acme.get_ok("/folders").await;
        assert_eq!(column(&listed, "id"), [json!(other.id)]);

        for folder in &self.folders {
            let path = folder.path();
            let access = format!("{path}/access-control");
            for client in [&acme.client, &stack.account()] {
                client.get_err(404, path).await;
                client.put_err(404, path, json!({"name": "x"})).await;
                client.delete_err(404, &access).await;
                for force in ["false", "true"] {
                    let deletion = format!("{path}?force={force}");
                    client.delete_err(404, &deletion).await;
                }
            }

            let into = json!({"parent_id": folder.id, "folder_id": folder.id});
            let presign = presign_body(acme, into.clone());
            let new = json!({"space_id": acme.id, "name": "x", "parent_id": folder.id});
            for list in ["/folders?parent_id=", "/files?folder_id="] {
                acme.get_err(422, &format!("{list}{}", folder.id)).await;
            }
            acme.post_err(422, "/folders", new).await;
            acme.post_err(422, "/upload/presign", presign).await;
            acme.put_err(422, other.path(), into).await;
            let upload = acme.upload(PHOTO).into(folder).send().await;
            upload.expect_error(422);
        }
        acme.delete_ok(other.path()).await;
    }

    /// Asserts that no request finds one of the files, and that lists contain only `others`.
    async fn assert_no_files(&self, stack: &Stack, acme: &TestSpace, others: &[&str]) {
        let mut urls = vec![self.signed.clone(), self.files[0].url_with("w=32")];
        let ids = self.files.each_ref().map(|file| &file.id);

        for file in &self.files {
            for client in [&acme.client, &stack.account()] {
                assert_unknown(client, file).await;
                let body = json!({"file_ids": [file.id]});
                let found = client.post("/files/urls", body).await.json();
                assert_eq!(found, json!({"data": [], "not_found": [file.id]}));
            }
            urls.push(file.url().to_owned());
        }
        for client in [&stack.anonymous, &acme.client] {
            for url in &urls {
                client.get_err(404, url).await;
            }
        }

        for filters in ["", "search=", "tag=red", "fields=id", "sign_minutes=5"] {
            for id in list_ids(acme, filters).await {
                assert!(others.contains(&id.as_str()), "{filters}: {id}");
            }
        }
        let batch = json!({"ids": ids, "operation": "delete"});
        let results = acme.post_ok("/files/batch", batch).await;
        for error in column(&results, "error") {
            assert_eq!(error["status"], 404);
        }
        self.pending.confirm(acme).await.expect_error(404);
        let record = format!("FILE#{}", self.pending.id());
        for (key, item) in stack.dump().await.items {
            assert!(key.sort != record || item["status"] == "pending", "{item}");
        }
    }
}

#[stack_test]
async fn deleted_contents_disappear_at_once_and_are_purged(stack: &Stack, acme: &TestSpace) {
    let cover = acme.upload(PHOTO).with_ref("cover").await;
    let before = stored_data(stack).await;
    stack.clock.advance(seconds(1));
    let tree = Tree::plant(stack, acme).await;
    let inner = &tree.folders[1];
    let watermark = json!({"watermark": {"enabled": true, "file_id": cover.id}});
    acme.set_security(inner.path(), watermark).await;
    let moved = acme.folder("Moved").inside(inner).await;
    let kept = acme.upload(PHOTO).into(&moved).await;
    acme.put_ok(moved.path(), json!({"parent_id": null})).await;

    tree.delete(acme).await;

    acme.delete_err(404, &tree.deletion()).await;
    stack.anonymous.fetch(kept.url()).await.expect_body(PHOTO);
    let by_ref = acme.get_ok("/files/by-ref?ref=cover").await;
    assert_eq!(by_ref["id"], *cover.id);
    acme.delete_ok(kept.path()).await;
    acme.delete_ok(moved.path()).await;
    // The same before the purge, and after its first minute.
    for time in [seconds(0), minutes(1)] {
        stack.run_for(time).await;
        tree.assert_no_folders(stack, acme).await;
        tree.assert_no_files(stack, acme, &[&cover.id]).await;
        // The name is free.
        let again = acme.folder("photos").inside(&ROOT).await;
        acme.delete_ok(again.path()).await;
    }

    stack.run_purges().await;
    stack.run_confirm_checks().await;
    let after = stored_data(stack).await;
    after.assert_unchanged(&before, "a folder that was deleted with its contents");
}

#[stack_test]
async fn forced_deletion_requires_the_role_admin(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    let tree = Tree::plant(stack, acme).await;
    let clients = [acme.role("viewer").await, acme.role("user").await];
    let before = stored_data(stack).await;
    let deletion = tree.deletion();

    for client in clients {
        client.delete_err(403, &deletion).await;
    }
    other.delete_err(404, &deletion).await;
    stack.anonymous.delete_err(401, &deletion).await;
    let path = tree.folders[0].path();
    for (query, status) in rows::<(String, u16)>(json!([
        ["", 409],
        ["force=", 409],
        ["force=false", 409],
        ["force=0", 409],
        ["force=yes", 422],
        ["force=TRUE", 422],
        ["force=2", 422],
        ["force=null", 422],
    ])) {
        acme.delete_err(status, &format!("{path}?{query}")).await;
    }
    let after = stored_data(stack).await;
    after.assert_unchanged(&before, "rejected deletions");

    let admin = acme.role("admin").await;
    let by_number = format!("{path}?force=1");
    admin.delete(&by_number).await.expect_status(202);
    let empty = acme.folder("Empty").await;
    let empty = format!("{}?force=true", empty.path());
    admin.delete(&empty).await.expect_status(202);
    stack.run_purges().await;
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn deletion_with_contents_sends_no_webhooks(stack: &Stack, acme: &TestSpace) {
    let settings = json!({"notifications": {"events": ["file.deleted"]}});
    acme.upload_config("quiet").with_settings(settings).await;
    let folder = acme.folder("Photos").await;
    let photo = acme.upload(PHOTO).into(&folder);
    photo.with_config("quiet").await;
    let hook = json!({"webhook_url": "https://example.com/hook"});
    acme.update(hook).await;

    let path = format!("{}?force=true", folder.path());
    acme.delete(&path).await.expect_status(202);
    stack.run_purges().await;

    let dump = stack.dump().await;
    let mut keys = dump.items.keys();
    assert!(!keys.any(|key| key.sort.starts_with(item_keys::WEBHOOK_MESSAGES)));
    assert!(dump.objects.is_empty());
}

#[stack_test(options = small_jobs(RecursiveLoop::Allow))]
async fn deep_and_wide_folders_are_purged_by_many_jobs(stack: &Stack, acme: &TestSpace) {
    let before = stored_data(stack).await;
    let root = acme.folder("Root").await;
    let mut deepest = root.id.clone();
    for depth in 2..=20 {
        let folder = acme.folder(&depth.to_string()).inside_id(Some(&deepest));
        deepest = folder.await.id;
    }
    for number in 0..5 {
        let name = format!("Wide {number}");
        acme.folder(&name).inside(&root).await;
        for folder in [&root.id, &deepest] {
            let file = acme.upload("text").named("a.txt", "text/plain");
            file.into_id(folder).await;
        }
    }

    let path = format!("{}?force=true", root.path());
    acme.delete(&path).await.expect_status(202);
    stack.run_purges().await;

    let after = stored_data(stack).await;
    after.assert_unchanged(&before, "folders that were deleted by many jobs");
}

/// Returns the usage that a space reports.
async fn files_in_use(acme: &TestSpace) -> Value {
    acme.get_ok(&format!("{}/usage", acme.path())).await["files"].clone()
}

#[stack_test]
async fn space_is_deletable_once_its_folders_are_purged(stack: &Stack, acme: &TestSpace) {
    let tree = Tree::plant(stack, acme).await;
    let space = format!("/spaces?id={}", acme.id);
    assert_eq!(files_in_use(acme).await, 3);

    tree.delete(acme).await;
    acme.delete_err(409, &space).await;
    stack.run_purges().await;

    assert_eq!(files_in_use(acme).await, 0);
    acme.delete_ok(&space).await;
    stack.run_purges().await;
    stack.run_confirm_checks().await;
}
