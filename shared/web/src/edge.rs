//! What every handler's extractors need.

use domain::{RateLimit, Sources};
use runtime::{Environment, Settings};
use tenant::Tenants;

/// The two tiers of the API, each with a limit of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// Management.
    Admin,
    /// Uploads.
    Upload,
}

impl Tier {
    /// The tier's name, and the variable that holds its limit.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Tier::Admin => ("admin", "ADMIN_REQUESTS_PER_MINUTE"),
            Tier::Upload => ("upload", "UPLOAD_REQUESTS_PER_MINUTE"),
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
    /// The edge of a function with these variables.
    pub fn read(environment: &Environment, settings: &mut Settings, tier: Tier) -> Edge {
        let (tier, variable) = tier.names();
        Edge {
            tenants: Tenants::read(settings, environment.sources.clone()),
            limit: RateLimit { tier, requests_per_minute: settings.number(variable) },
            sources: environment.sources.clone(),
        }
    }
}
