//! What every handler's extractors need.

use domain::{Env, RateLimit, ServiceError};
use http::request::Parts;
use runtime::Settings;
use tenant::Tenants;

use crate::request_state::RequestState;

/// The two tiers of the API, each with a limit of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateLimitTier {
    /// Management.
    Admin,
    /// Uploads.
    Upload,
}

impl RateLimitTier {
    /// Returns the tier's name.
    pub fn name(self) -> &'static str {
        match self {
            RateLimitTier::Admin => "admin",
            RateLimitTier::Upload => "upload",
        }
    }

    /// Returns the variable that holds the tier's limit.
    fn variable(self) -> &'static str {
        match self {
            RateLimitTier::Admin => "ADMIN_REQUESTS_PER_MINUTE",
            RateLimitTier::Upload => "UPLOAD_REQUESTS_PER_MINUTE",
        }
    }
}

/// The way to tenants, the limit of requests, and the source of time and randomness.
#[derive(Clone)]
pub struct ApiState {
    /// The way to tenants.
    pub tenants: Tenants,
    /// How many requests one key may make.
    pub limit: RateLimit,
    /// Time and randomness.
    pub env: Env,
}

impl ApiState {
    /// The edge of a function with these settings.
    pub fn read(settings: &mut Settings, tier: RateLimitTier) -> ApiState {
        ApiState {
            tenants: Tenants::new(settings.table()),
            limit: RateLimit {
                tier: tier.name(),
                requests_per_minute: settings.number(tier.variable()),
            },
            env: settings.env().clone(),
        }
    }

    /// Counts a request of a client without an API key. Fails with 429 if its limit is used up.
    pub async fn count(
        &self,
        parts: &Parts,
        who: &str,
        limit: RateLimit,
    ) -> Result<(), ServiceError> {
        let (is_admitted, rate_limit) = self.tenants.count(who, limit).await?;
        RequestState::of(parts).note_allowance(rate_limit);
        if is_admitted {
            Ok(())
        } else {
            Err(ServiceError::rate_limited(rate_limit))
        }
    }
}
