//! The dead-letter queues of a stack.

use std::collections::BTreeMap;

use aws_sdk_sqs::{Client, types::QueueAttributeName};
use serde_json::Value;

use crate::{OperationError, aws::Access, cli::Target};

/// Number of queues of a page. `ListQueues` returns a token for more only if this is specified
/// ("`ListQueues`" in the SQS API Reference).
const PAGE: i32 = 1_000;

/// A stack with queues.
pub(crate) struct Stack {
    pub(crate) client: Client,
    name: String,
}

/// A queue that others name in their redrive policy.
pub(crate) struct DeadLetterQueue {
    pub(crate) name: String,
    pub(crate) url: String,
    /// Approximate number of messages that can be received.
    pub(crate) messages: usize,
    /// Approximate number of received messages that are not deleted.
    pub(crate) in_flight: usize,
    /// The queues that name it.
    pub(crate) sources: Vec<Source>,
}

/// A queue with a redrive policy.
#[derive(Clone)]
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) url: String,
}

/// A queue with its attributes.
struct Described {
    name: String,
    url: String,
    attributes: BTreeMap<String, String>,
}

impl Described {
    fn number(&self, attribute: &QueueAttributeName) -> usize {
        let value = self.attributes.get(attribute.as_str());
        value.and_then(|value| value.parse().ok()).unwrap_or(0)
    }

    /// Returns the ARN of its dead-letter queue.
    fn target(&self) -> Option<String> {
        let policy = self
            .attributes
            .get(QueueAttributeName::RedrivePolicy.as_str())?;
        let policy: Value = serde_json::from_str(policy).ok()?;
        Some(policy["deadLetterTargetArn"].as_str()?.to_owned())
    }
}

impl Stack {
    /// Reads the credentials of a stack. Calls nothing.
    pub(crate) fn connect(
        target: Target,
        variables: &BTreeMap<String, String>,
    ) -> Result<Stack, OperationError> {
        let access = Access::of(target, variables)?;
        Ok(Stack {
            client: access.client,
            name: access.stack,
        })
    }

    /// Returns the dead-letter queues of the stack, by name.
    pub(crate) async fn dead_letter_queues(&self) -> Result<Vec<DeadLetterQueue>, OperationError> {
        let mut queues = Vec::new();
        for url in self.queue_urls().await? {
            queues.push(self.describe(url).await?);
        }

        let mut sources: BTreeMap<String, Vec<Source>> = BTreeMap::new();
        for queue in &queues {
            if let Some(target) = queue.target() {
                let source = Source {
                    name: queue.name.clone(),
                    url: queue.url.clone(),
                };
                sources.entry(target).or_default().push(source);
            }
        }

        let mut found: Vec<_> = queues
            .into_iter()
            .filter_map(|queue| {
                let arn = queue
                    .attributes
                    .get(QueueAttributeName::QueueArn.as_str())?;
                let sources = sources.get(arn)?.clone();
                Some(DeadLetterQueue {
                    messages: queue.number(&QueueAttributeName::ApproximateNumberOfMessages),
                    in_flight: queue
                        .number(&QueueAttributeName::ApproximateNumberOfMessagesNotVisible),
                    name: queue.name,
                    url: queue.url,
                    sources,
                })
            })
            .collect();
        found.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(found)
    }

    /// Returns the dead-letter queue with a name or a logical id.
    pub(crate) async fn dead_letter_queue(
        &self,
        name: &str,
    ) -> Result<DeadLetterQueue, OperationError> {
        let mut queues = self.dead_letter_queues().await?;
        let is_wanted = |queue: &DeadLetterQueue| {
            queue.name == name || self.logical_id(&queue.name) == Some(name)
        };
        if let Some(index) = queues.iter().position(is_wanted) {
            return Ok(queues.swap_remove(index));
        }

        let names: Vec<_> = queues.into_iter().map(|queue| queue.name).collect();
        Err(OperationError::UnknownQueue {
            name: name.to_owned(),
            existing: names.join(", "),
        })
    }

    /// Returns the logical id in the name of a queue of the stack. `None` for a queue of another stack,
    /// whose name may begin with that of this one.
    ///
    /// CloudFormation names a queue `STACK-LOGICALID-RANDOM` ("Name type" in the CloudFormation User
    /// Guide), and the local stack `STACK-LOGICALID`. Logical ids are alphanumeric.
    fn logical_id<'a>(&self, queue: &'a str) -> Option<&'a str> {
        let rest = queue.strip_prefix(&self.name)?.strip_prefix('-')?;
        let mut parts = rest.split('-');
        let logical_id = parts.next();
        let _random = parts.next();
        logical_id.filter(|_| parts.next().is_none())
    }

    async fn queue_urls(&self) -> Result<Vec<String>, OperationError> {
        let mut pages = self
            .client
            .list_queues()
            .queue_name_prefix(format!("{}-", self.name))
            .max_results(PAGE)
            .into_paginator()
            .send();
        let mut urls = Vec::new();
        while let Some(page) = pages.next().await {
            let page = page.map_err(OperationError::sqs("ListQueues"))?;
            urls.extend(page.queue_urls.unwrap_or_default());
        }
        urls.retain(|url| self.logical_id(queue_name(url)).is_some());
        Ok(urls)
    }

    async fn describe(&self, url: String) -> Result<Described, OperationError> {
        let described = self
            .client
            .get_queue_attributes()
            .queue_url(&url)
            .attribute_names(QueueAttributeName::All)
            .send()
            .await
            .map_err(OperationError::sqs("GetQueueAttributes"))?;
        let attributes = described.attributes.unwrap_or_default();
        Ok(Described {
            name: queue_name(&url).to_owned(),
            url,
            attributes: attributes
                .into_iter()
                .map(|(name, value)| (name.as_str().to_owned(), value))
                .collect(),
        })
    }
}

/// Returns the name in the URL of a queue.
fn queue_name(url: &str) -> &str {
    url.rsplit('/').next().unwrap_or_default()
}
