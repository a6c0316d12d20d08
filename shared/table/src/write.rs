//! Writes: transactions of conditional changes, and what becomes of them when they conflict or their answer is lost.
//!
//! Every transaction carries a token, so that repeating one whose answer was lost finds it done instead of refused. One
//! that answers a request which is done once completes that request's claim, so neither is written without the other.

use std::{collections::HashSet, error::Error as StdError};

use aws_sdk_dynamodb::{
    config::http::HttpResponse,
    error::{ProvideErrorMetadata, SdkError},
    operation::{
        delete_item::{DeleteItemError, DeleteItemOutput},
        transact_write_items::TransactWriteItemsError,
    },
    types::{
        AttributeValue, CancellationReason, ConditionCheck, Delete, DeleteRequest, Put, PutRequest, TransactWriteItem,
        WriteRequest,
        builders::{ConditionCheckBuilder, PutBuilder},
    },
};
use serde::Serialize;

use crate::{
    Completion, Error, Table,
    key::{Key, PARTITION},
    read::Item,
    retry::{CONFLICT_TRIES, TransactionTries},
};

/// Most writes of one batch.
const BATCH_WRITES: usize = 25;
/// Most members of a transaction.
pub(crate) const TRANSACTION_MEMBERS: usize = 100;

/// The refusal of a single write of an item that a transaction is at work on.
const CONFLICT: &str = "TransactionConflictException";

/// Cancellation reasons of a transaction that was throttled (`TransactWriteItems` in the DynamoDB API reference).
const THROTTLED: [&str; 2] = ["ProvisionedThroughputExceeded", "ThrottlingError"];

/// How a transaction failed.
#[derive(Debug)]
pub(crate) enum NotWritten {
    /// The conditions of these members, counted from 0, do not hold. Nothing was written.
    Refused(Vec<usize>),
    /// The table failed. Whether anything was written is not known.
    Failed(Error),
}

impl From<Error> for NotWritten {
    fn from(error: Error) -> NotWritten {
        NotWritten::Failed(error)
    }
}

impl Table {
    /// A member that writes a record where there is none.
    pub(crate) fn put_new(&self, key: Key, record: &impl Serialize) -> Result<TransactWriteItem, Error> {
        let put = Put::builder()
            .condition_expression("attribute_not_exists(#partition)")
            .expression_attribute_names("#partition", PARTITION);
        self.put(put, key, record)
    }

    /// A member that writes a record in place of one whose attribute has this value.
    pub(crate) fn put_over(
        &self,
        key: Key,
        record: &impl Serialize,
        (name, value): (&str, AttributeValue),
    ) -> Result<TransactWriteItem, Error> {
        let put = Put::builder()
            .condition_expression("#name = :value")
            .expression_attribute_names("#name", name)
            .expression_attribute_values(":value", value);
        self.put(put, key, record)
    }

    /// A member that writes a record, whatever is there.
    pub(crate) fn put_any(&self, key: Key, record: &impl Serialize) -> Result<TransactWriteItem, Error> {
        self.put(Put::builder(), key, record)
    }

    /// A member that removes whatever is there.
    pub(crate) fn delete_any(&self, key: Key) -> Result<TransactWriteItem, Error> {
        let delete = Delete::builder().table_name(&self.name).set_key(Some(key.attributes())).build();
        Ok(TransactWriteItem::builder().delete(delete.map_err(|error| Error::Refused(error.into()))?).build())
    }

    /// A member that removes a record whose attribute has this value.
    pub(crate) fn delete_where(
        &self,
        key: Key,
        (name, value): (&str, AttributeValue),
    ) -> Result<TransactWriteItem, Error> {
        let delete = Delete::builder()
            .table_name(&self.name)
            .set_key(Some(key.attributes()))
            .condition_expression("#name = :value")
            .expression_attribute_names("#name", name)
            .expression_attribute_values(":value", value)
            .build()
            .map_err(|error| Error::Refused(error.into()))?;
        Ok(TransactWriteItem::builder().delete(delete).build())
    }

    /// A member that holds where a record is there.
    pub(crate) fn exists(&self, key: Key) -> Result<TransactWriteItem, Error> {
        let check = ConditionCheck::builder().condition_expression("attribute_exists(#name)");
        self.check(check.expression_attribute_names("#name", PARTITION), key)
    }

    /// A member that holds where a record's attribute has another value than this.
    pub(crate) fn differs(&self, key: Key, (name, value): (&str, AttributeValue)) -> Result<TransactWriteItem, Error> {
        let check = ConditionCheck::builder().condition_expression("attribute_exists(#name) AND #name <> :value");
        let check = check.expression_attribute_names("#name", name).expression_attribute_values(":value", value);
        self.check(check, key)
    }

    /// A member that holds where a condition does.
    pub(crate) fn check(&self, check: ConditionCheckBuilder, key: Key) -> Result<TransactWriteItem, Error> {
        let check = check.table_name(&self.name).set_key(Some(key.attributes())).build();
        let check = check.map_err(|error| Error::Refused(error.into()))?;
        Ok(TransactWriteItem::builder().condition_check(check).build())
    }

    fn put(&self, put: PutBuilder, key: Key, record: &impl Serialize) -> Result<TransactWriteItem, Error> {
        let put = put.table_name(&self.name).set_item(Some(item(key, record)?)).build();
        let put = put.map_err(|error| Error::Refused(error.into()))?;
        Ok(TransactWriteItem::builder().put(put).build())
    }

    /// Writes a record in place of whatever is there; safe to repeat.
    pub(crate) async fn overwrite(&self, key: Key, record: &impl Serialize) -> Result<(), Error> {
        let put = self.client.put_item().table_name(&self.name).set_item(Some(item(key, record)?));
        self.unless_throttled(|| put.clone().send()).await?;
        Ok(())
    }

    /// Removes a record whose attribute has this value, where there is one; safe to repeat.
    pub(crate) async fn delete_if(&self, key: Key, name: &str, value: AttributeValue) -> Result<(), Error> {
        let deleted = self
            .client
            .delete_item()
            .table_name(&self.name)
            .set_key(Some(key.attributes()))
            .condition_expression("#name = :value")
            .expression_attribute_names("#name", name)
            .expression_attribute_values(":value", value)
            .send()
            .await;
        unless_refused(deleted)
    }

    /// Removes the items of these keys, each once; safe to repeat.
    pub(crate) async fn delete_all(&self, keys: &[Key]) -> Result<(), Error> {
        let mut requests = Vec::new();
        for key in keys {
            let delete = DeleteRequest::builder().set_key(Some(key.clone().attributes())).build();
            let delete = delete.map_err(|error| Error::Refused(error.into()))?;
            requests.push((key, WriteRequest::builder().delete_request(delete).build()));
        }
        self.write_all(requests).await
    }

    /// Writes records unconditionally, of each key the last one; safe to repeat.
    pub(crate) async fn overwrite_all(&self, records: &[(Key, impl Serialize)]) -> Result<(), Error> {
        let mut requests = Vec::new();
        for (key, record) in records {
            let put = PutRequest::builder().set_item(Some(item(key.clone(), record)?)).build();
            let put = put.map_err(|error| Error::Refused(error.into()))?;
            requests.push((key, WriteRequest::builder().put_request(put).build()));
        }
        self.write_all(requests).await
    }

    /// Sends writes in batches. Of several writes of one key the last one is sent: `BatchWriteItem` refuses a request
    /// that has two (`BatchWriteItem` in the DynamoDB API reference).
    async fn write_all(&self, mut requests: Vec<(&Key, WriteRequest)>) -> Result<(), Error> {
        let mut sent = HashSet::new();
        requests.reverse();
        requests.retain(|(key, _)| sent.insert(*key));
        requests.reverse();

        let requests: Vec<WriteRequest> = requests.into_iter().map(|(_, request)| request).collect();
        for batch in requests.chunks(BATCH_WRITES) {
            self.write_batch(batch.to_vec()).await?;
        }
        Ok(())
    }

    async fn write_batch(&self, mut rest: Vec<WriteRequest>) -> Result<(), Error> {
        for attempt in 0..self.retries.batch_tries {
            if attempt > 0 {
                self.retries.pause(&self.sources, attempt).await;
            }
            let sent = self.client.batch_write_item().request_items(&self.name, rest.clone()).send().await;
            let answer = match sent.map_err(Error::from_sdk) {
                Err(Error::Throttled(_)) if self.retries.repeats_throttled_calls() => continue,
                sent => sent?,
            };
            rest = answer.unprocessed_items.unwrap_or_default().into_values().flatten().collect();
            if rest.is_empty() {
                return Ok(());
            }
        }
        Err(Error::busy("a batch of writes stayed incomplete"))
    }

    /// Repeats a call while DynamoDB throttles it, as often as the table's policy allows.
    pub(crate) async fn unless_throttled<T, E, F>(&self, call: impl Fn() -> F) -> Result<T, Error>
    where
        E: StdError + ProvideErrorMetadata + Send + Sync + 'static,
        F: Future<Output = Result<T, SdkError<E, HttpResponse>>>,
    {
        let mut attempt = 1;
        loop {
            // In a box, so that the futures of requests stay small.
            let called = Box::pin(call()).await.map_err(Error::from_sdk);
            if attempt >= self.retries.call_tries || !matches!(called, Err(Error::Throttled(_))) {
                return called;
            }
            self.retries.pause(&self.sources, attempt).await;
            attempt += 1;
        }
    }

    /// All of these or none, once; with them what completes the request's claim, where it has one.
    pub(crate) async fn transact(
        &self,
        mut members: Vec<TransactWriteItem>,
        completion: Option<&Completion>,
    ) -> Result<(), NotWritten> {
        if let Some(completion) = completion {
            members.push(self.complete(completion)?);
        }
        let claim = completion.map(|_| members.len() - 1);
        match self.write_together(members).await {
            Err(NotWritten::Refused(refused)) if claim.is_some_and(|claim| refused.contains(&claim)) => {
                Err(Error::contended("another request took over what this one was doing").into())
            }
            written => written,
        }
    }

    async fn write_together(&self, members: Vec<TransactWriteItem>) -> Result<(), NotWritten> {
        let token = self.sources.ulid().to_string();
        let mut tries = TransactionTries::new(&self.retries, &self.sources);
        loop {
            let request = self.client.transact_write_items().client_request_token(&token);
            let request = request.set_transact_items(Some(members.clone()));
            // In a box, so that the futures of requests stay small.
            let answer = Box::pin(request.send()).await;
            let Err(error) = answer else { return Ok(()) };

            let canceled = match error.as_service_error() {
                Some(TransactWriteItemsError::TransactionCanceledException(canceled)) => {
                    why_canceled(canceled.cancellation_reasons())
                }
                Some(TransactWriteItemsError::TransactionInProgressException(_)) => Canceled::Conflict,
                _ => Canceled::Other,
            };
            match canceled {
                Canceled::Conflict => tries.after_conflict().await?,
                Canceled::Throttled => tries.after_throttling().await?,
                Canceled::Conditions(members) => return Err(NotWritten::Refused(members)),
                Canceled::Other => return Err(Error::from_sdk(error).into()),
            }
        }
    }
    /// Makes a single write again while a transaction is at work on the same item.
    pub(crate) async fn unless_conflicting<T, E, F>(
        &self,
        write: impl Fn() -> F,
    ) -> Result<T, SdkError<E, HttpResponse>>
    where
        E: ProvideErrorMetadata,
        F: Future<Output = Result<T, SdkError<E, HttpResponse>>>,
    {
        for attempt in 1..CONFLICT_TRIES {
            match write().await {
                Err(SdkError::ServiceError(refused)) if refused.err().code() == Some(CONFLICT) => {
                    self.pause(attempt).await;
                }
                written => return written,
            }
        }
        write().await
    }
}

/// A deletion whose condition does not hold has nothing to delete, or has done so before.
pub(crate) fn unless_refused(
    deleted: Result<DeleteItemOutput, SdkError<DeleteItemError, HttpResponse>>,
) -> Result<(), Error> {
    match deleted {
        Err(error)
            if !matches!(error.as_service_error(), Some(DeleteItemError::ConditionalCheckFailedException(_))) =>
        {
            Err(Error::from_sdk(error))
        }
        _ => Ok(()),
    }
}

/// A record as an item.
fn item(key: Key, record: &impl Serialize) -> Result<Item, Error> {
    let mut item: Item = serde_dynamo::aws_sdk_dynamodb_1::to_item(record)?;
    item.extend(key.attributes());
    Ok(item)
}

/// Why DynamoDB cancelled a transaction.
pub(crate) enum Canceled {
    /// It met another transaction or write on an item.
    Conflict,
    /// The table has no capacity left for it.
    Throttled,
    /// The conditions of these members, counted from 0, do not hold.
    Conditions(Vec<usize>),
    /// Another reason, which no other try would change.
    Other,
}

pub(crate) fn why_canceled(reasons: &[CancellationReason]) -> Canceled {
    let with_code = |wanted: &str| -> Vec<usize> {
        let matching = reasons.iter().enumerate().filter(|(_, reason)| reason.code() == Some(wanted));
        matching.map(|(index, _)| index).collect()
    };
    let refused = with_code("ConditionalCheckFailed");
    if !refused.is_empty() {
        Canceled::Conditions(refused)
    } else if THROTTLED.iter().any(|code| !with_code(code).is_empty()) {
        Canceled::Throttled
    } else if !with_code("TransactionConflict").is_empty() {
        Canceled::Conflict
    } else {
        Canceled::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reasons(codes: &[&str]) -> Vec<CancellationReason> {
        codes.iter().map(|code| CancellationReason::builder().code(*code).build()).collect()
    }

    #[test]
    fn failed_condition_outweighs_throttling_which_outweighs_conflict() {
        let all = reasons(&["None", "TransactionConflict", "ThrottlingError", "ConditionalCheckFailed"]);
        assert!(matches!(why_canceled(&all), Canceled::Conditions(members) if members == [3]));
        assert!(matches!(why_canceled(&reasons(&["TransactionConflict", "None"])), Canceled::Conflict));
        for throttled in ["ThrottlingError", "ProvisionedThroughputExceeded"] {
            assert!(matches!(why_canceled(&reasons(&["TransactionConflict", throttled])), Canceled::Throttled));
        }
        assert!(matches!(why_canceled(&reasons(&["ValidationError", "None"])), Canceled::Other));
    }
}
