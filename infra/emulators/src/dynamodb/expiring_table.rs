//! Tables with a time to live.

use sam_template::TableSpec;

/// A table whose items expire.
#[derive(Clone, Debug)]
pub(super) struct ExpiringTable {
    pub(super) name: String,
    /// Names of the key attributes.
    pub(super) key: Vec<String>,
    /// Name of the attribute with the expiry, in Unix seconds.
    pub(super) expiry_attribute: String,
}

impl ExpiringTable {
    /// Returns `None` if the items of the table do not expire.
    pub(super) fn of(table: &TableSpec) -> Option<ExpiringTable> {
        let expiry_attribute = table.time_to_live.clone()?;
        let key = std::iter::once(&table.key.partition)
            .chain(&table.key.sort)
            .cloned()
            .collect();
        Some(ExpiringTable {
            name: table.name.clone(),
            key,
            expiry_attribute,
        })
    }
}
