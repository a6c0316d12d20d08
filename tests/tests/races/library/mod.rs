//! Concurrent changes of one library: folders that are created, moved, renamed and deleted, files
//! that are uploaded, moved and deleted, and access that changes during deliveries.
//!
//! Each race runs for many rounds with seeded timing, most of them on a stack without faults and
//! some with random AWS misbehavior. Acknowledged changes must hold, and the stored items must be
//! consistent after every few rounds. `LARDER_RACE_ROUNDS=5000 cargo test -p tests races::library`
//! runs longer.

mod access;
mod files;
mod folders;
mod invariants;
mod shuffles;

use std::{collections::BTreeSet, fmt};

use futures::{
    FutureExt,
    future::{LocalBoxFuture, join},
};
use rand::{RngExt, SeedableRng, rngs::SmallRng};
use serde_json::{Value, json};
use tests::{Extent, Response, Stack, StackOptions, TestSpace, minutes, text};

use invariants::StoredLibrary;

/// Rounds of each race.
const ROUNDS: Extent = Extent {
    default: 12,
    thorough: 600,
    variable: "LARDER_RACE_ROUNDS",
};
/// Number of rounds without faults per round with random AWS misbehavior.
const CALM_ROUNDS: u64 = 20;
/// Number of rounds between checks of all stored items.
const CHECK_INTERVAL: u64 = 40;
/// Exclusive maximum number of requests that delay an operation.
const MAX_DELAY_REQUESTS: usize = 6;
/// Maximum number of attempts of a request that returns 503.
const MAX_ATTEMPTS: usize = 8;

/// Seed and round of a race, for panic messages.
#[derive(Clone, Copy)]
struct RoundId {
    seed: u64,
    round: u64,
}

impl fmt::Display for RoundId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "seed {}, round {}", self.seed, self.round)
    }
}

/// A space in which a race runs, round by round.
struct RaceFixture {
    stack: Stack,
    acme: TestSpace,
    draws: SmallRng,
    is_chaotic: bool,
    id: RoundId,
    /// Ids of the files whose creation a response acknowledged.
    acknowledged: BTreeSet<String>,
}

/// Runs a race on a stack without faults, and concurrently on one with random AWS misbehavior.
async fn race(seed: u64, round: impl AsyncFn(&mut RaceFixture)) {
    let calm_rounds = ROUNDS.rounds();
    let chaotic_rounds = calm_rounds.div_ceil(CALM_ROUNDS);

    let calm = async { run(RaceFixture::new(seed, false).await, calm_rounds, &round).await };
    let chaotic = async { run(RaceFixture::new(seed, true).await, chaotic_rounds, &round).await };
    join(Box::pin(calm), Box::pin(chaotic)).await;
}

async fn run(mut fixture: RaceFixture, rounds: u64, round: &impl AsyncFn(&mut RaceFixture)) {
    for number in 0..rounds {
        fixture.id.round = number;
        Box::pin(round(&mut fixture)).await;
        if number % CHECK_INTERVAL == CHECK_INTERVAL - 1 {
            fixture.assert_consistent().await;
        }
    }

    fixture.end().await;
}

impl RaceFixture {
    async fn new(seed: u64, is_chaotic: bool) -> RaceFixture {
        let stack = Stack::start_with(StackOptions {
            seed,
            ..StackOptions::without_rate_limits()
        })
        .await;
        let acme = stack.space("Acme").await;
        let draws = SmallRng::seed_from_u64(seed);

        RaceFixture {
            stack,
            acme,
            draws,
            is_chaotic,
            id: RoundId { seed, round: 0 },
            acknowledged: BTreeSet::new(),
        }
    }

    /// Returns a name that is unique to this round.
    fn name(&self, name: &str) -> String {
        format!("{name} {}", self.id.round)
    }

    /// Returns a random number of requests to delay an operation by.
    fn delay(&mut self) -> usize {
        self.draws.random_range(0..MAX_DELAY_REQUESTS)
    }

    /// Runs an operation after a number of requests that change nothing.
    async fn delayed<T>(&self, requests: usize, operation: impl Future<Output = T>) -> T {
        for _ in 0..requests {
            self.stack
                .anonymous
                .get("/spaces/x")
                .await
                .expect_status(401);
        }
        operation.await
    }

    /// Runs operations, with random AWS misbehavior if this fixture has it.
    fn run_concurrently<'a, T: 'a>(
        &'a self,
        operations: impl Future<Output = T> + 'a,
    ) -> LocalBoxFuture<'a, T> {
        let run = async move {
            let chaos = self.stack.local.chaos();
            if self.is_chaotic {
                chaos.enable(self.id.seed * 100_000 + self.id.round);
            }
            let output = operations.await;

            chaos.disable();
            if self.is_chaotic {
                // Locks that were not released expire, and failed messages become visible again.
                self.stack.run_for(minutes(13)).await;
            }
            output
        };

        run.boxed_local()
    }

    /// Asserts that a response has one of these statuses, or 503 if AWS misbehaves. Returns whether
    /// the request succeeded.
    #[track_caller]
    fn succeeded(&self, response: &Response, allowed: &[u16]) -> bool {
        let checked = response.clone().with_context(&self.id.to_string());
        let is_excused = self.is_chaotic && response.status == 503;
        let checked = if is_excused {
            checked
        } else {
            checked.expect_status_of(allowed)
        };
        if response.status >= 400 {
            checked.expect_error(response.status);
        }

        response.status < 400
    }

    /// Sends a request until its response is not 503. Retries only if AWS misbehaves.
    async fn retry(&self, send: impl AsyncFn() -> Response) -> Response {
        for _ in 0..MAX_ATTEMPTS {
            let response = send().await;
            if !self.is_chaotic || response.status != 503 {
                return response;
            }
        }

        panic!("{}: 503 on each of {MAX_ATTEMPTS} attempts", self.id)
    }

    /// Creates a folder, in the root if `parent` is `None`, and returns its id.
    async fn folder(&self, name: &str, parent: Option<&str>) -> String {
        let body = self.new_folder(name, parent);
        let response = self.acme.post("/folders", body).await;

        text(&response.expect_created()["id"])
    }

    fn new_folder(&self, name: &str, parent: Option<&str>) -> Value {
        json!({"name": name, "space_id": self.acme.id, "parent_id": parent})
    }

    async fn move_folder(&self, id: &str, parent: Option<&str>) -> Response {
        self.acme
            .put(&format!("/folders/{id}"), json!({ "parent_id": parent }))
            .await
    }

    async fn rename_folder(&self, id: &str, name: &str) -> Response {
        self.acme
            .put(&format!("/folders/{id}"), json!({ "name": name }))
            .await
    }

    async fn delete_folder(&self, id: &str) -> Response {
        self.acme.delete(&format!("/folders/{id}")).await
    }

    /// Returns the record of a folder, `None` if it does not exist.
    async fn find_folder(&self, id: &str) -> Option<Value> {
        let response = self.acme.get(&format!("/folders/{id}")).await;
        if response.status == 404 {
            None
        } else {
            Some(response.expect_ok())
        }
    }

    /// Asserts that the stored items are consistent with each other and with the API.
    async fn assert_consistent(&self) {
        let dump = self.stack.dump().await;
        dump.files_with_bytes();

        let stored = StoredLibrary::of(&dump, &self.acme.id, self.id);
        stored.assert_folders(self.is_chaotic);
        // An upload into a folder that is deleted concurrently may fail to roll back its write. Its
        // client got no success response.
        stored.assert_files(|file| self.is_chaotic && !self.acknowledged.contains(file));
        stored.assert_api_matches(&self.acme).await;
    }

    /// Stops the stack. Asserts that the confirm-checks leave no objects except those of files.
    async fn end(self) {
        self.assert_consistent().await;
        self.stack.run_confirm_checks().await;
        self.assert_consistent().await;

        let dump = self.stack.dump().await;
        let originals = dump
            .objects
            .keys()
            .filter(|key| key.contains("/originals/"))
            .count();
        let files = dump.files_with_bytes().len();

        assert!(
            self.is_chaotic || originals == files,
            "{}: {originals} objects of {files} files",
            self.id
        );
        self.stack.stop().await;
    }
}
