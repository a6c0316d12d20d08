//! Roles on the routes of files, folders and uploads: space keys and members, with their own files
//! and with files of others.

use std::collections::BTreeSet;

use serde_json::json;
use table::keys;
use tests::{Client, Stack, StackOptions, stack_test, text};

use super::file_role_routes::{ROUTES, RoleFixture, is_sufficient};

#[test]
fn role_table_covers_all_file_folder_and_upload_routes() {
    let is_covered = |path: &&str| {
        let group = path.split('/').nth(1).unwrap_or_default();
        ["files", "folders", "upload"].contains(&group)
    };
    let operations = openapi::api().operations;

    let declared = operations
        .iter()
        .map(|operation| (operation.endpoint.method, operation.endpoint.path));
    let declared: BTreeSet<_> = declared.filter(|(_, path)| is_covered(path)).collect();
    let covered: BTreeSet<_> = ROUTES
        .iter()
        .map(|route| (route.method, route.path))
        .collect();

    let missing: Vec<_> = declared.difference(&covered).collect();
    let undeclared: Vec<_> = covered.difference(&declared).collect();
    assert!(
        missing.is_empty() && undeclared.is_empty(),
        "in ROUTES of file_role_routes.rs, add {missing:?} and remove {undeclared:?}"
    );
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn roles_are_enforced_for_own_and_others_files(stack: &Stack) {
    let mut fixture = RoleFixture::new(stack).await;
    let callers = fixture.callers().await;
    let mut allowed = 0;
    let mut rejected = Vec::new();

    for caller in &callers {
        for route in ROUTES {
            for is_own in [false, true] {
                let min_role = if is_own {
                    route.own_file_role
                } else {
                    Some(route.role)
                };
                let Some(min_role) = min_role else { continue };
                let Some(resource) = fixture.resource(route, caller, is_own).await else {
                    continue;
                };

                let response = fixture.call(route, caller, &resource).await;

                if is_sufficient(caller.role, min_role) {
                    allowed += 1;
                    response.expect_status(route.success);
                    continue;
                }
                assert_eq!(
                    response.expect_error(403),
                    json!({}),
                    "{} {} as {}",
                    route.method,
                    route.path,
                    caller.role
                );
                fixture.assert_unchanged(&resource).await;
                rejected.push(resource.name);
            }
        }
    }

    assert!(
        allowed > 200 && rejected.len() > 80,
        "{allowed} allowed, {} rejected",
        rejected.len()
    );

    // Rejected calls neither created nor renamed folders.
    for (key, item) in stack.dump().await.items {
        let name = item["name"].as_str().unwrap_or_default();
        assert!(
            !key.sort.starts_with(keys::FOLDERS)
                || !rejected.iter().any(|rejected| rejected == name),
            "{key:?} {item}"
        );
    }

    stack.run_confirm_checks().await;
    stack.run_purges().await;
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn anonymous_and_others_files_require_admin(stack: &Stack) {
    let fixture = RoleFixture::new(stack).await;
    let owner = &fixture.acme.client;
    let key = fixture.acme.role("user").await;
    let other_key = fixture.acme.role("user").await;
    let member = fixture.member("user").await;
    let other_member = fixture.member("user").await;
    let admin = fixture.acme.role("admin").await;

    for is_deletion in [false, true] {
        let mut files = vec![
            fixture.upload_anonymously(true).await,
            fixture.upload_anonymously(false).await,
        ];
        for client in [owner, &stack.account(), &other_key, &other_member.client] {
            files.push(fixture.upload(client, "order").await);
        }

        for file in &files {
            let path = format!("/files/{}", text(&file["id"]));
            let change = async |client: &Client| {
                if is_deletion {
                    client.delete(&path).await
                } else {
                    client.put(&path, json!({"ref": "x"})).await
                }
            };

            for client in [&key, &member.client] {
                let response = change(client).await;
                let uploader = &file["uploaded_by"];
                let reason = if uploader["id"].is_null() {
                    "This file was uploaded without an API key."
                } else {
                    "Another user or API key uploaded this file."
                };
                let message = format!("{reason} This action requires the role admin or higher.");
                assert_eq!(response.json()["message"], message);
                assert_eq!(response.expect_error(403), json!({}), "{uploader}");
            }
            assert_eq!(owner.get_ok(&path).await, *file);

            let status = if is_deletion { 204 } else { 200 };
            change(&admin).await.expect_status(status);
        }
    }

    stack.run_confirm_checks().await;
    stack.run_purges().await;
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn file_ownership_follows_user_or_space_key(stack: &Stack) {
    let fixture = RoleFixture::new(stack).await;
    let member = fixture.member("owner").await;
    let create_key = async |path: &str, body| {
        let key = member.client.create(path, body).await;
        member.client.with_key(&text(&key["key"]))
    };
    let second_key = create_key("/account/api-keys", json!({"name": "second"})).await;
    let space_keys = fixture.acme.keys_path();
    let space_key = json!({"name": "created by the member", "role": "user"});
    let space_key = create_key(&space_keys, space_key).await;

    let clients = [&member.client, &second_key, &space_key];
    let mut files = Vec::new();
    for client in clients {
        files.push(fixture.upload(client, "order").await);
    }

    // Owners may change all files, users only their own.
    let user = member.member.as_ref().expect("a member");
    stack.add_member(user, &fixture.acme, "user").await;

    let statuses_by_client = [[200, 200, 403], [200, 200, 403], [403, 403, 200]];
    for (client, statuses) in clients.into_iter().zip(statuses_by_client) {
        for (file, status) in files.iter().zip(statuses) {
            let path = format!("/files/{}", text(&file["id"]));
            let response = client.put(&path, json!({"ref": "x"})).await;
            response.expect_status(status);
        }
    }

    stack.run_confirm_checks().await;
    stack.run_purges().await;
}
