//! Every route against everyone who must not pass, and everyone who must, as the endpoints declare
//! it.

use std::sync::{
    LazyLock, Mutex,
    atomic::{AtomicU32, Ordering},
};

use serde_json::{Value, json};
use tests::{Client, PHOTO, Response, Stack, Tenant, form, stack_test};

/// Who may call a route.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Who {
    /// Callers with a key.
    Anyone,
    /// Callers with an account key.
    Account,
    /// Callers with this role in the space, or a higher one.
    Role(&'static str),
    /// A space key of at least this role, and any account key, which sees what its user may.
    KeyRole(&'static str),
}
use Who::{Account, Anyone, KeyRole, Role};

/// A route that takes a key.
pub(crate) struct Row {
    pub(crate) method: &'static str,
    /// Path below `/api/v1`.
    pub(crate) path: &'static str,
    who: Who,
    /// Status of the response to callers who may.
    success: u16,
    /// Schema of the JSON body, if the route takes one.
    pub(crate) body: Option<Value>,
}

const ROLES: [&str; 4] = ["viewer", "user", "admin", "owner"];

/// Routes on which the declared role suffices for a file of one's own alone: the file of the sweep
/// is another one's.
const OWN_FILES: [(&str, &str); 5] = [
    ("PUT", "/files"),
    ("DELETE", "/files"),
    ("PUT", "/files/{id}"),
    ("DELETE", "/files/{id}"),
    ("POST", "/upload/confirm/{fileId}"),
];
/// What is not done to what the sweep has: a space with files, an active config, a folder with
/// another one in it, and an account key of nobody's.
const REJECTED: [(&str, &str, u16); 4] = [
    ("DELETE", "/spaces", 409),
    ("DELETE", "/upload-configs", 409),
    ("DELETE", "/folders/{id}", 409),
    ("DELETE", "/account/api-keys/{keyId}", 404),
];
/// The list whose role is asked of each space by itself.
const OF_ALL_SPACES: (&str, &str) = ("GET", "/upload-configs/all");

/// Every route that takes a key, as its endpoint declares it.
pub(crate) static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let operations = openapi::api().operations;
    operations
        .iter()
        .filter(|operation| takes_key(&operation.description))
        .map(row)
        .collect()
});

fn takes_key(description: &Value) -> bool {
    let schemes = description["security"].as_array().into_iter().flatten();
    schemes
        .into_iter()
        .any(|scheme| scheme.get("bearer").is_some())
}

fn row(operation: &openapi::Operation) -> Row {
    let description = &operation.description;
    let method = operation.endpoint.method;
    let path = operation.endpoint.path;
    let route = (method, path);

    let declared = description["x-required-role"].as_str();
    let role = declared.map(|role| {
        ROLES
            .into_iter()
            .find(|known| *known == role)
            .expect("a role")
    });
    let who = match role {
        _ if description["x-requires-account-key"] == true => Account,
        None => Anyone,
        Some(role) if route == OF_ALL_SPACES => KeyRole(role),
        Some(_) if OWN_FILES.contains(&route) => Role("admin"),
        Some(role) => Role(role),
    };

    let rejected = REJECTED
        .iter()
        .find(|rejected| (rejected.0, rejected.1) == route)
        .map(|rejected| rejected.2);
    let responses = description["responses"].as_object().expect("responses");
    let declared = responses
        .keys()
        .find(|status| status.starts_with('2'))
        .expect("a successful response");
    let body = description["requestBody"]["content"]["application/json"]["schema"].clone();

    Row {
        method,
        path,
        who,
        success: rejected.unwrap_or_else(|| declared.parse().expect("a status")),
        body: Some(body).filter(|body| !body.is_null()),
    }
}

/// What a file of a place is found by.
const REFERENCE: &str = "photo";

/// A space with a file, a folder with another one in it, and a key that may be revoked.
pub(crate) struct Place {
    pub(crate) tenant: Tenant,
    file: Mutex<String>,
    /// A folder that is not empty.
    pub(crate) folder: String,
    /// Its upload config.
    pub(crate) config: String,
    pub(crate) key: u64,
    /// Makes every name another one.
    calls: AtomicU32,
}

impl Place {
    pub(crate) async fn new(stack: &Stack, name: &str) -> Place {
        let tenant = stack.space(name).await;
        let folder = json!({"space_id": tenant.id, "name": "outer"});
        let folder = tenant
            .client
            .post("/folders", folder)
            .await
            .expect_created()["id"]
            .as_str()
            .expect("an id")
            .to_owned();
        let inner = json!({"space_id": tenant.id, "name": "inner", "parent_id": folder});

        tenant.client.post("/folders", inner).await.expect_created();

        let file = Mutex::new(upload(&tenant).await);
        let path = format!("/spaces/{}/api-keys", tenant.id);
        let key = tenant
            .client
            .post(&path, json!({"name": "spare"}))
            .await
            .expect_created()["id"]
            .as_u64()
            .expect("a number");
        let space = tenant
            .client
            .get(&format!("/spaces/{}", tenant.id))
            .await
            .expect_ok();
        let config = space["active_upload_config_id"]
            .as_str()
            .expect("an id")
            .to_owned();

        Place {
            tenant,
            file,
            folder,
            config,
            key,
            calls: AtomicU32::new(0),
        }
    }

    /// The file.
    pub(crate) fn file(&self) -> String {
        self.file
            .lock()
            .expect("nobody panics while holding it")
            .clone()
    }

    /// Puts another file in the place of one that was deleted.
    async fn refill(&self) {
        let file = upload(&self.tenant).await;
        *self.file.lock().expect("nobody panics while holding it") = file;
    }

    /// What the `{id}` of a route is here.
    pub(crate) fn id(&self, row: &Row) -> String {
        match row.path.split('/').nth(1) {
            Some("files") => self.file(),
            Some("folders") => self.folder.clone(),
            Some("upload-configs") => self.config.clone(),
            _ => self.tenant.id.clone(),
        }
    }

    /// The address of a route that leads to this place.
    pub(crate) fn address(&self, row: &Row) -> String {
        let id = self.id(row);
        let path = row
            .path
            .replace("{id}", &id)
            .replace("{keyId}", &self.key.to_string());
        let path = path.replace("{fileId}", &self.file());

        match (row.method, row.path) {
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

    /// The JSON body of a route, where it takes one.
    pub(crate) fn body(&self, row: &Row) -> Option<Value> {
        let number = self.calls.fetch_add(1, Ordering::Relaxed);
        let name = || json!({"name": format!("name {number} of {}", self.tenant.handle)});

        Some(match (row.method, row.path) {
            (_, "/upload" | "/upload/confirm/{fileId}" | "/spaces/{id}/signing-secret/rotate") => {
                return None;
            }
            (_, "/upload/generate-signed-url") => json!({"upload_config_id": self.config}),
            (_, "/upload/presign") => {
                let (filename, content_type) = ("photo.jpg", "image/jpeg");
                json!({"space": self.tenant.handle, "filename": filename, "content_type": content_type, "size": 5})
            }
            ("POST", "/upload-configs") => {
                json!({"space_id": self.tenant.id, "name": format!("config-{number}")})
            }
            ("POST", "/upload-configs/update") => {
                json!({"id": self.config, "description": "changed"})
            }
            ("DELETE", "/upload-configs") => json!({"id": self.config}),
            ("POST", "/files/urls") => json!({"file_ids": [self.file()]}),
            ("POST", "/files/{id}/signed-url") => json!({"expiration_minutes": 5}),
            ("PUT", "/files") => json!({"id": self.file(), "tags": ["swept"]}),
            ("PUT", "/files/{id}") => json!({"tags": ["swept"]}),
            ("POST", "/folders") => {
                json!({"space_id": self.tenant.id, "name": format!("folder {number}")})
            }
            ("POST", _) | ("PUT", "/spaces/{id}" | "/folders/{id}") => name(),
            ("PUT", path) if path.ends_with("/access-control") => {
                json!({"access_control": {"public_read": true}})
            }
            ("PUT", path) if path.ends_with("/security") => {
                json!({"security": {"watermark": {"opacity": 0.1}}})
            }
            ("PUT", "/account") => json!({"default_space_id": self.tenant.id}),
            _ => return None,
        })
    }

    pub(crate) async fn call(&self, row: &Row, client: &Client) -> Response {
        let request = client.request(row.method, &self.address(row));
        let request = match self.body(row) {
            Some(body) => request.json(&body),
            None if row.path == "/upload" => {
                request.multipart(form(&self.tenant.handle, "photo.jpg", "image/jpeg", PHOTO))
            }
            None => request,
        };

        client.send(request).await
    }
}

/// Uploads a file that has a reference, and gives its id.
async fn upload(tenant: &Tenant) -> String {
    let form = form(&tenant.handle, "photo.jpg", "image/jpeg", PHOTO).text("ref", REFERENCE);
    tenant.client.upload(form).await.expect_created()["id"]
        .as_str()
        .expect("an id")
        .to_owned()
}

/// The routes that take no key are those of uploads by a signed URL and of unsigned uploads.
#[test]
fn only_signed_and_unsigned_uploads_need_no_key() {
    let operations = openapi::api().operations;
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

#[stack_test]
async fn invalid_key_returns_401_on_every_route(stack: &Stack) {
    let place = Place::new(stack, "Acme").await;
    let revoked = place.tenant.role("owner").await;
    let list = place
        .tenant
        .client
        .get(&format!("/spaces/{}/api-keys", place.tenant.id))
        .await
        .expect_status(200)
        .json();
    let newest = list["data"][0]["id"].as_u64().expect("a number");

    place
        .tenant
        .client
        .delete(&format!("/spaces/{}/api-keys/{newest}", place.tenant.id))
        .await
        .expect_status(204);

    let unknown = domain::KeySecret::new(&domain::Env::new(
        std::sync::Arc::new(runtime::SystemClock),
        std::sync::Arc::new(tests::SeededRandom::new(99)),
    ));
    let outsiders = [
        stack.anonymous.clone(),
        stack.anonymous.with_key("nonsense"),
        stack
            .anonymous
            .with_key("sk_00000000000000000000000000000000000000002kaqcB"),
        stack.anonymous.with_key(unknown.reveal()),
        revoked,
    ];

    for row in ROWS.iter() {
        for other_client in &outsiders {
            let response = place.call(row, other_client).await;
            assert_eq!(
                response.header("www-authenticate"),
                "Bearer",
                "{} {}",
                row.method,
                row.path
            );
            response.expect_error(401);
        }
    }
}

#[stack_test]
async fn foreign_space_returns_404_on_every_route(stack: &Stack) {
    let (place, other) = (Place::new(stack, "Acme").await, stack.space("Other").await);
    let (outsider, neighbour) = (stack.user().await, stack.user().await);

    stack.add_member(&neighbour, &other, "owner").await;

    for row in ROWS.iter() {
        for other_client in [&other.client, &outsider.client, &neighbour.client] {
            let response = place.call(row, other_client).await;
            match (row.who, row.path) {
                // What a body names is a field; what a path names is the resource itself.
                (_, "/upload/generate-signed-url") => {
                    let errors = response.expect_error(422);
                    assert_eq!(
                        errors,
                        json!({"upload_config_id": ["The selected upload config id is invalid."]})
                    );
                }
                (_, "/upload" | "/upload/presign") => {
                    assert_eq!(
                        response.expect_error(422)["space"],
                        json!(["The selected space is invalid."])
                    );
                }
                (_, "/upload-configs" | "/folders") if row.method == "POST" => {
                    let errors = response.expect_error(422);
                    assert_eq!(
                        errors,
                        json!({"space_id": ["The selected space id is invalid."]})
                    );
                }
                (Role(_), _) => assert_eq!(response.expect_error(404), json!({})),
                (Anyone | KeyRole(_), _) => {
                    let shown =
                        String::from_utf8(response.expect_status(200).body.to_vec()).expect("JSON");
                    assert!(!shown.contains(&place.tenant.id), "{shown}");
                }
                (Account, "/account") if other_client.key != other.client.key => {
                    let errors = response.expect_error(422);
                    assert_eq!(
                        errors,
                        json!({"default_space_id": ["The selected default space id is invalid."]})
                    );
                }
                (Account, _) if other_client.key == other.client.key => {
                    assert_eq!(response.expect_error(403), json!({}));
                }
                (Account, _) => {
                    response.expect_status(row.success);
                }
            }
        }
    }
}

#[stack_test]
async fn each_route_enforces_its_minimum_role(stack: &Stack) {
    let (place, other) = (Place::new(stack, "Acme").await, stack.space("Other").await);
    for (index, role) in ROLES.iter().enumerate() {
        let key = place.tenant.role(role).await;
        let member = stack.user().await;

        stack.add_member(&member, &place.tenant, role).await;
        stack.add_member(&member, &other, "owner").await;

        for row in ROWS.iter() {
            let enough = |least| {
                index
                    >= ROLES
                        .iter()
                        .position(|role| *role == least)
                        .expect("a role")
            };
            let (by_key, by_member) = match row.who {
                Anyone => (true, true),
                Account => (false, true),
                Role(least) => (enough(least), enough(least)),
                KeyRole(least) => (enough(least), true),
            };

            judge(&place, row, &key, by_key).await;
            judge(&place, row, &member.client, by_member).await;
        }
    }

    for row in ROWS.iter() {
        judge(&place, row, &stack.account(), true).await;
    }

    stack.run_confirm_checks().await;
}

async fn judge(place: &Place, row: &Row, client: &Client, allowed: bool) {
    let response = place.call(row, client).await;
    if allowed {
        response.expect_status(row.success);
        if row.method == "DELETE" && row.success == 204 && row.path.starts_with("/files") {
            place.refill().await;
        }
    } else {
        response.expect_error(403);
    }
}
