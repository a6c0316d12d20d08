//! Batches of up to ten operations. Each entry succeeds or fails on its own.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::{
    error::SqsError,
    message::MESSAGE_BYTES_MAX,
    message_operation::{CallContext, MessageOperation, QueueCall},
    queue_store::QueueStore,
};
use crate::anomaly::Anomaly;

/// Maximum number of entries of a batch.
const ENTRIES_MAX: usize = 10;

/// Maximum length of an entry's ID, in characters.
const ENTRY_ID_LENGTH_MAX: usize = 80;

/// One entry of a batch.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct BatchEntry<O> {
    id: String,
    #[serde(flatten)]
    operation: O,
}

/// The output of a batch.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct BatchOutput<T> {
    successful: Vec<BatchSuccess<T>>,
    failed: Vec<BatchFailure>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct BatchSuccess<T> {
    id: String,
    #[serde(flatten)]
    output: T,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct BatchFailure {
    id: String,
    sender_fault: bool,
    code: &'static str,
    message: String,
}

impl QueueStore {
    /// Applies an operation to one message of a queue.
    pub(super) fn apply<O: MessageOperation>(
        &self,
        queue_name: &str,
        operation: O,
        context: &CallContext,
    ) -> Result<O::Output, SqsError> {
        let queue = self.queue(queue_name)?;
        operation.apply(&QueueCall {
            connection: &self.connection(),
            queue: &queue.name,
            context,
        })
    }

    /// Applies a batch in one database transaction. [`Anomaly::PartialBatch`] fails its second
    /// half.
    pub(super) fn apply_batch<O: MessageOperation>(
        &self,
        queue_name: &str,
        entries: Vec<BatchEntry<O>>,
        context: &CallContext,
        anomaly: Option<Anomaly>,
    ) -> Result<BatchOutput<O::Output>, SqsError> {
        let queue = self.queue(queue_name)?;
        check(&entries)?;

        let mut connection = self.connection();
        let transaction = connection.transaction()?;
        let applied_count = if anomaly == Some(Anomaly::PartialBatch) {
            entries.len() / 2
        } else {
            entries.len()
        };

        let call = QueueCall {
            connection: &transaction,
            queue: &queue.name,
            context,
        };
        let mut batch_output = BatchOutput {
            successful: Vec::new(),
            failed: Vec::new(),
        };

        for (index, BatchEntry { id, operation }) in entries.into_iter().enumerate() {
            let result = if index < applied_count {
                operation.apply(&call)
            } else {
                Err(SqsError::NotApplied)
            };
            match result {
                Ok(output) => batch_output.successful.push(BatchSuccess { id, output }),
                Err(error) => batch_output.failed.push(BatchFailure {
                    id,
                    sender_fault: error.is_sender_fault(),
                    code: error.code(),
                    message: error.to_string(),
                }),
            }
        }

        transaction.commit()?;
        Ok(batch_output)
    }
}

fn check<O: MessageOperation>(entries: &[BatchEntry<O>]) -> Result<(), SqsError> {
    if entries.is_empty() {
        return Err(SqsError::EmptyBatch);
    }
    if entries.len() > ENTRIES_MAX {
        return Err(SqsError::TooManyEntries(entries.len()));
    }
    if !entries.iter().all(|entry| is_valid_id(&entry.id)) {
        return Err(SqsError::InvalidEntryId);
    }

    let mut ids = HashSet::new();
    if !entries.iter().all(|entry| ids.insert(&entry.id)) {
        return Err(SqsError::DuplicateEntryIds);
    }

    let total_bytes: usize = entries
        .iter()
        .map(|entry| entry.operation.size_bytes())
        .sum();
    if total_bytes > MESSAGE_BYTES_MAX {
        return Err(SqsError::BatchTooLong(MESSAGE_BYTES_MAX));
    }

    Ok(())
}

fn is_valid_id(id: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=ENTRY_ID_LENGTH_MAX).contains(&id.len()) && id.bytes().all(is_allowed)
}
