//! Pages of the keys of a space.

use domain::{KeyName, KeySecret};
use runtime::Settings;
use serde_json::Value;
use space_store::{NewKey, Tenants};
use tests::{Stack, TestSpace, column};

/// Number of keys of [`space_with_keys`]: three pages of the maximum limit.
pub(crate) const ITEMS: usize = 205;

/// The ids of a page, newest first, and its cursors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) ids: Vec<u64>,
    pub(crate) next: Option<String>,
    pub(crate) previous: Option<String>,
}

/// Reads the keys of a space page by page.
pub(crate) struct KeyPages<'a> {
    pub(crate) stack: &'a Stack,
    pub(crate) tenant: &'a TestSpace,
    pub(crate) limit: usize,
}

impl<'a> KeyPages<'a> {
    pub(crate) fn of(stack: &'a Stack, tenant: &'a TestSpace, limit: usize) -> KeyPages<'a> {
        KeyPages {
            stack,
            tenant,
            limit,
        }
    }

    pub(crate) async fn page(&self, cursor: Option<&str>) -> Page {
        let keys = self.tenant.keys_path();
        let cursor = cursor.unwrap_or_default();
        let path = format!("{keys}?limit={}&cursor={cursor}", self.limit);
        let page = self.tenant.fetch(&path).await.json();
        assert_eq!(page["per_page"], self.limit);
        assert_eq!(page["path"], format!("/api/v1{keys}"));

        let text = |name: &str| page[name].as_str().map(str::to_owned);
        let ids = column(&page["data"], "id");
        Page {
            ids: ids.iter().filter_map(Value::as_u64).collect(),
            next: text("next_cursor"),
            previous: text("prev_cursor"),
        }
    }

    /// Reads all pages from the newest to the oldest, and calls `between` after each one.
    pub(crate) async fn forward(&self, mut between: impl AsyncFnMut(&Page)) -> Vec<Page> {
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

    /// Reads all pages before `from` up to the newest, and calls `between` after each one.
    pub(crate) async fn backward(
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
        }

        pages
    }

    /// Creates keys without API requests, and returns their ids.
    pub(crate) async fn create_keys(&self, count: usize) -> Vec<u64> {
        let context = self.stack.unrestricted_context();
        let tenants = Tenants::new(Settings::of(&context).table());
        let secret = KeySecret::parse(self.tenant.key.as_deref().expect("a key"));
        let caller = tenants.authenticate(&secret.expect("a key")).await;
        let caller = caller.expect("a table").expect("a caller");
        let space = tenants.space(&caller, self.tenant.space_id()).await;
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
pub(crate) async fn space_with_keys(stack: &Stack) -> TestSpace {
    let acme = stack.space("Acme").await;
    KeyPages::of(stack, &acme, 1).create_keys(ITEMS - 1).await;
    acme
}

/// Returns the ids of pages, in order.
pub(crate) fn ids(pages: &[Page]) -> Vec<u64> {
    pages.iter().flat_map(|page| page.ids.clone()).collect()
}

/// Does nothing between pages.
pub(crate) async fn nothing(_: &Page) {}
