//! Chaos: seeded random faults on any call, within what AWS may do.
//!
//! Invariants:
//! - The fault of a call depends only on the seed, the service, the operation and the number of
//!   earlier calls of that operation.
//! - At most [`max_consecutive_faults`] calls of an operation fail in a row, so a client that
//!   retries succeeds.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use md5::{Digest, Md5};

use super::{
    fault::{Fault, InjectedError},
    service::Service,
};
use crate::anomaly::Anomaly;

/// Percentage of calls that fail, before [`max_consecutive_faults`] applies.
const FAULT_PERCENT: u64 = 20;

/// Returns the maximum number of consecutive faults of one operation: one less than the attempts
/// that the production clients make.
fn max_consecutive_faults(service: Service) -> u64 {
    match service {
        Service::DynamoDb => 1,
        Service::S3 | Service::SecretsManager | Service::Sqs => 2,
    }
}

/// A handle to the random faults. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Chaos {
    state: Arc<Mutex<ChaosState>>,
}

#[derive(Debug, Default)]
struct ChaosState {
    /// `None` if disabled.
    seed: Option<u64>,
    /// Number of calls since it was enabled.
    calls: HashMap<OperationKey, u64>,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct OperationKey {
    service: Service,
    operation: String,
}

impl Chaos {
    /// Enables faults from the next call on: errors without effect, lost responses, partial
    /// batches, duplicate and unordered messages, and conflicts of overlapping transactions. The
    /// same seed causes the same faults for the same calls.
    pub fn enable(&self, seed: u64) {
        *self.state() = ChaosState {
            seed: Some(seed),
            calls: HashMap::new(),
        };
    }

    /// Disables random faults from the next call on. Planned faults still apply.
    pub fn disable(&self) {
        self.state().seed = None;
    }

    /// Returns whether random faults are enabled.
    pub(super) fn is_enabled(&self) -> bool {
        self.state().seed.is_some()
    }

    /// Counts a call of an operation and returns its fault.
    pub(super) fn next_fault(&self, service: Service, operation: &str) -> Option<Fault> {
        let mut state = self.state();
        let seed = state.seed?;
        let key = OperationKey {
            service,
            operation: operation.to_owned(),
        };
        let calls = state.calls.entry(key).or_default();
        let draw = Draw {
            seed,
            service,
            operation,
            call: *calls,
        };
        *calls += 1;

        draw.fault()
    }

    fn state(&self) -> MutexGuard<'_, ChaosState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The inputs that determine the fault of one call.
#[derive(Clone, Copy)]
struct Draw<'a> {
    seed: u64,
    service: Service,
    operation: &'a str,
    /// Zero-based number of the call.
    call: u64,
}

impl Draw<'_> {
    fn fault(self) -> Option<Fault> {
        if !self.is_faulty() || self.follows_longest_run() {
            return None;
        }
        let mut faults = possible_faults(self.service, self.operation);
        let choice = self.number() / 100 % faults.len() as u64;
        Some(faults.swap_remove(usize::try_from(choice).unwrap_or_default()))
    }

    fn is_faulty(self) -> bool {
        self.number() % 100 < FAULT_PERCENT
    }

    /// Returns whether all calls before, up to the maximum, are faulty.
    fn follows_longest_run(self) -> bool {
        let run = max_consecutive_faults(self.service);
        self.call >= run
            && (self.call - run..self.call).all(|call| Draw { call, ..self }.is_faulty())
    }

    /// Returns a number that is uniformly distributed and depends only on `self`.
    fn number(self) -> u64 {
        let Draw {
            seed,
            service,
            operation,
            call,
        } = self;
        let digest = Md5::digest(format!("{seed} {service:?} {operation} {call}"));
        digest
            .iter()
            .take(8)
            .fold(0, |number, byte| number << 8 | u64::from(*byte))
    }
}

/// Returns the faults that a call of this operation can meet. Never empty.
fn possible_faults(service: Service, operation: &str) -> Vec<Fault> {
    let reject = |status, code| Fault::Reject(InjectedError::new(status, code));
    let mut faults = match service {
        Service::DynamoDb => {
            vec![
                reject(400, "ThrottlingException"),
                reject(400, "ProvisionedThroughputExceededException"),
            ]
        }
        Service::S3 => vec![reject(503, "SlowDown")],
        Service::SecretsManager => vec![reject(400, "ThrottlingException")],
        Service::Sqs => vec![reject(400, "RequestThrottled")],
    };

    if service == Service::Sqs && operation == "ReceiveMessage" {
        // No lost response: it would hide messages until their visibility timeout, and the clock of
        // a test stands still.
        faults.extend([
            Fault::Anomaly(Anomaly::DuplicateDelivery),
            Fault::Anomaly(Anomaly::NewestFirst),
        ]);
        return faults;
    }

    faults.push(Fault::LoseResponse);
    if operation.starts_with("Transact") {
        faults.extend([
            reject(400, "TransactionConflict"),
            reject(400, "ThrottlingError"),
        ]);
    }
    if operation.contains("Batch") || operation == "DeleteObjects" {
        // Listed twice to be drawn twice as often.
        faults.extend([
            Fault::Anomaly(Anomaly::PartialBatch),
            Fault::Anomaly(Anomaly::PartialBatch),
        ]);
    }

    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPERATIONS: [(Service, &str); 6] = [
        (Service::DynamoDb, "BatchGetItem"),
        (Service::DynamoDb, "TransactWriteItems"),
        (Service::S3, "DeleteObjects"),
        (Service::SecretsManager, "GetSecretValue"),
        (Service::Sqs, "ReceiveMessage"),
        (Service::Sqs, "SendMessageBatch"),
    ];

    #[test]
    fn every_possible_fault_occurs_and_consecutive_faults_are_bounded() {
        for (service, operation) in OPERATIONS {
            let fault = |call| {
                let draw = Draw {
                    seed: 1,
                    service,
                    operation,
                    call,
                };
                draw.fault()
            };
            let faults: Vec<_> = (0..2_000).map(fault).collect();

            for expected in possible_faults(service, operation) {
                let is_drawn = faults.contains(&Some(expected.clone()));
                assert!(is_drawn, "{operation} {expected:?}");
            }
            let longest = faults.split(Option::is_none).map(<[_]>::len).max();
            let expected = usize::try_from(max_consecutive_faults(service)).ok();
            assert_eq!(longest, expected, "{operation}");
        }
    }

    #[test]
    fn faults_depend_on_seed_and_not_on_calls_of_other_operations() {
        let faults = |seed, calls_others: bool| {
            let chaos = Chaos::default();
            assert_eq!(chaos.next_fault(Service::DynamoDb, "GetItem"), None);
            chaos.enable(seed);
            let next = |_| {
                if calls_others {
                    chaos.next_fault(Service::S3, "GetObject");
                }
                chaos.next_fault(Service::DynamoDb, "GetItem")
            };
            (0..100).map(next).collect::<Vec<_>>()
        };

        assert_eq!(faults(7, false), faults(7, true));
        assert_ne!(faults(7, false), faults(8, false));
    }
}
