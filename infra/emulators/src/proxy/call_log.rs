//! The log of all HTTP attempts that reached a service, in the order of their responses.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::service::Service;

/// Maximum number of logged calls. The oldest are dropped first.
const CALLS_MAX: usize = 10_000;

/// One HTTP attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRecord {
    /// Name of the principal whose access key was used; `unknown` for an unregistered key.
    pub principal: String,
    /// The called service.
    pub service: Service,
    /// `TransactWriteItems`, `PutObject`, …; `Unknown` if the request names none.
    pub operation: String,
    /// HTTP status of the response, also of a response that was lost.
    pub status: u16,
}

/// A handle to the call log. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct CallLog {
    calls: Arc<Mutex<VecDeque<CallRecord>>>,
}

impl CallLog {
    /// Returns the last 10,000 calls since the log was cleared, in the order of their responses.
    pub fn calls(&self) -> Vec<CallRecord> {
        self.lock().iter().cloned().collect()
    }

    /// Removes all calls.
    pub fn clear(&self) {
        self.lock().clear();
    }

    /// Appends a call.
    pub(super) fn record(&self, call: CallRecord) {
        let mut calls = self.lock();
        if calls.len() == CALLS_MAX {
            calls.pop_front();
        }
        calls.push_back(call);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<CallRecord>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
