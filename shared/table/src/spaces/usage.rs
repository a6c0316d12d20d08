//! Counters of the active and the trashed files of a space.
//!
//! Invariants:
//! - The transaction that activates, replaces, deletes, trashes or restores files counts them, so
//!   the sum of the counters is exact.
//! - A transaction changes one counter, that of the shard of its first file, so that concurrent
//!   requests rarely meet in one, where one of them would have to be repeated. A counter alone may
//!   be negative: a file can be uncounted in another shard than it was counted in.

use std::collections::{BTreeMap, HashMap};

use domain::{
    files::{File, FileCount, Usage},
    id::SpaceId,
    settings::FileStatus,
};
use serde::Deserialize;
use tracing::instrument;

use crate::{
    condition::{Condition, number},
    connection::SpaceRecords,
    errors::TableError,
    key::Key,
    transaction::Transaction,
};

/// Number of counters of a space.
const SHARDS: u8 = 16;

/// A counter as it is stored: the attributes of each category, beside those of its key.
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

/// Category of trashed files. Those of active files are their resource types.
const TRASHED: &str = "trashed";

/// Names of the attributes of a category.
struct Names {
    files: String,
    bytes: String,
}

impl Names {
    fn of(category: &str) -> Names {
        Names {
            files: format!("{category}_files"),
            bytes: format!("{category}_bytes"),
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
        let count = |category: &str| {
            let Names { files, bytes } = Names::of(category);
            FileCount {
                files: sum(&files),
                bytes: sum(&bytes),
            }
        };
        Ok(Usage::of(
            |resource_type| count(resource_type.name()),
            count(TRASHED),
        ))
    }
}

impl Transaction<'_> {
    /// Counts the files that the transaction creates.
    pub(crate) fn count_files(&mut self, files: &[File]) {
        self.add_to_usage(&[], files);
    }

    /// Uncounts the files that the transaction deletes.
    pub(crate) fn uncount_files(&mut self, files: &[File]) {
        self.add_to_usage(files, &[]);
    }

    /// Uncounts the files as they were before the transaction, and counts them as they are after
    /// it. Pending files do not count.
    pub(crate) fn add_to_usage(&mut self, before: &[File], after: &[File]) {
        let mut sums: BTreeMap<String, i64> = BTreeMap::new();
        let uncounted = before.iter().map(|file| (file, -1));
        let counted = after.iter().map(|file| (file, 1));
        for (file, sign) in uncounted.chain(counted) {
            let Some(category) = category(file) else {
                continue;
            };
            let names = Names::of(category);
            let size = i64::try_from(file.size).unwrap_or(i64::MAX);
            *sums.entry(names.files).or_default() += sign;
            *sums.entry(names.bytes).or_default() += sign * size;
        }
        sums.retain(|_, sum| *sum != 0);
        let first = before.first().or(after.first());
        let Some(first) = first.filter(|_| !sums.is_empty()) else {
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

/// Returns the category that a file is counted in; `None` if it is pending.
fn category(file: &File) -> Option<&'static str> {
    match file.status {
        FileStatus::Pending => None,
        FileStatus::Active => Some(file.resource_type.name()),
        FileStatus::Trashed => Some(TRASHED),
    }
}
