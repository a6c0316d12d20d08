//! Operations of the tests in `deletions`: preparing one, performing it, and checking its outcome.

use serde_json::{Value, json};
use tests::{PHOTO, Response, Stack, TestSpace, minutes, text};

use crate::uploads::presign::PendingFile;

/// The operation under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    DeleteFile,
    /// Deletes a file whose bytes were sent but not confirmed.
    DeletePending,
    DeleteFolder,
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
            Operation::DeleteFile | Operation::DeletePending => "files",
            Operation::DeleteFolder | Operation::MoveFolder => "folders",
        }
    }

    pub(super) async fn prepare<'a>(self, stack: &'a Stack, acme: &'a TestSpace) -> Setup<'a> {
        let from = folder(acme, "from", None).await;
        let to = folder(acme, "to", None).await;
        let mut inner = None;
        let address = match self {
            Operation::DeleteFile => {
                let photo = acme.upload(PHOTO).into_id(&from);
                photo.with_ref("x").await.path().to_owned()
            }
            Operation::DeletePending => {
                let pending_file =
                    PendingFile::create(acme, json!({"folder_id": from, "ref": "x"})).await;
                pending_file.send(stack, PHOTO).await.expect_status(200);
                pending_file.address()
            }
            Operation::DeleteFolder => {
                format!("/folders/{}", folder(acme, "subject", Some(&from)).await)
            }
            Operation::MoveFolder => {
                let subject = folder(acme, "subject", Some(&from)).await;
                inner = Some(folder(acme, "inner", Some(&subject)).await);
                format!("/folders/{subject}")
            }
        };
        let record = acme.get_ok(&address).await;

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
        let client = &setup.acme.client;
        match self {
            Operation::MoveFolder => {
                client
                    .put(&setup.address, json!({"parent_id": setup.to}))
                    .await
            }
            _ => client.delete(&setup.address).await,
        }
    }

    /// Asserts that the operation took effect as a whole or not at all, cleans up, and returns
    /// whether it did.
    pub(super) async fn settle(self, setup: &Setup<'_>) -> bool {
        let is_done = match self {
            Operation::DeleteFile | Operation::DeletePending => setup.settle_file().await,
            Operation::DeleteFolder => setup.settle_folder().await,
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

    async fn is_there(&self) -> bool {
        let response = self.acme.get(&self.address).await;
        if response.status == 404 {
            false
        } else {
            !response.expect_ok().is_null()
        }
    }

    /// Returns the ids of a list.
    async fn listed(&self, list: &str) -> Vec<Value> {
        let page = self
            .acme
            .fetch(&format!("/{list}&space_id={}", self.acme.id))
            .await
            .json();
        page["data"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|record| record["id"].clone())
            .collect()
    }

    /// Returns whether a folder has folders.
    async fn has_children(&self, id: &str) -> bool {
        self.acme.get_ok(&format!("/folders/{id}")).await["has_children"] == true
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

    /// Asserts that the file is unchanged, or else that it is gone.
    async fn assert_file(&self, is_there: bool) {
        let client = &self.acme.client;
        let id = &self.record["id"];
        let expected = if is_there {
            vec![id.clone()]
        } else {
            Vec::new()
        };
        let in_folder = format!("files?folder_id={}", self.from);
        for list in ["files?limit=10", &in_folder, "files?search=photo"] {
            assert_eq!(self.listed(list).await, expected, "{list}");
        }
        let is_active = is_there && self.record["status"] == "active";
        let record = client.get(&self.address).await;
        let found = client
            .get(&format!("/files/by-ref?ref=x&space_id={}", self.acme.id))
            .await;
        if is_there {
            assert_eq!(record.expect_ok(), self.record);
        } else {
            record.expect_error(404);
        }

        let url = format!(
            "{}/{}",
            self.stack.local.cdn_url(),
            text(&self.record["storage_path"])
        );
        let delivered = self.stack.anonymous.get(&url).await;
        if is_active {
            assert_eq!(found.expect_ok(), self.record);
            assert_eq!(delivered.expect_status(200).body, PHOTO);
        } else {
            found.expect_error(404);
            delivered.expect_error(404);
        }

        // A folder with a file is not empty.
        if is_there {
            client
                .delete_err(409, &format!("/folders/{}", self.from))
                .await;
        }
    }

    async fn settle_folder(&self) -> bool {
        let is_there = self.is_there().await;
        assert_eq!(self.has_children(&self.from).await, is_there);

        let expected = if is_there {
            vec![self.record["id"].clone()]
        } else {
            Vec::new()
        };

        assert_eq!(
            self.listed(&format!("folders?parent_id={}", self.from))
                .await,
            expected
        );

        // A folder that was locked for deletion is unlocked.
        self.stack.run_for(minutes(3)).await;

        let named = json!({"name": "SUBJECT", "space_id": self.acme.id, "parent_id": self.from});
        let same = self.acme.post("/folders", named).await;

        if is_there {
            assert_eq!(
                same.expect_error(422),
                json!({"name": ["The name has already been taken."]})
            );
            assert_eq!(
                self.record["id"],
                self.acme.get_ok(&self.address).await["id"]
            );
            let subject = text(&self.record["id"]);
            let inner = folder(self.acme, "inner", Some(&subject)).await;
            self.delete(&format!("/folders/{inner}")).await;
            self.delete(&self.address).await;
        } else {
            self.delete(&format!("/folders/{}", text(&same.expect_created()["id"])))
                .await;
        }

        !is_there
    }

    async fn settle_move(&self) -> bool {
        let record = self.acme.get_ok(&self.address).await;
        let is_moved = record["parent_id"] == self.to.as_str();
        let parent = if is_moved { &self.to } else { &self.from };
        let other_parent = if is_moved { &self.from } else { &self.to };
        let path = if is_moved {
            "to/subject/"
        } else {
            "from/subject/"
        };

        assert_eq!(
            (&record["parent_id"], &record["path"]),
            (&json!(parent), &json!(path))
        );
        for (id, listed) in [
            (parent, vec![record["id"].clone()]),
            (other_parent, Vec::new()),
        ] {
            assert_eq!(self.has_children(id).await, !listed.is_empty());
            assert_eq!(
                self.listed(&format!("folders?parent_id={id}")).await,
                listed
            );
        }

        let inner = format!(
            "/folders/{}",
            self.inner.as_ref().expect("there is one in it")
        );

        assert_eq!(
            self.acme.get_ok(&inner).await["path"],
            format!("{path}inner/")
        );

        // Its depth counts at its new place alone.
        self.acme
            .delete_err(409, &format!("/folders/{parent}"))
            .await;
        self.delete(&inner).await;
        self.delete(&self.address).await;

        is_moved
    }
}
