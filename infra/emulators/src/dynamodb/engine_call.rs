//! Calls of the engine within the process.

use dynoxide::{Database, DynoxideError};
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

/// Calls an operation with the body of its request, and returns the body of the response.
pub(super) fn call_operation(
    database: &Database,
    operation: &str,
    body: &[u8],
) -> Result<String, DynoxideError> {
    match operation {
        "BatchGetItem" => call_text(body, |request| database.batch_get_item(request)),
        "BatchWriteItem" => call_text(body, |request| database.batch_write_item(request)),
        "DeleteItem" => call_text(body, |request| database.delete_item(request)),
        "DescribeTable" => call_text(body, |request| database.describe_table(request)),
        "DescribeTimeToLive" => call_text(body, |request| database.describe_time_to_live(request)),
        "GetItem" => call_text(body, |request| database.get_item(request)),
        "ListTables" => call_text(body, |request| database.list_tables(request)),
        "PutItem" => call_text(body, |request| database.put_item(request)),
        "Query" => call_text(body, |request| database.query(request)),
        "Scan" => call_text(body, |request| database.scan(request)),
        "TransactGetItems" => call_text(body, |request| database.transact_get_items(request)),
        "TransactWriteItems" => call_text(body, |request| database.transact_write_items(request)),
        "UpdateItem" => call_text(body, |request| database.update_item(request)),
        _ => Err(DynoxideError::UnsupportedCapability(format!(
            "{operation} is not emulated."
        ))),
    }
}

fn call_text<EngineRequest: DeserializeOwned, EngineResponse: Serialize>(
    body: &[u8],
    action: impl FnOnce(EngineRequest) -> Result<EngineResponse, DynoxideError>,
) -> Result<String, DynoxideError> {
    let request = serde_json::from_slice(body).map_err(serialization_error)?;
    let response = action(request)?;
    serde_json::to_string(&response).map_err(serialization_error)
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "`map_err` passes the error by value"
)]
fn serialization_error(error: serde_json::Error) -> DynoxideError {
    DynoxideError::SerializationException(error.to_string())
}
