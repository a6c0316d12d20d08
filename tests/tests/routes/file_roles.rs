//! Roles on the routes of files whose requirement depends on who uploaded the file, or that create
//! missing folders. `roles` has those of all other routes.

use serde_json::{Value, json};
use table::item_keys;
use tests::{
    Client, PHOTO, Response, Stack, StackOptions, TestSpace, User, file_path, rows, stack_test,
    text,
};

use super::fixture::ROLES;
use crate::{
    support::signer::Signer,
    uploads::{
        presign::{PendingFile, presign_body},
        unsigned::UnsignedConfig,
    },
};

/// Message of a rejection because of the uploader.
const OTHERS_FILE: &str =
    "Another user or API key uploaded this file. This action requires the role admin or higher.";

/// A request about a file, and the minimum roles for files of the caller and of others.
type FileRequest = (String, Value, String, String);

/// Returns requests in which `FILE` stands for an id, and `FOLDER` for the name of a missing
/// folder.
fn requests() -> Vec<FileRequest> {
    rows(json!([
        ["PUT /files/FILE", {"ref": "x"}, "user", "admin"],
        ["PUT /files/FILE", {"folder_id": "root", "folder_path": "FOLDER"}, "admin", "admin"],
        ["PUT /files", {"id": "FILE", "ref": "x"}, "user", "admin"],
        ["PUT /files", {"id": "FILE", "folder_id": "root", "folder_path": "FOLDER"}, "admin", "admin"],
        ["DELETE /files/FILE", null, "user", "admin"],
        ["DELETE /files?id=FILE", null, "user", "admin"],
        ["DELETE /files", {"id": "FILE"}, "user", "admin"],
        // Of a pending file, the bytes have been sent. A confirmation returns an active one.
        ["POST /upload/confirm/FILE", null, "user", "admin"],
        ["PUT /files/FILE/access-control", {"access_control": {"requires_auth": true}}, "admin", "admin"],
        ["DELETE /files/FILE/access-control", null, "admin", "admin"],
    ]))
}

async fn send(client: &Client, request: &FileRequest, file: &str, folder: &str) -> Response {
    let (line, body, ..) = request;
    let filled = |text: &str| text.replace("FILE", file).replace("FOLDER", folder);
    let line = filled(line);
    let (method, path) = line.split_once(' ').expect("a method and a path");
    let request = client.request(method, path);
    if body.is_null() {
        return client.send(request).await;
    }
    let body: Value = serde_json::from_str(&filled(&body.to_string())).expect("JSON");
    client.send(request.json(&body)).await
}

/// A space key, or the account key of a member, with a role in the space.
struct Caller {
    client: Client,
    role: &'static str,
    member: Option<User>,
}

impl Caller {
    async fn member(stack: &Stack, acme: &TestSpace, role: &'static str) -> Caller {
        let member = stack.user().await;
        stack.add_member(&member, acme, role).await;
        Caller {
            client: member.client.clone(),
            role,
            member: Some(member),
        }
    }

    /// Returns a space key and a member of each role.
    async fn all(stack: &Stack, acme: &TestSpace) -> Vec<Caller> {
        let mut callers = Vec::new();
        for role in ROLES {
            callers.push(Caller {
                client: acme.role(role).await,
                role,
                member: None,
            });
            callers.push(Caller::member(stack, acme, role).await);
        }
        callers
    }

    fn has(&self, min_role: &str) -> bool {
        let level = |name: &str| ROLES.iter().position(|role| *role == name);
        level(self.role) >= level(min_role)
    }

    /// Creates a file. Returns `None` for a space key that may not upload.
    async fn create(&self, stack: &Stack, acme: &TestSpace, is_pending: bool) -> Option<Value> {
        if self.has("user") {
            return Some(create(stack, acme, &self.client, is_pending).await);
        }

        // A member who is a viewer now may have uploaded in an earlier role.
        let member = self.member.as_ref()?;
        stack.add_member(member, acme, "user").await;
        let file = create(stack, acme, &self.client, is_pending).await;
        stack.add_member(member, acme, self.role).await;
        Some(file)
    }
}

/// Uploads a file, or presigns it and sends its bytes. Returns its record.
async fn create(stack: &Stack, acme: &TestSpace, client: &Client, is_pending: bool) -> Value {
    if !is_pending {
        return acme.upload(PHOTO).by(client).await.record;
    }
    let file = PendingFile::by(client, presign_body(acme, json!({}))).await;
    file.put(stack, PHOTO).await;
    acme.get_ok(&file.address()).await
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn roles_are_enforced_for_own_and_others_files(stack: &Stack, acme: &TestSpace) {
    let mut allowed = 0;
    let mut rejected = Vec::new();

    let callers = Caller::all(stack, acme).await;
    let requests = requests();
    let calls = callers
        .iter()
        .flat_map(|caller| requests.iter().map(move |request| (caller, request)));
    let states = [(true, true), (true, false), (false, true), (false, false)];
    for (caller, request) in calls {
        let (line, _, own_role, role) = request;
        for (is_own, is_pending) in states {
            let file = if is_own {
                caller.create(stack, acme, is_pending).await
            } else {
                Some(create(stack, acme, acme, is_pending).await)
            };
            let Some(file) = file else { continue };
            let min_role = if is_own { own_role } else { role };
            let folder = format!("call-{:03}", allowed + rejected.len());
            let response = send(&caller.client, request, &text(&file["id"]), &folder).await;

            let role = caller.role;
            let case = format!("{line} as {role}, own: {is_own}, pending: {is_pending}");
            let response = response.with_context(&case);
            if caller.has(min_role) {
                allowed += 1;
                response.expect_status_of(&[200, 204]);
                continue;
            }
            if caller.has(own_role) {
                assert_eq!(response.json()["message"], OTHERS_FILE, "{case}");
            }
            assert_eq!(response.expect_error(403), json!({}));
            assert_eq!(acme.get_ok(&file_path(&file)).await, file, "{case}");
            rejected.push(folder);
        }
    }
    assert_eq!((allowed, rejected.len()), (184, 116));

    // Rejected calls created no folders.
    for (key, item) in stack.dump().await.items {
        let is_rejected = |folder: &String| item["name"] == **folder;
        let is_folder = key.sort.starts_with(item_keys::FOLDERS);
        assert!(!is_folder || !rejected.iter().any(is_rejected), "{key:?}");
    }
    stack.run_confirm_checks().await;
    stack.run_purges().await;
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn anonymous_and_others_files_require_admin(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let acme = &signer.acme;
    let unsigned = UnsignedConfig::new(stack, acme, "open", json!({})).await;
    let key = acme.role("user").await;
    let other_key = acme.role("user").await;
    let member = Caller::member(stack, acme, "user").await.client;
    let other_member = Caller::member(stack, acme, "user").await.client;
    let admin = acme.role("admin").await;

    for (method, body) in [("PUT", json!({"ref": "x"})), ("DELETE", Value::Null)] {
        let by_signature = signer.send(&signer.query(stack)).await.expect_created();
        let anonymous = unsigned.send().await.expect_created();
        let mut paths = vec![file_path(&by_signature), file_path(&anonymous)];
        for client in [&acme.client, &stack.account(), &other_key, &other_member] {
            let file = acme.upload(PHOTO).by(client).await;
            paths.push(file.path().to_owned());
        }

        for path in &paths {
            let file = acme.get_ok(path).await;
            let is_anonymous = file["uploaded_by"]["id"].is_null();
            let message = if is_anonymous {
                "This file was uploaded without an API key. This action requires the role admin or higher."
            } else {
                OTHERS_FILE
            };
            let change = |client: &Client| client.request(method, path).json(&body);
            for client in [&key, &member] {
                let response = client.send(change(client)).await;
                assert_eq!(response.json()["message"], message);
                assert_eq!(response.expect_error(403), json!({}));
            }
            assert_eq!(acme.get_ok(path).await, file);

            let changed = admin.send(change(&admin)).await;
            changed.expect_status_of(&[200, 204]);
        }
    }

    stack.run_confirm_checks().await;
    stack.run_purges().await;
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn file_ownership_follows_user_or_space_key(stack: &Stack, acme: &TestSpace) {
    let Caller { client, member, .. } = Caller::member(stack, acme, "owner").await;
    let create_key = async |path: &str, body| {
        let key = client.create(path, body).await;
        client.with_key(&text(&key["key"]))
    };
    let second_key = create_key("/account/api-keys", json!({"name": "second"})).await;
    let space_key = json!({"name": "created by the member", "role": "user"});
    let space_key = create_key(&acme.keys_path(), space_key).await;

    let clients = [&client, &second_key, &space_key];
    let mut files = Vec::new();
    for client in clients {
        files.push(acme.upload(PHOTO).by(client).await);
    }

    // Owners may change all files, users only their own.
    let member = member.expect("a member");
    stack.add_member(&member, acme, "user").await;
    let statuses_by_client = [[200, 200, 403], [200, 200, 403], [403, 403, 200]];
    for (client, statuses) in clients.into_iter().zip(statuses_by_client) {
        for (file, status) in files.iter().zip(statuses) {
            let response = client.put(file.path(), json!({"ref": "x"})).await;
            response.expect_status(status);
        }
    }
}
