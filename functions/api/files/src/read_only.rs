//! What of a file's record callers may send back and not change.

use domain::{Violation, Violations};
use serde_json::Value;
use web::FileView;

/// The fields that stay as they are. What we fill in ourselves later is none of them: a caller may not have seen it yet.
const READ_ONLY: [&str; 14] = [
    "name",
    "extension",
    "mime_type",
    "size",
    "storage_path",
    "url",
    "resource_type",
    "status",
    "space_id",
    "upload_config_id",
    "checksum_sha256",
    "uploaded_by",
    "access_control",
    "created_at",
];

/// Notes those that a request would change.
pub(crate) fn violations(request: &Value, view: &FileView) -> Violations {
    let record = serde_json::to_value(view).unwrap_or_default();
    let mut violations = Violations::default();
    for field in READ_ONLY {
        if request.get(field).is_some_and(|value| *value != record[field]) {
            violations.add(field, &Violation::ReadOnly);
        }
    }
    violations
}
