//! Readers of lists of files, page by page.

use serde_json::json;
use tests::{Client, text};

use super::library::FILES;

/// Number of pages after which a list counts as endless.
const MAX_PAGES: usize = 2 * FILES;

/// A page of a list.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    pub(crate) ids: Vec<String>,
    pub(crate) next: Option<String>,
    pub(crate) previous: Option<String>,
}

/// A list of files, page by page.
pub(crate) struct List<'a> {
    pub(crate) client: &'a Client,
    /// Query without `limit` and `cursor`.
    pub(crate) filters: String,
    pub(crate) limit: usize,
}

impl List<'_> {
    pub(crate) async fn page(&self, cursor: Option<&str>) -> Page {
        let cursor = cursor
            .map(|cursor| format!("&cursor={cursor}"))
            .unwrap_or_default();
        let path = format!("/files?{}&limit={}{cursor}", self.filters, self.limit);
        let page = self.client.fetch(&path).await.json();

        assert_eq!(
            (&page["path"], &page["per_page"]),
            (&json!("/api/v1/files"), &json!(self.limit))
        );

        let cursor = |name: &str| page[name].as_str().map(str::to_owned);
        let ids = page["data"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|file| text(&file["id"]))
            .collect();
        Page {
            ids,
            next: cursor("next_cursor"),
            previous: cursor("prev_cursor"),
        }
    }

    /// Reads from the first page to the last.
    pub(crate) async fn forward(&self) -> Vec<Page> {
        let mut pages = vec![self.page(None).await];
        while let Some(next) = pages.last().and_then(|page| page.next.clone()) {
            pages.push(self.page(Some(&next)).await);
            assert!(pages.len() < MAX_PAGES, "{}: endless list", self.filters);
        }
        pages
    }

    /// Reads from the page before this one to the first, and returns the first page first.
    pub(crate) async fn backward(&self, from: &Page) -> Vec<Page> {
        let mut pages = Vec::new();
        let mut previous = from.previous.clone();

        while let Some(cursor) = &previous {
            let page = self.page(Some(cursor)).await;
            previous.clone_from(&page.previous);
            pages.push(page);
            assert!(pages.len() < MAX_PAGES, "{}: endless list", self.filters);
        }

        pages.reverse();
        pages
    }

    /// Asserts that the list contains these ids once each, in both directions and on full pages.
    /// The last page may be empty, since only reading it shows whether more follows.
    pub(crate) async fn assert_lists(&self, expected: &[&str]) {
        let forward = self.forward().await;
        let first = &forward[0];
        let last = forward.last().expect("at least one");
        assert_eq!(first.previous, None, "{}", self.filters);
        let expected: Vec<&[&str]> = expected.chunks(self.limit).collect();
        assert_eq!(ids(&forward, false), expected, "{}", self.filters);

        let backward = [self.backward(last).await, vec![last.clone()]].concat();
        assert_eq!(ids(&backward, true), expected, "{} backward", self.filters);
    }
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

/// Returns the ids of the first page of a query, which holds up to 100.
pub(crate) async fn list_ids(client: &Client, filters: &str) -> Vec<String> {
    let page = List {
        client,
        filters: filters.to_owned(),
        limit: 100,
    }
    .page(None)
    .await;

    assert_eq!((&page.next, &page.previous), (&None, &None), "{filters}");

    page.ids
}
