//! Permissions of SQS operations.

use super::requested::RequestedResources;
use crate::{arn, proxy::permission::RequiredPermission};

/// Returns the permission that a request requires. A batch requires the action of its single form.
pub(super) fn required_permissions(
    operation: &str,
    requested: &RequestedResources,
) -> Vec<RequiredPermission> {
    let single_operation = operation.strip_suffix("Batch").unwrap_or(operation);
    let resource = requested.queue_url.as_deref().map_or_else(
        || "*".to_owned(),
        |url| arn::queue(url.rsplit('/').next().unwrap_or_default()),
    );
    let action = format!("sqs:{single_operation}");
    vec![RequiredPermission::new(&action, resource)]
}
