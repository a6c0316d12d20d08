//! Sizes of items in bytes.

use serde_json::{Map, Value};

/// Overhead of a list or a map, in bytes.
const COLLECTION_BYTES: usize = 3;
/// Overhead of each element of a list or a map, in bytes.
const ELEMENT_BYTES: usize = 1;
/// Size of a Boolean or a null value, in bytes.
const FLAG_BYTES: usize = 1;

/// Returns the size of an item in the wire format, as DynamoDB counts it ("DynamoDB Item sizes and
/// formats", Amazon DynamoDB Developer Guide).
pub(super) fn item_size(item: &Value) -> usize {
    item.as_object().map_or(0, attributes_size)
}

fn attributes_size(attributes: &Map<String, Value>) -> usize {
    attributes
        .iter()
        .map(|(name, value)| name.len() + value_size(value))
        .sum()
}

/// Returns the size of `{"S": …}` and the like.
fn value_size(value: &Value) -> usize {
    let Some((kind, value)) = value.as_object().and_then(|value| value.iter().next()) else {
        return 0;
    };

    match kind.as_str() {
        "S" => value.as_str().map_or(0, str::len),
        "N" => number_size(value),
        "B" => binary_size(value),
        "SS" => sum(value, |text| text.as_str().map_or(0, str::len)),
        "NS" => sum(value, number_size),
        "BS" => sum(value, binary_size),
        "L" => {
            let element = |value: &Value| ELEMENT_BYTES + value_size(value);
            COLLECTION_BYTES + sum(value, element)
        }
        "M" => {
            let attributes = value.as_object();
            let elements =
                attributes.map_or(0, |map| map.len() * ELEMENT_BYTES + attributes_size(map));
            COLLECTION_BYTES + elements
        }
        _ => FLAG_BYTES,
    }
}

fn sum(values: &Value, size: impl Fn(&Value) -> usize) -> usize {
    values.as_array().into_iter().flatten().map(size).sum()
}

/// A number takes one byte per two significant digits and one more. This is the upper bound,
/// without the trimming of zeros.
fn number_size(number: &Value) -> usize {
    let digits = number
        .as_str()
        .map_or(0, |text| text.bytes().filter(u8::is_ascii_digit).count());
    digits.div_ceil(2) + 1
}

/// Base64 has four characters for three bytes, with `=` as padding.
fn binary_size(base64: &Value) -> usize {
    base64
        .as_str()
        .map_or(0, |text| text.trim_end_matches('=').len() * 3 / 4)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn size_is_that_of_names_and_values() {
        for (value, size) in [
            (json!({ "S": "crème" }), 6),
            (json!({ "N": "-12345" }), 4),
            (json!({ "B": "AQIDBA==" }), 4),
            (json!({ "BOOL": false }), 1),
            (json!({ "NULL": true }), 1),
            (json!({ "SS": ["a", "bc"] }), 3),
            (json!({ "L": [{ "S": "abc" }, { "BOOL": true }] }), 9),
            (json!({ "M": { "k": { "S": "abc" } } }), 8),
        ] {
            assert_eq!(item_size(&json!({ "name": value })), 4 + size, "{value}");
        }
    }
}
