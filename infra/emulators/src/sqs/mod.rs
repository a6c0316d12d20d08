//! SQS: standard queues over AWS JSON 1.0, kept in SQLite.
//!
//! Invariants: time is the injected clock's, and SQLite is never called on a thread that serves
//! requests.

mod attributes;
mod batch;
mod error;
mod message;
mod receive;
mod redrive;
mod send;
mod store;

use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use axum::body::Body;
use bytes::Bytes;
use http::{Response, StatusCode};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::{
    anomaly::Anomaly,
    arn::ACCOUNT_ID,
    clock::Clock,
    error::{ProvisionError, StartError},
    random,
    server::Stopping,
};
use attributes::Attributes;
use batch::Entry;
use error::{SqsError, json_answer};
use receive::Receive;
use send::{Act, Caller, Deletion, NewMessage, VisibilityChange};
use store::Store;

pub use store::MessageCounts;

/// Characters of a queue's name.
const NAME_LENGTH_MAX: usize = 80;

/// The queues. Clones share them.
#[derive(Clone)]
pub(crate) struct Sqs {
    store: Arc<Store>,
    clock: Arc<dyn Clock>,
    /// Who waits for messages, by queue.
    arrivals: Arc<Mutex<HashMap<String, Arc<Notify>>>>,
    /// Address of the service, without a slash at the end.
    url: Arc<str>,
    stopping: Stopping,
}

/// A request about one queue.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct OnQueue<R> {
    queue_url: String,
    #[serde(flatten)]
    request: R,
}

impl<R> OnQueue<R> {
    /// The queue's name: the last part of its address. Which port that names depends on when it was
    /// learnt.
    fn queue(&self) -> String {
        self.queue_url
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .to_owned()
    }
}

#[derive(Deserialize)]
struct NothingMore {}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Entries<A> {
    #[serde(default = "Vec::new")]
    entries: Vec<Entry<A>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct NamedQueue {
    queue_name: String,
    #[serde(default)]
    attributes: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Prefix {
    #[serde(default)]
    queue_name_prefix: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct AttributeNames {
    #[serde(default)]
    attribute_names: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct NewAttributes {
    attributes: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct MoveTask {
    source_arn: String,
    destination_arn: Option<String>,
}

impl Sqs {
    /// Opens the queues, or an empty set of them.
    pub(crate) fn open(
        path: &Path,
        url: &str,
        clock: Arc<dyn Clock>,
        stopping: Stopping,
    ) -> Result<Sqs, StartError> {
        let store = Store::open(path).map_err(|error| StartError::damaged(path, &error))?;
        Ok(Sqs {
            store: Arc::new(store),
            clock,
            arrivals: Arc::default(),
            url: url.into(),
            stopping,
        })
    }

    /// Makes a queue, or gives one that exists the attributes of its description. Blocks.
    pub(crate) fn ensure(&self, queue: &template::Queue) -> Result<(), ProvisionError> {
        let ensured =
            self.store
                .ensure_queue(&queue.name, &Attributes::of(queue), self.clock.now_ms());
        ensured.map_err(|error| ProvisionError::Queue {
            queue: queue.name.clone(),
            reason: error.to_string(),
        })
    }

    /// Removes messages that are older than their queue keeps them. Blocks.
    pub(crate) fn remove_expired(&self) -> Result<(), impl std::error::Error> {
        self.store.remove_expired(self.clock.now_ms())
    }

    /// Counts the messages of a queue. `None` if the store does not answer.
    pub(crate) async fn count(&self, queue: &str) -> Option<MessageCounts> {
        let queue = queue.to_owned();
        self.blocking(move |store, now_ms| store.count(&queue, now_ms))
            .await
            .ok()
    }

    /// Answers one request of a principal, with a anomaly that does nothing where it makes no sense.
    pub(crate) async fn answer(
        &self,
        operation: &str,
        body: Bytes,
        principal: &str,
        anomaly: Option<Anomaly>,
    ) -> Response<Body> {
        match self.perform(operation, &body, principal, anomaly).await {
            Ok(done) => json_answer(StatusCode::OK, done.to_string()),
            Err(error) => error.answer(),
        }
    }

    async fn perform(
        &self,
        operation: &str,
        body: &[u8],
        principal: &str,
        anomaly: Option<Anomaly>,
    ) -> Result<Value, SqsError> {
        match operation {
            "CreateQueue" => self.create(parse(body)?).await,
            "DeleteQueue" => {
                let queue = parse::<OnQueue<NothingMore>>(body)?.queue();
                self.blocking(move |store, _| store.delete_queue(&queue))
                    .await
                    .map(|()| json!({}))
            }
            "GetQueueAttributes" => self.attributes(parse(body)?).await,
            "GetQueueUrl" => {
                let NamedQueue { queue_name, .. } = parse(body)?;
                let url = self.queue_url(&queue_name);
                self.blocking(move |store, now_ms| store.describe(&queue_name, now_ms))
                    .await?;
                Ok(json!({ "QueueUrl": url }))
            }
            "ListQueues" => {
                let Prefix { queue_name_prefix } = parse(body)?;
                let names = self
                    .blocking(move |store, _| store.queue_names(&queue_name_prefix))
                    .await?;
                let urls: Vec<_> = names.iter().map(|name| self.queue_url(name)).collect();
                Ok(json!({ "QueueUrls": urls }))
            }
            "PurgeQueue" => {
                let queue = parse::<OnQueue<NothingMore>>(body)?.queue();
                self.blocking(move |store, _| store.purge(&queue))
                    .await
                    .map(|()| json!({}))
            }
            "SetQueueAttributes" => {
                let request: OnQueue<NewAttributes> = parse(body)?;
                let queue = request.queue();
                let attributes = Attributes::parse(request.request.attributes)?;
                let set =
                    move |store: &Store, now_ms| store.set_attributes(&queue, attributes, now_ms);
                self.blocking(set).await.map(|()| json!({}))
            }
            "StartMessageMoveTask" => self.redrive(parse(body)?).await,
            "ReceiveMessage" => self.receive(parse(body)?, principal, anomaly).await,
            "SendMessage" => self.act::<NewMessage>(body, principal).await,
            "SendMessageBatch" => {
                self.act_on_all::<NewMessage>(body, principal, anomaly)
                    .await
            }
            "DeleteMessage" => self.act::<Deletion>(body, principal).await,
            "DeleteMessageBatch" => self.act_on_all::<Deletion>(body, principal, anomaly).await,
            "ChangeMessageVisibility" => self.act::<VisibilityChange>(body, principal).await,
            "ChangeMessageVisibilityBatch" => {
                self.act_on_all::<VisibilityChange>(body, principal, anomaly)
                    .await
            }
            _ => Err(SqsError::unknown_operation(operation)),
        }
    }

    async fn create(&self, request: NamedQueue) -> Result<Value, SqsError> {
        let NamedQueue {
            queue_name,
            attributes,
        } = request;
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if !(1..=NAME_LENGTH_MAX).contains(&queue_name.len()) || !queue_name.bytes().all(allowed) {
            let reason = "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length";
            return Err(SqsError::invalid_value(reason.to_owned()));
        }
        let url = self.queue_url(&queue_name);
        let attributes = Attributes::parse(attributes)?;
        self.blocking(move |store, now_ms| store.create_queue(&queue_name, &attributes, now_ms))
            .await?;
        Ok(json!({ "QueueUrl": url }))
    }

    async fn attributes(&self, request: OnQueue<AttributeNames>) -> Result<Value, SqsError> {
        let (queue, wanted) = (request.queue(), request.request.attribute_names);
        let mut attributes = self
            .blocking(move |store, now_ms| store.describe(&queue, now_ms))
            .await?;
        attributes.retain(|name, _| {
            wanted
                .iter()
                .any(|wanted| wanted == "All" || wanted == name)
        });
        Ok(json!({ "Attributes": attributes }))
    }

    async fn redrive(&self, request: MoveTask) -> Result<Value, SqsError> {
        let MoveTask {
            source_arn,
            destination_arn,
        } = request;
        let redrive = move |store: &Store, now_ms| {
            store.redrive(&source_arn, destination_arn.as_deref(), now_ms)
        };
        for queue in self.blocking(redrive).await? {
            self.arrivals(&queue).notify_waiters();
        }
        Ok(json!({ "TaskHandle": random::uuid() }))
    }

    /// Takes messages, waiting for the first where the request says so.
    async fn receive(
        &self,
        request: OnQueue<Receive>,
        principal: &str,
        anomaly: Option<Anomaly>,
    ) -> Result<Value, SqsError> {
        let queue = request.queue();
        let receive = request.request;
        let (name, wanted) = (queue.clone(), receive.clone());
        let wait_seconds = self
            .blocking(move |store, _| store.wait_seconds(&name, &wanted))
            .await?;
        let deadline_ms = self.clock.now_ms() + wait_seconds * 1000;
        let arrivals = self.arrivals(&queue);
        let mut stopping = self.stopping.clone();
        loop {
            // Registered before looking, so that nothing arrives unseen in between.
            let arrival = arrivals.notified();
            tokio::pin!(arrival);
            arrival.as_mut().enable();
            let (name, wanted) = (queue.clone(), receive.clone());
            let principal = principal.to_owned();
            let look = move |store: &Store, now_ms| {
                store.receive(&name, &wanted, &Caller { now_ms, principal }, anomaly)
            };
            let look = self.blocking(look).await?;
            if let Some(dead_letter_queue) = &look.dead_letter_queue {
                self.arrivals(dead_letter_queue).notify_waiters();
            }
            if !look.messages.is_empty() {
                if anomaly == Some(Anomaly::DuplicateDelivery) {
                    arrivals.notify_waiters();
                }
                return Ok(json!({ "Messages": look.messages }));
            }
            if self.clock.now_ms() >= deadline_ms {
                return Ok(json!({}));
            }
            let until_ms = look
                .next_visible_ms
                .map_or(deadline_ms, |next_ms| next_ms.min(deadline_ms));
            tokio::select! {
                () = arrival => {}
                () = self.clock.sleep_until(until_ms) => {}
                _ = stopping.changed() => return Ok(json!({})),
            }
        }
    }

    async fn act<A: Act + DeserializeOwned + Send + 'static>(
        &self,
        body: &[u8],
        principal: &str,
    ) -> Result<Value, SqsError> {
        let request: OnQueue<A> = parse(body)?;
        let queue = request.queue();
        let name = queue.clone();
        let principal = principal.to_owned();
        let act = move |store: &Store, now_ms| {
            serialized(&store.act(&name, request.request, &Caller { now_ms, principal })?)
        };
        let done = self.blocking(act).await?;
        self.arrivals(&queue).notify_waiters();
        Ok(done)
    }

    async fn act_on_all<A: Act + DeserializeOwned + Send + 'static>(
        &self,
        body: &[u8],
        principal: &str,
        anomaly: Option<Anomaly>,
    ) -> Result<Value, SqsError> {
        let request: OnQueue<Entries<A>> = parse(body)?;
        let queue = request.queue();
        let name = queue.clone();
        let entries = request.request.entries;
        let principal = principal.to_owned();
        let act = move |store: &Store, now_ms| {
            serialized(&store.act_on_all(&name, entries, &Caller { now_ms, principal }, anomaly)?)
        };
        let done = self.blocking(act).await?;
        self.arrivals(&queue).notify_waiters();
        Ok(done)
    }

    /// Runs what calls SQLite where it holds nobody up, at the time that it is now.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store, i64) -> Result<T, SqsError> + Send + 'static,
    ) -> Result<T, SqsError> {
        let (store, now_ms) = (Arc::clone(&self.store), self.clock.now_ms());
        match tokio::task::spawn_blocking(move || work(&store, now_ms)).await {
            Ok(done) => done,
            Err(error) => Err(SqsError::internal(&error)),
        }
    }

    fn arrivals(&self, queue: &str) -> Arc<Notify> {
        let mut arrivals = self.arrivals.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(arrivals.entry(queue.to_owned()).or_default())
    }

    fn queue_url(&self, name: &str) -> String {
        format!("{}/{ACCOUNT_ID}/{name}", self.url)
    }
}

fn parse<R: DeserializeOwned>(body: &[u8]) -> Result<R, SqsError> {
    serde_json::from_slice(body).map_err(|error| SqsError::invalid_value(error.to_string()))
}

fn serialized(done: &impl serde::Serialize) -> Result<Value, SqsError> {
    serde_json::to_value(done).map_err(|error| SqsError::internal(&error))
}
