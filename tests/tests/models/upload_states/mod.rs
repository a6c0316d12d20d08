//! Announced files in any order of what may befall them, over many seeds: each becomes active once
//! at most, with bytes that were judged, and what does not is gone in time, with all that was sent
//! for it.
//!
//! After every step all that is kept is read, and held against what the step may have done. In some
//! seeds AWS misbehaves at random. `LARDER_STATE_SEEDS=0..1000 cargo test -p tests states` tries other seeds,
//! `LARDER_STATE_SEEDS=57..58` one alone.

mod model;

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use emulators::AsyncClock;
use futures::{
    FutureExt,
    future::join_all,
    stream::{self, StreamExt},
};
use local::Messages;
use rand::{Rng, SeedableRng, rngs::SmallRng};
use serde_json::{Value, json};
use tests::{Dump, Extent, Stack, StackOptions, Tenant, minutes};

use model::{
    Content, File, LENGTH, Seen, Standing,
    State::{Active, Gone, Pending},
    text,
};

/// Seeds that are tried.
const SEEDS: Extent = Extent {
    default: 4,
    thorough: 60,
    variable: "LARDER_STATE_SEEDS",
};
/// Seeds at once.
const SEEDS_AT_ONCE: usize = 4;
/// One in so many seeds has moods.
const CHAOTIC: u64 = 4;
/// Steps of a seed.
const STEPS: u64 = 60;
/// Spaces at a time.
const SPACES: usize = 2;
/// The latest files, to which things happen.
const LATEST: usize = 8;
/// Confirmations at once.
const CALLERS: usize = 3;
/// Seconds for which an address takes bytes.
const OPEN_SECONDS: i64 = 3_600;
/// Milliseconds after its announcement from which a file is looked for.
const CHECKED_MS: i64 = 7_200_000;
/// How long queues may take to rest before what failed has to come back.
const PATIENCE: Duration = Duration::from_secs(3);
/// Times that it may.
const TRIES: usize = 20;

/// Spaces with announced files, and what they may be by now.
struct World {
    stack: Stack,
    draws: SmallRng,
    is_chaotic: bool,
    /// The seed, and the steps so far.
    place: (u64, u64),
    tenants: Vec<Tenant>,
    standings: BTreeMap<String, Standing>,
    files: Vec<File>,
}

#[tokio::test(flavor = "multi_thread")]
async fn pending_files_keep_invariants_after_random_steps() {
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

impl World {
    async fn turn(seed: u64) {
        let stack = Stack::start_with(StackOptions {
            seed,
            ..StackOptions::default()
        })
        .await;
        let draws = SmallRng::seed_from_u64(seed);
        let (tenants, standings) = (Vec::new(), BTreeMap::new());
        let is_chaotic = seed % CHAOTIC == CHAOTIC - 1;
        let mut world = World {
            stack,
            draws,
            is_chaotic,
            place: (seed, 0),
            tenants,
            standings,
            files: Vec::new(),
        };
        for step in 0..STEPS {
            world.place.1 = step;
            world.settle_spaces().await;
            if is_chaotic {
                world.stack.cloud.chaos().enable(seed * STEPS + step);
            }
            let before_ms = world.stack.clock.now_ms();
            world.step().await;
            world.rest().await;
            world.stack.cloud.chaos().disable();
            world.look(before_ms).await;
        }

        world.end().await;
    }

    /// Makes a space in place of each that is gone.
    async fn settle_spaces(&mut self) {
        self.tenants
            .retain(|tenant| self.standings[&tenant.id] != Standing::Deleted);

        while self.tenants.len() < SPACES {
            let tenant = self
                .stack
                .space(&format!("Space {}", self.standings.len()))
                .await;
            self.standings.insert(tenant.id.clone(), Standing::Enabled);
            self.tenants.push(tenant);
        }
    }

    async fn step(&mut self) {
        let of_latest = self.draws.random_range(0..LATEST);
        let latest = self.files.len().checked_sub(of_latest + 1);

        match (self.draws.random_range(0..100), latest) {
            (0..30, Some(file)) => self.send(file).await,
            (30..50, Some(file)) => self.confirm(file, 1).await,
            (50..58, Some(file)) => self.confirm(file, CALLERS).await,
            (58..70, _) => self
                .stack
                .clock
                .advance(minutes(self.draws.random_range(20..=70))),
            (70..78, _) => self.switch().await,
            (78..81, _) => self.delete().await,
            _ => self.presign().await,
        }
    }

    /// Demands a status, or that AWS was to blame for another; `true` where it is this one.
    #[track_caller]
    fn check(&self, status: u16, expected: u16) -> bool {
        let is_excused = self.is_chaotic && status == 503;
        assert!(
            status == expected || is_excused,
            "{:?}: {status} and not {expected}",
            self.place
        );
        status == expected
    }

    fn tenant(&mut self) -> Tenant {
        let index = self.draws.random_range(0..self.tenants.len());
        self.tenants[index].clone()
    }

    async fn presign(&mut self) {
        let tenant = self.tenant();
        let (name, content_type) = ("notes.txt", "text/plain");
        let body = json!({"space": tenant.handle, "filename": name, "content_type": content_type, "size": LENGTH});
        let response = self.stack.account().post("/upload/presign", body).await;
        let is_enabled = self.standings[&tenant.id] == Standing::Enabled;

        if self.check(response.status, if is_enabled { 201 } else { 403 }) && is_enabled {
            let pending_file = response.json();
            let (id, url) = (
                text(&pending_file, "file_id").to_owned(),
                text(&pending_file, "upload_url").to_owned(),
            );
            let (seen, presigned_ms) = ((Pending, None), self.stack.clock.now_ms());
            let (space, outlook) = (tenant.id, vec![seen]);
            self.files.push(File {
                id,
                space,
                url,
                presigned_ms,
                seen,
                outlook,
                may_have_stale_bytes: false,
            });
        }
    }

    async fn send(&mut self, index: usize) {
        let contents = [
            Content::Right,
            Content::Right,
            Content::Other,
            Content::Program,
        ];
        // Where there is none, it is too short.
        let content = contents
            .get(self.draws.random_range(0..=contents.len()))
            .copied();
        let bytes = content.map_or(&b"too short"[..], Content::bytes);
        let file = &self.files[index];
        let is_open = self.stack.clock.now_ms() / 1_000 <= file.presigned_ms / 1_000 + OPEN_SECONDS;
        let request = self
            .stack
            .anonymous
            .request("PUT", &file.url)
            .header("content-type", "text/plain");
        let status = match request.body(bytes).send().await {
            Ok(response) => response.status().as_u16(),
            Err(_) if self.is_chaotic => 503,
            Err(error) => panic!("{:?}: {error:?}", self.place),
        };
        let taken = content.filter(|_| is_open);
        let is_certain = self.check(status, if taken.is_some() { 200 } else { 403 });
        let file = &mut self.files[index];

        if taken.is_some() {
            file.may_have_stale_bytes |= file.seen.0 == Gone;
            let after = (file.seen.0, taken);
            file.outlook = if is_certain {
                vec![after]
            } else {
                vec![file.seen, after]
            };
        }
    }

    /// What a confirmation is answered with, and what it makes of a file.
    fn confirmed(&self, file: &File) -> (u16, Seen) {
        match (self.standings[&file.space], file.seen) {
            (Standing::Deleted, seen) | (_, seen @ (Gone, _)) => (404, seen),
            (Standing::Disabled, seen) => (403, seen),
            (Standing::Enabled, seen @ (Active(_), _)) => (200, seen),
            (Standing::Enabled, (Pending, None)) => (409, file.seen),
            (Standing::Enabled, (Pending, Some(Content::Program))) => (422, (Gone, None)),
            (Standing::Enabled, (Pending, Some(content))) => {
                (200, (Active(content), Some(content)))
            }
        }
    }

    async fn confirm(&mut self, index: usize, times: usize) {
        let (expected, after) = self.confirmed(&self.files[index]);
        let (account, path) = (
            self.stack.account(),
            format!("/upload/confirm/{}", self.files[index].id),
        );
        let responses =
            join_all((0..times).map(|_| account.send(account.request("POST", &path)))).await;
        // Who comes after a refusal finds no file, or no bytes.
        let comes_late = |status: u16| expected == 422 && times > 1 && [404, 409].contains(&status);
        let mut fitting = 0;
        for response in responses
            .into_iter()
            .filter(|response| !comes_late(response.status))
        {
            fitting += usize::from(self.check(response.status, expected));

            if let (200, Active(content)) = (response.status, after.0) {
                assert_eq!(
                    Content::of(text(&response.expect_ok(), "checksum_sha256")),
                    content,
                    "{:?}",
                    self.place
                );
            }
        }

        let wanted = if expected == 422 { 1 } else { times };
        assert!(
            self.is_chaotic || fitting == wanted,
            "{:?}: {fitting} of {wanted}",
            self.place
        );

        let file = &mut self.files[index];
        file.outlook = if fitting > 0 {
            vec![after]
        } else {
            vec![file.seen, after]
        };
    }

    async fn switch(&mut self) {
        let tenant = self.tenant();
        let path = format!("/spaces/{}", tenant.id);
        let name = self.stack.account().get(&path).await;

        if !self.check(name.status, 200) {
            return;
        }

        let enabled = self.standings[&tenant.id] != Standing::Enabled;
        let body = json!({"name": name.expect_ok()["name"], "enabled": enabled});
        let response = self.stack.account().put(&path, body).await;

        self.check(response.status, 200);
    }

    async fn delete(&mut self) {
        let tenant = self.tenant();
        let response = self
            .stack
            .account()
            .delete(&format!("/spaces?id={}&force=true", tenant.id))
            .await;
        self.check(response.status, 202);
    }

    /// Waits until what is due is worked off. A job that failed comes back when its time is over.
    async fn rest(&self) {
        if !self.is_chaotic {
            self.stack
                .cloud
                .until(Messages::are_quiet)
                .await
                .unwrap_or_else(|error| panic!("{:?}: {error}", self.place));
            return;
        }

        for _ in 0..TRIES {
            if tokio::time::timeout(PATIENCE, self.stack.cloud.until(Messages::are_quiet))
                .await
                .is_ok_and(|quiet| quiet.is_ok())
            {
                return;
            }
            self.stack.clock.advance(minutes(13));
        }

        panic!("{:?}: the queues do not rest", self.place);
    }

    /// What time makes of a file.
    fn passed(&self, file: &File, seen: Seen) -> Seen {
        let is_enabled = self.standings[&file.space] == Standing::Enabled;
        let is_due = self.stack.clock.now_ms() >= file.presigned_ms + CHECKED_MS;

        match seen {
            (_, staged) if self.standings[&file.space] == Standing::Deleted => (Gone, staged),
            (Pending, Some(content)) if is_due && is_enabled && content != Content::Program => {
                (Active(content), Some(content))
            }
            (Pending, _) if is_due => (Gone, None),
            seen => seen,
        }
    }

    /// Holds what is kept against what it may be.
    async fn look(&mut self, before_ms: i64) {
        let dump = self.stack.dump().await;
        self.assert_invariants(&dump);

        for (id, standing) in &mut self.standings {
            *standing = Standing::of(&dump, id);
        }

        let has_passed = self.stack.clock.now_ms() > before_ms;
        for index in 0..self.files.len() {
            let file = &self.files[index];
            let mut outlook = file.outlook.clone();
            if has_passed {
                let later = file.outlook.iter().map(|seen| self.passed(file, *seen));
                // A job that fails takes its time.
                outlook = if self.is_chaotic {
                    outlook.iter().copied().chain(later).collect()
                } else {
                    later.collect()
                };
            }

            let seen = file.look(&dump);
            // What was sent goes by itself one day, and counts only as long as it is waited for.
            let is_it = |expected: &Seen| {
                expected.0 == seen.0 && (seen.0 != Pending || expected.1 == seen.1)
            };
            assert!(
                outlook.iter().any(is_it),
                "{:?}: {seen:?} is none of {outlook:?}: {file:?}",
                self.place
            );

            let file = &mut self.files[index];
            (file.seen, file.outlook) = (seen, vec![seen]);
        }
    }

    /// Demands what holds of all that is kept, whatever has happened.
    fn assert_invariants(&self, dump: &Dump) {
        let place = self.place;
        let mut active = BTreeSet::new();
        for path in dump.files_with_bytes() {
            let (space, id) = (text(path, "space_id"), text(path, "id"));
            assert!(
                active.insert(id),
                "{place:?}: {id} is delivered from two places"
            );
            let record = dump
                .items
                .get(&(format!("SPACE#{space}"), format!("FILE#{id}")));
            assert_eq!(record, Some(path), "{place:?}");
        }

        let mut records = 0;
        for ((_, sort), record) in &dump.items {
            let Some(id) = sort.strip_prefix("FILE#") else {
                continue;
            };
            records += 1;

            let is_known = self.is_chaotic || self.files.iter().any(|file| file.id == id);
            let is_active = record["status"] == "active";
            assert!(
                is_known && is_active == active.contains(id),
                "{place:?}: {record}"
            );

            for detected_by_bytes in ["revision", "checksum_sha256"] {
                assert_eq!(
                    record[detected_by_bytes].is_null(),
                    !is_active,
                    "{place:?}: {detected_by_bytes} of {record}"
                );
            }
        }

        let owners = dump
            .items_with_prefix("FILE#")
            .filter(|owner| !owner["space_id"].is_null())
            .count();
        assert_eq!(
            owners, records,
            "{place:?}: a file's owner is there with it"
        );

        let originals = dump
            .objects
            .keys()
            .filter(|key| key.contains("/originals/"))
            .count();
        assert!(
            self.is_chaotic || originals == active.len(),
            "{place:?}: {originals} originals of {active:?}"
        );
    }

    /// Three hours later nothing is waited for, what is active is delivered, and of what is gone
    /// there is nothing left.
    async fn end(mut self) {
        let before_ms = self.stack.clock.now_ms();
        for _ in 0..12 {
            self.stack.run_for(minutes(15)).await;
        }

        self.place.1 = STEPS;
        self.look(before_ms).await;

        let dump = self.stack.dump().await;
        let (place, is_pending) = (self.place, |record: &&Value| record["status"] == "pending");
        assert_eq!(
            dump.items_with_prefix("SPACE#").find(is_pending),
            None,
            "{place:?}"
        );

        for (space, _) in self
            .standings
            .iter()
            .filter(|(_, standing)| **standing == Standing::Deleted)
        {
            let is_left = dump
                .items_with_prefix(&format!("SPACE#{space}"))
                .next()
                .is_some();
            assert!(
                !is_left && !dump.objects.keys().any(|key| key.contains(space)),
                "{place:?}: {space} is left"
            );
        }

        for file in &self.files {
            let Active(content) = file.seen.0 else {
                assert!(
                    file.seen.1.is_none() || file.may_have_stale_bytes || self.is_chaotic,
                    "{place:?}: {file:?}"
                );
                continue;
            };
            let record =
                &dump.items[&(format!("SPACE#{}", file.space), format!("FILE#{}", file.id))];
            let url = format!(
                "{}/{}",
                self.stack.cloud.cdn_url(),
                text(record, "storage_path")
            );
            let delivered = self.stack.anonymous.get(&url).await;

            if self.standings[&file.space] == Standing::Enabled {
                assert!(
                    delivered.expect_status(200).body == content.bytes(),
                    "{place:?}: {file:?}"
                );
            } else {
                delivered.expect_error(404);
            }
        }

        self.stack.stop().await;
    }
}
