//! Admission of forms, which limits how many of them a process receives and stores at the same time. It concerns
//! containers: a function in Lambda handles one request at a time.
//!
//! Invariants:
//! - The body of a form is not read before the form is admitted: its client waits with the bytes.
//! - An admitted form counts with its whole size until its request ends, since its files are spooled until then.
//! - Tenants share both limits fairly ([`FairSemaphore`]): one of them, or its slow clients, leaves a part to others.
//!   The tenant is the owner of the key, or the space of an upload without a key; for storing, always the space.

use std::time::Duration;

use domain::{KeyOwner, ServiceError, SpaceId};
use runtime::{FairPermit, FairSemaphore};
use tokio::time;

use crate::within_deadline;

/// Unit of the limits, in bytes: a mebibyte.
const UNIT_BYTES: u64 = 1 << 20;
/// Maximum size of the forms that are received at the same time, in units: 1 GiB, or 20 forms of 50 MB. The memory of a task
/// (infra/large-uploads) holds as much for the page cache, besides what decoding an image takes.
const RECEIVED_UNITS: u32 = 1 << 10;
/// Maximum size of the files that are stored at the same time, in units: 256 MiB, or 5 files of 50 MB. They have to be stored within
/// the 10 seconds of an attempt (`S3_ATTEMPT_TIMEOUT` in `runtime`), which takes 27 MB per second.
const STORED_UNITS: u32 = 256;
/// Maximum time that a form waits until it is received: less than the 60 seconds after which a load balancer closes
/// an idle connection ("Edit attributes for your Application Load Balancer" in the guide of Application Load Balancers).
const MAX_WAIT: Duration = Duration::from_secs(50);

/// The limits of a process. Clones share them.
#[derive(Clone)]
pub(crate) struct Admission {
    received: Limit,
    stored: Limit,
}

#[derive(Clone)]
struct Limit {
    semaphore: FairSemaphore<KeyOwner>,
    units: u32,
}

impl Admission {
    pub(crate) fn new() -> Admission {
        Admission {
            received: Limit::new(RECEIVED_UNITS),
            stored: Limit::new(STORED_UNITS),
        }
    }

    /// Waits until a form of at most this size may be received. Fails with 503 if others take too long.
    pub(crate) async fn receive(
        &self,
        tenant: KeyOwner,
        bytes: u64,
    ) -> Result<FairPermit<KeyOwner>, ServiceError> {
        time::timeout(MAX_WAIT, self.received.acquire(tenant, bytes))
            .await
            .map_err(|_| ServiceError::unavailable("other forms are being received"))
    }

    /// Waits until files of this size may be stored. Fails with 503 if others take too long.
    pub(crate) async fn store(
        &self,
        space: SpaceId,
        bytes: u64,
    ) -> Result<FairPermit<KeyOwner>, ServiceError> {
        let acquired = async { Ok(self.stored.acquire(KeyOwner::Space(space), bytes).await) };
        within_deadline(acquired, "other files are being stored").await
    }
}

impl Limit {
    fn new(units: u32) -> Limit {
        Limit {
            semaphore: FairSemaphore::new(units),
            units,
        }
    }

    /// Waits for a part of this size, at most for all.
    async fn acquire(&self, tenant: KeyOwner, bytes: u64) -> FairPermit<KeyOwner> {
        let units = u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(u32::MAX);
        let units = units.clamp(1, self.units);
        self.semaphore.acquire(tenant, units).await
    }
}

#[cfg(test)]
mod tests {
    use domain::ErrorKind;
    use futures::{FutureExt, future::BoxFuture};

    use super::*;

    const ACME: KeyOwner = KeyOwner::Space(SpaceId::MIN);
    const FORM_BYTES: u64 = UNIT_BYTES;

    /// Returns an admission of two forms at a time.
    fn two_forms() -> Admission {
        Admission {
            received: Limit::new(2),
            stored: Limit::new(2),
        }
    }

    fn receive(admission: &Admission) -> BoxFuture<'_, Result<FairPermit<KeyOwner>, ServiceError>> {
        admission.receive(ACME, FORM_BYTES).boxed()
    }

    #[tokio::test(start_paused = true)]
    async fn forms_above_the_limit_wait_and_are_refused_after_the_maximum_wait() {
        let admission = two_forms();
        let first = receive(&admission).await.expect("free");
        let _second = receive(&admission).await.expect("free");
        let mut third = receive(&admission);
        let others = [(); 3].map(|()| receive(&admission));
        assert!((&mut third).now_or_never().is_none());

        drop(first);
        let _third = third.await.expect("admitted when the first has ended");

        let started = time::Instant::now();
        for refused in futures::future::join_all(others).await {
            let error = refused.expect_err("two others are received");
            assert_eq!(error.kind, ErrorKind::Unavailable);
            assert!(error.retry_after_seconds.is_some());
        }
        assert_eq!(started.elapsed(), MAX_WAIT);
    }

    #[tokio::test(start_paused = true)]
    async fn files_larger_than_the_limit_are_stored_alone() {
        let admission = two_forms();
        let large = admission
            .store(SpaceId::MIN, 10 * UNIT_BYTES)
            .await
            .expect("free");
        let mut small = admission.store(SpaceId::MIN, FORM_BYTES).boxed();
        assert!((&mut small).now_or_never().is_none());

        drop(large);
        small.await.expect("stored afterwards");
    }
}
