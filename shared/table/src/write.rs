//! Writes: transactions of conditional changes, and what becomes of them when they conflict or their answer is lost.
//!
//! Every transaction carries a token, so that repeating one whose answer was lost finds it done instead of refused. One
//! that answers a request which is done once completes that request's claim, so neither is written without the other.

use std::time::Duration;

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
use domain::Sources;
use serde::Serialize;

use crate::{
    Completion, Error, Table,
    key::{Key, PARTITION},
    read::{BATCH_PAUSE, BATCH_TRIES, Item},
};

/// Tries of a transaction that conflicts with others.
pub(crate) const CONFLICT_TRIES: u32 = 8;
/// Longest pause before the second try, doubled for each further one.
const CONFLICT_PAUSE_MS: u64 = 10;

/// Most writes of one batch.
const BATCH_WRITES: usize = 25;
/// Most members of a transaction.
pub(crate) const TRANSACTION_MEMBERS: usize = 100;

/// The refusal of a single write of an item that a transaction is at work on.
const CONFLICT: &str = "TransactionConflictException";

/// Reasons of a cancellation that pass by themselves.
const PASSING: [&str; 3] = ["ProvisionedThroughputExceeded", "ThrottlingError", "TransactionConflict"];

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
        put.send().await.map_err(Error::from_sdk)?;
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

    /// Removes whatever is under these keys; safe to repeat.
    pub(crate) async fn delete_all(&self, keys: &[Key]) -> Result<(), Error> {
        let request = |key: &Key| {
            let delete = DeleteRequest::builder().set_key(Some(key.clone().attributes())).build();
            Ok(WriteRequest::builder().delete_request(delete.map_err(|error| Error::Refused(error.into()))?).build())
        };
        self.write_all(keys.iter().map(request).collect::<Result<_, Error>>()?).await
    }

    /// Writes records, whatever is there; safe to repeat.
    pub(crate) async fn overwrite_all(&self, records: &[(Key, impl Serialize)]) -> Result<(), Error> {
        let request = |(key, record): &(Key, _)| {
            let put = PutRequest::builder().set_item(Some(item(key.clone(), record)?)).build();
            Ok(WriteRequest::builder().put_request(put.map_err(|error| Error::Refused(error.into()))?).build())
        };
        self.write_all(records.iter().map(request).collect::<Result<_, Error>>()?).await
    }

    async fn write_all(&self, requests: Vec<WriteRequest>) -> Result<(), Error> {
        for batch in requests.chunks(BATCH_WRITES) {
            let mut rest = batch.to_vec();
            for attempt in 0..BATCH_TRIES {
                if attempt > 0 {
                    tokio::time::sleep(BATCH_PAUSE * 2_u32.pow(attempt - 1)).await;
                }
                let answer = self.client.batch_write_item().request_items(&self.name, rest).send().await;
                let answer = answer.map_err(Error::from_sdk)?;
                rest = answer.unprocessed_items.unwrap_or_default().into_values().flatten().collect();
                if rest.is_empty() {
                    break;
                }
            }
            if !rest.is_empty() {
                return Err(Error::busy("a batch of writes stayed incomplete"));
            }
        }
        Ok(())
    }

    /// All of these or none, once; with them what completes the request's claim, where it has one.
    pub(crate) async fn transact(
        &self,
        sources: &Sources,
        mut members: Vec<TransactWriteItem>,
        completion: Option<&Completion>,
    ) -> Result<(), NotWritten> {
        if let Some(completion) = completion {
            members.push(self.complete(completion)?);
        }
        let claim = completion.map(|_| members.len() - 1);
        match self.write_together(sources, members).await {
            Err(NotWritten::Refused(refused)) if claim.is_some_and(|claim| refused.contains(&claim)) => {
                Err(Error::busy("another request took over what this one was doing").into())
            }
            written => written,
        }
    }

    async fn write_together(&self, sources: &Sources, members: Vec<TransactWriteItem>) -> Result<(), NotWritten> {
        let token = sources.ulid().to_string();
        for attempt in 0..CONFLICT_TRIES {
            if attempt > 0 {
                tokio::time::sleep(jittered(sources, attempt)).await;
            }
            let answer = self
                .client
                .transact_write_items()
                .client_request_token(&token)
                .set_transact_items(Some(members.clone()))
                .send()
                .await;
            let Err(error) = answer else { return Ok(()) };
            match error.as_service_error() {
                Some(TransactWriteItemsError::TransactionCanceledException(canceled)) => {
                    match why_canceled(canceled.cancellation_reasons()) {
                        Canceled::ForNow => {}
                        Canceled::Conditions(members) => return Err(NotWritten::Refused(members)),
                        Canceled::Other => return Err(Error::from_sdk(error).into()),
                    }
                }
                Some(TransactWriteItemsError::TransactionInProgressException(_)) => {}
                _ => return Err(Error::from_sdk(error).into()),
            }
        }
        Err(Error::busy("a transaction kept conflicting with others").into())
    }
}

/// Makes a single write again while a transaction is at work on the same item.
pub(crate) async fn unless_conflicting<T, E, F>(
    sources: &Sources,
    write: impl Fn() -> F,
) -> Result<T, SdkError<E, HttpResponse>>
where
    E: ProvideErrorMetadata,
    F: Future<Output = Result<T, SdkError<E, HttpResponse>>>,
{
    for attempt in 1..CONFLICT_TRIES {
        match write().await {
            Err(SdkError::ServiceError(refused)) if refused.err().code() == Some(CONFLICT) => {
                tokio::time::sleep(jittered(sources, attempt)).await;
            }
            written => return written,
        }
    }
    write().await
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

pub(crate) enum Canceled {
    ForNow,
    Conditions(Vec<usize>),
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
    } else if PASSING.iter().any(|code| !with_code(code).is_empty()) {
        Canceled::ForNow
    } else {
        Canceled::Other
    }
}

/// Waits a while before another attempt, counted from 1, at what others are at work on.
pub async fn pause(sources: &Sources, attempt: u32) {
    tokio::time::sleep(jittered(sources, attempt)).await;
}

/// A pause that grows with each attempt, drawn evenly so that those who met once do not meet again.
pub(crate) fn jittered(sources: &Sources, attempt: u32) -> Duration {
    let longest = CONFLICT_PAUSE_MS << attempt;
    let drawn = u64::from_be_bytes(sources.bytes()) % longest;
    Duration::from_millis(drawn + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reasons(codes: &[&str]) -> Vec<CancellationReason> {
        codes.iter().map(|code| CancellationReason::builder().code(*code).build()).collect()
    }

    #[test]
    fn a_condition_that_does_not_hold_outweighs_a_conflict() {
        let both = reasons(&["None", "TransactionConflict", "ConditionalCheckFailed"]);
        assert!(matches!(why_canceled(&both), Canceled::Conditions(members) if members == [2]));
        assert!(matches!(why_canceled(&reasons(&["TransactionConflict", "None"])), Canceled::ForNow));
        assert!(matches!(why_canceled(&reasons(&["ThrottlingError", "None"])), Canceled::ForNow));
        assert!(matches!(why_canceled(&reasons(&["ValidationError", "None"])), Canceled::Other));
    }
}
