//! The log of all HTTP attempts that reached a service, in the order of their responses.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{permission::RequiredPermission, service::Service};

/// Maximum number of logged calls. The oldest are dropped first.
const CALLS_MAX: usize = 10_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRecord {
    /// Name of the principal whose access key was used; `unknown` for an unregistered key.
    pub principal: String,
    pub service: Service,
    /// `TransactWriteItems`, `PutObject`, …; `Unknown` if the request names none.
    pub operation: String,
    /// HTTP status of the response, also of a response that was lost.
    pub status: u16,
}

/// A permission of a principal that a call used.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UsedPermission {
    /// Name of the principal.
    pub principal: String,
    pub action: String,
    /// ARN of the resource. In keys of objects, segments with digits, which are ids, are replaced
    /// by `0`.
    pub resource: String,
}

/// A handle to the call log. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct CallLog {
    calls: Arc<Mutex<VecDeque<CallRecord>>>,
    used: Arc<Mutex<BTreeSet<UsedPermission>>>,
}

impl CallLog {
    /// Returns the last 10,000 calls since the log was cleared, in the order of their responses.
    pub fn calls(&self) -> Vec<CallRecord> {
        self.lock().iter().cloned().collect()
    }

    /// Removes all calls, but not the used permissions.
    pub fn clear(&self) {
        self.lock().clear();
    }

    /// Returns the distinct permissions that calls used since the start.
    pub fn used_permissions(&self) -> BTreeSet<UsedPermission> {
        self.used
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Adds a used permission.
    pub(super) fn record_use(&self, principal: &str, required: &RequiredPermission) {
        let used = UsedPermission {
            principal: principal.to_owned(),
            action: required.action.clone(),
            resource: without_ids(&required.resource),
        };
        self.used
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(used);
    }

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

/// Replaces the segments of an object's key that are ids.
fn without_ids(resource: &str) -> String {
    let Some((bucket, key)) = resource.split_once('/') else {
        return resource.to_owned();
    };
    if !bucket.starts_with("arn:aws:s3:") {
        return resource.to_owned();
    }

    let segments = key.split('/').map(|segment| {
        let is_id = segment.contains(|c: char| c.is_ascii_digit());
        if is_id { "0" } else { segment }
    });
    let key: Vec<&str> = segments.collect();
    format!("{bucket}/{}", key.join("/"))
}
