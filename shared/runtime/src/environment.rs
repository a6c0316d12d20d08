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

/// The variable that names the function, as Lambda sets it.
pub(crate) const FUNCTION_NAME: &str = "AWS_LAMBDA_FUNCTION_NAME";

impl Environment {
    /// Returns the function's name; an empty one if no variable tells it.
    pub fn function(&self) -> &str {
        self.variables.get(FUNCTION_NAME).map_or("", String::as_str)
    }
}
