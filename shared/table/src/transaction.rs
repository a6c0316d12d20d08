//! Transactions: conditional operations on several items, all or nothing.
//!
//! Invariants:
//! - Every condition has a [`Reason`], given where its operation is added. A transaction that is
//!   refused returns the reason.
//! - Every transaction carries a token, so a repetition after a lost answer succeeds instead of
//!   failing its conditions.
//! - A transaction that answers an idempotent request also completes that request's reservation.

use aws_sdk_dynamodb::{
    operation::transact_write_items::TransactWriteItemsError,
    types::{CancellationReason, ConditionCheck, Delete, Put, TransactWriteItem, Update},
};
use domain::Completion;
use serde::Serialize;

use crate::{Reason, Table, TableError, WriteError, condition::Condition, key::Key, write::item};

/// Maximum operations of a transaction.
pub(crate) const OPERATIONS_MAX: usize = 100;

/// Cancellation reason of an operation whose condition does not hold.
const CONDITION_FAILED: &str = "ConditionalCheckFailed";

/// A transaction that is being built.
pub(crate) struct Transaction<'a> {
    table: &'a Table,
    operations: Vec<TransactWriteItem>,
    /// The reason of each operation's condition, in the same order; `None` for one without a
    /// condition.
    reasons: Vec<Option<Reason>>,
    /// The first error of building an operation. [`Transaction::commit`] returns it.
    error: Option<TableError>,
}

impl Table {
    /// Starts a transaction without operations.
    pub(crate) fn transaction(&self) -> Transaction<'_> {
        Transaction {
            table: self,
            operations: Vec::new(),
            reasons: Vec::new(),
            error: None,
        }
    }
}

impl Transaction<'_> {
    /// Returns the number of operations.
    pub(crate) fn len(&self) -> usize {
        self.operations.len()
    }

    /// Writes a record where none exists.
    pub(crate) fn insert(&mut self, key: Key, record: &impl Serialize, reason: Reason) {
        self.put_if(key, record, &Condition::not_exists(), Some(reason));
    }

    /// Replaces a record if it is still this version.
    pub(crate) fn replace(&mut self, key: Key, record: &impl Serialize, version: u64) {
        self.put_if(
            key,
            record,
            &Condition::version(version),
            Some(Reason::VersionConflict),
        );
    }

    /// Writes a record unconditionally.
    pub(crate) fn put(&mut self, key: Key, record: &impl Serialize) {
        self.put_if(key, record, &Condition::default(), None);
    }

    fn put_if(
        &mut self,
        key: Key,
        record: &impl Serialize,
        condition: &Condition,
        reason: Option<Reason>,
    ) {
        let put = item(key, record).and_then(|item| {
            let put = Put::builder()
                .table_name(&self.table.name)
                .set_item(Some(item))
                .set_condition_expression(condition.expression())
                .set_expression_attribute_names(condition.names())
                .set_expression_attribute_values(condition.values());
            Ok(TransactWriteItem::builder()
                .put(put.build().map_err(TableError::refused)?)
                .build())
        });
        self.push(put, reason);
    }

    /// Deletes a record if it is still this version.
    pub(crate) fn delete_version(&mut self, key: Key, version: u64) {
        self.delete_if(key, &Condition::version(version), Reason::VersionConflict);
    }

    /// Deletes an item if its condition holds.
    pub(crate) fn delete_if(&mut self, key: Key, condition: &Condition, reason: Reason) {
        self.push_delete(key, condition, Some(reason));
    }

    /// Deletes an item unconditionally, if it exists.
    pub(crate) fn delete(&mut self, key: Key) {
        self.push_delete(key, &Condition::default(), None);
    }

    fn push_delete(&mut self, key: Key, condition: &Condition, reason: Option<Reason>) {
        let delete = Delete::builder()
            .table_name(&self.table.name)
            .set_key(Some(key.attributes()))
            .set_condition_expression(condition.expression())
            .set_expression_attribute_names(condition.names())
            .set_expression_attribute_values(condition.values())
            .build();
        let delete = delete.map(|delete| TransactWriteItem::builder().delete(delete).build());
        self.push(delete.map_err(TableError::refused), reason);
    }

    /// Requires a condition of an item that the transaction does not write.
    pub(crate) fn check(&mut self, key: Key, condition: &Condition, reason: Reason) {
        let check = ConditionCheck::builder()
            .table_name(&self.table.name)
            .set_key(Some(key.attributes()))
            .set_condition_expression(condition.expression())
            .set_expression_attribute_names(condition.names())
            .set_expression_attribute_values(condition.values())
            .build();
        let check = check.map(|check| TransactWriteItem::builder().condition_check(check).build());
        self.push(check.map_err(TableError::refused), Some(reason));
    }

    /// Updates an item if its condition holds. The condition defines the names and values of
    /// `update` too.
    pub(crate) fn update(&mut self, key: Key, update: &str, condition: &Condition, reason: Reason) {
        let update = Update::builder()
            .table_name(&self.table.name)
            .set_key(Some(key.attributes()))
            .update_expression(update)
            .set_condition_expression(condition.expression())
            .set_expression_attribute_names(condition.names())
            .set_expression_attribute_values(condition.values())
            .build();
        let update = update.map(|update| TransactWriteItem::builder().update(update).build());
        self.push(update.map_err(TableError::refused), Some(reason));
    }

    fn push(&mut self, operation: Result<TransactWriteItem, TableError>, reason: Option<Reason>) {
        match operation {
            Ok(operation) => {
                self.operations.push(operation);
                self.reasons.push(reason);
            }
            Err(error) => self.error = self.error.take().or(Some(error)),
        }
    }

    /// Commits the transaction and completes the reservation of its request.
    pub(crate) async fn commit_with(
        mut self,
        completion: Option<&Completion>,
    ) -> Result<(), WriteError> {
        if let Some(completion) = completion {
            self.complete(completion);
        }
        self.commit().await
    }

    /// Commits the transaction. Repeats it if it conflicts with other transactions or is throttled.
    pub(crate) async fn commit(self) -> Result<(), WriteError> {
        let Transaction {
            table,
            operations,
            reasons,
            error,
        } = self;
        if let Some(error) = error {
            return Err(error.into());
        }

        let request = table
            .client
            .transact_write_items()
            .client_request_token(table.env.ulid().to_string())
            .set_transact_items(Some(operations));
        let send = || async {
            // In a box, so that the futures of requests stay small.
            let Err(error) = Box::pin(request.clone().send()).await else {
                return Ok(None);
            };
            let cancellation = match error.as_service_error() {
                Some(TransactWriteItemsError::TransactionCanceledException(canceled)) => {
                    canceled.cancellation_reasons().to_vec()
                }
                _ => Vec::new(),
            };
            match failed_condition(&cancellation, &reasons) {
                Some(reason) => Ok(Some(reason)),
                None => Err(TableError::from_transaction(error, &cancellation)),
            }
        };
        match table.retry(send).await? {
            None => Ok(()),
            Some(reason) => Err(WriteError::ConditionFailed(reason)),
        }
    }
}

/// Returns the most significant reason of the conditions that failed; `None` if none did.
fn failed_condition(
    cancellation: &[CancellationReason],
    reasons: &[Option<Reason>],
) -> Option<Reason> {
    let operations = cancellation.iter().zip(reasons);
    let failed =
        operations.filter(|(cancellation, _)| cancellation.code() == Some(CONDITION_FAILED));
    failed.filter_map(|(_, reason)| *reason).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cancellation(codes: &[&str]) -> Vec<CancellationReason> {
        codes
            .iter()
            .map(|code| CancellationReason::builder().code(*code).build())
            .collect()
    }

    #[test]
    fn reason_of_a_cancelled_transaction_is_the_most_significant_failed_condition() {
        let reasons = [
            Some(Reason::IdTaken),
            None,
            Some(Reason::NameTaken),
            Some(Reason::VersionConflict),
        ];
        let failed = |codes: &[&str]| failed_condition(&cancellation(codes), &reasons);

        assert_eq!(
            failed(&["ConditionalCheckFailed", "None", "None", "None"]),
            Some(Reason::IdTaken)
        );
        let two = [
            "ConditionalCheckFailed",
            "TransactionConflict",
            "ConditionalCheckFailed",
            "ThrottlingError",
        ];
        assert_eq!(failed(&two), Some(Reason::NameTaken));
        let all = [
            "ConditionalCheckFailed",
            "None",
            "ConditionalCheckFailed",
            "ConditionalCheckFailed",
        ];
        assert_eq!(failed(&all), Some(Reason::VersionConflict));
        assert_eq!(
            failed(&["None", "TransactionConflict", "None", "None"]),
            None
        );
        assert_eq!(failed(&[]), None);
    }
}
