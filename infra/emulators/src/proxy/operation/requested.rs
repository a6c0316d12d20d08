//! The resources that a request in AWS JSON names.

use std::collections::BTreeMap;

use serde::{Deserialize, de::IgnoredAny};

/// The resources that a request names; `None` for members that its operation does not have. Other
/// members are skipped without being stored, since every call of a function is parsed.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct RequestedResources {
    pub(super) table_name: Option<String>,
    pub(super) index_name: Option<String>,
    /// The tables of a batch.
    #[expect(
        clippy::zero_sized_map_values,
        reason = "serde reads no set from a JSON object"
    )]
    pub(super) request_items: Option<BTreeMap<String, IgnoredAny>>,
    /// The operations of a transaction, each by its name.
    pub(super) transact_items: Option<Vec<BTreeMap<String, RequestedTable>>>,
    pub(super) queue_url: Option<String>,
    pub(super) secret_id: Option<String>,
}

/// The table of an operation in a transaction.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct RequestedTable {
    pub(super) table_name: Option<String>,
}
