//! `GET /files`: every filter and every pair of filters, compared with a model.

use serde_json::{Value, json};
use tests::{PHOTO, Stack, StackOptions, TestSpace, minutes, seconds, share_of, stack_test, text};

use crate::{
    support::{
        library::{Filter, Library, to_query},
        pages::{List, Page, list_ids},
    },
    uploads::presign::PendingFile,
};

/// Every which pair of filters the default run lists. Each filter has at least six consecutive pairs, so
/// every share contains some.
const SHARE: usize = 3;

#[stack_test(options = StackOptions::without_rate_limits(), undrained)]
async fn each_filter_lists_matching_files_once_in_both_directions(stack: &Stack) {
    let library = Box::pin(Library::new(stack)).await;
    let filters: Vec<Filter> = library.filters().concat();
    let alone = filters.iter().map(|filter| vec![filter]);
    let mut found = 0;

    for filters in alone.chain([vec![]]) {
        let expected = library.matching_ids(&filters);
        // With pages that the files fill, and pages that they do not.
        for limit in [5, 7, 100] {
            library.list(&filters, limit).assert_lists(&expected).await;
        }
        found += expected.len();
    }

    assert!(
        found > 4 * library.files.len(),
        "{found}: the filters mean something"
    );
}

#[stack_test(options = StackOptions::without_rate_limits(), undrained)]
async fn each_pair_of_filters_lists_files_that_match_both(stack: &Stack) {
    let library = Box::pin(Library::new(stack)).await;
    let groups = library.filters();
    let mut pairs = Vec::new();
    for (index, group) in groups.iter().enumerate() {
        for filter in group {
            pairs.extend(
                groups[index + 1..]
                    .iter()
                    .flatten()
                    .map(|other| [filter, other]),
            );
        }
    }

    let mut some = 0;
    let mut none = 0;
    for both in share_of(pairs, SHARE) {
        let expected = library.matching_ids(&both);
        library.list(&both, 5).assert_lists(&expected).await;
        *(if expected.is_empty() {
            &mut none
        } else {
            &mut some
        }) += 1;
    }
    assert!(
        some > 100 / SHARE && none > 20 / SHARE,
        "{some} pairs mean files, {none} mean none"
    );
}

#[stack_test(options = StackOptions::without_rate_limits(), undrained)]
async fn all_filters_together_list_files_that_match_all(stack: &Stack) {
    let library = Box::pin(Library::new(stack)).await;
    for listed in &library.files {
        let filters = listed.filters();
        let filters: Vec<&Filter> = filters.iter().collect();
        let expected = library.matching_ids(&filters);
        assert!(!expected.is_empty(), "{}", to_query(&filters));
        library.list(&filters, 100).assert_lists(&expected).await;
    }
}

#[stack_test(options = StackOptions::without_rate_limits(), undrained)]
async fn list_returns_full_records_in_envelope(stack: &Stack) {
    let library = Box::pin(Library::new(stack)).await;
    let client = &library.acme.client;
    let list = client.fetch("/files").await.json();

    assert_eq!(
        (&list["path"], &list["per_page"]),
        (&json!("/api/v1/files"), &json!(20))
    );
    assert_eq!(
        (&list["prev_cursor"], list["next_cursor"].is_string()),
        (&Value::Null, true)
    );

    let keys: Vec<&String> = list.as_object().expect("an object").keys().collect();
    assert_eq!(keys.len(), 5, "{keys:?}");

    let files = list["data"].as_array().expect("a list");
    assert_eq!(files.len(), 20);
    for file in files {
        assert_eq!(
            &client
                .get_ok(&format!("/files/{}", text(&file["id"])))
                .await,
            file
        );
    }

    let by_name = client.fetch("/files?search=photo&limit=100").await.json()["data"].clone();

    for file in by_name.as_array().expect("a list") {
        assert_eq!(
            &client
                .get_ok(&format!("/files/{}", text(&file["id"])))
                .await,
            file
        );
    }
}

/// Uploads a text with a name, and returns its id.
async fn named(acme: &TestSpace, name: &str) -> String {
    text(&acme.upload("some text").named(name, "text/plain").await["id"])
}

#[stack_test]
async fn list_is_newest_first_and_search_is_by_name(stack: &Stack, acme: &TestSpace) {
    let names = [
        "b.txt",
        "a.txt",
        "B.txt",
        "a",
        "A b.txt",
        "A.TXT",
        "a\u{301}.txt",
        "aa.txt",
    ];
    let mut ids = Vec::new();

    for name in names {
        stack.clock.advance(seconds(1));
        ids.push(named(acme, name).await);
    }

    let newest_first: Vec<&String> = ids.iter().rev().collect();
    assert_eq!(
        list_ids(&acme.client, "").await.iter().collect::<Vec<_>>(),
        newest_first
    );

    // By lower-case name, and the older file first for the same name.
    for (search, expected) in [
        ("a", &[3, 4, 1, 5, 7][..]),
        ("A", &[3, 4, 1, 5, 7]),
        ("a.", &[1, 5]),
        ("a.txt", &[1, 5]),
        ("a.txt.", &[]),
        ("%20a%20", &[3, 4, 1, 5, 7]),
        ("a%20b", &[4]),
        ("B", &[0, 2]),
        ("%C3%A1", &[6]),
        ("A%CC%81.TX", &[6]),
        (".txt", &[]),
    ] {
        let found = list_ids(&acme.client, &format!("search={search}")).await;
        let names: Vec<usize> = found
            .iter()
            .map(|id| {
                ids.iter()
                    .position(|known| known == id)
                    .expect("one of them")
            })
            .collect();
        assert_eq!(names, expected, "{search}");
    }
}

#[stack_test]
async fn pending_file_is_listed_until_abandoned(stack: &Stack, acme: &TestSpace) {
    acme.upload_config("tagged")
        .with_settings(json!({"metadata": {"tags": ["a"]}}))
        .await;
    let folder_id = acme.folder("Photos").await.id;
    let fields = json!({"upload_config": "tagged", "folder_id": folder_id});
    let sent_file = PendingFile::create(acme, fields.clone()).await;
    let unsent = PendingFile::create(acme, fields).await;
    let in_folder = format!("folder_id={folder_id}");
    let everywhere = [
        "",
        "search=PHOTO.",
        "tag=a",
        in_folder.as_str(),
        "resource_type=image",
        "type=upload",
    ];
    for filters in everywhere.into_iter().chain(["status=pending"]) {
        let mut found = list_ids(&acme.client, filters).await;
        found.sort();
        let mut expected = [unsent.id(), sent_file.id()];
        expected.sort_unstable();
        assert_eq!(found, expected, "{filters}");
    }
    assert!(list_ids(&acme.client, "status=active").await.is_empty());

    sent_file.send(stack, PHOTO).await.expect_status(200);
    let active = sent_file.confirm(&acme.client).await.expect_ok();
    assert_eq!(
        list_ids(&acme.client, "status=pending").await,
        [unsent.id()]
    );
    assert_eq!(
        list_ids(&acme.client, "status=active").await,
        [sent_file.id()]
    );
    for filters in everywhere {
        let list = acme.fetch(&format!("/files?{filters}")).await.json();
        let files = list["data"].as_array().expect("a list");
        assert_eq!(
            (
                files.len(),
                files.iter().filter(|file| **file == active).count()
            ),
            (2, 1),
            "{filters}"
        );
    }

    stack.run_confirm_checks().await;
    for filters in everywhere.into_iter().chain(["status=active"]) {
        assert_eq!(
            list_ids(&acme.client, filters).await,
            [sent_file.id()],
            "{filters}"
        );
    }
}

/// The outcome of reading a list whose files change meanwhile.
struct PagingWithChanges {
    /// Ids in the order in which the pages returned them.
    found: Vec<String>,
    /// Ids of the files that were deleted or renamed.
    changed: Vec<String>,
}

impl PagingWithChanges {
    /// Reads a list from its first page to its last. After each page, deletes its last file and
    /// renames the one before it.
    async fn run(list: &List<'_>) -> PagingWithChanges {
        let mut found = Vec::new();
        let mut changed = Vec::new();
        let mut page = list.page(None).await;

        loop {
            let renamed = page.ids[1].clone();
            let deleted = page.ids[2].clone();
            list.client.delete_ok(&format!("/files/{deleted}")).await;
            list.client
                .put_ok(
                    &format!("/files/{renamed}"),
                    json!({"original_name": "a.txt"}),
                )
                .await;

            found.append(&mut page.ids);
            changed.extend([deleted, renamed]);
            let Some(next) = page.next.take() else {
                return PagingWithChanges { found, changed };
            };
            page = list.page(Some(&next)).await;
        }
    }

    /// Returns those of the ids that were neither deleted nor renamed, in order.
    fn unchanged(&self, ids: impl IntoIterator<Item = String>) -> Vec<String> {
        ids.into_iter()
            .filter(|id| !self.changed.contains(id))
            .collect()
    }
}

/// Returns the ids of pages in order.
fn ids_of(pages: Vec<Page>) -> Vec<String> {
    pages.into_iter().flat_map(|page| page.ids).collect()
}

#[stack_test]
async fn paging_returns_remaining_files_once_during_deletions_and_renames(
    stack: &Stack,
    acme: &TestSpace,
) {
    acme.upload_config("tagged")
        .with_settings(json!({"metadata": {"tags": ["a"]}}))
        .await;

    for filters in [
        "",
        "tag=a",
        "search=b",
        "tag=a&search=b",
        "type=upload&resource_type=text",
    ] {
        for number in 0..12 {
            acme.upload("some text")
                .named(&format!("b{number:02}.txt"), "text/plain")
                .with_config("tagged")
                .await;
        }
        let list = List {
            client: &acme.client,
            filters: filters.to_owned(),
            limit: 3,
        };
        let all = ids_of(list.forward().await);
        assert_eq!(all.len(), 12, "{filters}");

        let paging = PagingWithChanges::run(&list).await;
        assert_eq!(paging.found, all, "{filters}");

        let end = list.forward().await.pop().expect("at least one");
        let mut backward = ids_of(list.backward(&end).await);
        backward.extend(end.ids);
        assert_eq!(
            paging.unchanged(backward),
            paging.unchanged(all),
            "{filters} backward"
        );

        for id in list_ids(&acme.client, "").await {
            acme.delete_ok(&format!("/files/{id}")).await;
        }
        stack.run_for(minutes(1)).await;
    }

    stack.run_purges().await;
}
