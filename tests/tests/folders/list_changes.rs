//! Lists of folders while folders are moved and deleted.

use serde_json::{Value, json};
use tests::{Stack, TestSpace, folder_path, seconds, stack_test, text};

use super::list::{List, create_folders};

#[stack_test]
async fn lists_follow_moves_and_deletions(stack: &Stack, acme: &TestSpace) {
    let folders = create_folders(stack, acme).await;
    let [a, b, c] = [0, 1, 3].map(|index| &folders[index]);
    let aa = &folders[2];
    let ba = &folders[8];
    let bb = &folders[13];
    let check = async |parent: &str, expected: &[&Value]| {
        let filters = format!("&parent_id={parent}");
        List {
            client: &acme.client,
            filters: &filters,
            limit: 2,
        }
        .check(expected)
        .await;
    };
    let [a_id, b_id] = [a, b].map(|folder| text(&folder["id"]));
    acme.put_ok(&folder_path(aa), json!({"parent_id": b_id}))
        .await;

    // Sorted by creation, not by arrival in the folder.
    check(&b_id, &[bb, ba, aa]).await;
    check(
        &a_id,
        &[&folders[12], &folders[10], &folders[6], &folders[4]],
    )
    .await;
    check(&text(&aa["id"]), &[&folders[9], &folders[5]]).await;
    acme.put_ok(&folder_path(ba), json!({"parent_id": null}))
        .await;
    check("root", &[&folders[11], ba, &folders[7], c, b, a]).await;
    check(&b_id, &[bb, aa]).await;
    acme.delete_ok(&folder_path(bb)).await;
    acme.put_ok(&folder_path(aa), json!({"name": "renamed"}))
        .await;
    check(&b_id, &[aa]).await;
    acme.put_ok(&folder_path(aa), json!({"parent_id": a_id}))
        .await;
    check(&b_id, &[]).await;

    let all: Vec<&Value> = folders
        .iter()
        .rev()
        .filter(|folder| *folder != bb)
        .collect();
    List {
        client: &acme.client,
        filters: "",
        limit: 4,
    }
    .check(&all)
    .await;
}

#[stack_test]
async fn paging_returns_remaining_items_once_during_deletions(stack: &Stack, acme: &TestSpace) {
    let parent = acme.folder("Place").await;
    let elsewhere = acme.folder("Elsewhere").await;
    let mut all = Vec::new();

    for number in 0..12 {
        stack.clock.advance(seconds(1));
        all.insert(
            0,
            text(&acme.folder(&number.to_string()).inside(&parent).await["id"]),
        );
    }

    let filters = format!("&parent_id={}", text(&parent["id"]));
    let list = List {
        client: &acme.client,
        filters: &filters,
        limit: 3,
    };

    // After each page, its last folder is deleted, and the one before it is moved.
    let mut met = Vec::new();
    let mut remaining = Vec::new();
    let mut page = list.page(None).await;
    let end = loop {
        let [stays, moved, deleted] = page.ids.as_slice() else {
            panic!("{page:?} is no whole page")
        };
        acme.put_ok(
            &format!("/folders/{moved}"),
            json!({"parent_id": elsewhere["id"]}),
        )
        .await;
        acme.delete_ok(&format!("/folders/{deleted}")).await;
        remaining.push(stays.clone());
        met.extend(page.ids.clone());
        let Some(next) = page.next.clone() else {
            break page;
        };
        page = list.page(Some(&next)).await;
    };

    assert_eq!(met, all);
    remaining.pop().expect("the one of the last page");

    let mut back = Vec::new();
    let mut previous = end.previous;

    while let Some(cursor) = previous {
        let page = list.page(Some(&cursor)).await;
        back.extend(page.ids.iter().rev().cloned());
        previous = page.previous;
        assert!(back.len() < all.len(), "the list has no beginning");
    }

    remaining.reverse();
    assert_eq!(back, remaining);
}
