//! Random steps on pending files: each file becomes active at most once and with validated bytes,
//! and every other file expires with its bytes. A space of two keeps deleted files in a trash.
//!
//! After every step, all stored items are compared with the possible effects of the step. In some
//! seeds, AWS misbehaves at random. `LARDER_STATE_SEEDS=0..1000 cargo test -p tests
//! models::upload_states` runs other seeds, `LARDER_STATE_SEEDS=57..58` a single one.

mod expected_states;
mod invariants;
mod model;

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use emulators::AsyncClock;
use futures::future::join_all;
use local_stack::Messages;
use rand::{RngExt, SeedableRng, rngs::SmallRng};
use serde_json::json;
use tests::{Extent, Stack, StackOptions, TestSpace, minutes, text};

use crate::{
    support::seeded::{Place, pick},
    uploads::presign::{PendingFile, presign_body},
};
use expected_states::Effect;
use model::{
    Content, File, LENGTH, SpaceState,
    State::{Active, Gone, Trashed},
};

/// Seeds of a run.
const SEEDS: Extent = Extent::new(4, 60, "LARDER_STATE_SEEDS");
/// Maximum number of concurrent seeds.
const SEEDS_AT_ONCE: usize = 4;
/// One of this number of seeds has random AWS misbehavior.
const CHAOS_INTERVAL: u64 = 4;
/// Number of steps per seed.
const STEPS: u64 = 60;
const SPACES: usize = 2;
/// Days for which a trash keeps files: more than the steps take.
const TRASH_DAYS: u8 = 30;
/// Number of latest files that steps choose from.
const LATEST: usize = 8;
/// Number of concurrent confirmations.
const CALLERS: usize = 3;
/// Validity of an upload URL, in seconds.
const OPEN_SECONDS: i64 = 3_600;
/// Time that queues get to drain before the visibility timeout of failed messages is skipped.
const PATIENCE: Duration = Duration::from_secs(3);
/// Time after which the bytes of a deleted file are deleted, and some more.
const PURGED_AFTER: Duration = Duration::from_secs(2);
/// Maximum number of skipped visibility timeouts.
const TRIES: usize = 20;

/// Spaces with pending files, and their possible states.
struct World {
    stack: Stack,
    draws: SmallRng,
    is_chaotic: bool,
    place: Place,
    tenants: Vec<TestSpace>,
    space_states: BTreeMap<String, SpaceState>,
    /// Ids of the spaces that have a trash.
    with_trash: BTreeSet<String>,
    files: Vec<File>,
}

#[tokio::test(flavor = "multi_thread")]
async fn pending_files_keep_invariants_after_random_steps() {
    SEEDS.run_seeds(SEEDS_AT_ONCE, World::run).await;
}

impl World {
    async fn run(seed: u64) {
        let stack = Stack::start_with(StackOptions {
            seed,
            ..StackOptions::default()
        })
        .await;
        let draws = SmallRng::seed_from_u64(seed);
        let is_chaotic = seed % CHAOS_INTERVAL == CHAOS_INTERVAL - 1;
        let mut world = World {
            stack,
            draws,
            is_chaotic,
            place: Place { seed, step: 0 },
            tenants: Vec::new(),
            space_states: BTreeMap::new(),
            with_trash: BTreeSet::new(),
            files: Vec::new(),
        };
        for step in 0..STEPS {
            world.place.step = step;
            world.settle_spaces().await;
            if is_chaotic {
                world.stack.local.chaos().enable(seed * STEPS + step);
            }
            let before_ms = world.stack.clock.now_ms();
            world.step().await;
            world.rest().await;
            world.stack.local.chaos().disable();
            world.assert_expected(before_ms).await;
        }

        world.end().await;
    }

    /// Creates a space in place of each deleted one.
    async fn settle_spaces(&mut self) {
        self.tenants
            .retain(|tenant| self.space_states[&tenant.id] != SpaceState::Deleted);

        while self.tenants.len() < SPACES {
            let name = format!("Space {}", self.space_states.len());
            let tenant = self.stack.space(&name).await;
            let id = tenant.id.clone();
            if self.space_states.len().is_multiple_of(SPACES) {
                let trash = json!({"name": name, "trash_days": TRASH_DAYS});
                tenant.put_ok(&tenant.path(), trash).await;
                self.with_trash.insert(id.clone());
            }
            self.space_states.insert(id, SpaceState::Enabled);
            self.tenants.push(tenant);
        }
    }

    async fn step(&mut self) {
        let of_latest = self.draws.random_range(0..LATEST);
        let latest = self.files.len().checked_sub(of_latest + 1);

        match (self.draws.random_range(0..100), latest) {
            (0..26, Some(file)) => self.send(file).await,
            (26..46, Some(file)) => self.confirm(file, 1).await,
            (46..52, Some(file)) => self.confirm(file, CALLERS).await,
            (52..61, _) => {
                let time = minutes(self.draws.random_range(20..=70));
                self.stack.clock.advance(time);
            }
            (61..67, _) => self.switch().await,
            (67..69, _) => self.delete().await,
            (69..78, Some(_)) => self.delete_files().await,
            (78..86, Some(latest)) => self.restore(latest).await,
            _ => self.presign().await,
        }
    }

    /// Asserts a status, or 503 if AWS misbehaves. Returns whether the status is the expected one.
    #[track_caller]
    fn check(&self, status: u16, expected: u16) -> bool {
        let is_excused = self.is_chaotic && status == 503;
        assert!(
            status == expected || is_excused,
            "{}: {status} and not {expected}",
            self.place
        );
        status == expected
    }

    fn tenant(&mut self) -> TestSpace {
        pick(&mut self.draws, &self.tenants).clone()
    }

    async fn presign(&mut self) {
        let tenant = self.tenant();
        let declared =
            json!({"filename": "notes.txt", "content_type": "text/plain", "size": LENGTH});
        let body = presign_body(&tenant, declared);
        let response = self.stack.account().post("/upload/presign", body).await;
        let is_enabled = self.space_states[&tenant.id] == SpaceState::Enabled;

        if self.check(response.status, if is_enabled { 201 } else { 403 }) && is_enabled {
            let pending = PendingFile::of(response);
            let now_ms = self.stack.clock.now_ms();
            self.files.push(File::new(tenant.id, pending, now_ms));
        }
    }

    async fn send(&mut self, index: usize) {
        // `None` stands for bytes that are too short.
        let contents = [
            Some(Content::Right),
            Some(Content::Right),
            Some(Content::Other),
            Some(Content::Program),
            None,
        ];
        let content = *pick(&mut self.draws, &contents);
        let bytes = content.map_or(&b"too short"[..], Content::bytes);
        let file = &self.files[index];
        let is_open = self.stack.clock.now_ms() / 1_000 <= file.presigned_ms / 1_000 + OPEN_SECONDS;
        let request = self.stack.anonymous.request("PUT", file.pending.url());
        let request = request.header("content-type", "text/plain").body(bytes);
        let status = match request.send().await {
            Ok(response) => response.status().as_u16(),
            Err(_) if self.is_chaotic => 503,
            Err(error) => panic!("{}: {error:?}", self.place),
        };
        let accepted = content.filter(|_| is_open);
        let is_certain = self.check(status, if accepted.is_some() { 200 } else { 403 });
        let file = &mut self.files[index];

        if accepted.is_some() {
            file.may_have_stale_bytes |= file.state.0 == Gone;
            file.expect((file.state.0, accepted), is_certain);
        }
    }

    async fn confirm(&mut self, index: usize, times: usize) {
        let Effect {
            status: expected,
            after,
        } = self.confirmed(&self.files[index]);
        let account = self.stack.account();
        let pending = &self.files[index].pending;
        let responses = join_all((0..times).map(|_| pending.confirm(&account))).await;
        // A confirmation after a rejection finds no file or no bytes.
        let is_late = |status: u16| expected == 422 && times > 1 && [404, 409].contains(&status);
        let mut matching = 0;
        for response in responses {
            if is_late(response.status) {
                continue;
            }
            matching += usize::from(self.check(response.status, expected));

            if let (200, Active(content)) = (response.status, after.0) {
                let confirmed = Content::of(&text(&response.expect_ok()["checksum_sha256"]));
                assert_eq!(confirmed, content, "{}", self.place);
            }
        }

        let expected_count = if expected == 422 { 1 } else { times };
        let is_expected = self.is_chaotic || matching == expected_count;
        assert!(is_expected, "{}: {matching} of {times}", self.place);

        self.files[index].expect(after, matching > 0);
    }

    async fn switch(&mut self) {
        let tenant = self.tenant();
        let path = tenant.path();
        let name = self.stack.account().get(&path).await;

        if !self.check(name.status, 200) {
            return;
        }

        let enabled = self.space_states[&tenant.id] != SpaceState::Enabled;
        let body = json!({"name": name.expect_ok()["name"], "enabled": enabled});
        let response = self.stack.account().put(&path, body).await;

        self.check(response.status, 200);
    }

    /// Deletes some of the latest files by a batch.
    async fn delete_files(&mut self) {
        let latest = self.files.len().saturating_sub(LATEST)..self.files.len();
        let chosen: Vec<usize> = latest.filter(|_| self.draws.random_bool(0.5)).collect();
        let ids: Vec<&str> = chosen.iter().map(|index| self.files[*index].id()).collect();
        if ids.is_empty() {
            return;
        }

        let is_permanent = self.draws.random_bool(0.2);
        let body = json!({"ids": ids, "operation": "delete", "permanent": is_permanent});
        let response = self.stack.account().post("/files/batch", body).await;
        let results = if self.check(response.status, 200) {
            response.expect_ok()
        } else {
            json!([])
        };
        self.stack.clock.advance(PURGED_AFTER);

        for (position, index) in chosen.into_iter().enumerate() {
            let effect = self.deleted(&self.files[index], is_permanent);
            let error = &results[position]["error"];
            let status = error["status"].as_u64().unwrap_or(200);
            let is_certain = results[position].is_object()
                && self.check(u16::try_from(status).expect("a status"), effect.status);
            self.files[index].expect(effect.after, is_certain);
        }
    }

    /// Restores the latest file of the trash, or if it is empty, another file.
    async fn restore(&mut self, other: usize) {
        let is_trashed = |file: &File| matches!(file.state.0, Trashed(_));
        let index = self.files.iter().rposition(is_trashed).unwrap_or(other);
        let file = &self.files[index];
        let effect = self.restored(file);
        let path = format!("/files/{}/restore", file.id());
        let response = self.stack.account().post(&path, json!({})).await;
        let is_certain = self.check(response.status, effect.status);
        self.files[index].expect(effect.after, is_certain);
    }

    async fn delete(&mut self) {
        let tenant = self.tenant();
        let path = format!("/spaces?id={}&force=true", tenant.id);
        let response = self.stack.account().delete(&path).await;
        self.check(response.status, 202);
    }

    /// Waits until the due jobs have run, and retries failed ones.
    async fn rest(&self) {
        let are_quiet = || self.stack.local.until(Messages::are_quiet);
        if !self.is_chaotic {
            let quiet = are_quiet().await;
            quiet.unwrap_or_else(|error| panic!("{}: {error}", self.place));
            return;
        }

        for _ in 0..TRIES {
            let quiet = tokio::time::timeout(PATIENCE, are_quiet()).await;
            if quiet.is_ok_and(|quiet| quiet.is_ok()) {
                return;
            }
            self.stack.clock.advance(minutes(13));
        }

        panic!("{}: the queues do not rest", self.place);
    }
}
