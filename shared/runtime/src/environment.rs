//! What one function is started with.

use std::collections::BTreeMap;

use domain::Env;
use telemetry::Meter;

/// A function's variables and its environment: time and randomness.
#[derive(Clone)]
pub struct Environment {
    /// The name of the function: that of its binary, which stays the same wherever it is deployed.
    pub function: String,
    /// The variables that the template gives the function, and those of the Lambda runtime.
    pub variables: BTreeMap<String, String>,
    /// Time and randomness.
    pub env: Env,
}

/// The namespace of metrics if `METRICS_NAMESPACE` is not set.
const DEFAULT_NAMESPACE: &str = "Larder";

impl Environment {
    /// Returns the meter of the function's tasks. `METRICS_NAMESPACE` names the namespace of its
    /// metrics; requests are counted by route unless `METRICS_BY_ROUTE` is `false`.
    pub fn meter(&self) -> Meter {
        let variable = |name: &str| {
            self.variables
                .get(name)
                .map(String::as_str)
                .filter(|value| !value.is_empty())
        };
        let namespace = variable("METRICS_NAMESPACE").unwrap_or(DEFAULT_NAMESPACE);
        let counts_routes = variable("METRICS_BY_ROUTE") != Some("false");
        Meter::new(&self.function, namespace, counts_routes, self.env.clone())
    }
}
