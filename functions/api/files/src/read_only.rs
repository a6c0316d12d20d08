//! Detects changes to read-only fields in a record that a client sends back.

use domain::{FieldError, FieldErrors};
use serde_json::Value;
use web::FileView;

/// Fields that may differ from the stored record: the fields that an update changes, `id`, and the
/// fields that the service changes after the upload, since a client may send older values. All
/// other fields are read-only.
const NOT_COMPARED: &[&str] = &[
    "id",
    "original_name",
    "type",
    "folder_id",
    "folder_path",
    "ref",
    "tags",
    "storage_meta",
    "thumbnails",
    "processing",
    "updated_at",
];

/// Returns the field errors of a request that changes read-only fields.
pub(crate) fn field_errors(request: &Value, view: &FileView) -> FieldErrors {
    let record = serde_json::to_value(view).unwrap_or_default();

    let mut field_errors = FieldErrors::default();
    for (field, value) in record.as_object().into_iter().flatten() {
        let is_changed = request.get(field).is_some_and(|sent| sent != value);
        if is_changed && !NOT_COMPARED.contains(&field.as_str()) {
            field_errors.add(field, &FieldError::ReadOnly);
        }
    }
    field_errors
}
