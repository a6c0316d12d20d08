//! One HTTP request to a service, parsed as far as the proxy needs.

use http::request::Parts;

use super::permission::RequiredPermission;

/// Operation name of a request that names none.
pub(super) const UNKNOWN_OPERATION: &str = "Unknown";

/// The operation that a request calls.
#[derive(Debug)]
pub(crate) struct AwsOperation {
    /// `TransactWriteItems`, `PutObject`, ….
    pub(super) name: String,
    /// Permissions that the caller must have, all of them.
    pub(super) required: Vec<RequiredPermission>,
}

impl AwsOperation {
    /// Creates the operation of a request that could not be parsed.
    pub(super) fn unknown() -> AwsOperation {
        AwsOperation {
            name: UNKNOWN_OPERATION.to_owned(),
            required: Vec::new(),
        }
    }
}

pub(crate) struct Attempt<RequestBody> {
    pub(super) head: Parts,
    pub(super) body: RequestBody,
    pub(super) operation: AwsOperation,
    /// Name of the calling principal.
    pub(super) principal: String,
}
