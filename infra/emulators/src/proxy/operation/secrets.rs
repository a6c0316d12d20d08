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

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json};

    use super::*;

    #[test]
    fn secret_name_and_arn_require_the_same_permission() {
        let arn = "arn:aws:secretsmanager:us-east-1:000000000000:secret:larder-Master-abcdef";
        let expected = RequiredPermission::new("secretsmanager:GetSecretValue", arn.to_owned());
        for id in [arn, "larder-Master"] {
            let requested = from_value(json!({ "SecretId": id })).expect("a request");
            assert_eq!(
                required_permissions("GetSecretValue", &requested),
                std::slice::from_ref(&expected)
            );
        }
    }
}
