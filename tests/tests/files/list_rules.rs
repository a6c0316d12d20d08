//! `GET /files`: validation and bounds of its filters.

use reqwest::multipart::Form;
use serde_json::{Map, Value, json};
use tests::{File, Stack, TestSpace, file, stack_test, text};

use crate::support::{
    pages::{List, list_ids},
    signer::query,
};

async fn upload_text(acme: &TestSpace) -> File {
    acme.upload("some text").named("a.txt", "text/plain").await
}

/// Uploads ten texts in one form with these fields.
pub(super) async fn upload_ten(
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
async fn invalid_filter_values_return_422(stack: &Stack, acme: &TestSpace) {
    let selected = "The selected X is invalid.";
    let control = "The X field must not contain control characters.";
    let path = "The X field must not contain slashes, backslashes or control characters.";
    let long_tag = "The X field must not be greater than 100 characters.";
    let long_search = "The X field must not be greater than 255 characters.";

    for (name, value, message) in [
        ("type", "public", selected),
        ("type", "UPLOAD", selected),
        ("type", "upload,private", selected),
        ("resource_type", "photo", selected),
        ("resource_type", "image/jpeg", selected),
        ("status", "deleted", selected),
        ("status", "Active", selected),
        ("tag", &"x".repeat(101), long_tag),
        ("tag", "a\nb", control),
        ("search", &"x".repeat(256), long_search),
        ("search", "a/b", path),
        ("search", "a\u{7}b", path),
    ] {
        let message = message.replace('X', &name.replace('_', " "));
        let path = format!("/files?space_id={}&{}", acme.id, one(name, value));

        for client in [&acme.client, &stack.account()] {
            let errors = client.get_err(422, &path).await;
            assert_eq!(errors, json!({name: [message]}), "{name}={value}");
        }
    }

    let long_tag = one("tag", &"x".repeat(101));
    let all = "type=a&resource_type=b&status=c&folder_id=d&search=e/f";
    let errors = acme.get_err(422, &format!("/files?{all}&{long_tag}")).await;
    assert_eq!(errors.as_object().map(Map::len), Some(6), "{errors}");
}

#[stack_test]
async fn blank_filters_are_ignored(acme: &TestSpace) {
    let file = upload_text(acme).await;

    for query in [
        "type=&resource_type=&status=%20&tag=&search=%20%20&folder_id=",
        "limit=",
    ] {
        let files = acme.get_ok(&format!("/files?{query}")).await;
        assert_eq!(files[0], file, "{query}");
    }

    for (name, longest) in [
        ("tag", "é".repeat(100)),
        ("search", "é".repeat(255)),
        ("search", "%_*".to_owned()),
    ] {
        assert!(list_ids(acme, &one(name, &longest)).await.is_empty());
    }
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

#[stack_test]
async fn ten_files_with_twenty_tags_are_found_by_each_tag(acme: &TestSpace) {
    let tags: Vec<String> = (10..30).map(|number| format!("tag{number}")).collect();
    let settings = json!({"metadata": {"tags": tags}});
    acme.upload_config("tagged").with_settings(settings).await;
    let files = upload_ten(acme, &[("upload_config", "tagged"), ("ref", "all")]).await;
    let ids: Vec<String> = files.iter().map(|file| text(&file["id"])).collect();
    let mut sorted = ids.clone();
    sorted.sort();

    let everywhere = [String::new(), "folder_id=root".to_owned()];
    let by_tag = tags.iter().map(|tag| one("tag", tag));
    for filters in by_tag.chain(everywhere) {
        let mut found = list_ids(acme, &filters).await;
        found.sort();
        assert_eq!(found, sorted, "{filters}");
    }
    for (number, id) in ids.iter().enumerate() {
        let found = list_ids(acme, &format!("search={number}.")).await;
        assert_eq!(found, [&**id]);
    }

    let by_ref = acme.get_ok("/files/by-ref?ref=all").await;
    assert!(ids.contains(&text(&by_ref["id"])));
}
