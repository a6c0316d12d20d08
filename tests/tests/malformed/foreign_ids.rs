//! Ids of another tenant return the same responses as unknown ids, in paths, bodies and forms.

use reqwest::multipart::Form;
use serde_json::{Value, json};
use tests::{Client, PHOTO, Response, Stack, UNKNOWN_ID, file, stack_test};

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
    client
        .send(
            body.into_iter()
                .fold(request, reqwest::RequestBuilder::json),
        )
        .await
}

/// Asserts that the response for a foreign id has the same status, body and header names as the
/// response for an id that does not exist.
#[track_caller]
fn assert_same(foreign: &Response, missing: &Response, status: u16) {
    foreign.clone().expect_status(status);
    missing.clone().expect_status(status);
    assert_eq!(foreign.body, missing.body, "{}", foreign.request);

    let names = |response: &Response| {
        response
            .headers
            .keys()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
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
    let Tenants {
        foreign,
        own,
        clients,
    } = &tenants;
    let before = stack.dump().await;

    for route in ROUTES.iter() {
        let names_id = ["{id}", "{fileId}"]
            .iter()
            .any(|id| route.path.contains(id))
            || is_by_query(route);

        for client in clients {
            let body = own.body(route);
            let request = async |id: &str, key| {
                call(client, route, &path_with(route, id, key), body.as_ref()).await
            };
            let missing = if names_id {
                Some(request(UNKNOWN_ID, NO_KEY).await)
            } else {
                None
            };

            if let Some(missing) = &missing {
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
                        assert_same(&request(id, key).await, missing, 404);
                    }
                }
                // Own ids of another kind of record.
                let other_kind = if route.path.contains("/files") || route.path.contains("{fileId}")
                {
                    own.folder.clone()
                } else {
                    own.file()
                };
                assert_same(&request(&other_kind, own.key).await, missing, 404);
            }

            if route.path.contains("{keyId}") {
                // Space keys cannot access account keys.
                let is_rejected =
                    route.path.starts_with("/account") && client.key == own.tenant.client.key;
                let missing = request(&own.tenant.id, NO_KEY).await;
                for key in [foreign.key, foreign.tenant.key_id, 1] {
                    assert_same(
                        &request(&own.tenant.id, key).await,
                        &missing,
                        if is_rejected { 403 } else { 404 },
                    );
                }
            }
        }
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "foreign ids in paths");
}

#[stack_test]
async fn foreign_id_in_body_returns_422(stack: &Stack) {
    let tenants = Tenants::new(stack).await;
    let Tenants {
        foreign,
        own,
        clients,
    } = &tenants;
    let config = |fixture: &RouteFixture| {
        let space = fixture.tenant.path();
        let client = fixture.tenant.client.clone();
        async move {
            client.get_ok(&space).await["active_upload_config_id"]
                .as_str()
                .expect("an id")
                .to_owned()
        }
    };
    let foreign_config = config(foreign).await;
    let own_config = config(own).await;
    let before = stack.dump().await;
    let put = async |client: &Client, path: &str, body: Value| {
        client.send(client.request("PUT", path).json(&body)).await
    };
    let own_space = own.tenant.path();

    for client in clients {
        let choose = async |id: &str| {
            put(
                client,
                &own_space,
                json!({"name": "Own", "active_upload_config_id": id}),
            )
            .await
        };
        let missing = choose(UNKNOWN_ID).await;

        for id in [
            &foreign_config,
            &foreign.tenant.id,
            &foreign.file(),
            &own.tenant.id,
        ] {
            assert_same(&choose(id).await, &missing, 422);
        }
    }

    // Only the second client has an account.
    let choose =
        async |id: &str| put(&clients[1], "/account", json!({"default_space_id": id})).await;
    let missing = choose(UNKNOWN_ID).await;

    for id in [&foreign.tenant.id, &foreign.file(), &own_config] {
        assert_same(&choose(id).await, &missing, 422);
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "foreign ids in bodies");
}

#[stack_test]
async fn foreign_id_in_form_returns_422(stack: &Stack) {
    let tenants = Tenants::new(stack).await;
    let Tenants {
        foreign,
        own,
        clients,
    } = &tenants;
    let foreign_space = foreign.tenant.get_ok(&foreign.tenant.path()).await;
    let foreign_config = foreign_space["active_upload_config_id"]
        .as_str()
        .expect("an id");
    let before = stack.dump().await;

    for client in clients {
        let upload = async |space: &str, field: &'static str, value: &str| {
            let form = Form::new()
                .text("space", space.to_owned())
                .text(field, value.to_owned());
            client
                .upload_form(form.part("file", file("a.jpg", "image/jpeg", PHOTO)))
                .await
        };
        let missing = upload("zzzzzz", "ref", "x").await;

        for space in [&foreign.tenant.handle, &foreign.tenant.id] {
            assert_same(&upload(space, "ref", "x").await, &missing, 422);
        }

        // A config of the foreign space does not reveal that the space exists.
        assert_same(
            &upload(&foreign.tenant.handle, "upload_config", foreign_config).await,
            &missing,
            422,
        );

        for field in ["upload_config", "folder_id"] {
            let missing = upload(&own.tenant.handle, field, UNKNOWN_ID).await;
            for id in [
                foreign_config,
                foreign.tenant.id.as_str(),
                &foreign.file(),
                &foreign.folder,
            ] {
                assert_same(&upload(&own.tenant.handle, field, id).await, &missing, 422);
            }
        }
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "foreign ids in forms");
}

#[stack_test]
async fn lists_contain_no_foreign_records(stack: &Stack) {
    let tenants = Tenants::new(stack).await;
    let Tenants {
        foreign,
        own,
        clients,
    } = &tenants;
    let file = foreign.file();
    let foreign_names = [
        foreign.tenant.id.as_str(),
        &foreign.tenant.handle,
        &file,
        &foreign.folder,
        "Foreign",
    ];

    for route in ROUTES
        .iter()
        .filter(|route| route.method == "GET" && !route.path.contains("/files/"))
    {
        for client in clients {
            let response = call(
                client,
                route,
                &path_with(route, &own.tenant.id, NO_KEY),
                None,
            )
            .await;
            let body = String::from_utf8_lossy(&response.body);
            assert!(
                !foreign_names.iter().any(|name| body.contains(name)),
                "{}: {body}",
                response.request
            );
        }
    }
}
