//! Every route that takes a key, as its endpoint declares it, and records that calls of it succeed
//! with.

use std::sync::{
    LazyLock, Mutex,
    atomic::{AtomicU32, Ordering},
};

use http_api::describe::ValueForms;
use serde_json::{Value, json};
use tests::{Client, PHOTO, Response, Stack, TestSpace, form, text};

/// The callers that a route accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Requirement {
    AnyKey,
    AccountKey,
    /// A space key or a member with at least this role.
    Role(&'static str),
    /// A space key with at least this role, or any account key, whose response is filtered.
    KeyRole(&'static str),
}
use Requirement::{AccountKey, AnyKey, KeyRole, Role};

/// A route that takes a key.
pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) requirement: Requirement,
    /// Status of the response to callers that the route accepts.
    pub(crate) success: u16,
    /// Schema of the JSON body, if the route takes one.
    pub(crate) body: Option<Value>,
}

/// Roles, in ascending order.
pub(crate) const ROLES: [&str; 4] = ["viewer", "user", "admin", "owner"];

/// Routes whose declared role suffices only for files of the caller. The file of the fixture
/// belongs to another caller.
const OWN_FILE_ROUTES: [(&str, &str); 7] = [
    ("PUT", "/files"),
    ("DELETE", "/files"),
    ("PUT", "/files/{id}"),
    ("DELETE", "/files/{id}"),
    ("PUT", "/files/{id}/content"),
    ("POST", "/files/{id}/restore"),
    ("POST", "/upload/confirm/{fileId}"),
];
/// Routes that compare the role in the space of each record.
const ROUTES_OF_ALL_SPACES: [&str; 2] = ["/upload-configs/all", "/files/batch"];

/// Requests that fail: the space has files, the file is not in the trash, the upload config is
/// active, the folder has a subfolder, and the account key does not exist.
const FAILING_ROUTES: [(&str, &str, u16); 5] = [
    ("DELETE", "/spaces", 409),
    ("POST", "/files/{id}/restore", 409),
    ("DELETE", "/upload-configs", 409),
    ("DELETE", "/folders/{id}", 409),
    ("DELETE", "/account/api-keys/{keyId}", 404),
];

/// Every route that takes a key, as its endpoint declares it.
pub(crate) static ROUTES: LazyLock<Vec<Route>> = LazyLock::new(|| {
    let operations = openapi::api(ValueForms::Accepted).operations;
    operations
        .iter()
        .filter(|operation| takes_key(&operation.description))
        .map(route)
        .collect()
});

pub(crate) fn takes_key(description: &Value) -> bool {
    let schemes = description["security"].as_array().into_iter().flatten();
    schemes
        .into_iter()
        .any(|scheme| scheme.get("bearer").is_some())
}

fn route(operation: &openapi::Operation) -> Route {
    let description = &operation.description;
    let method = operation.endpoint.method;
    let path = operation.endpoint.path;

    let failure = FAILING_ROUTES
        .iter()
        .find(|failing| (failing.0, failing.1) == (method, path))
        .map(|failing| failing.2);
    let responses = description["responses"].as_object().expect("responses");
    let declared_status = responses
        .keys()
        .find(|status| status.starts_with('2'))
        .expect("a successful response");
    let body = description["requestBody"]["content"]["application/json"]["schema"].clone();

    Route {
        method,
        path,
        requirement: requirement(operation),
        success: failure.unwrap_or_else(|| declared_status.parse().expect("a status")),
        body: Some(body).filter(|body| !body.is_null()),
    }
}

fn requirement(operation: &openapi::Operation) -> Requirement {
    let description = &operation.description;
    let route = (operation.endpoint.method, operation.endpoint.path);
    let declared_role = description["x-required-role"].as_str();
    let role = declared_role.map(|declared| {
        let mut roles = ROLES.into_iter();
        roles.find(|role| *role == declared).expect("a role")
    });

    match role {
        _ if description["x-requires-account-key"] == true => AccountKey,
        None => AnyKey,
        Some(role) if ROUTES_OF_ALL_SPACES.contains(&operation.endpoint.path) => KeyRole(role),
        Some(_) if OWN_FILE_ROUTES.contains(&route) => Role("admin"),
        Some(role) => Role(role),
    }
}

/// Reference of the file.
const REFERENCE: &str = "photo";

/// A space with a file, a folder with a subfolder, a key that may be revoked, and a webhook
/// message.
pub(crate) struct RouteFixture {
    pub(crate) tenant: TestSpace,
    file: Mutex<String>,
    /// Id of a folder with a subfolder.
    pub(crate) folder: String,
    /// Id of the active upload config.
    pub(crate) config: String,
    pub(crate) key: u64,
    /// Id of a webhook message.
    pub(crate) webhook_message: String,
    /// Number of created bodies, to create unique names.
    calls: AtomicU32,
}

impl RouteFixture {
    pub(crate) async fn new(stack: &Stack, name: &str) -> RouteFixture {
        let tenant = stack.space(name).await;
        let outer = tenant.folder("outer").await;
        tenant.folder("inner").inside(&outer).await;
        let file = upload(&tenant).await;

        let key = tenant.create_key("spare").await.id;
        let webhook_message = stack.add_webhook_message(&tenant, &file).await;
        let space = tenant.get_ok(&tenant.path()).await;

        RouteFixture {
            file: Mutex::new(file),
            folder: outer.id,
            config: text(&space["active_upload_config_id"]),
            key,
            webhook_message,
            calls: AtomicU32::new(0),
            tenant,
        }
    }

    /// Returns the id of the file.
    pub(crate) fn file(&self) -> String {
        self.file.lock().expect("no thread panicked").clone()
    }

    /// Replaces a deleted file.
    pub(crate) async fn replace_file(&self) {
        let file = upload(&self.tenant).await;
        *self.file.lock().expect("no thread panicked") = file;
    }

    /// Returns the value of `{id}` in the path of a route.
    pub(crate) fn id(&self, route: &Route) -> String {
        match route.path.split('/').nth(1) {
            Some("files") => self.file(),
            Some("folders") => self.folder.clone(),
            Some("upload-configs") => self.config.clone(),
            _ => self.tenant.id.clone(),
        }
    }

    /// Returns the path and the query of a route.
    pub(crate) fn path(&self, route: &Route) -> String {
        let id = self.id(route);
        let path = route
            .path
            .replace("{id}", &id)
            .replace("{keyId}", &self.key.to_string())
            .replace("{deliveryId}", &self.webhook_message)
            .replace("{fileId}", &self.file());

        match (route.method, route.path) {
            ("DELETE", "/spaces" | "/files") => format!("{path}?id={id}"),
            ("GET", "/files/by-ref") => {
                format!("{path}?space_id={}&ref={REFERENCE}", self.tenant.id)
            }
            ("GET", "/upload-configs" | "/files" | "/folders") => {
                format!("{path}?space_id={}", self.tenant.id)
            }
            _ => path,
        }
    }

    /// Returns the JSON body of a route, `None` if it takes none. Names are unique.
    pub(crate) fn body(&self, route: &Route) -> Option<Value> {
        let number = self.calls.fetch_add(1, Ordering::Relaxed);
        let tenant = &self.tenant;

        Some(match (route.method, route.path) {
            (
                _,
                "/upload"
                | "/files/{id}/content"
                | "/upload/confirm/{fileId}"
                | "/files/{id}/restore"
                | "/spaces/{id}/webhook-secret/rotate"
                | "/spaces/{id}/webhook-deliveries/{deliveryId}/redeliver",
            ) => {
                return None;
            }
            (_, "/spaces/{id}/signing-secret/rotate") => json!({"immediate": false}),
            (_, "/upload/generate-signed-url") => json!({"upload_config_id": self.config}),
            (_, "/upload/presign") => json!({
                "space": tenant.handle, "filename": "photo.jpg", "content_type": "image/jpeg", "size": 5,
            }),
            ("POST", "/upload-configs") => {
                json!({"space_id": tenant.id, "name": format!("config-{number}")})
            }
            ("POST", "/upload-configs/update") => {
                json!({"id": self.config, "description": "changed"})
            }
            ("DELETE", "/upload-configs") => json!({"id": self.config}),
            ("POST", "/files/urls") => json!({"file_ids": [self.file()]}),
            ("POST", "/files/batch") => {
                json!({"ids": [self.file()], "operation": "update", "add_tags": ["swept"]})
            }
            ("POST", "/files/{id}/signed-url") => json!({"expiration_minutes": 5}),
            ("PUT", "/files") => json!({"id": self.file(), "tags": ["swept"]}),
            ("PUT", "/files/{id}") => json!({"tags": ["swept"]}),
            ("POST", "/folders") => {
                json!({"space_id": tenant.id, "name": format!("folder {number}")})
            }
            ("POST", _) | ("PUT", "/spaces/{id}" | "/folders/{id}") => {
                json!({"name": format!("name {number} of {}", tenant.handle)})
            }
            ("PUT", path) if path.ends_with("/access-control") => {
                json!({"access_control": {"public_read": true}})
            }
            ("PUT", path) if path.ends_with("/security") => {
                json!({"security": {"watermark": {"opacity": 0.1}}})
            }
            ("PUT", "/account") => json!({"default_space_id": tenant.id}),
            _ => return None,
        })
    }

    pub(crate) async fn call(&self, route: &Route, client: &Client) -> Response {
        let request = client.request(route.method, &self.path(route));
        let request = match self.body(route) {
            Some(body) => request.json(&body),
            None if ["/upload", "/files/{id}/content"].contains(&route.path) => {
                request.multipart(form(&self.tenant.handle, "photo.jpg", "image/jpeg", PHOTO))
            }
            None => request,
        };

        client.send(request).await
    }
}

/// Uploads a file with the reference [`REFERENCE`], and returns its id.
async fn upload(tenant: &TestSpace) -> String {
    tenant.upload(PHOTO).with_ref(REFERENCE).await.id
}
