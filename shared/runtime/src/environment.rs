//! What one function is started with.

use std::collections::BTreeMap;

use domain::Sources;

/// A function's variables and its sources of time and randomness.
#[derive(Clone)]
pub struct Environment {
    /// The variables that the template gives the function, and those of the Lambda runtime.
    pub variables: BTreeMap<String, String>,
    /// Time and randomness.
    pub sources: Sources,
}
