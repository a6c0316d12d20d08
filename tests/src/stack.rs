//! The local stack of one test.

use std::{
    collections::BTreeMap,
    ops::Deref,
    path::PathBuf,
    sync::{Arc, LazyLock, Mutex},
    time::{Duration, SystemTime},
};

use domain::env::{Random, Timestamp};
use emulators::{AsyncClock, ManualClock};
use local_stack::{
    CargoLambda, LocalStack, Messages, Options, Ports, Registry, StartError, TEMPLATE,
    all_functions,
};
use rand::{Rng, SeedableRng, rngs::SmallRng};
use runtime::http::BodyDeadlines;
use sam_template::Template;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{Client, text, used_permissions};

/// The workers of the jobs that follow an upload, by binary name.
pub const POST_UPLOAD_WORKERS: [&str; 2] = ["processing", "webhooks"];

/// `template.yaml`, parsed once for all stacks.
static DEFAULT_TEMPLATE: LazyLock<Arc<Template>> = LazyLock::new(|| parse_template(TEMPLATE));

/// Parses a template. Panics if it is invalid.
pub fn parse_template(template: &str) -> Arc<Template> {
    Arc::new(Template::parse(template).unwrap_or_else(|error| panic!("{error}")))
}

/// Random bytes that are the same in every run.
pub struct SeededRandom(Mutex<SmallRng>);

impl SeededRandom {
    /// Creates a generator from a seed.
    pub fn new(seed: u64) -> SeededRandom {
        SeededRandom(Mutex::new(SmallRng::seed_from_u64(seed)))
    }
}

impl Random for SeededRandom {
    fn fill(&self, bytes: &mut [u8]) {
        self.0
            .lock()
            .expect("no thread panicked while it held the lock")
            .fill_bytes(bytes);
    }
}

/// The template parameter for domains of the CDN.
const CDN_DOMAINS: &str = "CdnDomainNames";
/// Domain of the CDN in tests, the value of this parameter.
pub const CDN_DOMAIN: &str = "assets.example.com";

/// The configuration of a stack. By default, it is that of `template.yaml`, with a domain of the
/// CDN.
pub struct StackOptions {
    pub template: Arc<Template>,
    /// Functions of the template.
    pub registry: Registry,
    /// Template parameters that differ from their defaults.
    pub parameters: BTreeMap<String, String>,
    /// Time limits for request bodies.
    pub body_deadlines: BodyDeadlines,
    /// Runs the functions as Lambda binaries instead of in this process.
    pub cargo_lambda: Option<CargoLambda>,
    /// Whether the jobs that follow an upload run from the start. By default they wait for
    /// [`Stack::run_post_upload`], so that they do not concern tests of other things.
    pub runs_post_upload: bool,
    /// Seed of ids and keys.
    pub seed: u64,
    /// Seed of random AWS misbehavior, enabled once the stack has started. `None` disables it.
    pub chaos: Option<u64>,
}

impl Default for StackOptions {
    fn default() -> StackOptions {
        StackOptions {
            template: Arc::clone(&DEFAULT_TEMPLATE),
            registry: all_functions(),
            parameters: BTreeMap::new(),
            body_deadlines: BodyDeadlines::default(),
            cargo_lambda: None,
            runs_post_upload: false,
            seed: 1,
            chaos: None,
        }
    }
}

impl StackOptions {
    #[must_use]
    pub fn with_parameters(mut self, parameters: &[(&str, &str)]) -> StackOptions {
        for (name, value) in parameters {
            self.parameters
                .insert((*name).to_owned(), (*value).to_owned());
        }
        self
    }

    /// Returns options with rate limits that no test reaches.
    pub fn without_rate_limits() -> StackOptions {
        StackOptions::default().with_parameters(&[
            ("AdminRequestsPerMinute", "1000000"),
            ("UploadRequestsPerMinute", "1000000"),
            ("AnonymousRenderingsPerMinute", "1000000"),
        ])
    }
}

/// A running stack with a stopped clock. A test that neither panics nor stops its stack fails.
pub struct Stack {
    pub local: LocalStack,
    /// The clock of all functions and emulators.
    pub clock: ManualClock,
    /// A client without a key.
    pub anonymous: Client,
    directory: Arc<TempDir>,
    unstopped: Unstopped,
}

/// Panics on drop unless the stack was stopped, since only stopping it checks its queues.
struct Unstopped(bool);

impl Drop for Unstopped {
    fn drop(&mut self) {
        assert!(
            !self.0 || std::thread::panicking(),
            "the test did not stop its stack"
        );
    }
}

/// A space. Dereferences to a client that holds its owner key.
#[derive(Clone)]
pub struct TestSpace {
    /// Client with an owner key of the space.
    pub client: Client,
    /// Id of the space.
    pub id: String,
    /// Handle of the space.
    pub handle: String,
    /// Id of the owner key.
    pub key_id: u64,
}

/// Some work and its AWS calls.
pub struct Observed<T> {
    /// Output of the work.
    pub output: T,
    /// The calls as `function operation`, sorted.
    pub calls: Vec<String>,
}

impl Stack {
    /// Starts a stack with the default options.
    pub async fn start() -> Stack {
        Box::pin(Stack::start_with(StackOptions::default())).await
    }

    /// Starts a stack in a temporary directory, on free ports.
    pub async fn start_with(options: StackOptions) -> Stack {
        let directory = Arc::new(TempDir::new().expect("a temporary directory"));
        Box::pin(Stack::start_in(directory, options))
            .await
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Starts a stack in a directory, with the data of an earlier stack if there is any.
    pub async fn start_in(
        directory: Arc<TempDir>,
        options: StackOptions,
    ) -> Result<Stack, StartError> {
        #[expect(
            clippy::disallowed_methods,
            reason = "the S3 emulator compares signed requests with the system time"
        )]
        let now = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .expect("a time after 1970");
        let clock = ManualClock::starting_at(
            i64::try_from(now.as_millis()).expect("a time that fits into 64 bits"),
        );
        // Functions in this process decode AVIF in another one, which this program cannot serve as.
        let program = std::env::current_exe().expect("a path");
        let binaries = program.ancestors().nth(2).expect("target/debug");
        av1::use_program(binaries.join("av1-decoder"));

        let mut parameters = options.parameters;
        if options.template.parameters().contains_key(CDN_DOMAINS) {
            let domain = || CDN_DOMAIN.to_owned();
            parameters
                .entry(CDN_DOMAINS.to_owned())
                .or_insert_with(domain);
        }
        let local = LocalStack::start(Options {
            data_dir: data_dir_in(&directory),
            reset: false,
            template: options.template,
            registry: options.registry,
            ports: Ports::default(),
            parameters,
            clock: Arc::new(clock.clone()),
            random: Arc::new(SeededRandom::new(options.seed)),
            body_deadlines: options.body_deadlines,
            paused_workers: if options.runs_post_upload {
                &[]
            } else {
                &POST_UPLOAD_WORKERS
            },
            cargo_lambda: options.cargo_lambda,
        })
        .await?;

        if let Some(seed) = options.chaos {
            local.chaos().enable(seed);
        }

        let anonymous = Client::new(local.api_url());

        Ok(Stack {
            local,
            clock,
            anonymous,
            directory,
            unstopped: Unstopped(true),
        })
    }

    /// Returns the temporary directory of the stack, to restart in it.
    pub fn directory(&self) -> Arc<TempDir> {
        Arc::clone(&self.directory)
    }

    /// Returns the path of the data directory, which is in the temporary directory.
    pub fn data_dir(&self) -> PathBuf {
        data_dir_in(&self.directory)
    }

    /// Returns a client with the account key of the first user.
    pub fn account(&self) -> Client {
        self.anonymous
            .with_key(self.local.api_key().expect("the template has a table"))
    }

    /// Returns the current time of the stack.
    pub fn now(&self) -> Timestamp {
        Timestamp::from_ms(self.clock.now_ms())
    }

    /// Creates a space with an owner key.
    pub async fn space(&self, name: &str) -> TestSpace {
        self.space_with(json!({ "name": name })).await
    }

    /// Creates a space of these fields with an owner key.
    pub async fn space_with(&self, fields: Value) -> TestSpace {
        let space = self.account().create("/spaces", fields).await;
        let mut space = TestSpace {
            client: self.account(),
            id: text(&space["id"]),
            handle: text(&space["handle"]),
            key_id: 0,
        };

        let owner = space.create_key("owner").await;
        space.client = owner.client;
        space.key_id = owner.id;
        space
    }

    /// Runs `work`, and returns its output and the AWS calls that the functions made meanwhile.
    /// Polls of queues and reads of the master secret do not count.
    pub async fn calls_of<T>(&self, work: impl Future<Output = T>) -> Observed<T> {
        self.local.call_log().clear();
        let output = work.await;

        let calls = self.local.call_log().calls();
        let mut calls: Vec<String> = calls
            .iter()
            .filter(|call| !matches!(&*call.operation, "ReceiveMessage" | "GetSecretValue"))
            .map(|call| format!("{} {}", call.principal, call.operation))
            .collect();
        calls.sort();

        Observed { output, calls }
    }

    /// Advances the clock, and waits until the jobs that became due have ended.
    pub async fn run_for(&self, time: Duration) {
        self.clock.advance(time);
        self.local
            .until(Messages::are_quiet)
            .await
            .unwrap_or_else(|error| panic!("{error}"));
    }

    /// Starts the workers of the jobs that follow an upload, and waits until they have processed
    /// the jobs that are due.
    pub async fn run_post_upload(&self) {
        self.local.resume_workers();
        self.run_for(Duration::ZERO).await;
    }

    /// Advances the clock past all purges of records that were deleted before.
    pub async fn run_purges(&self) {
        for time in [seconds(1), minutes(15), minutes(60)] {
            self.run_for(time).await;
        }
    }

    /// Advances the clock past the confirm-checks of all pending files.
    pub async fn run_confirm_checks(&self) {
        for _ in 0..9 {
            self.run_for(minutes(15)).await;
        }
    }

    /// Stops the stack with messages left in its queues.
    pub async fn stop_undrained(mut self) {
        self.unstopped.0 = false;
        used_permissions::write(&self.local.call_log()).expect("a writable file");
        self.local.stop().await;
    }

    /// Stops the stack. Panics if queues do not drain or planned faults have not fired.
    pub async fn stop(mut self) {
        self.unstopped.0 = false;
        self.local
            .drained()
            .await
            .unwrap_or_else(|error| panic!("{error}"));
        let pending = self.local.faults().describe_pending();
        assert!(
            pending.is_empty(),
            "planned faults did not fire: {}",
            pending.join(", ")
        );
        used_permissions::write(&self.local.call_log()).expect("a writable file");
        self.local.stop().await;
    }
}

impl Deref for TestSpace {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

fn data_dir_in(directory: &TempDir) -> PathBuf {
    directory.path().join("data")
}

/// Returns a duration of minutes.
pub fn minutes(count: u64) -> Duration {
    Duration::from_secs(60 * count)
}

/// Returns a duration of seconds.
pub fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}
