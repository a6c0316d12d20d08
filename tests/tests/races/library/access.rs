//! Access control that changes during deliveries: a change between protected states never allows
//! anonymous access, and a change between public states never rejects it.

use std::cell::Cell;

use futures::future::{join, join_all};
use rand::{RngExt, rngs::SmallRng};
use serde_json::{Value, json};

use tests::text;

use super::{CALM_ROUNDS, ROUNDS, RaceFixture};

/// Content of the file.
const TEXT: &str = "some text";
/// Index of a folder in the root.
const OUTER: usize = 0;
/// Index of the folder that moves.
const INNER: usize = 1;
/// Index of another folder in the root.
const OTHER: usize = 2;
const FOLDERS: usize = 3;
/// Number of clients that request the file all the time.
const READERS: usize = 2;
const CHANGES_PER_ROUND: u64 = 2;
/// Minimum number of changes.
const MIN_CHANGES: u64 = 24;
/// Maximum number of additional changes until each reader got a response: while AWS misbehaves,
/// all responses during some changes may be 503.
const MAX_EXTRA_CHANGES: u64 = 400;

/// The access control of all levels: `requires_auth`, if it is set.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    space: Option<bool>,
    folders: [Option<bool>; FOLDERS],
    /// Parent of the inner folder.
    inner_parent: Option<usize>,
    file: Option<bool>,
    is_private: bool,
    /// Folder of the file.
    file_folder: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
enum Change {
    Space(Option<bool>),
    Folder(usize, Option<bool>),
    File(Option<bool>),
    Type { is_private: bool },
    MoveInnerFolder(Option<usize>),
    MoveFile(Option<usize>),
}

impl State {
    /// Returns whether anonymous clients are rejected.
    fn is_protected(&self) -> bool {
        let is_in_inner = self.file_folder == Some(INNER);
        let ancestors = [self.file_folder, self.inner_parent.filter(|_| is_in_inner)];
        let inherited = ancestors
            .into_iter()
            .flatten()
            .find_map(|folder| self.folders[folder]);

        self.is_private || self.file.or(inherited).or(self.space).unwrap_or(false)
    }

    fn after(mut self, change: Change) -> State {
        match change {
            Change::Space(requires_auth) => self.space = requires_auth,
            Change::Folder(folder, requires_auth) => self.folders[folder] = requires_auth,
            Change::File(requires_auth) => self.file = requires_auth,
            Change::Type { is_private } => self.is_private = is_private,
            Change::MoveInnerFolder(parent) => self.inner_parent = parent,
            Change::MoveFile(folder) => self.file_folder = folder,
        }

        self
    }
}

/// A file, and the folders that it can be in.
struct WatchedFile<'a> {
    fixture: &'a RaceFixture,
    folders: Vec<String>,
    path: String,
    url: String,
}

impl WatchedFile<'_> {
    async fn new(fixture: &RaceFixture) -> WatchedFile<'_> {
        let mut folders = Vec::new();
        for name in ["outer", "inner", "other"] {
            folders.push(fixture.folder(name, None).await);
        }

        let file = fixture.acme.upload(TEXT).named("a.txt", "text/plain").await;

        WatchedFile {
            fixture,
            folders,
            path: file.path().to_owned(),
            url: text(&file["url"]),
        }
    }

    async fn apply(&self, change: Change) {
        let id = |folder: Option<usize>| json!(folder.map(|folder| &self.folders[folder]));
        let folder_path = |folder: usize| format!("/folders/{}", self.folders[folder]);

        match change {
            Change::Space(requires_auth) => {
                let path = self.fixture.acme.path();
                self.set_access(&path, requires_auth).await;
            }
            Change::Folder(folder, requires_auth) => {
                self.set_access(&folder_path(folder), requires_auth).await;
            }
            Change::File(requires_auth) => self.set_access(&self.path, requires_auth).await,
            Change::Type { is_private } => {
                let delivery_type = if is_private { "private" } else { "upload" };
                self.put(&self.path, &json!({ "type": delivery_type }))
                    .await;
            }
            Change::MoveInnerFolder(parent) => {
                let body = json!({ "parent_id": id(parent) });
                self.put(&folder_path(INNER), &body).await;
            }
            Change::MoveFile(folder) => {
                let body = json!({ "folder_id": id(folder) });
                self.put(&self.path, &body).await;
            }
        }
    }

    /// Sets or removes the access control of a resource.
    async fn set_access(&self, path: &str, requires_auth: Option<bool>) {
        let path = format!("{path}/access-control");
        if let Some(requires_auth) = requires_auth {
            let body = json!({"access_control": {"requires_auth": requires_auth}});
            self.put(&path, &body).await;
            return;
        }

        let client = &self.fixture.acme.client;
        let response = self
            .fixture
            .retry(async || client.delete(&path).await)
            .await;
        response.expect_ok();
    }

    async fn put(&self, path: &str, body: &Value) {
        let client = &self.fixture.acme.client;
        let put = async || client.put(path, body.clone()).await;
        self.fixture.retry(put).await.expect_ok();
    }

    /// Requests the file anonymously until `is_over`, and counts the responses except 503 of a
    /// chaotic stack.
    async fn read(&self, is_over: &Cell<bool>, state: &Cell<State>, responses: &Cell<u64>) {
        let expected = if state.get().is_protected() { 403 } else { 200 };

        while !is_over.get() {
            let before = state.get();
            let response = self.fixture.stack.anonymous.get(&self.url).await;
            if self.fixture.is_chaotic && response.status == 503 {
                continue;
            }

            let after = state.get();
            let case = format!("{}: between {before:?} and {after:?}", self.fixture.id);
            response.with_context(&case).expect_status(expected);
            responses.set(responses.get() + 1);
        }
    }
}

/// Returns a random change that keeps the file protected or keeps it public.
fn random_change(draws: &mut SmallRng, state: State) -> Change {
    loop {
        let requires_auth = [None, Some(false), Some(true)][draws.random_range(0..3)];
        let folder = draws.random_range(0..FOLDERS);
        let change = match draws.random_range(0..6) {
            0 => Change::Space(requires_auth),
            1 => Change::Folder(folder, requires_auth),
            2 => Change::MoveInnerFolder([None, Some(OUTER), Some(OTHER)][folder]),
            3 => Change::File(requires_auth),
            4 => Change::Type {
                is_private: requires_auth == Some(true),
            },
            _ => Change::MoveFile([None, Some(INNER), Some(OTHER)][folder]),
        };

        if state.after(change).is_protected() == state.is_protected() {
            return change;
        }
    }
}

/// Applies changes one after the other while clients request the file, until each client got a
/// response.
async fn change_while_reading(seed: u64, is_chaotic: bool, is_protected: bool) {
    let fixture = RaceFixture::new(seed, is_chaotic).await;
    let mut draws = fixture.draws.clone();
    let divisor = if is_chaotic { CALM_ROUNDS } else { 1 };
    let planned = (ROUNDS.rounds() * CHANGES_PER_ROUND).div_ceil(divisor);
    let planned = planned.max(MIN_CHANGES);

    let file = WatchedFile::new(&fixture).await;
    file.apply(Change::Space(Some(is_protected))).await;
    let state = Cell::new(State {
        space: Some(is_protected),
        ..State::default()
    });
    let responses = [const { Cell::new(0) }; READERS];
    let is_over = Cell::new(false);

    let changes = async {
        let mut applied = 0;
        while applied < planned || responses.iter().any(|count| count.get() == 0) {
            assert!(
                applied < planned + MAX_EXTRA_CHANGES,
                "{}: a reader got no response",
                fixture.id
            );
            let change = random_change(&mut draws, state.get());
            state.set(state.get().after(change));
            file.apply(change).await;
            applied += 1;
        }
        is_over.set(true);
    };
    let readers = responses
        .iter()
        .map(|count| file.read(&is_over, &state, count));
    fixture
        .run_concurrently(join(changes, join_all(readers)))
        .await;

    let status = if is_protected { 403 } else { 200 };
    let delivered = fixture.stack.anonymous.get(&file.url).await;
    let delivered = delivered.expect_status(status);
    assert_eq!(delivered.body == TEXT, !is_protected);
    fixture.end().await;
}

#[tokio::test]
async fn change_between_closed_states_never_opens_file() {
    let calm = change_while_reading(401, false, true);
    let chaotic = change_while_reading(402, true, true);

    join(Box::pin(calm), Box::pin(chaotic)).await;
}

#[tokio::test]
async fn change_between_open_states_never_closes_file() {
    let calm = change_while_reading(403, false, false);
    let chaotic = change_while_reading(404, true, false);

    join(Box::pin(calm), Box::pin(chaotic)).await;
}
