//! Rules of every list: its parameters, its space, the cursors that it accepts, and its pages while
//! records change.

use http_api::describe::ValueForms;
use serde_json::{Value, json};
use tests::{Client, PHOTO, Stack, StackOptions, TestSpace, UNKNOWN_ID, minutes, stack_test};

use super::fixture::{ROUTES, Route, RouteFixture};
use crate::support::pages::{List, ids_of, invalid_cursor, list_ids, next_cursor};

/// A list, and the names of its query parameters as declared.
struct DeclaredList {
    route: &'static Route,
    parameters: Vec<String>,
}

/// Returns the routes that respond with a page.
fn lists() -> Vec<DeclaredList> {
    let list = |operation: &openapi::Operation| {
        let description = &operation.description;
        let page = &description["responses"]["200"]["content"]["application/json"]["schema"];
        page["properties"].get("next_cursor")?;

        let is_same = |route: &&Route| {
            (route.method, route.path) == (operation.endpoint.method, operation.endpoint.path)
        };
        let declared = description["parameters"].as_array().into_iter().flatten();
        let in_query = declared.filter(|parameter| parameter["in"] == "query");
        let mut parameters: Vec<String> = in_query
            .filter_map(|parameter| parameter["name"].as_str().map(str::to_owned))
            .collect();
        parameters.push("api_key".to_owned());
        parameters.sort_unstable();
        Some(DeclaredList {
            route: ROUTES.iter().find(is_same)?,
            parameters,
        })
    };
    openapi::api(ValueForms::Accepted)
        .operations
        .iter()
        .filter_map(list)
        .collect()
}

#[stack_test]
async fn lists_reject_unknown_parameters_and_name_their_own(stack: &Stack) {
    let fixture = RouteFixture::new(stack, "Acme").await;
    let account = stack.account();
    let key = account.key.as_deref().expect("a key");
    let lists = lists();
    assert!(lists.len() >= 8, "{} lists", lists.len());

    for DeclaredList { route, parameters } in lists {
        let path = fixture.path(route);
        let separator = if path.contains('?') { '&' } else { '?' };
        let path = format!("{path}{separator}");
        let known = parameters.join(", ");
        let error = |name: &str| {
            let message = format!("The {name} field is not supported; this list takes {known}.");
            (name.to_owned(), json!([message]))
        };

        let unknown = account.get(&format!("{path}limit=1&tags=x&W=")).await;
        let expected: Value = [error("W"), error("tags")].into_iter().collect();
        assert_eq!(unknown.expect_error(422), expected, "{}", route.path);

        // Its own are accepted, here without values.
        let names = parameters.iter().map(String::as_str);
        let absent = names.filter(|name| *name != "api_key" && !path.contains(*name));
        let query = absent.collect::<Vec<_>>().join("=&");
        let accepted = format!("{path}{query}=&api_key={key}");
        stack.anonymous.fetch(&accepted).await;
    }
}

/// Uploads texts with the tags `a` and `b`.
async fn upload_texts(acme: &TestSpace, names: impl IntoIterator<Item = String>) {
    for name in names {
        let text = acme.upload("text").named(&name, "text/plain");
        text.with_config("tagged").await;
    }
}

async fn create_tagged(acme: &TestSpace) {
    let settings = json!({"metadata": {"tags": ["a", "b"]}});
    acme.upload_config("tagged").with_settings(settings).await;
}

/// Creates records, and returns lists that contain at least two of them.
async fn lists_of_records(acme: &TestSpace) -> Vec<String> {
    create_tagged(acme).await;
    upload_texts(acme, ["a1.txt", "a2.txt", "a3.txt"].map(str::to_owned)).await;
    acme.create_key("second").await;
    let mut within = Vec::new();
    for name in ["one", "two"] {
        let folder = acme.folder(name).await;
        acme.folder("a").inside(&folder).await;
        acme.folder("b").inside(&folder).await;
        for _ in 0..2 {
            acme.upload(PHOTO).into(&folder).await;
        }
        within.push(format!("/folders?parent_id={}&", folder.id));
        within.push(format!("/files?folder_id={}&", folder.id));
    }

    let lists = [
        "/files?",
        "/files?type=upload&",
        "/files?resource_type=text&",
        "/files?status=active&",
        "/files?tag=a&",
        "/files?tag=b&",
        "/files?search=a&",
        "/files?search=a&tag=b&",
        "/files?type=upload&tag=a&",
        "/folders?",
        "/folders?parent_id=root&",
        "/upload-configs?",
        "/upload-configs/all?",
    ];
    within.push(format!("{}?", acme.keys_path()));
    within.extend(lists.map(str::to_owned));
    within
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn cursor_is_valid_for_its_list_and_caller_only(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    let lists = lists_of_records(acme).await;
    let account = stack.account();
    let user = stack.user().await;
    stack.add_member(&user, acme, "owner").await;
    let second_key = acme.role("owner").await;
    let rejects = async |client: &Client, list: &str, cursor: &str| {
        let errors = client.get_err(422, &format!("{list}cursor={cursor}")).await;
        assert_eq!(errors, invalid_cursor(), "{list}");
    };

    for issued_for in &lists {
        let cursor = next_cursor(acme, issued_for).await;
        let path = format!("{issued_for}limit=1&cursor={cursor}");
        let page = second_key.get_ok(&path).await;
        assert_eq!(page.as_array().map(Vec::len), Some(1), "{issued_for}");
        for used_with in lists.iter().map(String::as_str).chain(["/spaces?"]) {
            if used_with != issued_for {
                rejects(acme, used_with, &cursor).await;
            }
        }
        // The folders do not exist in another space.
        if !issued_for.contains("_id=0") {
            let of_other = issued_for.replace(&acme.id, &other.id);
            rejects(other, &of_other, &cursor).await;
            rejects(&account, issued_for, &cursor).await;
        }
    }

    let keys = format!("{}?", acme.keys_path());
    let of_user = next_cursor(&user.client, &keys).await;
    rejects(&account, &keys, &of_user).await;
    for client in [&user.client, &account] {
        rejects(client, "/account/api-keys?", &of_user).await;
    }
    for tampered in tampered_cursors(&next_cursor(acme, &keys).await) {
        rejects(acme, &keys, &tampered).await;
    }
}

/// Returns variants of a cursor, each with a changed, missing or additional byte, and texts that
/// are no cursors.
fn tampered_cursors(cursor: &str) -> Vec<String> {
    let mut tampered: Vec<String> = Vec::new();
    for (index, byte) in cursor.bytes().enumerate() {
        let mut bytes = cursor.as_bytes().to_vec();
        // `Q` and `x` also differ in the bits that Base64 does not discard.
        bytes[index] = if byte == b'Q' { b'x' } else { b'Q' };
        tampered.push(String::from_utf8(bytes).expect("ASCII"));
    }

    tampered.extend(["x", "%00", "AAAA", &cursor[1..]].map(str::to_owned));
    tampered.push(cursor[..cursor.len() - 1].to_owned());
    tampered.extend(["A", "="].map(|end| format!("{cursor}{end}")));
    tampered
}

#[stack_test]
async fn cursor_is_valid_for_other_spellings_of_its_list(stack: &Stack, acme: &TestSpace) {
    lists_of_records(acme).await;
    let keys = format!("{}?", acme.keys_path());
    let lower_case = keys.replace(&acme.id, &acme.id.to_lowercase());
    let key = acme.key.as_deref().expect("a key");
    let with_key = format!("{keys}api_key={key}&");
    let viewer = acme.role("viewer").await;
    let second_key = acme.role("owner").await;

    for (client, issued_for, used_with) in [
        (&second_key, &*keys, &*keys),
        (acme, &keys, &lower_case),
        (&stack.anonymous, &keys, &with_key),
        (
            acme,
            "/files?type=upload&search=a&",
            "/files?search=a&type=upload&",
        ),
        (
            &viewer,
            "/files?type=upload&search=a&",
            "/files?search=%61&tag=&type=upload&",
        ),
    ] {
        let cursor = next_cursor(acme, issued_for).await;
        let path = format!("{issued_for}limit=2&cursor={cursor}");
        let expected = acme.get_ok(&path).await;

        let path = format!("{used_with}cursor={cursor}&limit=2");
        let page = client.fetch(&path).await.json();
        assert_eq!(page["data"], expected, "{used_with}");
        let (path, _) = used_with.split_once('?').expect("a query");
        assert_eq!(page["path"], format!("/api/v1{path}"));
    }
}

#[stack_test]
async fn list_is_of_the_named_space_or_that_of_the_key_or_account(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    let member = stack.user().await;
    let outsider = stack.user().await;
    stack.add_member(&member, acme, "viewer").await;
    let mut records = Vec::new();
    for tenant in [acme, other] {
        let file = tenant.upload("text").named("a.txt", "text/plain").await;
        records.push([file.id, tenant.folder("Photos").await.id]);
    }
    let account = stack.account();
    let default = json!({"default_space_id": other.id});
    account.put_ok("/account", default).await;

    for (path, kind, filters) in [
        ("/files", 0, ""),
        ("/files", 0, "search=a"),
        ("/files", 0, "type=upload"),
        ("/files", 0, "folder_id=root"),
        ("/folders", 1, ""),
        ("/folders", 1, "parent_id=root"),
        // A blank id counts as absent.
        ("/folders", 1, "parent_id=&space_id="),
    ] {
        let in_space = |id: &str| format!("{}&space_id={id}", filters.replace("space_id=", ""));
        for (tenant, ids) in [acme, other].into_iter().zip(&records) {
            let named = in_space(&tenant.id.to_lowercase());
            for (client, filters) in [
                (&tenant.client, filters),
                (&tenant.client, &named),
                (&account, &named),
            ] {
                let found = ids_of(client, path, filters).await;
                assert_eq!(found, [ids[kind].clone()], "{path} {filters}");
            }
        }
        let of_default = ids_of(&account, path, filters).await;
        assert_eq!(of_default, [records[1][kind].clone()], "{path} {filters}");

        member
            .client
            .fetch(&format!("{path}?{}", in_space(&acme.id)))
            .await;
        for (client, id) in [
            (&other.client, &*acme.id),
            (&outsider.client, &acme.id),
            (acme, UNKNOWN_ID),
            (acme, "x"),
            (acme, "%C3%A9"),
            (acme, &acme.handle),
        ] {
            let path = format!("{path}?{}", in_space(id));
            assert_eq!(client.get_err(404, &path).await, json!({}), "{path}");
        }
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn paging_returns_remaining_records_once_during_deletions_and_changes(
    stack: &Stack,
    acme: &TestSpace,
) {
    create_tagged(acme).await;
    let rename = json!({"original_name": "a.txt"});
    for filters in [
        "",
        "tag=a",
        "search=b",
        "tag=a&search=b",
        "type=upload&resource_type=text",
    ] {
        upload_texts(acme, (0..12).map(|number| format!("b{number:02}.txt"))).await;
        let files = List::new(acme, "/files", filters, 3);
        files.assert_survives_changes(&rename).await;

        for id in list_ids(acme, "").await {
            acme.delete_ok(&format!("/files/{id}")).await;
        }
        stack.run_for(minutes(1)).await;
    }

    let place = acme.folder("Place").await;
    let elsewhere = acme.folder("Elsewhere").await;
    for number in 0..12 {
        acme.folder(&number.to_string()).inside(&place).await;
    }
    let filters = format!("parent_id={}", place.id);
    let folders = List::new(acme, "/folders", &filters, 3);
    let moved = json!({"parent_id": elsewhere.id});
    folders.assert_survives_changes(&moved).await;
    stack.run_purges().await;
}
