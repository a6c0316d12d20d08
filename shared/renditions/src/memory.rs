//! Memory for simultaneous renderings.
//!
//! Invariants:
//! - A rendering that waits for memory holds none, except its original. So renderings never wait
//!   for each other in a circle.
//! - A rendering keeps its original until it ends. So at most [`max_renderings`] requests read an
//!   original, wait for memory or render at the same time, and the originals take at most
//!   [`MAX_SOURCE_BYTES`](crate::MAX_SOURCE_BYTES) each, in addition to the budget. Jobs read their
//!   original before they reserve memory: their number is limited by the worker, on Lambda to one.

use std::{num::NonZeroUsize, sync::Arc, thread, time::Duration};

use domain::errors::{FieldError, ServiceError};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time,
};

use crate::render::invalid;

/// Number of simultaneous renderings on few cores: some of them wait for S3.
const MIN_RENDERINGS: usize = 4;
/// Maximum number of simultaneous renderings on any number of cores: their originals are not part
/// of the budget.
const MAX_RENDERINGS: usize = 16;
/// Unit of the budget, in bytes: a mebibyte.
const UNIT_BYTES: u64 = 1 << 20;

/// Limits of simultaneous renderings.
#[derive(Clone, Copy, Debug)]
pub struct MemoryLimits {
    /// Memory of all renderings, in bytes.
    pub bytes: u64,
    /// Maximum time that a rendering waits until it may read its original, and again until its
    /// memory is free.
    pub max_wait: Duration,
}

impl MemoryLimits {
    /// Returns the limits for a number of mebibytes.
    pub fn of_mebibytes(mebibytes: u64, max_wait: Duration) -> MemoryLimits {
        MemoryLimits {
            bytes: mebibytes.saturating_mul(UNIT_BYTES),
            max_wait,
        }
    }
}

/// The memory of the process for renderings.
#[derive(Clone, Debug)]
pub(crate) struct MemoryBudget {
    /// One permit per rendering.
    renderings: Arc<Semaphore>,
    /// One permit per unit.
    pixels: Arc<Semaphore>,
    total_units: u32,
    max_wait: Duration,
}

impl MemoryBudget {
    pub(crate) fn new(limits: MemoryLimits) -> MemoryBudget {
        let total_units = units(limits.bytes);
        MemoryBudget {
            renderings: Arc::new(Semaphore::new(max_renderings())),
            pixels: Arc::new(Semaphore::new(total_units as usize)),
            total_units,
            max_wait: limits.max_wait,
        }
    }

    /// Waits for the permit to read an original and to render it, which is held to the end of the
    /// rendering. Fails with 503 if none is free in time.
    pub(crate) async fn reserve_source(&self) -> Result<OwnedSemaphorePermit, ServiceError> {
        self.reserve(&self.renderings, 1).await
    }

    /// Waits for the memory of a rendering. Fails with 503 if it is not free in time, and with 422
    /// if the process does not have as much.
    pub(crate) async fn reserve_pixels(
        &self,
        bytes: u64,
    ) -> Result<OwnedSemaphorePermit, ServiceError> {
        let needed = units(bytes).max(1);
        if needed > self.total_units {
            let field_error =
                FieldError::Custom("needs more memory to be rendered than this service has");
            return Err(invalid(&field_error));
        }
        self.reserve(&self.pixels, needed).await
    }

    /// Waits for permits in the order of the requests.
    async fn reserve(
        &self,
        semaphore: &Arc<Semaphore>,
        permits: u32,
    ) -> Result<OwnedSemaphorePermit, ServiceError> {
        let acquired = semaphore.clone().acquire_many_owned(permits);
        time::timeout(self.max_wait, acquired)
            .await
            .map_err(|_| ServiceError::unavailable("other renderings use the memory"))?
            .map_err(ServiceError::internal)
    }
}

/// Returns the maximum number of simultaneous renderings on this machine: one per core, within
/// limits.
fn max_renderings() -> usize {
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    cores.clamp(MIN_RENDERINGS, MAX_RENDERINGS)
}

fn units(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use domain::errors::ErrorKind;

    use super::*;

    const MAX_WAIT: Duration = Duration::from_secs(7);

    fn ten_units() -> MemoryBudget {
        MemoryBudget::new(MemoryLimits {
            bytes: 10 * UNIT_BYTES,
            max_wait: MAX_WAIT,
        })
    }

    #[tokio::test(start_paused = true)]
    async fn rendering_waits_for_memory_and_fails_as_busy_after_the_maximum_wait() {
        let budget = ten_units();
        let first = budget.reserve_pixels(8 * UNIT_BYTES).await.expect("free");
        let started = time::Instant::now();

        let second = budget.reserve_pixels(3 * UNIT_BYTES).await;
        assert_eq!(
            second.err().map(|error| error.kind),
            Some(ErrorKind::Unavailable)
        );
        assert_eq!(started.elapsed(), MAX_WAIT);

        drop(first);
        assert!(budget.reserve_pixels(10 * UNIT_BYTES).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn renderings_wait_for_each_other_beyond_their_number() {
        let budget = ten_units();
        let mut permits = Vec::new();
        for _ in 0..max_renderings() {
            permits.push(budget.reserve_source().await.expect("free"));
        }

        let refused = budget.reserve_source().await;
        assert_eq!(
            refused.err().map(|error| error.kind),
            Some(ErrorKind::Unavailable)
        );

        permits.pop();
        assert!(budget.reserve_source().await.is_ok());
    }

    #[tokio::test]
    async fn image_that_never_fits_is_invalid() {
        let budget = ten_units();

        let reserved = budget.reserve_pixels(11 * UNIT_BYTES).await;

        assert_eq!(
            reserved.err().map(|error| error.kind),
            Some(ErrorKind::Invalid)
        );
    }
}
