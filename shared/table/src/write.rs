//! Writes of single items, and batches of unconditional writes.

use std::collections::HashSet;

use aws_sdk_dynamodb::{
    operation::{delete_item::DeleteItemError, update_item::UpdateItemError},
    types::{
        DeleteRequest, PutRequest, ReturnValue, ReturnValuesOnConditionCheckFailure, WriteRequest,
    },
};
use serde::Serialize;

use crate::{Table, TableError, condition::Condition, key::Key, read::Item};

/// Maximum writes of one batch.
const BATCH_WRITES_MAX: usize = 25;

/// Outcome of a conditional update.
pub(crate) enum Updated {
    /// It took effect. The item after it.
    Written(Item),
    /// Its condition does not hold. The item as it is, `None` if none exists.
    ConditionFailed(Option<Item>),
}

impl Table {
    /// Writes a record in place of whatever is there; safe to repeat.
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

    /// Updates an item if its condition holds. The condition defines the names and values of
    /// `update` too. An update whose answer is lost may take effect twice.
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
                Ok(answer) => return Ok(Updated::Written(answer.attributes.unwrap_or_default())),
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

    /// Deletes an item if its condition holds; safe to repeat.
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
                // There is nothing to delete, or it was deleted by a try whose answer was lost.
                Some(DeleteItemError::ConditionalCheckFailedException(_)) => Ok(()),
                _ => Err(TableError::from_sdk(error)),
            }
        };
        self.retry(send).await
    }

    /// Removes the items of these keys, each once; safe to repeat.
    pub(crate) async fn delete_all(&self, keys: &[Key]) -> Result<(), TableError> {
        let mut requests = Vec::new();
        for key in keys {
            let delete = DeleteRequest::builder()
                .set_key(Some(key.clone().attributes()))
                .build();
            let delete = delete.map_err(TableError::refused)?;
            requests.push((key, WriteRequest::builder().delete_request(delete).build()));
        }
        self.write_all(requests).await
    }

    /// Writes records unconditionally, of each key the last one; safe to repeat.
    pub(crate) async fn overwrite_all(
        &self,
        records: &[(Key, impl Serialize)],
    ) -> Result<(), TableError> {
        let mut requests = Vec::new();
        for (key, record) in records {
            let put = PutRequest::builder()
                .set_item(Some(item(key.clone(), record)?))
                .build();
            let put = put.map_err(TableError::refused)?;
            requests.push((key, WriteRequest::builder().put_request(put).build()));
        }
        self.write_all(requests).await
    }

    /// Sends writes in batches. Of several writes of one key the last one is sent: `BatchWriteItem`
    /// refuses a request that has two (`BatchWriteItem` in the DynamoDB API reference).
    async fn write_all(&self, mut requests: Vec<(&Key, WriteRequest)>) -> Result<(), TableError> {
        let mut sent = HashSet::new();
        requests.reverse();
        requests.retain(|(key, _)| sent.insert(*key));
        requests.reverse();

        let requests: Vec<WriteRequest> =
            requests.into_iter().map(|(_, request)| request).collect();
        for batch in requests.chunks(BATCH_WRITES_MAX) {
            self.write_batch(batch.to_vec()).await?;
        }
        Ok(())
    }

    async fn write_batch(&self, mut rest: Vec<WriteRequest>) -> Result<(), TableError> {
        for attempt in 0..self.retries.batch_tries {
            if attempt > 0 {
                self.pause_after_throttling(attempt).await;
            }
            let sent = self
                .client
                .batch_write_item()
                .request_items(&self.name, rest.clone())
                .send()
                .await;
            let answer = match sent.map_err(TableError::from_sdk) {
                Err(TableError::Throttled(_)) if self.retries.repeats_throttled_calls() => continue,
                sent => sent?,
            };
            rest = answer
                .unprocessed_items
                .unwrap_or_default()
                .into_values()
                .flatten()
                .collect();
            if rest.is_empty() {
                return Ok(());
            }
        }
        Err(TableError::busy("a batch of writes stayed incomplete"))
    }
}

/// A record as an item.
pub(crate) fn item(key: Key, record: &impl Serialize) -> Result<Item, TableError> {
    let mut item: Item = serde_dynamo::aws_sdk_dynamodb_1::to_item(record)?;
    item.extend(key.attributes());
    Ok(item)
}
