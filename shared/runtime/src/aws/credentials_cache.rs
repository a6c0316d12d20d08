//! A cache of credentials that expire.
//!
//! Invariants:
//! - Concurrent callers share one request to the source, and its failure.
//! - Who has credentials that can be used waits for no request of another caller.
//! - Credentials that are still valid for [`Validity::refreshed_below`] cause no request. Others,
//!   if they can be used, cause one per [`REFRESH_INTERVAL`] at most. Without such credentials, a
//!   failure is returned for [`FAILURE_LIFETIME`] before the next request.
//! - Credentials that expire within [`Validity::usable_above`] are never returned.

use std::{
    error::Error as _,
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use aws_credential_types::{
    Credentials,
    provider::{ProvideCredentials, error::CredentialsError, future},
};
use domain::{
    env::{Env, Timestamp},
    errors::error_chain,
};

/// Minimum time between two requests to the source while credentials can be used.
const REFRESH_INTERVAL: Duration = Duration::from_mins(1);
/// Time for which callers without credentials get the last failure of the source.
const FAILURE_LIFETIME: Duration = Duration::from_secs(3);
/// Time after which credentials without an expiry are refreshed.
const UNKNOWN_LIFETIME: Duration = Duration::from_mins(15);

/// Where credentials come from.
pub(crate) trait CredentialsSource: fmt::Debug + Send + Sync {
    /// How long the credentials are used.
    const VALIDITY: Validity;

    /// Requests new credentials. Ends within seconds: requests wait for it.
    fn request(&self) -> impl Future<Output = Result<Credentials, CredentialsError>> + Send;
}

/// Remaining lifetimes of credentials.
pub(crate) struct Validity {
    /// Credentials are refreshed below this one.
    pub(crate) refreshed_below: Duration,
    /// Credentials that cannot be refreshed are used above this one.
    pub(crate) usable_above: Duration,
}

/// Provides the credentials of a source, and caches them.
pub(crate) struct CredentialsCache<S> {
    source: S,
    env: Env,
    state: Mutex<State>,
    /// Held by the caller that makes a request.
    requesting: tokio::sync::Mutex<()>,
}

/// Results of earlier requests.
#[derive(Default)]
struct State {
    cached: Option<CachedCredentials>,
    failure: Option<Failure>,
}

struct CachedCredentials {
    credentials: Credentials,
    /// End of the last request.
    requested_at: SystemTime,
}

/// A request that left no credentials that can be used.
struct Failure {
    cause: String,
    failed_at: SystemTime,
}

/// What a caller finds in the cache.
enum Found {
    /// Without another request.
    Final(Result<Credentials, CredentialsError>),
    /// Credentials that should be refreshed.
    Usable(Credentials),
    Nothing,
}

impl CachedCredentials {
    fn is_usable(&self, now: SystemTime, validity: &Validity) -> bool {
        let expiry = self.credentials.expiry();
        expiry.is_none_or(|expiry| time_until(expiry, now) > validity.usable_above)
    }

    fn is_fresh(&self, now: SystemTime, validity: &Validity) -> bool {
        let age = time_until(now, self.requested_at);
        match self.credentials.expiry() {
            None => age < UNKNOWN_LIFETIME,
            Some(expiry) if time_until(expiry, now) >= validity.refreshed_below => true,
            Some(_) => age < REFRESH_INTERVAL && self.is_usable(now, validity),
        }
    }
}

impl Failure {
    fn of(error: &CredentialsError, failed_at: SystemTime) -> Failure {
        // Without its own text, which that of `error` repeats.
        let cause = error
            .source()
            .map_or_else(|| error.to_string(), error_chain);
        Failure { cause, failed_at }
    }

    fn is_current(&self, now: SystemTime) -> bool {
        let age = now.duration_since(self.failed_at);
        age.is_ok_and(|age| age < FAILURE_LIFETIME)
    }

    fn error(&self) -> CredentialsError {
        CredentialsError::provider_error(self.cause.clone())
    }
}

impl<S: CredentialsSource> CredentialsCache<S> {
    pub(crate) fn new(source: S, env: Env) -> CredentialsCache<S> {
        CredentialsCache {
            source,
            env,
            state: Mutex::default(),
            requesting: tokio::sync::Mutex::default(),
        }
    }

    /// Returns fresh credentials, or usable ones if they cannot be refreshed or another caller does
    /// it.
    async fn current(&self) -> Result<Credentials, CredentialsError> {
        let _requesting = match self.find() {
            Found::Final(result) => return result,
            Found::Usable(credentials) => match self.requesting.try_lock() {
                Ok(requesting) => requesting,
                Err(_) => return Ok(credentials),
            },
            Found::Nothing => self.requesting.lock().await,
        };

        // The request of another caller may have ended meanwhile.
        match self.find() {
            Found::Final(result) => result,
            Found::Usable(_) | Found::Nothing => self.refresh().await,
        }
    }

    fn find(&self) -> Found {
        let now = self.now();
        let state = self.state();
        match &state.cached {
            Some(cached) if cached.is_fresh(now, &S::VALIDITY) => {
                return Found::Final(Ok(cached.credentials.clone()));
            }
            Some(cached) if cached.is_usable(now, &S::VALIDITY) => {
                return Found::Usable(cached.credentials.clone());
            }
            _ => {}
        }

        let failure = state.failure.as_ref();
        failure
            .filter(|failure| failure.is_current(now))
            .map_or(Found::Nothing, |failure| Found::Final(Err(failure.error())))
    }

    /// Requests credentials. Returns the cached ones if that fails and they can be used.
    async fn refresh(&self) -> Result<Credentials, CredentialsError> {
        let requested = self.request().await;
        let now = self.now();
        let mut state = self.state();
        let error = match requested {
            Ok(requested) => return Ok(state.cached.insert(requested).credentials.clone()),
            Err(error) => error,
        };

        let cached = state.cached.as_mut();
        if let Some(usable) = cached.filter(|cached| cached.is_usable(now, &S::VALIDITY)) {
            tracing::warn!(error = %error_chain(&error), "credentials could not be refreshed");
            usable.requested_at = now;
            return Ok(usable.credentials.clone());
        }
        state.failure = Some(Failure::of(&error, now));
        Err(error)
    }

    /// Requests credentials. Fails if they cannot be used.
    async fn request(&self) -> Result<CachedCredentials, CredentialsError> {
        let requested = CachedCredentials {
            credentials: self.source.request().await?,
            requested_at: self.now(),
        };
        if requested.is_usable(requested.requested_at, &S::VALIDITY) {
            Ok(requested)
        } else {
            Err(CredentialsError::provider_error(
                "new credentials expire at once",
            ))
        }
    }

    fn now(&self) -> SystemTime {
        system_time(self.env.now())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: CredentialsSource> fmt::Debug for CredentialsCache<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("CredentialsCache")
            .field("source", &self.source)
            .finish_non_exhaustive()
    }
}

impl<S: CredentialsSource> ProvideCredentials for CredentialsCache<S> {
    fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        future::ProvideCredentials::new(self.current())
    }
}

/// Returns a timestamp as the expiry of credentials.
pub(crate) fn system_time(time: Timestamp) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(time.ms().unsigned_abs())
}

/// Returns the time from `now` until `end`, or zero if it has passed.
fn time_until(end: SystemTime, now: SystemTime) -> Duration {
    end.duration_since(now).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicI64, AtomicUsize, Ordering::SeqCst},
    };

    use domain::env::{Clock, Env};
    use futures::future::join_all;

    use super::*;
    use crate::context::SystemRandom;

    const MINUTE_MS: i64 = 60_000;

    /// A clock, and a source at that time whose credentials have their number as access key id.
    #[derive(Debug, Default)]
    struct Fixture {
        now_minute: AtomicI64,
        requests: AtomicUsize,
        /// Lifetime of the credentials; without one requests fail.
        lifetime_minutes: AtomicI64,
    }

    #[derive(Clone, Debug)]
    struct FakeSource(Arc<Fixture>);

    impl Clock for FakeSource {
        fn now(&self) -> Timestamp {
            Timestamp::from_ms(1_800_000_000_000)
                .plus_ms(self.0.now_minute.load(SeqCst) * MINUTE_MS)
        }
    }

    impl CredentialsSource for FakeSource {
        const VALIDITY: Validity = Validity {
            refreshed_below: Duration::from_mins(50),
            usable_above: Duration::from_mins(1),
        };

        async fn request(&self) -> Result<Credentials, CredentialsError> {
            let number = self.0.requests.fetch_add(1, SeqCst) + 1;
            tokio::task::yield_now().await;
            let minutes = self.0.lifetime_minutes.load(SeqCst);
            if minutes == 0 {
                return Err(CredentialsError::provider_error("out of order"));
            }
            let expiry = system_time(self.now().plus_ms(minutes * MINUTE_MS));
            let id = number.to_string();
            Ok(Credentials::new(id, "secret", None, Some(expiry), "test"))
        }
    }

    fn cache() -> (FakeSource, CredentialsCache<FakeSource>) {
        let source = FakeSource(Arc::default());
        let env = Env::new(Arc::new(source.clone()), Arc::new(SystemRandom));
        (source.clone(), CredentialsCache::new(source, env))
    }

    #[tokio::test]
    async fn credentials_are_refreshed_early_and_used_while_they_are_valid() {
        let (source, cache) = cache();

        for (minute, lifetime_minutes, expected) in [
            // A failure is remembered for seconds.
            (-1, 0, None),
            (-1, 60, None),
            (0, 60, Some("2")),
            (10, 60, Some("2")),
            (11, 60, Some("3")),
            // They expire in minute 71, and the source fails from minute 22 on, asked once a
            // minute.
            (22, 0, Some("3")),
            (22, 60, Some("3")),
            (23, 0, Some("3")),
            (69, 0, Some("3")),
            (70, 0, None),
            // An early end: each minute one request.
            (71, 20, Some("8")),
            (71, 60, Some("8")),
            (72, 60, Some("9")),
            (82, 60, Some("9")),
            // New credentials that cannot be used replace no others.
            (83, 1, Some("9")),
        ] {
            source.0.now_minute.store(minute, SeqCst);
            source.0.lifetime_minutes.store(lifetime_minutes, SeqCst);

            let credentials = cache.current().await.ok();
            let actual = credentials.as_ref().map(Credentials::access_key_id);
            assert_eq!(actual, expected, "minute {minute}");
        }
    }

    #[tokio::test]
    async fn concurrent_callers_share_one_request() {
        let (source, cache) = cache();

        // A failure, the first credentials, and others that replace them when 49 minutes are left.
        for (minute, lifetime_minutes, expected) in [
            (0, 0, [None; 3]),
            (1, 60, [Some("2"); 3]),
            (12, 60, [Some("3"), Some("2"), Some("2")]),
        ] {
            source.0.now_minute.store(minute, SeqCst);
            source.0.lifetime_minutes.store(lifetime_minutes, SeqCst);

            let all = join_all((0..3).map(|_| cache.current())).await;

            let ids = all.iter().map(|result| match result {
                Ok(credentials) => Some(credentials.access_key_id()),
                Err(error) => {
                    let text = "an error occurred while loading credentials: out of order";
                    assert_eq!(error_chain(error), text);
                    None
                }
            });
            assert_eq!(ids.collect::<Vec<_>>(), expected, "minute {minute}");
        }
    }
}
