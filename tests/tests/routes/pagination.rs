//! Pages of a list in both directions, while its items change, and the validity of cursors.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tests::{Client, PHOTO, Response, Stack, StackOptions, TestSpace, stack_test};

use super::key_pages::{ITEMS, KeyPages, Page, ids, nothing, space_with_keys};

#[stack_test(options = StackOptions::without_rate_limits())]
async fn paging_is_identical_in_both_directions(stack: &Stack) {
    let acme = space_with_keys(stack).await;
    for limit in [1, 7, 100] {
        let keys = KeyPages {
            stack,
            tenant: &acme,
            limit,
        };
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
    let all = KeyPages {
        stack,
        tenant: &acme,
        limit: 100,
    };
    let mut remaining: BTreeSet<u64> = ids(&all.forward(nothing).await).into_iter().collect();

    for limit in [1, 7, 100] {
        let keys = KeyPages {
            stack,
            tenant: &acme,
            limit,
        };
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
    let keys = KeyPages {
        stack,
        tenant: acme,
        limit: 3,
    };

    keys.create_keys(8).await;

    let pages = keys.forward(nothing).await;
    assert_eq!(
        pages.iter().map(|page| page.ids.len()).collect::<Vec<_>>(),
        [3, 3, 3]
    );

    // The oldest key is the caller's and stays.
    let deletable = |page: &Page| {
        page.ids
            .iter()
            .copied()
            .filter(|id| *id != acme.key_id)
            .collect::<Vec<_>>()
    };
    let older = pages[1].next.clone().expect("a cursor");

    for id in deletable(&pages[2]) {
        stack.remove_key_from_list(acme, id).await;
    }

    assert_eq!(keys.page(Some(&older)).await.ids, [acme.key_id]);

    // The first page is empty now, and links back to the second one.
    let newer = pages[1].previous.clone().expect("a cursor");
    for id in deletable(&pages[0]) {
        stack.remove_key_from_list(acme, id).await;
    }

    let empty = keys.page(Some(&newer)).await;
    assert_eq!((empty.ids.len(), &empty.previous), (0, &None));

    let back = keys.page(empty.next.as_deref()).await;
    assert_eq!(back.ids, pages[1].ids);
    assert_eq!(keys.page(back.previous.as_deref()).await.ids, [0_u64; 0]);

    // The cursor of the empty page finds keys that are created later.
    let created = keys.create_keys(1).await;
    assert_eq!(keys.page(Some(&newer)).await.ids, created);
}

#[stack_test]
async fn emptied_last_page_links_back(stack: &Stack, acme: &TestSpace) {
    let account = stack.account();
    let keys = KeyPages {
        stack,
        tenant: acme,
        limit: 2,
    };

    keys.create_keys(3).await;

    let get = async |cursor: &Value| {
        let cursor = cursor.as_str().expect("a cursor");
        account
            .fetch(&format!(
                "/spaces/{}/api-keys?limit=2&cursor={cursor}",
                acme.id
            ))
            .await
            .json()
    };
    let first = account
        .fetch(&format!("/spaces/{}/api-keys?limit=2", acme.id))
        .await
        .json();
    let second = get(&first["next_cursor"]).await;

    for key in second["data"].as_array().expect("a list") {
        stack
            .remove_key_from_list(acme, key["id"].as_u64().expect("a number"))
            .await;
    }

    let empty = get(&first["next_cursor"]).await;
    assert_eq!(
        (&empty["data"], &empty["next_cursor"]),
        (&json!([]), &Value::Null)
    );

    let back = get(&empty["prev_cursor"]).await;
    assert_eq!(back["data"], first["data"]);
    assert_eq!(back["prev_cursor"], Value::Null);
}

/// Reads the first page of a list, of one item, and returns the cursor of the next page.
async fn next_cursor(client: &Client, path: &str) -> String {
    let page = client.get(&format!("{path}?limit=1")).await;
    let page = page.expect_status(200).json();

    page["next_cursor"].as_str().expect("a cursor").to_owned()
}

#[track_caller]
fn assert_invalid_cursor(response: Response) {
    let path = response.request.clone();
    let expected = json!({"cursor": ["The selected cursor is invalid."]});

    assert_eq!(response.expect_error(422), expected, "{path}");
}

/// Creates a space with four keys.
async fn space_with_four_keys(stack: &Stack) -> TestSpace {
    let acme = stack.space("Acme").await;
    let keys = KeyPages {
        stack,
        tenant: &acme,
        limit: 1,
    };
    keys.create_keys(3).await;

    acme
}

#[stack_test]
async fn cursor_is_valid_for_its_list_and_caller_only(stack: &Stack) {
    let acme = space_with_four_keys(stack).await;
    let path = acme.keys_path();
    let cursor = next_cursor(&acme.client, &path).await;
    acme.upload(PHOTO).await;
    acme.upload(PHOTO).await;
    let file_cursor = next_cursor(&acme.client, "/files").await;

    assert_cursor_is_valid(stack, &acme, &cursor).await;

    let other = stack.space("Other").await;
    let other_path = other.keys_path();
    let account = stack.account();
    let user = stack.user().await;
    stack.add_member(&user, &acme, "owner").await;
    let user_cursor = next_cursor(&user.client, &path).await;

    for (client, url) in [
        (&acme.client, format!("/spaces?cursor={cursor}")),
        (&acme.client, format!("/files?cursor={file_cursor}&tag=x")),
        (&other.client, format!("{other_path}?cursor={cursor}")),
        (&account, format!("{path}?cursor={cursor}")),
        (&account, format!("{path}?cursor={user_cursor}")),
        (
            &user.client,
            format!("/account/api-keys?cursor={user_cursor}"),
        ),
        (&account, format!("/account/api-keys?cursor={cursor}")),
    ] {
        assert_invalid_cursor(client.get(&url).await);
    }

    for tampered in tampered_cursors(&cursor) {
        let response = acme.get(&format!("{path}?cursor={tampered}")).await;
        assert_invalid_cursor(response);
    }
}

/// Asserts that a cursor is valid for all keys of its space, with another limit, with empty filters
/// and with the space id in lower case.
async fn assert_cursor_is_valid(stack: &Stack, acme: &TestSpace, cursor: &str) {
    let path = acme.keys_path();
    let lower_path = format!("/spaces/{}/api-keys", acme.id.to_lowercase());
    let other_key = acme.role("owner").await;
    let page = acme.get(&format!("{path}?limit=2&cursor={cursor}")).await;
    let expected = page.expect_status(200).json()["data"].clone();

    for (client, path) in [(&other_key, &path), (&acme.client, &lower_path)] {
        let page = client
            .fetch(&format!("{path}?cursor={cursor}&limit=2"))
            .await
            .json();
        assert_eq!(page["data"], expected);
        assert_eq!(page["path"], format!("/api/v1{path}"));
    }

    let key = acme.client.key.as_deref().expect("a key");
    stack
        .anonymous
        .fetch(&format!("{path}?api_key={key}&cursor={cursor}"))
        .await;
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
    let keys = KeyPages {
        stack,
        tenant: acme,
        limit: 2,
    };

    keys.create_keys(6).await;

    let before = keys.forward(nothing).await;
    for id in ids(&before).into_iter().filter(|id| *id != acme.key_id) {
        acme.delete_ok(&format!("/spaces/{}/api-keys/{id}", acme.id))
            .await;
    }

    assert_eq!(keys.forward(nothing).await, before);
}
