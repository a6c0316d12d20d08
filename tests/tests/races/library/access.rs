//! Access that changes while a file is delivered: between states of which none is open nobody is
//! ever let in, and between states that are all open nobody is ever refused.

use std::cell::Cell;

use futures::future::{join, join_all};
use rand::{Rng, rngs::SmallRng};
use serde_json::{Value, json};
use tests::{Response, form};

use super::{CALM_ROUNDS, ROUNDS, RaceFixture, text};

/// What the file holds.
const TEXT: &str = "some text";
/// The folder that is at the top.
const OUTER: usize = 0;
/// The folder that moves.
const INNER: usize = 1;
/// Another one at the top.
const OTHER: usize = 2;
/// All of them.
const FOLDERS: usize = 3;
/// Who asks for the file all the time.
const READERS: usize = 2;
/// Steps for each round.
const STEPS: u64 = 2;
/// Fewest steps of a walk.
const STEPS_MIN: u64 = 24;
/// Steps by which a walk may be longer, until each reader has been answered: while AWS misbehaves at random,
/// all that a reader hears may be 503 for some steps.
const MORE_STEPS_MAX: u64 = 400;

/// What all levels say.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    space: Option<bool>,
    folders: [Option<bool>; FOLDERS],
    /// The folder that the inner one is in.
    inner_in: Option<usize>,
    file: Option<bool>,
    is_private: bool,
    /// The folder that the file is in.
    place: Option<usize>,
}

/// One thing that is changed.
#[derive(Clone, Copy, Debug)]
enum Step {
    Space(Option<bool>),
    Folder(usize, Option<bool>),
    Inner(Option<usize>),
    File(Option<bool>),
    Type(bool),
    Place(Option<usize>),
}

impl State {
    /// Whether strangers have to prove something.
    fn asks(&self) -> bool {
        let around = [
            self.place,
            self.inner_in.filter(|_| self.place == Some(INNER)),
        ];
        let mut around = around
            .into_iter()
            .flatten()
            .map(|folder| self.folders[folder]);

        self.is_private
            || self
                .file
                .or_else(|| around.find_map(|says| says))
                .or(self.space)
                .unwrap_or(false)
    }

    fn after(mut self, step: Step) -> State {
        match step {
            Step::Space(says) => self.space = says,
            Step::Folder(folder, says) => self.folders[folder] = says,
            Step::Inner(parent) => self.inner_in = parent,
            Step::File(says) => self.file = says,
            Step::Type(is_private) => self.is_private = is_private,
            Step::Place(folder) => self.place = folder,
        }

        self
    }
}

/// A file in three folders.
struct Guarded<'a> {
    fixture: &'a RaceFixture,
    folders: Vec<String>,
    file: String,
    url: String,
}

impl Guarded<'_> {
    async fn new(fixture: &RaceFixture) -> Guarded<'_> {
        let mut folders = Vec::new();
        for name in ["outer", "inner", "other"] {
            folders.push(fixture.folder(name, None).await);
        }

        let file = fixture
            .acme
            .client
            .upload(form(&fixture.acme.handle, "a.txt", "text/plain", TEXT))
            .await
            .expect_created();

        Guarded {
            fixture,
            folders,
            file: format!("/files/{}", text(&file["id"])),
            url: text(&file["url"]),
        }
    }

    async fn take(&self, step: Step) {
        let id = |folder: Option<usize>| json!(folder.map(|folder| &self.folders[folder]));
        let folder = |folder: usize| format!("/folders/{}", self.folders[folder]);
        let (path, body) = match step {
            Step::Space(says) => {
                return self
                    .say(&format!("/spaces/{}", self.fixture.acme.id), says)
                    .await;
            }
            Step::Folder(index, says) => return self.say(&folder(index), says).await,
            Step::File(says) => return self.say(&self.file, says).await,
            Step::Inner(parent) => (folder(INNER), json!({ "parent_id": id(parent) })),
            Step::Type(is_private) => (
                self.file.clone(),
                json!({"type": if is_private { "private" } else { "upload" }}),
            ),
            Step::Place(place) => (self.file.clone(), json!({ "folder_id": id(place) })),
        };

        self.put(&path, &body).await;
    }

    /// Lets what has this path say whether it asks for proof, or nothing.
    async fn say(&self, path: &str, says: Option<bool>) {
        let path = format!("{path}/access-control");
        let Some(requires_auth) = says else {
            self.fixture
                .insist(async || self.fixture.acme.client.delete(&path).await)
                .await
                .expect_ok();
            return;
        };

        self.put(
            &path,
            &json!({"access_control": {"requires_auth": requires_auth}}),
        )
        .await;
    }

    async fn put(&self, path: &str, body: &Value) {
        self.fixture
            .insist(async || self.fixture.acme.client.put(path, body.clone()).await)
            .await
            .expect_ok();
    }

    /// Asks for the file until it is over, and counts the answers but those that AWS was to blame
    /// for.
    async fn ask(&self, is_over: &Cell<bool>, state: &Cell<State>, asks: bool, heard: &Cell<u64>) {
        while !is_over.get() {
            let before = state.get();
            let response: Response = self.fixture.stack.anonymous.get(&self.url).await;

            if self.fixture.is_chaotic && response.status == 503 {
                continue;
            }

            let expected = if asks { 403 } else { 200 };
            let place = self.fixture.place;
            assert_eq!(
                response.status,
                expected,
                "{place:?}: between {before:?} and {:?}",
                state.get()
            );
            heard.set(heard.get() + 1);
        }
    }
}

/// A step after which strangers are still let in, or still refused.
fn drawn(draws: &mut SmallRng, state: State, asks: bool) -> Step {
    loop {
        let says = [None, Some(false), Some(true)][draws.random_range(0..3)];
        let folder = draws.random_range(0..FOLDERS);
        let step = match draws.random_range(0..6) {
            0 => Step::Space(says),
            1 => Step::Folder(folder, says),
            2 => Step::Inner([None, Some(OUTER), Some(OTHER)][folder]),
            3 => Step::File(says),
            4 => Step::Type(says == Some(true)),
            _ => Step::Place([None, Some(INNER), Some(OTHER)][folder]),
        };

        if state.after(step).asks() == asks {
            return step;
        }
    }
}

/// Changes one thing after the other, while others ask for the file all the time, until each of
/// them has been answered.
async fn walk(seed: u64, is_chaotic: bool, asks: bool) {
    let fixture = RaceFixture::new(seed, is_chaotic).await;
    let mut draws = fixture.draws.clone();
    let share = if is_chaotic { CALM_ROUNDS } else { 1 };
    let steps = (ROUNDS.rounds() * STEPS).div_ceil(share).max(STEPS_MIN);

    let guarded = Guarded::new(&fixture).await;
    guarded.take(Step::Space(Some(asks))).await;

    let state = Cell::new(State {
        space: Some(asks),
        ..State::default()
    });
    let heard = [const { Cell::new(0) }; READERS];
    let is_over = Cell::new(false);

    let changes = async {
        let mut walked = 0;
        while walked < steps || heard.iter().any(|heard| heard.get() == 0) {
            assert!(
                walked < steps + MORE_STEPS_MAX,
                "{:?}: somebody was never answered",
                fixture.place
            );
            let step = drawn(&mut draws, state.get(), asks);
            state.set(state.get().after(step));
            guarded.take(step).await;
            walked += 1;
        }
        is_over.set(true);
    };
    let readers = join_all(
        heard
            .iter()
            .map(|heard| guarded.ask(&is_over, &state, asks, heard)),
    );

    fixture.meet(join(changes, readers)).await;

    let delivered = fixture
        .stack
        .anonymous
        .get(&guarded.url)
        .await
        .expect_status(if asks { 403 } else { 200 });
    assert_eq!(delivered.body == TEXT, !asks);
    fixture.end().await;
}

#[tokio::test]
async fn change_between_closed_states_never_opens_file() {
    join(
        Box::pin(walk(401, false, true)),
        Box::pin(walk(402, true, true)),
    )
    .await;
}

#[tokio::test]
async fn change_between_open_states_never_closes_file() {
    join(
        Box::pin(walk(403, false, false)),
        Box::pin(walk(404, true, false)),
    )
    .await;
}
