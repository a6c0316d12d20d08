//! Every route that takes a key rejects callers without access, and accepts all others.

use http_api::describe::ValueForms;
use serde_json::{Value, json};
use tests::{Client, Response, Stack, stack_test};

use super::fixture::{
    ROLES, ROUTES,
    Requirement::{self, AccountKey, AnyKey, KeyRole, Role},
    Route, RouteFixture, takes_key,
};

/// The requirement of each route, for a file of another caller.
const REQUIREMENTS: [(Requirement, &str); 7] = [
    (AnyKey, "GET /account, GET /spaces, POST /files/urls"),
    (
        AccountKey,
        "DELETE /account/api-keys/{keyId}, GET /account/api-keys, POST /account/api-keys, POST /spaces, PUT /account",
    ),
    (
        Role("viewer"),
        "GET /files, GET /files/by-ref, GET /files/{id}, GET /folders, GET /folders/{id}, GET /spaces/{id}, \
         GET /spaces/{id}/usage, POST /files/{id}/signed-url",
    ),
    (
        Role("user"),
        "GET /upload-configs, GET /upload-configs/{id}, POST /upload, POST /upload/generate-signed-url, \
         POST /upload/presign",
    ),
    (
        KeyRole("user"),
        "GET /upload-configs/all, POST /files/batch",
    ),
    (
        Role("admin"),
        "DELETE /files, DELETE /files/{id}, DELETE /files/{id}/access-control, DELETE /folders/{id}, \
         DELETE /folders/{id}/access-control, DELETE /folders/{id}/security, DELETE /upload-configs, \
         GET /spaces/{id}/webhook-deliveries, GET /spaces/{id}/webhook-deliveries/{deliveryId}, POST /files/{id}/restore, POST /folders, \
         POST /spaces/{id}/webhook-deliveries/{deliveryId}/redeliver, POST /upload-configs, POST /upload-configs/update, \
         POST /upload/confirm/{fileId}, PUT /files, PUT /files/{id}, PUT /files/{id}/access-control, PUT /files/{id}/content, PUT /folders/{id}, \
         PUT /folders/{id}/access-control, PUT /folders/{id}/security",
    ),
    (
        Role("owner"),
        "DELETE /spaces, DELETE /spaces/{id}/access-control, DELETE /spaces/{id}/api-keys/{keyId}, \
         DELETE /spaces/{id}/security, GET /spaces/{id}/api-keys, GET /spaces/{id}/signing-secret, \
         GET /spaces/{id}/webhook-secret, POST /spaces/{id}/api-keys, POST /spaces/{id}/signing-secret/rotate, \
         POST /spaces/{id}/webhook-secret/rotate, PUT /spaces/{id}, PUT /spaces/{id}/access-control, \
         PUT /spaces/{id}/security",
    ),
];

/// The other tests call each route with the role that its endpoint declares. This one states the
/// roles themselves.
#[test]
fn endpoints_declare_the_intended_roles() {
    for (requirement, expected) in REQUIREMENTS {
        let routes = ROUTES
            .iter()
            .filter(|route| route.requirement == requirement);
        let mut declared: Vec<String> = routes
            .map(|route| format!("{} {}", route.method, route.path))
            .collect();
        declared.sort_unstable();
        assert_eq!(declared.join(", "), expected, "{requirement:?}");
    }
}

#[test]
fn only_signed_and_unsigned_uploads_need_no_key() {
    let operations = openapi::api(ValueForms::Accepted).operations;
    let without_key = operations
        .iter()
        .filter(|operation| !takes_key(&operation.description));
    let mut paths: Vec<&str> = without_key
        .map(|operation| operation.endpoint.path)
        .collect();
    paths.sort_unstable();

    assert_eq!(
        paths,
        [
            "/upload/signed",
            "/upload/signed/presign",
            "/upload/unsigned/{spaceHandle}/{configName}",
            "/upload/unsigned/{spaceHandle}/{configName}/presign",
        ]
    );
}

/// Returns a client with a revoked owner key of the fixture's space.
async fn revoked_client(fixture: &RouteFixture) -> Client {
    let revoked = fixture.tenant.create_key("revoked").await;
    fixture.tenant.delete_ok(revoked.path()).await;
    revoked.client
}

#[stack_test]
async fn invalid_key_returns_401_on_every_route(stack: &Stack) {
    let fixture = RouteFixture::new(stack, "Acme").await;
    let unknown = domain::keys::KeySecret::new(&stack.unrestricted_context().env);
    let zero_key = "sk_00000000000000000000000000000000000000002kaqcB";
    let clients = [
        stack.anonymous.clone(),
        stack.anonymous.with_key("nonsense"),
        stack.anonymous.with_key(zero_key),
        stack.anonymous.with_key(unknown.reveal()),
        revoked_client(&fixture).await,
    ];

    for route in ROUTES.iter() {
        for client in &clients {
            let response = fixture.call(route, client).await;
            response.expect_header("x-amzn-remapped-www-authenticate", "Bearer");
            response.expect_error(401);
        }
    }
}

#[stack_test]
async fn foreign_space_returns_404_on_every_route(stack: &Stack) {
    let fixture = RouteFixture::new(stack, "Acme").await;
    let other = stack.space("Other").await;
    let user_without_space = stack.user().await;
    let other_owner = stack.user().await;
    stack.add_member(&other_owner, &other, "owner").await;

    for route in ROUTES.iter() {
        let response = fixture.call(route, &other.client).await;
        if route.requirement == AccountKey {
            assert_eq!(response.expect_error(403), json!({}));
        } else {
            assert_foreign_space_error(&fixture, route, response);
        }

        for user in [&user_without_space, &other_owner] {
            let response = fixture.call(route, &user.client).await;
            assert_foreign_space_error(&fixture, route, response);
        }
    }
}

/// Asserts that a route reveals and changes nothing of a space that the caller cannot access. A
/// space in the body is an invalid field, a space in the path does not exist.
#[track_caller]
fn assert_foreign_space_error(fixture: &RouteFixture, route: &Route, response: Response) {
    let invalid_config = json!({"upload_config_id": ["The selected upload config id is invalid."]});
    let invalid_space_id = json!({"space_id": ["The selected space id is invalid."]});
    let invalid_default =
        json!({"default_space_id": ["The selected default space id is invalid."]});
    let assert_errors = |expected: Value| {
        assert_eq!(response.clone().expect_error(422), expected);
    };

    match (route.requirement, route.path) {
        (_, "/upload/generate-signed-url") => assert_errors(invalid_config),
        (_, "/upload" | "/upload/presign") => {
            let errors = response.expect_error(422);
            assert_eq!(errors["space"], json!(["The selected space is invalid."]));
        }
        (_, "/upload-configs" | "/folders") if route.method == "POST" => {
            assert_errors(invalid_space_id);
        }
        (Role(_), _) => assert_eq!(response.expect_error(404), json!({})),
        (AnyKey | KeyRole(_), _) => {
            let body = response.expect_status(200).body.to_vec();
            let body = String::from_utf8(body).expect("JSON");
            assert!(!body.contains(&fixture.tenant.id), "{body}");
        }
        (AccountKey, "/account") => assert_errors(invalid_default),
        (AccountKey, _) => {
            response.expect_status(route.success);
        }
    }
}

#[stack_test]
async fn each_route_enforces_its_minimum_role(stack: &Stack) {
    let fixture = RouteFixture::new(stack, "Acme").await;
    let other = stack.space("Other").await;

    for (index, role) in ROLES.iter().enumerate() {
        let key = fixture.tenant.role(role).await;
        let member = stack.user().await;
        stack.add_member(&member, &fixture.tenant, role).await;
        stack.add_member(&member, &other, "owner").await;
        let is_sufficient = |min_role| ROLES[..=index].contains(&min_role);

        // Rejected calls are first, since they must change nothing.
        for is_allowed in [false, true] {
            let before = stack.dump().await;
            for route in ROUTES.iter() {
                let is_key_allowed = match route.requirement {
                    AnyKey => true,
                    AccountKey => false,
                    Role(min_role) | KeyRole(min_role) => is_sufficient(min_role),
                };
                let is_member_allowed = match route.requirement {
                    AnyKey | AccountKey | KeyRole(_) => true,
                    Role(min_role) => is_sufficient(min_role),
                };

                if is_key_allowed == is_allowed {
                    assert_allowed(&fixture, route, &key, is_allowed).await;
                }
                if is_member_allowed == is_allowed {
                    assert_allowed(&fixture, route, &member.client, is_allowed).await;
                }
            }
            if !is_allowed {
                stack.assert_unchanged(&before, role).await;
            }
        }
    }

    for route in ROUTES.iter() {
        assert_allowed(&fixture, route, &stack.account(), true).await;
    }
    stack.run_confirm_checks().await;
}

/// Calls a route, and asserts that it succeeds or returns 403. Replaces the file if the route
/// deleted it.
async fn assert_allowed(fixture: &RouteFixture, route: &Route, client: &Client, is_allowed: bool) {
    let response = fixture.call(route, client).await;
    if !is_allowed {
        response.expect_error(403);
        return;
    }

    response.expect_status(route.success);
    let is_file_deleted = route.method == "DELETE" && route.success == 204;
    if is_file_deleted && route.path.starts_with("/files") {
        fixture.replace_file().await;
    }
}
