//! Ids of another tenant return the same responses as unknown ids, in paths, bodies and forms.

use serde_json::{Value, json};
use tests::{Client, PHOTO, Response, Stack, UNKNOWN_ID, form, stack_test};

use crate::routes::fixture::{ROUTES, Route, RouteFixture};

const NO_KEY: u64 = 999_999;

/// Returns the path of a route with these ids.
fn path_with(route: &Route, id: &str, key: u64) -> String {
    let path = route
        .path
        .replace("{id}", id)
        .replace("{keyId}", &key.to_string());
    let path = path.replace("{fileId}", id);

    if is_by_query(route) {
        format!("{path}?id={id}&force=true")
    } else {
        path
    }
}

/// Returns whether the query of a route names its resource.
fn is_by_query(route: &Route) -> bool {
    route.method == "DELETE" && ["/spaces", "/files"].contains(&route.path)
}

async fn call(client: &Client, route: &Route, path: &str, body: Option<&Value>) -> Response {
    let request = client.request(route.method, path);
    let request = match body {
        Some(body) => request.json(body),
        None => request,
    };
    client.send(request).await
}

/// Asserts that the response for a foreign id has the same status, body and header names as the
/// response for an id that does not exist.
#[track_caller]
fn assert_same(foreign: &Response, missing: &Response, status: u16) {
    foreign.clone().expect_status(status);
    missing.clone().expect_status(status);
    assert_eq!(foreign.body, missing.body, "{}", foreign.request);

    let names = |response: &Response| -> Vec<String> {
        let names = response.headers.keys();
        names.map(ToString::to_string).collect()
    };
    assert_eq!(names(foreign), names(missing), "{}", foreign.request);
}

/// A foreign space, the own space of the clients, and the clients: a space key and an account key
/// of an owner.
struct Tenants {
    foreign: RouteFixture,
    own: RouteFixture,
    clients: [Client; 2],
}

impl Tenants {
    async fn new(stack: &Stack) -> Tenants {
        let foreign = RouteFixture::new(stack, "Foreign").await;
        let own = RouteFixture::new(stack, "Own").await;

        let member = stack.user().await;
        stack.add_member(&member, &own.tenant, "owner").await;

        let clients = [own.tenant.client.clone(), member.client];
        Tenants {
            foreign,
            own,
            clients,
        }
    }

    fn parts(&self) -> (&RouteFixture, &RouteFixture, &[Client; 2]) {
        (&self.foreign, &self.own, &self.clients)
    }
}

#[stack_test]
async fn foreign_id_in_path_returns_404_to_a_key_with_the_lowest_role(stack: &Stack) {
    let tenants = Tenants::new(stack).await;
    let own = &tenants.own.tenant;
    let viewer = own.role("viewer").await;
    let names_id = |route: &&Route| route.path.contains("{id}") && !is_by_query(route);

    for route in ROUTES.iter().filter(names_id) {
        let body = tenants.own.body(route);
        let foreign = &tenants.foreign;
        let ids = [
            &foreign.tenant.id,
            &foreign.file(),
            &foreign.folder,
            &foreign.config,
        ];
        for id in ids {
            let path = path_with(route, id, foreign.key);
            let response = call(&viewer, route, &path, body.as_ref()).await;
            response.expect_error(404);
        }
    }
}

#[stack_test]
async fn foreign_id_in_path_returns_404(stack: &Stack) {
    let tenants = Tenants::new(stack).await;
    let (foreign, own, clients) = tenants.parts();
    let before = stack.dump().await;

    for route in ROUTES.iter() {
        let mut ids = ["{id}", "{fileId}"].into_iter();
        let names_id = ids.any(|id| route.path.contains(id)) || is_by_query(route);

        for client in clients {
            let body = own.body(route);
            let request = async |id: &str, key| {
                call(client, route, &path_with(route, id, key), body.as_ref()).await
            };
            if names_id {
                let missing = request(UNKNOWN_ID, NO_KEY).await;
                let foreign_ids = [
                    &foreign.tenant.id,
                    &foreign.tenant.id.to_lowercase(),
                    &foreign.file(),
                    &foreign.folder,
                    &foreign.config,
                    &foreign.tenant.handle,
                ];
                for id in foreign_ids {
                    for key in [foreign.key, own.key, NO_KEY] {
                        assert_same(&request(id, key).await, &missing, 404);
                    }
                }
                // Own ids of another kind of record.
                let takes_file = ["/files", "{fileId}"].map(|part| route.path.contains(part));
                let other_kind = if takes_file.contains(&true) {
                    own.folder.clone()
                } else {
                    own.file()
                };
                assert_same(&request(&other_kind, own.key).await, &missing, 404);
            }

            if route.path.contains("{keyId}") {
                // Space keys cannot access account keys.
                let is_rejected =
                    route.path.starts_with("/account") && client.key == own.tenant.client.key;
                let status = if is_rejected { 403 } else { 404 };
                let missing = request(&own.tenant.id, NO_KEY).await;
                for key in [foreign.key, foreign.tenant.key_id, 1] {
                    assert_same(&request(&own.tenant.id, key).await, &missing, status);
                }
            }
        }
    }

    stack
        .assert_unchanged(&before, "foreign ids in paths")
        .await;
}

#[stack_test]
async fn foreign_id_in_body_returns_422(stack: &Stack) {
    let tenants = Tenants::new(stack).await;
    let (foreign, own, clients) = tenants.parts();
    let before = stack.dump().await;

    for client in clients {
        let choose = async |id: &str| {
            let body = json!({"name": "Own", "active_upload_config_id": id});
            client.put(&own.tenant.path(), body).await
        };
        let missing = choose(UNKNOWN_ID).await;
        for id in [
            &foreign.config,
            &foreign.tenant.id,
            &foreign.file(),
            &own.tenant.id,
        ] {
            assert_same(&choose(id).await, &missing, 422);
        }
    }

    // Only the second client has an account.
    let choose = |id: &str| clients[1].put("/account", json!({ "default_space_id": id }));
    let missing = choose(UNKNOWN_ID).await;
    for id in [&foreign.tenant.id, &foreign.file(), &own.config] {
        assert_same(&choose(id).await, &missing, 422);
    }

    stack
        .assert_unchanged(&before, "foreign ids in bodies")
        .await;
}

#[stack_test]
async fn foreign_id_in_form_returns_422(stack: &Stack) {
    let tenants = Tenants::new(stack).await;
    let (foreign, own, clients) = tenants.parts();
    let before = stack.dump().await;

    for client in clients {
        let upload = async |space: &str, field: &'static str, value: &str| {
            let form = form(space, "a.jpg", "image/jpeg", PHOTO);
            client.upload_form(form.text(field, value.to_owned())).await
        };
        let missing = upload("zzzzzz", "ref", "x").await;

        for space in [&foreign.tenant.handle, &foreign.tenant.id] {
            assert_same(&upload(space, "ref", "x").await, &missing, 422);
        }

        // A config of the foreign space does not reveal that the space exists.
        let with_config = upload(&foreign.tenant.handle, "upload_config", &foreign.config);
        assert_same(&with_config.await, &missing, 422);

        for field in ["upload_config", "folder_id"] {
            let missing = upload(&own.tenant.handle, field, UNKNOWN_ID).await;
            for id in [
                &foreign.config,
                &foreign.tenant.id,
                &foreign.file(),
                &foreign.folder,
            ] {
                assert_same(&upload(&own.tenant.handle, field, id).await, &missing, 422);
            }
        }
    }

    stack
        .assert_unchanged(&before, "foreign ids in forms")
        .await;
}

#[stack_test]
async fn lists_contain_no_foreign_records(stack: &Stack) {
    let tenants = Tenants::new(stack).await;
    let (foreign, own, clients) = tenants.parts();
    let file = foreign.file();
    let foreign_names = [
        foreign.tenant.id.as_str(),
        &foreign.tenant.handle,
        &file,
        &foreign.folder,
        "Foreign",
    ];

    let is_list = |route: &&Route| route.method == "GET" && !route.path.contains("/files/");
    for route in ROUTES.iter().filter(is_list) {
        for client in clients {
            let path = path_with(route, &own.tenant.id, NO_KEY);
            let response = call(client, route, &path, None).await;
            let body = String::from_utf8_lossy(&response.body);
            let is_named = foreign_names.iter().any(|name| body.contains(name));
            assert!(!is_named, "{path}: {body}");
        }
    }
}
