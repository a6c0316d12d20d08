//! The lifecycle of a file under random AWS faults, for many seeds. Each acknowledged operation took
//! effect exactly once, although clients send requests twice. A request may fail only with 503.
//!
//! `LARDER_CHAOS_SEEDS=0..1000 cargo test -p tests chaos` runs other seeds,
//! `LARDER_CHAOS_SEEDS=57..58` runs one seed.

use futures::{
    FutureExt,
    future::{join, join_all},
    stream::{self, StreamExt},
};
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use tests::{Client, Extent, PHOTO, Response, Stack, StackOptions, form, minutes, seconds};

/// Seeds of the runs.
const SEEDS: Extent = Extent {
    default: 4,
    thorough: 48,
    variable: "LARDER_CHAOS_SEEDS",
};
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
    let journeys = stream::iter(SEEDS.seeds()).map(async |seed| {
        let journey = std::panic::AssertUnwindSafe(Journey::travel(seed)).catch_unwind();
        Box::pin(journey).await.is_err().then_some(seed)
    });
    let failed: Vec<u64> = journeys
        .buffer_unordered(SEEDS_AT_ONCE)
        .filter_map(async |failed| failed)
        .collect()
        .await;

    assert!(
        failed.is_empty(),
        "failed with the seeds {failed:?}: run a single seed with {}=SEED..SEED+1",
        SEEDS.variable
    );
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
    space: String,
    handle: String,
}

/// A key whose creation succeeded.
struct Key {
    number: u64,
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
        let with_status = |status| {
            responses
                .iter()
                .filter(|response| response.status == status)
                .count()
        };
        let created = with_status(201);
        let rejected = with_status(422);
        let busy = with_status(503);

        assert!(
            created <= 1 && created + rejected + busy == RACERS,
            "{responses:?}"
        );

        if created == 1 {
            retry_until_available(create).await.expect_error(422);
        } else {
            assert!(busy > 0, "no request created the name: {responses:?}");
        }
    }

    /// No accepted file is deleted together with a space that was deleted as empty.
    async fn race_to_delete(stack: &Stack) {
        let account = stack.account();
        let create = || {
            account
                .request("POST", "/spaces")
                .json(&json!({ "name": "Doomed" }))
        };
        let created = create_once(stack, &account, "doomed", create).await;
        let id = created["id"].as_str().expect("an id");
        let handle = created["handle"].as_str().expect("a handle");
        let upload = || account.upload_form(form(handle, "a.txt", "text/plain", "some text"));
        let address = format!("/spaces?id={id}");
        let deletions = join_all([account.delete(&address), account.delete(&address)]);
        let (deletions, uploads) = join(deletions, join_all([upload(), upload()])).await;

        if deletions.iter().any(|deletion| deletion.status == 204) {
            assert!(
                uploads.iter().all(|upload| upload.status != 201),
                "{uploads:?}"
            );
        }
    }

    async fn begin(stack: Stack) -> Journey {
        let account = stack.account();
        let create = || {
            account
                .request("POST", "/spaces")
                .json(&json!({ "name": "Acme" }))
        };
        let created = create_once(&stack, &account, "space", create).await;
        let text = |field: &str| created[field].as_str().expect("a string").to_owned();
        let space = text("id");
        let handle = text("handle");

        Journey {
            stack,
            owner: account.clone(),
            account,
            space,
            handle,
        }
    }

    fn keys(&self) -> String {
        format!("/spaces/{}/api-keys", self.space)
    }

    async fn key(&self, role: &str) -> Key {
        let wanted = json!({ "name": role, "role": role });
        let create = || self.account.request("POST", &self.keys()).json(&wanted);
        let created = create_once(&self.stack, &self.account, role, create).await;
        let key = created["key"].as_str().expect("a key");
        Key {
            number: created["id"].as_u64().expect("a number"),
            client: self.account.with_key(key),
        }
    }

    async fn upload(&self) -> Value {
        let photo = || form(&self.handle, "photo.jpg", "image/jpeg", PHOTO);
        create_once(&self.stack, &self.owner, "photo", || {
            self.owner.request("POST", "/upload").multipart(photo())
        })
        .await
    }

    /// Asserts that the file is delivered to clients with access, with the uploaded bytes.
    async fn find(&self, record: &Value, client: &Client) {
        let file = format!("/files/{}", record["id"].as_str().expect("an id"));
        assert_eq!(
            &retry_until_available(async || client.get(&file).await)
                .await
                .expect_ok(),
            record
        );

        let url = record["url"].as_str().expect("an address");
        let delivered = retry_until_available(async || self.stack.anonymous.get(url).await)
            .await
            .expect_status(200);

        assert!(delivered.body == PHOTO);

        let etag = delivered.header("etag");
        let revalidated = retry_until_available(async || {
            self.stack
                .anonymous
                .get_with(url, &[("if-none-match", etag)])
                .await
        })
        .await;

        revalidated.expect_status(304);
    }

    /// Asserts that a revoked key is rejected.
    async fn revoke(&self, key: &Key) {
        let address = format!("{}/{}", self.keys(), key.number);
        retry_until_available(async || self.owner.delete(&address).await)
            .await
            .expect_status(204);
        let space = format!("/spaces/{}", self.space);
        for _ in 0..3 {
            retry_until_available(async || key.client.get(&space).await)
                .await
                .expect_error(401);
        }
    }

    /// Asserts that each created record is listed once, and no other.
    async fn check(&self, active: &Key, revoked: &Key) {
        let listed = retry_until_available(async || self.owner.get(&self.keys()).await)
            .await
            .expect_status(200)
            .json();
        let states = listed["data"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|key| (&key["id"], &key["is_active"]));
        let active = (json!(active.number), json!(true));
        let revoked = (json!(revoked.number), json!(false));
        let expected = [(&revoked.0, &revoked.1), (&active.0, &active.1)];

        assert_eq!(states.collect::<Vec<_>>(), expected);

        let listed = retry_until_available(async || self.account.get("/spaces").await)
            .await
            .expect_status(200)
            .json();
        let spaces = listed["data"].as_array().expect("a list");

        assert_eq!(
            spaces
                .iter()
                .filter(|space| space["name"] == "Acme")
                .count(),
            1,
            "{spaces:?}"
        );
    }
}
