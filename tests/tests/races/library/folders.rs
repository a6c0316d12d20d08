//! Folders against folders: at the end no circle, no name twice, nothing in what is gone.

use futures::future::{join, join_all, join3};
use rand::Rng;
use serde_json::json;

use super::{RaceFixture, race, text};

/// Folders that are made in one that is being deleted.
const CHILDREN: usize = 2;

#[tokio::test]
async fn folder_deletion_and_subfolder_creation_are_serialized() {
    race(101, made_and_deleted).await;
}

async fn made_and_deleted(fixture: &mut RaceFixture) {
    let outer = fixture.folder(&fixture.name("outer"), None).await;
    let id = fixture.folder("doomed", Some(&outer)).await;
    let lateness = [
        fixture.lateness(),
        fixture.lateness(),
        fixture.lateness(),
        fixture.lateness(),
    ];
    let fixture = &*fixture;
    let create = |number: usize| {
        let body = fixture.new_folder(&format!("child {number}"), Some(&id));
        fixture.late(lateness[number], fixture.acme.client.post("/folders", body))
    };
    let deletions = lateness[CHILDREN..]
        .iter()
        .map(|requests| fixture.late(*requests, fixture.delete_folder(&id)));
    let (deletions, made) = fixture
        .meet(join(
            join_all(deletions),
            join_all((0..CHILDREN).map(create)),
        ))
        .await;
    // Whoever meets a deletion that is under way comes back later.
    let deleted = deletions
        .iter()
        .filter(|response| fixture.check(response, &[204, 404, 409, 503]))
        .count();
    let made: Vec<_> = made
        .into_iter()
        .filter(|response| fixture.check(response, &[201, 422, 503]))
        .collect();

    assert!(
        deleted <= 1,
        "{:?}: it is deleted {deleted} times",
        fixture.place
    );
    assert!(
        deleted == 0 || made.is_empty(),
        "{:?}: what was made in it went with it",
        fixture.place
    );
    assert!(
        fixture.is_chaotic || deleted == 1 || !made.is_empty(),
        "{:?}: nobody won",
        fixture.place
    );

    let shown = fixture.shown(&id).await;
    assert!(
        deleted == 0 || shown.is_none(),
        "{:?}: it is deleted and there",
        fixture.place
    );
    assert!(
        made.is_empty() || shown.is_some_and(|folder| folder["has_children"] == true),
        "{:?}",
        fixture.place
    );

    for folder in made {
        let folder = folder.expect_created();
        assert_eq!(folder["parent_id"], id.as_str());
        assert!(
            fixture.shown(&text(&folder["id"])).await.is_some(),
            "{:?}: {folder}",
            fixture.place
        );
    }
}

#[tokio::test]
async fn one_of_two_folders_moving_into_each_other_succeeds() {
    race(102, moved_into_each_other).await;
}

async fn moved_into_each_other(fixture: &mut RaceFixture) {
    let (one, other) = (
        fixture.folder(&fixture.name("one"), None).await,
        fixture.folder(&fixture.name("other"), None).await,
    );
    // Into the folder itself, or into one in it.
    let inner = [
        fixture.folder("inner", Some(&one)).await,
        fixture.folder("inner", Some(&other)).await,
    ];
    let into = [
        [&one, &inner[0]][fixture.draws.random_range(0..2)],
        [&other, &inner[1]][fixture.draws.random_range(0..2)],
    ];
    let (first, second) = (fixture.lateness(), fixture.lateness());
    let both = join(
        fixture.late(first, fixture.move_folder(&one, Some(into[1]))),
        fixture.late(second, fixture.move_folder(&other, Some(into[0]))),
    );
    let (first, second) = fixture.meet(both).await;
    let moved = [
        fixture.check(&first, &[200, 422]),
        fixture.check(&second, &[200, 422]),
    ];

    assert_ne!(
        moved,
        [true, true],
        "{:?}: they are in each other",
        fixture.place
    );
    assert!(
        fixture.is_chaotic || moved != [false, false],
        "{:?}: neither moves",
        fixture.place
    );

    for ((id, into), has_moved) in [(&one, into[1]), (&other, into[0])].into_iter().zip(moved) {
        let shown = fixture.shown(id).await.expect("nobody deletes it");
        assert!(
            !has_moved || shown["parent_id"] == into.as_str(),
            "{:?}: {shown}",
            fixture.place
        );
        assert!(
            fixture.is_chaotic || has_moved || shown["parent_id"].is_null(),
            "{:?}: {shown}",
            fixture.place
        );
    }
}

#[tokio::test]
async fn two_of_three_folders_moving_in_a_cycle_succeed() {
    race(103, moved_in_a_circle).await;
}

async fn moved_in_a_circle(fixture: &mut RaceFixture) {
    let mut ids = Vec::new();
    for name in ["a", "b", "c"] {
        ids.push(fixture.folder(&fixture.name(name), None).await);
    }

    let lateness = [fixture.lateness(), fixture.lateness(), fixture.lateness()];
    let step = |index: usize| {
        fixture.late(
            lateness[index],
            fixture.move_folder(&ids[index], Some(&ids[(index + 1) % 3])),
        )
    };
    let (a, b, c) = fixture.meet(join3(step(0), step(1), step(2))).await;
    let moved = [a, b, c]
        .iter()
        .filter(|response| fixture.check(response, &[200, 422]))
        .count();

    assert!(moved < 3, "{:?}: they are in a circle", fixture.place);
    assert!(
        fixture.is_chaotic || moved == 2,
        "{:?}: {moved} moved",
        fixture.place
    );

    for id in &ids {
        let path = text(&fixture.shown(id).await.expect("nobody deletes it")["path"]);
        assert!(path.split('/').count() <= 4, "{:?}: {path}", fixture.place);
    }
}

#[tokio::test]
async fn one_of_concurrent_claims_of_a_name_succeeds() {
    race(104, named_alike).await;
}

async fn named_alike(fixture: &mut RaceFixture) {
    let outer = fixture.folder(&fixture.name("outer"), None).await;
    let (one, two) = (
        fixture.folder("one", Some(&outer)).await,
        fixture.folder("two", Some(&outer)).await,
    );
    let comes = fixture.folder(&fixture.name("Wanted"), None).await;
    let (wanted, spelled) = (fixture.name("wanted"), fixture.name("WANTED"));
    let lateness = [
        fixture.lateness(),
        fixture.lateness(),
        fixture.lateness(),
        fixture.lateness(),
    ];
    let client = &fixture.acme.client;
    let renamed = join(
        fixture.late(lateness[0], fixture.rename_folder(&one, &spelled)),
        fixture.late(lateness[1], fixture.rename_folder(&two, &wanted)),
    );
    let made = client.post("/folders", fixture.new_folder(&wanted, Some(&outer)));
    let moved = fixture.late(lateness[2], fixture.move_folder(&comes, Some(&outer)));
    let ((one, two), made, moved) = fixture
        .meet(join3(renamed, fixture.late(lateness[3], made), moved))
        .await;
    let responses = [one, two, made, moved];
    let won = responses
        .iter()
        .filter(|response| fixture.check(response, &[200, 201, 422]))
        .count();

    assert!(won <= 1, "{:?}: {won} have the name", fixture.place);
    assert!(
        fixture.is_chaotic || won == 1,
        "{:?}: nobody has the name",
        fixture.place
    );

    let taken = json!({"name": ["The name has already been taken."]});
    for response in responses
        .into_iter()
        .filter(|response| response.status == 422)
    {
        assert_eq!(response.expect_error(422), taken);
    }

    let address = format!("/folders?space_id={}&parent_id={outer}", fixture.acme.id);
    let listed = fixture
        .acme
        .client
        .get(&address)
        .await
        .expect_status(200)
        .json();
    let names = listed["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|folder| text(&folder["name"]));
    let have_it = names.filter(|name| name.to_lowercase() == wanted).count();

    assert!(
        have_it <= 1 && have_it >= won,
        "{:?}: {listed}",
        fixture.place
    );
}

#[tokio::test]
async fn folder_deletion_and_folder_move_are_serialized() {
    race(105, moved_into_the_doomed).await;
}

async fn moved_into_the_doomed(fixture: &mut RaceFixture) {
    let doomed = fixture.folder(&fixture.name("doomed"), None).await;
    let comes = fixture.folder(&fixture.name("comes"), None).await;

    fixture.folder("inner", Some(&comes)).await;

    let (first, second) = (fixture.lateness(), fixture.lateness());
    let (deletion, coming) = fixture
        .meet(join(
            fixture.late(first, fixture.delete_folder(&doomed)),
            fixture.late(second, fixture.move_folder(&comes, Some(&doomed))),
        ))
        .await;
    let (deleted, came) = (
        fixture.check(&deletion, &[204, 409]),
        fixture.check(&coming, &[200, 422, 503]),
    );

    assert!(
        !(deleted && came),
        "{:?}: it came into what is gone",
        fixture.place
    );
    assert!(
        fixture.is_chaotic || deleted || came,
        "{:?}: nobody won",
        fixture.place
    );

    let shown = fixture.shown(&comes).await.expect("nobody deletes it");
    assert!(
        shown["has_children"] == true,
        "{:?}: {shown}",
        fixture.place
    );
    assert!(
        !came || shown["parent_id"] == doomed.as_str(),
        "{:?}: {shown}",
        fixture.place
    );
    assert!(
        !deleted || shown["parent_id"].is_null(),
        "{:?}: {shown}",
        fixture.place
    );

    let is_gone = fixture.shown(&doomed).await.is_none();
    assert!(
        is_gone == deleted || (fixture.is_chaotic && is_gone),
        "{:?}: it is gone: {is_gone}",
        fixture.place
    );
}
