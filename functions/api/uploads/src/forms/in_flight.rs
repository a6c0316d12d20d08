//! Limit of the forms that a process receives and stores at the same time. It concerns containers
//! and the local stack: a function in Lambda handles one request at a time.

use std::sync::Arc;

use domain::errors::ServiceError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Unit of the limit, in bytes: a mebibyte.
const UNIT_BYTES: u64 = 1 << 20;
/// Maximum size of all forms together, in units: 1 GiB, or 20 forms of 50 MB. A container needs as
/// much memory for the page cache, besides what decoding an image takes (docs/large-forms.md).
const MAX_UNITS: usize = 1 << 10;

/// The limit of a process. Clones share it.
#[derive(Clone)]
pub(crate) struct FormsInFlight(Arc<Semaphore>);

impl FormsInFlight {
    pub(crate) fn new() -> FormsInFlight {
        FormsInFlight(Arc::new(Semaphore::new(MAX_UNITS)))
    }

    /// Counts a form of this size until the permit is dropped. Fails with 503 if it does not fit
    /// beside the others.
    pub(crate) fn admit(&self, bytes: u64) -> Result<OwnedSemaphorePermit, ServiceError> {
        let units = u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(u32::MAX);
        let admitted = self.0.clone().try_acquire_many_owned(units);
        admitted.map_err(|_| ServiceError::unavailable("other forms are being received"))
    }
}
