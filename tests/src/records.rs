//! Access to the records in responses.

use serde_json::Value;

/// Returns the text of a JSON string.
#[track_caller]
pub fn text(value: &Value) -> String {
    value
        .as_str()
        .unwrap_or_else(|| panic!("returned {value} instead of a string"))
        .to_owned()
}

/// Returns the path of a file in the API.
#[track_caller]
pub fn file_path(file: &Value) -> String {
    format!("/files/{}", text(&file["id"]))
}

/// Returns the path of a folder in the API.
#[track_caller]
pub fn folder_path(folder: &Value) -> String {
    format!("/folders/{}", text(&folder["id"]))
}
