//! Requests that are paused at each of their calls while their folder is deleted with its contents,
//! and purged.

use std::pin::pin;

use futures::future::join_all;
use serde_json::{Value, json};
use tests::{File, Folder, PHOTO, Response, Stack, TestSpace, minutes};

use crate::{
    folders::delete_with_contents::Tree,
    support::seeded::{
        Place,
        invariants::{StoredLibrary, assert_file_records, assert_no_orphans},
        operations::Request,
    },
    uploads::presign::presign_body,
};

/// The request that is paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Racing {
    Upload,
    Presign,
    Confirm,
    MoveFileOut,
    MoveFileIn,
    MoveFolderOut,
    CreateFolder,
    DeleteFolder,
}

const ALL: [Racing; 8] = [
    Racing::Upload,
    Racing::Presign,
    Racing::Confirm,
    Racing::MoveFileOut,
    Racing::MoveFileIn,
    Racing::MoveFolderOut,
    Racing::CreateFolder,
    Racing::DeleteFolder,
];

/// What a request concerns beside the tree.
struct Outside {
    folder: Folder,
    file: File,
}

impl Racing {
    fn function(self) -> &'static str {
        match self {
            Racing::Upload | Racing::Presign | Racing::Confirm => "uploads",
            Racing::MoveFileOut | Racing::MoveFileIn => "files",
            Racing::MoveFolderOut | Racing::CreateFolder | Racing::DeleteFolder => "folders",
        }
    }

    fn request(self, acme: &TestSpace, tree: &Tree, outside: &Outside) -> Request {
        let [_, inner, deepest] = &tree.folders;
        let into = |folder: &Folder| json!({"folder_id": folder.id});
        let parent = |folder: &Folder| json!({"parent_id": folder.id});

        match self {
            Racing::Upload => Request::upload(into(inner)),
            Racing::Presign => Request::post("/upload/presign", presign_body(acme, into(inner))),
            Racing::Confirm => Request::post(&tree.pending.confirmation(), Value::Null),
            Racing::MoveFileOut => Request::put(tree.files[1].path(), into(&outside.folder)),
            Racing::MoveFileIn => Request::put(outside.file.path(), into(inner)),
            Racing::MoveFolderOut => Request::put(deepest.path(), parent(&outside.folder)),
            Racing::CreateFolder => {
                let new = json!({"space_id": acme.id, "name": "New", "parent_id": inner.id});
                Request::post("/folders", new)
            }
            Racing::DeleteFolder => Request::delete(&format!("{}?force=1", inner.path())),
        }
    }

    /// Pauses the request after a number of calls, and deletes the tree meanwhile. Returns the
    /// response, and whether the request made so many calls.
    async fn run(self, (stack, acme): (&Stack, &TestSpace), skips: u32, is_purged: bool) -> bool {
        let tree = Tree::plant(stack, acme).await;
        let name = format!("Outside {skips} {is_purged}");
        let outside = Outside {
            folder: acme.folder(&name).await,
            file: acme.upload(PHOTO).await,
        };
        let request = self.request(acme, &tree, &outside);

        let mut hold = stack.local.faults().hold(self.function(), skips);
        let mut sending = pin!(request.send(acme));
        let ended = tokio::select! {
            response = &mut sending => Some(response),
            () = hold.reached() => None,
        };
        let is_paused = ended.is_none();
        let response = if let Some(response) = ended {
            response
        } else {
            tree.delete(acme).await;
            if is_purged {
                stack.run_for(minutes(1)).await;
            }
            hold.release();
            sending.await
        };

        if !is_paused {
            tree.delete(acme).await;
        }
        stack.run_purges().await;
        stack.run_confirm_checks().await;
        self.assert_whole(stack, &tree, response).await;
        let place = Place {
            seed: 0,
            step: skips.into(),
        };
        let dump = stack.dump().await;
        assert_file_records(&dump, place);
        assert_no_orphans(&dump, place);
        StoredLibrary::of(&dump, &acme.id, place).assert_consistent();
        is_paused
    }

    /// Asserts that what was moved out is there, and nothing else of the tree.
    async fn assert_whole(self, stack: &Stack, tree: &Tree, response: Response) {
        let response = response.with_context(&format!("{self:?}"));
        let allowed = [200, 201, 202, 404, 422];
        let has_succeeded = response.expect_status_of(&allowed).status < 300;

        for (index, file) in tree.files.iter().enumerate() {
            let is_out = match self {
                Racing::MoveFileOut => index == 1,
                Racing::MoveFolderOut => index == 2,
                _ => false,
            };

            let status = stack.account().get(file.path()).await.status;
            assert!(status == 404 || is_out, "{self:?}: {status}");
            assert!(status == 200 || !is_out || !has_succeeded, "{self:?}");
            if status == 200 {
                stack.account().get(file.url()).await.expect_status(200);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_in_a_folder_that_is_purged_leave_all_or_nothing() {
    let run_all = async |racing: Racing| {
        let stack = Stack::start().await;
        let acme = stack.space("Acme").await;
        for is_purged in [false, true] {
            let mut skips = 0;
            while Box::pin(racing.run((&stack, &acme), skips, is_purged)).await {
                skips += 1;
            }
            assert!(skips >= 4, "{racing:?} makes {skips} calls");
        }
        stack.stop().await;
    };
    join_all(ALL.map(|racing| Box::pin(run_all(racing)))).await;
}
