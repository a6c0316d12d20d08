//! Renderings in progress, which simultaneous requests for the same rendition share.
//!
//! Invariants:
//! - One rendering per rendition and place where it is stored runs at a time.
//! - A rendering continues if its requests are cancelled, and is stored: codecs cannot be
//!   cancelled, and a request that is repeated because a rendering takes too long would never get
//!   it. On Lambda, it continues with the next invocation of the same environment, which is frozen
//!   between invocations, and is lost if there is none ("Lambda execution environment lifecycle" in
//!   the AWS Lambda developer guide).
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

use domain::{
    errors::{ServiceError, error_chain},
    id::Revision,
    renditions::RenditionLocation,
};
use futures::{
    FutureExt,
    future::{BoxFuture, Shared},
};

use space_store::objects::NewRendition;

/// The renderings in progress of a process.
#[derive(Clone, Default)]
pub(crate) struct InFlight(Arc<Renderings>);

#[derive(Default)]
struct Renderings {
    running: Mutex<HashMap<RenderingKey, RenderingInProgress>>,
    /// Number of successful renderings.
    finished: AtomicU64,
}

type RenderingInProgress = Shared<BoxFuture<'static, Result<Outcome, Arc<ServiceError>>>>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct RenderingKey {
    /// The bytes that are rendered. No two files have the same revision.
    revision: Option<Revision>,
    location: RenditionLocation,
}

/// Outcome of a rendering.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// The rendition was rendered.
    Rendered {
        rendition: NewRendition,
        is_stored: bool,
    },
    /// The rendition is stored already.
    Stored,
}

impl InFlight {
    /// Returns the number of renderings that succeeded so far. While it is unchanged, a rendition
    /// that was not in storage is not stored by this process.
    pub(crate) fn finished(&self) -> u64 {
        self.0.finished.load(Ordering::SeqCst)
    }

    /// Starts a rendering, or waits for the same rendering of another request and returns its
    /// result.
    pub(crate) async fn run<Rendering>(
        &self,
        revision: Option<Revision>,
        location: &RenditionLocation,
        render: impl FnOnce() -> Rendering,
    ) -> Result<Outcome, ServiceError>
    where
        Rendering: Future<Output = Result<Outcome, ServiceError>> + Send + 'static,
    {
        let key = RenderingKey {
            revision,
            location: location.clone(),
        };
        let start = || self.start(key.clone(), render());
        let shared = self.lock().entry(key.clone()).or_insert_with(start).clone();
        shared.await.map_err(|error| repeated(&error))
    }

    /// Starts a rendering, whose entry is removed at its end.
    fn start(
        &self,
        key: RenderingKey,
        rendering: impl Future<Output = Result<Outcome, ServiceError>> + Send + 'static,
    ) -> RenderingInProgress {
        let entry = Entry {
            in_flight: self.clone(),
            key,
        };
        let rendering = telemetry::in_current_task(async move {
            let outcome = rendering.await;
            if outcome.is_ok() {
                let finished = &entry.in_flight.0.finished;
                finished.fetch_add(1, Ordering::SeqCst);
            }
            drop(entry);
            outcome
        });
        #[expect(
            clippy::disallowed_methods,
            reason = "codecs cannot be cancelled, so a rendering may outlast its request anyway"
        )]
        let task = tokio::spawn(rendering);

        let shared = async move {
            let outcome = task.await;
            outcome
                .unwrap_or_else(|error| Err(ServiceError::internal(error)))
                .map_err(Arc::new)
        };
        shared.boxed().shared()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RenderingKey, RenderingInProgress>> {
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

/// A rendering in progress. Its drop removes it, also if the rendering panics, so that a later
/// request starts another one.
struct Entry {
    in_flight: InFlight,
    key: RenderingKey,
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.in_flight.lock().remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use bytes::Bytes;
    use domain::{
        errors::ErrorKind,
        renditions::{ImageFormat, Rendition, Retention, Transformation},
    };
    use futures::{future::join_all, poll};
    use space_store::objects::RenditionInfo;
    use tokio::sync::oneshot;

    use super::*;

    fn location() -> RenditionLocation {
        let rendition = Rendition::of(Transformation::default(), ImageFormat::Png);
        RenditionLocation {
            id: rendition.id(),
            retention: Retention::Expiring,
        }
    }

    fn rendered() -> Outcome {
        let rendition = NewRendition {
            info: RenditionInfo {
                content_type: "image/png".to_owned(),
                width: 1,
                height: 1,
            },
            bytes: Bytes::from_static(b"png"),
        };
        Outcome::Rendered {
            rendition,
            is_stored: true,
        }
    }

    #[tokio::test]
    async fn simultaneous_requests_render_once() {
        let in_flight = InFlight::default();
        let renderings = Arc::new(AtomicUsize::new(0));
        let render = || {
            let renderings = Arc::clone(&renderings);
            async move {
                renderings.fetch_add(1, Ordering::Relaxed);
                tokio::task::yield_now().await;
                Ok(rendered())
            }
        };

        let id = location();
        let requests = (0..50).map(|_| in_flight.run(None, &id, render));
        let results = join_all(requests).await;

        assert!(results.iter().all(Result::is_ok));
        assert_eq!(renderings.load(Ordering::Relaxed), 1);
        assert!(in_flight.lock().is_empty());
    }

    #[tokio::test]
    async fn waiting_requests_share_an_error_and_a_later_one_renders_again() {
        let in_flight = InFlight::default();
        let attempts = Arc::new(AtomicUsize::new(0));
        let render = || {
            let attempts = Arc::clone(&attempts);
            async move {
                tokio::task::yield_now().await;
                if attempts.fetch_add(1, Ordering::Relaxed) == 0 {
                    Err(ServiceError::unavailable("the bucket is busy"))
                } else {
                    Ok(rendered())
                }
            }
        };

        let id = location();
        let requests = (0..20).map(|_| in_flight.run(None, &id, render));
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

        let later = in_flight.run(None, &id, render).await;
        assert!(later.is_ok());
        assert_eq!(attempts.load(Ordering::Relaxed), 2);
    }

    #[tokio::test]
    async fn rendering_of_a_cancelled_request_continues_and_is_shared() {
        let in_flight = InFlight::default();
        let id = location();
        let (end, ended) = oneshot::channel();
        let slow = || async {
            ended.await.map_err(ServiceError::internal)?;
            Ok(rendered())
        };
        let mut first = Box::pin(in_flight.run(None, &id, slow));
        assert!(poll!(&mut first).is_pending());

        drop(first);
        let again = || async { Err(ServiceError::internal("it is rendered twice")) };
        let mut second = Box::pin(in_flight.run(None, &id, again));
        assert!(poll!(&mut second).is_pending());
        end.send(()).expect("the rendering waits");

        assert!(second.await.is_ok());
        assert_eq!(in_flight.finished(), 1);
        assert!(in_flight.lock().is_empty());
    }

    #[tokio::test]
    async fn rendering_that_panics_fails_and_can_be_repeated() {
        let in_flight = InFlight::default();
        let id = location();
        let is_broken = true;
        let panicking = || async move {
            assert!(!is_broken, "a bug");
            Ok(rendered())
        };

        let failed = in_flight.run(None, &id, panicking).await;
        assert_eq!(failed.expect_err("a panic").kind, ErrorKind::Internal);

        let render = || async { Ok(rendered()) };
        assert!(in_flight.run(None, &id, render).await.is_ok());
    }

    #[tokio::test]
    async fn only_successful_renderings_are_counted() {
        let in_flight = InFlight::default();
        let id = location();
        let fail = || async { Err(ServiceError::unavailable("the bucket is busy")) };

        assert!(in_flight.run(None, &id, fail).await.is_err());
        assert_eq!(in_flight.finished(), 0);

        let render = || async { Ok(rendered()) };
        assert!(in_flight.run(None, &id, render).await.is_ok());
        assert_eq!(in_flight.finished(), 1);
    }
}
