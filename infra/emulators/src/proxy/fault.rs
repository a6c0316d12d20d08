//! Planned misbehaviour: what AWS may do at any time, at a moment that a test chooses.
//!
//! Invariant: a planned fault fires on the first permitted attempt that it speaks of, in the order
//! of planning; who is cut off meets no other.

use std::sync::{Arc, Mutex, PoisonError};

use super::{
    Service,
    hold::{Hold, Holds},
};
use crate::anomaly::Anomaly;

/// The operation by which a queue is asked for messages, with the key of the function that they are
/// for.
const RECEIVING: &str = "ReceiveMessage";

/// An error that a service responds with in place of its own response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InjectedError {
    /// HTTP status; an invalid one becomes 500.
    pub(super) status: u16,
    /// The service's own error code: `ThrottlingException`, `SlowDown`, ….
    pub(super) code: String,
}

impl InjectedError {
    /// Creates an error with an HTTP status and the service's error code.
    pub fn new(status: u16, code: &str) -> InjectedError {
        InjectedError {
            status,
            code: code.to_owned(),
        }
    }
}

/// What happens to one attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The call takes effect, then the connection breaks.
    LoseResponse,
    /// The call has no effect.
    Reject(InjectedError),
    /// The call takes effect otherwise than it was meant.
    Anomaly(Anomaly),
    /// The connection breaks before the call takes effect.
    Break,
}

#[derive(Debug)]
struct Plan {
    service: Service,
    operation: String,
    /// `None` lets attempts pass.
    fault: Option<Fault>,
    times_left: u32,
}

/// A principal that is to be cut off, or was.
#[derive(Debug)]
struct CutOff {
    principal: String,
    /// Attempts that pass before.
    passes_left: u32,
    /// Whether the first one that breaks takes effect.
    takes_effect: bool,
    /// The services whose attempts broke.
    broken: Vec<Service>,
}

/// A handle on the planned faults. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    plans: Arc<Mutex<Vec<Plan>>>,
    cut_off: Arc<Mutex<Option<CutOff>>>,
    holds: Holds,
}

impl Faults {
    /// Lets the next `times` attempts of an operation pass, before what is planned after.
    pub fn skip(&self, service: Service, operation: &str, times: u32) {
        self.plan(service, operation, times, None);
    }

    /// Lets the next `times` attempts of an operation take effect, then breaks the connection
    /// without an answer.
    pub fn lose_response(&self, service: Service, operation: &str, times: u32) {
        self.plan(service, operation, times, Some(Fault::LoseResponse));
    }

    /// Fails the next `times` attempts of an operation with an error, without effect.
    ///
    /// `TransactionConflict` and `ThrottlingError` on a transaction become a
    /// `TransactionCanceledException` with cancellation reasons, as on DynamoDB.
    pub fn fail(&self, service: Service, operation: &str, times: u32, error: InjectedError) {
        self.plan(service, operation, times, Some(Fault::Reject(error)));
    }

    /// Hands part of the next `times` batches back unprocessed: half of it, or all where the batch
    /// holds only one.
    ///
    /// `operation` is `BatchGetItem` or `BatchWriteItem`.
    pub fn leave_unprocessed(&self, operation: &str, times: u32) {
        self.plan(
            Service::DynamoDb,
            operation,
            times,
            Some(Fault::Anomaly(Anomaly::PartialBatch)),
        );
    }

    /// Leaves half of the objects of the next `times` calls of `DeleteObjects` in place, or the
    /// only one, and names them as errors.
    pub fn fail_some_deletes(&self, times: u32) {
        self.plan(
            Service::S3,
            "DeleteObjects",
            times,
            Some(Fault::Anomaly(Anomaly::PartialBatch)),
        );
    }

    /// Cuts a principal off from every service after `passes` more attempts, until
    /// [`Faults::reconnect`]: its connections break, and what it calls has no effect, but for the
    /// first such call where `takes_effect` says so.
    ///
    /// A function whose process is killed makes no more calls; this is the same to everything but
    /// itself. Its queue goes on to be asked for messages, which is not its own doing. One
    /// principal is cut off at a time.
    pub fn disconnect(&self, principal: &str, passes: u32, takes_effect: bool) {
        let cut_off = CutOff {
            principal: principal.to_owned(),
            passes_left: passes,
            takes_effect,
            broken: Vec::new(),
        };
        *self.cut_off.lock().unwrap_or_else(PoisonError::into_inner) = Some(cut_off);
    }

    /// How many attempts of the principal that is cut off have broken.
    pub fn broken_calls(&self) -> usize {
        self.cut_off
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .as_ref()
            .map_or(0, |cut_off| cut_off.broken.len())
    }

    /// How many attempts of the principal that is cut off have broken on their way to a service.
    pub fn broken_calls_to(&self, service: Service) -> usize {
        let cut_off = self.cut_off.lock().unwrap_or_else(PoisonError::into_inner);
        let broken = cut_off.iter().flat_map(|cut_off| &cut_off.broken);
        broken.filter(|broken| **broken == service).count()
    }

    /// Lets the principal that was cut off call again.
    pub fn reconnect(&self) {
        *self.cut_off.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Pauses a principal's next attempt but `passes`, before it takes effect, until the hold is
    /// released or dropped. That queues are asked for messages does not count.
    pub fn hold(&self, principal: &str, passes: u32) -> Hold {
        self.holds.plan(principal, passes)
    }

    /// How many planned faults have not fired yet.
    pub fn pending(&self) -> usize {
        let plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        let cut_off = self.cut_off.lock().unwrap_or_else(PoisonError::into_inner);
        let unbroken = cut_off.as_ref().filter(|cut_off| cut_off.broken.is_empty());
        plans
            .iter()
            .map(|plan| plan.times_left as usize)
            .sum::<usize>()
            + usize::from(unbroken.is_some())
    }

    /// Returns when this attempt of a principal may be made.
    pub(super) async fn held(&self, principal: &str, operation: &str) {
        if operation != RECEIVING {
            self.holds.pass(principal).await;
        }
    }

    /// The fault that this attempt of a principal meets, which has thereby fired.
    pub(super) fn take(&self, principal: &str, service: Service, operation: &str) -> Option<Fault> {
        self.take_break(principal, service, operation)
            .or_else(|| self.take_planned(service, operation))
    }

    fn take_break(&self, principal: &str, service: Service, operation: &str) -> Option<Fault> {
        let mut cut_off = self.cut_off.lock().unwrap_or_else(PoisonError::into_inner);
        let cut_off = cut_off
            .as_mut()
            .filter(|cut_off| cut_off.principal == principal && operation != RECEIVING)?;
        if cut_off.passes_left > 0 {
            cut_off.passes_left -= 1;
            return None;
        }
        cut_off.broken.push(service);
        Some(if cut_off.broken.len() == 1 && cut_off.takes_effect {
            Fault::LoseResponse
        } else {
            Fault::Break
        })
    }

    fn take_planned(&self, service: Service, operation: &str) -> Option<Fault> {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        let due = plans
            .iter()
            .position(|plan| plan.service == service && plan.operation == operation)?;
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
        let plan = Plan {
            service,
            operation: operation.to_owned(),
            fault,
            times_left,
        };
        self.plans
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(plan);
    }
}
