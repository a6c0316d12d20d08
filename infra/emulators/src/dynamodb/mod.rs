//! DynamoDB: the `dynoxide` engine, called within the process, on threads for blocking work.
//!
//! Invariant: the proxy is the only way to the engine from outside the process.

mod engine_call;
mod expiry;
mod item_cost;
mod item_size;
mod tables;

use std::path::Path;

use axum::body::Body;
use bytes::Bytes;
use dynoxide::{Database, DynoxideError};
use http::{HeaderValue, Response, StatusCode, header::CONTENT_TYPE};

use crate::error::EmulatorStartError;

pub(crate) use item_cost::{CostedCall, ItemCost, item_names};
pub(crate) use tables::Tables;

/// Content type of responses ("DynamoDB low-level API" in the Amazon DynamoDB Developer Guide).
const AWS_JSON: HeaderValue = HeaderValue::from_static("application/x-amz-json-1.0");

/// Opens or creates a database. Blocks.
pub(crate) fn open(path: &Path) -> Result<Tables, EmulatorStartError> {
    let database =
        open_database(path).map_err(|error| EmulatorStartError::damaged(path, &error))?;
    Ok(Tables::new(database))
}

/// Opens the database with `synchronous = NORMAL`: acknowledged writes survive a killed process.
fn open_database(path: &Path) -> Result<Database, DynoxideError> {
    let database = Database::new(&path.to_string_lossy())?;
    // dynoxide has no setting for it. A new database has FULL; leaving the bulk mode sets NORMAL.
    database.enable_bulk_loading()?;
    database.disable_bulk_loading()?;
    Ok(database)
}

impl Tables {
    /// Returns the response to a request in the wire format.
    pub(crate) async fn respond(&self, operation: String, body: Bytes) -> Response<Body> {
        let database = self.database.clone();
        let called = move || engine_call::call_operation(&database, &operation, &body);
        let result = match crate::spawn_blocking(called).await {
            Ok(result) => result,
            Err(panicked) => Err(DynoxideError::InternalServerError(panicked.to_string())),
        };

        let (status, text) = match result {
            Ok(text) => (200, text),
            Err(error) => (error.status_code(), error.to_json()),
        };
        let mut response = Response::new(Body::from(text));
        *response.status_mut() =
            StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        response.headers_mut().insert(CONTENT_TYPE, AWS_JSON);
        response
    }
}
