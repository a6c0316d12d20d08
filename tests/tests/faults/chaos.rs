//! The lifecycle of a file under random AWS faults, for many seeds. Each acknowledged operation
//! took effect exactly once, although clients send requests twice. A request may fail only with
//! 503.
//!
//! `LARDER_CHAOS_SEEDS=0..1000 cargo test -p tests chaos` runs other seeds,
//! `LARDER_CHAOS_SEEDS=57..58` runs one seed.

use futures::future::{join, join_all};
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use tests::{
    Client, Extent, PHOTO, Response, Stack, StackOptions, column, file_path, form, minutes,
    seconds, text,
};

/// Seeds of the runs.
const SEEDS: Extent = Extent::new(4, 48, "LARDER_CHAOS_SEEDS");
/// Concurrent runs. A run mostly waits before retries.
const SEEDS_AT_ONCE: usize = 12;
/// Maximum attempts of a request that fails with 503.
const TRIES: usize = 8;
/// Concurrent requests of a race.
const RACERS: usize = 4;
/// Time after which a request in progress is abandoned, in seconds. Longer than its lease.
const LEASE_SECONDS: u64 = 36;

#[tokio::test]
async fn file_lifecycle_completes_under_chaos() {
    SEEDS.run_seeds(SEEDS_AT_ONCE, Journey::travel).await;
}

/// Sends a request until it does not fail with 503.
async fn retry_until_available(send: impl AsyncFn() -> Response) -> Response {
    for _ in 0..TRIES {
        let response = send().await;
        if response.status != 503 {
            return response;
        }
        response.expect_error(503);
    }
    panic!("answered with 503 {TRIES} times")
}

/// Sends the same creating request twice at the same time until both succeed.
/// Both must return the same record.
async fn create_once(
    stack: &Stack,
    client: &Client,
    name: &str,
    request: impl Fn() -> RequestBuilder,
) -> Value {
    let send = async || client.send(request().header("idempotency-key", name)).await;
    for _ in 0..TRIES {
        let (first, second) = join(send(), send()).await;
        match (first.status, second.status) {
            (201, 201) => {
                let created = first.expect_created();
                assert_eq!(created, second.expect_created());
                return created;
            }
            (201 | 409 | 503, 201 | 409 | 503) => {}
            _ => panic!("{first:?} {second:?}"),
        }
        // No request runs any more. A reservation that is left behind expires.
        stack.clock.advance(seconds(LEASE_SECONDS));
    }

    panic!("{name} is not acknowledged in {TRIES} tries")
}

/// A space in a stack whose AWS calls fail at random.
struct Journey {
    stack: Stack,
    account: Client,
    owner: Client,
    /// Path of the space.
    space: String,
    handle: String,
}

/// A key whose creation succeeded.
struct Key {
    id: Value,
    client: Client,
}

impl Journey {
    async fn travel(seed: u64) {
        let stack = Stack::start_with(StackOptions {
            chaos: Some(seed),
            ..StackOptions::default()
        })
        .await;
        Journey::race_for_a_name(&stack.account()).await;
        Journey::race_to_delete(&stack).await;
        let mut journey = Journey::begin(stack).await;
        let owner = journey.key("owner").await;
        let viewer = journey.key("viewer").await;
        journey.owner = owner.client.clone();
        let record = journey.upload().await;
        journey.find(&record, &viewer.client).await;
        journey.revoke(&viewer).await;
        journey.find(&record, &owner.client).await;
        journey.check(&owner, &viewer).await;

        // After the faults, the same holds.
        journey.stack.local.chaos().disable();
        journey.find(&record, &owner.client).await;
        journey.check(&owner, &viewer).await;
        // A message whose receive response was lost is received again.
        journey.stack.clock.advance(minutes(13));
        journey.stack.run_purges().await;
        journey.stack.stop().await;
    }

    /// At most one of concurrent requests gets a name.
    async fn race_for_a_name(account: &Client) {
        let create = || account.post("/spaces", json!({ "name": "Wanted" }));
        let responses = join_all((0..RACERS).map(|_| create())).await;
        let count = |status| {
            let with_status = responses.iter().filter(|one| one.status == status);
            with_status.count()
        };

        let created = count(201);
        assert!(created <= 1, "{responses:?}");
        assert_eq!(created + count(422) + count(503), RACERS, "{responses:?}");
        if created == 1 {
            retry_until_available(create).await.expect_error(422);
        } else {
            assert!(count(503) > 0, "no request created the name: {responses:?}");
        }
    }

    /// No accepted file is deleted together with a space that was deleted as empty.
    async fn race_to_delete(stack: &Stack) {
        let account = stack.account();
        let created = create_space(stack, "Doomed").await;
        let handle = text(&created["handle"]);
        let upload = || account.upload_form(form(&handle, "a.txt", "text/plain", "some text"));
        let path = format!("/spaces?id={}", text(&created["id"]));
        let deletions = join_all([account.delete(&path), account.delete(&path)]);
        let (deletions, uploads) = join(deletions, join_all([upload(), upload()])).await;

        let is_deleted = deletions.iter().any(|deletion| deletion.status == 204);
        let is_accepted = uploads.iter().any(|upload| upload.status == 201);
        assert!(!is_deleted || !is_accepted, "{uploads:?}");
    }

    async fn begin(stack: Stack) -> Journey {
        let account = stack.account();
        let created = create_space(&stack, "Acme").await;

        Journey {
            stack,
            owner: account.clone(),
            account,
            space: format!("/spaces/{}", text(&created["id"])),
            handle: text(&created["handle"]),
        }
    }

    fn keys(&self) -> String {
        format!("{}/api-keys", self.space)
    }

    async fn key(&self, role: &str) -> Key {
        let body = json!({ "name": role, "role": role });
        let create = || self.account.request("POST", &self.keys()).json(&body);
        let created = create_once(&self.stack, &self.account, role, create).await;
        Key {
            client: self.account.with_key(&text(&created["key"])),
            id: created["id"].clone(),
        }
    }

    async fn upload(&self) -> Value {
        let photo = || form(&self.handle, "photo.jpg", "image/jpeg", PHOTO);
        let upload = || self.owner.request("POST", "/upload").multipart(photo());
        create_once(&self.stack, &self.owner, "photo", upload).await
    }

    /// Asserts that the file is delivered to clients with access, with the uploaded bytes.
    async fn find(&self, record: &Value, client: &Client) {
        let path = file_path(record);
        let found = retry_until_available(async || client.get(&path).await).await;
        assert_eq!(found.expect_ok(), *record);

        let url = text(&record["url"]);
        let anonymous = &self.stack.anonymous;
        let delivered = retry_until_available(async || anonymous.get(&url).await).await;
        let delivered = delivered.expect_status(200);
        delivered.expect_body(PHOTO);

        let condition = [("if-none-match", delivered.header("etag"))];
        let revalidate = async || anonymous.get_with(&url, &condition).await;
        retry_until_available(revalidate).await.expect_status(304);
    }

    /// Asserts that a revoked key is rejected.
    async fn revoke(&self, key: &Key) {
        let path = format!("{}/{}", self.keys(), key.id);
        let revoked = retry_until_available(async || self.owner.delete(&path).await).await;
        revoked.expect_status(204);
        for _ in 0..3 {
            let read = async || key.client.get(&self.space).await;
            retry_until_available(read).await.expect_error(401);
        }
    }

    /// Asserts that each created record is listed once, and no other.
    async fn check(&self, active: &Key, revoked: &Key) {
        let list = async || self.owner.get(&self.keys()).await;
        let keys = retry_until_available(list).await.expect_ok();
        assert_eq!(
            column(&keys, "id"),
            [&revoked.id, &active.id].map(Value::clone)
        );
        assert_eq!(column(&keys, "is_active"), [false, true]);

        let list = async || self.account.get("/spaces").await;
        let spaces = retry_until_available(list).await.expect_ok();
        let names = column(&spaces, "name");
        assert_eq!(names.iter().filter(|name| **name == "Acme").count(), 1);
    }
}

async fn create_space(stack: &Stack, name: &str) -> Value {
    let account = stack.account();
    let body = json!({ "name": name });
    let create = || account.request("POST", "/spaces").json(&body);
    create_once(stack, &account, name, create).await
}
