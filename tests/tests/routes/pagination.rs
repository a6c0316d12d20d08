//! Pages of a list, in both directions, while what it lists comes and goes.

use std::collections::BTreeSet;

use domain::KeyName;
use serde_json::{Value, json};
use tenant::{NewKey, Tenants};
use tests::{Client, Stack, StackOptions, Tenant, stack_test};

/// Items of a list that is paged through: three pages of the largest limit.
const ITEMS: usize = 205;

/// A page: its items' ids, newest first, and the cursors of its neighbours.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Page {
    ids: Vec<u64>,
    next: Option<String>,
    previous: Option<String>,
}

/// A space's keys, page by page.
struct Keys<'a> {
    stack: &'a Stack,
    tenant: &'a Tenant,
    limit: usize,
}

impl Keys<'_> {
    async fn page(&self, cursor: Option<&str>) -> Page {
        let cursor = cursor
            .map(|cursor| format!("&cursor={cursor}"))
            .unwrap_or_default();
        let address = format!(
            "/spaces/{}/api-keys?limit={}{cursor}",
            self.tenant.id, self.limit
        );
        let page = self
            .tenant
            .client
            .get(&address)
            .await
            .expect_status(200)
            .json();

        assert_eq!(page["per_page"], self.limit);

        let text = |name: &str| page[name].as_str().map(str::to_owned);
        let ids = page["data"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|key| key["id"].as_u64().expect("a number"));

        Page {
            ids: ids.collect(),
            next: text("next_cursor"),
            previous: text("prev_cursor"),
        }
    }

    /// From the newest to the oldest page; `between` is done after each one.
    async fn forward(&self, mut between: impl AsyncFnMut(&Page)) -> Vec<Page> {
        let mut pages = vec![self.page(None).await];
        loop {
            let last = pages.last().expect("at least one");
            between(last).await;
            let Some(next) = last.next.clone() else {
                return pages;
            };
            let page = self.page(Some(&next)).await;
            pages.push(page);
        }
    }

    /// From the page before this one to the newest; `between` is done after each one.
    async fn backward(&self, from: &Page, mut between: impl AsyncFnMut(&Page)) -> Vec<Page> {
        let mut pages = Vec::new();
        let mut previous = from.previous.clone();
        while let Some(cursor) = &previous {
            let page = self.page(Some(cursor)).await;
            between(&page).await;
            previous.clone_from(&page.previous);
            pages.push(page);
        }

        pages
    }

    /// Makes keys, as the API does, without a request for each.
    async fn make(&self, count: usize) -> Vec<u64> {
        let environment = self.stack.admin_environment();
        let mut settings = runtime::Settings::of(&environment);
        let tenants = Tenants::new(settings.table());
        let key = domain::KeySecret::parse(self.tenant.client.key.as_deref().expect("a key"))
            .expect("a key");
        let caller = tenants
            .authenticate(&key)
            .await
            .expect("a table")
            .expect("a caller");
        let id = self.tenant.id.parse().expect("an id");
        let space = tenants
            .space(&caller, id)
            .await
            .expect("a table")
            .expect("a space");
        let mut ids = Vec::new();
        for _ in 0..count {
            let new = NewKey {
                name: KeyName::parse("one").expect("a name"),
                role: None,
                expires_at: None,
            };
            ids.push(
                space
                    .keys()
                    .create(new, |_, _| None)
                    .await
                    .expect("a key")
                    .key
                    .id
                    .0,
            );
        }

        ids
    }
}

/// Creates a space with [`ITEMS`] keys.
async fn space_with_keys(stack: &Stack) -> Tenant {
    let acme = stack.space("Acme").await;
    Keys {
        stack,
        tenant: &acme,
        limit: 1,
    }
    .make(ITEMS - 1)
    .await;
    acme
}

fn ids(pages: &[Page]) -> Vec<u64> {
    pages.iter().flat_map(|page| page.ids.clone()).collect()
}

async fn nothing(_: &Page) {}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn paging_is_identical_in_both_directions(stack: &Stack) {
    let acme = space_with_keys(stack).await;
    for limit in [1, 7, 100] {
        let keys = Keys {
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

#[stack_test(options = StackOptions::without_rate_limits())]
async fn paging_returns_remaining_items_once_during_changes(stack: &Stack) {
    let acme = space_with_keys(stack).await;
    let mut steady: BTreeSet<u64> = ids(&Keys {
        stack,
        tenant: &acme,
        limit: 100,
    }
    .forward(nothing)
    .await)
    .into_iter()
    .collect();
    for limit in [1, 7, 100] {
        let keys = Keys {
            stack,
            tenant: &acme,
            limit,
        };
        // Every fifth of those that are there goes at some time, be it before its page is read or
        // after.
        let mut doomed: Vec<u64> = steady
            .iter()
            .copied()
            .step_by(5)
            .filter(|id| *id != acme.key_id)
            .collect();

        steady.retain(|id| !doomed.contains(id));

        let mut made = Vec::new();
        let half = doomed.split_off(doomed.len() / 2);

        let forward = keys.forward(change(&keys, doomed, &mut made)).await;
        let met = ids(&forward);
        assert!(
            met.is_sorted_by(|newer, older| newer > older),
            "limit {limit}"
        );

        let stayed: BTreeSet<u64> = met
            .iter()
            .copied()
            .filter(|id| steady.contains(id))
            .collect();
        assert_eq!(stayed, steady, "limit {limit}: forward");

        let last = forward.last().expect("at least one");
        let mut backward = keys.backward(last, change(&keys, half, &mut made)).await;

        backward.reverse();

        let met = [ids(&backward), last.ids.clone()].concat();
        assert!(
            met.is_sorted_by(|newer, older| newer > older),
            "limit {limit}"
        );

        let stayed: BTreeSet<u64> = met
            .iter()
            .copied()
            .filter(|id| steady.contains(id))
            .collect();
        assert_eq!(stayed, steady, "limit {limit}: backward");
        steady.extend(made);
    }
}

/// Removes one of the doomed from the middle of those left, and now and then makes a key.
fn change<'a>(
    keys: &'a Keys<'a>,
    mut doomed: Vec<u64>,
    made: &'a mut Vec<u64>,
) -> impl AsyncFnMut(&Page) + 'a {
    let mut pages = 0;

    async move |_| {
        pages += 1;
        if !doomed.is_empty() {
            let id = doomed.swap_remove(doomed.len() / 2);
            keys.stack.remove_key_from_list(keys.tenant, id).await;
        }
        if pages % 5 == 1 {
            made.extend(keys.make(1).await);
        }
    }
}

#[stack_test]
async fn emptied_page_links_back(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let keys = Keys {
        stack,
        tenant: &acme,
        limit: 3,
    };

    keys.make(8).await;

    let pages = keys.forward(nothing).await;
    assert_eq!(
        pages.iter().map(|page| page.ids.len()).collect::<Vec<_>>(),
        [3, 3, 3]
    );

    // The caller's own key is the oldest: what is emptied is in the middle.
    let keep = |page: &Page| {
        page.ids
            .iter()
            .copied()
            .filter(|id| *id != acme.key_id)
            .collect::<Vec<_>>()
    };
    let older = pages[1].next.clone().expect("a cursor");

    for id in keep(&pages[2]) {
        stack.remove_key_from_list(&acme, id).await;
    }

    assert_eq!(keys.page(Some(&older)).await.ids, [acme.key_id]);

    // Newer than the second page there is nothing any more, and the way back is to it.
    let newer = pages[1].previous.clone().expect("a cursor");
    for id in keep(&pages[0]) {
        stack.remove_key_from_list(&acme, id).await;
    }

    let empty = keys.page(Some(&newer)).await;
    assert_eq!((empty.ids.len(), &empty.previous), (0, &None));

    let back = keys.page(empty.next.as_deref()).await;
    assert_eq!(back.ids, pages[1].ids);
    assert_eq!(keys.page(back.previous.as_deref()).await.ids, [0_u64; 0]);

    // What comes then is newer, and found from where nothing was.
    let made = keys.make(1).await;
    assert_eq!(keys.page(Some(&newer)).await.ids, made);
}

#[stack_test]
async fn emptied_last_page_links_back(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let account = stack.account();
    let keys = Keys {
        stack,
        tenant: &acme,
        limit: 2,
    };

    keys.make(3).await;

    let get = async |cursor: &Value| {
        let cursor = cursor.as_str().expect("a cursor");
        account
            .get(&format!(
                "/spaces/{}/api-keys?limit=2&cursor={cursor}",
                acme.id
            ))
            .await
            .expect_status(200)
            .json()
    };
    let first = account
        .get(&format!("/spaces/{}/api-keys?limit=2", acme.id))
        .await
        .expect_status(200)
        .json();
    let second = get(&first["next_cursor"]).await;

    for key in second["data"].as_array().expect("a list") {
        stack
            .remove_key_from_list(&acme, key["id"].as_u64().expect("a number"))
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

#[stack_test]
async fn cursor_is_valid_for_its_list_and_caller_only(stack: &Stack) {
    let (acme, other, user) = (
        stack.space("Acme").await,
        stack.space("Other").await,
        stack.user().await,
    );
    stack.add_member(&user, &acme, "owner").await;
    Keys {
        stack,
        tenant: &acme,
        limit: 1,
    }
    .make(3)
    .await;

    let path = format!("/spaces/{}/api-keys", acme.id);
    let next_of = async |client: &Client, path: &str| {
        let page = client
            .get(&format!("{path}?limit=1"))
            .await
            .expect_status(200)
            .json();
        page["next_cursor"].as_str().expect("a cursor").to_owned()
    };
    let cursor = next_of(&acme.client, &path).await;
    let invalid = json!({"cursor": ["The selected cursor is invalid."]});
    let rejected = async |client: &Client, address: String| {
        assert_eq!(
            client.get(&address).await.expect_error(422),
            invalid,
            "{address}"
        );
    };

    // The same space's other key, another page size, and the id in the path in the other case.
    let colleague = acme.role("owner").await;
    let expected = acme
        .client
        .get(&format!("{path}?limit=2&cursor={cursor}"))
        .await
        .expect_status(200)
        .json()["data"]
        .clone();
    let lower = format!("/spaces/{}/api-keys", acme.id.to_lowercase());

    for (client, path) in [(&colleague, &path), (&acme.client, &lower)] {
        let page = client
            .get(&format!("{path}?cursor={cursor}&limit=2"))
            .await
            .expect_status(200)
            .json();
        assert_eq!(page["data"], expected);
        assert_eq!(page["path"], format!("/api/v1{path}"));
    }

    let key = acme.client.key.as_deref().expect("a key");
    stack
        .anonymous
        .get(&format!("{path}?api_key={key}&cursor={cursor}"))
        .await
        .expect_status(200);

    // Another list, other filters, other holders.
    acme.client
        .get(&format!("{path}?cursor={cursor}&tag=&type=%20"))
        .await
        .expect_status(200);
    rejected(&acme.client, format!("/spaces?cursor={cursor}")).await;
    rejected(&acme.client, format!("{path}?cursor={cursor}&tag=x")).await;
    rejected(
        &other.client,
        format!("/spaces/{}/api-keys?cursor={cursor}", other.id),
    )
    .await;
    rejected(&stack.account(), format!("{path}?cursor={cursor}")).await;

    let users = next_of(&user.client, &path).await;
    rejected(&stack.account(), format!("{path}?cursor={users}")).await;
    rejected(&user.client, format!("/account/api-keys?cursor={users}")).await;
    rejected(
        &stack.account(),
        format!("/account/api-keys?cursor={cursor}"),
    )
    .await;

    for (index, byte) in cursor.bytes().enumerate() {
        let mut tampered = cursor.clone().into_bytes();
        // Far away in the alphabet, so that no bits but those that are thrown away stay the same.
        tampered[index] = if byte == b'Q' { b'x' } else { b'Q' };
        let tampered = String::from_utf8(tampered).expect("ASCII");
        rejected(&acme.client, format!("{path}?cursor={tampered}")).await;
    }

    for tampered in [
        "x",
        "%00",
        "AAAA",
        &format!("{cursor}A"),
        &cursor[1..],
        &cursor[..cursor.len() - 1],
        &format!("{cursor}="),
    ] {
        rejected(&acme.client, format!("{path}?cursor={tampered}")).await;
    }
}

#[stack_test]
async fn revoked_keys_keep_their_position(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let keys = Keys {
        stack,
        tenant: &acme,
        limit: 2,
    };

    keys.make(6).await;

    let before = keys.forward(nothing).await;
    for id in ids(&before).into_iter().filter(|id| *id != acme.key_id) {
        acme.client
            .delete(&format!("/spaces/{}/api-keys/{id}", acme.id))
            .await
            .expect_status(204);
    }

    assert_eq!(keys.forward(nothing).await, before);
}
