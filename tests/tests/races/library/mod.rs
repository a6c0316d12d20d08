//! What happens to a library at once: folders that are made, moved, renamed and deleted, files that
//! come into them, move and go, and access that changes while files are delivered.
//!
//! Each race is run over many rounds whose timing is drawn from a seed, most of them on a calm
//! stack and some while AWS misbehaves at random. What was acknowledged has to be true, and all that is kept
//! has to fit together after every few rounds. `LARDER_RACE_ROUNDS=5000 cargo test -p tests
//! library_races` runs longer.

mod access;
mod files;
mod folders;
mod invariants;
mod shuffles;

use std::collections::BTreeSet;

use futures::{
    FutureExt,
    future::{LocalBoxFuture, join},
};
use rand::{Rng, SeedableRng, rngs::SmallRng};
use serde_json::{Value, json};
use tests::{Extent, Response, Stack, StackOptions, Tenant, minutes};

use invariants::StoredLibrary;

/// Rounds of each race.
const ROUNDS: Extent = Extent {
    default: 20,
    thorough: 600,
    variable: "LARDER_RACE_ROUNDS",
};
/// One round while AWS misbehaves at random to so many calm ones.
const CALM_ROUNDS: u64 = 20;
/// Rounds after which all that is kept is looked at.
const LOOKED: u64 = 40;
/// What may come before something that is late: requests that touch nothing.
const MOST_LATE: usize = 6;
/// How often a request is sent that is answered with 503.
const TRIES: usize = 8;

/// A space in which a race is run, round by round.
struct RaceFixture {
    stack: Stack,
    acme: Tenant,
    draws: SmallRng,
    is_chaotic: bool,
    /// The seed, and the round.
    place: (u64, u64),
    /// The files of which somebody was told that they are there.
    reported: BTreeSet<String>,
}

/// Runs a race on a calm stack, and at the same time on one whose AWS misbehaves at random.
async fn race(seed: u64, round: impl AsyncFn(&mut RaceFixture)) {
    let calm = run((seed, false), ROUNDS.rounds(), &round);
    let moody = run((seed, true), ROUNDS.rounds().div_ceil(CALM_ROUNDS), &round);
    join(Box::pin(calm), Box::pin(moody)).await;
}

async fn run((seed, is_chaotic): (u64, bool), rounds: u64, round: &impl AsyncFn(&mut RaceFixture)) {
    let mut fixture = RaceFixture::new(seed, is_chaotic).await;
    for number in 0..rounds {
        fixture.place.1 = number;
        Box::pin(round(&mut fixture)).await;
        if number % LOOKED == LOOKED - 1 {
            fixture.look().await;
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
            place: (seed, 0),
            reported: BTreeSet::new(),
        }
    }

    /// A name that no other round gives.
    fn name(&self, name: &str) -> String {
        format!("{name} {}", self.place.1)
    }

    /// By how much something is to be late.
    fn lateness(&mut self) -> usize {
        self.draws.random_range(0..MOST_LATE)
    }

    /// Does something after so many requests that touch nothing.
    async fn late<T>(&self, requests: usize, work: impl Future<Output = T>) -> T {
        for _ in 0..requests {
            self.stack
                .anonymous
                .get("/spaces/x")
                .await
                .expect_status(401);
        }
        work.await
    }

    /// Does things while AWS misbehaves at random, where it has any in this ring.
    fn meet<'a, T: 'a>(&'a self, work: impl Future<Output = T> + 'a) -> LocalBoxFuture<'a, T> {
        let met = async move {
            let chaos = self.stack.cloud.chaos();
            if self.is_chaotic {
                chaos.enable(self.place.0 * 100_000 + self.place.1);
            }
            let done = work.await;
            chaos.disable();
            if self.is_chaotic {
                // What could not be opened again opens by itself, and what a queue gave out in vain
                // comes back.
                self.stack.run_for(minutes(13)).await;
            }
            done
        };

        met.boxed_local()
    }

    /// Demands one of some statuses, or that AWS was to blame for another; `true` where the request
    /// succeeded.
    #[track_caller]
    fn check(&self, response: &Response, allowed: &[u16]) -> bool {
        let is_excused = self.is_chaotic && response.status == 503;
        let text = String::from_utf8_lossy(&response.body);
        assert!(
            is_excused || allowed.contains(&response.status),
            "{:?}: {} is answered with {}: {text}",
            self.place,
            response.request,
            response.status
        );

        if response.status >= 400 {
            response.clone().expect_error(response.status);
        }

        response.status < 400
    }

    /// Sends a request until AWS lets it through.
    async fn insist(&self, send: impl AsyncFn() -> Response) -> Response {
        for _ in 0..TRIES {
            let response = send().await;
            if !self.is_chaotic || response.status != 503 {
                return response;
            }
        }
        panic!("{:?}: answered with 503 {TRIES} times", self.place)
    }

    /// Makes a folder in another one, or at the top; gives its id.
    async fn folder(&self, name: &str, parent: Option<&str>) -> String {
        text(
            &self
                .acme
                .client
                .post("/folders", self.new_folder(name, parent))
                .await
                .expect_created()["id"],
        )
    }

    fn new_folder(&self, name: &str, parent: Option<&str>) -> Value {
        json!({"name": name, "space_id": self.acme.id, "parent_id": parent})
    }

    async fn move_folder(&self, id: &str, parent: Option<&str>) -> Response {
        self.acme
            .client
            .put(&format!("/folders/{id}"), json!({ "parent_id": parent }))
            .await
    }

    async fn rename_folder(&self, id: &str, name: &str) -> Response {
        self.acme
            .client
            .put(&format!("/folders/{id}"), json!({ "name": name }))
            .await
    }

    async fn delete_folder(&self, id: &str) -> Response {
        self.acme.client.delete(&format!("/folders/{id}")).await
    }

    /// A folder as it is shown; `None` where there is none.
    async fn shown(&self, id: &str) -> Option<Value> {
        let response = self.acme.client.get(&format!("/folders/{id}")).await;
        if response.status == 404 {
            None
        } else {
            Some(response.expect_ok())
        }
    }

    /// Holds all that is kept against itself, and against what was told.
    async fn look(&self) {
        let dump = self.stack.dump().await;
        dump.files_with_bytes();
        let kept = StoredLibrary::of(&dump, &self.acme.id, self.place);
        kept.assert_folders(self.is_chaotic);
        // Whoever wrote a file into a folder that just went may have failed to take it back: nobody
        // was told of it.
        kept.assert_files(|file| self.is_chaotic && !self.reported.contains(file));
        kept.assert_shown(&self.acme).await;
    }

    /// Some hours later nothing is waited for, and there are no bytes but those of files.
    async fn end(self) {
        self.look().await;
        self.stack.run_confirm_checks().await;
        self.look().await;

        let dump = self.stack.dump().await;
        let originals = dump
            .objects
            .keys()
            .filter(|key| key.contains("/originals/"))
            .count();
        let files = dump.files_with_bytes().len();

        assert!(
            self.is_chaotic || originals == files,
            "{:?}: {originals} objects of {files} files",
            self.place
        );
        self.stack.stop().await;
    }
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}
