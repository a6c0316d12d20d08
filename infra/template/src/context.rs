//! Values that are not in the template: names, region, account, parameters and addresses.

use std::collections::BTreeMap;

/// Suffix of every secret's ARN. AWS appends six random characters.
pub const SECRET_ARN_SUFFIX: &str = "abcdef";

/// The deployment that a template is resolved for.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// `AWS::StackName`, the prefix of default physical names.
    pub stack_name: String,
    /// `AWS::Region`.
    pub region: String,
    /// `AWS::AccountId`.
    pub account_id: String,
    /// Parameters that override their defaults.
    pub parameters: BTreeMap<String, String>,
    /// Attributes by logical id and attribute name, such as `("Cdn", "DomainName")`. They override
    /// the values that this crate derives.
    pub attributes: BTreeMap<(String, String), String>,
    /// Prefix of queue URLs without a trailing slash: `http://127.0.0.1:9324`.
    pub queue_url_base: String,
}
