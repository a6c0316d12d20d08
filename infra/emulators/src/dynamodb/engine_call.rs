//! Calls of the engine within the process.

use dynoxide::DynoxideError;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// Calls the engine with a request in its wire format, and returns the response in it.
pub(super) fn call<EngineRequest: DeserializeOwned, EngineResponse: Serialize>(
    request: Value,
    action: impl FnOnce(EngineRequest) -> Result<EngineResponse, DynoxideError>,
) -> Result<Value, DynoxideError> {
    let engine_request = serde_json::from_value(request).map_err(serialization_error)?;
    let response = action(engine_request)?;
    serde_json::to_value(response).map_err(serialization_error)
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "`map_err` passes the error by value"
)]
fn serialization_error(error: serde_json::Error) -> DynoxideError {
    DynoxideError::SerializationException(error.to_string())
}
