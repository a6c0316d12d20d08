//! Dispatches the operations of SQS.

use axum::body::Body;
use bytes::Bytes;
use http::{Response, StatusCode};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{
    emulator::SqsEmulator,
    error::SqsError,
    message_operation::{
        CallContext, ChangeVisibility, DeleteMessage, MessageOperation, SendMessage,
    },
    queue_attributes::QueueAttributes,
    queue_store::QueueStore,
    requests::{
        BatchParameters, CreateQueueRequest, GetAttributesParameters, GetQueueUrlRequest,
        ListQueuesRequest, NoParameters, QueueRequest, SetAttributesParameters,
        StartMoveTaskRequest,
    },
};
use crate::{anomaly::Anomaly, aws_json::AwsJson, random};

/// Maximum length of a queue name, in characters.
const NAME_LENGTH_MAX: usize = 80;

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
            "CreateQueue" => self.create_queue(parse(body)?).await,
            "DeleteQueue" => self.delete_queue(parse(body)?).await,
            "GetQueueAttributes" => self.get_attributes(parse(body)?).await,
            "GetQueueUrl" => self.get_queue_url(parse(body)?).await,
            "ListQueues" => self.list_queues(parse(body)?).await,
            "PurgeQueue" => self.purge_queue(parse(body)?).await,
            "SetQueueAttributes" => self.set_attributes(parse(body)?).await,
            "StartMessageMoveTask" => self.start_move_task(parse(body)?).await,
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
            "ChangeMessageVisibilityBatch" => {
                self.apply_batch::<ChangeVisibility>(body, principal, anomaly)
                    .await
            }
            _ => Err(SqsError::unknown_operation(operation)),
        }
    }

    async fn create_queue(&self, request: CreateQueueRequest) -> Result<Value, SqsError> {
        let CreateQueueRequest {
            queue_name,
            attributes,
        } = request;
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if !(1..=NAME_LENGTH_MAX).contains(&queue_name.len()) || !queue_name.bytes().all(is_allowed)
        {
            let reason = "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length";
            return Err(SqsError::invalid_value(reason.to_owned()));
        }

        let url = self.queue_url(&queue_name);
        let checked = QueueAttributes::parse(attributes)?;
        self.blocking(move |store, now_ms| store.create_queue(&queue_name, &checked, now_ms))
            .await?;
        Ok(json!({ "QueueUrl": url }))
    }

    async fn delete_queue(&self, request: QueueRequest<NoParameters>) -> Result<Value, SqsError> {
        let queue = request.queue();
        self.blocking(move |store, _| store.delete_queue(&queue))
            .await?;
        Ok(json!({}))
    }

    async fn get_attributes(
        &self,
        request: QueueRequest<GetAttributesParameters>,
    ) -> Result<Value, SqsError> {
        let queue = request.queue();
        let names = request.parameters.attribute_names;
        let mut attributes = self
            .blocking(move |store, now_ms| store.describe(&queue, now_ms))
            .await?;

        let is_requested =
            |attribute: &String| names.iter().any(|name| name == "All" || name == attribute);
        attributes.retain(|attribute, _| is_requested(attribute));
        Ok(json!({ "Attributes": attributes }))
    }

    async fn get_queue_url(&self, request: GetQueueUrlRequest) -> Result<Value, SqsError> {
        let url = self.queue_url(&request.queue_name);
        // Fails if the queue does not exist.
        self.blocking(move |store, now_ms| store.describe(&request.queue_name, now_ms))
            .await?;
        Ok(json!({ "QueueUrl": url }))
    }

    async fn list_queues(&self, request: ListQueuesRequest) -> Result<Value, SqsError> {
        let names = self
            .blocking(move |store, _| store.queue_names(&request.queue_name_prefix))
            .await?;
        let urls: Vec<_> = names.iter().map(|name| self.queue_url(name)).collect();
        Ok(json!({ "QueueUrls": urls }))
    }

    async fn purge_queue(&self, request: QueueRequest<NoParameters>) -> Result<Value, SqsError> {
        let queue = request.queue();
        self.blocking(move |store, _| store.purge(&queue)).await?;
        Ok(json!({}))
    }

    async fn set_attributes(
        &self,
        request: QueueRequest<SetAttributesParameters>,
    ) -> Result<Value, SqsError> {
        let queue = request.queue();
        let attributes = QueueAttributes::parse(request.parameters.attributes)?;
        self.blocking(move |store, now_ms| store.set_attributes(&queue, attributes, now_ms))
            .await?;
        Ok(json!({}))
    }

    async fn start_move_task(&self, request: StartMoveTaskRequest) -> Result<Value, SqsError> {
        let StartMoveTaskRequest {
            source_arn,
            destination_arn,
        } = request;
        let redrive = move |store: &QueueStore, now_ms| {
            store.redrive(&source_arn, destination_arn.as_deref(), now_ms)
        };

        for queue in self.blocking(redrive).await? {
            self.arrivals(&queue).notify_waiters();
        }

        Ok(json!({ "TaskHandle": random::uuid() }))
    }

    /// Applies an operation to one message.
    async fn apply<O: MessageOperation + DeserializeOwned + Send + 'static>(
        &self,
        body: &[u8],
        principal: &str,
    ) -> Result<Value, SqsError> {
        let request: QueueRequest<O> = parse(body)?;
        let queue = request.queue();
        let queue_name = queue.clone();
        let principal = principal.to_owned();
        let apply = move |store: &QueueStore, now_ms| {
            let context = CallContext { now_ms, principal };
            to_json(&store.apply(&queue_name, request.parameters, &context)?)
        };

        let output = self.blocking(apply).await?;
        self.arrivals(&queue).notify_waiters();
        Ok(output)
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
        let queue_name = queue.clone();
        let entries = request.parameters.entries;
        let principal = principal.to_owned();
        let apply = move |store: &QueueStore, now_ms| {
            let context = CallContext { now_ms, principal };
            to_json(&store.apply_batch(&queue_name, entries, &context, anomaly)?)
        };

        let output = self.blocking(apply).await?;
        self.arrivals(&queue).notify_waiters();
        Ok(output)
    }
}

fn parse<R: DeserializeOwned>(body: &[u8]) -> Result<R, SqsError> {
    serde_json::from_slice(body).map_err(|error| SqsError::invalid_value(error.to_string()))
}

fn to_json(output: &impl Serialize) -> Result<Value, SqsError> {
    serde_json::to_value(output).map_err(|error| SqsError::internal(&error))
}
