//! Running emulators, their clients, and shared fixtures.

use std::{
    collections::HashMap,
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
use aws_sdk_s3::{
    config::RequestChecksumCalculation,
    operation::delete_objects::DeleteObjectsOutput,
    types::{Delete, ObjectIdentifier},
};
use emulators::{EmulatorOptions, EmulatorStartError, Emulators, ExistingData, IamPrincipal};
use sam_template::{
    AttributeType, BucketSpec, CorsRule, LifecycleRule, Permission, PrimaryKey, QueueSpec,
    ResolvedTemplate, SecretSpec, TableSpec,
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

/// Running emulators in a temporary directory, with a principal `unrestricted` that has all
/// permissions.
pub(crate) struct Emulation {
    pub(crate) emulators: Emulators,
    pub(crate) clock: TestClock,
    pub(crate) directory: tempfile::TempDir,
    template: ResolvedTemplate,
}

impl Emulation {
    /// Starts emulators with the resources of [`template`].
    pub(crate) async fn start() -> Emulation {
        Emulation::with(template()).await
    }

    pub(crate) async fn with(template: ResolvedTemplate) -> Emulation {
        Emulation::start_in(tempfile::tempdir().unwrap(), template).await
    }

    pub(crate) async fn start_in(
        directory: tempfile::TempDir,
        template: ResolvedTemplate,
    ) -> Emulation {
        let clock = TestClock::new();
        let emulators = start(directory.path(), &clock).await.unwrap();
        emulators.provision(&template).await.unwrap();
        emulators.register_principal(principal("unrestricted", &[("*", "*")]));
        Emulation {
            emulators,
            clock,
            directory,
            template,
        }
    }

    pub(crate) async fn restart(self) -> Emulation {
        self.emulators.stop().await;
        Emulation::start_in(self.directory, self.template).await
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

    /// Returns a client that retries as the production clients do.
    pub(crate) fn retrying_dynamodb(&self) -> aws_sdk_dynamodb::Client {
        let retries = aws_sdk_dynamodb::config::retry::RetryConfig::standard();
        let client = self.dynamodb("unrestricted");
        let config = client.config().to_builder().retry_config(retries);
        aws_sdk_dynamodb::Client::from_conf(config.build())
    }

    /// Registers a principal that may call these actions on these resources.
    pub(crate) fn register(&self, name: &str, allowed: &[(&str, &str)]) {
        let principal = principal(name, allowed);
        self.emulators.register_principal(principal);
    }

    /// Puts an object. Returns its ETag or the error code.
    pub(crate) async fn put_object(
        &self,
        key: &str,
        body: impl Into<Vec<u8>>,
    ) -> Result<String, String> {
        let client = self.s3("unrestricted");
        let put = client.put_object().bucket("media").key(key);
        let output = put.body(body.into().into()).send().await;
        output.map(|object| object.e_tag.unwrap()).map_err(code)
    }

    /// Returns the bytes of an object or the error code.
    pub(crate) async fn get_object(&self, key: &str) -> Result<Vec<u8>, String> {
        let client = self.s3("unrestricted");
        let get = client.get_object().bucket("media").key(key);
        let object = get.send().await.map_err(code)?;
        Ok(object.body.collect().await.unwrap().to_vec())
    }

    /// Deletes objects in one request. Returns its output or the error code.
    pub(crate) async fn delete_objects(
        &self,
        keys: &[impl AsRef<str>],
    ) -> Result<DeleteObjectsOutput, String> {
        let objects = keys.iter().map(|key| {
            let object = ObjectIdentifier::builder().key(key.as_ref());
            object.build().unwrap()
        });
        let delete = Delete::builder().set_objects(Some(objects.collect()));
        let client = self.s3("unrestricted");
        let request = client.delete_objects().bucket("media");
        let request = request.delete(delete.build().unwrap());
        request.send().await.map_err(code)
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
        let base = self.emulators.sqs_url();
        format!("{base}/{}/{name}", emulators::ACCOUNT_ID)
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

/// Creates a principal whose access key is its name, with pairs of an action and a resource.
pub(crate) fn principal(name: &str, allowed: &[(&str, &str)]) -> IamPrincipal {
    let permissions = allowed.iter().map(|(action, resource)| Permission {
        actions: vec![(*action).to_owned()],
        resources: vec![(*resource).to_owned()],
    });
    IamPrincipal {
        name: name.to_owned(),
        access_key: name.to_owned(),
        secret_key: secret(name),
        permissions: permissions.collect(),
        presigner: None,
    }
}

fn secret(principal: &str) -> String {
    format!("{principal}'s secret")
}

/// Returns a template with the table `records`, whose key is `pk` and `sk`, the queues `jobs` and
/// `dead`, the secret `larder-Master`, and the bucket `media`, to which browsers may upload.
pub(crate) fn template() -> ResolvedTemplate {
    let strings = ["pk", "sk"].map(|name| (name.to_owned(), AttributeType::String));
    let table = TableSpec {
        logical_id: "Table".to_owned(),
        name: "records".to_owned(),
        key: PrimaryKey {
            partition: "pk".to_owned(),
            sort: Some("sk".to_owned()),
        },
        attributes: strings.into(),
        time_to_live: Some("expires_at_seconds".to_owned()),
    };

    let cors = CorsRule {
        allowed_origins: vec!["*".to_owned()],
        allowed_methods: vec!["PUT".to_owned()],
        allowed_headers: vec!["*".to_owned()],
        exposed_headers: Vec::new(),
        max_age_seconds: None,
    };
    let bucket = BucketSpec {
        logical_id: "Bucket".to_owned(),
        name: "media".to_owned(),
        cors: vec![cors],
        lifecycle: Vec::new(),
    };

    let queue = |name: &str| QueueSpec {
        logical_id: name.to_owned(),
        name: name.to_owned(),
        visibility_timeout_seconds: 30,
        retention_seconds: 3600,
        redrive: None,
    };
    let secret = SecretSpec {
        logical_id: "Master".to_owned(),
        name: "larder-Master".to_owned(),
        length: 64,
        excludes_punctuation: true,
    };

    ResolvedTemplate {
        tables: vec![table],
        buckets: vec![bucket],
        queues: vec![queue("jobs"), queue("dead")],
        secrets: vec![secret],
        ..ResolvedTemplate::default()
    }
}

/// Returns the template with a lifecycle rule of the bucket.
pub(crate) fn template_with(rule: LifecycleRule) -> ResolvedTemplate {
    let mut template = template();
    template.buckets[0].lifecycle.push(rule);
    template
}

/// Returns an item of `records`, which has the attributes of its key only.
pub(crate) fn item(pk: &str) -> HashMap<String, AttributeValue> {
    let attributes = [("pk", pk), ("sk", "-")];
    attributes
        .map(|(name, value)| (name.to_owned(), AttributeValue::S(value.to_owned())))
        .into()
}

/// Puts an item. Returns whether that succeeded.
pub(crate) async fn put(client: &aws_sdk_dynamodb::Client, pk: &str) -> bool {
    let put = client.put_item().table_name("records");
    put.set_item(Some(item(pk))).send().await.is_ok()
}

/// Returns whether an item exists.
pub(crate) async fn exists(client: &aws_sdk_dynamodb::Client, pk: &str) -> bool {
    let get = client.get_item().table_name("records");
    let get = get.set_key(Some(item(pk))).consistent_read(true);
    get.send().await.unwrap().item.is_some()
}

/// Returns the put of an item in a transaction.
pub(crate) fn transactional_put(pk: &str) -> TransactWriteItem {
    let put = Put::builder().table_name("records");
    let put = put.set_item(Some(item(pk))).build().unwrap();
    TransactWriteItem::builder().put(put).build()
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

/// Returns the error code, or `no response` if the connection was closed.
#[expect(
    clippy::needless_pass_by_value,
    reason = "`map_err` passes the error by value"
)]
pub(crate) fn code<E: ProvideErrorMetadata, R>(error: SdkError<E, R>) -> String {
    error.code().unwrap_or("no response").to_owned()
}

/// Returns bytes that repeat after 251.
pub(crate) fn bytes(length: usize) -> Vec<u8> {
    (0..251).cycle().take(length).collect()
}
