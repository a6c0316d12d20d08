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
mod shuffles;

use std::{array, collections::BTreeSet};

use futures::{
    FutureExt,
    future::{LocalBoxFuture, join, join_all},
};
use rand::{RngExt, SeedableRng, rngs::SmallRng};
use serde_json::{Value, json};
use tests::{Extent, Response, Stack, TestSpace, minutes, text};

use crate::support::seeded::{
    Place,
    invariants::{StoredLibrary, assert_file_records, assert_no_orphans},
    operations::{Request, create_configs, new_folder},
    start_stack,
};

/// Rounds of each race.
const ROUNDS: Extent = Extent::new(12, 600, "LARDER_RACE_ROUNDS");
/// Number of rounds without faults per round with random AWS misbehavior.
const CALM_ROUNDS: u64 = 20;
/// Number of rounds between checks of all stored items.
const CHECK_INTERVAL: u64 = 40;
/// Exclusive maximum number of requests that delay an operation.
const MAX_DELAY_REQUESTS: usize = 6;
/// Maximum number of attempts of a request that returns 503.
const MAX_ATTEMPTS: usize = 8;

/// A space in which a race runs, round by round.
struct RaceFixture {
    stack: Stack,
    acme: TestSpace,
    draws: SmallRng,
    is_chaotic: bool,
    place: Place,
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
        fixture.place.step = number;
        Box::pin(round(&mut fixture)).await;
        if number % CHECK_INTERVAL == CHECK_INTERVAL - 1 {
            fixture.assert_consistent().await;
        }
    }

    fixture.end().await;
}

impl RaceFixture {
    async fn new(seed: u64, is_chaotic: bool) -> RaceFixture {
        let stack = start_stack(seed).await;
        let acme = stack.space("Acme").await;
        create_configs(&acme).await;

        RaceFixture {
            stack,
            acme,
            draws: SmallRng::seed_from_u64(seed),
            is_chaotic,
            place: Place { seed, step: 0 },
            acknowledged: BTreeSet::new(),
        }
    }

    /// Returns a name that is unique to this round.
    fn name(&self, name: &str) -> String {
        format!("{name} {}", self.place.step)
    }

    /// Sends requests concurrently, each after a random number of requests that change nothing.
    async fn send<const N: usize>(&mut self, requests: [Request; N]) -> [Response; N] {
        let delays: [usize; N] = array::from_fn(|_| self.draws.random_range(0..MAX_DELAY_REQUESTS));
        let delayed = requests.iter().zip(delays).map(async |(request, delay)| {
            for _ in 0..delay {
                self.stack.anonymous.get_err(401, "/spaces/x").await;
            }
            request.send(&self.acme).await
        });

        let responses = self.run_concurrently(join_all(delayed)).await;
        responses.try_into().expect("a response to each request")
    }

    /// Runs operations, with random AWS misbehavior if this fixture has it.
    fn run_concurrently<'a, T: 'a>(
        &'a self,
        operations: impl Future<Output = T> + 'a,
    ) -> LocalBoxFuture<'a, T> {
        let run = async move {
            let chaos = self.stack.local.chaos();
            if self.is_chaotic {
                chaos.enable(self.place.seed * 100_000 + self.place.step);
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

    #[track_caller]
    fn assert(&self, holds: bool, violation: &str) {
        assert!(holds, "{}: {violation}", self.place);
    }

    /// Asserts that a response has one of these statuses, or 503 if AWS misbehaves. Returns whether
    /// the request succeeded.
    #[track_caller]
    fn succeeded(&self, response: &Response, allowed: &[u16]) -> bool {
        let mut checked = response.clone().with_context(&self.place.to_string());
        if !self.is_chaotic || response.status != 503 {
            checked = checked.expect_status_of(allowed);
        }
        if response.status >= 400 {
            checked.expect_error(response.status);
        }

        response.status < 400
    }

    /// Returns the responses of requests that [succeeded](Self::succeeded).
    #[track_caller]
    fn successes<const N: usize>(
        &self,
        mut responses: Vec<Response>,
        allowed: [u16; N],
    ) -> Vec<Response> {
        responses.retain(|response| self.succeeded(response, &allowed));
        responses
    }

    /// Sends a request until its response is not 503. Retries only if AWS misbehaves.
    async fn retry(&self, request: Request) -> Response {
        for _ in 0..MAX_ATTEMPTS {
            let response = request.send(&self.acme).await;
            if !self.is_chaotic || response.status != 503 {
                return response;
            }
        }

        panic!("{}: 503 on each of {MAX_ATTEMPTS} attempts", self.place)
    }

    /// Creates a folder whose name is unique to this round, in the root if `parent` is `None`, and
    /// returns its id.
    async fn folder(&self, name: &str, parent: Option<&str>) -> String {
        let name = self.name(name);
        self.acme.folder(&name).inside_id(parent).await.id
    }

    fn new_folder(&self, name: &str, parent: &str) -> Request {
        new_folder(&self.acme, name, Some(parent))
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
        assert_file_records(&dump, self.place);

        let stored = StoredLibrary::of(&dump, &self.acme.id, self.place);
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
        if !self.is_chaotic {
            assert_no_orphans(&self.stack.dump().await, self.place);
        }
        self.stack.stop().await;
    }
}

fn move_folder(id: &str, parent: &str) -> Request {
    Request::put(&format!("/folders/{id}"), json!({ "parent_id": parent }))
}

fn delete_folder(id: &str) -> Request {
    Request::delete(&format!("/folders/{id}"))
}

/// Returns the id of the record that a request created.
fn id_of(response: &Response) -> String {
    let body = response.json();
    text(if body["file_id"].is_string() {
        &body["file_id"]
    } else {
        &body["data"]["id"]
    })
}
