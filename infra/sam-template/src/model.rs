//! The resolved template: no references and parameters are left.
//!
//! Names are physical ("larder-Table"). Logical ids serve for messages and for references between
//! resources.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

use crate::text::{one_or_more, parsed, some_parsed};

/// The default of SQS.
const DEFAULT_VISIBILITY_TIMEOUT_SECONDS: u32 = 30;
/// The default of SQS: four days.
const DEFAULT_RETENTION_SECONDS: u32 = 345_600;

/// The resources of a template that the local stack runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResolvedTemplate {
    pub tables: Vec<TableSpec>,
    pub buckets: Vec<BucketSpec>,
    pub queues: Vec<QueueSpec>,
    /// Secrets of Secrets Manager.
    pub secrets: Vec<SecretSpec>,
    pub functions: Vec<Function>,
    /// Routes of the HTTP API.
    pub routes: Vec<Route>,
    /// Event source mappings: queues that invoke a function.
    pub triggers: Vec<Trigger>,
    /// Messages that are sent periodically.
    pub schedules: Vec<Schedule>,
    pub alarms: Vec<Alarm>,
    /// Logical id of the function that is the origin of the CloudFront distribution, if there is
    /// one.
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
    pub value: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TableSpec {
    /// Logical id in the template.
    pub logical_id: String,
    /// Physical name.
    pub name: String,
    pub key: PrimaryKey,
    /// Types of the key attributes.
    pub attributes: BTreeMap<String, AttributeType>,
    /// The attribute that holds the expiry of an item, in Unix seconds.
    pub time_to_live: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PrimaryKey {
    pub partition: String,
    pub sort: Option<String>,
}

/// Type of a key attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum AttributeType {
    #[serde(rename = "S")]
    String,
    #[serde(rename = "N")]
    Number,
    #[serde(rename = "B")]
    Binary,
}

#[derive(Clone, Debug, PartialEq)]
pub struct BucketSpec {
    /// Logical id in the template.
    pub logical_id: String,
    /// Physical name.
    pub name: String,
    /// CORS rules; the first match applies.
    pub cors: Vec<CorsRule>,
    pub lifecycle: Vec<LifecycleRule>,
}

/// One rule of a bucket's CORS configuration.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
pub struct CorsRule {
    /// Origins; `*` matches any sequence of characters.
    pub allowed_origins: Vec<String>,
    pub allowed_methods: Vec<String>,
    /// Request headers; `*` matches any sequence of characters.
    pub allowed_headers: Vec<String>,
    /// Response headers that a script may read.
    pub exposed_headers: Vec<String>,
    /// Lifetime of a cached preflight response, in seconds.
    #[serde(rename = "MaxAge", default, deserialize_with = "some_parsed")]
    pub max_age_seconds: Option<u32>,
}

/// One rule of a bucket's lifecycle.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
pub struct LifecycleRule {
    /// Prefix of the object keys that the rule applies to.
    #[serde(default)]
    pub prefix: String,
    /// Days until an object expires.
    #[serde(rename = "ExpirationInDays", default, deserialize_with = "some_parsed")]
    pub expiration_days: Option<u32>,
    /// Days until an incomplete multipart upload is aborted.
    #[serde(
        rename = "AbortIncompleteMultipartUpload",
        default,
        deserialize_with = "days_after_initiation"
    )]
    pub abort_multipart_days: Option<u32>,
}

/// An SQS standard queue.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueSpec {
    /// Logical id in the template.
    #[serde(skip)]
    pub logical_id: String,
    /// Physical name.
    #[serde(skip)]
    pub name: String,
    /// Visibility timeout, in seconds.
    #[serde(
        rename = "VisibilityTimeout",
        default = "default_visibility_timeout_seconds",
        deserialize_with = "parsed"
    )]
    pub visibility_timeout_seconds: u32,
    /// Message retention period, in seconds.
    #[serde(
        rename = "MessageRetentionPeriod",
        default = "default_retention_seconds",
        deserialize_with = "parsed"
    )]
    pub retention_seconds: u32,
    /// Redrive policy, if there is a dead-letter queue.
    #[serde(rename = "RedrivePolicy")]
    pub redrive: Option<Redrive>,
}

/// A queue's redrive policy.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Redrive {
    /// Physical name of the dead-letter queue.
    #[serde(rename = "deadLetterTargetArn")]
    pub dead_letter_queue: String,
    /// Maximum number of receives before a message is moved there.
    #[serde(rename = "maxReceiveCount", deserialize_with = "parsed")]
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

#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Logical id in the template.
    pub logical_id: String,
    /// The Cargo binary it runs (`Metadata.BuildProperties.Binary`).
    pub binary: String,
    /// Timeout of an invocation, in seconds.
    pub timeout_seconds: u32,
    pub memory_mib: u32,
    pub environment: BTreeMap<String, String>,
    /// Permissions of its role.
    pub permissions: Vec<Permission>,
    /// Permissions of the role that it assumes to presign URLs: that in its variable
    /// `PRESIGN_ROLE_ARN`.
    pub presign_permissions: Option<Vec<Permission>>,
    /// Handling of recursive loops.
    pub recursive_loop: RecursiveLoop,
}

/// Handling of a chain of messages that invokes a function more than 16 times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum RecursiveLoop {
    Allow,
    /// The message is moved to the queue's dead-letter queue, or dropped if there is none. Lambda's
    /// default (`AWS::Lambda::Function` in the CloudFormation template reference).
    #[default]
    Terminate,
}

/// An `Allow` statement of a role.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Permission {
    /// IAM actions: `dynamodb:GetItem`.
    #[serde(rename = "Action", deserialize_with = "one_or_more")]
    pub actions: Vec<String>,
    /// ARNs; `*` matches any sequence of characters.
    #[serde(rename = "Resource", deserialize_with = "one_or_more")]
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

/// An event source mapping: a queue that invokes a function, which reports the failed messages of a
/// batch.
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
}

/// A message that an EventBridge rule sends to a queue periodically.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// Logical id of the rule.
    pub rule: String,
    pub period_seconds: u32,
    /// Physical name of the queue.
    pub queue: String,
    /// Body of the message, as JSON.
    pub message: String,
    /// Permissions that queue policies grant to the rule.
    pub permissions: Vec<Permission>,
}

/// A CloudWatch alarm. Its state is ALARM while a number of the last periods exceed the threshold.
#[derive(Clone, Debug, PartialEq)]
pub struct Alarm {
    /// Logical id in the template.
    pub logical_id: String,
    pub description: String,
    /// The metrics. An alarm without an expression has one.
    pub metrics: Vec<AlarmMetric>,
    /// The expression over the ids of the metrics.
    pub expression: Option<String>,
    pub period_seconds: u32,
    /// Number of the last periods.
    pub evaluation_periods: u32,
    /// How many of these must exceed the threshold.
    pub datapoints_to_alarm: u32,
    pub threshold: u32,
    /// Whether it notifies anyone.
    pub has_actions: bool,
}

/// A metric of an alarm.
#[derive(Clone, Debug, PartialEq)]
pub struct AlarmMetric {
    /// Name within the expression.
    pub id: String,
    pub namespace: String,
    pub name: String,
    /// Values of the dimensions by name.
    pub dimensions: BTreeMap<String, String>,
    /// `Sum`, `Maximum`, or a percentile such as `p95`.
    pub statistic: String,
}

fn default_visibility_timeout_seconds() -> u32 {
    DEFAULT_VISIBILITY_TIMEOUT_SECONDS
}

fn default_retention_seconds() -> u32 {
    DEFAULT_RETENTION_SECONDS
}

fn days_after_initiation<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u32>, D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "PascalCase")]
    struct Abort {
        #[serde(deserialize_with = "parsed")]
        days_after_initiation: u32,
    }

    Abort::deserialize(deserializer).map(|abort| Some(abort.days_after_initiation))
}
