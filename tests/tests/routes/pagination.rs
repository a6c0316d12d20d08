//! Pages of the keys of a space in both directions, also while they are created and deleted.

use std::{collections::BTreeSet, ops::Deref};

use domain::{keys::KeySecret, naming::KeyName};
use runtime::context::Settings;
use space_store::{keys::NewKey, spaces::Tenants};
use tests::{Stack, StackOptions, TestSpace, stack_test};

use crate::support::pages::{List, Page};

/// Number of keys of [`space_with_keys`]: three pages of the maximum limit.
const ITEMS: usize = 205;

/// The keys of a space, newest first. Dereferences to their list.
struct KeyPages<'a> {
    stack: &'a Stack,
    tenant: &'a TestSpace,
    list: List<'a>,
}

impl<'a> Deref for KeyPages<'a> {
    type Target = List<'a>;

    fn deref(&self) -> &List<'a> {
        &self.list
    }
}

impl<'a> KeyPages<'a> {
    fn of(stack: &'a Stack, tenant: &'a TestSpace, limit: usize) -> KeyPages<'a> {
        KeyPages {
            stack,
            tenant,
            list: List::new(tenant, &tenant.keys_path(), "", limit),
        }
    }

    /// Creates keys without API requests, and returns their ids.
    async fn create_keys(&self, count: usize) -> Vec<u64> {
        let context = self.stack.unrestricted_context();
        let tenants = Tenants::new(Settings::of(&context).table());
        let secret = KeySecret::parse(self.tenant.key.as_deref().expect("a key"));
        let caller = tenants
            .requests()
            .authenticate(&secret.expect("a key"))
            .await;
        let caller = caller.expect("a table").expect("a caller");
        let space = tenants.spaces().get(&caller, self.tenant.space_id()).await;
        let space = space.expect("a table").expect("a space");

        let mut ids = Vec::new();
        for _ in 0..count {
            let new = NewKey {
                name: KeyName::parse("one").expect("a name"),
                role: None,
                expires_at: None,
            };
            let created = space.keys().create(new, |_, _| None).await;
            ids.push(created.expect("a key").key.id.0);
        }
        ids
    }
}

/// Creates a space with [`ITEMS`] keys.
async fn space_with_keys(stack: &Stack) -> TestSpace {
    let acme = stack.space("Acme").await;
    KeyPages::of(stack, &acme, 1).create_keys(ITEMS - 1).await;
    acme
}

/// Returns the ids of pages, in order.
fn ids<'a>(pages: impl IntoIterator<Item = &'a Page>) -> Vec<u64> {
    let ids = pages.into_iter().flat_map(|page| &page.ids);
    ids.map(|id| id.parse().expect("a number")).collect()
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn paging_is_identical_in_both_directions(stack: &Stack) {
    let acme = space_with_keys(stack).await;
    for limit in [1, 7, 100] {
        let keys = KeyPages::of(stack, &acme, limit);
        let mut forward = keys.forward().await;
        let all = ids(&forward);

        assert_eq!((all.len(), forward.len()), (ITEMS, ITEMS.div_ceil(limit)));
        assert!(all.is_sorted_by(|newer, older| newer > older));
        assert_eq!(forward[0].previous, None);

        let last = forward.pop().expect("at least one");
        assert_eq!(keys.backward(&last).await, forward, "limit {limit}");
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
    let mut remaining: BTreeSet<u64> = ids(&all.forward().await).into_iter().collect();

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

        let forward = keys.forward_with(change(&keys, doomed, &mut created)).await;
        let description = format!("limit {limit}: forward");
        assert_listed(&ids(&forward), &remaining, &description);

        let last = forward.last().expect("at least one");
        let changing = change(&keys, doomed_later, &mut created);
        let backward = keys.backward_with(last, changing).await;
        let listed = ids(backward.iter().chain([last]));
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
    let pages = keys.forward().await;
    let counts: Vec<usize> = pages.iter().map(|page| page.ids.len()).collect();
    assert_eq!(counts, [3, 3, 3]);

    // The oldest key is the caller's and stays.
    let empty = async |page: &Page| {
        for id in ids([page]).into_iter().filter(|id| *id != acme.key_id) {
            stack.remove_key_from_list(acme, id).await;
        }
    };
    empty(&pages[2]).await;
    let older = keys.page(pages[1].next.as_deref()).await;
    assert_eq!(ids([&older]), [acme.key_id]);

    // The first page is empty now, and links back to the second one.
    empty(&pages[0]).await;
    let newer = pages[1].previous.as_deref();
    let first = keys.page(newer).await;
    assert_eq!((first.ids.len(), &first.previous), (0, &None));
    let back = keys.page(first.next.as_deref()).await;
    assert_eq!(back.ids, pages[1].ids);
    let first = keys.page(back.previous.as_deref()).await;
    assert!(first.ids.is_empty());

    // The cursor of the empty page finds keys that are created later.
    let created = keys.create_keys(1).await;
    assert_eq!(ids([&keys.page(newer).await]), created);
}

#[stack_test]
async fn emptied_last_page_links_back(stack: &Stack, acme: &TestSpace) {
    let keys = KeyPages::of(stack, acme, 2);
    keys.create_keys(3).await;
    let first = keys.page(None).await;
    for id in ids([&keys.page(first.next.as_deref()).await]) {
        stack.remove_key_from_list(acme, id).await;
    }

    let last = keys.page(first.next.as_deref()).await;
    assert_eq!((last.ids.len(), last.next), (0, None));

    let back = keys.page(last.previous.as_deref()).await;
    assert_eq!((back.ids, back.previous), (first.ids, None));
}

#[stack_test]
async fn revoked_keys_keep_their_position(stack: &Stack, acme: &TestSpace) {
    let keys = KeyPages::of(stack, acme, 2);

    keys.create_keys(6).await;

    let before = keys.forward().await;
    for id in ids(&before).into_iter().filter(|id| *id != acme.key_id) {
        acme.delete_ok(&format!("{}/{id}", acme.keys_path())).await;
    }

    assert_eq!(keys.forward().await, before);
}
