//! What every handler's extractors need.

use domain::{Fault, RateLimit, Sources};
use http::request::Parts;
use runtime::Settings;
use tenant::Tenants;

use crate::exchange::Exchange;

/// The two tiers of the API, each with a limit of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// Management.
    Admin,
    /// Uploads.
    Upload,
}

impl Tier {
    /// Returns the tier's name.
    pub fn name(self) -> &'static str {
        match self {
            Tier::Admin => "admin",
            Tier::Upload => "upload",
        }
    }

    /// Returns the variable that holds the tier's limit.
    fn variable(self) -> &'static str {
        match self {
            Tier::Admin => "ADMIN_REQUESTS_PER_MINUTE",
            Tier::Upload => "UPLOAD_REQUESTS_PER_MINUTE",
        }
    }
}

/// The way to tenants, the limit of requests, and the sources of time and randomness.
#[derive(Clone)]
pub struct Edge {
    /// The way to tenants.
    pub tenants: Tenants,
    /// How many requests one key may make.
    pub limit: RateLimit,
    /// Time and randomness.
    pub sources: Sources,
}

impl Edge {
    /// The edge of a function with these settings.
    pub fn read(settings: &mut Settings, tier: Tier) -> Edge {
        Edge {
            tenants: Tenants::new(settings.table()),
            limit: RateLimit {
                tier: tier.name(),
                requests_per_minute: settings.number(tier.variable()),
            },
            sources: settings.sources().clone(),
        }
    }

    /// Counts a request of a client without an API key. Fails with 429 if its limit is used up.
    pub async fn count(&self, parts: &Parts, who: &str, limit: RateLimit) -> Result<(), Fault> {
        let (is_admitted, allowance) = self.tenants.count(who, limit).await?;
        Exchange::of(parts).note_allowance(allowance);
        if is_admitted {
            Ok(())
        } else {
            Err(Fault::rate_limited(allowance))
        }
    }
}
