//! Counters of the active files of a space.
//!
//! Invariants:
//! - The transaction that activates or deletes a file counts it, so the counters are exact.
//! - A file is counted in the shard of its id. The files of one request have consecutive ids, and so separate shards,
//!   because a transaction can change an item only once. Concurrent requests rarely meet in a shard, where one of them
//!   would have to be repeated.

use std::collections::HashMap;

use domain::{File, FileCount, FileStatus, ResourceType, SpaceId, Usage};
use serde::Deserialize;
use tracing::instrument;

use crate::{
    Key, SpaceRecords, TableError,
    condition::{Condition, number},
    transaction::Transaction,
};

/// Number of counters of a space: more than files of one request.
const SHARDS: u8 = 16;
/// Counts a file of a resource type.
const COUNT: &str = "ADD #files :files, #bytes :bytes";

/// A counter as it is stored: the attributes of each resource type, beside those of its key.
#[derive(Debug, Default, Deserialize)]
struct Counter {
    #[serde(flatten)]
    attributes: HashMap<String, Attribute>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Attribute {
    Count(i64),
    Other(serde::de::IgnoredAny),
}

impl Counter {
    /// Returns the value of an attribute, 0 if it is absent.
    fn get(&self, name: &str) -> i64 {
        match self.attributes.get(name) {
            Some(Attribute::Count(count)) => *count,
            _ => 0,
        }
    }
}

/// Names of the attributes of a resource type.
struct Names {
    files: String,
    bytes: String,
}

impl Names {
    fn of(resource_type: ResourceType) -> Names {
        let name = resource_type.name();
        Names {
            files: format!("{name}_files"),
            bytes: format!("{name}_bytes"),
        }
    }
}

impl SpaceRecords<'_> {
    /// Returns the usage of a space. Of concurrent changes, it may contain some.
    #[instrument(skip_all)]
    pub async fn usage(self, space: SpaceId) -> Result<Usage, TableError> {
        let keys = (0..SHARDS).map(|shard| Key::usage(space, shard));
        let mut found = self.table.batch_get(keys.clone()).await?;
        let mut counters: Vec<Counter> = Vec::new();
        for key in keys {
            counters.extend(found.take(&key)?);
        }

        let sum = |name: &str| {
            let total: i64 = counters.iter().map(|counter| counter.get(name)).sum();
            u64::try_from(total).unwrap_or_default()
        };
        Ok(Usage::of(|resource_type| {
            let Names { files, bytes } = Names::of(resource_type);
            FileCount {
                files: sum(&files),
                bytes: sum(&bytes),
            }
        }))
    }
}

impl Transaction<'_> {
    /// Counts a file that becomes active.
    pub(crate) fn count_file(&mut self, file: &File) {
        self.add_to_usage(file, 1);
    }

    /// Uncounts a file that is deleted. A pending one is not counted.
    pub(crate) fn uncount_file(&mut self, file: &File) {
        if file.status == FileStatus::Active {
            self.add_to_usage(file, -1);
        }
    }

    fn add_to_usage(&mut self, file: &File, sign: i64) {
        let size = i64::try_from(file.size).unwrap_or(i64::MAX);
        let Names { files, bytes } = Names::of(file.resource_type);
        let expressions = Condition::default()
            .name("files", &files)
            .name("bytes", &bytes)
            .value("files", number(sign))
            .value("bytes", number(sign * size));

        let shard = file.id.shard(SHARDS);
        self.update_always(Key::usage(file.space_id, shard), COUNT, &expressions);
    }
}
