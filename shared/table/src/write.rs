//! Writes: transactions of conditional puts, and what becomes of them when they conflict or their answer is lost.
//!
//! Every transaction carries a token, so that repeating one whose answer was lost finds it done instead of refused.

use std::time::Duration;

use aws_sdk_dynamodb::{
    operation::transact_write_items::TransactWriteItemsError,
    types::{CancellationReason, Put, TransactWriteItem},
};
use domain::Sources;
use serde::Serialize;

use crate::{
    Error, Table,
    key::{Key, PARTITION},
};

/// Tries of a transaction that conflicts with others.
const CONFLICT_TRIES: u32 = 8;
/// Longest pause before the second try, doubled for each further one.
const CONFLICT_PAUSE_MS: u64 = 10;

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
        let mut item: crate::read::Item = serde_dynamo::aws_sdk_dynamodb_1::to_item(record)?;
        item.extend(key.attributes());
        let put = Put::builder()
            .table_name(&self.name)
            .set_item(Some(item))
            .condition_expression("attribute_not_exists(#partition)")
            .expression_attribute_names("#partition", PARTITION)
            .build()
            .map_err(|error| Error::Refused(error.into()))?;
        Ok(TransactWriteItem::builder().put(put).build())
    }

    /// All of these or none, once.
    pub(crate) async fn transact(&self, sources: &Sources, members: Vec<TransactWriteItem>) -> Result<(), NotWritten> {
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
                        Canceled::Conflict => {}
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

enum Canceled {
    Conflict,
    Conditions(Vec<usize>),
    Other,
}

fn why_canceled(reasons: &[CancellationReason]) -> Canceled {
    let with_code = |wanted: &str| -> Vec<usize> {
        let matching = reasons.iter().enumerate().filter(|(_, reason)| reason.code() == Some(wanted));
        matching.map(|(index, _)| index).collect()
    };
    let refused = with_code("ConditionalCheckFailed");
    if !refused.is_empty() {
        Canceled::Conditions(refused)
    } else if !with_code("TransactionConflict").is_empty() {
        Canceled::Conflict
    } else {
        Canceled::Other
    }
}

/// A pause that grows with each attempt, drawn evenly so that those who met once do not meet again.
fn jittered(sources: &Sources, attempt: u32) -> Duration {
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
        assert!(matches!(why_canceled(&reasons(&["TransactionConflict", "None"])), Canceled::Conflict));
        assert!(matches!(why_canceled(&reasons(&["ThrottlingError", "None"])), Canceled::Other));
    }
}
