//! Folders, files and access in any order of changes, over many seeds, against a model that goes up
//! folder by folder: after each change the API reports of every folder and every file what the
//! model says, and the CDN lets a stranger have those files alone that the model says are open.
//!
//! `LARDER_ACCESS_SEEDS=0..1000 cargo test -p tests access_model` tries other seeds,
//! `LARDER_ACCESS_SEEDS=57..58` one alone.

mod model;

use std::collections::{BTreeMap, BTreeSet};

use futures::{
    FutureExt,
    future::join_all,
    stream::{self, StreamExt},
};
use rand::{Rng, SeedableRng, rngs::SmallRng};
use serde_json::{Value, json};
use tests::{Client, Extent, Response, Stack, StackOptions, Tenant, form};

use crate::delivery::signers::DeliverySigner;
use model::{Change, File, Flags, Folder, Model};

/// Seeds that are tried.
const SEEDS: Extent = Extent {
    default: 2,
    thorough: 24,
    variable: "LARDER_ACCESS_SEEDS",
};
/// Seeds at once.
const SEEDS_AT_ONCE: usize = 4;
/// Steps of a seed.
const STEPS: u64 = 50;
/// Folders that there are at most: all of them within one another are no deeper than folders may
/// be.
const FOLDERS: usize = 14;
/// Files that there are at most.
const FILES: usize = 16;
/// Deleted files that are asked for.
const LATEST_GONE: usize = 3;
/// How files are delivered, and the upload configs that make them so.
const TYPES: [(&str, &str); 3] = [
    ("upload", "starter"),
    ("private", "private"),
    ("authenticated", "authenticated"),
];
/// What all files hold.
const CONTENT: &str = "some text";

#[tokio::test(flavor = "multi_thread")]
async fn access_follows_model_after_random_changes() {
    let worlds = stream::iter(SEEDS.seeds()).map(async |seed| {
        let world = std::panic::AssertUnwindSafe(World::turn(seed)).catch_unwind();
        Box::pin(world).await.is_err().then_some(seed)
    });
    let failed: Vec<u64> = worlds
        .buffer_unordered(SEEDS_AT_ONCE)
        .filter_map(async |failed| failed)
        .collect()
        .await;

    assert!(
        failed.is_empty(),
        "failed with the seeds {failed:?}: try one alone with {}=SEED..SEED+1",
        SEEDS.variable
    );
}

/// A space, and what it has to be.
struct World {
    stack: Stack,
    draws: SmallRng,
    /// The seed, and the steps so far.
    place: (u64, u64),
    acme: Tenant,
    viewer: Client,
    signer: DeliverySigner,
    /// Ids of upload configs, by the types they make.
    configs: BTreeMap<&'static str, String>,
    model: Model,
    /// Where files were that are deleted.
    gone: Vec<String>,
    /// Folders that were made; those that are deleted among them.
    made: Vec<String>,
}

impl World {
    async fn turn(seed: u64) {
        let mut world = World::new(seed).await;
        for step in 0..STEPS {
            world.place.1 = step;
            world.step().await;
            world.look().await;
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
            let body = json!({"space_id": acme.id, "name": name, "delivery_type": delivery_type});
            if name != "starter" {
                acme.client
                    .post("/upload-configs", body)
                    .await
                    .expect_created();
            }
        }

        for config in acme
            .client
            .get("/upload-configs")
            .await
            .expect_status(200)
            .json()["data"]
            .as_array()
            .expect("a list")
        {
            let made = TYPES.into_iter().find(|(_, name)| config["name"] == *name);
            let (delivery_type, _) = made.expect("no other config was made");

            configs.insert(delivery_type, text(config, "id"));
        }

        let model = Model {
            space: acme.id.clone(),
            says: Flags::default(),
            folders: BTreeMap::new(),
            files: BTreeMap::new(),
        };

        World {
            draws: SmallRng::seed_from_u64(seed),
            place: (seed, 0),
            viewer: acme.role("viewer").await,
            signer: DeliverySigner::of(&acme).await,
            configs,
            model,
            gone: Vec::new(),
            made: Vec::new(),
            acme,
            stack,
        }
    }

    async fn step(&mut self) {
        match self.draws.random_range(0..100) {
            0..14 => self.make_folder().await,
            14..36 => self.move_folder().await,
            36..40 => self.rename_folder().await,
            40..45 => self.delete_folder().await,
            45..50 => self.say_of_space().await,
            50..63 => self.say_of_folder().await,
            63..71 => self.say_of_file().await,
            71..76 => self.change_type().await,
            76..84 => self.move_file().await,
            84..87 => self.delete_file().await,
            _ => self.upload().await,
        }
    }

    #[track_caller]
    fn check(&self, response: Response, status: u16) -> Response {
        let body = String::from_utf8_lossy(&response.body);
        assert_eq!(
            response.status, status,
            "{:?}: {}: {body}",
            self.place, response.request
        );
        response
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

    /// Where something may go: mostly into a folder, else to the top.
    fn place_to_be(&mut self) -> Option<String> {
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

        // One in four takes back what was said.
        (self.draws.random_range(0..4) != 0).then_some(change)
    }

    /// Changes what something at a path says, or takes it back.
    async fn say(&self, path: &str, change: Option<Change>) {
        let path = format!("{path}/access-control");
        let response = match change {
            Some(change) => self.acme.client.put(&path, change.body()).await,
            None => self.acme.client.delete(&path).await,
        };
        self.check(response, 200);
    }

    async fn say_of_space(&mut self) {
        let change = self.change();
        self.say(&format!("/spaces/{}", self.acme.id), change).await;
        let says = change.and_then(|change| change.of(Some(self.model.says)));
        self.model.says = says.unwrap_or_default();
    }

    async fn say_of_folder(&mut self) {
        let (Some(id), change) = (self.folder(), self.change()) else {
            return;
        };
        self.say(&format!("/folders/{id}"), change).await;
        let folder = self.model.folders.get_mut(&id).expect("it was drawn");
        folder.says = change.and_then(|change| change.of(folder.says));
    }

    async fn say_of_file(&mut self) {
        let (Some(id), change) = (self.file(), self.change()) else {
            return;
        };
        self.say(&format!("/files/{id}"), change).await;
        let file = self.model.files.get_mut(&id).expect("it was drawn");
        file.says = change.and_then(|change| change.of(file.says));
    }

    async fn make_folder(&mut self) {
        if self.model.folders.len() == FOLDERS {
            return;
        }

        let (name, parent) = (format!("Folder {}", self.made.len()), self.place_to_be());
        let body = json!({"name": name, "space_id": self.acme.id, "parent_id": parent});
        let response = self.acme.client.post("/folders", body).await;
        let id = text(&self.check(response, 201).expect_created(), "id");

        self.made.push(id.clone());
        self.model.folders.insert(
            id,
            Folder {
                name,
                parent,
                says: None,
            },
        );
    }

    async fn move_folder(&mut self) {
        let (Some(id), parent) = (self.folder(), self.place_to_be()) else {
            return;
        };
        let response = self
            .acme
            .client
            .put(&format!("/folders/{id}"), json!({"parent_id": parent}))
            .await;

        if self.model.is_within(parent.as_deref(), &id) {
            let errors = self.check(response, 422).expect_error(422);
            assert!(errors["parent_id"].is_array(), "{:?}: {errors}", self.place);
            return;
        }

        self.check(response, 200);
        self.model
            .folders
            .get_mut(&id)
            .expect("it was drawn")
            .parent = parent;
    }

    async fn rename_folder(&mut self) {
        let Some(id) = self.folder() else { return };
        let name = format!("Été {}", self.place.1);
        let response = self
            .acme
            .client
            .put(&format!("/folders/{id}"), json!({"name": name}))
            .await;

        self.check(response, 200);
        self.model.folders.get_mut(&id).expect("it was drawn").name = name;
    }

    async fn delete_folder(&mut self) {
        let Some(id) = self.folder() else { return };
        let is_empty = !self.model.has_folders(&id) && !self.model.has_files(&id);
        let response = self.acme.client.delete(&format!("/folders/{id}")).await;
        self.check(response, if is_empty { 204 } else { 409 });
        if is_empty {
            self.model.folders.remove(&id);
        }
    }

    async fn upload(&mut self) {
        if self.model.files.len() == FILES {
            return;
        }

        let (delivery_type, config) = TYPES[self.draws.random_range(0..TYPES.len())];
        let folder = self.place_to_be();
        let form =
            form(&self.acme.handle, "a.txt", "text/plain", CONTENT).text("upload_config", config);
        let form = form.text(
            "folder_id",
            folder.clone().unwrap_or_else(|| "root".to_owned()),
        );
        let response = self.acme.client.upload(form).await;
        let record = self.check(response, 201).expect_created();
        let config = self.configs[delivery_type].clone();
        let file = File {
            url: text(&record, "url"),
            folder,
            delivery_type,
            config,
            says: None,
        };

        self.model.files.insert(text(&record, "id"), file);
    }

    async fn change_type(&mut self) {
        let Some(id) = self.file() else { return };
        let (delivery_type, _) = TYPES[self.draws.random_range(0..TYPES.len())];
        let response = self
            .acme
            .client
            .put(&format!("/files/{id}"), json!({"type": delivery_type}))
            .await;

        self.check(response, 200);
        self.model
            .files
            .get_mut(&id)
            .expect("it was drawn")
            .delivery_type = delivery_type;
    }

    /// Moves a file into any folder that there ever was.
    async fn move_file(&mut self) {
        let made = self.made.clone();
        let (Some(id), folder) = (self.file(), self.draw(&made)) else {
            return;
        };
        let folder = folder.filter(|_| self.draws.random_range(0..6) != 0);
        let is_there = folder
            .as_ref()
            .is_none_or(|folder| self.model.folders.contains_key(folder));
        let response = self
            .acme
            .client
            .put(&format!("/files/{id}"), json!({"folder_id": folder}))
            .await;

        if is_there {
            self.check(response, 200);
            self.model.files.get_mut(&id).expect("it was drawn").folder = folder;
        } else {
            let errors = self.check(response, 422).expect_error(422);
            assert!(errors["folder_id"].is_array(), "{:?}: {errors}", self.place);
        }
    }

    async fn delete_file(&mut self) {
        let Some(id) = self.file() else { return };
        let response = self.acme.client.delete(&format!("/files/{id}")).await;
        self.check(response, 204);
        self.gone
            .extend(self.model.files.remove(&id).map(|file| file.url));
    }

    /// Holds what the API and the CDN say against the model.
    async fn look(&mut self) {
        let folders = self
            .model
            .folders
            .keys()
            .map(|id| self.model.shown_folder(id))
            .collect();
        self.assert_list("/folders", folders).await;

        let files = self
            .model
            .files
            .keys()
            .map(|id| self.model.shown_file(id))
            .collect();
        self.assert_list("/files", files).await;

        let anonymous = &self.stack.anonymous;
        let responses = join_all(
            self.model
                .files
                .values()
                .map(|file| anonymous.get(&file.url)),
        )
        .await;

        for (file, response) in self.model.files.values().zip(responses) {
            if self.model.is_open(file) {
                assert_eq!(
                    self.check(response, 200).body,
                    CONTENT,
                    "{:?}: {file:?}",
                    self.place
                );
            } else {
                self.check(response, 403).expect_error(403);
            }
        }

        for url in self.gone.iter().rev().take(LATEST_GONE) {
            self.check(anonymous.get(url).await, 404);
        }

        self.look_at_one().await;
    }

    /// Demands a list of these, as far as they say what matters here, in any order.
    async fn assert_list(&self, path: &str, expected: Vec<Value>) {
        let page = self.viewer.get(&format!("{path}?limit=100")).await;
        let page = self.check(page, 200).json();
        assert_eq!(page["next_cursor"], Value::Null, "{:?}", self.place);

        let shown = page["data"].as_array().expect("a list");
        let ids: BTreeSet<&str> = shown
            .iter()
            .filter_map(|record| record["id"].as_str())
            .collect();

        assert_eq!(
            (shown.len(), ids.len()),
            (expected.len(), expected.len()),
            "{:?}: {path}",
            self.place
        );

        for expected in expected {
            let found = shown.iter().find(|record| record["id"] == expected["id"]);
            self.assert_shown(found.unwrap_or(&Value::Null), &expected);
        }
    }

    /// Demands of a record what matters here.
    #[track_caller]
    fn assert_shown(&self, record: &Value, expected: &Value) {
        for (field, value) in expected.as_object().expect("an object") {
            assert_eq!(
                record[field], *value,
                "{:?}: {field} of {record}, where {expected}",
                self.place
            );
        }
    }

    /// One folder and one file are asked for by themselves, and the file by those who may always
    /// see it.
    async fn look_at_one(&mut self) {
        if let Some(id) = self.folder() {
            let shown = self.viewer.get(&format!("/folders/{id}")).await.expect_ok();
            self.assert_shown(&shown, &self.model.shown_folder(&id));
        }

        if let Some(id) = self.file() {
            let shown = self.viewer.get(&format!("/files/{id}")).await.expect_ok();
            self.assert_shown(&shown, &self.model.shown_file(&id));
            let url = &self.model.files[&id].url;
            let expires_seconds = self.stack.admin_environment().env.now().seconds() + 60;
            let signed = self.signer.sign(url, expires_seconds, &[]);
            for response in [
                self.viewer.get(url).await,
                self.stack.anonymous.get(&signed).await,
            ] {
                assert_eq!(self.check(response, 200).body, CONTENT, "{:?}", self.place);
            }
        }
    }
}

#[track_caller]
fn text(record: &Value, field: &str) -> String {
    record[field]
        .as_str()
        .unwrap_or_else(|| panic!("no {field}: {record}"))
        .to_owned()
}
