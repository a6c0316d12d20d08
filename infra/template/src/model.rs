//! What a template says, resolved: every reference followed, every parameter filled in.
//!
//! Names are physical ("larder-Table"), logical ids are kept for messages.

use std::collections::BTreeMap;

/// Everything that one template describes and the local stack runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stack {
    /// DynamoDB tables.
    pub tables: Vec<Table>,
    /// S3 buckets.
    pub buckets: Vec<Bucket>,
    /// SQS queues.
    pub queues: Vec<Queue>,
    /// Secrets Manager's secrets.
    pub secrets: Vec<Secret>,
    /// Lambda functions.
    pub functions: Vec<Function>,
    /// Routes of the HTTP API.
    pub routes: Vec<Route>,
    /// Queues that invoke a function.
    pub triggers: Vec<Trigger>,
    /// Messages that are sent time and again.
    pub schedules: Vec<Schedule>,
    /// Alarms on queues.
    pub alarms: Vec<QueueAlarm>,
    /// Logical id of the function behind the CloudFront distribution, where there is one.
    pub cdn_origin: Option<String>,
}

/// A DynamoDB table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Logical id in the template.
    pub logical_id: String,
    /// Physical name.
    pub name: String,
    /// The table's own key.
    pub key: Key,
    /// Types of the attributes that keys use.
    pub attributes: BTreeMap<String, AttributeType>,
    /// The attribute that holds an item's expiry, unix seconds.
    pub time_to_live: Option<String>,
}

/// A key: the partition attribute, and the sort attribute where there is one.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
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
pub struct Bucket {
    /// Logical id in the template.
    pub logical_id: String,
    /// Physical name.
    pub name: String,
    /// Cross-origin rules, first match wins.
    pub cors: Vec<CorsRule>,
    /// What expires by itself.
    pub lifecycle: Vec<LifecycleRule>,
}

/// One rule of a bucket's CORS configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct CorsRule {
    /// Origins, `*` matching any run of characters.
    pub allowed_origins: Vec<String>,
    /// Methods.
    pub allowed_methods: Vec<String>,
    /// Request headers, `*` matching any run of characters.
    pub allowed_headers: Vec<String>,
    /// Headers a script may read.
    pub exposed_headers: Vec<String>,
    /// Preflight lifetime.
    pub max_age_seconds: Option<u32>,
}

/// One rule of a bucket's lifecycle.
#[derive(Clone, Debug, PartialEq)]
pub struct LifecycleRule {
    /// Keys it speaks of.
    pub prefix: String,
    /// Objects go after so many days.
    pub expiration_days: Option<u32>,
    /// Parts of unfinished multipart uploads go after so many days.
    pub abort_multipart_days: Option<u32>,
}

/// An SQS standard queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Queue {
    /// Logical id in the template.
    pub logical_id: String,
    /// Physical name.
    pub name: String,
    /// Seconds a received message stays hidden.
    pub visibility_timeout_seconds: u32,
    /// Seconds a message is hidden at first.
    pub delay_seconds: u32,
    /// Seconds a message is kept.
    pub retention_seconds: u32,
    /// Where messages go that were received too often.
    pub redrive: Option<Redrive>,
}

/// A queue's redrive policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Redrive {
    /// Physical name of the dead-letter queue.
    pub dead_letter_queue: String,
    /// Receives before a message goes there.
    pub max_receive_count: u32,
}

/// A secret whose value is generated once.
#[derive(Clone, Debug, PartialEq)]
pub struct Secret {
    /// Logical id in the template.
    pub logical_id: String,
    /// Physical name; its ARN ends with this, `-` and
    /// [`SECRET_ARN_SUFFIX`](crate::SECRET_ARN_SUFFIX).
    pub name: String,
    /// Characters of the value.
    pub length: u32,
    /// Whether the value is made of letters and digits alone.
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
    /// Seconds before an invocation is cut off.
    pub timeout_seconds: u32,
    /// MiB of memory.
    pub memory_mib: u32,
    /// Environment, resolved.
    pub environment: BTreeMap<String, String>,
    /// What its role allows.
    pub permissions: Vec<Permission>,
    /// Whether it has a function URL.
    pub has_url: bool,
    /// What Lambda does when the function is invoked by a chain of its own messages.
    pub recursive_loop: RecursiveLoop,
}

/// What Lambda does when a chain of messages invokes a function more than 16 times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecursiveLoop {
    /// Nothing.
    Allow,
    /// It stops the chain: the message goes to its queue's dead-letter queue, or is dropped.
    Terminate,
}

/// One statement of a function's role.
#[derive(Clone, Debug, PartialEq)]
pub struct Permission {
    /// IAM actions: `dynamodb:GetItem`.
    pub actions: Vec<String>,
    /// ARNs, resolved; `*` matches any run of characters.
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

/// A queue that invokes a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Trigger {
    /// Physical name of the queue.
    pub queue: String,
    /// Logical id of the function.
    pub function: String,
    /// Most messages in one batch.
    pub batch_size: u32,
    /// Most batches at work at once, where it is bounded.
    pub maximum_concurrency: Option<u32>,
    /// Whether the function's answer names the failed messages.
    pub reports_failures: bool,
}

/// A message that a rule sends to a queue, time and again.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// Logical id of the rule.
    pub rule: String,
    /// Seconds from one time to the next.
    pub period_seconds: u32,
    /// Physical name of the queue.
    pub queue: String,
    /// The message: JSON.
    pub message: String,
}

/// An alarm that is raised when a queue holds messages.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueAlarm {
    /// Logical id of the alarm.
    pub logical_id: String,
    /// Physical name of the queue.
    pub queue: String,
}
