//! Folders within folders: what they say of access and of watermarks holds wherever they are moved,
//! and a folder that is missing lets nobody in.

use serde_json::{Value, json};
use tests::{Answer, Client, PHOTO};

use super::fixture::{Shelf, Shelved};

/// Names of folders that are made one in another.
const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

/// Folders that are made one in another, the outermost first; gives their ids.
async fn nested(shelf: &Shelf, names: &[&str]) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for name in names {
        let id = shelf.folder_in(name, ids.last().map(String::as_str)).await;
        ids.push(id);
    }
    ids
}

/// Something that is done to one of the five folders.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// It is moved into another one, or to the top.
    Move(usize, Option<usize>),
    /// It says whether what is in it asks for proof, or no longer says it.
    Say(usize, Option<bool>),
}
use Step::{Move, Say};

/// Each step, the path of the innermost folder after it, and the folder that then decides; where it
/// is none, the space does.
const STEPS: [(Step, &str, Option<usize>); 14] = [
    (Say(0, Some(true)), "a/b/c/d/e/", Some(0)),
    (Say(2, Some(false)), "a/b/c/d/e/", Some(2)),
    (Move(4, Some(1)), "a/b/e/", Some(0)),
    (Move(1, None), "b/e/", None),
    (Move(0, Some(1)), "b/e/", None),
    (Move(4, Some(0)), "b/a/e/", Some(0)),
    (Say(0, None), "b/a/e/", None),
    (Say(1, Some(true)), "b/a/e/", Some(1)),
    (Move(4, Some(3)), "b/c/d/e/", Some(2)),
    (Say(2, None), "b/c/d/e/", Some(1)),
    (Move(2, None), "c/d/e/", None),
    (Move(2, Some(0)), "b/a/c/d/e/", Some(1)),
    (Say(3, Some(false)), "b/a/c/d/e/", Some(3)),
    (Move(3, None), "d/e/", Some(3)),
];

#[tokio::test]
async fn what_folders_say_goes_where_they_go() {
    let shelf = Shelf::new().await;
    let ids = nested(&shelf, &NAMES).await;
    let file = shelf.put("upload", &ids[4]).await;
    let (nobody, client) = (&shelf.stack.anonymous, &shelf.acme.client);
    let mut says = [None; NAMES.len()];
    for (step, path, decides) in STEPS {
        match step {
            Move(folder, into) => {
                let body = json!({"parent_id": into.map(|into| &ids[into])});
                client
                    .put(&format!("/folders/{}", ids[folder]), body)
                    .await
                    .ok();
            }
            Say(folder, requires_auth) => {
                says[folder] = requires_auth;
                shelf
                    .set(&format!("/folders/{}", ids[folder]), requires_auth)
                    .await;
            }
        }
        let closed = decides.is_some_and(|folder| says[folder] == Some(true));
        let answer = nobody.get(&file.url).await;
        assert_eq!(
            answer.status,
            if closed { 403 } else { 200 },
            "after {step:?}"
        );
        nobody.get(&shelf.signed(&file.url)).await.demand(200);
        client.get(&file.url).await.demand(200);
        let (source, id) =
            decides.map_or(("space", &shelf.acme.id), |folder| ("folder", &ids[folder]));
        let shown = client.get(&file.path).await.ok();
        let expected = json!({
            "requires_auth": closed, "public_read": !closed, "source": source, "inherited_from": id,
        });
        assert_eq!(shown["access_control"], expected, "after {step:?}");
        assert_eq!(
            (shown["folder_path"].as_str(), &shown["folder_id"]),
            (Some(path), &json!(ids[4])),
            "after {step:?}"
        );
        assert_eq!(
            shown["url"],
            file.url.as_str(),
            "an address stays what it is"
        );
    }
    shelf.stack.stop().await;
}

#[tokio::test]
async fn a_file_is_seen_as_the_folder_says_that_it_is_moved_into() {
    let shelf = Shelf::new().await;
    let ids = nested(&shelf, &NAMES).await;
    let open = shelf.folder_in("open", Some(&ids[4])).await;
    let file = shelf.put("upload", "root").await;
    shelf.set(&format!("/folders/{}", ids[0]), Some(true)).await;
    shelf.set(&format!("/folders/{open}"), Some(false)).await;
    for (folder, status) in [
        (json!(ids[4]), 403),
        (json!(null), 200),
        (json!(ids[0]), 403),
        (json!(open), 200),
        (json!(ids[2].to_lowercase()), 403),
        (json!("root"), 200),
    ] {
        shelf
            .acme
            .client
            .put(&file.path, json!({"folder_id": folder}))
            .await
            .ok();
        shelf.stack.anonymous.get(&file.url).await.demand(status);
    }
    shelf.stack.stop().await;
}

/// Asks for a file by everyone who may see it.
async fn answers(shelf: &Shelf, viewer: &Client, file: &Shelved) -> Vec<Answer> {
    let nobody = &shelf.stack.anonymous;
    let signed = shelf.signed(&file.url);
    vec![
        nobody.get(&file.url).await,
        nobody.get(&signed).await,
        viewer.get(&file.url).await,
    ]
}

async fn demand_marked(shelf: &Shelf, viewer: &Client, file: &Shelved, is_marked: bool) {
    for answer in answers(shelf, viewer, file).await {
        if is_marked {
            let errors = answer.refused(422);
            assert!(errors["watermark"][0].is_string(), "{errors}");
        } else {
            assert!(answer.demand(200).body == PHOTO);
        }
    }
}

#[tokio::test]
async fn the_nearest_folder_that_speaks_of_a_watermark_decides() {
    let shelf = Shelf::new().await;
    let viewer = shelf.acme.role("viewer").await;
    let ids = nested(&shelf, &NAMES).await;
    let (image, beside) = (
        shelf.put("upload", &ids[4]).await,
        shelf.put("upload", "root").await,
    );
    let text = shelf
        .put_file(
            "upload",
            &ids[4],
            ("a.txt", "text/plain", &b"some text"[..]),
        )
        .await;
    let [outer, inner] = [&ids[0], &ids[3]].map(|id| format!("/folders/{id}"));
    let space = shelf.space();
    let on = json!({"security": {"watermark": {"enabled": true, "url": "https://example.com/logo.png"}}});
    let off = json!({"security": {"watermark": {"enabled": false}}});
    for (path, security, inside, outside) in [
        (&outer, &on, true, false),
        (&inner, &off, false, false),
        (&space, &on, false, true),
        (&inner, &Value::Null, true, true),
        (&outer, &off, false, true),
        (&inner, &on, true, true),
        (&space, &Value::Null, true, false),
        (&inner, &Value::Null, false, false),
    ] {
        let path = format!("{path}/security");
        let client = &shelf.acme.client;
        let changed = if security.is_null() {
            client.delete(&path).await
        } else {
            client.put(&path, security.clone()).await
        };
        changed.ok();
        demand_marked(&shelf, &viewer, &image, inside).await;
        demand_marked(&shelf, &viewer, &beside, outside).await;
        assert_eq!(viewer.get(&text.url).await.demand(200).body, "some text");
    }

    // Whoever may not see an image is not told of its watermark.
    shelf
        .acme
        .client
        .put(&format!("{inner}/security"), on)
        .await
        .ok();
    shelf.set(&outer, Some(true)).await;
    shelf.stack.anonymous.get(&image.url).await.refused(403);
    shelf
        .stack
        .anonymous
        .get(&shelf.signed(&image.url))
        .await
        .refused(422);
    shelf
        .acme
        .client
        .put(&image.path, json!({"folder_id": null}))
        .await
        .ok();
    demand_marked(&shelf, &viewer, &image, false).await;
    shelf.stack.stop().await;
}

#[tokio::test]
async fn a_missing_folder_lets_nobody_in() {
    let shelf = Shelf::new().await;
    let viewer = shelf.acme.role("viewer").await;
    let ids = nested(&shelf, &NAMES).await;
    let (inner, outer) = (
        shelf.put("upload", &ids[4]).await,
        shelf.put("upload", &ids[1]).await,
    );
    let (opened, beside) = (
        shelf.put("upload", &ids[4]).await,
        shelf.put("upload", "root").await,
    );
    shelf.set(&opened.path, Some(false)).await;
    for file in [&inner, &outer, &opened, &beside] {
        for answer in answers(&shelf, &viewer, file).await {
            answer.demand(200);
        }
    }
    // First one between, then the one that files are in.
    for (lost, hidden, seen) in [
        (&ids[2], vec![&inner, &opened], vec![&outer, &beside]),
        (&ids[1], vec![&inner, &opened, &outer], vec![&beside]),
    ] {
        shelf.stack.lose_folder(&shelf.acme, lost).await;
        for file in hidden {
            for answer in answers(&shelf, &viewer, file).await {
                answer.refused(403);
            }
            shelf
                .stack
                .anonymous
                .get_with(&file.url, &[("if-none-match", "*")])
                .await
                .refused(403);
        }
        for file in seen {
            for answer in answers(&shelf, &viewer, file).await {
                answer.demand(200);
            }
        }
    }
    let shown = viewer.get(&inner.path).await.ok()["access_control"].clone();
    assert_eq!(
        (&shown["requires_auth"], &shown["source"]),
        (&json!(true), &json!("folder"))
    );
    shelf
        .acme
        .client
        .put(&inner.path, json!({"folder_id": null}))
        .await
        .ok();
    shelf.stack.anonymous.get(&inner.url).await.demand(200);
    shelf.stack.stop().await;
}
