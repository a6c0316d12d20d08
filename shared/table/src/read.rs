//! Reads: one item, a few at once, a page of a partition. Strongly consistent and whole.

use std::{collections::HashMap, time::Duration};

use aws_sdk_dynamodb::types::{AttributeValue, KeysAndAttributes};
use serde::de::DeserializeOwned;

use crate::{
    Error, Table,
    key::{Key, PARTITION, SORT},
};

/// Tries of a batch read before what is left unprocessed fails the whole.
const BATCH_TRIES: u32 = 5;
/// Pause before the second try of a batch read, doubled for each further one.
const BATCH_PAUSE: Duration = Duration::from_millis(20);

pub(crate) type Item = HashMap<String, AttributeValue>;

/// What a batch read found: items by key.
pub(crate) struct Found(HashMap<Key, Item>);

impl Found {
    /// Takes the record of this key, where there is one.
    pub(crate) fn take<T: DeserializeOwned>(&mut self, key: &Key) -> Result<Option<T>, Error> {
        self.0.remove(key).map(record).transpose()
    }
}

/// Which way through a partition.
pub(crate) struct Range {
    pub(crate) partition: String,
    /// First sort key, inclusive.
    pub(crate) from: String,
    /// Last sort key, inclusive.
    pub(crate) to: String,
    /// From the last to the first.
    pub(crate) descending: bool,
    /// Most records to be read.
    pub(crate) limit: u16,
}

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

    /// The records of a range, and whether there are more.
    pub(crate) async fn range<T: DeserializeOwned>(&self, range: Range) -> Result<(Vec<T>, bool), Error> {
        let limit = usize::from(range.limit);
        let mut records = Vec::new();
        let mut start = None;
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
                .expression_attribute_values(":partition", AttributeValue::S(range.partition.clone()))
                .expression_attribute_values(":from", AttributeValue::S(range.from.clone()))
                .expression_attribute_values(":to", AttributeValue::S(range.to.clone()))
                .scan_index_forward(!range.descending)
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
                return Ok((records, more));
            }
        }
    }
}

/// The record that an item holds. Keys and markers beside it are no part of it.
pub(crate) fn record<T: DeserializeOwned>(item: Item) -> Result<T, Error> {
    Ok(serde_dynamo::aws_sdk_dynamodb_1::from_item(item)?)
}
