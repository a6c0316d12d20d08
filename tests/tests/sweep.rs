//! Every route against everyone who must not pass, and everyone who must.

use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::json;
use tests::{Answer, Client, PHOTO, Stack, Tenant, form};

/// What a route does, and the least role that may do it in a space.
pub(crate) struct Row {
    method: &'static str,
    path: &'static str,
    /// `None` where no space is concerned, and only account keys may.
    least: Option<&'static str>,
    success: u16,
}

const ROLES: [&str; 4] = ["viewer", "user", "admin", "owner"];

pub(crate) const ROWS: [Row; 7] = [
    Row { method: "POST", path: "/api/v1/spaces", least: None, success: 201 },
    Row { method: "GET", path: "/api/v1/spaces/{id}", least: Some("viewer"), success: 200 },
    Row { method: "POST", path: "/api/v1/spaces/{id}/api-keys", least: Some("owner"), success: 201 },
    Row { method: "GET", path: "/api/v1/spaces/{id}/api-keys", least: Some("owner"), success: 200 },
    Row { method: "DELETE", path: "/api/v1/spaces/{id}/api-keys/{keyId}", least: Some("owner"), success: 204 },
    Row { method: "POST", path: "/api/v1/upload", least: Some("user"), success: 201 },
    Row { method: "GET", path: "/api/v1/files/{id}", least: Some("viewer"), success: 200 },
];

/// A space with a file and a key that may be revoked.
pub(crate) struct Place {
    pub(crate) tenant: Tenant,
    file: String,
    key: u64,
    /// Makes every name another one.
    calls: AtomicU32,
}

impl Place {
    pub(crate) async fn new(stack: &Stack, name: &str) -> Place {
        let tenant = stack.space(name).await;
        let file = tenant.upload_photo().await["id"].as_str().expect("an id").to_owned();
        let path = format!("/spaces/{}/api-keys", tenant.id);
        let key = tenant.client.post(&path, json!({"name": "spare"})).await.created()["id"].as_u64().expect("a number");
        Place { tenant, file, key, calls: AtomicU32::new(0) }
    }

    pub(crate) async fn call(&self, row: &Row, client: &Client) -> Answer {
        let id = if row.path.starts_with("/api/v1/files") { &self.file } else { &self.tenant.id };
        let path = row.path.replace("{id}", id).replace("{keyId}", &self.key.to_string());
        let request = client.request(row.method, path.trim_start_matches("/api/v1"));
        let request = match (row.method, row.path) {
            ("POST", "/api/v1/upload") => {
                request.multipart(form(&self.tenant.handle, "photo.jpg", "image/jpeg", PHOTO))
            }
            ("POST", _) => {
                let number = self.calls.fetch_add(1, Ordering::Relaxed);
                request.json(&json!({"name": format!("name {number}")}))
            }
            _ => request,
        };
        client.send(request).await
    }
}

#[test]
fn the_sweep_has_every_route() {
    let mut swept: Vec<_> = ROWS.iter().map(|row| (row.method, row.path)).collect();
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
    for row in ROWS.iter().filter(|row| row.least.is_some()) {
        for stranger in [&other.client, &nobody.client, &neighbour.client] {
            let answer = place.call(row, stranger).await;
            // What a form names is a field; what a path names is the resource itself.
            let errors = answer.refused(if row.path == "/api/v1/upload" { 422 } else { 404 });
            assert_eq!(errors.get("space").is_some(), row.path == "/api/v1/upload", "{} {}", row.method, row.path);
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
            let least = row.least.map(|least| ROLES.iter().position(|role| *role == least).expect("a role"));
            let allowed_to = |client, allowed| judge(&place, row, client, allowed);
            allowed_to(&key, least.is_some_and(|least| index >= least)).await;
            // Outside of any space there are no roles.
            allowed_to(&member.client, least.is_none_or(|least| index >= least)).await;
        }
    }
    for row in &ROWS {
        judge(&place, row, &stack.account(), true).await;
    }
    stack.stop().await;
}

async fn judge(place: &Place, row: &Row, client: &Client, allowed: bool) {
    let answer = place.call(row, client).await;
    if allowed {
        answer.demand(row.success);
    } else {
        answer.refused(403);
    }
}
