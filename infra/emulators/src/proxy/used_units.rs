//! Capacity units of DynamoDB that calls use.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::dynamodb::ItemCost;

/// Units of calls.
#[derive(Clone, Copy, Debug, Default)]
pub struct UsedUnits {
    /// Read units, in halves.
    pub half_read: usize,
    pub write: usize,
}

/// A handle to the count of units. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct UnitMeter(Arc<Mutex<Option<UsedUnits>>>);

impl UnitMeter {
    /// Starts to count at zero.
    pub fn start(&self) {
        *self.used() = Some(UsedUnits::default());
    }

    /// Returns the units since the start, and ends the count.
    pub fn take(&self) -> UsedUnits {
        self.used().take().unwrap_or_default()
    }

    pub(super) fn is_started(&self) -> bool {
        self.used().is_some()
    }

    pub(super) fn add(&self, costs: &[ItemCost]) {
        if let Some(used) = self.used().as_mut() {
            used.half_read += costs.iter().map(|cost| cost.half_read_units).sum::<usize>();
            used.write += costs.iter().map(|cost| cost.write_units).sum::<usize>();
        }
    }

    fn used(&self) -> MutexGuard<'_, Option<UsedUnits>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
