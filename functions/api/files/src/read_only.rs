//! Detects changes to read-only fields in a record that a client sends back.

use domain::errors::{FieldError, FieldErrors};
use http_api::{fields::InputFields, response::FileView};
use serde_json::Value;

/// Fields that the service changes after the upload: a client may send older values.
const CHANGED_BY_SERVICE: [&str; 4] = ["storage_meta", "thumbnails", "processing", "updated_at"];

/// Returns the field errors of a request that changes read-only fields: all that the update has not
/// read.
pub(crate) fn field_errors(request: &Value, view: &FileView, read: &InputFields) -> FieldErrors {
    let record = serde_json::to_value(view).unwrap_or_default();

    let mut field_errors = FieldErrors::default();
    for (field, value) in record.as_object().into_iter().flatten() {
        let is_changed = request.get(field).is_some_and(|sent| sent != value);
        let is_compared = !read.is_read(field) && !CHANGED_BY_SERVICE.contains(&field.as_str());
        if is_changed && is_compared {
            field_errors.add(field, &FieldError::ReadOnly);
        }
    }
    field_errors
}
