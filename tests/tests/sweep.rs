//! Every route against everyone who must not pass, and everyone who must.

use std::sync::{
    Mutex,
    atomic::{AtomicU32, Ordering},
};

use serde_json::{Value, json};
use tests::{Answer, Client, PHOTO, Stack, Tenant, form};

/// Who may call a route.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Who {
    /// Whoever has a key.
    Anyone,
    /// Whoever has an account key.
    Account,
    /// Whoever has this role in the space, or a higher one.
    Role(&'static str),
    /// A space key of at least this role, and any account key, which sees what its user may.
    KeyRole(&'static str),
}
use Who::{Account, Anyone, KeyRole, Role};

/// What a route does.
pub(crate) struct Row {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    who: Who,
    /// The answer to whoever may.
    success: u16,
}

const ROLES: [&str; 4] = ["viewer", "user", "admin", "owner"];

const fn row(method: &'static str, path: &'static str, who: Who, success: u16) -> Row {
    Row { method, path, who, success }
}

pub(crate) const ROWS: [Row; 49] = [
    row("GET", "/api/v1/spaces", Anyone, 200),
    row("POST", "/api/v1/spaces", Account, 201),
    // The space has a file, so who may delete it is told that it is not empty.
    row("DELETE", "/api/v1/spaces", Role("owner"), 409),
    row("GET", "/api/v1/spaces/{id}", Role("viewer"), 200),
    row("PUT", "/api/v1/spaces/{id}", Role("owner"), 200),
    row("PUT", "/api/v1/spaces/{id}/access-control", Role("owner"), 200),
    row("DELETE", "/api/v1/spaces/{id}/access-control", Role("owner"), 200),
    row("PUT", "/api/v1/spaces/{id}/security", Role("owner"), 200),
    row("DELETE", "/api/v1/spaces/{id}/security", Role("owner"), 200),
    row("GET", "/api/v1/spaces/{id}/signing-secret", Role("owner"), 200),
    row("POST", "/api/v1/spaces/{id}/signing-secret/rotate", Role("owner"), 200),
    row("POST", "/api/v1/spaces/{id}/api-keys", Role("owner"), 201),
    row("GET", "/api/v1/spaces/{id}/api-keys", Role("owner"), 200),
    row("DELETE", "/api/v1/spaces/{id}/api-keys/{keyId}", Role("owner"), 204),
    row("GET", "/api/v1/account", Anyone, 200),
    row("PUT", "/api/v1/account", Account, 200),
    row("POST", "/api/v1/account/api-keys", Account, 201),
    row("GET", "/api/v1/account/api-keys", Account, 200),
    // The key is none of the caller's.
    row("DELETE", "/api/v1/account/api-keys/{keyId}", Account, 404),
    row("GET", "/api/v1/upload-configs", Role("user"), 200),
    row("GET", "/api/v1/upload-configs/all", KeyRole("user"), 200),
    row("GET", "/api/v1/upload-configs/{id}", Role("user"), 200),
    row("POST", "/api/v1/upload-configs", Role("admin"), 201),
    row("POST", "/api/v1/upload-configs/update", Role("admin"), 200),
    // The config is the active one, so who may delete it is told so.
    row("DELETE", "/api/v1/upload-configs", Role("admin"), 409),
    row("POST", "/api/v1/upload", Role("user"), 201),
    row("POST", "/api/v1/upload/generate-signed-url", Role("user"), 200),
    row("POST", "/api/v1/upload/presign", Role("user"), 201),
    // The file is another one's than the caller's.
    row("POST", "/api/v1/upload/confirm/{fileId}", Role("admin"), 200),
    row("GET", "/api/v1/files", Role("viewer"), 200),
    row("GET", "/api/v1/files/by-ref", Role("viewer"), 200),
    // What is not the caller's is not found, and says nothing.
    row("POST", "/api/v1/files/urls", Anyone, 200),
    row("GET", "/api/v1/files/{id}", Role("viewer"), 200),
    // The file is another one's than the caller's.
    row("PUT", "/api/v1/files", Role("admin"), 200),
    row("PUT", "/api/v1/files/{id}", Role("admin"), 200),
    row("POST", "/api/v1/files/{id}/signed-url", Role("viewer"), 200),
    row("PUT", "/api/v1/files/{id}/access-control", Role("admin"), 200),
    row("DELETE", "/api/v1/files/{id}/access-control", Role("admin"), 200),
    row("DELETE", "/api/v1/files/{id}", Role("admin"), 204),
    row("DELETE", "/api/v1/files", Role("admin"), 204),
    row("GET", "/api/v1/folders", Role("viewer"), 200),
    row("POST", "/api/v1/folders", Role("admin"), 201),
    row("GET", "/api/v1/folders/{id}", Role("viewer"), 200),
    row("PUT", "/api/v1/folders/{id}", Role("admin"), 200),
    row("PUT", "/api/v1/folders/{id}/access-control", Role("admin"), 200),
    row("DELETE", "/api/v1/folders/{id}/access-control", Role("admin"), 200),
    row("PUT", "/api/v1/folders/{id}/security", Role("admin"), 200),
    row("DELETE", "/api/v1/folders/{id}/security", Role("admin"), 200),
    // The folder has another one in it, so who may delete it is told that it is not empty.
    row("DELETE", "/api/v1/folders/{id}", Role("admin"), 409),
];

/// The routes that take no key, but another proof.
const STRANGERS: [(&str, &str); 4] = [
    ("POST", "/api/v1/upload/signed"),
    ("POST", "/api/v1/upload/signed/presign"),
    ("POST", "/api/v1/upload/unsigned/{spaceHandle}/{configName}"),
    ("POST", "/api/v1/upload/unsigned/{spaceHandle}/{configName}/presign"),
];

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
        let folder = tenant.client.post("/folders", folder).await.created()["id"].as_str().expect("an id").to_owned();
        let inner = json!({"space_id": tenant.id, "name": "inner", "parent_id": folder});
        tenant.client.post("/folders", inner).await.created();
        let file = Mutex::new(upload(&tenant).await);
        let path = format!("/spaces/{}/api-keys", tenant.id);
        let key = tenant.client.post(&path, json!({"name": "spare"})).await.created()["id"].as_u64().expect("a number");
        let space = tenant.client.get(&format!("/spaces/{}", tenant.id)).await.ok();
        let config = space["active_upload_config_id"].as_str().expect("an id").to_owned();
        Place { tenant, file, folder, config, key, calls: AtomicU32::new(0) }
    }

    /// The file.
    pub(crate) fn file(&self) -> String {
        self.file.lock().expect("nobody panics while holding it").clone()
    }

    /// Puts another file in the place of one that was deleted.
    async fn refill(&self) {
        let file = upload(&self.tenant).await;
        *self.file.lock().expect("nobody panics while holding it") = file;
    }

    /// What the `{id}` of a route is here.
    pub(crate) fn id(&self, row: &Row) -> String {
        match row.path.split('/').nth(3) {
            Some("files") => self.file(),
            Some("folders") => self.folder.clone(),
            Some("upload-configs") => self.config.clone(),
            _ => self.tenant.id.clone(),
        }
    }

    /// The address of a route that leads to this place.
    pub(crate) fn address(&self, row: &Row) -> String {
        let id = self.id(row);
        let path =
            row.path.trim_start_matches("/api/v1").replace("{id}", &id).replace("{keyId}", &self.key.to_string());
        let path = path.replace("{fileId}", &self.file());
        match (row.method, row.path) {
            ("DELETE", "/api/v1/spaces" | "/api/v1/files") => format!("{path}?id={id}"),
            ("GET", "/api/v1/files/by-ref") => format!("{path}?space_id={}&ref={REFERENCE}", self.tenant.id),
            ("GET", "/api/v1/upload-configs" | "/api/v1/files" | "/api/v1/folders") => {
                format!("{path}?space_id={}", self.tenant.id)
            }
            _ => path,
        }
    }

    /// The JSON body of a route, where it takes one.
    pub(crate) fn body(&self, row: &Row) -> Option<Value> {
        let number = self.calls.fetch_add(1, Ordering::Relaxed);
        let name = || json!({"name": format!("name {number} of {}", self.tenant.handle)});
        Some(match (row.method, row.path.trim_start_matches("/api/v1")) {
            (_, "/upload" | "/upload/confirm/{fileId}" | "/spaces/{id}/signing-secret/rotate") => return None,
            (_, "/upload/generate-signed-url") => json!({"upload_config_id": self.config}),
            (_, "/upload/presign") => {
                let (filename, content_type) = ("photo.jpg", "image/jpeg");
                json!({"space": self.tenant.handle, "filename": filename, "content_type": content_type, "size": 5})
            }
            ("POST", "/upload-configs") => json!({"space_id": self.tenant.id, "name": format!("config-{number}")}),
            ("POST", "/upload-configs/update") => json!({"id": self.config, "description": "changed"}),
            ("DELETE", "/upload-configs") => json!({"id": self.config}),
            ("POST", "/files/urls") => json!({"file_ids": [self.file()]}),
            ("POST", "/files/{id}/signed-url") => json!({"expiration_minutes": 5}),
            ("PUT", "/files") => json!({"id": self.file(), "tags": ["swept"]}),
            ("PUT", "/files/{id}") => json!({"tags": ["swept"]}),
            ("POST", "/folders") => json!({"space_id": self.tenant.id, "name": format!("folder {number}")}),
            ("POST", _) | ("PUT", "/spaces/{id}" | "/folders/{id}") => name(),
            ("PUT", path) if path.ends_with("/access-control") => json!({"access_control": {"public_read": true}}),
            ("PUT", path) if path.ends_with("/security") => json!({"security": {"watermark": {"opacity": 0.1}}}),
            ("PUT", "/account") => json!({"default_space_id": self.tenant.id}),
            _ => return None,
        })
    }

    pub(crate) async fn call(&self, row: &Row, client: &Client) -> Answer {
        let request = client.request(row.method, &self.address(row));
        let request = match self.body(row) {
            Some(body) => request.json(&body),
            None if row.path == "/api/v1/upload" => {
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
    tenant.client.upload(form).await.created()["id"].as_str().expect("an id").to_owned()
}

#[test]
fn the_sweep_has_every_route() {
    let mut swept: Vec<_> = ROWS.iter().map(|row| (row.method, row.path)).chain(STRANGERS).collect();
    let mut tabled: Vec<_> = web::routes::ALL.iter().map(|route| (route.method, route.path)).collect();
    swept.sort_unstable();
    tabled.sort_unstable();
    assert_eq!(swept, tabled);
}

#[tokio::test]
async fn nobody_passes_without_a_valid_key() {
    let stack = Stack::start().await;
    let place = Place::new(&stack, "Acme").await;
    let revoked = place.tenant.role("owner").await;
    let list = place.tenant.client.get(&format!("/spaces/{}/api-keys", place.tenant.id)).await.demand(200).json();
    let newest = list["data"][0]["id"].as_u64().expect("a number");
    place.tenant.client.delete(&format!("/spaces/{}/api-keys/{newest}", place.tenant.id)).await.demand(204);
    let unknown = domain::KeySecret::new(&domain::Sources::new(
        std::sync::Arc::new(runtime::SystemClock),
        std::sync::Arc::new(tests::Seeded::new(99)),
    ));
    let strangers = [
        stack.anonymous.clone(),
        stack.anonymous.with_key("nonsense"),
        stack.anonymous.with_key("sk_00000000000000000000000000000000000000002kaqcB"),
        stack.anonymous.with_key(unknown.reveal()),
        revoked,
    ];
    for row in &ROWS {
        for stranger in &strangers {
            let answer = place.call(row, stranger).await;
            assert_eq!(answer.header("www-authenticate"), "Bearer", "{} {}", row.method, row.path);
            answer.refused(401);
        }
    }
    stack.stop().await;
}

#[tokio::test]
async fn another_space_does_not_exist() {
    let stack = Stack::start().await;
    let (place, other) = (Place::new(&stack, "Acme").await, stack.space("Other").await);
    let (nobody, neighbour) = (stack.user().await, stack.user().await);
    stack.join(&neighbour, &other, "owner").await;
    for row in &ROWS {
        for stranger in [&other.client, &nobody.client, &neighbour.client] {
            let answer = place.call(row, stranger).await;
            match (row.who, row.path) {
                // What a body names is a field; what a path names is the resource itself.
                (_, "/api/v1/upload/generate-signed-url") => {
                    let errors = answer.refused(422);
                    assert_eq!(errors, json!({"upload_config_id": ["The selected upload config id is invalid."]}));
                }
                (_, "/api/v1/upload" | "/api/v1/upload/presign") => {
                    assert_eq!(answer.refused(422)["space"], json!(["The selected space is invalid."]));
                }
                (_, "/api/v1/upload-configs" | "/api/v1/folders") if row.method == "POST" => {
                    let errors = answer.refused(422);
                    assert_eq!(errors, json!({"space_id": ["The selected space id is invalid."]}));
                }
                (Role(_), _) => assert_eq!(answer.refused(404), json!({})),
                (Anyone | KeyRole(_), _) => {
                    let shown = String::from_utf8(answer.demand(200).body.to_vec()).expect("JSON");
                    assert!(!shown.contains(&place.tenant.id), "{shown}");
                }
                (Account, "/api/v1/account") if stranger.key != other.client.key => {
                    let errors = answer.refused(422);
                    assert_eq!(errors, json!({"default_space_id": ["The selected default space id is invalid."]}));
                }
                (Account, _) if stranger.key == other.client.key => assert_eq!(answer.refused(403), json!({})),
                (Account, _) => {
                    answer.demand(row.success);
                }
            }
        }
    }
    stack.stop().await;
}

#[tokio::test]
async fn each_role_may_do_what_it_may_and_nothing_more() {
    let stack = Stack::start().await;
    let (place, other) = (Place::new(&stack, "Acme").await, stack.space("Other").await);
    for (index, role) in ROLES.iter().enumerate() {
        let key = place.tenant.role(role).await;
        let member = stack.user().await;
        stack.join(&member, &place.tenant, role).await;
        stack.join(&member, &other, "owner").await;
        for row in &ROWS {
            let enough = |least| index >= ROLES.iter().position(|role| *role == least).expect("a role");
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
    for row in &ROWS {
        judge(&place, row, &stack.account(), true).await;
    }
    stack.checked().await;
    stack.stop().await;
}

async fn judge(place: &Place, row: &Row, client: &Client, allowed: bool) {
    let answer = place.call(row, client).await;
    if allowed {
        answer.demand(row.success);
        if row.method == "DELETE" && row.success == 204 && row.path.starts_with("/api/v1/files") {
            place.refill().await;
        }
    } else {
        answer.refused(403);
    }
}
