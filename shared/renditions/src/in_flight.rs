//! Renderings in progress, which simultaneous requests for the same variant share.
//!
//! Invariants:
//! - One rendering per variant runs at a time. If its request is cancelled, the next one renders.
//! - Requests that wait for a rendering share its result, also an error.
//! - A finished rendering is not kept: later requests find it in storage, or repeat a failed one.

use std::{
    collections::HashMap,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use domain::{FileId, ServiceError, VariantId, error_chain};
use tokio::sync::OnceCell;

use crate::Rendition;

/// The renderings in progress of a process.
#[derive(Clone, Default)]
pub(crate) struct InFlight(Arc<Renderings>);

#[derive(Default)]
struct Renderings {
    running: Mutex<HashMap<RenderingKey, SharedRendering>>,
    /// Number of successful renderings.
    finished: AtomicU64,
}

type SharedRendering = Arc<OnceCell<Result<Outcome, ServiceError>>>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct RenderingKey {
    file: FileId,
    variant: VariantId,
}

/// Outcome of a rendering.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// The variant was rendered and stored.
    Rendered(Rendition),
    /// The variant is stored already.
    Stored,
}

impl InFlight {
    /// Returns the number of renderings that succeeded so far. While it is unchanged, a variant that
    /// was not in storage is not stored by this process.
    pub(crate) fn finished(&self) -> u64 {
        self.0.finished.load(Ordering::SeqCst)
    }

    /// Runs `render`, or waits for the same rendering of another request and returns its result.
    pub(crate) async fn run<Rendering>(
        &self,
        file: FileId,
        variant: &VariantId,
        render: impl FnOnce() -> Rendering,
    ) -> Result<Outcome, ServiceError>
    where
        Rendering: Future<Output = Result<Outcome, ServiceError>>,
    {
        let key = RenderingKey {
            file,
            variant: variant.clone(),
        };
        let shared = self.lock().entry(key.clone()).or_default().clone();
        let entry = Entry {
            in_flight: self,
            key,
            shared,
        };

        let finished = &self.0.finished;
        let render = || async move {
            let outcome = render().await;
            if outcome.is_ok() {
                finished.fetch_add(1, Ordering::SeqCst);
            }
            outcome
        };
        match entry.shared.get_or_init(render).await {
            Ok(outcome) => Ok(outcome.clone()),
            Err(error) => Err(repeated(error)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RenderingKey, SharedRendering>> {
        self.0
            .running
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the same error for another request, with the causes as text.
fn repeated(error: &ServiceError) -> ServiceError {
    let source = error.source.as_deref();
    ServiceError {
        kind: error.kind,
        message: error.message.clone(),
        field_errors: error.field_errors.clone(),
        retry_after_seconds: error.retry_after_seconds,
        rate_limit: error.rate_limit.clone(),
        source: source.map(|source| error_chain(source).into()),
    }
}

impl fmt::Debug for InFlight {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("InFlight")
    }
}

/// A request's share of a rendering. The first one after its end removes it, so that later requests
/// start another one; a rendering without an end is removed with its last request.
struct Entry<'a> {
    in_flight: &'a InFlight,
    key: RenderingKey,
    shared: SharedRendering,
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        let mut running = self.in_flight.lock();
        let is_current = running
            .get(&self.key)
            .is_some_and(|shared| Arc::ptr_eq(shared, &self.shared));
        // The map and this entry hold the last two references.
        let is_unused = Arc::strong_count(&self.shared) <= 2;
        if is_current && (self.shared.initialized() || is_unused) {
            running.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{future, sync::atomic::AtomicUsize};

    use bytes::Bytes;
    use domain::{ErrorKind, ImageFormat, Transformation, Variant};
    use futures::{future::join_all, poll};
    use tenant::VariantInfo;

    use super::*;

    fn variant() -> VariantId {
        Variant {
            transformation: Some(Transformation::default()),
            format: ImageFormat::Png,
            accepts_webp: false,
            watermark: None,
        }
        .id()
    }

    fn rendered() -> Outcome {
        Outcome::Rendered(Rendition {
            info: VariantInfo {
                content_type: "image/png".to_owned(),
                width: 1,
                height: 1,
            },
            bytes: Bytes::from_static(b"png"),
        })
    }

    #[tokio::test]
    async fn simultaneous_requests_render_once() {
        let in_flight = InFlight::default();
        let renderings = AtomicUsize::new(0);
        let render = || async {
            renderings.fetch_add(1, Ordering::Relaxed);
            tokio::task::yield_now().await;
            Ok(rendered())
        };

        let id = variant();
        let requests = (0..50).map(|_| in_flight.run(FileId::MIN, &id, render));
        let results = join_all(requests).await;

        assert!(results.iter().all(Result::is_ok));
        assert_eq!(renderings.load(Ordering::Relaxed), 1);
        assert!(in_flight.lock().is_empty());
    }

    #[tokio::test]
    async fn waiting_requests_share_an_error_and_a_later_one_renders_again() {
        let in_flight = InFlight::default();
        let attempts = AtomicUsize::new(0);
        let render = || async {
            tokio::task::yield_now().await;
            if attempts.fetch_add(1, Ordering::Relaxed) == 0 {
                Err(ServiceError::unavailable("the bucket is busy"))
            } else {
                Ok(rendered())
            }
        };

        let id = variant();
        let requests = (0..20).map(|_| in_flight.run(FileId::MIN, &id, render));
        let results = join_all(requests).await;

        for result in results {
            let error = result.expect_err("the rendering failed");
            assert_eq!(error.kind, ErrorKind::Unavailable);
            assert_eq!(error.retry_after_seconds, Some(1));
            assert_eq!(
                error.source.expect("a cause").to_string(),
                "the bucket is busy"
            );
        }
        assert_eq!(attempts.load(Ordering::Relaxed), 1);
        assert!(in_flight.lock().is_empty());

        let later = in_flight.run(FileId::MIN, &id, render).await;
        assert!(later.is_ok());
        assert_eq!(attempts.load(Ordering::Relaxed), 2);
    }

    #[tokio::test]
    async fn waiting_request_renders_if_the_first_one_is_cancelled() {
        let in_flight = InFlight::default();
        let id = variant();
        let mut first = Box::pin(in_flight.run(FileId::MIN, &id, future::pending));
        let mut second = Box::pin(in_flight.run(FileId::MIN, &id, || async { Ok(rendered()) }));
        assert!(poll!(&mut first).is_pending());
        assert!(poll!(&mut second).is_pending());

        drop(first);

        assert!(second.await.is_ok());
        assert!(in_flight.lock().is_empty());
    }

    #[tokio::test]
    async fn only_successful_renderings_are_counted() {
        let in_flight = InFlight::default();
        let id = variant();
        let fail = || async { Err(ServiceError::unavailable("the bucket is busy")) };

        assert!(in_flight.run(FileId::MIN, &id, fail).await.is_err());
        assert_eq!(in_flight.finished(), 0);

        let render = || async { Ok(rendered()) };
        assert!(in_flight.run(FileId::MIN, &id, render).await.is_ok());
        assert_eq!(in_flight.finished(), 1);
    }
}
