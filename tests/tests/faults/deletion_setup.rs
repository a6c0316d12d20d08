//! Operations of the tests in `deletions`: preparing one, performing it, and checking its outcome.

use serde_json::{Value, json};
use tests::{
    PHOTO, Response, Stack, TestSpace, assert_fields, column, folder_path, merged, minutes, text,
};

use crate::{
    files::trash::keep_for_days,
    support::seeded::{Place, invariants::assert_file_records},
    uploads::presign::PendingFile,
};

/// The operation under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    DeleteFile,
    /// Moves a file to the trash.
    TrashFile,
    RestoreFile,
    /// Deletes a file whose bytes were sent but not confirmed.
    DeletePending,
    DeleteFolder,
    /// Deletes a folder with a folder in it.
    DeleteWithContents,
    /// Moves a folder with a folder in it.
    MoveFolder,
}

/// The resource of the operation: a file or folder in a folder that has a sibling.
pub(super) struct Setup<'a> {
    pub(super) stack: &'a Stack,
    pub(super) acme: &'a TestSpace,
    pub(super) from: String,
    pub(super) to: String,
    /// Path of the resource in the API.
    pub(super) address: String,
    /// Record before the operation.
    pub(super) record: Value,
    /// Folder in the resource.
    pub(super) inner: Option<String>,
}

async fn folder(acme: &TestSpace, name: &str, parent: Option<&str>) -> String {
    acme.folder(name).inside_id(parent).await.id
}

impl Operation {
    pub(super) fn function(self) -> &'static str {
        match self {
            Operation::DeleteFile
            | Operation::TrashFile
            | Operation::RestoreFile
            | Operation::DeletePending => "files",
            Operation::DeleteFolder | Operation::DeleteWithContents | Operation::MoveFolder => {
                "folders"
            }
        }
    }

    pub(super) async fn prepare<'a>(self, stack: &'a Stack, acme: &'a TestSpace) -> Setup<'a> {
        let needs_trash = matches!(self, Operation::TrashFile | Operation::RestoreFile);
        if needs_trash && acme.get_ok(&acme.path()).await["trash_days"] == 0 {
            keep_for_days(acme, 1).await;
        }
        let from = folder(acme, "from", None).await;
        let to = folder(acme, "to", None).await;
        let mut inner = None;
        let address = match self {
            Operation::DeleteFile | Operation::TrashFile | Operation::RestoreFile => {
                let photo = acme.upload(PHOTO).into_id(&from);
                photo.with_ref("x").await.path().to_owned()
            }
            Operation::DeletePending => {
                let fields = json!({"folder_id": from, "ref": "x"});
                let pending = PendingFile::create(acme, fields).await;
                pending.send(stack, PHOTO).await.expect_status(200);
                pending.address()
            }
            Operation::DeleteFolder | Operation::DeleteWithContents | Operation::MoveFolder => {
                let subject = folder(acme, "subject", Some(&from)).await;
                if self != Operation::DeleteFolder {
                    inner = Some(folder(acme, "inner", Some(&subject)).await);
                }
                format!("/folders/{subject}")
            }
        };
        let record = acme.get_ok(&address).await;
        if self == Operation::RestoreFile {
            acme.delete_ok(&address).await;
        }

        Setup {
            stack,
            acme,
            from,
            to,
            address,
            record,
            inner,
        }
    }

    pub(super) async fn perform(self, setup: &Setup<'_>) -> Response {
        if self == Operation::MoveFolder {
            let body = json!({"parent_id": setup.to});
            return setup.acme.put(&setup.address, body).await;
        }
        if self == Operation::RestoreFile {
            return setup.acme.post(&setup.restoration(), json!({})).await;
        }
        let force = self == Operation::DeleteWithContents;
        let path = format!("{}?force={force}", setup.address);
        let path = if force { &path } else { &setup.address };
        setup.acme.delete(path).await
    }

    /// Asserts that the operation took effect as a whole or not at all, cleans up, and returns
    /// whether it did.
    pub(super) async fn settle(self, setup: &Setup<'_>) -> bool {
        let is_done = match self {
            Operation::DeleteFile | Operation::DeletePending => setup.settle_file().await,
            Operation::TrashFile => setup.settle_trashed().await,
            Operation::RestoreFile => !setup.settle_trashed().await,
            Operation::DeleteFolder | Operation::DeleteWithContents => setup.settle_folder().await,
            Operation::MoveFolder => setup.settle_move().await,
        };
        for id in [&setup.from, &setup.to] {
            setup.delete(&format!("/folders/{id}")).await;
        }
        is_done
    }
}

impl Setup<'_> {
    pub(super) async fn delete(&self, address: &str) {
        self.acme.delete_ok(address).await;
    }

    fn restoration(&self) -> String {
        format!("{}/restore", self.address)
    }

    async fn is_there(&self) -> bool {
        let response = self.acme.get(&self.address).await;
        response.expect_status_of(&[200, 404]).status == 200
    }

    /// Returns the id of the resource if it is there.
    fn id_if(&self, is_there: bool) -> Vec<Value> {
        is_there
            .then(|| self.record["id"].clone())
            .into_iter()
            .collect()
    }

    /// Returns the ids of a list.
    async fn listed(&self, list: &str) -> Vec<Value> {
        let path = format!("/{list}&space_id={}", self.acme.id);
        column(&self.acme.get_ok(&path).await, "id")
    }

    /// Asserts that a folder has the resource as its only folder, or none.
    async fn assert_parent(&self, id: &str, is_parent: bool) {
        let folder = self.acme.get_ok(&format!("/folders/{id}")).await;
        assert_eq!(folder["has_children"], is_parent);
        let listed = self.listed(&format!("folders?parent_id={id}")).await;
        assert_eq!(listed, self.id_if(is_parent));
    }

    async fn settle_file(&self) -> bool {
        let is_there = self.is_there().await;
        self.assert_file(is_there).await;
        // All jobs of the purge are due by then.
        self.stack.run_purges().await;
        self.assert_file(is_there).await;
        if is_there {
            self.delete(&self.address).await;
            self.stack.run_purges().await;
        }
        !is_there
    }

    /// Asserts that the file is unchanged, or else in the trash, from which it returns. Returns
    /// whether it was there.
    async fn settle_trashed(&self) -> bool {
        let status = self.acme.get_ok(&self.address).await["status"].take();
        let is_trashed = status == "trashed";
        let listed = self.listed("files?status=trashed").await;
        assert_eq!(listed, self.id_if(is_trashed));

        assert_file_records(&self.stack.dump().await, Place { seed: 0, step: 0 });
        if is_trashed {
            self.acme.post_ok(&self.restoration(), json!({})).await;
        }
        let restored = self.acme.get_ok(&self.address).await;
        let changed = json!({"updated_at": restored["updated_at"]});
        assert_eq!(restored, merged(self.record.clone(), changed));
        self.delete(&format!("{}?permanent=true", self.address))
            .await;
        self.stack.run_purges().await;
        is_trashed
    }

    /// Asserts that the file is unchanged, or else that it is gone.
    async fn assert_file(&self, is_there: bool) {
        let expected = self.id_if(is_there);
        let in_folder = format!("files?folder_id={}", self.from);
        for list in ["files?limit=10", &in_folder, "files?search=photo"] {
            assert_eq!(self.listed(list).await, expected, "{list}");
        }

        let is_active = is_there && self.record["status"] == "active";
        let by_ref = format!("/files/by-ref?ref=x&space_id={}", self.acme.id);
        for (path, is_found) in [(&self.address, is_there), (&by_ref, is_active)] {
            if is_found {
                assert_eq!(self.acme.get_ok(path).await, self.record);
            } else {
                self.acme.get_err(404, path).await;
            }
        }
        let path = text(&self.record["storage_path"]);
        let url = format!("{}/{path}", self.stack.local.cdn_url());
        if is_active {
            self.stack.anonymous.fetch(&url).await.expect_body(PHOTO);
        } else {
            self.stack.anonymous.get_err(404, &url).await;
        }

        // A folder with a file is not empty.
        if is_there {
            let folder = format!("/folders/{}", self.from);
            self.acme.delete_err(409, &folder).await;
        }
    }

    async fn settle_folder(&self) -> bool {
        let is_there = self.is_there().await;
        self.assert_parent(&self.from, is_there).await;

        // A folder that was locked for deletion is unlocked.
        self.stack.run_for(minutes(3)).await;

        let named = json!({"name": "SUBJECT", "space_id": self.acme.id, "parent_id": self.from});
        if is_there {
            let errors = self.acme.post_err(422, "/folders", named).await;
            let taken = json!({"name": ["The name has already been taken."]});
            assert_eq!(errors, taken);
            let subject = text(&self.acme.get_ok(&self.address).await["id"]);
            let inner = match &self.inner {
                Some(inner) => inner.clone(),
                None => folder(self.acme, "inner", Some(&subject)).await,
            };
            self.delete(&format!("/folders/{inner}")).await;
            self.delete(&self.address).await;
        } else {
            let same = self.acme.create("/folders", named).await;
            self.delete(&folder_path(&same)).await;
        }

        !is_there
    }

    async fn settle_move(&self) -> bool {
        let record = self.acme.get_ok(&self.address).await;
        let is_moved = record["parent_id"] == *self.to;
        let (parent, other, path) = if is_moved {
            (&self.to, &self.from, "to/subject/")
        } else {
            (&self.from, &self.to, "from/subject/")
        };
        assert_fields(&record, json!({"parent_id": parent, "path": path}));
        self.assert_parent(parent, true).await;
        self.assert_parent(other, false).await;

        let inner = self.inner.as_ref().expect("there is one in it");
        let inner = format!("/folders/{inner}");
        let record = self.acme.get_ok(&inner).await;
        assert_eq!(record["path"], format!("{path}inner/"));

        // Its depth counts at its new place alone.
        let parent = format!("/folders/{parent}");
        self.acme.delete_err(409, &parent).await;
        self.delete(&inner).await;
        self.delete(&self.address).await;

        is_moved
    }
}
