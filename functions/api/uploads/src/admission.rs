//! Admission of forms, which limits how many of them a process receives and stores at the same time. It concerns
//! containers: a function in Lambda handles one request at a time.
//!
//! Invariants:
//! - The body of a form is not read before the form is admitted: its client waits with the bytes.
//! - An admitted form counts with its size, or with its maximum if it declares none, until its request ends, since its files are spooled until then. A form of many
//!   files counts as a quarter of all, so that slow ones leave the rest to others, and one that waits keeps no more free.
//! - A connection on which no byte is sent waits for at most [`MAX_IDLE`]: to be admitted, and after the body for the response.
//! - Tenants share both limits fairly ([`FairSemaphore`]): one of them, or its slow clients, leaves a part to others.
//!   Uploads of a space without its keys are separate tenants, which together leave half to keys, however many spaces they
//!   are in. For storing, the tenant is the space.

use std::{fmt, time::Duration};

use domain::{KeyOwner, ServiceError, SpaceId};
use futures::FutureExt as _;
use runtime::{FairPermit, FairSemaphore, MAX_DYNAMODB_CALL};
use space_store::RESERVATION_LEASE_MS;
use tokio::time::{self, Instant};

/// Unit of the limits, in bytes: a mebibyte.
const UNIT_BYTES: u64 = 1 << 20;
/// Maximum size of the forms that are received at the same time, in units: 1 GiB, or 20 forms of 50 MB. A container
/// needs as much memory for the page cache, besides what decoding an image takes (docs/large-forms.md).
const RECEIVED_UNITS: u32 = 1 << 10;
/// Maximum part of it that forms without an API key take together.
const KEYLESS_UNITS: u32 = RECEIVED_UNITS / 2;
/// Maximum part of it that one form takes.
const FORM_UNITS: u32 = RECEIVED_UNITS / 4;
/// Maximum size of the files that are stored at the same time, in units: 256 MiB, or 5 files of 50 MB. They have to be stored within
/// the 10 seconds of an attempt (`S3_ATTEMPT_TIMEOUT` in `runtime`), which takes 27 MB per second.
const STORED_UNITS: u32 = 256;
/// Maximum time of the wait until a form is received, and of its validation and storing after its body: less than the 60 seconds after which a load
/// balancer closes an idle connection ("Edit attributes for your Application Load Balancer" in the guide of Application Load
/// Balancers), and than the lease of an idempotent request, which also covers the release of its reservation. Authentication, and
/// the calls that read the target and reserve or replay the request, come on top. Their own timeouts limit them.
const MAX_IDLE: Duration = Duration::from_secs(50);
const _: () =
    assert!(MAX_IDLE.saturating_add(MAX_DYNAMODB_CALL).as_millis() < RESERVATION_LEASE_MS as u128);
/// Maximum part of it that a form waits until it is received. A small body has then arrived already.
const MAX_WAIT: Duration = Duration::from_secs(25);
/// Maximum number of forms that wait until they are received. A client that disconnects may keep its place.
const MAX_WAITING: u32 = 256;
/// Maximum number of these without an API key.
const MAX_KEYLESS_WAITING: u32 = MAX_WAITING / 2;

/// The tenant whose part of the process the body of an upload takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UploadTenant {
    /// The owner of an API key.
    Owner(KeyOwner),
    /// All clients with signed upload URLs of a space.
    SignedUrls(SpaceId),
    /// All clients of a space without credentials.
    Unsigned(SpaceId),
}

impl UploadTenant {
    /// Returns the space of its uploads; `None` if an account's key may upload to several.
    pub(crate) fn space_id(self) -> Option<SpaceId> {
        match self {
            UploadTenant::Owner(KeyOwner::User(_)) => None,
            UploadTenant::Owner(KeyOwner::Space(id))
            | UploadTenant::SignedUrls(id)
            | UploadTenant::Unsigned(id) => Some(id),
        }
    }
}

impl fmt::Display for UploadTenant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UploadTenant::Owner(KeyOwner::User(id)) => write!(formatter, "keys of account {id}"),
            UploadTenant::Owner(KeyOwner::Space(id)) => write!(formatter, "keys of space {id}"),
            UploadTenant::SignedUrls(id) => write!(formatter, "signed URLs of space {id}"),
            UploadTenant::Unsigned(id) => write!(formatter, "unsigned uploads of space {id}"),
        }
    }
}

/// The limits of a process. Clones share them.
#[derive(Clone)]
pub(crate) struct Admission {
    received: Reception,
    /// The part of `received` for forms without an API key.
    keyless: Reception,
    stored: Limit<SpaceId>,
}

/// Forms that are received, or wait for it.
#[derive(Clone)]
struct Reception {
    received: Limit<UploadTenant>,
    /// One permit per form that waits until it is received.
    waiting: FairSemaphore<UploadTenant>,
}

/// A form that is received. It counts until this is dropped.
pub(crate) struct AdmittedForm {
    _permits: [Option<FairPermit<UploadTenant>>; 2],
    /// The rest of [`MAX_IDLE`].
    idle_left: Duration,
}

/// The end of the time for a form whose body has arrived.
#[derive(Clone, Copy)]
pub(crate) struct FormDeadline(Instant);

#[derive(Clone)]
struct Limit<T: Copy + PartialEq> {
    semaphore: FairSemaphore<T>,
    /// Maximum units of one acquisition.
    most: u32,
}

impl Admission {
    pub(crate) fn new() -> Admission {
        Admission {
            received: Reception::new(RECEIVED_UNITS, MAX_WAITING),
            keyless: Reception::new(KEYLESS_UNITS, MAX_KEYLESS_WAITING),
            stored: Limit::new(STORED_UNITS, STORED_UNITS),
        }
    }

    /// Waits until a form of this size may be received. Fails with 503 if others take too long, and at once if too
    /// many wait.
    pub(crate) async fn receive(
        &self,
        tenant: UploadTenant,
        bytes: u64,
    ) -> Result<AdmittedForm, ServiceError> {
        let started = Instant::now();
        let until = started + MAX_WAIT;
        let keyless = match tenant {
            UploadTenant::Owner(_) => None,
            _ => Some(self.keyless.acquire(tenant, bytes, until).await?),
        };
        let permit = self.received.acquire(tenant, bytes, until).await?;

        Ok(AdmittedForm {
            _permits: [keyless, Some(permit)],
            idle_left: MAX_IDLE.saturating_sub(started.elapsed()),
        })
    }

    /// Waits until files of this size may be stored.
    pub(crate) async fn store(&self, space: SpaceId, bytes: u64) -> FairPermit<SpaceId> {
        self.stored.acquire(space, bytes).await
    }
}

impl Reception {
    fn new(units: u32, waiting: u32) -> Reception {
        Reception {
            received: Limit::new(units, FORM_UNITS),
            waiting: FairSemaphore::new(waiting),
        }
    }

    /// Waits for a part of this size. Fails if others take too long, and at once if too many wait.
    async fn acquire(
        &self,
        tenant: UploadTenant,
        bytes: u64,
        until: Instant,
    ) -> Result<FairPermit<UploadTenant>, ServiceError> {
        let place = self.waiting.acquire(tenant, 1).now_or_never();
        let _place = place.ok_or_else(|| self.busy())?;
        let acquired = time::timeout_at(until, self.received.acquire(tenant, bytes)).await;
        acquired.map_err(|_| self.busy())
    }

    /// Returns the error of a form that is not received. Its cause, which only the log has, names the tenant that holds the
    /// largest part of what the form waits for.
    fn busy(&self) -> ServiceError {
        let cause = match self.received.semaphore.largest_holder() {
            Some(tenant) => format!("other forms are being received, most by {tenant}"),
            None => "other forms are being received".to_owned(),
        };
        ServiceError::unavailable(cause)
    }
}

impl AdmittedForm {
    /// Returns the deadline of all further work. To be called when the body has arrived.
    pub(crate) fn deadline(&self) -> FormDeadline {
        FormDeadline(Instant::now() + self.idle_left)
    }
}

impl FormDeadline {
    /// Runs work. Fails with 503 if the deadline passes first, which cancels the work.
    pub(crate) async fn run<T, E: From<ServiceError>>(
        self,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let late = |_| Err(ServiceError::unavailable("storing the form took too long").into());
        time::timeout_at(self.0, work).await.unwrap_or_else(late)
    }
}

impl<T: Copy + PartialEq> Limit<T> {
    fn new(units: u32, most: u32) -> Limit<T> {
        Limit {
            semaphore: FairSemaphore::new(units),
            most,
        }
    }

    /// Waits for a part of this size, or for the maximum.
    async fn acquire(&self, tenant: T, bytes: u64) -> FairPermit<T> {
        let units = u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(u32::MAX);
        let units = units.clamp(1, self.most);
        self.semaphore.acquire(tenant, units).await
    }
}

#[cfg(test)]
mod tests {
    use axum::{body::Body, extract::Request};
    use domain::ErrorKind;
    use futures::{FutureExt, future::BoxFuture};
    use http::header::CONTENT_TYPE;
    use intake::MAX_FORM_FILES;
    use runtime::{BodyDeadlines, BodyTimer};

    use super::*;
    use crate::{
        bounded_body::max_body_bytes,
        form_reader::{FormShape, UnreadForm},
    };

    const ACME: UploadTenant = UploadTenant::Owner(KeyOwner::Space(SpaceId::MIN));
    const FORM_BYTES: u64 = UNIT_BYTES;

    /// Returns an admission of two forms at a time.
    fn two_forms() -> Admission {
        Admission {
            received: Reception::new(2, 8),
            keyless: Reception::new(2, 8),
            stored: Limit::new(2, 2),
        }
    }

    fn receive(admission: &Admission) -> BoxFuture<'_, Result<AdmittedForm, ServiceError>> {
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

        let started = Instant::now();
        for refused in futures::future::join_all(others).await {
            let error = refused.err().expect("two others are received");
            assert_eq!(error.kind, ErrorKind::Unavailable);
            assert!(error.retry_after_seconds.is_some());
            let cause = error.source.map(|cause| cause.to_string());
            let holder = "most by keys of space 00000000000000000000000000";
            assert!(cause.is_some_and(|cause| cause.ends_with(holder)));
        }
        assert_eq!(started.elapsed(), MAX_WAIT);
    }

    #[tokio::test(start_paused = true)]
    async fn wait_for_admission_is_not_time_of_the_function() {
        let admission = two_forms();
        let _others = [receive(&admission).await, receive(&admission).await];
        let form = Request::post("/")
            .header(CONTENT_TYPE, "multipart/form-data; boundary=b")
            .body(Body::from("--b--"))
            .expect("a request");
        let form = BodyTimer::attach(form, BodyDeadlines::default());
        let timer = BodyTimer::of(form.extensions());
        let shape = FormShape {
            text_fields: &[],
            max_files: 1,
        };
        let form = UnreadForm::of(form, shape).await.expect("a form");

        let limit = MAX_WAIT / 5;
        let admitted = timer.timeout(limit, form.admit(&admission, ACME)).await;
        let result = admitted.expect("the wait is excluded from the limit");
        assert!(result.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn large_forms_leave_a_part_to_others() {
        let admission = Admission::new();
        let large = max_body_bytes(MAX_FORM_FILES);
        let slow = [(); 2].map(|()| admission.receive(ACME, large).now_or_never());
        assert!(slow.iter().all(Option::is_some));

        let other = UploadTenant::Owner(KeyOwner::Space(SpaceId::MAX));
        let photos = [(); 10].map(|()| admission.receive(other, 50 * UNIT_BYTES).now_or_never());
        assert!(photos.iter().all(Option::is_some));
    }

    #[tokio::test(start_paused = true)]
    async fn clients_without_a_key_leave_half_to_keys_and_a_part_to_signed_urls() {
        let admission = Admission::new();
        let receive = |tenant| admission.receive(tenant, 50 * UNIT_BYTES).now_or_never();
        let slow = [(); 20].map(|()| receive(UploadTenant::Unsigned(SpaceId::MIN)));
        assert!(slow.last().is_some_and(Option::is_none));
        assert!(receive(UploadTenant::SignedUrls(SpaceId::MIN)).is_some());

        let others = [(); 20].map(|()| receive(UploadTenant::Unsigned(SpaceId::MAX)));
        assert!(others.last().is_some_and(Option::is_none));
        let keys = [(); 10].map(|()| receive(ACME));
        assert!(keys.iter().all(Option::is_some));

        // Keys hold more, but nothing of the part that this form waits for.
        let late = admission.receive(UploadTenant::Unsigned(SpaceId::MAX), 50 * UNIT_BYTES);
        let cause = late.await.err().and_then(|error| error.source);
        let holder = "most by unsigned uploads of space 00000000000000000000000000";
        assert!(cause.is_some_and(|cause| cause.to_string().ends_with(holder)));
    }

    #[tokio::test(start_paused = true)]
    async fn forms_are_refused_at_once_while_too_many_wait() {
        let admission = two_forms();
        let _received = [receive(&admission).await, receive(&admission).await];
        let mut waiting = [(); 6].map(|()| receive(&admission));
        assert!(waiting.iter_mut().all(|form| form.now_or_never().is_none()));

        let refused = receive(&admission).now_or_never();
        let error = refused.and_then(Result::err).expect("refused at once");
        assert_eq!(error.kind, ErrorKind::Unavailable);

        drop(waiting);
        assert!(receive(&admission).now_or_never().is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn files_larger_than_the_limit_are_stored_alone() {
        let admission = two_forms();
        let large = admission.store(SpaceId::MIN, 10 * UNIT_BYTES).await;
        let mut small = admission.store(SpaceId::MIN, FORM_BYTES).boxed();
        assert!((&mut small).now_or_never().is_none());

        drop(large);
        small.await;
    }

    #[tokio::test(start_paused = true)]
    async fn waits_and_work_of_a_form_have_one_deadline() {
        let admission = two_forms();
        let others = admission.store(SpaceId::MIN, 2 * UNIT_BYTES).await;
        let received = admission.receive(ACME, 2 * UNIT_BYTES).await;
        let mut waiting = receive(&admission);
        assert!((&mut waiting).now_or_never().is_none());

        let wait = MAX_WAIT / 2;
        time::sleep(wait).await;
        drop(received);
        let form = waiting
            .await
            .expect("admitted when the other one has ended");

        let body = 10 * MAX_IDLE;
        time::sleep(body).await;
        let started = Instant::now();
        let work = async {
            time::sleep(MAX_IDLE / 4).await;
            Ok::<_, ServiceError>(admission.store(SpaceId::MIN, FORM_BYTES).await)
        };
        let error = form
            .deadline()
            .run(work)
            .await
            .expect_err("others are stored");
        assert_eq!(error.kind, ErrorKind::Unavailable);
        assert_eq!(wait + started.elapsed(), MAX_IDLE);
        drop(others);
    }
}
