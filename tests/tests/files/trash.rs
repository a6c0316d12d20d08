//! The trash of a space: deleted files are hidden, and restored or purged.

use std::{slice, time::Duration};

use serde_json::{Value, json};
use table::item_keys;
use tests::{
    Client, File, PHOTO, Stack, TestSpace, assert_fields, field_error, merged, name_taken, rows,
    stack_test,
};

use super::{
    batch::{batch, deletion},
    delete::{assert_forgotten, assert_not_listed, create_config, delete_by_body, upload_tagged},
};
use crate::{
    spaces::delete::{stored_data, with_retired},
    support::{
        pages::list_ids,
        seeded::{Place, invariants::assert_file_records},
    },
    uploads::{config_rules::own_names, presign::PendingFile},
};

/// The period of the sweep.
pub(crate) const DAY: Duration = Duration::from_hours(24);
/// Start of every record.
const PLACE: Place = Place { seed: 0, step: 0 };

/// Lets the space keep deleted files for a number of days.
pub(crate) async fn keep_for_days(acme: &TestSpace, days: u8) {
    acme.update(json!({"trash_days": days})).await;
}

async fn restore(client: &Client, file: &File) -> Value {
    let path = format!("{}/restore", file.path());
    client.post_ok(&path, json!({})).await
}

async fn assert_not_restored(client: &Client, file: &File, status: u16) -> Value {
    let path = format!("{}/restore", file.path());
    client.post_err(status, &path, json!({})).await
}

async fn trashed(acme: &TestSpace) -> Vec<String> {
    list_ids(acme, "status=trashed").await
}

/// Asserts the numbers of active and trashed photos that are counted, and that they are those that
/// are stored.
pub(super) async fn assert_usage(stack: &Stack, acme: &TestSpace, active: usize, trashed: usize) {
    let usage = acme.get_ok(&format!("{}/usage", acme.path())).await;
    let count = |files: usize| json!({"files": files, "bytes": files * PHOTO.len()});
    assert_fields(
        &usage,
        merged(count(active), json!({"trashed": count(trashed)})),
    );
    assert_file_records(&stack.dump().await, PLACE);
}

#[stack_test]
async fn trashed_file_is_hidden_until_it_is_restored(stack: &Stack, acme: &TestSpace) {
    keep_for_days(acme, 7).await;
    create_config(acme).await;
    let photos = acme.folder("Photos").await;
    let file = upload_tagged(acme, &photos.id).await;
    stack.run_post_upload().await;
    let before = acme.get_ok(file.path()).await;
    let cached = stack.anonymous.fetch(file.url()).await;

    let deleted_at = stack.now();
    acme.delete_ok(file.path()).await.expect_body("");
    stack.clock.advance(DAY);
    acme.delete_ok(file.path()).await;

    assert_not_listed(acme, &file).await;
    acme.get_err(404, "/files/by-ref?ref=order").await;
    let urls = json!({"file_ids": [file.id]});
    let urls = acme.post("/files/urls", urls).await.json();
    assert_eq!(urls["not_found"], json!([file.id]));
    let unchanged = [("if-none-match", cached.header("etag"))];
    stack.anonymous.fetch_as(404, file.url(), &unchanged).await;
    acme.get_err(404, file.url()).await;

    assert_eq!(trashed(acme).await, slice::from_ref(&file.id));
    for filter in ["tag=a", "search=photo", "resource_type=image"] {
        let ids = list_ids(acme, &format!("status=trashed&{filter}")).await;
        assert_eq!(ids, slice::from_ref(&file.id), "{filter}");
    }
    let shown = json!({
        "status": "trashed", "trashed_at": deleted_at.rfc3339(), "purge_at": deleted_at.plus_ms(7 * 86_400_000).rfc3339(),
        "url": null, "thumbnails": [], "updated_at": deleted_at.rfc3339(),
    });
    let trashed_file = acme.get_ok(file.path()).await;
    assert_eq!(trashed_file, merged(before.clone(), shown));
    assert_usage(stack, acme, 0, 1).await;

    let restored = restore(acme, &file).await;
    let shown = json!({"updated_at": restored["updated_at"]});
    assert_eq!(restored, merged(before, shown));
    assert_eq!(acme.get_ok(file.path()).await, restored);
    stack.anonymous.fetch(file.url()).await.expect_body(PHOTO);
    let in_folder = format!("folder_id={}", photos.id);
    for filter in ["", "search=photo", "tag=a", &in_folder] {
        let ids = list_ids(acme, filter).await;
        assert_eq!(ids, slice::from_ref(&file.id), "{filter}");
    }
    assert_eq!(acme.get_ok("/files/by-ref?ref=order").await, restored);
    assert_eq!(trashed(acme).await, [""; 0]);
    assert_usage(stack, acme, 1, 0).await;
    acme.delete_err(409, photos.path()).await;
}

#[stack_test]
async fn trashed_file_cannot_be_changed(acme: &TestSpace) {
    keep_for_days(acme, 1).await;
    let file = acme.upload(PHOTO).await;
    let in_trash = field_error("status", "must not be trashed");
    let not_in_trash = field_error("status", "must be trashed");
    assert_eq!(assert_not_restored(acme, &file, 409).await, not_in_trash);
    acme.delete_ok(file.path()).await;

    let access = format!("{}/access-control", file.path());
    let sign = format!("{}/signed-url", file.path());
    let update = json!({"id": file.id, "title": "Harbour"});
    let public = json!({"access_control": {"requires_auth": false}});
    let into_new = json!({"folder_id": "root", "folder_path": "new"});
    for errors in [
        acme.put_err(409, file.path(), into_new).await,
        acme.put_err(409, "/files", update).await,
        acme.put_err(409, &access, public).await,
        acme.delete_err(409, &access).await,
        acme.post_err(409, &sign, json!({})).await,
    ] {
        assert_eq!(errors, in_trash);
    }
    assert_eq!(acme.get_ok("/folders").await, json!([]));
}

/// The purge of a space leaves such an entry if a request trashes a file meanwhile.
#[stack_test]
async fn due_entry_without_its_file_is_removed(stack: &Stack, acme: &TestSpace) {
    keep_for_days(acme, 1).await;
    let file = acme.upload(PHOTO).await;
    acme.delete_ok(file.path()).await;
    stack.remove_file_record(acme, &file.id).await;

    let entries = async || {
        let dump = stack.dump().await;
        dump.items_with_prefix(item_keys::TRASH).count()
    };
    assert_eq!(entries().await, 1);
    for _ in 0..2 {
        stack.run_for(DAY).await;
    }
    assert_eq!(entries().await, 0);
}

#[stack_test]
async fn due_file_is_purged(stack: &Stack, acme: &TestSpace) {
    keep_for_days(acme, 3).await;
    create_config(acme).await;
    let before = stored_data(stack).await;
    let [file, kept] = [upload_tagged(acme, "root").await, acme.upload(PHOTO).await];
    stack.anonymous.fetch(&file.url_with("w=40")).await;
    acme.delete_ok(file.path()).await;
    // A change affects later deletions only.
    keep_for_days(acme, 30).await;
    acme.delete_ok(kept.path()).await;

    for _ in 0..2 {
        stack.run_for(DAY).await;
        assert_usage(stack, acme, 0, 2).await;
    }
    for _ in 0..2 {
        stack.run_for(DAY).await;
    }
    stack.run_purges().await;

    assert_forgotten(stack, &file.id).await;
    acme.get_err(404, file.path()).await;
    assert_not_restored(acme, &file, 404).await;
    assert_usage(stack, acme, 0, 1).await;

    let permanent = format!("{}?permanent=true", kept.path());
    acme.delete_ok(&permanent).await;
    stack.run_purges().await;
    keep_for_days(acme, 3).await;
    let is_setting = |key: &item_keys::Key| key.sort == "SPACE" || key.sort == "SWEEP";
    let [mut before, mut after] = [before, stored_data(stack).await];
    for dump in [&mut before, &mut after] {
        dump.items.retain(|key, _| !is_setting(key));
    }
    after.assert_unchanged(&before, "files that were purged from the trash");
}

#[stack_test]
async fn deletion_is_final_without_a_trash_or_if_it_is_permanent(stack: &Stack, acme: &TestSpace) {
    for days in [0, 30] {
        keep_for_days(acme, days).await;
        let pending = PendingFile::create(acme, json!({})).await;
        let active = acme.upload(PHOTO).await;
        acme.delete_ok(&pending.address()).await;
        let permanent = format!("/files?id={}&permanent=true", active.id);
        acme.delete_ok(&permanent).await;
        let named = acme.upload(PHOTO).await;
        let body = json!({"id": named.id, "permanent": true});
        delete_by_body(acme, body).await.expect_status(204);

        stack.run_purges().await;
        for id in [pending.id(), &active.id, &named.id] {
            assert_forgotten(stack, id).await;
        }
    }
    let file = acme.upload(PHOTO).await;
    let invalid = format!("{}?permanent=x", file.path());
    let invalid = acme.delete_err(422, &invalid).await;
    assert_eq!(invalid, field_error("permanent", "must be true or false"));
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn name_of_trashed_file_is_free(stack: &Stack, acme: &TestSpace) {
    keep_for_days(acme, 30).await;
    acme.upload_config("own").with_settings(own_names()).await;
    let upload = |text: &'static str| {
        let named = acme.upload(text).named("notes.txt", "text/plain");
        named.with_config("own")
    };
    let first = upload("first").await;
    acme.delete_ok(first.path()).await;
    let second = upload("second").await;
    assert_eq!(second.url(), first.url());

    let taken = assert_not_restored(acme, &first, 409).await;
    assert_eq!(taken, name_taken());
    let delivered = stack.anonymous.fetch(second.url()).await;
    delivered.expect_body("second");

    // Either of both that are in the trash can return.
    acme.delete_ok(second.path()).await;
    for (file, text) in [(&first, "first"), (&second, "second")] {
        restore(acme, file).await;
        stack.anonymous.fetch(file.url()).await.expect_body(text);
        acme.delete_ok(file.path()).await;
    }
}

#[stack_test]
async fn file_is_restored_to_the_root_if_its_folder_is_gone(stack: &Stack) {
    for mode in ["dynamic", "fixed"] {
        let name = format!("Space {mode}");
        let fields = json!({"name": name, "folder_mode": mode});
        let space = stack.space_with(fields).await;
        space.update(json!({"name": name, "trash_days": 1})).await;
        let user = space.role("user").await;
        let folder = space.folder("Photos").await;
        let open = space.upload(PHOTO).into(&folder).by(&user).await;
        space.delete_ok(open.path()).await;
        space.set_access(folder.path(), Some(true)).await;
        let file = space.upload(PHOTO).into(&folder).by(&user).await;
        user.delete_ok(file.path()).await;
        space.delete_ok(folder.path()).await;

        // Only an admin lowers the protection of a file.
        assert_not_restored(&user, &file, 403).await;
        let restored = restore(&space, &file).await;
        restore(&user, &open).await;

        let at_root =
            json!({"folder_id": null, "folder_path": null, "storage_path": file["storage_path"]});
        assert_fields(&restored, at_root);
        stack.anonymous.fetch(file.url()).await.expect_body(PHOTO);
        let listed = list_ids(&space, "folder_id=root").await;
        assert_eq!(listed, [file.id.clone(), open.id.clone()]);
    }
}

#[stack_test]
async fn users_restore_their_own_files(acme: &TestSpace, other: &TestSpace) {
    keep_for_days(acme, 5).await;
    let user = acme.role("user").await;
    let own = acme.upload(PHOTO).by(&user).await;
    let foreign = acme.upload(PHOTO).await;
    for file in [&own, &foreign] {
        acme.delete_ok(file.path()).await;
    }

    restore(&user, &own).await;
    assert_not_restored(&user, &foreign, 403).await;
    let permanent = format!("{}?permanent=true", foreign.path());
    user.delete_err(403, &permanent).await;
    for client in [&acme.role("viewer").await, &acme.role("admin").await] {
        client.get_ok(foreign.path()).await;
    }
    assert_not_restored(&acme.role("viewer").await, &foreign, 403).await;
    assert_not_restored(other, &foreign, 404).await;
    restore(&acme.role("admin").await, &foreign).await;
}

#[stack_test]
async fn batch_fills_and_empties_the_trash(stack: &Stack, acme: &TestSpace, other: &TestSpace) {
    keep_for_days(acme, 5).await;
    let files = [acme.upload(PHOTO).await, acme.upload(PHOTO).await];
    let foreign = other.upload(PHOTO).await;
    let ids = [files[0].id.as_str(), &files[1].id, &foreign.id];
    let restoration = json!({"ids": ids, "operation": "restore"});
    let final_deletion = merged(deletion(&ids[1..]), json!({"permanent": true}));

    assert_eq!(batch(acme, restoration.clone()).await, [409, 409, 404]);
    assert_eq!(batch(acme, deletion(&ids)).await, [0, 0, 404]);
    assert_eq!(batch(acme, deletion(&ids)).await, [0, 0, 404]);
    assert_usage(stack, acme, 0, 2).await;
    let update = json!({"ids": ids, "operation": "update", "add_tags": ["a"]});
    assert_eq!(batch(acme, update).await, [409, 409, 404]);
    assert_eq!(batch(acme, final_deletion).await, [0, 404]);
    assert_eq!(batch(acme, restoration).await, [0, 404, 404]);
    assert_usage(stack, acme, 1, 0).await;

    let of_update = "must be absent unless operation is update";
    let of_deletion = "must be absent unless operation is delete";
    for (fields, name, end) in rows::<(Value, String, String)>(json!([
        [{"operation": "restore", "add_tags": ["a"]}, "add_tags", of_update],
        [{"operation": "restore", "permanent": true}, "permanent", of_deletion],
        [{"operation": "delete", "type": "private"}, "type", of_update],
    ])) {
        let body = merged(json!({ "ids": ids }), fields);
        let errors = acme.post_err(422, "/files/batch", body).await;
        assert_eq!(errors, field_error(&name, &end));
    }
    stack.run_purges().await;
}

#[stack_test]
async fn trashed_files_go_with_their_space(stack: &Stack) {
    for query in ["", "&force=true"] {
        let before = stored_data(stack).await;
        let acme = stack.space("Acme").await;
        keep_for_days(&acme, 30).await;
        let file = acme.upload(PHOTO).await;
        acme.delete_ok(file.path()).await;

        let deletion = acme.delete(&format!("/spaces?id={}{query}", acme.id)).await;
        deletion.expect_status_of(&[202, 204]);
        stack.run_purges().await;

        let after = stored_data(stack).await;
        let expected = with_retired(before, &acme.handle);
        after.assert_unchanged(&expected, "a space with a trash");
    }
}
