//! Pages of the keys of a space.

use domain::KeyName;
use space_store::{NewKey, Tenants};
use tests::{Stack, TestSpace};

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

impl KeyPages<'_> {
    pub(crate) async fn page(&self, cursor: Option<&str>) -> Page {
        let cursor = cursor
            .map(|cursor| format!("&cursor={cursor}"))
            .unwrap_or_default();
        let path = format!(
            "/spaces/{}/api-keys?limit={}{cursor}",
            self.tenant.id, self.limit
        );
        let page = self.tenant.fetch(&path).await.json();

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
        let mut settings = runtime::Settings::of(&context);
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
            let created = space.keys().create(new, |_, _| None).await;
            ids.push(created.expect("a key").key.id.0);
        }

        ids
    }
}

/// Creates a space with [`ITEMS`] keys.
pub(crate) async fn space_with_keys(stack: &Stack) -> TestSpace {
    let acme = stack.space("Acme").await;
    let keys = KeyPages {
        stack,
        tenant: &acme,
        limit: 1,
    };
    keys.create_keys(ITEMS - 1).await;

    acme
}

/// Returns the ids of pages, in order.
pub(crate) fn ids(pages: &[Page]) -> Vec<u64> {
    pages.iter().flat_map(|page| page.ids.clone()).collect()
}

/// Does nothing between pages.
pub(crate) async fn nothing(_: &Page) {}
