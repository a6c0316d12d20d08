//! Random changes of folders, files and access control, compared with a model: after each change,
//! the API reports the access control of every folder and file as in the model, and the CDN
//! delivers to anonymous clients only the files that are open in the model.
//!
//! `LARDER_ACCESS_SEEDS=0..1000 cargo test -p tests models::access` runs other seeds,
//! `LARDER_ACCESS_SEEDS=57..58` a single one.

use std::collections::BTreeSet;

use futures::future::join_all;
use rand::{SeedableRng, rngs::SmallRng};
use serde_json::Value;
use tests::{Client, Extent, Response, Stack, TestSpace, column, minutes};

use crate::{
    files::trash::keep_for_days,
    support::{
        seeded::{
            Place,
            invariants::{StoredLibrary, assert_file_records, assert_no_orphans},
            model::Model,
            operations::{Kind, Operations, create_configs},
            pick, start_stack,
        },
        signer::SigningSecret,
    },
};

/// Seeds of a run.
const SEEDS: Extent = Extent::new(2, 24, "LARDER_ACCESS_SEEDS");
/// Maximum number of concurrent seeds.
const SEEDS_AT_ONCE: usize = 4;
/// Number of changes per seed.
const STEPS: u64 = 50;
/// Number of steps between purges of deleted folders.
const PURGE_INTERVAL: u64 = 10;
/// A chain of all folders is not too deep.
const OPERATIONS: Operations = Operations {
    kinds: &[
        (14, Kind::CreateFolder),
        (22, Kind::MoveFolder),
        (4, Kind::RenameFolder),
        (4, Kind::DeleteFolder),
        (2, Kind::DeleteWithContents),
        (5, Kind::SetSpaceAccess),
        (13, Kind::SetFolderAccess),
        (8, Kind::SetFileAccess),
        (5, Kind::ChangeType),
        (8, Kind::MoveFile),
        (4, Kind::DeleteFile),
        (6, Kind::ReplaceFile),
        (2, Kind::RestoreFile),
        (13, Kind::Upload),
    ],
    max_folders: 14,
    max_files: 16,
};
/// Number of deleted files whose URLs are requested.
const CHECKED_DELETED_FILES: usize = 3;

#[tokio::test(flavor = "multi_thread")]
async fn access_follows_model_after_random_changes() {
    SEEDS.run_seeds(SEEDS_AT_ONCE, World::run).await;
}

/// A space, and its expected state.
struct World {
    stack: Stack,
    draws: SmallRng,
    place: Place,
    acme: TestSpace,
    viewer: Client,
    signer: SigningSecret,
    model: Model,
}

impl World {
    async fn run(seed: u64) {
        let mut world = World::new(seed).await;
        for step in 0..STEPS {
            world.place.step = step;
            let operation = OPERATIONS.draw(&world.model, &mut world.draws);
            let response = operation.request(&world.acme).send(&world.acme).await;
            world.model.follow(&operation, response, world.place);
            world.assert_matches_model().await;
            if step % PURGE_INTERVAL == 0 {
                world.stack.run_for(minutes(1)).await;
            }
        }

        world.stack.run_purges().await;
        let dump = world.stack.dump().await;
        StoredLibrary::of(&dump, &world.acme.id, world.place).assert_consistent();
        assert_file_records(&dump, world.place);
        world.stack.run_purges().await;
        assert_no_orphans(&world.stack.dump().await, world.place);
        world.stack.stop().await;
    }

    async fn new(seed: u64) -> World {
        let stack = start_stack(seed).await;
        let acme = stack.space("Acme").await;
        create_configs(&acme).await;
        keep_for_days(&acme, 1).await;

        World {
            draws: SmallRng::seed_from_u64(seed),
            place: Place { seed, step: 0 },
            viewer: acme.role("viewer").await,
            signer: SigningSecret::of(&acme).await,
            model: Model::new(&acme),
            acme,
            stack,
        }
    }

    #[track_caller]
    fn check(&self, response: Response, status: u16) -> Response {
        let place = self.place.to_string();
        response.with_context(&place).expect_status(status)
    }

    /// Asserts that the API and the CDN agree with the model.
    async fn assert_matches_model(&mut self) {
        let model = &self.model;
        let folders = model.folders.keys().map(|id| model.folder_record(id));
        self.assert_list("/folders", folders.collect()).await;
        let files = model.files.keys().map(|id| model.file_record(id));
        self.assert_list("/files", files.collect()).await;

        let anonymous = &self.stack.anonymous;
        let responses = join_all(model.files.values().map(|file| anonymous.get(&file.url))).await;
        for ((id, file), response) in model.files.iter().zip(responses) {
            if model.is_open(id) {
                self.check(response, 200).expect_body(file.content);
            } else {
                self.check(response, 403).expect_error(403);
            }
        }

        let trashed = model.deleted_files.values().rev().map(|file| &file.url);
        let purged = model.purged_urls.iter().rev().take(CHECKED_DELETED_FILES);
        for url in trashed.take(CHECKED_DELETED_FILES).chain(purged) {
            self.check(anonymous.get(url).await, 404);
        }

        self.assert_single_records_match().await;
    }

    /// Asserts that a list contains these records, in any order.
    async fn assert_list(&self, path: &str, expected: Vec<Value>) {
        let page = self.viewer.get(&format!("{path}?limit=100")).await;
        let page = self.check(page, 200).json();
        assert_eq!(page["next_cursor"], Value::Null, "{}", self.place);

        let records = page["data"].as_array().expect("a list");
        let ids = column(&page["data"], "id");
        let ids: BTreeSet<&str> = ids.iter().filter_map(Value::as_str).collect();
        let counts = [records.len(), ids.len()];
        assert_eq!(counts, [expected.len(); 2], "{}: {path}", self.place);

        for expected in expected {
            let found = records.iter().find(|record| record["id"] == expected["id"]);
            self.assert_record(found.unwrap_or(&Value::Null), &expected);
        }
    }

    /// Asserts that a record has the expected fields.
    #[track_caller]
    fn assert_record(&self, record: &Value, expected: &Value) {
        for (field, value) in expected.as_object().expect("an object") {
            assert_eq!(
                record[field], *value,
                "{}: {field} of {record}, where {expected}",
                self.place
            );
        }
    }

    /// Asserts that a folder and a file match the model, and that the file is delivered to clients
    /// with access.
    async fn assert_single_records_match(&mut self) {
        let folders: Vec<&String> = self.model.folders.keys().collect();
        if !folders.is_empty() {
            let id = *pick(&mut self.draws, &folders);
            let record = self.viewer.get_ok(&format!("/folders/{id}")).await;
            self.assert_record(&record, &self.model.folder_record(id));
        }

        let files: Vec<&String> = self.model.files.keys().collect();
        if !files.is_empty() {
            let id = *pick(&mut self.draws, &files);
            let record = self.viewer.get_ok(&format!("/files/{id}")).await;
            self.assert_record(&record, &self.model.file_record(id));
            let file = &self.model.files[id];
            let url = &file.url;
            let expires_seconds = self.stack.now().seconds() + 60;
            let signed = self.signer.sign(url, expires_seconds, &[]);
            for response in [
                self.viewer.get(url).await,
                self.stack.anonymous.get(&signed).await,
            ] {
                self.check(response, 200).expect_body(file.content);
            }
        }
    }
}
