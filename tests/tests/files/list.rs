//! `GET /files`: every filter and every pair of filters, compared with a model; and the validation
//! and bounds of filters.

use reqwest::multipart::Form;
use serde_json::{Map, Value, json};
use tests::{
    File, PHOTO, Stack, StackOptions, TestSpace, field_error, field_names, file, file_path,
    seconds, share_of, stack_test,
};

use crate::{
    support::{
        library::{Filter, Library, to_query},
        pages::{List, list_ids, next_cursor},
        signer::query,
    },
    uploads::presign::PendingFile,
};

/// Every which pair of filters the default run lists. Each filter has at least six consecutive
/// pairs, so every share contains some.
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

        let reversed: Vec<&str> = expected.iter().rev().copied().collect();
        let query = to_query(&filters);
        if !query.contains("search") {
            let ascending = List::new(&library.acme, "/files", &format!("{query}&order=asc"), 7);
            ascending.assert_lists(&reversed).await;
        }
        found += expected.len();
    }

    assert!(found > 4 * library.files.len(), "{found}");
}

#[stack_test(options = StackOptions::without_rate_limits(), undrained)]
async fn each_pair_of_filters_lists_files_that_match_both(stack: &Stack) {
    let library = Box::pin(Library::new(stack)).await;
    let groups = library.filters();
    let mut pairs = Vec::new();
    for (index, group) in groups.iter().enumerate() {
        for filter in group {
            let others = groups[index + 1..].iter().flatten();
            pairs.extend(others.map(|other| [filter, other]));
        }
    }

    let (mut some, mut none) = (0, 0);
    for both in share_of(pairs, SHARE) {
        let expected = library.matching_ids(&both);
        library.list(&both, 5).assert_lists(&expected).await;
        let is_empty = expected.is_empty();
        *(if is_empty { &mut none } else { &mut some }) += 1;
    }
    assert!(some > 100 / SHARE && none > 20 / SHARE, "{some} {none}");
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
    let acme = &library.acme;

    let list = acme.fetch("/files").await.json();
    assert_eq!(list["path"], "/api/v1/files");
    assert_eq!(list["per_page"], 20);
    assert_eq!(list["prev_cursor"], Value::Null);
    assert!(list["next_cursor"].is_string());
    assert_eq!(list.as_object().map(Map::len), Some(5));
    assert_eq!(list["data"].as_array().map(Vec::len), Some(20));

    let by_name = acme.get_ok("/files?search=photo&limit=100").await;
    for files in [&list["data"], &by_name] {
        for file in files.as_array().expect("a list") {
            assert_eq!(&acme.get_ok(&file_path(file)).await, file);
        }
    }
}

#[stack_test]
async fn list_is_newest_first_and_search_is_by_name(stack: &Stack, acme: &TestSpace) {
    let mut ids = Vec::new();
    let names = "b.txt|a.txt|B.txt|a|A b.txt|A.TXT|a\u{301}.txt|aa.txt";
    for name in names.split('|') {
        stack.clock.advance(seconds(1));
        ids.push(acme.upload("text").named(name, "text/plain").await.id);
    }

    let mut listed = list_ids(acme, "").await;
    listed.reverse();
    assert_eq!(listed, ids);

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
        let found = list_ids(acme, &format!("search={search}")).await;
        let expected: Vec<&String> = expected.iter().map(|index| &ids[*index]).collect();
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{search}");
    }
}

#[stack_test]
async fn pending_file_is_listed_until_abandoned(stack: &Stack, acme: &TestSpace) {
    let settings = json!({"metadata": {"tags": ["a"]}});
    acme.upload_config("tagged").with_settings(settings).await;
    let folder_id = acme.folder("Photos").await.id;
    let fields = json!({"upload_config": "tagged", "folder_id": folder_id});
    let sent_file = PendingFile::create(acme, fields.clone()).await;
    let unsent = PendingFile::create(acme, fields).await;
    let everywhere = [
        "",
        "search=PHOTO.",
        "tag=a",
        &format!("folder_id={folder_id}"),
        "resource_type=image",
        "type=upload",
    ];
    let mut both = [unsent.id(), sent_file.id()];
    both.sort_unstable();
    for filters in everywhere.into_iter().chain(["status=pending"]) {
        let mut found = list_ids(acme, filters).await;
        found.sort();
        assert_eq!(found, both, "{filters}");
    }
    assert!(list_ids(acme, "status=active").await.is_empty());

    sent_file.put(stack, PHOTO).await;
    let active = sent_file.confirm(acme).await.expect_ok();
    assert_eq!(list_ids(acme, "status=pending").await, [unsent.id()]);
    assert_eq!(list_ids(acme, "status=active").await, [sent_file.id()]);
    for filters in everywhere {
        let files = acme.get_ok(&format!("/files?{filters}")).await;
        let files = files.as_array().expect("a list");
        assert_eq!(files.len(), 2, "{filters}");
        assert!(files.contains(&active), "{filters}");
    }

    stack.run_confirm_checks().await;
    for filters in everywhere.into_iter().chain(["status=active"]) {
        let found = list_ids(acme, filters).await;
        assert_eq!(found, [sent_file.id()], "{filters}");
    }
}

async fn upload_text(acme: &TestSpace) -> File {
    acme.upload("some text").named("a.txt", "text/plain").await
}

/// Uploads ten texts in one form with these fields.
pub(crate) async fn upload_ten(
    acme: &TestSpace,
    fields: &[(&'static str, &'static str)],
) -> Vec<Value> {
    let mut form = Form::new().text("space", acme.handle.clone());
    for (name, value) in fields {
        form = form.text(*name, *value);
    }
    for number in 0..10 {
        let name = format!("{number}.txt");
        let text = file(&name, "text/plain", format!("text {number}"));
        form = form.part("files", text);
    }

    let uploaded = acme.upload_form(form).await.expect_created();
    uploaded.as_array().expect("a list").clone()
}

/// Returns a query with one parameter.
pub(crate) fn one(name: &str, value: &str) -> String {
    query(&[(name.to_owned(), value.to_owned())])
}

#[stack_test]
async fn selected_fields_of_files_are_returned(acme: &TestSpace) {
    let folder = acme.folder("Texts").await;
    let text = acme.upload("some text").named("a.txt", "text/plain");
    let file = text.into(&folder).with_ref("a").await;
    let record = file.as_object().expect("an object");
    let all: Vec<&str> = record.keys().map(String::as_str).collect();

    for (fields, names) in [
        ("id", &["id"][..]),
        ("url,type,ref,url", &["id", "url", "type", "ref"]),
        ("folder_path,size", &["id", "folder_path", "size"]),
        ("access_control", &["id", "access_control"]),
        (&all.join(","), &all),
    ] {
        let select = |name: &&str| ((*name).to_owned(), record[*name].clone());
        let selected: Value = names.iter().map(select).collect();
        let by_id = format!("{}?fields={fields}", file.path());
        let by_ref = format!("/files/by-ref?ref=a&fields={fields}");
        let list = format!("/files?fields={fields}");

        assert_eq!(acme.get_ok(&by_id).await, selected, "{by_id}");
        assert_eq!(acme.get_ok(&by_ref).await, selected, "{by_ref}");
        assert_eq!(acme.get_ok(&list).await, json!([selected]), "{list}");
    }

    // A cursor is valid for other fields.
    let other = upload_text(acme).await;
    let cursor = next_cursor(acme, "/files?fields=url&").await;
    let rest = acme.get_ok(&format!("/files?cursor={cursor}")).await;
    assert!(rest[0] == file || rest[0] == other, "{rest}");
}

#[stack_test]
async fn invalid_filter_values_return_422(stack: &Stack, acme: &TestSpace) {
    let control = "must not contain control characters";
    let path = "must not contain slashes, backslashes or control characters";
    let long_tag = "must not be greater than 100 characters";
    let long_search = "must not be greater than 255 characters";
    let date = "must be a valid date";
    let fields = "The selected fields is invalid. Use id, name, original_name, extension, mime_type, size, storage_path, url, type, \
                  resource_type, status, trashed_at, purge_at, space_id, folder_id, folder_path, upload_config_id, ref, tags, title, alt, metadata, checksum_sha256, \
                  storage_meta, thumbnails, processing, access_control, uploaded_by, created_at, updated_at.";

    for (name, value, end) in [
        ("type", "public", ""),
        ("type", "UPLOAD", ""),
        ("type", "upload,private", ""),
        ("resource_type", "photo", ""),
        ("resource_type", "image/jpeg", ""),
        ("status", "deleted", ""),
        ("status", "Active", ""),
        ("tag", &"x".repeat(101), long_tag),
        ("tag", "a\nb", control),
        ("search", &"x".repeat(256), long_search),
        ("search", "a/b", path),
        ("search", "a\u{7}b", path),
        ("order", "ASC", ""),
        ("created_from", "yesterday", date),
        ("created_from", "2026-02-30", date),
        ("created_to", "2026-01-01T00:00:00", date),
        ("created_to", "1969-12-31", date),
    ] {
        let path = format!("/files?space_id={}&{}", acme.id, one(name, value));
        for client in [&acme.client, &stack.account()] {
            let errors = client.get_err(422, &path).await;
            assert_eq!(errors, field_error(name, end), "{name}={value}");
        }
    }
    for value in ["url,colour", "url,", "url, type", "storage_meta.width"] {
        let path = format!("/files?space_id={}&{}", acme.id, one("fields", value));
        for client in [&acme.client, &stack.account()] {
            let errors = client.get_err(422, &path).await;
            assert_eq!(errors, json!({"fields": [fields]}), "{value}");
        }
    }

    let absent = field_error("order", "must be absent when search is present");
    let with_search = "/files?search=a&order=asc";
    assert_eq!(acme.get_err(422, with_search).await, absent);
    let later = "must be a date after or equal to created from";
    let reversed = "/files?created_from=2026-01-02&created_to=2026-01-01T23:59:59Z";
    let errors = acme.get_err(422, reversed).await;
    assert_eq!(errors, field_error("created_to", later));

    let long_tag = one("tag", &"x".repeat(101));
    let all = "type=a&resource_type=b&status=c&folder_id=d&search=e/f";
    let errors = acme.get_err(422, &format!("/files?{all}&{long_tag}")).await;
    let names = "folder_id resource_type search status tag type";
    assert_eq!(field_names(&errors).join(" "), names);
}

#[stack_test]
async fn blank_filters_are_ignored(acme: &TestSpace) {
    let file = upload_text(acme).await;

    for query in [
        "type=&resource_type=&status=%20&tag=&search=%20%20&folder_id=&fields=&order=&created_from=&created_to=",
        "created_from=2000-01-01&created_to=9999-12-31",
        "limit=",
    ] {
        let files = acme.get_ok(&format!("/files?{query}")).await;
        assert_eq!(files[0], file, "{query}");
    }

    for (name, longest) in [
        ("tag", "é".repeat(100)),
        ("search", "é".repeat(255)),
        ("search", "%_*".to_owned()),
        ("created_from", "9999-12-31".to_owned()),
        ("created_to", "1970-01-01".to_owned()),
    ] {
        assert!(list_ids(acme, &one(name, &longest)).await.is_empty());
    }
    let no_time = "created_from=2026-01-01&created_to=2026-01-01";
    assert!(list_ids(acme, no_time).await.is_empty());
}

#[stack_test]
async fn longest_names_and_tags_are_found(acme: &TestSpace) {
    // Four bytes each: more than fits into a sort key.
    let name = |last: char| "😀".repeat(254) + &last.to_string();
    let tag = |last: &str| "🏷".repeat(99) + last;
    let named = [(name('a'), tag("🏷")), (name('b'), tag("#"))];
    let mut ids = Vec::new();

    for (name, tag) in &named {
        let file = upload_text(acme).await;
        let body = json!({"original_name": name, "tags": [tag]});
        let record = acme.put_ok(file.path(), body).await;
        assert_eq!(record["original_name"], *name);
        assert_eq!(record["tags"], json!([tag]));
        ids.push(file.id);
    }

    for (id, (name, tag)) in ids.iter().zip(&named) {
        assert_eq!(list_ids(acme, &one("search", name)).await, [&**id]);
        assert_eq!(list_ids(acme, &one("tag", tag)).await, [&**id]);
    }

    let prefix = one("search", &"😀".repeat(254));
    let both = List::new(acme, "/files", &prefix, 1);

    // Their common prefix is longer than the part of a name that sorts.
    ids.sort();
    both.assert_lists(&[&ids[0], &ids[1]]).await;
}
