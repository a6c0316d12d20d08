//! Up to ten of the same at once: each entry succeeds or fails for itself.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::{
    attributes::MESSAGE_BYTES_MAX,
    error::SqsError,
    send::{Act, Caller},
    store::{self, Store},
};
use crate::anomaly::Anomaly;

/// Entries of one batch.
const ENTRIES_MAX: usize = 10;

/// Characters of an entry's id.
const ENTRY_ID_LENGTH_MAX: usize = 80;

/// One entry of a batch.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Entry<A> {
    id: String,
    #[serde(flatten)]
    act: A,
}

/// What became of a batch.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Outcome<D> {
    successful: Vec<Success<D>>,
    failed: Vec<Failure>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Success<D> {
    id: String,
    #[serde(flatten)]
    done: D,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Failure {
    id: String,
    sender_fault: bool,
    code: &'static str,
    message: String,
}

impl Store {
    /// Does one thing to a queue's messages.
    pub(super) fn act<A: Act>(
        &self,
        queue: &str,
        act: A,
        caller: &Caller,
    ) -> Result<A::Done, SqsError> {
        let connection = self.connection();
        let queue = store::queue(&connection, queue)?;
        act.act(&connection, &queue, caller)
    }

    /// Does a batch of things to a queue's messages, in one transaction; by [`Anomaly::PartialBatch`] but its
    /// first half.
    pub(super) fn act_on_all<A: Act>(
        &self,
        queue: &str,
        entries: Vec<Entry<A>>,
        caller: &Caller,
        anomaly: Option<Anomaly>,
    ) -> Result<Outcome<A::Done>, SqsError> {
        let mut connection = self.connection();
        let transaction = connection.transaction()?;
        let queue = store::queue(&transaction, queue)?;
        check(&entries)?;
        let mut outcome = Outcome {
            successful: Vec::new(),
            failed: Vec::new(),
        };
        let to_be_done = if anomaly == Some(Anomaly::PartialBatch) {
            entries.len() / 2
        } else {
            entries.len()
        };
        for (index, Entry { id, act }) in entries.into_iter().enumerate() {
            let done = if index < to_be_done {
                act.act(&transaction, &queue, caller)
            } else {
                Err(SqsError::undone())
            };
            match done {
                Ok(done) => outcome.successful.push(Success { id, done }),
                Err(error) => outcome.failed.push(Failure {
                    id,
                    sender_fault: error.is_senders(),
                    code: error.code,
                    message: error.to_string(),
                }),
            }
        }
        transaction.commit()?;
        Ok(outcome)
    }
}

fn check<A: Act>(entries: &[Entry<A>]) -> Result<(), SqsError> {
    let is_id = |id: &str| {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        (1..=ENTRY_ID_LENGTH_MAX).contains(&id.len()) && id.bytes().all(allowed)
    };
    let mut ids = HashSet::new();
    match entries.len() {
        0 => Err(SqsError::empty_batch()),
        1..=ENTRIES_MAX if !entries.iter().all(|entry| is_id(&entry.id)) => {
            Err(SqsError::invalid_entry_id())
        }
        1..=ENTRIES_MAX if !entries.iter().all(|entry| ids.insert(&entry.id)) => {
            Err(SqsError::doubled_entry_ids())
        }
        1..=ENTRIES_MAX
            if entries.iter().map(|entry| entry.act.bytes()).sum::<usize>() > MESSAGE_BYTES_MAX =>
        {
            Err(SqsError::batch_too_long(MESSAGE_BYTES_MAX))
        }
        1..=ENTRIES_MAX => Ok(()),
        count => Err(SqsError::too_many_entries(count)),
    }
}
