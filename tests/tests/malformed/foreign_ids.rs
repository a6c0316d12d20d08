//! Every route with the ids of another tenant, wherever an id may stand: as if there were none
//! such.

use reqwest::multipart::Form;
use serde_json::{Value, json};
use tests::{Client, PHOTO, Response, Stack, file, stack_test};

use crate::routes::fixture::{ROUTES, Route, RouteFixture};

/// Ids that are nobody's.
const UNKNOWN_ID: &str = "01JCQZ4XK8V9W7Y6T5S4R3Q2P1";
const NO_KEY: u64 = 999_999;

/// An address of a route by these ids.
fn address(route: &Route, id: &str, key: u64) -> String {
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

/// Whether the query names what the route is about.
fn is_by_query(route: &Route) -> bool {
    route.method == "DELETE" && ["/spaces", "/files"].contains(&route.path)
}

async fn call(client: &Client, route: &Route, address: &str, body: Option<&Value>) -> Response {
    let request = client.request(route.method, address);
    client
        .send(
            body.into_iter()
                .fold(request, reqwest::RequestBuilder::json),
        )
        .await
}

/// Demands that what is foreign is answered as what is not there: by the same status and the same
/// bytes.
#[track_caller]
fn assert_same(foreign: &Response, nowhere: &Response, status: u16) {
    assert_eq!(
        foreign.status, status,
        "{}: {:?}",
        foreign.request, foreign.body
    );
    assert_eq!(
        (foreign.status, &foreign.body),
        (nowhere.status, &nowhere.body),
        "{}",
        foreign.request
    );

    let names = |response: &Response| {
        response
            .headers
            .keys()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(names(foreign), names(nowhere), "{}", foreign.request);
}

/// Two tenants, and clients of the second: a space key, and a user who is an owner of the space.
struct Tenants {
    theirs: RouteFixture,
    ours: RouteFixture,
    clients: [Client; 2],
}

impl Tenants {
    async fn new(stack: &Stack) -> Tenants {
        let theirs = RouteFixture::new(stack, "Theirs").await;
        let ours = RouteFixture::new(stack, "Ours").await;

        let member = stack.user().await;
        stack.add_member(&member, &ours.tenant, "owner").await;

        let clients = [ours.tenant.client.clone(), member.client];

        Tenants {
            theirs,
            ours,
            clients,
        }
    }
}

#[stack_test]
async fn foreign_id_in_path_returns_404(stack: &Stack) {
    let tenants = Tenants::new(stack).await;
    let Tenants {
        theirs,
        ours,
        clients,
    } = &tenants;
    let before = stack.dump().await;

    for route in ROUTES.iter() {
        let names_id = ["{id}", "{fileId}"]
            .iter()
            .any(|id| route.path.contains(id))
            || is_by_query(route);

        for client in clients {
            let body = ours.body(route);
            let ask = async |id: &str, key| {
                call(client, route, &address(route, id, key), body.as_ref()).await
            };
            let nowhere = if names_id {
                Some(ask(UNKNOWN_ID, NO_KEY).await)
            } else {
                None
            };

            if let Some(nowhere) = &nowhere {
                let foreign = [
                    &theirs.tenant.id,
                    &theirs.tenant.id.to_lowercase(),
                    &theirs.file(),
                    &theirs.folder,
                    &theirs.config,
                    &theirs.tenant.handle,
                ];
                for id in foreign {
                    for key in [theirs.key, ours.key, NO_KEY] {
                        assert_same(&ask(id, key).await, nowhere, 404);
                    }
                }
                // Ids of ours where another kind of id should stand.
                let of_another_kind =
                    if route.path.contains("/files") || route.path.contains("{fileId}") {
                        ours.folder.clone()
                    } else {
                        ours.file()
                    };
                assert_same(&ask(&of_another_kind, ours.key).await, nowhere, 404);
            }

            if route.path.contains("{keyId}") {
                // Account keys are an account's, and the keys of a space none of them.
                let is_refused =
                    route.path.starts_with("/account") && client.key == ours.tenant.client.key;
                let nowhere = ask(&ours.tenant.id, NO_KEY).await;
                for key in [theirs.key, theirs.tenant.key_id, 1] {
                    assert_same(
                        &ask(&ours.tenant.id, key).await,
                        &nowhere,
                        if is_rejected { 403 } else { 404 },
                    );
                }
            }
        }
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "foreign ids in addresses");
}

#[stack_test]
async fn foreign_id_in_body_returns_422(stack: &Stack) {
    let tenants = Tenants::new(stack).await;
    let Tenants {
        theirs,
        ours,
        clients,
    } = &tenants;
    let config = |fixture: &RouteFixture| {
        let space = format!("/spaces/{}", fixture.tenant.id);
        let client = fixture.tenant.client.clone();
        async move {
            client.get(&space).await.expect_ok()["active_upload_config_id"]
                .as_str()
                .expect("an id")
                .to_owned()
        }
    };
    let (their_config, our_config) = (config(theirs).await, config(ours).await);
    let before = stack.dump().await;
    let put = async |client: &Client, path: &str, body: Value| {
        client.send(client.request("PUT", path).json(&body)).await
    };
    let our_space = format!("/spaces/{}", ours.tenant.id);

    for client in clients {
        let choose = async |id: &str| {
            put(
                client,
                &our_space,
                json!({"name": "Ours", "active_upload_config_id": id}),
            )
            .await
        };
        let nowhere = choose(UNKNOWN_ID).await;

        for id in [
            &their_config,
            &theirs.tenant.id,
            &theirs.file(),
            &ours.tenant.id,
        ] {
            assert_same(&choose(id).await, &nowhere, 422);
        }
    }

    // The first is a space key's, which has no account.
    let choose =
        async |id: &str| put(&clients[1], "/account", json!({"default_space_id": id})).await;
    let nowhere = choose(UNKNOWN_ID).await;

    for id in [&theirs.tenant.id, &theirs.file(), &our_config] {
        assert_same(&choose(id).await, &nowhere, 422);
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
        theirs,
        ours,
        clients,
    } = &tenants;
    let their_space = theirs
        .tenant
        .client
        .get(&format!("/spaces/{}", theirs.tenant.id))
        .await
        .expect_ok();
    let their_config = their_space["active_upload_config_id"]
        .as_str()
        .expect("an id");
    let before = stack.dump().await;

    for client in clients {
        let upload = async |space: &str, field: &'static str, value: &str| {
            let form = Form::new()
                .text("space", space.to_owned())
                .text(field, value.to_owned());
            client
                .upload(form.part("file", file("a.jpg", "image/jpeg", PHOTO)))
                .await
        };
        let nowhere = upload("zzzzzz", "ref", "x").await;

        for space in [&theirs.tenant.handle, &theirs.tenant.id] {
            assert_same(&upload(space, "ref", "x").await, &nowhere, 422);
        }

        // Nor does a config of theirs say whether their space has it.
        assert_same(
            &upload(&theirs.tenant.handle, "upload_config", their_config).await,
            &nowhere,
            422,
        );

        for field in ["upload_config", "folder_id"] {
            let nowhere = upload(&ours.tenant.handle, field, UNKNOWN_ID).await;
            for id in [
                their_config,
                theirs.tenant.id.as_str(),
                &theirs.file(),
                &theirs.folder,
            ] {
                assert_same(&upload(&ours.tenant.handle, field, id).await, &nowhere, 422);
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
        theirs,
        ours,
        clients,
    } = &tenants;
    let file = theirs.file();
    let foreign = [
        theirs.tenant.id.as_str(),
        &theirs.tenant.handle,
        &file,
        &theirs.folder,
        "Theirs",
    ];

    for route in ROUTES
        .iter()
        .filter(|route| route.method == "GET" && !route.path.contains("/files/"))
    {
        for client in clients {
            let response = call(
                client,
                route,
                &address(route, &ours.tenant.id, NO_KEY),
                None,
            )
            .await;
            let shown = String::from_utf8_lossy(&response.body);
            assert!(
                !foreign.iter().any(|name| shown.contains(name)),
                "{}: {shown}",
                response.request
            );
        }
    }
}
