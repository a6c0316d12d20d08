//! Access to the records in responses.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// A valid id that no record has.
pub const UNKNOWN_ID: &str = "01JCQZ4XK8V9W7Y6T5S4R3Q2P1";

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

/// Returns the rows of a table, given as a JSON array.
#[track_caller]
pub fn rows<T: DeserializeOwned>(table: Value) -> Vec<T> {
    serde_json::from_value(table).expect("rows of this type")
}

/// Returns a field of each record of a list.
#[track_caller]
pub fn column(list: &Value, field: &str) -> Vec<Value> {
    let records = list
        .as_array()
        .unwrap_or_else(|| panic!("{list} is no list"));
    records.iter().map(|record| record[field].clone()).collect()
}

/// Asserts these fields of a record, given as a JSON object.
#[track_caller]
pub fn assert_fields(record: &Value, expected: Value) {
    for (field, value) in object(expected) {
        assert_eq!(record[&field], value, "{field} of {record}");
    }
}

/// Returns a JSON object with more fields, which replace those of the same name.
#[track_caller]
pub fn merged(fields: Value, more: Value) -> Value {
    object(fields).into_iter().chain(object(more)).collect()
}

#[track_caller]
fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        other => panic!("{other} is no object"),
    }
}
