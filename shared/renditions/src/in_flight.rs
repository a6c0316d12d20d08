//! Renderings in progress, which simultaneous requests for the same variant share.
//!
//! Invariants:
//! - One rendering per variant runs at a time. If its request is cancelled or fails, the next one
//!   renders.
//! - A finished rendering is not kept: later requests find it in storage.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use domain::{FileId, ServiceError, VariantId};
use tokio::sync::OnceCell;

use crate::Rendition;

/// The renderings in progress of a process.
#[derive(Clone, Default)]
pub(crate) struct InFlight(Arc<Mutex<HashMap<RenderingKey, SharedRendition>>>);

type SharedRendition = Arc<OnceCell<Rendition>>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct RenderingKey {
    file: FileId,
    variant: VariantId,
}

impl InFlight {
    /// Runs `render`, or waits for the same rendering of another request and returns its result.
    pub(crate) async fn run<Rendering>(
        &self,
        file: FileId,
        variant: &VariantId,
        render: impl FnOnce() -> Rendering,
    ) -> Result<Rendition, ServiceError>
    where
        Rendering: Future<Output = Result<Rendition, ServiceError>>,
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
        entry.shared.get_or_try_init(render).await.cloned()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RenderingKey, SharedRendition>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for InFlight {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("InFlight")
    }
}

/// A request's share of a rendering. The last one removes the rendering.
struct Entry<'a> {
    in_flight: &'a InFlight,
    key: RenderingKey,
    shared: SharedRendition,
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        let mut renderings = self.in_flight.lock();
        // The map and this entry hold the last two references.
        if Arc::strong_count(&self.shared) <= 2 {
            renderings.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use bytes::Bytes;
    use domain::{ImageFormat, Transformation, Variant};
    use futures::future::join_all;
    use tenant::VariantInfo;

    use super::*;

    fn variant() -> VariantId {
        Variant {
            transformation: Some(Transformation::default()),
            format: ImageFormat::Png,
            watermark: None,
        }
        .id()
    }

    fn rendition() -> Rendition {
        Rendition {
            info: VariantInfo {
                content_type: "image/png".to_owned(),
                width: 1,
                height: 1,
            },
            bytes: Bytes::from_static(b"png"),
        }
    }

    #[tokio::test]
    async fn simultaneous_requests_render_once() {
        let in_flight = InFlight::default();
        let renderings = AtomicUsize::new(0);
        let render = || async {
            renderings.fetch_add(1, Ordering::Relaxed);
            tokio::task::yield_now().await;
            Ok(rendition())
        };

        let id = variant();
        let requests = (0..50).map(|_| in_flight.run(FileId::MIN, &id, render));
        let results = join_all(requests).await;

        assert!(results.iter().all(Result::is_ok));
        assert_eq!(renderings.load(Ordering::Relaxed), 1);
        assert!(in_flight.lock().is_empty());
    }

    #[tokio::test]
    async fn failed_rendering_is_repeated_by_the_next_request() {
        let in_flight = InFlight::default();
        let attempts = AtomicUsize::new(0);
        let render = || async {
            tokio::task::yield_now().await;
            if attempts.fetch_add(1, Ordering::Relaxed) == 0 {
                Err(ServiceError::unavailable("the bucket is busy"))
            } else {
                Ok(rendition())
            }
        };

        let id = variant();
        let requests = (0..3).map(|_| in_flight.run(FileId::MIN, &id, render));
        let results = join_all(requests).await;

        let failed = results.iter().filter(|result| result.is_err()).count();
        assert_eq!(failed, 1);
        assert_eq!(attempts.load(Ordering::Relaxed), 2);
        assert!(in_flight.lock().is_empty());
    }
}
