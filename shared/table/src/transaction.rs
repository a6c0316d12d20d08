//! Transactions: conditional operations on several items, all or nothing.
//!
//! Invariants:
//! - Every condition has a [`Reason`]. A transaction whose condition fails returns the reason.
//! - Every transaction has a client request token, so a repetition after a lost response succeeds
//!   instead of failing its own conditions.
//! - The transaction that commits the effect of an idempotent request also completes the request's
//!   reservation.

use aws_sdk_dynamodb::{
    operation::transact_write_items::TransactWriteItemsError,
    types::{
        CancellationReason, ConditionCheck, Delete, Put, ReturnValuesOnConditionCheckFailure,
        TransactWriteItem, Update, builders::UpdateBuilder,
    },
};
use domain::{env::Timestamp, requests::Completion};
use serde::Serialize;

use crate::{
    condition::Condition,
    connection::Table,
    errors::{Reason, TableError, WriteError},
    key::Key,
    read::Item,
    write::item,
};

/// Maximum operations of a transaction.
pub(crate) const MAX_OPERATIONS: usize = 100;

/// Cancellation reason of an operation whose condition does not hold.
const CONDITION_FAILED: &str = "ConditionalCheckFailed";

/// A transaction under construction.
pub(crate) struct Transaction<'a> {
    table: &'a Table,
    operations: Vec<TransactWriteItem>,
    /// The reasons of the operations' conditions, in the same order; `None` for an unconditional
    /// operation.
    reasons: Vec<Option<Reason>>,
    /// The first error of building an operation, which [`Transaction::commit`] returns.
    error: Option<TableError>,
}

/// Why a transaction was not committed.
pub(crate) struct FailedTransaction {
    /// The most significant reason.
    pub(crate) reason: Reason,
    /// Existing items of failed [`Transaction::update_or_return`]s.
    pub(crate) items: Vec<Item>,
}

impl Table {
    /// Creates a transaction without operations.
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
    /// Returns the time at which the conditions are evaluated.
    pub(crate) fn now(&self) -> Timestamp {
        self.table.env.now()
    }

    /// Returns the number of operations.
    pub(crate) fn len(&self) -> usize {
        self.operations.len()
    }

    /// Writes a record if none exists.
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
                .put(put.build().map_err(TableError::rejected)?)
                .build())
        });
        self.push(put, reason);
    }

    /// Deletes a record if it is still this version.
    pub(crate) fn delete_version(&mut self, key: Key, version: u64) {
        self.delete_if(key, &Condition::version(version), Reason::VersionConflict);
    }

    /// Deletes an item if a condition holds.
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
        self.push(delete.map_err(TableError::rejected), reason);
    }

    /// Requires a condition on an item that the transaction does not write.
    pub(crate) fn check(&mut self, key: Key, condition: &Condition, reason: Reason) {
        let check = ConditionCheck::builder()
            .table_name(&self.table.name)
            .set_key(Some(key.attributes()))
            .set_condition_expression(condition.expression())
            .set_expression_attribute_names(condition.names())
            .set_expression_attribute_values(condition.values())
            .build();
        let check = check.map(|check| TransactWriteItem::builder().condition_check(check).build());
        self.push(check.map_err(TableError::rejected), Some(reason));
    }

    /// Updates an item if a condition holds. The condition also defines the names and values of
    /// `update`.
    pub(crate) fn update(&mut self, key: Key, update: &str, condition: &Condition, reason: Reason) {
        let update = self.update_builder(key, update, condition);
        self.push_update(update, Some(reason));
    }

    /// Updates an item as [`Transaction::update`] does. [`Transaction::commit_or_explain`] returns
    /// the item if the condition does not hold.
    pub(crate) fn update_or_return(
        &mut self,
        key: Key,
        update: &str,
        condition: &Condition,
        reason: Reason,
    ) {
        let update = self.update_builder(key, update, condition);
        let all_old = ReturnValuesOnConditionCheckFailure::AllOld;
        let update = update.return_values_on_condition_check_failure(all_old);
        self.push_update(update, Some(reason));
    }

    /// Updates an item unconditionally. `expressions` only defines the names and values of
    /// `update`.
    pub(crate) fn update_always(&mut self, key: Key, update: &str, expressions: &Condition) {
        let update = self.update_builder(key, update, expressions);
        self.push_update(update, None);
    }

    fn update_builder(&self, key: Key, update: &str, condition: &Condition) -> UpdateBuilder {
        Update::builder()
            .table_name(&self.table.name)
            .set_key(Some(key.attributes()))
            .update_expression(update)
            .set_condition_expression(condition.expression())
            .set_expression_attribute_names(condition.names())
            .set_expression_attribute_values(condition.values())
    }

    fn push_update(&mut self, update: UpdateBuilder, reason: Option<Reason>) {
        let update = update.build();
        let update = update.map(|update| TransactWriteItem::builder().update(update).build());
        self.push(update.map_err(TableError::rejected), reason);
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

    /// Commits the transaction and completes the reservation of its request, if it has one.
    pub(crate) async fn commit_with(
        mut self,
        completion: Option<&Completion>,
    ) -> Result<(), WriteError> {
        if let Some(completion) = completion {
            self.complete(completion);
        }
        self.commit().await
    }

    /// Commits the transaction. Repeats it while it conflicts with other transactions or is
    /// throttled.
    pub(crate) async fn commit(self) -> Result<(), WriteError> {
        match self.commit_or_explain().await? {
            None => Ok(()),
            Some(failed) => Err(WriteError::ConditionFailed(failed.reason)),
        }
    }

    /// Commits the transaction as [`Transaction::commit`] does. Returns why a condition does not
    /// hold.
    pub(crate) async fn commit_or_explain(self) -> Result<Option<FailedTransaction>, TableError> {
        let Transaction {
            table,
            operations,
            reasons,
            error,
        } = self;
        if let Some(error) = error {
            return Err(error);
        }

        let request = table
            .client
            .transact_write_items()
            .client_request_token(table.env.ulid().to_string())
            .set_transact_items(Some(operations));

        let send = || async {
            // Boxed to keep the futures of requests small.
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
                Some(reason) => Ok(Some(FailedTransaction {
                    reason,
                    items: cancellation
                        .into_iter()
                        .filter_map(|reason| reason.item)
                        .collect(),
                })),
                None => Err(TableError::from_transaction(error, &cancellation)),
            }
        };

        table.retry(send).await
    }
}

/// Returns the most significant [`Reason`] of the failed conditions; `None` if none failed.
fn failed_condition(
    cancellation: &[CancellationReason],
    reasons: &[Option<Reason>],
) -> Option<Reason> {
    cancellation
        .iter()
        .zip(reasons)
        .filter(|(cancellation, _)| cancellation.code() == Some(CONDITION_FAILED))
        .filter_map(|(_, reason)| *reason)
        .min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cancellation(codes: &str) -> Vec<CancellationReason> {
        codes
            .split_whitespace()
            .map(|code| CancellationReason::builder().code(code).build())
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
        let failed = |codes: &str| failed_condition(&cancellation(codes), &reasons);

        let one = "ConditionalCheckFailed None None None";
        assert_eq!(failed(one), Some(Reason::IdTaken));

        let two =
            "ConditionalCheckFailed TransactionConflict ConditionalCheckFailed ThrottlingError";
        assert_eq!(failed(two), Some(Reason::NameTaken));

        let all = "ConditionalCheckFailed None ConditionalCheckFailed ConditionalCheckFailed";
        assert_eq!(failed(all), Some(Reason::VersionConflict));

        assert_eq!(failed("None TransactionConflict None None"), None);
        assert_eq!(failed(""), None);
    }
}
