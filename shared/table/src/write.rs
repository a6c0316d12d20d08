//! Writes of single items, and batches of unconditional writes.

use std::collections::HashSet;

use aws_sdk_dynamodb::{
    operation::{delete_item::DeleteItemError, update_item::UpdateItemError},
    types::{
        AttributeValue, DeleteRequest, PutRequest, ReturnValue,
        ReturnValuesOnConditionCheckFailure, WriteRequest,
    },
};
use serde::Serialize;

use crate::{condition::Condition, connection::Table, errors::TableError, key::Key, read::Item};

/// Maximum writes of one batch.
const MAX_BATCH_WRITES: usize = 25;

/// Outcome of a conditional update.
pub(crate) enum Updated {
    /// The update took effect. Contains the updated item.
    Written(Item),
    /// The condition does not hold. Contains the existing item, if there is one.
    ConditionFailed(Option<Item>),
}

/// Changes of attributes of an existing item.
#[derive(Default)]
pub(crate) struct AttributeChanges<'a> {
    pub(crate) set: Vec<(&'a str, AttributeValue)>,
    pub(crate) remove: Vec<String>,
}

/// A record and the key that it is stored under.
#[derive(Clone, Debug)]
pub(crate) struct Keyed<T> {
    pub(crate) key: Key,
    pub(crate) record: T,
}

/// One write of a batch.
struct BatchWrite {
    key: Key,
    request: WriteRequest,
}

impl Table {
    /// Writes a record unconditionally. Idempotent.
    pub(crate) async fn overwrite(
        &self,
        key: Key,
        record: &impl Serialize,
    ) -> Result<(), TableError> {
        let put = self
            .client
            .put_item()
            .table_name(&self.name)
            .set_item(Some(item(key, record)?));

        self.call(|| put.clone().send()).await?;
        Ok(())
    }

    /// Updates an item if a condition holds. The condition also defines the names and values of
    /// `update`. An update whose response is lost may take effect twice.
    pub(crate) async fn update(
        &self,
        key: Key,
        update: &str,
        condition: &Condition,
    ) -> Result<Updated, TableError> {
        let update = self
            .client
            .update_item()
            .table_name(&self.name)
            .set_key(Some(key.attributes()))
            .update_expression(update)
            .set_condition_expression(condition.expression())
            .set_expression_attribute_names(condition.names())
            .set_expression_attribute_values(condition.values())
            .return_values(ReturnValue::AllNew)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        let send = || async {
            let error = match Box::pin(update.clone().send()).await {
                Ok(response) => {
                    return Ok(Updated::Written(response.attributes.unwrap_or_default()));
                }
                Err(error) => error,
            };

            match error.as_service_error() {
                Some(UpdateItemError::ConditionalCheckFailedException(failed)) => {
                    Ok(Updated::ConditionFailed(failed.item.clone()))
                }
                _ => Err(TableError::from_sdk(error)),
            }
        };

        self.retry(send).await
    }

    /// Changes attributes of an item if it exists.
    pub(crate) async fn change_existing(
        &self,
        key: Key,
        changes: &AttributeChanges<'_>,
    ) -> Result<(), TableError> {
        let mut exists = Condition::exists();
        let mut assignments = Vec::new();
        for (name, value) in &changes.set {
            exists = exists.name(name, name).value(name, value.clone());
            assignments.push(format!("#{name} = :{name}"));
        }
        let mut removals = Vec::new();
        for name in &changes.remove {
            exists = exists.name(name, name);
            removals.push(format!("#{name}"));
        }

        let mut clauses = Vec::new();
        if !assignments.is_empty() {
            clauses.push(format!("SET {}", assignments.join(", ")));
        }
        if !removals.is_empty() {
            clauses.push(format!("REMOVE {}", removals.join(", ")));
        }
        self.update(key, &clauses.join(" "), &exists).await?;
        Ok(())
    }

    /// Deletes an item if a condition holds. Idempotent.
    pub(crate) async fn delete_if(
        &self,
        key: Key,
        condition: &Condition,
    ) -> Result<(), TableError> {
        let delete = self
            .client
            .delete_item()
            .table_name(&self.name)
            .set_key(Some(key.attributes()))
            .set_condition_expression(condition.expression())
            .set_expression_attribute_names(condition.names())
            .set_expression_attribute_values(condition.values());
        let send = || async {
            let Err(error) = Box::pin(delete.clone().send()).await else {
                return Ok(());
            };

            match error.as_service_error() {
                // The item does not exist, or an attempt whose response was lost deleted it.
                Some(DeleteItemError::ConditionalCheckFailedException(_)) => Ok(()),
                _ => Err(TableError::from_sdk(error)),
            }
        };

        self.retry(send).await
    }

    /// Deletes the items of these keys, which may repeat. Idempotent.
    pub(crate) async fn delete_all(&self, keys: &[Key]) -> Result<(), TableError> {
        let mut writes = Vec::new();
        for key in keys {
            let delete = DeleteRequest::builder()
                .set_key(Some(key.clone().attributes()))
                .build()
                .map_err(TableError::rejected)?;
            writes.push(BatchWrite {
                key: key.clone(),
                request: WriteRequest::builder().delete_request(delete).build(),
            });
        }
        self.write_all(writes).await
    }

    /// Writes records unconditionally. If keys repeat, the last record is written. Idempotent.
    pub(crate) async fn overwrite_all(
        &self,
        records: &[Keyed<impl Serialize>],
    ) -> Result<(), TableError> {
        let mut writes = Vec::new();
        for Keyed { key, record } in records {
            let put = PutRequest::builder()
                .set_item(Some(item(key.clone(), record)?))
                .build()
                .map_err(TableError::rejected)?;
            writes.push(BatchWrite {
                key: key.clone(),
                request: WriteRequest::builder().put_request(put).build(),
            });
        }
        self.write_all(writes).await
    }

    /// Sends writes in batches. Of several writes of one key only the last one is sent, because
    /// `BatchWriteItem` rejects requests with duplicate keys (DynamoDB API Reference,
    /// `BatchWriteItem`).
    async fn write_all(&self, mut writes: Vec<BatchWrite>) -> Result<(), TableError> {
        let mut keys = HashSet::new();
        writes.reverse();
        writes.retain(|write| keys.insert(write.key.clone()));
        writes.reverse();

        let requests: Vec<WriteRequest> = writes.into_iter().map(|write| write.request).collect();
        for batch in requests.chunks(MAX_BATCH_WRITES) {
            self.write_batch(batch.to_vec()).await?;
        }
        Ok(())
    }

    /// Sends one batch. Repeats the writes that DynamoDB leaves unprocessed.
    async fn write_batch(&self, mut unprocessed: Vec<WriteRequest>) -> Result<(), TableError> {
        for attempt in 0..self.retries.batch_tries {
            if attempt > 0 {
                self.back_off_after_throttling(attempt).await;
            }
            let sent = self
                .client
                .batch_write_item()
                .request_items(&self.name, unprocessed.clone())
                .send()
                .await;

            let response = match sent.map_err(TableError::from_sdk) {
                Err(TableError::Throttled(_)) if self.retries.repeats_throttled_calls() => continue,
                sent => sent?,
            };
            unprocessed = response
                .unprocessed_items
                .unwrap_or_default()
                .into_values()
                .flatten()
                .collect();
            if unprocessed.is_empty() {
                return Ok(());
            }
        }
        Err(TableError::busy(
            "a batch write is still incomplete after its last retry",
        ))
    }
}

/// Returns a record as an item with its key.
pub(crate) fn item(key: Key, record: &impl Serialize) -> Result<Item, TableError> {
    let mut item: Item = serde_dynamo::aws_sdk_dynamodb_1::to_item(record)?;
    item.extend(key.attributes());
    Ok(item)
}
