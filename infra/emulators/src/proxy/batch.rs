//! Splitting a DynamoDB batch, so that part of it can be handed back unprocessed.
//!
//! Invariant: what is sent on and what is held back together are the batch; neither is lost nor
//! sent twice.

use serde_json::{Map, Value, json};

/// A batch in two halves.
#[derive(Debug)]
pub(super) struct Halves {
    /// The request with what is processed; none where that would be nothing.
    pub(super) processed: Option<Value>,
    /// Per table, what is handed back.
    held_back: Map<String, Value>,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Read,
    Write,
}

impl Kind {
    /// The entries of one table's part of a batch.
    fn entries(self, part: &mut Value) -> Option<&mut Vec<Value>> {
        match self {
            Kind::Read => part.get_mut("Keys")?.as_array_mut(),
            Kind::Write => part.as_array_mut(),
        }
    }
}

/// Splits a `BatchGetItem` or `BatchWriteItem` in the middle: of one entry none is processed, of
/// more at least one.
pub(super) fn split(operation: &str, request: &Value) -> Option<Halves> {
    let kind = match operation {
        "BatchGetItem" => Kind::Read,
        "BatchWriteItem" => Kind::Write,
        _ => return None,
    };
    let mut processed = request.clone();
    let mut held_back = Map::new();
    let tables = processed.get_mut("RequestItems")?.as_object_mut()?;
    let total: usize = tables
        .values_mut()
        .filter_map(|part| kind.entries(part))
        .map(|entries| entries.len())
        .sum();
    let mut left = if total == 1 { 0 } else { total.div_ceil(2) };
    for (table, part) in tables.iter_mut() {
        let mut held_part = part.clone();
        let entries = kind.entries(part)?;
        let kept = left.min(entries.len());
        left -= kept;
        let held = entries.split_off(kept);
        if !held.is_empty() {
            *kind.entries(&mut held_part)? = held;
            held_back.insert(table.clone(), held_part);
        }
    }
    tables.retain(|_, part| {
        kind.entries(part)
            .is_some_and(|entries| !entries.is_empty())
    });
    let processed = (!tables.is_empty()).then_some(processed);
    Some(Halves {
        processed,
        held_back,
        kind,
    })
}

impl Halves {
    /// What DynamoDB would say had it processed nothing.
    pub(super) fn nothing_processed(&self) -> Value {
        match self.kind {
            Kind::Read => json!({ "Responses": {}, "UnprocessedKeys": {} }),
            Kind::Write => json!({ "UnprocessedItems": {} }),
        }
    }

    /// Adds what was held back to the answer about what was processed.
    pub(super) fn hand_back(self, mut answer: Value) -> Value {
        let member = match self.kind {
            Kind::Read => "UnprocessedKeys",
            Kind::Write => "UnprocessedItems",
        };
        let mut unprocessed = answer
            .get(member)
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default();
        for (table, mut part) in self.held_back {
            let more = unprocessed
                .get_mut(&table)
                .and_then(|there| self.kind.entries(there))
                .map(std::mem::take);
            if let (Some(entries), Some(more)) = (self.kind.entries(&mut part), more) {
                entries.extend(more);
            }
            unprocessed.insert(table, part);
        }
        answer[member] = Value::Object(unprocessed);
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_halves_together_are_the_batch() {
        let request = json!({ "RequestItems": {
            "a": { "Keys": [1, 2, 3], "ConsistentRead": true },
            "b": { "Keys": [4] },
        } });
        let halves = split("BatchGetItem", &request).unwrap();
        let processed =
            json!({ "RequestItems": { "a": { "Keys": [1, 2], "ConsistentRead": true } } });
        assert_eq!(halves.processed, Some(processed));
        let answer = halves.hand_back(json!({ "Responses": { "a": [] }, "UnprocessedKeys": {} }));
        let unprocessed =
            json!({ "a": { "Keys": [3], "ConsistentRead": true }, "b": { "Keys": [4] } });
        assert_eq!(answer["UnprocessedKeys"], unprocessed);
    }

    #[test]
    fn of_a_single_entry_nothing_is_processed() {
        let halves = split("BatchWriteItem", &json!({ "RequestItems": { "a": [1] } })).unwrap();
        assert_eq!(halves.processed, None);
        let nothing = halves.nothing_processed();
        assert_eq!(
            halves.hand_back(nothing),
            json!({ "UnprocessedItems": { "a": [1] } })
        );
    }
}
