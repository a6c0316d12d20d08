//! Access of files and folders that are moved to a folder with another access setting.

use serde_json::{Value, json};
use tests::{Stack, stack_test};

use super::create::{ROOT, address};
use crate::support::signer::text;

use super::access_control::{effective, upload_to};

#[stack_test]
async fn moved_items_inherit_access_of_new_parent(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let client = &acme.client;
    let closed = acme.folder("Closed").await;
    let open = acme.folder("Open").await;
    let inner = acme.folder("Inner").inside(&closed).await;
    let set = async |folder: &Value, value: bool| {
        let body = json!({"access_control": {"requires_auth": value}});
        client
            .put(&format!("{}/access-control", address(folder)), body)
            .await
            .expect_ok()
    };
    set(&closed, true).await;
    set(&open, false).await;
    let file = upload_to(&acme, &inner, "starter").await;
    let path = format!("/files/{}", text(&file["id"]));
    let check = async |requires_auth: bool, source: &str, inherited_from: &Value| {
        let found = client.get(&path).await.expect_ok();
        assert_eq!(
            found["access_control"],
            effective(requires_auth, source, inherited_from)
        );
        stack
            .anonymous
            .get(&text(&file["url"]))
            .await
            .expect_status(if requires_auth { 403 } else { 200 });
    };
    let space = json!(acme.id);
    let put = async |folder: &Value, into: &Value| {
        client
            .put(&address(folder), json!({"parent_id": into["id"]}))
            .await
            .expect_ok()
    };
    check(true, "folder", &closed["id"]).await;
    let at_top = put(&inner, &ROOT).await;
    assert_eq!(at_top["access_control"], effective(false, "space", &space));
    check(false, "space", &space).await;
    let opened = put(&inner, &open).await;
    assert_eq!(
        opened["access_control"],
        effective(false, "folder", &open["id"])
    );
    check(false, "folder", &open["id"]).await;
    put(&open, &closed).await;
    check(false, "folder", &open["id"]).await;
    put(&inner, &closed).await;
    check(true, "folder", &closed["id"]).await;
    // The setting of a folder is independent of its name.
    set(&inner, false).await;
    put(&inner, &ROOT).await;
    client
        .put(&address(&inner), json!({"name": "Renamed"}))
        .await
        .expect_ok();
    check(false, "folder", &inner["id"]).await;

    for (folder, requires_auth) in [(&closed, true), (&open, false), (&inner, false)] {
        client
            .put(&path, json!({"folder_id": folder["id"]}))
            .await
            .expect_ok();
        check(requires_auth, "folder", &folder["id"]).await;
    }
    client
        .put(&path, json!({"folder_id": "root"}))
        .await
        .expect_ok();
    check(false, "space", &space).await;
}
