//! Running emulators, their clients, and shared fixtures.

use std::{
    net::TcpListener,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use aws_sdk_dynamodb::{
    error::{ProvideErrorMetadata, SdkError},
    operation::transact_write_items::TransactWriteItemsError,
    types::{AttributeValue, Put, TransactWriteItem},
};
use aws_sdk_s3::config::RequestChecksumCalculation;
use emulators::{EmulatorOptions, EmulatorStartError, Emulators, ExistingData, IamPrincipal};
use sam_template::{
    AttributeType, BucketSpec, CorsRule, LifecycleRule, Permission, PrimaryKey, QueueSpec,
    ResolvedTemplate, TableSpec,
};

pub(crate) use crate::clock::TestClock;

/// Maximum time to wait for an event that should occur at once.
pub(crate) const EVENT_TIMEOUT: Duration = Duration::from_secs(10);

pub(crate) const DAY_SECONDS: u64 = 24 * 60 * 60;

/// Defines a method that returns a client of a principal, which does not retry.
macro_rules! client {
    ($name:ident, $sdk:ident, $url:ident $(, $setting:ident($value:expr))*) => {
        pub(crate) fn $name(&self, principal: &str) -> $sdk::Client {
            use $sdk::config::{BehaviorVersion, Credentials, Region, retry::RetryConfig};
            let credentials = Credentials::new(principal, secret(principal), None, None, "test");
            let config = $sdk::Config::builder()
                .behavior_version(BehaviorVersion::latest())
                .region(Region::new(emulators::REGION))
                .credentials_provider(credentials)
                .endpoint_url(self.emulators.$url())
                .retry_config(RetryConfig::disabled())
                .http_client(aws_smithy_http_client::Builder::new().build_http())
                $(.$setting($value))*;
            $sdk::Client::from_conf(config.build())
        }
    };
}

/// Running emulators in a temporary directory, with an `operator` that has all permissions.
pub(crate) struct Emulation {
    pub(crate) emulators: Emulators,
    pub(crate) clock: TestClock,
    pub(crate) directory: tempfile::TempDir,
}

impl Emulation {
    pub(crate) async fn start() -> Emulation {
        Emulation::start_in(tempfile::tempdir().unwrap()).await
    }

    pub(crate) async fn start_in(directory: tempfile::TempDir) -> Emulation {
        let clock = TestClock::new();
        let emulators = start(directory.path(), &clock).await.unwrap();
        emulators.register_principal(principal("unrestricted", [allow("*", "*")]));
        Emulation {
            emulators,
            clock,
            directory,
        }
    }

    pub(crate) async fn with(template: &ResolvedTemplate) -> Emulation {
        let emulation = Emulation::start().await;
        emulation.emulators.provision(template).await.unwrap();
        emulation
    }

    pub(crate) async fn restart(self) -> Emulation {
        self.emulators.stop().await;
        Emulation::start_in(self.directory).await
    }

    client!(dynamodb, aws_sdk_dynamodb, dynamodb_url);
    client!(sqs, aws_sdk_sqs, sqs_url);
    client!(secrets, aws_sdk_secretsmanager, secrets_manager_url);
    // As the production clients, without checksums that S3 does not require.
    client!(
        s3,
        aws_sdk_s3,
        s3_url,
        force_path_style(true),
        request_checksum_calculation(RequestChecksumCalculation::WhenRequired)
    );

    /// Returns a client of the operator that retries as the production clients do.
    pub(crate) fn retrying_dynamodb(&self) -> aws_sdk_dynamodb::Client {
        let retries = aws_sdk_dynamodb::config::retry::RetryConfig::standard();
        let config = self
            .dynamodb("unrestricted")
            .config()
            .to_builder()
            .retry_config(retries);
        aws_sdk_dynamodb::Client::from_conf(config.build())
    }

    /// Counts the files of the object store.
    pub(crate) fn object_files(&self) -> ObjectFiles {
        let count = |directory: &Path| std::fs::read_dir(directory).unwrap().count();
        let store = self.directory.path().join("s3");
        let shards = std::fs::read_dir(store.join("blobs")).unwrap();
        ObjectFiles {
            finished: shards.map(|shard| count(&shard.unwrap().path())).sum(),
            incoming: count(&store.join("incoming")),
        }
    }

    /// Advances the clock and waits for the next removal of expired data.
    pub(crate) async fn sweep_after(&self, seconds: u64) {
        self.clock.wait_for_sleep(60).await;
        self.clock.advance(seconds);
        self.clock.wait_for_sleep(60).await;
    }

    pub(crate) fn queue_url(&self, name: &str) -> String {
        format!(
            "{}/{}/{name}",
            self.emulators.sqs_url(),
            emulators::ACCOUNT_ID
        )
    }
}

/// The number of files with bytes of objects and parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ObjectFiles {
    finished: usize,
    /// Files that are being written.
    incoming: usize,
}

impl ObjectFiles {
    /// Returns the counts of a store without running writes.
    pub(crate) fn finished(finished: usize) -> ObjectFiles {
        ObjectFiles {
            finished,
            incoming: 0,
        }
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
    let mut emulators = Emulators::start(options).await?;
    emulators.serve_s3();
    Ok(emulators)
}

/// Creates a principal whose access key is its name.
pub(crate) fn principal(
    name: &str,
    permissions: impl IntoIterator<Item = Permission>,
) -> IamPrincipal {
    IamPrincipal {
        name: name.to_owned(),
        access_key: name.to_owned(),
        secret_key: secret(name),
        permissions: permissions.into_iter().collect(),
        presigner: None,
    }
}

/// Creates the permission for one action on one resource.
pub(crate) fn allow(action: &str, resource: &str) -> Permission {
    Permission {
        actions: vec![action.to_owned()],
        resources: vec![resource.to_owned()],
    }
}

fn secret(principal: &str) -> String {
    format!("{principal}'s secret")
}

/// Returns a template with the table `records`, whose key is `pk` and `sk`.
pub(crate) fn records() -> ResolvedTemplate {
    ResolvedTemplate {
        tables: vec![table()],
        ..ResolvedTemplate::default()
    }
}

pub(crate) fn table() -> TableSpec {
    let strings = ["pk", "sk"].map(|name| (name.to_owned(), AttributeType::String));
    TableSpec {
        logical_id: "Table".to_owned(),
        name: "records".to_owned(),
        key: PrimaryKey {
            partition: "pk".to_owned(),
            sort: Some("sk".to_owned()),
        },
        attributes: strings.into(),
        time_to_live: Some("expires_at_seconds".to_owned()),
    }
}

pub(crate) fn queue(name: &str) -> QueueSpec {
    QueueSpec {
        logical_id: name.to_owned(),
        name: name.to_owned(),
        visibility_timeout_seconds: 30,
        retention_seconds: 3600,
        redrive: None,
    }
}

/// Returns the bucket `media`, which permits uploads from browsers.
pub(crate) fn bucket() -> BucketSpec {
    let cors = CorsRule {
        allowed_origins: vec!["*".to_owned()],
        allowed_methods: vec!["PUT".to_owned()],
        allowed_headers: vec!["*".to_owned()],
        exposed_headers: Vec::new(),
        max_age_seconds: None,
    };

    BucketSpec {
        logical_id: "Bucket".to_owned(),
        name: "media".to_owned(),
        cors: vec![cors],
        lifecycle: Vec::new(),
    }
}

pub(crate) fn text(value: &str) -> AttributeValue {
    AttributeValue::S(value.to_owned())
}

/// Puts an item with this key. Returns whether that succeeded.
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

/// Returns the put of an item with this key in a transaction.
pub(crate) fn transactional_put(pk: &str) -> TransactWriteItem {
    let put = Put::builder()
        .table_name("records")
        .item("pk", text(pk))
        .item("sk", text("-"));
    TransactWriteItem::builder()
        .put(put.build().unwrap())
        .build()
}

/// Writes items in a transaction. Returns the cancellation reasons; `None` if it was not cancelled.
pub(crate) async fn transact(
    client: &aws_sdk_dynamodb::Client,
    writes: &[TransactWriteItem],
) -> Option<Vec<String>> {
    let transaction = client
        .transact_write_items()
        .set_transact_items(Some(writes.to_vec()));
    let error = transaction.send().await.err()?.into_service_error();
    let TransactWriteItemsError::TransactionCanceledException(cancelled) = error else {
        return None;
    };
    let reasons = cancelled.cancellation_reasons().iter();
    Some(reasons.filter_map(|reason| reason.code.clone()).collect())
}

/// Returns whether an item with this key exists.
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

/// Returns a template with the bucket `media`.
pub(crate) fn media() -> ResolvedTemplate {
    ResolvedTemplate {
        buckets: vec![bucket()],
        ..ResolvedTemplate::default()
    }
}

/// Returns a template with the bucket `media`, which has one lifecycle rule.
pub(crate) fn media_with(rule: LifecycleRule) -> ResolvedTemplate {
    let mut template = media();
    template.buckets[0].lifecycle.push(rule);
    template
}

/// Returns the error code, or `no response` if the connection was closed.
#[expect(
    clippy::needless_pass_by_value,
    reason = "`map_err` passes the error by value"
)]
pub(crate) fn code<E: ProvideErrorMetadata, R>(error: SdkError<E, R>) -> String {
    error.code().unwrap_or("no response").to_owned()
}

/// Puts an object. Returns its ETag or the error code.
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

/// Returns the bytes of an object or the error code.
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

/// Returns bytes that repeat after 251.
pub(crate) fn bytes(length: usize) -> Vec<u8> {
    (0..251).cycle().take(length).collect()
}
