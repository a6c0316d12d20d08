//! The resolved template: no references and parameters are left.
//!
//! Names are physical ("larder-Table"). Logical ids serve for messages and for references between
//! resources.

use std::collections::BTreeMap;

/// The resources of a template that the local stack runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResolvedTemplate {
    /// DynamoDB tables.
    pub tables: Vec<TableSpec>,
    /// S3 buckets.
    pub buckets: Vec<BucketSpec>,
    /// SQS queues.
    pub queues: Vec<QueueSpec>,
    /// Secrets of Secrets Manager.
    pub secrets: Vec<SecretSpec>,
    /// Lambda functions.
    pub functions: Vec<Function>,
    /// Routes of the HTTP API.
    pub routes: Vec<Route>,
    /// Event source mappings: queues that invoke a function.
    pub triggers: Vec<Trigger>,
    /// Messages that are sent periodically.
    pub schedules: Vec<Schedule>,
    /// CloudWatch alarms.
    pub alarms: Vec<Alarm>,
    /// Logical id of the function that is the origin of the CloudFront distribution, if there is one.
    pub cdn_origin: Option<String>,
    /// Cache behavior of the distribution for objects, if it has one.
    pub cdn_objects: Option<ObjectBehavior>,
    /// Alternate domain names of the distribution; `*.example.com` stands for all subdomains.
    pub cdn_aliases: Vec<String>,
}

/// A cache behavior of the CloudFront distribution with an S3 origin and signed URLs.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectBehavior {
    /// Prefix of the paths: `/_objects/`.
    pub path_prefix: String,
    /// Physical name of the bucket.
    pub bucket: String,
    /// Keys that verify the signatures of URLs.
    pub public_keys: Vec<PublicKey>,
    /// Query parameters that are passed to S3.
    pub query_parameters: Vec<String>,
    /// Headers that are added to responses.
    pub response_headers: Vec<ResponseHeader>,
    /// Permissions that bucket policies grant to CloudFront.
    pub permissions: Vec<Permission>,
}

/// A public key of a trusted key group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey {
    /// `Key-Pair-Id` of signed URLs.
    pub id: String,
    /// The key in PEM.
    pub pem: String,
}

/// A header of a response headers policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponseHeader {
    /// Name in lower case.
    pub name: &'static str,
    /// Value.
    pub value: String,
}

/// A DynamoDB table.
#[derive(Clone, Debug, PartialEq)]
pub struct TableSpec {
    /// Logical id in the template.
    pub logical_id: String,
    /// Physical name.
    pub name: String,
    /// The primary key.
    pub key: PrimaryKey,
    /// Types of the key attributes.
    pub attributes: BTreeMap<String, AttributeType>,
    /// The attribute that holds the expiry of an item, in Unix seconds.
    pub time_to_live: Option<String>,
}

/// A primary key.
#[derive(Clone, Debug, PartialEq)]
pub struct PrimaryKey {
    /// `HASH`.
    pub partition: String,
    /// `RANGE`.
    pub sort: Option<String>,
}

/// Type of a key attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeType {
    /// `S`.
    String,
    /// `N`.
    Number,
    /// `B`.
    Binary,
}

/// An S3 bucket.
#[derive(Clone, Debug, PartialEq)]
pub struct BucketSpec {
    /// Logical id in the template.
    pub logical_id: String,
    /// Physical name.
    pub name: String,
    /// CORS rules; the first match applies.
    pub cors: Vec<CorsRule>,
    /// Lifecycle rules.
    pub lifecycle: Vec<LifecycleRule>,
}

/// One rule of a bucket's CORS configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct CorsRule {
    /// Origins; `*` matches any sequence of characters.
    pub allowed_origins: Vec<String>,
    /// HTTP methods.
    pub allowed_methods: Vec<String>,
    /// Request headers; `*` matches any sequence of characters.
    pub allowed_headers: Vec<String>,
    /// Response headers that a script may read.
    pub exposed_headers: Vec<String>,
    /// Lifetime of a cached preflight response, in seconds.
    pub max_age_seconds: Option<u32>,
}

/// One rule of a bucket's lifecycle.
#[derive(Clone, Debug, PartialEq)]
pub struct LifecycleRule {
    /// Prefix of the object keys that the rule applies to.
    pub prefix: String,
    /// Days until an object expires.
    pub expiration_days: Option<u32>,
    /// Days until an incomplete multipart upload is aborted.
    pub abort_multipart_days: Option<u32>,
}

/// An SQS standard queue.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueSpec {
    /// Logical id in the template.
    pub logical_id: String,
    /// Physical name.
    pub name: String,
    /// Visibility timeout, in seconds.
    pub visibility_timeout_seconds: u32,
    /// Delay of a new message, in seconds.
    pub delay_seconds: u32,
    /// Message retention period, in seconds.
    pub retention_seconds: u32,
    /// Redrive policy, if there is a dead-letter queue.
    pub redrive: Option<Redrive>,
}

/// A queue's redrive policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Redrive {
    /// Physical name of the dead-letter queue.
    pub dead_letter_queue: String,
    /// Maximum number of receives before a message is moved there.
    pub max_receive_count: u32,
}

/// A secret with a generated value.
#[derive(Clone, Debug, PartialEq)]
pub struct SecretSpec {
    /// Logical id in the template.
    pub logical_id: String,
    /// Physical name. The ARN ends with the name, `-` and
    /// [`SECRET_ARN_SUFFIX`](crate::SECRET_ARN_SUFFIX).
    pub name: String,
    /// Length of the value, in characters.
    pub length: u32,
    /// Whether the value consists of letters and digits only.
    pub excludes_punctuation: bool,
}

/// A Lambda function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Logical id in the template.
    pub logical_id: String,
    /// Physical name.
    pub name: String,
    /// The Cargo binary it runs (`Metadata.BuildProperties.Binary`).
    pub binary: String,
    /// Timeout of an invocation, in seconds.
    pub timeout_seconds: u32,
    /// Memory, in MiB.
    pub memory_mib: u32,
    /// Environment variables.
    pub environment: BTreeMap<String, String>,
    /// Permissions of its role.
    pub permissions: Vec<Permission>,
    /// Permissions of the role that it assumes to presign URLs: that in its variable `PRESIGN_ROLE_ARN`.
    pub presign_permissions: Option<Vec<Permission>>,
    /// Whether it has a function URL.
    pub has_url: bool,
    /// Handling of recursive loops.
    pub recursive_loop: RecursiveLoop,
}

/// Handling of a chain of messages that invokes a function more than 16 times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecursiveLoop {
    /// The chain continues.
    Allow,
    /// The message is moved to the queue's dead-letter queue, or dropped if there is none.
    Terminate,
}

/// An `Allow` statement of a function's role.
#[derive(Clone, Debug, PartialEq)]
pub struct Permission {
    /// IAM actions: `dynamodb:GetItem`.
    pub actions: Vec<String>,
    /// ARNs; `*` matches any sequence of characters.
    pub resources: Vec<String>,
}

/// One route of the HTTP API.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// `GET`, …, or `ANY`.
    pub method: String,
    /// `/api/v1/spaces/{id}`, or `$default`.
    pub path: String,
    /// Logical id of the function.
    pub function: String,
}

/// An event source mapping: a queue that invokes a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Trigger {
    /// Physical name of the queue.
    pub queue: String,
    /// Logical id of the function.
    pub function: String,
    /// Maximum number of messages in a batch.
    pub batch_size: u32,
    /// Maximum number of concurrent batches, if it is limited.
    pub maximum_concurrency: Option<u32>,
    /// Whether the function reports the failed messages of a batch (`ReportBatchItemFailures`).
    pub reports_failures: bool,
}

/// A message that an EventBridge rule sends to a queue periodically.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// Logical id of the rule.
    pub rule: String,
    /// Period, in seconds.
    pub period_seconds: u32,
    /// Physical name of the queue.
    pub queue: String,
    /// Body of the message, as JSON.
    pub message: String,
}

/// A CloudWatch alarm. Its state is ALARM while a number of the last periods exceed the threshold.
#[derive(Clone, Debug, PartialEq)]
pub struct Alarm {
    /// Logical id in the template.
    pub logical_id: String,
    /// Description.
    pub description: String,
    /// The metrics. An alarm without an expression has one.
    pub metrics: Vec<AlarmMetric>,
    /// The expression over the ids of the metrics.
    pub expression: Option<String>,
    /// Period, in seconds.
    pub period_seconds: u32,
    /// Number of the last periods.
    pub evaluation_periods: u32,
    /// How many of these must exceed the threshold.
    pub datapoints_to_alarm: u32,
    /// The threshold.
    pub threshold: u32,
    /// Whether it notifies anyone.
    pub has_actions: bool,
}

/// A metric of an alarm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlarmMetric {
    /// Name within the expression.
    pub id: String,
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// Values of the dimensions by name.
    pub dimensions: BTreeMap<String, String>,
    /// `Sum`, `Maximum`, or a percentile such as `p95`.
    pub statistic: String,
}
