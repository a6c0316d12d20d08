//! Running emulators and clients for them.

use std::{
    collections::BTreeSet,
    net::TcpListener,
    path::{Path, PathBuf},
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use aws_sdk_dynamodb::{
    error::{ProvideErrorMetadata, SdkError},
    types::AttributeValue,
};
use emulators::{
    AsyncClock, EmulatorOptions, EmulatorStartError, Emulators, ExistingData, IamPrincipal,
    ManualClock, SystemClock,
};
use template::{AttributeType, Bucket, CorsRule, Key, Permission, Queue, Stack, Table};
use tokio::sync::watch;

/// How long a test waits for what should happen at once.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// Seconds of a day.
pub(crate) const DAY_SECONDS: u64 = 24 * 60 * 60;

/// A clock that stands still and tells who sleeps.
#[derive(Clone)]
pub(crate) struct TestClock {
    manual: ManualClock,
    /// Until when somebody has slept, ever.
    sleeps_ms: Arc<watch::Sender<BTreeSet<i64>>>,
}

impl TestClock {
    pub(crate) fn new() -> TestClock {
        // S3 clients sign with the system's time.
        let manual = ManualClock::starting_at(SystemClock.now_ms());
        TestClock {
            manual,
            sleeps_ms: Arc::default(),
        }
    }

    pub(crate) fn advance(&self, seconds: u64) {
        self.manual.advance(Duration::from_secs(seconds));
    }

    /// Waits until somebody sleeps for so long.
    pub(crate) async fn somebody_sleeps(&self, seconds: i64) {
        let at_ms = self.manual.now_ms() + seconds * 1000;
        let mut sleeps = self.sleeps_ms.subscribe();
        tokio::time::timeout(PATIENCE, sleeps.wait_for(|sleeps| sleeps.contains(&at_ms)))
            .await
            .unwrap()
            .unwrap();
    }
}

impl AsyncClock for TestClock {
    fn now_ms(&self) -> i64 {
        self.manual.now_ms()
    }

    fn sleep_until(&self, at_ms: i64) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        self.sleeps_ms.send_modify(|sleeps| sleeps.extend([at_ms]));
        self.manual.sleep_until(at_ms)
    }
}

/// Running emulators on a directory of their own, with an operator who may do everything.
pub(crate) struct Cloud {
    pub(crate) emulators: Emulators,
    pub(crate) clock: TestClock,
    pub(crate) directory: tempfile::TempDir,
}

impl Cloud {
    pub(crate) async fn start() -> Cloud {
        Cloud::start_in(tempfile::tempdir().unwrap()).await
    }

    pub(crate) async fn start_in(directory: tempfile::TempDir) -> Cloud {
        let clock = TestClock::new();
        let emulators = start(directory.path(), &clock).await.unwrap();
        emulators.admit(principal("operator", &[("*", "*")]));
        Cloud {
            emulators,
            clock,
            directory,
        }
    }

    pub(crate) async fn with(stack: &Stack) -> Cloud {
        let cloud = Cloud::start().await;
        cloud.emulators.provision(stack).await.unwrap();
        cloud
    }

    pub(crate) async fn restart(self) -> Cloud {
        self.emulators.stop().await;
        Cloud::start_in(self.directory).await
    }

    /// A client of this principal; it does not retry by itself.
    pub(crate) fn dynamodb(&self, principal: &str) -> aws_sdk_dynamodb::Client {
        let credentials = aws_sdk_dynamodb::config::Credentials::new(
            principal,
            secret(principal),
            None,
            None,
            "test",
        );
        let config = aws_sdk_dynamodb::Config::builder()
            .behavior_version(aws_sdk_dynamodb::config::BehaviorVersion::latest())
            .region(aws_sdk_dynamodb::config::Region::new(emulators::REGION))
            .credentials_provider(credentials)
            .endpoint_url(self.emulators.dynamodb_url())
            .retry_config(aws_sdk_dynamodb::config::retry::RetryConfig::disabled())
            .http_client(aws_smithy_http_client::Builder::new().build_http());
        aws_sdk_dynamodb::Client::from_conf(config.build())
    }

    /// The operator's client, which retries as the production client does.
    pub(crate) fn patient_dynamodb(&self) -> aws_sdk_dynamodb::Client {
        let retries = aws_sdk_dynamodb::config::retry::RetryConfig::standard();
        let config = self
            .dynamodb("operator")
            .config()
            .to_builder()
            .retry_config(retries);
        aws_sdk_dynamodb::Client::from_conf(config.build())
    }

    pub(crate) fn sqs(&self, principal: &str) -> aws_sdk_sqs::Client {
        let credentials =
            aws_sdk_sqs::config::Credentials::new(principal, secret(principal), None, None, "test");
        let config = aws_sdk_sqs::Config::builder()
            .behavior_version(aws_sdk_sqs::config::BehaviorVersion::latest())
            .region(aws_sdk_sqs::config::Region::new(emulators::REGION))
            .credentials_provider(credentials)
            .endpoint_url(self.emulators.sqs_url())
            .retry_config(aws_sdk_sqs::config::retry::RetryConfig::disabled())
            .http_client(aws_smithy_http_client::Builder::new().build_http());
        aws_sdk_sqs::Client::from_conf(config.build())
    }

    pub(crate) fn s3(&self, principal: &str) -> aws_sdk_s3::Client {
        let credentials =
            aws_sdk_s3::config::Credentials::new(principal, secret(principal), None, None, "test");
        let config = aws_sdk_s3::Config::builder()
            .behavior_version(aws_sdk_s3::config::BehaviorVersion::latest())
            .region(aws_sdk_s3::config::Region::new(emulators::REGION))
            .credentials_provider(credentials)
            .endpoint_url(self.emulators.s3_url())
            .force_path_style(true)
            .retry_config(aws_sdk_s3::config::retry::RetryConfig::disabled())
            .http_client(aws_smithy_http_client::Builder::new().build_http());
        aws_sdk_s3::Client::from_conf(config.build())
    }

    pub(crate) fn secrets(&self, principal: &str) -> aws_sdk_secretsmanager::Client {
        use aws_sdk_secretsmanager::config;
        let credentials =
            config::Credentials::new(principal, secret(principal), None, None, "test");
        let config = aws_sdk_secretsmanager::Config::builder()
            .behavior_version(config::BehaviorVersion::latest())
            .region(config::Region::new(emulators::REGION))
            .credentials_provider(credentials)
            .endpoint_url(self.emulators.secrets_manager_url())
            .retry_config(config::retry::RetryConfig::disabled())
            .http_client(aws_smithy_http_client::Builder::new().build_http());
        aws_sdk_secretsmanager::Client::from_conf(config.build())
    }

    /// Files that hold bytes of objects and parts: finished ones, and ones that are being written.
    pub(crate) fn object_files(&self) -> (usize, usize) {
        let count = |directory: &Path| std::fs::read_dir(directory).unwrap().count();
        let store = self.directory.path().join("s3");
        let shards = std::fs::read_dir(store.join("blobs")).unwrap();
        (
            shards.map(|shard| count(&shard.unwrap().path())).sum(),
            count(&store.join("incoming")),
        )
    }

    /// Lets so many seconds pass, and what is due by then be swept.
    pub(crate) async fn swept_after(&self, seconds: u64) {
        self.clock.somebody_sleeps(60).await;
        self.clock.advance(seconds);
        self.clock.somebody_sleeps(60).await;
    }

    pub(crate) fn queue_url(&self, name: &str) -> String {
        format!(
            "{}/{}/{name}",
            self.emulators.sqs_url(),
            emulators::ACCOUNT_ID
        )
    }
}

pub(crate) async fn start(
    data_dir: &Path,
    clock: &TestClock,
) -> Result<Emulators, EmulatorStartError> {
    let options = EmulatorOptions {
        data_dir: PathBuf::from(data_dir),
        existing: ExistingData::Keep,
        clock: Arc::new(clock.clone()),
        s3_listener: TcpListener::bind("127.0.0.1:0").unwrap(),
    };
    Emulators::start(options).await
}

/// A principal whose access key is its name.
pub(crate) fn principal(name: &str, statements: &[(&str, &str)]) -> IamPrincipal {
    let permission = |(action, resource): &(&str, &str)| Permission {
        actions: vec![(*action).to_owned()],
        resources: vec![(*resource).to_owned()],
    };
    IamPrincipal {
        name: name.to_owned(),
        access_key: name.to_owned(),
        secret_key: secret(name),
        permissions: statements.iter().map(permission).collect(),
    }
}

fn secret(principal: &str) -> String {
    format!("{principal}'s secret")
}

/// A stack of one table, `records`, whose key is `pk` and `sk`.
pub(crate) fn records() -> Stack {
    Stack {
        tables: vec![table()],
        ..Stack::default()
    }
}

pub(crate) fn table() -> Table {
    let strings = ["pk", "sk"].map(|name| (name.to_owned(), AttributeType::String));
    Table {
        logical_id: "Table".to_owned(),
        name: "records".to_owned(),
        key: Key {
            partition: "pk".to_owned(),
            sort: Some("sk".to_owned()),
        },
        attributes: strings.into(),
        time_to_live: Some("expires_at_seconds".to_owned()),
    }
}

pub(crate) fn queue(name: &str) -> Queue {
    Queue {
        logical_id: name.to_owned(),
        name: name.to_owned(),
        visibility_timeout_seconds: 30,
        delay_seconds: 0,
        retention_seconds: 3600,
        redrive: None,
    }
}

/// A bucket, `media`, to which browsers may upload.
pub(crate) fn bucket() -> Bucket {
    let cors = CorsRule {
        allowed_origins: vec!["*".to_owned()],
        allowed_methods: vec!["PUT".to_owned()],
        allowed_headers: vec!["*".to_owned()],
        exposed_headers: Vec::new(),
        max_age_seconds: None,
    };
    Bucket {
        logical_id: "Bucket".to_owned(),
        name: "media".to_owned(),
        cors: vec![cors],
        lifecycle: Vec::new(),
    }
}

pub(crate) fn text(value: &str) -> AttributeValue {
    AttributeValue::S(value.to_owned())
}

/// Puts an item under this key and answers whether that went well.
pub(crate) async fn put(client: &aws_sdk_dynamodb::Client, pk: &str) -> bool {
    client
        .put_item()
        .table_name("records")
        .item("pk", text(pk))
        .item("sk", text("-"))
        .send()
        .await
        .is_ok()
}

/// Whether there is an item under this key.
pub(crate) async fn exists(client: &aws_sdk_dynamodb::Client, pk: &str) -> bool {
    let item = client
        .get_item()
        .table_name("records")
        .key("pk", text(pk))
        .key("sk", text("-"));
    item.consistent_read(true)
        .send()
        .await
        .unwrap()
        .item
        .is_some()
}

/// A stack of one bucket, `media`.
pub(crate) fn media() -> Stack {
    Stack {
        buckets: vec![bucket()],
        ..Stack::default()
    }
}

/// What a service says went wrong.
#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` calls")]
pub(crate) fn code<E: ProvideErrorMetadata, R>(error: SdkError<E, R>) -> String {
    error.code().unwrap_or("no answer").to_owned()
}

/// Puts an object and answers with its ETag, or with the code of the refusal.
pub(crate) async fn put_object(
    client: &aws_sdk_s3::Client,
    key: &str,
    body: impl Into<Vec<u8>>,
) -> Result<String, String> {
    let put = client
        .put_object()
        .bucket("media")
        .key(key)
        .body(body.into().into())
        .send()
        .await;
    put.map(|object| object.e_tag.unwrap()).map_err(code)
}

/// An object's bytes, or the code of the refusal.
pub(crate) async fn get_object(client: &aws_sdk_s3::Client, key: &str) -> Result<Vec<u8>, String> {
    let object = client
        .get_object()
        .bucket("media")
        .key(key)
        .send()
        .await
        .map_err(code)?;
    Ok(object.body.collect().await.unwrap().to_vec())
}

/// Bytes that differ from place to place.
pub(crate) fn bytes(length: usize) -> Vec<u8> {
    (0..length)
        .map(|at| u8::try_from(at % 251).unwrap())
        .collect()
}
