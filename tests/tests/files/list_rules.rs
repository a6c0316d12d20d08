//! `GET /files`: validation of parameters, the choice of the space, and the validity of cursors.

use reqwest::multipart::Form;
use serde_json::json;
use tests::{Client, Stack, TestSpace, UNKNOWN_ID, file, form, stack_test, text};

use crate::support::{
    pages::{List, list_ids},
    signer::query,
};

/// Uploads a text, and returns its id.
pub(super) async fn upload_as(acme: &TestSpace, client: &Client, name: &str) -> String {
    text(
        &client
            .upload_form(form(&acme.handle, name, "text/plain", "some text"))
            .await
            .expect_created()["id"],
    )
}

/// Returns a query with one parameter.
pub(crate) fn one(name: &str, value: &str) -> String {
    query(&[(name.to_owned(), value.to_owned())])
}

/// A filter with an invalid value.
struct InvalidFilter {
    name: &'static str,
    value: String,
    /// The error message, with an X for the field.
    message: &'static str,
}

fn invalid_filters() -> Vec<InvalidFilter> {
    let selected = "The selected X is invalid.";
    let control = "The X field must not contain control characters.";
    let path = "The X field must not contain slashes, backslashes or control characters.";
    let long_tag = "The X field must not be greater than 100 characters.";
    let long_search = "The X field must not be greater than 255 characters.";
    let filter = |name, value: &str, message| InvalidFilter {
        name,
        value: value.to_owned(),
        message,
    };

    vec![
        filter("type", "public", selected),
        filter("type", "UPLOAD", selected),
        filter("type", "upload,private", selected),
        filter("resource_type", "photo", selected),
        filter("resource_type", "image/jpeg", selected),
        filter("status", "deleted", selected),
        filter("status", "Active", selected),
        filter("tag", &"x".repeat(101), long_tag),
        filter("tag", "a\nb", control),
        filter("search", &"x".repeat(256), long_search),
        filter("search", "a/b", path),
        filter("search", "a\u{7}b", path),
    ]
}

#[stack_test]
async fn invalid_filter_values_return_422(stack: &Stack, acme: &TestSpace) {
    for filter in invalid_filters() {
        let InvalidFilter {
            name,
            value,
            message,
        } = filter;
        let message = message.replace('X', &name.replace('_', " "));
        let address = format!("/files?space_id={}&{}", acme.id, one(name, &value));

        for client in [&acme.client, &stack.account()] {
            let errors = client.get_err(422, &address).await;
            assert_eq!(errors, json!({name: [message]}), "{name}={value}");
        }
    }

    for limit in ["0", "101", "x"] {
        let response = acme.get(&format!("/files?limit={limit}")).await;
        assert!(response.expect_error(422)["limit"].is_array());
    }
}

#[stack_test]
async fn unknown_folder_filter_returns_422(stack: &Stack, acme: &TestSpace, other: &TestSpace) {
    let foreign = other.folder("Photos").await;
    let deleted = acme.folder("Photos").await;
    acme.delete_ok(deleted.path()).await;

    for folder_id in [
        UNKNOWN_ID,
        "x",
        "Photos/",
        &foreign.id,
        &deleted.id,
        &acme.id,
    ] {
        for client in [&acme.client, &stack.account()] {
            let filter = one("folder_id", folder_id);
            let address = format!("/files?space_id={}&{filter}", acme.id);
            assert_eq!(
                client.get_err(422, &address).await,
                json!({"folder_id": ["The selected folder id is invalid."]}),
                "{folder_id}"
            );
        }
    }
}

#[stack_test]
async fn invalid_filters_are_reported_together(acme: &TestSpace) {
    let long_tag = one("tag", &"x".repeat(101));
    let all = "type=a&resource_type=b&status=c&folder_id=d&search=e/f";

    let errors = acme.get_err(422, &format!("/files?{all}&{long_tag}")).await;

    let reported: Vec<&String> = errors.as_object().expect("an object").keys().collect();
    assert_eq!(reported.len(), 6, "{reported:?}");
}

#[stack_test]
async fn blank_filters_are_ignored(acme: &TestSpace) {
    let id = upload_as(acme, &acme.client, "a.txt").await;

    for query in [
        "type=&resource_type=&status=%20&tag=&search=%20%20&folder_id=",
        "limit=",
    ] {
        let list = acme.fetch(&format!("/files?{query}")).await.json();
        assert_eq!(list["data"][0]["id"], json!(id), "{query}");
    }

    for (name, longest) in [
        ("tag", "é".repeat(100)),
        ("search", "é".repeat(255)),
        ("search", "%_*".to_owned()),
    ] {
        assert!(
            list_ids(&acme.client, &one(name, &longest))
                .await
                .is_empty()
        );
    }
}

#[stack_test]
async fn longest_names_and_tags_are_found(acme: &TestSpace) {
    // Four bytes each: more than fits into a sort key.
    let name = |last: char| "😀".repeat(254) + &last.to_string();
    let first = name('a');
    let second = name('b');
    let tag = "🏷".repeat(100);
    let twin = "🏷".repeat(99) + "#";
    let mut ids = Vec::new();

    for (name, tag) in [(&first, &tag), (&second, &twin)] {
        let id = upload_as(acme, &acme.client, "x.txt").await;
        let body = json!({"original_name": name, "tags": [tag]});
        let record = acme.put_ok(&format!("/files/{id}"), body).await;
        assert_eq!(
            (&record["original_name"], &record["tags"]),
            (&json!(name), &json!([tag]))
        );
        ids.push(id);
    }

    for (index, (name, tag)) in [(&first, &tag), (&second, &twin)].into_iter().enumerate() {
        assert_eq!(
            list_ids(&acme.client, &one("search", name)).await,
            [ids[index].as_str()]
        );
        assert_eq!(
            list_ids(&acme.client, &one("tag", tag)).await,
            [ids[index].as_str()]
        );
    }

    let both = List {
        client: &acme.client,
        filters: one("search", &"😀".repeat(254)),
        limit: 1,
    };

    // Their common prefix is longer than the part of a name that sorts.
    ids.sort();
    both.assert_lists(&[&ids[0], &ids[1]]).await;
}

#[stack_test]
async fn ten_files_with_twenty_tags_are_found_by_each_tag(acme: &TestSpace) {
    let tags: Vec<String> = (10..30).map(|number| format!("tag{number}")).collect();
    let settings = json!({"metadata": {"tags": tags}});
    acme.upload_config("tagged").with_settings(settings).await;

    let form = Form::new()
        .text("space", acme.handle.clone())
        .text("upload_config", "tagged")
        .text("ref", "all");
    let form = (0..10).fold(form, |form, number| {
        form.part(
            "files",
            file(
                &format!("{number}.txt"),
                "text/plain",
                format!("text {number}"),
            ),
        )
    });
    let uploaded = acme.upload_form(form).await.expect_created();
    let ids: Vec<String> = uploaded
        .as_array()
        .expect("a list")
        .iter()
        .map(|file| text(&file["id"]))
        .collect();
    let sorted = |mut ids: Vec<String>| {
        ids.sort();
        ids
    };

    for filters in tags
        .iter()
        .map(|tag| one("tag", tag))
        .chain([String::new(), "folder_id=root".to_owned()])
    {
        assert_eq!(
            sorted(list_ids(&acme.client, &filters).await),
            sorted(ids.clone()),
            "{filters}"
        );
    }
    for (number, id) in ids.iter().enumerate() {
        assert_eq!(
            list_ids(&acme.client, &format!("search={number}.")).await,
            [id.as_str()]
        );
    }

    assert!(ids.contains(&text(&acme.get_ok("/files/by-ref?ref=all").await["id"])));
}

#[stack_test]
async fn lists_are_separate_per_space(stack: &Stack, acme: &TestSpace, other: &TestSpace) {
    let member = stack.user().await;
    let outsider = stack.user().await;
    stack.add_member(&member, acme, "viewer").await;

    let own_id = upload_as(acme, &acme.client, "a.txt").await;
    let foreign_id = upload_as(other, &other.client, "a.txt").await;

    for filters in ["", "&search=a", "&type=upload", "&folder_id=root"] {
        for (tenant, id) in [(acme, &own_id), (other, &foreign_id)] {
            assert_eq!(list_ids(&tenant.client, filters).await, [id.as_str()]);
            let named = format!("space_id={}{filters}", tenant.id.to_lowercase());
            for client in [
                &tenant.client,
                &stack.account(),
                &tenant.role("viewer").await,
            ] {
                assert_eq!(list_ids(client, &named).await, [id.as_str()], "{named}");
            }
        }
        let named = format!("/files?space_id={}{filters}", acme.id);
        member.client.fetch(&named).await;
        for other_client in [&other.client, &outsider.client] {
            assert_eq!(other_client.get_err(404, &named).await, json!({}));
        }
    }

    for unknown in [UNKNOWN_ID, "x", "%C3%A9"] {
        assert_eq!(
            acme.get_err(404, &format!("/files?space_id={unknown}"))
                .await,
            json!({})
        );
    }

    // For an account key without a space, the default space is listed.
    let account = stack.account();
    account
        .put_ok("/account", json!({"default_space_id": other.id}))
        .await;
    assert_eq!(list_ids(&account, "").await, [foreign_id]);
}
