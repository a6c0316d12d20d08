//! Planned misbehaviour: what AWS may do at any time, at a moment that a test chooses.
//!
//! Invariant: a planned fault fires on the first permitted attempt that it speaks of, in the order of planning.

use std::sync::{Arc, Mutex, PoisonError};

use super::Service;
use crate::whim::Whim;

/// What happens to one attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The call takes effect, then the connection breaks.
    LoseAnswer,
    /// The call has no effect.
    Refuse { status: u16, code: String },
    /// The call takes effect otherwise than it was meant.
    Whim(Whim),
}

#[derive(Debug)]
struct Plan {
    service: Service,
    operation: String,
    /// `None` lets attempts pass.
    fault: Option<Fault>,
    times_left: u32,
}

/// A handle on the planned faults. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    plans: Arc<Mutex<Vec<Plan>>>,
}

impl Faults {
    /// Lets the next `times` attempts of an operation pass, before what is planned after.
    pub fn pass(&self, service: Service, operation: &str, times: u32) {
        self.plan(service, operation, times, None);
    }

    /// Lets the next `times` attempts of an operation take effect, then breaks the connection without an answer.
    pub fn lose_answer(&self, service: Service, operation: &str, times: u32) {
        self.plan(service, operation, times, Some(Fault::LoseAnswer));
    }

    /// Answers the next `times` attempts of an operation with an error, without effect.
    ///
    /// `code` is the service's own: `ThrottlingException`, `SlowDown`, …. `TransactionConflict` and
    /// `ThrottlingError` on a transaction become the cancellation that DynamoDB answers, with its reasons. A `status` that is none becomes a 500.
    pub fn refuse(&self, service: Service, operation: &str, times: u32, status: u16, code: &str) {
        self.plan(service, operation, times, Some(Fault::Refuse { status, code: code.to_owned() }));
    }

    /// Hands part of the next `times` batches back unprocessed: half of it, or all where the batch holds only one.
    ///
    /// `operation` is `BatchGetItem` or `BatchWriteItem`.
    pub fn leave_unprocessed(&self, operation: &str, times: u32) {
        self.plan(Service::DynamoDb, operation, times, Some(Fault::Whim(Whim::Half)));
    }

    /// How many planned faults have not fired yet.
    pub fn pending(&self) -> usize {
        let plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        plans.iter().map(|plan| plan.times_left as usize).sum()
    }

    /// The fault that this attempt meets, which has thereby fired.
    pub(super) fn take(&self, service: Service, operation: &str) -> Option<Fault> {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        let due = plans.iter().position(|plan| plan.service == service && plan.operation == operation)?;
        let plan = &mut plans[due];
        let fault = plan.fault.clone();
        plan.times_left -= 1;
        if plan.times_left == 0 {
            plans.remove(due);
        }
        fault
    }

    fn plan(&self, service: Service, operation: &str, times_left: u32, fault: Option<Fault>) {
        if times_left == 0 {
            return;
        }
        let plan = Plan { service, operation: operation.to_owned(), fault, times_left };
        self.plans.lock().unwrap_or_else(PoisonError::into_inner).push(plan);
    }
}
