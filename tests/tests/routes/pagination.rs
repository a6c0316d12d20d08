//! Pages of a list in both directions, while its items change, and the validity of cursors.

use std::collections::BTreeSet;

use serde_json::json;
use tests::{Client, PHOTO, Stack, StackOptions, TestSpace, stack_test, text};

use super::key_pages::{ITEMS, KeyPages, Page, ids, nothing, space_with_keys};

#[stack_test(options = StackOptions::without_rate_limits())]
async fn paging_is_identical_in_both_directions(stack: &Stack) {
    let acme = space_with_keys(stack).await;
    for limit in [1, 7, 100] {
        let keys = KeyPages::of(stack, &acme, limit);
        let mut forward = keys.forward(nothing).await;
        let all = ids(&forward);

        assert_eq!((all.len(), forward.len()), (ITEMS, ITEMS.div_ceil(limit)));
        assert!(all.is_sorted_by(|newer, older| newer > older));
        assert_eq!(forward[0].previous, None);

        let last = forward.pop().expect("at least one");
        let mut backward = keys.backward(&last, nothing).await;

        backward.reverse();
        assert_eq!(backward, forward, "limit {limit}");
    }
}

/// Asserts that pages list all of `remaining`, newest first.
#[track_caller]
fn assert_listed(listed: &[u64], remaining: &BTreeSet<u64>, description: &str) {
    assert!(
        listed.is_sorted_by(|newer, older| newer > older),
        "{description}"
    );

    let listed: BTreeSet<u64> = listed
        .iter()
        .copied()
        .filter(|id| remaining.contains(id))
        .collect();
    assert_eq!(listed, *remaining, "{description}");
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn paging_returns_remaining_items_once_during_changes(stack: &Stack) {
    let acme = space_with_keys(stack).await;
    let all = KeyPages::of(stack, &acme, 100);
    let mut remaining: BTreeSet<u64> = ids(&all.forward(nothing).await).into_iter().collect();

    for limit in [1, 7, 100] {
        let keys = KeyPages::of(stack, &acme, limit);
        // Deletes every fifth item, some before their page is read and some after it.
        let mut doomed: Vec<u64> = remaining
            .iter()
            .copied()
            .step_by(5)
            .filter(|id| *id != acme.key_id)
            .collect();
        remaining.retain(|id| !doomed.contains(id));
        let doomed_later = doomed.split_off(doomed.len() / 2);
        let mut created = Vec::new();

        let forward = keys.forward(change(&keys, doomed, &mut created)).await;
        let description = format!("limit {limit}: forward");
        assert_listed(&ids(&forward), &remaining, &description);

        let last = forward.last().expect("at least one");
        let mut backward = keys
            .backward(last, change(&keys, doomed_later, &mut created))
            .await;
        backward.reverse();
        let listed = [ids(&backward), last.ids.clone()].concat();
        let description = format!("limit {limit}: backward");
        assert_listed(&listed, &remaining, &description);

        remaining.extend(created);
    }
}

/// Returns a callback that deletes the median of `doomed` after each page, and creates a key after
/// every fifth.
fn change<'a>(
    keys: &'a KeyPages<'a>,
    mut doomed: Vec<u64>,
    created: &'a mut Vec<u64>,
) -> impl AsyncFnMut(&Page) + 'a {
    let mut pages = 0;
    async move |_| {
        pages += 1;
        if !doomed.is_empty() {
            let id = doomed.swap_remove(doomed.len() / 2);
            keys.stack.remove_key_from_list(keys.tenant, id).await;
        }
        if pages % 5 == 1 {
            created.extend(keys.create_keys(1).await);
        }
    }
}

#[stack_test]
async fn emptied_page_links_back(stack: &Stack, acme: &TestSpace) {
    let keys = KeyPages::of(stack, acme, 3);
    keys.create_keys(8).await;
    let pages = keys.forward(nothing).await;
    let counts: Vec<usize> = pages.iter().map(|page| page.ids.len()).collect();
    assert_eq!(counts, [3, 3, 3]);

    // The oldest key is the caller's and stays.
    let empty = async |page: &Page| {
        for id in page.ids.iter().filter(|id| **id != acme.key_id) {
            stack.remove_key_from_list(acme, *id).await;
        }
    };
    empty(&pages[2]).await;
    let older = keys.page(pages[1].next.as_deref()).await;
    assert_eq!(older.ids, [acme.key_id]);

    // The first page is empty now, and links back to the second one.
    empty(&pages[0]).await;
    let newer = pages[1].previous.as_deref();
    let first = keys.page(newer).await;
    assert_eq!((first.ids.len(), &first.previous), (0, &None));
    let back = keys.page(first.next.as_deref()).await;
    assert_eq!(back.ids, pages[1].ids);
    let first = keys.page(back.previous.as_deref()).await;
    assert_eq!(first.ids, [0_u64; 0]);

    // The cursor of the empty page finds keys that are created later.
    let created = keys.create_keys(1).await;
    assert_eq!(keys.page(newer).await.ids, created);
}

#[stack_test]
async fn emptied_last_page_links_back(stack: &Stack, acme: &TestSpace) {
    let keys = KeyPages::of(stack, acme, 2);
    keys.create_keys(3).await;
    let first = keys.page(None).await;
    for id in keys.page(first.next.as_deref()).await.ids {
        stack.remove_key_from_list(acme, id).await;
    }

    let last = keys.page(first.next.as_deref()).await;
    assert_eq!((last.ids.len(), last.next), (0, None));

    let back = keys.page(last.previous.as_deref()).await;
    assert_eq!((back.ids, back.previous), (first.ids, None));
}

/// Reads the first page of a list, of one item, and returns the cursor of the next page.
async fn next_cursor(client: &Client, path: &str) -> String {
    let page = client.fetch(&format!("{path}?limit=1")).await;
    text(&page.json()["next_cursor"])
}

#[stack_test]
async fn cursor_is_valid_for_its_list_and_caller_only(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    KeyPages::of(stack, acme, 1).create_keys(3).await;
    let keys = acme.keys_path();
    let cursor = next_cursor(acme, &keys).await;
    assert_cursor_is_valid(stack, acme, &cursor).await;

    for _ in 0..2 {
        acme.upload(PHOTO).await;
    }
    let file_cursor = next_cursor(acme, "/files").await;
    let account = &stack.account();
    let user = stack.user().await;
    stack.add_member(&user, acme, "owner").await;
    let user_cursor = next_cursor(&user.client, &keys).await;
    let invalid = json!({"cursor": ["The selected cursor is invalid."]});
    let owner = &acme.client;

    for (client, path, cursor) in [
        (owner, "/spaces?", &cursor),
        (owner, "/files?tag=x&", &file_cursor),
        (&other.client, &format!("{}?", other.keys_path()), &cursor),
        (account, &format!("{keys}?"), &cursor),
        (account, &format!("{keys}?"), &user_cursor),
        (&user.client, "/account/api-keys?", &user_cursor),
        (account, "/account/api-keys?", &cursor),
    ] {
        let path = format!("{path}cursor={cursor}");
        assert_eq!(client.get_err(422, &path).await, invalid, "{path}");
    }
    for tampered in tampered_cursors(&cursor) {
        let path = format!("{keys}?cursor={tampered}");
        assert_eq!(acme.get_err(422, &path).await, invalid, "{path}");
    }
}

/// Asserts that a cursor is valid for all keys of its space, with another limit, with empty filters
/// and with the space id in lower case.
async fn assert_cursor_is_valid(stack: &Stack, acme: &TestSpace, cursor: &str) {
    let keys = acme.keys_path();
    let lower_case = format!("/spaces/{}/api-keys", acme.id.to_lowercase());
    let other_key = acme.role("owner").await;
    let expected = acme
        .get_ok(&format!("{keys}?limit=2&cursor={cursor}"))
        .await;

    for (client, path) in [(&other_key, &keys), (&acme.client, &lower_case)] {
        let page = client
            .fetch(&format!("{path}?cursor={cursor}&limit=2"))
            .await;
        let page = page.json();
        assert_eq!(page["data"], expected);
        assert_eq!(page["path"], format!("/api/v1{path}"));
    }

    let key = acme.key.as_deref().expect("a key");
    let with_key = format!("{keys}?api_key={key}&cursor={cursor}");
    stack.anonymous.fetch(&with_key).await;
}

/// Returns variants of a cursor, each with a changed, missing or additional byte, and texts that
/// are no cursors.
fn tampered_cursors(cursor: &str) -> Vec<String> {
    let mut tampered: Vec<String> = Vec::new();
    for (index, byte) in cursor.bytes().enumerate() {
        let mut bytes = cursor.as_bytes().to_vec();
        // `Q` and `x` also differ in the bits that Base64 does not discard.
        bytes[index] = if byte == b'Q' { b'x' } else { b'Q' };
        tampered.push(String::from_utf8(bytes).expect("ASCII"));
    }

    tampered.extend(["x", "%00", "AAAA"].map(str::to_owned));
    tampered.push(format!("{cursor}A"));
    tampered.push(cursor[1..].to_owned());
    tampered.push(cursor[..cursor.len() - 1].to_owned());
    tampered.push(format!("{cursor}="));
    tampered
}

#[stack_test]
async fn revoked_keys_keep_their_position(stack: &Stack, acme: &TestSpace) {
    let keys = KeyPages::of(stack, acme, 2);

    keys.create_keys(6).await;

    let before = keys.forward(nothing).await;
    for id in ids(&before).into_iter().filter(|id| *id != acme.key_id) {
        acme.delete_ok(&format!("{}/{id}", acme.keys_path())).await;
    }

    assert_eq!(keys.forward(nothing).await, before);
}
