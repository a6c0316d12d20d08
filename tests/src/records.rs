//! Access to the records in responses.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

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

/// Returns the names of the fields of a JSON object, sorted.
#[track_caller]
pub fn field_names(record: &Value) -> Vec<&str> {
    let fields = record.as_object();
    let fields = fields.unwrap_or_else(|| panic!("{record} is no object"));
    fields.keys().map(String::as_str).collect()
}

/// Ends of the messages of errors by field, as [`field_errors`] takes them.
pub type Ends = BTreeMap<String, String>;

/// Returns the errors of a response that rejects fields, from the ends of their messages: `The …
/// field …`. An empty end stands for `The selected … is invalid.`
pub fn field_errors<F: AsRef<str>, E: AsRef<str>>(ends: impl IntoIterator<Item = (F, E)>) -> Value {
    let error = |(field, end): (F, E)| {
        let name = field.as_ref().replace('_', " ");
        let message = match end.as_ref() {
            "" => format!("The selected {name} is invalid."),
            end => format!("The {name} field {end}."),
        };
        (field.as_ref().to_owned(), json!([message]))
    };
    ends.into_iter().map(error).collect()
}

/// Returns the errors of a response that rejects one field.
pub fn field_error(field: &str, end: &str) -> Value {
    field_errors([(field, end)])
}

/// Returns the errors of a response that rejects a name which another record has.
pub fn name_taken() -> Value {
    json!({"name": ["The name has already been taken."]})
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
