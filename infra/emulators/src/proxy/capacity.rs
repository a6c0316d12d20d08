//! Throughput limits of DynamoDB items.
//!
//! A partition serves 3,000 read units and 1,000 write units per second, and DynamoDB splits a table
//! down to partitions of single items at most ("Best practices for designing and using partition keys
//! effectively in DynamoDB", Amazon DynamoDB Developer Guide). Here each item has these limits, in each
//! second of the clock, without the burst capacity that DynamoDB may grant.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::{clock::AsyncClock, dynamodb::ItemCost};

/// Read units that an item serves per second, in halves.
const HALF_READ_UNITS_PER_SECOND: usize = 2 * 3_000;
/// Write units that an item serves per second.
const WRITE_UNITS_PER_SECOND: usize = 1_000;

/// A handle to the throughput limits of items. Clones share them.
#[derive(Clone)]
pub struct Capacity {
    clock: Arc<dyn AsyncClock>,
    state: Arc<Mutex<CapacityState>>,
}

#[derive(Debug, Default)]
struct CapacityState {
    is_enforced: bool,
    /// The second that `used` counts, since the Unix epoch.
    second: i64,
    used: HashMap<String, UsedUnits>,
    /// Units of all items since they were last taken.
    total: UsedUnits,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct UsedUnits {
    /// Read units, in halves.
    pub half_read: usize,
    pub write: usize,
}

impl UsedUnits {
    fn plus(self, cost: &ItemCost) -> UsedUnits {
        UsedUnits {
            half_read: self.half_read + cost.half_read_units,
            write: self.write + cost.write_units,
        }
    }

    /// Returns whether an item can serve a call after these units were used.
    fn is_allowed(self, cost: &ItemCost) -> bool {
        let after = self.plus(cost);
        let can_read = cost.half_read_units == 0 || after.half_read <= HALF_READ_UNITS_PER_SECOND;
        let can_write = cost.write_units == 0 || after.write <= WRITE_UNITS_PER_SECOND;
        can_read && can_write
    }
}

impl fmt::Debug for Capacity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Capacity")
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

impl Capacity {
    /// Creates limits that are not enforced.
    pub(crate) fn new(clock: Arc<dyn AsyncClock>) -> Capacity {
        Capacity {
            clock,
            state: Arc::default(),
        }
    }

    /// Enforces the limits from the next call on. Calls above them are throttled: 3,000 read units
    /// and 1,000 write units per item and second of the clock.
    pub fn enforce(&self) {
        self.state().is_enforced = true;
    }

    /// Returns the units of the calls since the last call of this method, while the limits were enforced.
    pub fn take_used(&self) -> UsedUnits {
        std::mem::take(&mut self.state().total)
    }

    /// Returns whether the limits are enforced.
    pub(super) fn is_enforced(&self) -> bool {
        self.state().is_enforced
    }

    /// Takes the units of a call. Fails with the zero-based indexes of the items that lack units; such
    /// a call takes no units.
    pub(super) fn take(&self, costs: &[ItemCost]) -> Result<(), Vec<usize>> {
        let second = self.clock.now_ms().div_euclid(1000);
        let mut state = self.state();
        if state.second != second {
            state.second = second;
            state.used.clear();
        }

        let mut throttled = Vec::new();
        for (index, cost) in costs.iter().enumerate() {
            let used = state.used.get(&cost.item).copied().unwrap_or_default();
            if !used.is_allowed(cost) {
                throttled.push(index);
            }
        }
        if !throttled.is_empty() {
            return Err(throttled);
        }

        for cost in costs {
            let used = state.used.entry(cost.item.clone()).or_default();
            *used = used.plus(cost);
            state.total = state.total.plus(cost);
        }
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, CapacityState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::clock::ManualClock;

    fn cost(item: &str, read_units: usize, write_units: usize) -> ItemCost {
        ItemCost {
            item: item.to_owned(),
            half_read_units: 2 * read_units,
            write_units,
        }
    }

    #[test]
    fn item_serves_its_units_in_each_second() {
        let clock = ManualClock::starting_at(1_700);
        let capacity = Capacity::new(Arc::new(clock.clone()));

        assert_eq!(capacity.take(&[cost("a", 2_999, 1_000)]), Ok(()));
        assert_eq!(capacity.take(&[cost("a", 2, 0)]), Err(vec![0]));
        assert_eq!(capacity.take(&[cost("a", 0, 1)]), Err(vec![0]));
        assert_eq!(capacity.take(&[cost("a", 1, 0)]), Ok(()));
        assert_eq!(capacity.take(&[cost("b", 3_000, 0)]), Ok(()));

        clock.advance(Duration::from_millis(299));
        assert_eq!(capacity.take(&[cost("a", 1, 0)]), Err(vec![0]));
        clock.advance(Duration::from_millis(1));
        assert_eq!(capacity.take(&[cost("a", 3_000, 0)]), Ok(()));
    }

    #[test]
    fn throttled_call_takes_no_units() {
        let capacity = Capacity::new(Arc::new(ManualClock::starting_at(0)));
        assert_eq!(capacity.take(&[cost("b", 3_000, 0)]), Ok(()));

        let both = [cost("a", 3_000, 0), cost("b", 1, 0)];
        assert_eq!(capacity.take(&both), Err(vec![1]));

        assert_eq!(capacity.take(&[cost("a", 3_000, 0)]), Ok(()));
    }
}
