//! Reads: one item, a few at once, a page of a partition. Strongly consistent and whole.

use std::{collections::HashMap, time::Duration};

use aws_sdk_dynamodb::types::{AttributeValue, KeysAndAttributes};
use serde::de::DeserializeOwned;

use crate::{
    Error, Table,
    key::{Key, PARTITION, SORT},
};

/// Tries of a batch before what is left unprocessed fails the whole.
pub(crate) const BATCH_TRIES: u32 = 5;
/// Pause before the second try of a batch, doubled for each further one.
pub(crate) const BATCH_PAUSE: Duration = Duration::from_millis(20);

pub(crate) type Item = HashMap<String, AttributeValue>;

/// What a batch read found: items by key.
pub(crate) struct Found(HashMap<Key, Item>);

impl Found {
    /// Takes the record of this key, where there is one.
    pub(crate) fn take<T: DeserializeOwned>(&mut self, key: &Key) -> Result<Option<T>, Error> {
        self.0.remove(key).map(record).transpose()
    }
}

/// Where a page of a list begins. Lists run from the newest to the oldest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start<Id> {
    /// At the newest.
    Newest,
    /// Right after this one, which need not be there any more.
    OlderThan(Id),
    /// At this one, or right after it.
    OlderFrom(Id),
    /// With the oldest of those that are newer than this one.
    NewerThan(Id),
    /// With the oldest of this one and those that are newer.
    NewerFrom(Id),
}

impl<Id: Ord> Start<Id> {
    /// Whether a page that begins here goes on to this one.
    pub fn includes(&self, id: &Id) -> bool {
        match self {
            Start::Newest => true,
            Start::OlderThan(start) => id < start,
            Start::OlderFrom(start) => id <= start,
            Start::NewerThan(start) => id > start,
            Start::NewerFrom(start) => id >= start,
        }
    }
}

/// Which page of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listing<Id> {
    /// Where it begins.
    pub start: Start<Id>,
    /// Most records on it.
    pub limit: u16,
}

/// Some records of a list, newest first.
#[derive(Clone, Debug)]
pub struct Page<T> {
    /// The records.
    pub records: Vec<T>,
    /// Whether there are more in the direction that was asked for.
    pub more: bool,
}

/// What sorts after every sort key with the same beginning: all of them go on in letters, digits, `-` and `_`.
const END: char = '~';

impl Table {
    /// One record.
    pub(crate) async fn get<T: DeserializeOwned>(&self, key: Key) -> Result<Option<T>, Error> {
        let answer = self
            .client
            .get_item()
            .table_name(&self.name)
            .set_key(Some(key.attributes()))
            .consistent_read(true)
            .send()
            .await
            .map_err(Error::from_sdk)?;
        answer.item.map(record).transpose()
    }

    /// A few different keys' records in one call, repeated for what the table leaves unprocessed.
    pub(crate) async fn get_together(&self, keys: impl IntoIterator<Item = Key>) -> Result<Found, Error> {
        let mut wanted: Vec<Item> = keys.into_iter().map(Key::attributes).collect();
        let mut found = HashMap::new();
        if wanted.is_empty() {
            return Ok(Found(found));
        }
        for attempt in 0..BATCH_TRIES {
            if attempt > 0 {
                tokio::time::sleep(BATCH_PAUSE * 2_u32.pow(attempt - 1)).await;
            }
            let request = KeysAndAttributes::builder().set_keys(Some(wanted)).consistent_read(true).build();
            let request = request.map_err(|error| Error::Refused(error.into()))?;
            let answer = self
                .client
                .batch_get_item()
                .request_items(&self.name, request)
                .send()
                .await
                .map_err(Error::from_sdk)?;
            for item in answer.responses.unwrap_or_default().into_values().flatten() {
                let key = Key::read(&item).ok_or_else(|| Error::busy("an item came without its key"))?;
                found.insert(key, item);
            }
            wanted = answer.unprocessed_keys.unwrap_or_default().into_values().flat_map(|rest| rest.keys).collect();
            if wanted.is_empty() {
                return Ok(Found(found));
            }
        }
        Err(Error::busy("a batch read stayed incomplete"))
    }

    /// A page of the records in a partition whose sort keys begin alike; `sort` gives the sort key of a place in the list.
    pub(crate) async fn page<Id, T: DeserializeOwned>(
        &self,
        partition: String,
        beginning: &str,
        listing: Listing<Id>,
        sort: impl Fn(Id) -> String,
    ) -> Result<Page<T>, Error> {
        let (mut from, mut to, mut beside) = (beginning.to_owned(), format!("{beginning}{END}"), None);
        let descending = matches!(listing.start, Start::Newest | Start::OlderThan(_) | Start::OlderFrom(_));
        match listing.start {
            Start::Newest => {}
            Start::OlderThan(id) | Start::NewerThan(id) => beside = Some(sort(id)),
            Start::OlderFrom(id) => to = sort(id),
            Start::NewerFrom(id) => from = sort(id),
        }
        let mut start = beside.map(|sort| Key { partition: partition.clone(), sort }.attributes());
        let limit = usize::from(listing.limit);
        let mut records = Vec::new();
        loop {
            // One more than asked for tells whether there are more.
            let rest = limit + 1 - records.len();
            let answer = self
                .client
                .query()
                .table_name(&self.name)
                .consistent_read(true)
                .key_condition_expression("#partition = :partition AND #sort BETWEEN :from AND :to")
                .expression_attribute_names("#partition", PARTITION)
                .expression_attribute_names("#sort", SORT)
                .expression_attribute_values(":partition", AttributeValue::S(partition.clone()))
                .expression_attribute_values(":from", AttributeValue::S(from.clone()))
                .expression_attribute_values(":to", AttributeValue::S(to.clone()))
                .scan_index_forward(!descending)
                .limit(i32::try_from(rest).unwrap_or(i32::MAX))
                .set_exclusive_start_key(start)
                .send()
                .await
                .map_err(Error::from_sdk)?;
            for item in answer.items.unwrap_or_default() {
                records.push(record(item)?);
            }
            start = answer.last_evaluated_key;
            if start.is_none() || records.len() > limit {
                let more = records.len() > limit;
                records.truncate(limit);
                if !descending {
                    records.reverse();
                }
                return Ok(Page { records, more });
            }
        }
    }
}

/// The record that an item holds. Keys and markers beside it are no part of it.
pub(crate) fn record<T: DeserializeOwned>(item: Item) -> Result<T, Error> {
    Ok(serde_dynamo::aws_sdk_dynamodb_1::from_item(item)?)
}
