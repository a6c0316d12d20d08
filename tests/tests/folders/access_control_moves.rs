//! Access of files and folders that are moved to a folder with another access setting.

use serde_json::{Value, json};
use tests::{Folder, Stack, TestSpace, stack_test, text};

use super::create::ROOT;

use super::access_control::{effective, upload_to};

/// Nested folders with access settings, and a file in the inner one.
struct MoveFixture<'a> {
    stack: &'a Stack,
    acme: TestSpace,
    /// A folder that requires authentication.
    protected: Folder,
    /// A folder that does not.
    public: Folder,
    /// A folder in the protected one, without a setting.
    inner: Folder,
    file: Value,
}

impl MoveFixture<'_> {
    async fn new(stack: &Stack) -> MoveFixture<'_> {
        let acme = stack.space("Acme").await;
        let protected = acme.folder("Protected").await;
        let public = acme.folder("Public").await;
        let inner = acme.folder("Inner").inside(&protected).await;
        let file = upload_to(&acme, &inner, "starter").await;
        let fixture = MoveFixture {
            stack,
            acme,
            protected,
            public,
            inner,
            file,
        };

        fixture.set(&fixture.protected, true).await;
        fixture.set(&fixture.public, false).await;
        fixture
    }

    async fn set(&self, folder: &Folder, requires_auth: bool) {
        let path = format!("{}/access-control", folder.path());
        let body = json!({"access_control": {"requires_auth": requires_auth}});
        self.acme.put_ok(&path, body).await;
    }

    async fn move_into(&self, folder: &Folder, parent: &Value) -> Value {
        let body = json!({"parent_id": parent["id"]});
        self.acme.put_ok(folder.path(), body).await
    }

    async fn move_file_into(&self, folder_id: &str) {
        let path = format!("/files/{}", text(&self.file["id"]));
        let body = json!({"folder_id": folder_id});
        self.acme.put_ok(&path, body).await;
    }

    /// Asserts the effective setting of the file, and its effect on delivery.
    async fn assert_file(&self, requires_auth: bool, source: &str, inherited_from: &str) {
        let path = format!("/files/{}", text(&self.file["id"]));
        let found = self.acme.get_ok(&path).await;
        assert_eq!(
            found["access_control"],
            effective(requires_auth, source, &json!(inherited_from))
        );

        let url = text(&self.file["url"]);
        let status = if requires_auth { 403 } else { 200 };
        self.stack.anonymous.get(&url).await.expect_status(status);
    }
}

#[stack_test]
async fn moved_folder_inherits_access_of_new_parent(stack: &Stack) {
    let fixture = MoveFixture::new(stack).await;
    let MoveFixture {
        acme,
        protected,
        public,
        inner,
        ..
    } = &fixture;
    fixture.assert_file(true, "folder", &protected.id).await;

    let in_root = fixture.move_into(inner, &ROOT).await;
    assert_eq!(
        in_root["access_control"],
        effective(false, "space", &json!(acme.id))
    );
    fixture.assert_file(false, "space", &acme.id).await;

    let in_public = fixture.move_into(inner, public).await;
    assert_eq!(
        in_public["access_control"],
        effective(false, "folder", &public["id"])
    );
    fixture.assert_file(false, "folder", &public.id).await;

    fixture.move_into(public, protected).await;
    fixture.assert_file(false, "folder", &public.id).await;
    fixture.move_into(inner, protected).await;
    fixture.assert_file(true, "folder", &protected.id).await;
}

#[stack_test]
async fn folder_keeps_its_setting_when_moved_and_renamed(stack: &Stack) {
    let fixture = MoveFixture::new(stack).await;
    let inner = &fixture.inner;

    fixture.set(inner, false).await;
    fixture.move_into(inner, &ROOT).await;
    let rename = json!({"name": "Renamed"});
    let client = &fixture.acme.client;
    client.put_ok(inner.path(), rename).await;

    fixture.assert_file(false, "folder", &inner.id).await;
}

#[stack_test]
async fn moved_file_inherits_access_of_new_folder(stack: &Stack) {
    let fixture = MoveFixture::new(stack).await;
    let MoveFixture {
        protected,
        public,
        inner,
        ..
    } = &fixture;
    fixture.set(inner, false).await;
    fixture.move_into(inner, &ROOT).await;

    for (folder, requires_auth) in [(protected, true), (public, false), (inner, false)] {
        fixture.move_file_into(&folder.id).await;
        fixture
            .assert_file(requires_auth, "folder", &folder.id)
            .await;
    }
    fixture.move_file_into("root").await;
    fixture.assert_file(false, "space", &fixture.acme.id).await;
}
