//! An endpoint and its description.

use serde_json::Value;
use web::Endpoint;

/// Location of schemas in an OpenAPI document, as a JSON pointer.
pub(crate) const SCHEMAS: &str = "/components/schemas";

/// An endpoint of the API, as its handler declares it.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Binary of the function that serves the endpoint.
    pub function: &'static str,
    /// Declaration of the endpoint.
    pub endpoint: Endpoint,
    /// OpenAPI operation object.
    pub description: Value,
}
