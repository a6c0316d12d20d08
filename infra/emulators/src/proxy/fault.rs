//! Planned faults: failures that AWS permits, at a moment that a test chooses.
//!
//! Invariants:
//! - A planned fault applies to the first authorized attempt that matches it, in planning order.
//! - Attempts of a disconnected principal meet no other fault.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{
    hold::{Hold, Holds},
    service::Service,
};
use crate::anomaly::Anomaly;

/// Long polling of a queue. The poller uses the access key of the function that it invokes, but the
/// poll is not a call of that function.
const POLL_OPERATION: &str = "ReceiveMessage";

/// An error that replaces the response of a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InjectedError {
    /// HTTP status. An invalid one becomes 500.
    pub(super) status: u16,
    /// Error code of the service: `ThrottlingException`, `SlowDown`, ….
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

/// The fault that applies to one attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The call takes effect, then the connection is closed without a response.
    LoseResponse,
    /// The call takes effect, then the connection is closed within the body of the response.
    TruncateResponse,
    /// The call has no effect and returns an error.
    Reject(InjectedError),
    /// The service applies an anomaly.
    Anomaly(Anomaly),
    /// The connection is closed before the call takes effect.
    CloseConnection,
}

#[derive(Debug)]
struct PlannedFault {
    service: Service,
    operation: String,
    /// `None` lets the attempt through.
    fault: Option<Fault>,
    times_left: u32,
}

/// The disconnection of a principal, planned or in effect.
#[derive(Debug)]
struct Disconnection {
    principal: String,
    /// Attempts that succeed before it takes effect.
    skips_left: u32,
    /// Whether the first broken call takes effect.
    first_takes_effect: bool,
    /// The called service of each broken attempt.
    broken: Vec<Service>,
}

/// A handle to the planned faults. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    planned: Arc<Mutex<Vec<PlannedFault>>>,
    disconnection: Arc<Mutex<Option<Disconnection>>>,
    holds: Holds,
}

impl Faults {
    /// Lets the next `times` attempts of an operation through, ahead of faults planned later.
    pub fn skip(&self, service: Service, operation: &str, times: u32) {
        self.plan(service, operation, times, None);
    }

    /// Lets the next `times` attempts of an operation take effect, then closes the connection
    /// without a response.
    pub fn lose_response(&self, service: Service, operation: &str, times: u32) {
        self.plan(service, operation, times, Some(Fault::LoseResponse));
    }

    /// Lets the next `times` attempts of an operation take effect, then closes the connection after
    /// the head of the response and half of the first frame of its body, which it must have.
    pub fn truncate_response(&self, service: Service, operation: &str, times: u32) {
        self.plan(service, operation, times, Some(Fault::TruncateResponse));
    }

    /// Fails the next `times` attempts of an operation with an error, without effect.
    ///
    /// `TransactionConflict` and `ThrottlingError` on a transaction become a
    /// `TransactionCanceledException` with cancellation reasons, as on DynamoDB.
    pub fn fail(&self, service: Service, operation: &str, times: u32, error: InjectedError) {
        self.plan(service, operation, times, Some(Fault::Reject(error)));
    }

    /// Returns half of each of the next `times` batches unprocessed, or all of a batch of one.
    ///
    /// `operation` is `BatchGetItem` or `BatchWriteItem`.
    pub fn leave_unprocessed(&self, operation: &str, times: u32) {
        let fault = Fault::Anomaly(Anomaly::PartialBatch);
        self.plan(Service::DynamoDb, operation, times, Some(fault));
    }

    /// Leaves half of the objects of the next `times` `DeleteObjects` calls in place, or the only
    /// one, and returns them as errors.
    pub fn fail_some_deletes(&self, times: u32) {
        let fault = Fault::Anomaly(Anomaly::PartialBatch);
        self.plan(Service::S3, "DeleteObjects", times, Some(fault));
    }

    /// Disconnects a principal from every service after `skips` more attempts, until
    /// [`Faults::reconnect`]. Its connections close and its calls have no effect, except the first
    /// of them if `first_takes_effect` is set.
    ///
    /// To all others this looks like a killed function. Polls of its queue continue. Replaces an
    /// earlier disconnection.
    pub fn disconnect(&self, principal: &str, skips: u32, first_takes_effect: bool) {
        *self.disconnection() = Some(Disconnection {
            principal: principal.to_owned(),
            skips_left: skips,
            first_takes_effect,
            broken: Vec::new(),
        });
    }

    /// Counts the broken attempts of the disconnected principal.
    pub fn broken_calls(&self) -> usize {
        self.disconnection()
            .as_ref()
            .map_or(0, |disconnection| disconnection.broken.len())
    }

    /// Counts the broken attempts of the disconnected principal to one service.
    pub fn broken_calls_to(&self, service: Service) -> usize {
        self.disconnection()
            .iter()
            .flat_map(|disconnection| &disconnection.broken)
            .filter(|broken| **broken == service)
            .count()
    }

    pub fn reconnect(&self) {
        *self.disconnection() = None;
    }

    /// Pauses one attempt of a principal before it takes effect, after `skips` more attempts, until
    /// the hold is released or dropped. Polls of a queue do not count.
    pub fn hold(&self, principal: &str, skips: u32) -> Hold {
        self.holds.plan(principal, skips)
    }

    /// Counts the planned faults that have not applied yet.
    pub fn pending(&self) -> usize {
        let attempts_left: usize = self
            .planned()
            .iter()
            .map(|planned| planned.times_left as usize)
            .sum();
        let is_disconnection_pending = self
            .disconnection()
            .as_ref()
            .is_some_and(|disconnection| disconnection.broken.is_empty());

        attempts_left + usize::from(is_disconnection_pending)
    }

    /// Describes the planned faults that have not applied yet, for failure messages.
    pub fn describe_pending(&self) -> Vec<String> {
        let mut descriptions: Vec<String> = self.planned().iter().map(describe).collect();
        let disconnection = self.disconnection();
        let pending = disconnection
            .iter()
            .filter(|disconnection| disconnection.broken.is_empty());
        descriptions.extend(pending.map(|disconnection| {
            format!(
                "disconnection of {} after {} more attempts",
                disconnection.principal, disconnection.skips_left
            )
        }));
        descriptions
    }

    /// Waits while this attempt is held.
    pub(super) async fn wait_while_held(&self, principal: &str, operation: &str) {
        if operation != POLL_OPERATION {
            self.holds.wait(principal, operation).await;
        }
    }

    /// Removes and returns the fault that applies to this attempt.
    pub(super) fn take(&self, principal: &str, service: Service, operation: &str) -> Option<Fault> {
        self.take_disconnection(principal, service, operation)
            .or_else(|| self.take_planned(service, operation))
    }

    fn take_disconnection(
        &self,
        principal: &str,
        service: Service,
        operation: &str,
    ) -> Option<Fault> {
        let mut state = self.disconnection();
        let disconnection = state.as_mut().filter(|disconnection| {
            disconnection.principal == principal && operation != POLL_OPERATION
        })?;
        if disconnection.skips_left > 0 {
            disconnection.skips_left -= 1;
            return None;
        }

        disconnection.broken.push(service);
        let is_first = disconnection.broken.len() == 1;
        Some(if is_first && disconnection.first_takes_effect {
            Fault::LoseResponse
        } else {
            Fault::CloseConnection
        })
    }

    fn take_planned(&self, service: Service, operation: &str) -> Option<Fault> {
        let mut all_planned = self.planned();
        let index = all_planned
            .iter()
            .position(|planned| planned.service == service && planned.operation == operation)?;

        let planned = &mut all_planned[index];
        let fault = planned.fault.clone();
        planned.times_left -= 1;
        if planned.times_left == 0 {
            all_planned.remove(index);
        }

        fault
    }

    fn plan(&self, service: Service, operation: &str, times: u32, fault: Option<Fault>) {
        if times == 0 {
            return;
        }
        self.planned().push(PlannedFault {
            service,
            operation: operation.to_owned(),
            fault,
            times_left: times,
        });
    }

    fn planned(&self) -> MutexGuard<'_, Vec<PlannedFault>> {
        self.planned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn disconnection(&self) -> MutexGuard<'_, Option<Disconnection>> {
        self.disconnection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

fn describe(planned: &PlannedFault) -> String {
    let fault = match &planned.fault {
        None => "no fault".to_owned(),
        Some(Fault::Reject(error)) => format!("{} {}", error.status, error.code),
        Some(fault) => format!("{fault:?}"),
    };
    format!(
        "{fault} for {} attempts of {:?} {}",
        planned.times_left, planned.service, planned.operation
    )
}
