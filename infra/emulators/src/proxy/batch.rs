//! Splits a DynamoDB batch, so that part of it is returned unprocessed.
//!
//! Invariant: the forwarded part and the withheld part together are the batch, without overlap.

use serde_json::{Map, Value, json};

/// A batch split in two.
#[derive(Debug)]
pub(super) struct SplitBatch {
    /// The request to forward. `None` if it would be empty.
    pub(super) forwarded: Option<Value>,
    /// Withheld entries by table.
    withheld: Map<String, Value>,
    kind: BatchKind,
}

#[derive(Clone, Copy, Debug)]
enum BatchKind {
    Read,
    Write,
}

impl BatchKind {
    fn of(operation: &str) -> Option<BatchKind> {
        match operation {
            "BatchGetItem" => Some(BatchKind::Read),
            "BatchWriteItem" => Some(BatchKind::Write),
            _ => None,
        }
    }

    /// Returns the entries of one table's part of a batch.
    fn entries(self, part: &mut Value) -> Option<&mut Vec<Value>> {
        match self {
            BatchKind::Read => part.get_mut("Keys")?.as_array_mut(),
            BatchKind::Write => part.as_array_mut(),
        }
    }

    /// Returns the response field of unprocessed entries.
    fn unprocessed_field(self) -> &'static str {
        match self {
            BatchKind::Read => "UnprocessedKeys",
            BatchKind::Write => "UnprocessedItems",
        }
    }
}

/// Splits a `BatchGetItem` or `BatchWriteItem` in the middle. A batch of one entry is withheld,
/// larger ones forward at least one entry.
pub(super) fn split(operation: &str, request: &Value) -> Option<SplitBatch> {
    let kind = BatchKind::of(operation)?;
    let mut forwarded = request.clone();
    let tables = forwarded.get_mut("RequestItems")?.as_object_mut()?;
    let total: usize = tables
        .values_mut()
        .filter_map(|part| kind.entries(part))
        .map(|entries| entries.len())
        .sum();

    let mut left = if total == 1 { 0 } else { total.div_ceil(2) };
    let mut withheld = Map::new();
    for (table, part) in tables.iter_mut() {
        let mut withheld_part = part.clone();
        let entries = kind.entries(part)?;
        let forwarded_count = left.min(entries.len());
        left -= forwarded_count;

        let withheld_entries = entries.split_off(forwarded_count);
        if !withheld_entries.is_empty() {
            *kind.entries(&mut withheld_part)? = withheld_entries;
            withheld.insert(table.clone(), withheld_part);
        }
    }

    tables.retain(|_, part| {
        kind.entries(part)
            .is_some_and(|entries| !entries.is_empty())
    });
    let is_empty = tables.is_empty();
    Some(SplitBatch {
        forwarded: (!is_empty).then_some(forwarded),
        withheld,
        kind,
    })
}

impl SplitBatch {
    /// Creates the response of DynamoDB to an empty batch.
    pub(super) fn empty_response(&self) -> Value {
        match self.kind {
            BatchKind::Read => json!({ "Responses": {}, "UnprocessedKeys": {} }),
            BatchKind::Write => json!({ "UnprocessedItems": {} }),
        }
    }

    /// Adds the withheld entries to the unprocessed entries of a response.
    pub(super) fn add_unprocessed(self, mut response: Value) -> Value {
        let field = self.kind.unprocessed_field();
        let mut unprocessed = response
            .get(field)
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default();

        for (table, mut part) in self.withheld {
            let from_service = unprocessed
                .get_mut(&table)
                .and_then(|part| self.kind.entries(part))
                .map(std::mem::take)
                .unwrap_or_default();
            if let Some(entries) = self.kind.entries(&mut part) {
                entries.extend(from_service);
            }
            unprocessed.insert(table, part);
        }

        response[field] = Value::Object(unprocessed);
        response
    }
}
