//! Folders against folders: at the end no circle, no name twice, nothing in what is gone.

use futures::future::{join, join_all, join3};
use rand::Rng;
use serde_json::json;

use super::{Ring, race, text};

/// Folders that are made in one that is being deleted.
const CHILDREN: usize = 2;

#[tokio::test]
async fn of_a_deletion_and_what_is_made_in_the_folder_one_comes_first() {
    race(101, made_and_deleted).await;
}

async fn made_and_deleted(ring: &mut Ring) {
    let outer = ring.folder(&ring.name("outer"), None).await;
    let id = ring.folder("doomed", Some(&outer)).await;
    let lateness = [
        ring.lateness(),
        ring.lateness(),
        ring.lateness(),
        ring.lateness(),
    ];
    let ring = &*ring;
    let create = |number: usize| {
        let body = ring.new_folder(&format!("child {number}"), Some(&id));
        ring.late(lateness[number], ring.acme.client.post("/folders", body))
    };
    let deletions = lateness[CHILDREN..]
        .iter()
        .map(|requests| ring.late(*requests, ring.delete_folder(&id)));
    let (deletions, made) = ring
        .meet(join(
            join_all(deletions),
            join_all((0..CHILDREN).map(create)),
        ))
        .await;
    // Whoever meets a deletion that is under way comes back later.
    let deleted = deletions
        .iter()
        .filter(|answer| ring.demand(answer, &[204, 404, 409, 503]))
        .count();
    let made: Vec<_> = made
        .into_iter()
        .filter(|answer| ring.demand(answer, &[201, 422, 503]))
        .collect();
    assert!(
        deleted <= 1,
        "{:?}: it is deleted {deleted} times",
        ring.place
    );
    assert!(
        deleted == 0 || made.is_empty(),
        "{:?}: what was made in it went with it",
        ring.place
    );
    assert!(
        ring.is_moody || deleted == 1 || !made.is_empty(),
        "{:?}: nobody won",
        ring.place
    );
    let shown = ring.shown(&id).await;
    assert!(
        deleted == 0 || shown.is_none(),
        "{:?}: it is deleted and there",
        ring.place
    );
    assert!(
        made.is_empty() || shown.is_some_and(|folder| folder["has_children"] == true),
        "{:?}",
        ring.place
    );
    for folder in made {
        let folder = folder.created();
        assert_eq!(folder["parent_id"], id.as_str());
        assert!(
            ring.shown(&text(&folder["id"])).await.is_some(),
            "{:?}: {folder}",
            ring.place
        );
    }
}

#[tokio::test]
async fn of_two_folders_that_move_into_each_other_one_does() {
    race(102, moved_into_each_other).await;
}

async fn moved_into_each_other(ring: &mut Ring) {
    let (one, other) = (
        ring.folder(&ring.name("one"), None).await,
        ring.folder(&ring.name("other"), None).await,
    );
    // Into the folder itself, or into one in it.
    let inner = [
        ring.folder("inner", Some(&one)).await,
        ring.folder("inner", Some(&other)).await,
    ];
    let into = [
        [&one, &inner[0]][ring.draws.random_range(0..2)],
        [&other, &inner[1]][ring.draws.random_range(0..2)],
    ];
    let (first, second) = (ring.lateness(), ring.lateness());
    let both = join(
        ring.late(first, ring.move_folder(&one, Some(into[1]))),
        ring.late(second, ring.move_folder(&other, Some(into[0]))),
    );
    let (first, second) = ring.meet(both).await;
    let moved = [
        ring.demand(&first, &[200, 422]),
        ring.demand(&second, &[200, 422]),
    ];
    assert_ne!(
        moved,
        [true, true],
        "{:?}: they are in each other",
        ring.place
    );
    assert!(
        ring.is_moody || moved != [false, false],
        "{:?}: neither moves",
        ring.place
    );
    for ((id, into), has_moved) in [(&one, into[1]), (&other, into[0])].into_iter().zip(moved) {
        let shown = ring.shown(id).await.expect("nobody deletes it");
        assert!(
            !has_moved || shown["parent_id"] == into.as_str(),
            "{:?}: {shown}",
            ring.place
        );
        assert!(
            ring.is_moody || has_moved || shown["parent_id"].is_null(),
            "{:?}: {shown}",
            ring.place
        );
    }
}

#[tokio::test]
async fn of_three_folders_that_move_into_each_other_in_a_circle_two_do() {
    race(103, moved_in_a_circle).await;
}

async fn moved_in_a_circle(ring: &mut Ring) {
    let mut ids = Vec::new();
    for name in ["a", "b", "c"] {
        ids.push(ring.folder(&ring.name(name), None).await);
    }
    let lateness = [ring.lateness(), ring.lateness(), ring.lateness()];
    let step = |index: usize| {
        ring.late(
            lateness[index],
            ring.move_folder(&ids[index], Some(&ids[(index + 1) % 3])),
        )
    };
    let (a, b, c) = ring.meet(join3(step(0), step(1), step(2))).await;
    let moved = [a, b, c]
        .iter()
        .filter(|answer| ring.demand(answer, &[200, 422]))
        .count();
    assert!(moved < 3, "{:?}: they are in a circle", ring.place);
    assert!(
        ring.is_moody || moved == 2,
        "{:?}: {moved} moved",
        ring.place
    );
    for id in &ids {
        let path = text(&ring.shown(id).await.expect("nobody deletes it")["path"]);
        assert!(path.split('/').count() <= 4, "{:?}: {path}", ring.place);
    }
}

#[tokio::test]
async fn of_all_that_want_a_name_in_a_folder_one_gets_it() {
    race(104, named_alike).await;
}

async fn named_alike(ring: &mut Ring) {
    let outer = ring.folder(&ring.name("outer"), None).await;
    let (one, two) = (
        ring.folder("one", Some(&outer)).await,
        ring.folder("two", Some(&outer)).await,
    );
    let comes = ring.folder(&ring.name("Wanted"), None).await;
    let (wanted, spelled) = (ring.name("wanted"), ring.name("WANTED"));
    let lateness = [
        ring.lateness(),
        ring.lateness(),
        ring.lateness(),
        ring.lateness(),
    ];
    let client = &ring.acme.client;
    let renamed = join(
        ring.late(lateness[0], ring.rename_folder(&one, &spelled)),
        ring.late(lateness[1], ring.rename_folder(&two, &wanted)),
    );
    let made = client.post("/folders", ring.new_folder(&wanted, Some(&outer)));
    let moved = ring.late(lateness[2], ring.move_folder(&comes, Some(&outer)));
    let ((one, two), made, moved) = ring
        .meet(join3(renamed, ring.late(lateness[3], made), moved))
        .await;
    let answers = [one, two, made, moved];
    let won = answers
        .iter()
        .filter(|answer| ring.demand(answer, &[200, 201, 422]))
        .count();
    assert!(won <= 1, "{:?}: {won} have the name", ring.place);
    assert!(
        ring.is_moody || won == 1,
        "{:?}: nobody has the name",
        ring.place
    );
    let taken = json!({"name": ["The name has already been taken."]});
    for answer in answers.into_iter().filter(|answer| answer.status == 422) {
        assert_eq!(answer.refused(422), taken);
    }
    let address = format!("/folders?space_id={}&parent_id={outer}", ring.acme.id);
    let listed = ring.acme.client.get(&address).await.demand(200).json();
    let names = listed["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|folder| text(&folder["name"]));
    let have_it = names.filter(|name| name.to_lowercase() == wanted).count();
    assert!(have_it <= 1 && have_it >= won, "{:?}: {listed}", ring.place);
}

#[tokio::test]
async fn of_a_deletion_and_a_move_into_the_folder_one_comes_first() {
    race(105, moved_into_the_doomed).await;
}

async fn moved_into_the_doomed(ring: &mut Ring) {
    let doomed = ring.folder(&ring.name("doomed"), None).await;
    let comes = ring.folder(&ring.name("comes"), None).await;
    ring.folder("inner", Some(&comes)).await;
    let (first, second) = (ring.lateness(), ring.lateness());
    let (deletion, coming) = ring
        .meet(join(
            ring.late(first, ring.delete_folder(&doomed)),
            ring.late(second, ring.move_folder(&comes, Some(&doomed))),
        ))
        .await;
    let (deleted, came) = (
        ring.demand(&deletion, &[204, 409]),
        ring.demand(&coming, &[200, 422, 503]),
    );
    assert!(
        !(deleted && came),
        "{:?}: it came into what is gone",
        ring.place
    );
    assert!(
        ring.is_moody || deleted || came,
        "{:?}: nobody won",
        ring.place
    );
    let shown = ring.shown(&comes).await.expect("nobody deletes it");
    assert!(shown["has_children"] == true, "{:?}: {shown}", ring.place);
    assert!(
        !came || shown["parent_id"] == doomed.as_str(),
        "{:?}: {shown}",
        ring.place
    );
    assert!(
        !deleted || shown["parent_id"].is_null(),
        "{:?}: {shown}",
        ring.place
    );
    let is_gone = ring.shown(&doomed).await.is_none();
    assert!(
        is_gone == deleted || (ring.is_moody && is_gone),
        "{:?}: it is gone: {is_gone}",
        ring.place
    );
}
