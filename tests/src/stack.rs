//! One test's own stack.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, LazyLock, Mutex},
    time::{Duration, SystemTime},
};

use domain::Random;
use emulators::ManualClock;
use local::{
    CargoLambda, Cloud, Messages, Options, Ports, Registry, StartError, TEMPLATE, product,
};
use rand::{RngCore, SeedableRng, rngs::SmallRng};
use runtime::BodyDeadlines;
use serde_json::{Value, json};
use tempfile::TempDir;
use template::Template;

use crate::Client;

/// The product's template, parsed once for all stacks.
static PRODUCT_TEMPLATE: LazyLock<Arc<Template>> = LazyLock::new(|| parsed(TEMPLATE));

/// Parses a template that is known to be one.
///
/// Panics if it is none.
pub fn parsed(template: &str) -> Arc<Template> {
    Arc::new(Template::parse(template).unwrap_or_else(|problems| panic!("{problems}")))
}

/// Randomness that is the same at every run.
pub struct Seeded(Mutex<SmallRng>);

impl Seeded {
    /// Randomness from a seed.
    pub fn new(seed: u64) -> Seeded {
        Seeded(Mutex::new(SmallRng::seed_from_u64(seed)))
    }
}

impl Random for Seeded {
    fn fill(&self, bytes: &mut [u8]) {
        self.0
            .lock()
            .expect("no test panics while drawing")
            .fill_bytes(bytes);
    }
}

/// How a stack differs from the usual one.
pub struct StackOptions {
    /// The template.
    pub template: Arc<Template>,
    /// The functions it names.
    pub registry: Registry,
    /// Parameters that do not take their defaults.
    pub parameters: BTreeMap<String, String>,
    /// How long a client may take for the body of a request.
    pub body_deadlines: BodyDeadlines,
    /// Where the functions run.
    pub cargo_lambda: Option<CargoLambda>,
    /// The seed of ids and keys.
    pub seed: u64,
    /// Seed of random AWS misbehavior, enabled once the stack has started. `None` disables it.
    pub chaos: Option<u64>,
}

impl Default for StackOptions {
    fn default() -> StackOptions {
        StackOptions {
            template: Arc::clone(&PRODUCT_TEMPLATE),
            registry: product(),
            parameters: BTreeMap::new(),
            body_deadlines: BodyDeadlines::default(),
            cargo_lambda: None,
            seed: 1,
            chaos: None,
        }
    }
}

/// A running stack. Its clock stands still. A test ends with [`Stack::stop`], or fails.
pub struct Stack {
    /// The stack itself.
    pub cloud: Cloud,
    /// The clock of everything.
    pub clock: ManualClock,
    /// A client without a key.
    pub anonymous: Client,
    directory: Arc<TempDir>,
    unstopped: Unstopped,
}

/// Fails a test that leaves its stack running: nobody would see what that stack has still to do.
struct Unstopped(bool);

impl Drop for Unstopped {
    fn drop(&mut self) {
        assert!(
            !self.0 || std::thread::panicking(),
            "the test has to end with Stack::stop"
        );
    }
}

/// A space, and a client that holds its owner key.
#[derive(Clone)]
pub struct Tenant {
    /// Holds a space key of the role owner.
    pub client: Client,
    /// The space's id.
    pub id: String,
    /// The space's handle.
    pub handle: String,
    /// The owner key's number.
    pub key_id: u64,
}

impl Stack {
    /// A stack like the product's, in a directory of its own, on free ports.
    pub async fn start() -> Stack {
        Box::pin(Stack::start_with(StackOptions::default())).await
    }

    /// A stack that differs.
    pub async fn start_with(options: StackOptions) -> Stack {
        let directory = Arc::new(TempDir::new().expect("a temporary directory"));
        Box::pin(Stack::start_in(directory, options))
            .await
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// A stack in a directory that may have been used before.
    pub async fn start_in(
        directory: Arc<TempDir>,
        options: StackOptions,
    ) -> Result<Stack, StartError> {
        #[expect(
            clippy::disallowed_methods,
            reason = "the real time, once: storage judges signed requests by it"
        )]
        let now = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .expect("it is after 1970");
        let clock = ManualClock::starting_at(
            i64::try_from(now.as_millis()).expect("it is long before the end of time"),
        );
        let cloud = Cloud::start(Options {
            data_dir: directory.path().join("data"),
            reset: false,
            template: options.template,
            registry: options.registry,
            ports: Ports::default(),
            parameters: options.parameters,
            clock: Arc::new(clock.clone()),
            random: Arc::new(Seeded::new(options.seed)),
            body_deadlines: options.body_deadlines,
            cargo_lambda: options.cargo_lambda,
        })
        .await?;
        if let Some(seed) = options.chaos {
            cloud.chaos().enable(seed);
        }
        let anonymous = Client::at(cloud.api_url());
        Ok(Stack {
            cloud,
            clock,
            anonymous,
            directory,
            unstopped: Unstopped(true),
        })
    }

    /// The directory, to start in again.
    pub fn directory(&self) -> Arc<TempDir> {
        Arc::clone(&self.directory)
    }

    /// Where the stack keeps its data.
    pub fn data_dir(&self) -> &Path {
        self.directory.path()
    }

    /// A client with the first user's account key.
    pub fn account(&self) -> Client {
        self.anonymous
            .with_key(self.cloud.api_key().expect("the template has a table"))
    }

    /// Makes a space with an owner key of its own.
    pub async fn space(&self, name: &str) -> Tenant {
        let space = self
            .account()
            .post("/spaces", json!({ "name": name }))
            .await
            .created();
        let id = text(&space["id"]);
        let key = self
            .account()
            .post(
                &format!("/spaces/{id}/api-keys"),
                json!({ "name": "owner" }),
            )
            .await
            .created();
        Tenant {
            client: self.anonymous.with_key(&text(&key["key"])),
            id,
            handle: text(&space["handle"]),
            key_id: key["id"].as_u64().expect("a number"),
        }
    }

    /// The calls that functions made while something was done, as `function operation`, sorted.
    /// That queues are asked for messages all the time is none of theirs, and that a function reads
    /// the master secret, once, is no request's.
    pub async fn calls_of<T>(&self, work: impl Future<Output = T>) -> (T, Vec<String>) {
        self.cloud.call_log().clear();
        let done = work.await;
        let calls = self.cloud.call_log().calls();
        let mut calls: Vec<String> = calls
            .iter()
            .filter(|call| !matches!(&*call.operation, "ReceiveMessage" | "GetSecretValue"))
            .map(|call| format!("{} {}", call.principal, call.operation))
            .collect();
        calls.sort();
        (done, calls)
    }

    /// Lets time pass, and waits until what has become due by then is worked off.
    pub async fn pass(&self, time: Duration) {
        self.clock.advance(time);
        self.cloud
            .until(Messages::are_quiet)
            .await
            .unwrap_or_else(|error| panic!("{error}"));
    }

    /// Lets so much time pass that each pass over what was deleted before has been made.
    pub async fn purged(&self) {
        for time in [seconds(1), minutes(15), minutes(60)] {
            self.pass(time).await;
        }
    }

    /// Lets so much time pass that whatever was announced before has been looked after.
    pub async fn checked(&self) {
        for _ in 0..9 {
            self.pass(minutes(15)).await;
        }
    }

    /// Ends the stack with work left in its queues.
    pub async fn leave(mut self) {
        self.unstopped.0 = false;
        self.cloud.stop().await;
    }

    /// Ends the stack, once every queue is empty and every planned fault has fired.
    pub async fn stop(mut self) {
        self.unstopped.0 = false;
        self.cloud
            .drained()
            .await
            .unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            self.cloud.faults().pending(),
            0,
            "planned faults that never fired"
        );
        self.cloud.stop().await;
    }
}

impl Tenant {
    /// A client with a key of a role.
    pub async fn role(&self, role: &str) -> Client {
        let body = json!({ "name": role, "role": role });
        let key = self
            .client
            .post(&format!("/spaces/{}/api-keys", self.id), body)
            .await
            .created();
        self.client.with_key(&text(&key["key"]))
    }

    /// Uploads the photo, and gives its record.
    pub async fn upload_photo(&self) -> Value {
        self.client
            .upload(crate::form(
                &self.handle,
                "photo.jpg",
                "image/jpeg",
                crate::PHOTO,
            ))
            .await
            .created()
    }
}

/// So many minutes.
pub fn minutes(count: u64) -> Duration {
    Duration::from_secs(60 * count)
}

/// So many seconds.
pub fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

fn text(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}
