//! Counters of the active files of a space.
//!
//! Invariants:
//! - The transaction that activates or deletes files counts them, so the sum of the counters is exact.
//! - A transaction changes one counter, that of the shard of its first file, so that concurrent requests rarely meet
//!   in one, where one of them would have to be repeated. A counter alone may be negative: a file can be uncounted in
//!   another shard than it was counted in.

use std::collections::{BTreeMap, HashMap};

use domain::{File, FileCount, FileStatus, ResourceType, SpaceId, Usage};
use serde::Deserialize;
use tracing::instrument;

use crate::{
    Key, SpaceRecords, TableError,
    condition::{Condition, number},
    transaction::Transaction,
};

/// Number of counters of a space.
const SHARDS: u8 = 16;

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
    /// Counts the active ones of the files that the transaction creates.
    pub(crate) fn count_files(&mut self, files: &[File]) {
        self.add_to_usage(files, 1);
    }

    /// Uncounts the active ones of the files that the transaction deletes.
    pub(crate) fn uncount_files(&mut self, files: &[File]) {
        self.add_to_usage(files, -1);
    }

    fn add_to_usage(&mut self, files: &[File], sign: i64) {
        let mut sums: BTreeMap<String, i64> = BTreeMap::new();
        for file in files
            .iter()
            .filter(|file| file.status == FileStatus::Active)
        {
            let names = Names::of(file.resource_type);
            let size = i64::try_from(file.size).unwrap_or(i64::MAX);
            *sums.entry(names.files).or_default() += sign;
            *sums.entry(names.bytes).or_default() += sign * size;
        }
        let Some(first) = files.first().filter(|_| !sums.is_empty()) else {
            return;
        };

        let mut expressions = Condition::default();
        let mut additions = Vec::new();
        for (index, (name, sum)) in sums.iter().enumerate() {
            let placeholder = format!("sum{index}");
            expressions = expressions
                .name(&placeholder, name)
                .value(&placeholder, number(*sum));
            additions.push(format!("#{placeholder} :{placeholder}"));
        }
        let update = format!("ADD {}", additions.join(", "));
        let key = Key::usage(first.space_id, first.id.shard(SHARDS));
        self.update_always(key, &update, &expressions);
    }
}
