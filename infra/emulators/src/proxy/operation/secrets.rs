//! What Secrets Manager's operations need.

use serde_json::Value;

use super::{super::permission::RequiredPermission, text};
use crate::arn;

/// What an operation required, by its body: the right to the secret that it names, by its ARN or by
/// its name.
pub(super) fn required(operation: &str, body: &Value) -> Vec<RequiredPermission> {
    let resource = text(body, "SecretId").map_or_else(|| "*".to_owned(), arn::secret);
    vec![RequiredPermission::new(
        &format!("secretsmanager:{operation}"),
        resource,
    )]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_secret_is_the_same_by_its_name_and_by_its_arn() {
        let arn = "arn:aws:secretsmanager:us-east-1:000000000000:secret:larder-Master-abcdef";
        let expected = RequiredPermission::new("secretsmanager:GetSecretValue", arn.to_owned());
        for id in [arn, "larder-Master"] {
            assert_eq!(
                required("GetSecretValue", &json!({ "SecretId": id })),
                std::slice::from_ref(&expected)
            );
        }
    }
}
