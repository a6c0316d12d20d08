//! Permissions of Secrets Manager operations.

use serde_json::Value;

use super::json::string;
use crate::{arn, proxy::permission::RequiredPermission};

/// Returns the permission that a request requires, on the secret that it names by ARN or name.
pub(super) fn required_permissions(operation: &str, body: &Value) -> Vec<RequiredPermission> {
    let resource = string(body, "SecretId").map_or_else(|| "*".to_owned(), arn::secret);
    let action = format!("secretsmanager:{operation}");
    vec![RequiredPermission::new(&action, resource)]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secret_name_and_arn_require_the_same_permission() {
        let arn = "arn:aws:secretsmanager:us-east-1:000000000000:secret:larder-Master-abcdef";
        let expected = RequiredPermission::new("secretsmanager:GetSecretValue", arn.to_owned());
        for id in [arn, "larder-Master"] {
            assert_eq!(
                required_permissions("GetSecretValue", &json!({ "SecretId": id })),
                std::slice::from_ref(&expected)
            );
        }
    }
}
