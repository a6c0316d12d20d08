//! What of a file's record callers may send back and not change.

use domain::{FieldError, FieldErrors};
use serde_json::Value;
use web::FileView;

/// The fields of a record that a request may send with another value: those that it changes, and
/// those that the service fills in later, which a caller may not have seen yet. Every other field
/// is read-only.
const CHANGEABLE: [&str; 10] = [
    "id",
    "original_name",
    "type",
    "folder_id",
    "folder_path",
    "ref",
    "tags",
    "storage_meta",
    "thumbnails",
    "updated_at",
];

/// Returns the field errors of a request that would change read-only fields.
pub(crate) fn field_errors(request: &Value, view: &FileView) -> FieldErrors {
    let record = serde_json::to_value(view).unwrap_or_default();
    let mut field_errors = FieldErrors::default();
    for (field, value) in record.as_object().into_iter().flatten() {
        let is_changed = request.get(field).is_some_and(|given| given != value);
        if is_changed && !CHANGEABLE.contains(&field.as_str()) {
            field_errors.add(field, &FieldError::ReadOnly);
        }
    }
    field_errors
}
