//! Permissions of Secrets Manager operations.

use super::requested::RequestedResources;
use crate::{arn, proxy::permission::RequiredPermission};

/// Returns the permission that a request requires, on the secret that it names by ARN or name.
pub(super) fn required_permissions(
    operation: &str,
    requested: &RequestedResources,
) -> Vec<RequiredPermission> {
    let resource = requested
        .secret_id
        .as_deref()
        .map_or_else(|| "*".to_owned(), arn::secret);
    let action = format!("secretsmanager:{operation}");
    vec![RequiredPermission::new(&action, resource)]
}
