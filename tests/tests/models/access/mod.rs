//! Random changes of folders, files and access control, compared with a model: after each change,
//! the API reports the access control of every folder and file as in the model, and the CDN
//! delivers to anonymous clients only the files that are open in the model.
//!
//! `LARDER_ACCESS_SEEDS=0..1000 cargo test -p tests models::access` runs other seeds,
//! `LARDER_ACCESS_SEEDS=57..58` a single one.

mod assertions;
mod file_changes;
mod model;

use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng, rngs::SmallRng};
use serde_json::{Value, json};
use tests::{Client, Extent, Response, Stack, StackOptions, TestSpace};

use super::Place;
use crate::support::signer::SigningSecret;
use model::{Change, Flags, Folder, Model};

/// Seeds of a run.
const SEEDS: Extent = Extent {
    default: 2,
    thorough: 24,
    variable: "LARDER_ACCESS_SEEDS",
};
/// Maximum number of concurrent seeds.
const SEEDS_AT_ONCE: usize = 4;
/// Number of changes per seed.
const STEPS: u64 = 50;
/// Maximum number of folders: a chain of all of them is not too deep.
const MAX_FOLDERS: usize = 14;
/// Maximum number of files.
const MAX_FILES: usize = 16;
/// Number of deleted files whose URLs are requested.
const CHECKED_DELETED_FILES: usize = 3;
/// Delivery types, and the names of their upload configs.
const TYPES: [(&str, &str); 3] = [
    ("upload", "starter"),
    ("private", "private"),
    ("authenticated", "authenticated"),
];
/// Content of all files.
const CONTENT: &str = "some text";

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
    /// Ids of upload configs, by delivery type.
    configs: BTreeMap<&'static str, String>,
    model: Model,
    /// URLs of deleted files.
    deleted_urls: Vec<String>,
    /// Ids of all created folders, including deleted ones.
    created_folders: Vec<String>,
}

impl World {
    async fn run(seed: u64) {
        let mut world = World::new(seed).await;
        for step in 0..STEPS {
            world.place.step = step;
            world.step().await;
            world.assert_matches_model().await;
        }
        world.stack.run_purges().await;
        world.stack.stop().await;
    }

    async fn new(seed: u64) -> World {
        let stack = Stack::start_with(StackOptions {
            seed,
            ..StackOptions::without_rate_limits()
        })
        .await;
        let acme = stack.space("Acme").await;
        let mut configs = BTreeMap::new();
        for (delivery_type, name) in TYPES {
            if name != "starter" {
                let config = acme.upload_config(name);
                config.with_delivery_type(delivery_type).await;
            }
        }

        for config in acme.fetch("/upload-configs").await.json()["data"]
            .as_array()
            .expect("a list")
        {
            let created = TYPES.into_iter().find(|(_, name)| config["name"] == *name);
            let (delivery_type, _) = created.expect("no other upload config exists");

            configs.insert(delivery_type, string_field(config, "id"));
        }

        let model = Model {
            space: acme.id.clone(),
            access: Flags::default(),
            folders: BTreeMap::new(),
            files: BTreeMap::new(),
        };

        World {
            draws: SmallRng::seed_from_u64(seed),
            place: Place { seed, step: 0 },
            viewer: acme.role("viewer").await,
            signer: SigningSecret::of(&acme).await,
            configs,
            model,
            deleted_urls: Vec::new(),
            created_folders: Vec::new(),
            acme,
            stack,
        }
    }

    async fn step(&mut self) {
        match self.draws.random_range(0..100) {
            0..14 => self.create_folder().await,
            14..36 => self.move_folder().await,
            36..40 => self.rename_folder().await,
            40..45 => self.delete_folder().await,
            45..50 => self.change_space_access().await,
            50..63 => self.change_folder_access().await,
            63..71 => self.change_file_access().await,
            71..76 => self.change_type().await,
            76..84 => self.move_file().await,
            84..87 => self.delete_file().await,
            _ => self.upload().await,
        }
    }

    #[track_caller]
    fn check(&self, response: Response, status: u16) -> Response {
        let place = format!("{:?}", self.place);
        response.with_context(&place).expect_status(status)
    }

    fn draw(&mut self, ids: &[String]) -> Option<String> {
        let index = self.draws.random_range(0..ids.len().max(1));
        ids.get(index).cloned()
    }

    fn folder(&mut self) -> Option<String> {
        let ids: Vec<String> = self.model.folders.keys().cloned().collect();
        self.draw(&ids)
    }

    fn file(&mut self) -> Option<String> {
        let ids: Vec<String> = self.model.files.keys().cloned().collect();
        self.draw(&ids)
    }

    /// Returns a random folder, or the root in one of six cases.
    fn random_parent(&mut self) -> Option<String> {
        if self.draws.random_range(0..6) == 0 {
            None
        } else {
            self.folder()
        }
    }

    fn change(&mut self) -> Option<Change> {
        let mut flag = || match self.draws.random_range(0..3) {
            0 => None,
            drawn => Some(drawn == 1),
        };
        let change = Change {
            requires_auth: flag(),
            public_read: flag(),
        };

        // One of four changes removes the access control.
        (self.draws.random_range(0..4) != 0).then_some(change)
    }

    /// Sets or removes the access control of a resource.
    async fn set_access(&self, path: &str, change: Option<Change>) {
        let path = format!("{path}/access-control");
        let response = match change {
            Some(change) => self.acme.put(&path, change.body()).await,
            None => self.acme.delete(&path).await,
        };
        self.check(response, 200);
    }

    async fn change_space_access(&mut self) {
        let change = self.change();
        self.set_access(&self.acme.path(), change).await;
        let access = change.and_then(|change| change.of(Some(self.model.access)));
        self.model.access = access.unwrap_or_default();
    }

    async fn change_folder_access(&mut self) {
        let drawn = self.folder();
        let change = self.change();
        let Some(id) = drawn else { return };
        self.set_access(&format!("/folders/{id}"), change).await;
        let folder = self.model.folders.get_mut(&id).expect("a drawn id");
        folder.access = change.and_then(|change| change.of(folder.access));
    }

    async fn create_folder(&mut self) {
        if self.model.folders.len() == MAX_FOLDERS {
            return;
        }

        let name = format!("Folder {}", self.created_folders.len());
        let parent = self.random_parent();
        let body = json!({"name": name, "space_id": self.acme.id, "parent_id": parent});
        let response = self.acme.post("/folders", body).await;
        let id = string_field(&self.check(response, 201).expect_created(), "id");

        self.created_folders.push(id.clone());
        self.model.folders.insert(
            id,
            Folder {
                name,
                parent,
                access: None,
            },
        );
    }

    async fn move_folder(&mut self) {
        let drawn = self.folder();
        let parent = self.random_parent();
        let Some(id) = drawn else { return };
        let response = self
            .acme
            .put(&format!("/folders/{id}"), json!({"parent_id": parent}))
            .await;

        if self.model.is_within(parent.as_deref(), &id) {
            let errors = self.check(response, 422).expect_error(422);
            assert!(errors["parent_id"].is_array(), "{:?}: {errors}", self.place);
            return;
        }

        self.check(response, 200);
        self.model.folders.get_mut(&id).expect("a drawn id").parent = parent;
    }

    async fn rename_folder(&mut self) {
        let Some(id) = self.folder() else { return };
        let name = format!("Été {}", self.place.step);
        let response = self
            .acme
            .put(&format!("/folders/{id}"), json!({"name": name}))
            .await;

        self.check(response, 200);
        self.model.folders.get_mut(&id).expect("a drawn id").name = name;
    }

    async fn delete_folder(&mut self) {
        let Some(id) = self.folder() else { return };
        let is_empty = !self.model.has_folders(&id) && !self.model.has_files(&id);
        let response = self.acme.delete(&format!("/folders/{id}")).await;
        self.check(response, if is_empty { 204 } else { 409 });
        if is_empty {
            self.model.folders.remove(&id);
        }
    }
}

#[track_caller]
fn string_field(record: &Value, field: &str) -> String {
    record[field]
        .as_str()
        .unwrap_or_else(|| panic!("no {field}: {record}"))
        .to_owned()
}
