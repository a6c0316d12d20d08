//! AWS's chaos: what it may do to any call at any time, drawn from a seed.
//!
//! Invariants: what happens to a call depends on the seed, the service, the operation and how many
//! calls of that operation went before, and on nothing else; and never more than [`run_max`] calls
//! of an operation in a row go wrong, so that clients which try again get through.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use md5::{Digest, Md5};

use super::{
    Service,
    fault::{Fault, InjectedError},
};
use crate::anomaly::Anomaly;

/// Calls of a hundred that go wrong, before runs are cut.
const WRONG_PERCENT: u64 = 20;

/// Returns the most calls of one operation that go wrong in a row: one less than the production
/// clients try.
fn run_max(service: Service) -> u64 {
    match service {
        Service::DynamoDb => 1,
        Service::S3 | Service::SecretsManager | Service::Sqs => 2,
    }
}

/// A handle on random AWS misbehavior. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Chaos {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    /// None as long as AWS is even-tempered.
    seed: Option<u64>,
    /// Calls since it is not, by operation.
    calls: HashMap<(Service, String), u64>,
}

impl Chaos {
    /// From the next call on, calls are refused without effect, lose their answers after it, are
    /// done in part, twice or out of order; and transactions that overlap conflict. The same seed
    /// does the same to the same calls.
    pub fn enable(&self, seed: u64) {
        *self.state() = State {
            seed: Some(seed),
            calls: HashMap::new(),
        };
    }

    /// From the next call on, all goes well again, but for planned faults.
    pub fn disable(&self) {
        self.state().seed = None;
    }

    /// Whether they have begun.
    pub(super) fn is_enabled(&self) -> bool {
        self.state().seed.is_some()
    }

    /// What happens to the next call of an operation, which is hereby counted.
    pub(super) fn fault(&self, service: Service, operation: &str) -> Option<Fault> {
        let mut state = self.state();
        let seed = state.seed?;
        let calls = state
            .calls
            .entry((service, operation.to_owned()))
            .or_default();
        let nth = *calls;
        *calls += 1;
        drawn(seed, service, operation, nth)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What happens to the nth call of an operation, counted from 0.
fn drawn(seed: u64, service: Service, operation: &str, nth: u64) -> Option<Fault> {
    let draw = |nth| draw(seed, service, operation, nth);
    let is_drawn = |nth| draw(nth) % 100 < WRONG_PERCENT;
    let run_max = run_max(service);
    let ends_run = nth >= run_max && (nth - run_max..nth).all(is_drawn);
    if !is_drawn(nth) || ends_run {
        return None;
    }
    let mut faults = faults(service, operation);
    let choice = usize::try_from(draw(nth) / 100 % faults.len() as u64).unwrap_or_default();
    Some(faults.swap_remove(choice))
}

/// A number that nothing but these decides.
fn draw(seed: u64, service: Service, operation: &str, nth: u64) -> u64 {
    let digest = Md5::digest(format!("{seed} {service:?} {operation} {nth}"));
    digest
        .iter()
        .take(8)
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// What may happen to a call of this operation: never empty.
fn faults(service: Service, operation: &str) -> Vec<Fault> {
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
    if (service, operation) == (Service::Sqs, "ReceiveMessage") {
        // A lost answer is left out: it hides messages until their time is over, and a test's clock
        // stands still.
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
    fn every_fault_occurs_and_no_run_is_too_long() {
        for (service, operation) in OPERATIONS {
            let happened: Vec<_> = (0..2_000)
                .map(|nth| drawn(1, service, operation, nth))
                .collect();
            for fault in faults(service, operation) {
                assert!(
                    happened.contains(&Some(fault.clone())),
                    "{operation} {fault:?}"
                );
            }
            let longest = happened.split(Option::is_none).map(<[_]>::len).max();
            assert_eq!(
                longest,
                usize::try_from(run_max(service)).ok(),
                "{operation}"
            );
        }
    }

    #[test]
    fn a_seed_decides_and_each_operation_is_counted_by_itself() {
        let happens = |seed, disturbed: bool| {
            let chaos = Chaos::default();
            chaos.enable(seed);
            let next = |_| {
                if disturbed {
                    chaos.fault(Service::S3, "GetObject");
                }
                chaos.fault(Service::DynamoDb, "GetItem")
            };
            (0..100).map(next).collect::<Vec<_>>()
        };
        assert_eq!(happens(7, false), happens(7, true));
        assert_ne!(happens(7, false), happens(8, false));
    }

    #[test]
    fn nothing_happens_before_they_begin_and_after_they_end() {
        let chaos = Chaos::default();
        let all = || {
            (0..100)
                .filter_map(|_| chaos.fault(Service::DynamoDb, "GetItem"))
                .count()
        };
        assert!(!chaos.is_enabled() && all() == 0);
        chaos.enable(1);
        assert!(chaos.is_enabled() && all() > 0);
        chaos.disable();
        assert!(!chaos.is_enabled() && all() == 0);
    }
}
