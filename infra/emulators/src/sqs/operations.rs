//! Parses and dispatches the operations of SQS.

use axum::body::Body;
use bytes::Bytes;
use http::{Response, StatusCode};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

use super::{
    batch::BatchEntry,
    emulator::SqsEmulator,
    error::SqsError,
    message_operation::{
        CallContext, ChangeVisibility, DeleteMessage, MessageOperation, SendMessage,
    },
    queue_store::QueueStore,
};
use crate::{anomaly::Anomaly, arn, aws_json::AwsJson};

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
        let name = self.queue_url.rsplit('/').next();
        name.unwrap_or_default().to_owned()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct BatchParameters<O> {
    #[serde(default = "Vec::new")]
    entries: Vec<BatchEntry<O>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct GetAttributesParameters {
    #[serde(default)]
    attribute_names: Vec<String>,
}

impl SqsEmulator {
    /// Responds to one request of a principal. An anomaly that does not fit the operation is
    /// ignored.
    pub(crate) async fn handle(
        &self,
        operation: &str,
        body: Bytes,
        principal: &str,
        anomaly: Option<Anomaly>,
    ) -> Response<Body> {
        match self.dispatch(operation, &body, principal, anomaly).await {
            Ok(output) => AwsJson::V1_0.response(StatusCode::OK, &output),
            Err(error) => error.response(),
        }
    }

    async fn dispatch(
        &self,
        operation: &str,
        body: &[u8],
        principal: &str,
        anomaly: Option<Anomaly>,
    ) -> Result<Value, SqsError> {
        match operation {
            "GetQueueAttributes" => self.get_attributes(parse(body)?).await,
            "ReceiveMessage" => self.receive(parse(body)?, principal, anomaly).await,
            "SendMessage" => self.apply::<SendMessage>(body, principal).await,
            "SendMessageBatch" => {
                self.apply_batch::<SendMessage>(body, principal, anomaly)
                    .await
            }
            "DeleteMessage" => self.apply::<DeleteMessage>(body, principal).await,
            "DeleteMessageBatch" => {
                self.apply_batch::<DeleteMessage>(body, principal, anomaly)
                    .await
            }
            "ChangeMessageVisibility" => self.apply::<ChangeVisibility>(body, principal).await,
            _ => Err(SqsError::UnknownOperation(operation.to_owned())),
        }
    }

    async fn get_attributes(
        &self,
        request: QueueRequest<GetAttributesParameters>,
    ) -> Result<Value, SqsError> {
        let queue = request.queue();
        let queue_arn = arn::queue(&queue);
        let counts = self
            .blocking(move |store, now_ms| store.count(&queue, now_ms))
            .await?;
        let all = [
            ("QueueArn", queue_arn),
            ("ApproximateNumberOfMessages", counts.visible.to_string()),
            (
                "ApproximateNumberOfMessagesNotVisible",
                counts.in_flight.to_string(),
            ),
            (
                "ApproximateNumberOfMessagesDelayed",
                counts.delayed.to_string(),
            ),
        ];

        let mut attributes = Map::new();
        for name in request.parameters.attribute_names {
            let wanted = all
                .iter()
                .filter(|(each, _)| name == "All" || *each == name);
            let before = attributes.len();
            attributes.extend(wanted.map(|(name, value)| ((*name).to_owned(), json!(value))));
            if attributes.len() == before {
                return Err(SqsError::InvalidAttributeName(name));
            }
        }
        Ok(json!({ "Attributes": attributes }))
    }

    /// Applies an operation to one message.
    async fn apply<O: MessageOperation + DeserializeOwned + Send + 'static>(
        &self,
        body: &[u8],
        principal: &str,
    ) -> Result<Value, SqsError> {
        let request: QueueRequest<O> = parse(body)?;
        let queue = request.queue();
        let operation = request.parameters;
        self.change(queue, principal, move |store, queue, context| {
            to_json(&store.apply(queue, operation, context)?)
        })
        .await
    }

    /// Applies an operation to each entry of a batch.
    async fn apply_batch<O: MessageOperation + DeserializeOwned + Send + 'static>(
        &self,
        body: &[u8],
        principal: &str,
        anomaly: Option<Anomaly>,
    ) -> Result<Value, SqsError> {
        let request: QueueRequest<BatchParameters<O>> = parse(body)?;
        let queue = request.queue();
        let entries = request.parameters.entries;
        self.change(queue, principal, move |store, queue, context| {
            to_json(&store.apply_batch(queue, entries, context, anomaly)?)
        })
        .await
    }

    /// Changes the messages of a queue, and notifies its long polls.
    async fn change(
        &self,
        queue: String,
        principal: &str,
        change: impl FnOnce(&QueueStore, &str, &CallContext) -> Result<Value, SqsError> + Send + 'static,
    ) -> Result<Value, SqsError> {
        let arrivals = self.arrivals(&queue);
        let principal = principal.to_owned();
        let output = self
            .blocking(move |store, now_ms| {
                change(store, &queue, &CallContext { now_ms, principal })
            })
            .await?;
        arrivals.notify_waiters();
        Ok(output)
    }
}

fn parse<R: DeserializeOwned>(body: &[u8]) -> Result<R, SqsError> {
    serde_json::from_slice(body).map_err(|error| SqsError::InvalidParameterValue(error.to_string()))
}

fn to_json(output: &impl Serialize) -> Result<Value, SqsError> {
    serde_json::to_value(output).map_err(|error| SqsError::internal(&error))
}
