//! Access control that changes during deliveries: a change between protected states never allows
//! anonymous access, and a change between public states never rejects it.

use std::cell::{Cell, RefCell};

use futures::future::{join, join_all};
use rand::rngs::SmallRng;
use serde_json::Value;

use super::{CALM_ROUNDS, ROUNDS, RaceFixture};
use crate::support::seeded::{
    model::{AccessChange, Model},
    operations::{Kind, Level, Operation, Operations, TEXT},
};

/// Number of clients that request the file all the time.
const READERS: usize = 2;
const CHANGES_PER_ROUND: u64 = 2;
/// Minimum number of changes.
const MIN_CHANGES: u64 = 24;
/// Maximum number of additional changes until each reader got a response: while AWS misbehaves,
/// all responses during some changes may be 503.
const MAX_EXTRA_CHANGES: u64 = 400;
/// Changes of the access control of one file in few folders.
const CHANGES: Operations = Operations {
    kinds: &[
        (1, Kind::SetSpaceAccess),
        (1, Kind::SetFolderAccess),
        (1, Kind::SetFileAccess),
        (1, Kind::ChangeType),
        (1, Kind::MoveFolder),
        (1, Kind::MoveFile),
    ],
    max_folders: 3,
    max_files: 1,
};

/// A file whose access control changes.
struct WatchedFile<'a> {
    fixture: &'a RaceFixture,
    model: RefCell<Model>,
    id: String,
    url: String,
    /// Operation that was sent last.
    latest: RefCell<Option<Operation>>,
}

impl WatchedFile<'_> {
    async fn new(fixture: &RaceFixture, is_protected: bool) -> WatchedFile<'_> {
        let mut model = Model::new(&fixture.acme);
        let access = AccessChange::requires_auth(is_protected);
        for operation in [
            Operation::SetAccess(Level::Space, Some(access)),
            Operation::CreateFolder(None, "a"),
            Operation::CreateFolder(None, "b"),
            Operation::CreateFolder(None, "c"),
            Operation::Upload(None, "upload"),
        ] {
            let response = operation.request(&fixture.acme).send(&fixture.acme).await;
            model.follow(&operation, response, fixture.place);
        }
        let (id, file) = model.files.first_key_value().expect("the file");

        WatchedFile {
            fixture,
            id: id.clone(),
            url: file.url.clone(),
            model: RefCell::new(model),
            latest: RefCell::new(None),
        }
    }

    /// Makes a random change that keeps the file protected or keeps it public.
    async fn change(&self, draws: &mut SmallRng) {
        let operation = self.draw(draws);
        self.latest.replace(Some(operation.clone()));
        let response = self
            .fixture
            .retry(operation.request(&self.fixture.acme))
            .await;
        let mut model = self.model.borrow_mut();
        model.follow(&operation, response, self.fixture.place);
    }

    fn draw(&self, draws: &mut SmallRng) -> Operation {
        let model = self.model.borrow();
        loop {
            let operation = CHANGES.draw(&model, draws);
            if model.expected(&operation).status == 200 {
                let mut after = model.clone();
                after.apply(&operation, &Value::Null);
                if after.is_open(&self.id) == model.is_open(&self.id) {
                    return operation;
                }
            }
        }
    }

    /// Requests the file anonymously until `is_over`, and counts the responses except 503 of a
    /// chaotic stack.
    async fn read(&self, expected: u16, is_over: &Cell<bool>, responses: &Cell<u64>) {
        while !is_over.get() {
            let before = self.latest.borrow().clone();
            let response = self.fixture.stack.anonymous.get(&self.url).await;
            if self.fixture.is_chaotic && response.status == 503 {
                continue;
            }

            let after = self.latest.borrow().clone();
            let case = format!("{}: between {before:?} and {after:?}", self.fixture.place);
            response.with_context(&case).expect_status(expected);
            responses.set(responses.get() + 1);
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

    let file = WatchedFile::new(&fixture, is_protected).await;
    let status = if is_protected { 403 } else { 200 };
    let responses = [const { Cell::new(0) }; READERS];
    let is_over = Cell::new(false);

    let changes = async {
        let mut applied = 0;
        while applied < planned || responses.iter().any(|count| count.get() == 0) {
            let is_endless = applied >= planned + MAX_EXTRA_CHANGES;
            fixture.assert(!is_endless, "a reader got no response");
            file.change(&mut draws).await;
            applied += 1;
        }
        is_over.set(true);
    };
    let readers = responses
        .iter()
        .map(|count| file.read(status, &is_over, count));
    fixture
        .run_concurrently(join(changes, join_all(readers)))
        .await;

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
