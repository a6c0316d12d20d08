//! Whether a principal may do what a request asks for: IAM actions on resource names, with
//! wildcards.
//!
//! Statements only allow; what no statement allows is denied.

use template::Permission;

/// One thing that a request required to be allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RequiredPermission {
    /// An IAM action: `dynamodb:GetItem`.
    pub(super) action: String,
    /// The resource's ARN, or `*` where the action is on none in particular.
    pub(super) resource: String,
}

impl RequiredPermission {
    pub(super) fn new(action: &str, resource: String) -> RequiredPermission {
        RequiredPermission {
            action: action.to_owned(),
            resource,
        }
    }

    /// Whether one of these statements allows it.
    pub(super) fn is_met(&self, permissions: &[Permission]) -> bool {
        permissions.iter().any(|permission| {
            permission
                .actions
                .iter()
                .any(|pattern| matches(&pattern.to_lowercase(), &self.action.to_lowercase()))
                && permission
                    .resources
                    .iter()
                    .any(|pattern| matches(pattern, &self.resource))
        })
    }
}

/// Whether `text` fits `pattern`, in which `*` stands for any run of characters and `?` for any
/// one.
fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut in_pattern, mut in_text) = (0, 0);
    // Where to go on after the last star, should what follows it turn out not to fit.
    let mut retry: Option<(usize, usize)> = None;
    while in_text < text.len() {
        match pattern.get(in_pattern) {
            Some(b'*') => {
                retry = Some((in_pattern + 1, in_text));
                in_pattern += 1;
            }
            Some(&byte) if byte == b'?' || byte == text[in_text] => {
                in_pattern += 1;
                in_text += 1;
            }
            _ => {
                let Some((after_star, swallowed)) = retry else {
                    return false;
                };
                retry = Some((after_star, swallowed + 1));
                in_pattern = after_star;
                in_text = swallowed + 1;
            }
        }
    }
    pattern[in_pattern..].iter().all(|&byte| byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_match_runs_and_single_characters() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("a*c", "abbc", true),
            ("a*c", "abbcd", false),
            ("a*b*c", "a-b-b-c", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("arn:aws:s3:::b/*", "arn:aws:s3:::b", false),
            ("arn:aws:s3:::b", "arn:aws:s3:::b/key", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} on {text}");
        }
    }

    #[test]
    fn a_statement_joins_its_own_actions_to_its_own_resources_only() {
        let statement = |action: &str, resource: &str| Permission {
            actions: vec![action.to_owned()],
            resources: vec![resource.to_owned()],
        };
        let role = [
            statement("dynamodb:GetItem", "arn:one"),
            statement("DynamoDB:Put*", "arn:two"),
        ];
        assert!(RequiredPermission::new("dynamodb:GetItem", "arn:one".into()).is_met(&role));
        assert!(RequiredPermission::new("dynamodb:PutItem", "arn:two".into()).is_met(&role));
        assert!(!RequiredPermission::new("dynamodb:PutItem", "arn:one".into()).is_met(&role));
        assert!(!RequiredPermission::new("dynamodb:GetItem", "*".into()).is_met(&role));
    }
}
