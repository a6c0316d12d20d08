//! What every handler's extractors need.

use domain::Sources;
use runtime::{Environment, Settings};
use tenant::Tenants;

/// The way to tenants, and the sources of time and randomness.
#[derive(Clone)]
pub struct Edge {
    /// The way to tenants.
    pub tenants: Tenants,
    /// Time and randomness.
    pub sources: Sources,
}

impl Edge {
    /// The edge of a function with these variables.
    pub fn read(environment: &Environment, settings: &mut Settings) -> Edge {
        Edge { tenants: Tenants::read(settings), sources: environment.sources.clone() }
    }
}
