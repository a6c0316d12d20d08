//! IAM permissions: actions on resource ARNs, with wildcards.
//!
//! Statements only allow. An action that no statement allows is denied.

use sam_template::Permission;

/// A permission that a request needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RequiredPermission {
    /// IAM action, such as `dynamodb:GetItem`.
    pub(super) action: String,
    /// ARN of the resource, or `*` for an action without a resource.
    pub(super) resource: String,
}

impl RequiredPermission {
    pub(super) fn new(action: &str, resource: String) -> RequiredPermission {
        RequiredPermission {
            action: action.to_owned(),
            resource,
        }
    }

    /// Returns whether one of these statements allows it. Actions are case-insensitive.
    pub(super) fn is_allowed_by(&self, permissions: &[Permission]) -> bool {
        permissions
            .iter()
            .any(|permission| self.matches_action(permission) && self.matches_resource(permission))
    }

    fn matches_action(&self, permission: &Permission) -> bool {
        let is_same = |a: u8, b: u8| a.eq_ignore_ascii_case(&b);
        permission
            .actions
            .iter()
            .any(|pattern| matches(pattern, &self.action, is_same))
    }

    fn matches_resource(&self, permission: &Permission) -> bool {
        permission
            .resources
            .iter()
            .any(|pattern| matches(pattern, &self.resource, |a, b| a == b))
    }
}

/// Position to continue from if the characters after the last `*` do not match.
struct Backtrack {
    pattern_index: usize,
    text_index: usize,
}

/// Returns whether `text` matches `pattern`: `*` matches any characters, `?` one, and others match
/// by `is_same`.
fn matches(pattern: &str, text: &str, is_same: impl Fn(u8, u8) -> bool) -> bool {
    let pattern = pattern.as_bytes();
    let text = text.as_bytes();
    let mut pattern_index = 0;
    let mut text_index = 0;
    let mut backtrack: Option<Backtrack> = None;

    while text_index < text.len() {
        match pattern.get(pattern_index) {
            Some(b'*') => {
                pattern_index += 1;
                backtrack = Some(Backtrack {
                    pattern_index,
                    text_index,
                });
            }
            Some(&byte) if byte == b'?' || is_same(byte, text[text_index]) => {
                pattern_index += 1;
                text_index += 1;
            }
            _ => {
                let Some(position) = &mut backtrack else {
                    return false;
                };
                position.text_index += 1;
                pattern_index = position.pattern_index;
                text_index = position.text_index;
            }
        }
    }

    pattern[pattern_index..].iter().all(|&byte| byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statement_allows_actions_and_resources_that_match_its_patterns() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("a*c", "abbc", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*c", "abbcd", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            // A bucket and its objects are different resources.
            ("arn:aws:s3:::b/*", "arn:aws:s3:::b", false),
            ("arn:aws:s3:::b", "arn:aws:s3:::b/key", false),
        ] {
            let is_match = matches(pattern, text, |a, b| a == b);
            assert_eq!(is_match, expected, "{pattern} {text}");
        }

        let statement = |action: &str, resource: &str| Permission {
            actions: vec![action.to_owned()],
            resources: vec![resource.to_owned()],
        };
        let role = [
            statement("dynamodb:GetItem", "arn:one"),
            statement("DynamoDB:Put*", "arn:two"),
        ];
        for (action, resource, expected) in [
            ("dynamodb:GetItem", "arn:one", true),
            ("dynamodb:PutItem", "arn:two", true),
            ("dynamodb:PutItem", "arn:one", false),
            ("dynamodb:GetItem", "*", false),
        ] {
            let required = RequiredPermission::new(action, resource.to_owned());
            let is_allowed = required.is_allowed_by(&role);
            assert_eq!(is_allowed, expected, "{action} {resource}");
        }
    }
}
