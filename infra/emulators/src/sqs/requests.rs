//! The requests of SQS operations.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::batch::BatchEntry;

/// A request to one queue.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct QueueRequest<P> {
    queue_url: String,
    #[serde(flatten)]
    pub(super) parameters: P,
}

impl<P> QueueRequest<P> {
    /// Returns the name of the queue: the last segment of its URL. Ignores the port, which differs
    /// between runs.
    pub(super) fn queue(&self) -> String {
        self.queue_url
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .to_owned()
    }
}

/// The parameters of an operation that has none besides the queue.
#[derive(Deserialize)]
pub(super) struct NoParameters {}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct BatchParameters<O> {
    #[serde(default = "Vec::new")]
    pub(super) entries: Vec<BatchEntry<O>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct CreateQueueRequest {
    pub(super) queue_name: String,
    #[serde(default)]
    pub(super) attributes: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct GetQueueUrlRequest {
    pub(super) queue_name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct ListQueuesRequest {
    #[serde(default)]
    pub(super) queue_name_prefix: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct GetAttributesParameters {
    #[serde(default)]
    pub(super) attribute_names: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct SetAttributesParameters {
    pub(super) attributes: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct StartMoveTaskRequest {
    pub(super) source_arn: String,
    pub(super) destination_arn: Option<String>,
}
