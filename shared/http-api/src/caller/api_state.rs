//! State that the extractors of every API function need.

use domain::{env::Env, errors::ServiceError, naming::UrlPolicy, requests::RateLimit};
use http::request::Parts;
use runtime::context::Settings;
use space_store::spaces::Tenants;

use crate::caller::request_state::RequestState;

/// A part of the API with a separate rate limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateLimitTier {
    Admin,
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

    /// Returns the environment variable with the tier's limit.
    fn variable(self) -> &'static str {
        match self {
            RateLimitTier::Admin => "ADMIN_REQUESTS_PER_MINUTE",
            RateLimitTier::Upload => "UPLOAD_REQUESTS_PER_MINUTE",
        }
    }
}

/// Access to tenants, rate limit, clock and random source.
#[derive(Clone)]
pub struct ApiState {
    pub tenants: Tenants,
    /// Rate limit of each API key, signed URL or confirm token.
    pub limit: RateLimit,
    /// Clock and random source.
    pub env: Env,
    /// Which hosts the URLs in requests can have.
    pub url_policy: UrlPolicy,
}

impl ApiState {
    /// Reads the state of a function.
    pub fn read(settings: &mut Settings, tier: RateLimitTier) -> ApiState {
        ApiState {
            tenants: Tenants::new(settings.table()),
            limit: RateLimit {
                tier: tier.name(),
                requests_per_minute: settings.number(tier.variable()),
            },
            env: settings.env().clone(),
            url_policy: settings.url_policy(),
        }
    }

    /// Counts a request without an API key for `client`. Fails with 429 if the rate limit is
    /// exceeded.
    pub async fn count(
        &self,
        parts: &Parts,
        client: &str,
        limit: RateLimit,
    ) -> Result<(), ServiceError> {
        let counted = self.tenants.requests().count_request(client, limit).await?;
        RequestState::of(parts).set_rate_limit(counted.rate_limit);
        if counted.is_allowed {
            Ok(())
        } else {
            Err(ServiceError::rate_limited(counted.rate_limit))
        }
    }
}
