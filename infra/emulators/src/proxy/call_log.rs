//! The wire log: every HTTP attempt that reached a service, in the order of the answers.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

/// Most calls that are remembered; older ones are forgotten first.
const CALLS_MAX: usize = 10_000;

/// One of the emulated services.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Service {
    /// DynamoDB.
    DynamoDb,
    /// S3.
    S3,
    /// Secrets Manager.
    SecretsManager,
    /// SQS.
    Sqs,
}

/// One HTTP attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Name of the principal whose access key was used; `unknown` where nobody holds it.
    pub principal: String,
    /// The service that was called.
    pub service: Service,
    /// `TransactWriteItems`, `PutObject`, …; `Unknown` where the request names none.
    pub operation: String,
    /// Status of the answer, be it lost on its way back or not.
    pub status: u16,
}

/// A handle on the wire log. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct CallLog {
    calls: Arc<Mutex<VecDeque<Call>>>,
}

impl CallLog {
    /// The last 10,000 calls since the log was cleared, in the order in which they were answered.
    pub fn calls(&self) -> Vec<Call> {
        self.calls
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .cloned()
            .collect()
    }

    /// Forgets all calls.
    pub fn clear(&self) {
        self.calls
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }

    /// Appends a call.
    pub(super) fn record(&self, call: Call) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if calls.len() == CALLS_MAX {
            calls.pop_front();
        }
        calls.push_back(call);
    }
}
