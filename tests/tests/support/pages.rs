//! Readers of lists, page by page.

use serde_json::{Value, json};
use tests::{Client, column};

use super::library::FILES;

/// Number of pages after which a list counts as endless.
const MAX_PAGES: usize = 8 * FILES;

/// A page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) ids: Vec<String>,
    pub(crate) next: Option<String>,
    pub(crate) previous: Option<String>,
}

/// A list, page by page.
pub(crate) struct List<'a> {
    pub(crate) client: &'a Client,
    /// Path in the API.
    pub(crate) path: String,
    /// Query without `limit` and `cursor`.
    pub(crate) filters: String,
    pub(crate) limit: usize,
}

impl<'a> List<'a> {
    pub(crate) fn new(client: &'a Client, path: &str, filters: &str, limit: usize) -> List<'a> {
        List {
            client,
            path: path.to_owned(),
            filters: filters.to_owned(),
            limit,
        }
    }

    pub(crate) async fn page(&self, cursor: Option<&str>) -> Page {
        let cursor = cursor.map(|cursor| format!("&cursor={cursor}"));
        let cursor = cursor.unwrap_or_default();
        let List {
            path,
            filters,
            limit,
            ..
        } = self;
        let url = format!("{path}?limit={limit}&{filters}{cursor}");
        let page = self.client.fetch(&url).await.json();
        assert_eq!(page["path"], format!("/api/v1{path}"));
        assert_eq!(page["per_page"], *limit);

        let id = |id: Value| id.as_str().map_or_else(|| id.to_string(), str::to_owned);
        let cursor = |name: &str| page[name].as_str().map(str::to_owned);
        Page {
            ids: column(&page["data"], "id").into_iter().map(id).collect(),
            next: cursor("next_cursor"),
            previous: cursor("prev_cursor"),
        }
    }

    /// Reads from the first page to the last.
    pub(crate) async fn forward(&self) -> Vec<Page> {
        self.forward_with(nothing).await
    }

    /// Reads from the first page to the last, and calls `between` after each one.
    pub(crate) async fn forward_with(&self, mut between: impl AsyncFnMut(&Page)) -> Vec<Page> {
        let mut pages = Vec::new();
        let mut page = self.page(None).await;

        loop {
            between(&page).await;
            let next = page.next.clone();
            pages.push(page);
            assert!(pages.len() < MAX_PAGES, "{}: endless list", self.filters);
            let Some(next) = next else { return pages };
            page = self.page(Some(&next)).await;
        }
    }

    /// Reads from the page before this one to the first, and returns the first page first.
    pub(crate) async fn backward(&self, from: &Page) -> Vec<Page> {
        self.backward_with(from, nothing).await
    }

    /// Reads like [`List::backward`], and calls `between` after each page.
    pub(crate) async fn backward_with(
        &self,
        from: &Page,
        mut between: impl AsyncFnMut(&Page),
    ) -> Vec<Page> {
        let mut pages = Vec::new();
        let mut previous = from.previous.clone();

        while let Some(cursor) = &previous {
            let page = self.page(Some(cursor)).await;
            between(&page).await;
            previous.clone_from(&page.previous);
            pages.push(page);
            assert!(pages.len() < MAX_PAGES, "{}: endless list", self.filters);
        }

        pages.reverse();
        pages
    }

    /// Asserts that the list contains these ids once each, in both directions and on full pages.
    /// The last page may be empty, since only reading it shows whether more follows. Returns the
    /// number of pages.
    pub(crate) async fn assert_lists(&self, expected: &[&str]) -> usize {
        let forward = self.forward().await;
        let first = &forward[0];
        let last = forward.last().expect("at least one");
        assert_eq!(first.previous, None, "{}", self.filters);
        let expected: Vec<&[&str]> = expected.chunks(self.limit).collect();
        assert_eq!(ids(&forward, false), expected, "{}", self.filters);

        let backward = [self.backward(last).await, vec![last.clone()]].concat();
        assert_eq!(ids(&backward, true), expected, "{} backward", self.filters);
        forward.len()
    }

    /// Reads the list, of full pages of three records, and after each page deletes its last record
    /// and changes the one before it. Asserts that it lists each record once, and afterwards
    /// backward those that remain.
    pub(crate) async fn assert_survives_changes(&self, change: &Value) {
        let mut all = all_ids(self.forward().await);
        let mut changed = Vec::new();

        let found = self.forward_with(async |page: &Page| {
            let [_, other, deleted] = &page.ids[..] else {
                panic!("a page of three records, not {page:?}");
            };
            let path = |id: &str| format!("{}/{id}", self.path);
            self.client.delete_ok(&path(deleted)).await;
            self.client.put_ok(&path(other), change).await;
            changed.extend([deleted.clone(), other.clone()]);
        });
        let found = all_ids(found.await);
        assert_eq!(found, all, "{}", self.filters);

        let end = self.forward().await.pop().expect("at least one");
        let mut backward = all_ids(self.backward(&end).await);
        backward.extend(end.ids);
        for ids in [&mut backward, &mut all] {
            ids.retain(|id| !changed.contains(id));
        }
        assert_eq!(backward, all, "{} backward", self.filters);
    }
}

/// Does nothing between pages.
async fn nothing(_: &Page) {}

/// Returns the ids of pages in order.
pub(crate) fn all_ids(pages: Vec<Page>) -> Vec<String> {
    pages.into_iter().flat_map(|page| page.ids).collect()
}

/// Returns the ids of each page, without an empty last page.
fn ids(pages: &[Page], is_backward: bool) -> Vec<Vec<&str>> {
    let mut ids: Vec<Vec<&str>> = pages
        .iter()
        .map(|page| page.ids.iter().map(String::as_str).collect())
        .collect();
    let is_empty = |page: Option<&Vec<&str>>| page.is_some_and(Vec::is_empty);

    if is_empty(ids.last()) {
        ids.pop();
    }
    if is_backward && is_empty(ids.first()) {
        ids.remove(0);
    }
    ids
}

/// Returns the ids of the first page of a list, which holds up to 100.
pub(crate) async fn ids_of(client: &Client, path: &str, filters: &str) -> Vec<String> {
    let page = List::new(client, path, filters, 100).page(None).await;
    assert_eq!((&page.next, &page.previous), (&None, &None), "{filters}");
    page.ids
}

/// Returns the ids of a list of files, which holds up to 100.
pub(crate) async fn list_ids(client: &Client, filters: &str) -> Vec<String> {
    ids_of(client, "/files", filters).await
}

/// Reads the first page of a list, of one record, and returns the cursor of the next page. The path
/// ends with `?` or `&`.
pub(crate) async fn next_cursor(client: &Client, path: &str) -> String {
    let page = client.fetch(&format!("{path}limit=1")).await.json();
    let cursor = page["next_cursor"].as_str();
    cursor
        .unwrap_or_else(|| panic!("{path}: {page}"))
        .to_owned()
}

/// Returns the error of a list that was not issued this cursor.
pub(crate) fn invalid_cursor() -> Value {
    json!({"cursor": ["The selected cursor is invalid."]})
}
