//! Lists of folders while folders are moved and deleted.

use serde_json::{Value, json};
use tests::{Folder, Stack, TestSpace, seconds, stack_test};

use super::list::{List, create_folders};

#[stack_test]
async fn lists_follow_moves_and_deletions(stack: &Stack, acme: &TestSpace) {
    let folders = create_folders(stack, acme).await;
    let [a, b, c, aa, ba, bb] = [0, 1, 3, 2, 8, 13].map(|index| &folders[index]);
    let check = async |parent: &str, expected: &[&Folder]| {
        let list = List {
            client: acme,
            filters: &format!("&parent_id={parent}"),
            limit: 2,
        };
        list.check(expected).await;
    };
    let set_parent = async |folder: &Folder, parent: Value| {
        let body = json!({ "parent_id": parent });
        acme.put_ok(folder.path(), body).await;
    };
    let in_a = [12, 10, 6, 4].map(|index| &folders[index]);

    // Sorted by creation, not by arrival in the folder.
    set_parent(aa, json!(b.id)).await;
    check(&b.id, &[bb, ba, aa]).await;
    check(&a.id, &in_a).await;
    check(&aa.id, &[&folders[9], &folders[5]]).await;
    set_parent(ba, Value::Null).await;
    check("root", &[&folders[11], ba, &folders[7], c, b, a]).await;
    check(&b.id, &[bb, aa]).await;
    acme.delete_ok(bb.path()).await;
    acme.put_ok(aa.path(), json!({"name": "renamed"})).await;
    check(&b.id, &[aa]).await;
    set_parent(aa, json!(a.id)).await;
    check(&b.id, &[]).await;

    let all = folders.iter().rev().filter(|folder| *folder != bb);
    let list = List {
        client: acme,
        filters: "",
        limit: 4,
    };
    list.check(&all.collect::<Vec<_>>()).await;
}

#[stack_test]
async fn paging_returns_remaining_items_once_during_deletions(stack: &Stack, acme: &TestSpace) {
    let parent = acme.folder("Place").await;
    let elsewhere = acme.folder("Elsewhere").await;
    let mut all = Vec::new();
    for number in 0..12 {
        stack.clock.advance(seconds(1));
        let folder = acme.folder(&number.to_string()).inside(&parent).await;
        all.insert(0, folder.id);
    }
    let list = List {
        client: acme,
        filters: &format!("&parent_id={}", parent.id),
        limit: 3,
    };

    // After each page, its last folder is deleted, and the one before it is moved.
    let mut met = Vec::new();
    let mut remaining = Vec::new();
    let mut page = list.page(None).await;
    loop {
        let [stays, moved, deleted] = page.ids.as_slice() else {
            panic!("{page:?} is no whole page")
        };
        let body = json!({"parent_id": elsewhere.id});
        acme.put_ok(&format!("/folders/{moved}"), body).await;
        acme.delete_ok(&format!("/folders/{deleted}")).await;
        remaining.push(stays.clone());
        met.extend(page.ids.clone());
        let Some(next) = page.next.clone() else {
            break;
        };
        page = list.page(Some(&next)).await;
    }
    assert_eq!(met, all);

    remaining.pop().expect("the one of the last page");
    let mut back = Vec::new();
    while let Some(cursor) = page.previous {
        page = list.page(Some(&cursor)).await;
        back.extend(page.ids.iter().rev().cloned());
        assert!(back.len() < all.len(), "the list has no beginning");
    }
    remaining.reverse();
    assert_eq!(back, remaining);
}
