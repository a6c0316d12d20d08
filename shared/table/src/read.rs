//! Reads: one item, a few at once, a page of a partition. Strongly consistent and whole.

use std::collections::{HashMap, HashSet};

use aws_sdk_dynamodb::{
    operation::transact_get_items::TransactGetItemsError,
    types::{AttributeValue, Get, ItemResponse, KeysAndAttributes, TransactGetItem},
};
use domain::{Direction, Page, PageBounds, PageRequest};
use serde::de::DeserializeOwned;

use crate::{
    Table, TableError,
    condition::text,
    key::{Key, PARTITION, SORT},
};

pub(crate) type Item = HashMap<String, AttributeValue>;

/// What a batch read found: items by key.
pub(crate) struct Found(HashMap<Key, Item>);

impl Found {
    /// Takes the record of this key, where there is one.
    pub(crate) fn take<T: DeserializeOwned>(&mut self, key: &Key) -> Result<Option<T>, TableError> {
        self.0.remove(key).map(record).transpose()
    }
}

/// What sorts after every sort key with the same beginning.
const END: char = char::MAX;

/// Records of a partition whose sort keys have a prefix: one list. What follows the prefix is a
/// record's place in it.
#[derive(Clone, Debug)]
pub(crate) struct Range {
    pub(crate) partition: String,
    pub(crate) prefix: String,
    /// Whether the list runs in the order of the sort keys; else it runs against them, so that ids
    /// run from the newest.
    pub(crate) is_ascending: bool,
}

impl Range {
    /// A list that runs from the newest id.
    pub(crate) fn newest_first(partition: String, prefix: impl Into<String>) -> Range {
        Range {
            partition,
            prefix: prefix.into(),
            is_ascending: false,
        }
    }
}

/// Consecutive records of a list.
pub(crate) struct Slice<T> {
    /// The records with their places, in the order of the list.
    pub(crate) records: Vec<(String, T)>,
    /// Whether more follow in the direction of the page.
    pub(crate) has_more: bool,
}

impl<T> Slice<T> {
    /// Creates the page that answers a listing, without the records of which `view` returns
    /// nothing.
    pub(crate) fn into_page<U>(
        self,
        page_request: &PageRequest,
        mut view: impl FnMut(T) -> Option<U>,
    ) -> Page<U> {
        let first = self.records.first().map(|(place, _)| place.clone());
        let last = self.records.last().map(|(place, _)| place.clone());
        let bounds = first
            .zip(last)
            .map(|(first, last)| PageBounds { first, last });
        let items = self
            .records
            .into_iter()
            .filter_map(|(_, record)| view(record))
            .collect();
        Page::new(page_request, bounds, self.has_more, items)
    }
}

impl Table {
    /// One record.
    pub(crate) async fn get<T: DeserializeOwned>(&self, key: Key) -> Result<Option<T>, TableError> {
        let get = self
            .client
            .get_item()
            .table_name(&self.name)
            .set_key(Some(key.attributes()))
            .consistent_read(true);
        let answer = self.call(|| get.clone().send()).await?;
        answer.item.map(record).transpose()
    }

    /// A few keys' records in one call, repeated for what the table leaves unprocessed.
    pub(crate) async fn batch_get(
        &self,
        keys: impl IntoIterator<Item = Key>,
    ) -> Result<Found, TableError> {
        let keys: HashSet<Key> = keys.into_iter().collect();
        let mut wanted: Vec<Item> = keys.into_iter().map(Key::attributes).collect();
        let mut found = HashMap::new();
        if wanted.is_empty() {
            return Ok(Found(found));
        }
        for attempt in 0..self.retries.batch_tries {
            if attempt > 0 {
                self.pause_after_throttling(attempt).await;
            }
            let request = KeysAndAttributes::builder()
                .set_keys(Some(wanted.clone()))
                .consistent_read(true)
                .build();
            let request = request.map_err(TableError::refused)?;
            let sent = self
                .client
                .batch_get_item()
                .request_items(&self.name, request)
                .send()
                .await;
            let answer = match sent.map_err(TableError::from_sdk) {
                Err(TableError::Throttled(_)) if self.retries.repeats_throttled_calls() => continue,
                sent => sent?,
            };
            for item in answer.responses.unwrap_or_default().into_values().flatten() {
                let key = Key::read(&item)
                    .ok_or_else(|| TableError::busy("an item came without its key"))?;
                found.insert(key, item);
            }
            wanted = answer
                .unprocessed_keys
                .unwrap_or_default()
                .into_values()
                .flat_map(|rest| rest.keys)
                .collect();
            if wanted.is_empty() {
                return Ok(Found(found));
            }
        }
        Err(TableError::busy("a batch read stayed incomplete"))
    }

    /// A few different keys' records as they are at one moment.
    pub(crate) async fn transact_get(&self, keys: Vec<Key>) -> Result<Found, TableError> {
        let get = |key: &Key| {
            let get = Get::builder()
                .table_name(&self.name)
                .set_key(Some(key.clone().attributes()))
                .build();
            Ok(TransactGetItem::builder()
                .get(get.map_err(TableError::refused)?)
                .build())
        };
        let gets: Vec<TransactGetItem> = keys.iter().map(get).collect::<Result<_, TableError>>()?;
        let read = self
            .client
            .transact_get_items()
            .set_transact_items(Some(gets));
        let send = || async {
            let error = match Box::pin(read.clone().send()).await {
                Ok(answer) => return Ok(answer.responses.unwrap_or_default()),
                Err(error) => error,
            };
            let cancellation = match error.as_service_error() {
                Some(TransactGetItemsError::TransactionCanceledException(canceled)) => {
                    canceled.cancellation_reasons().to_vec()
                }
                _ => Vec::new(),
            };
            Err(TableError::from_transaction(error, &cancellation))
        };
        whole(keys, self.retry(send).await?)
    }

    /// Reads a page of a list.
    pub(crate) async fn page<T: DeserializeOwned>(
        &self,
        range: Range,
        page_request: &PageRequest,
    ) -> Result<Page<T>, TableError> {
        Ok(self
            .slice(range, page_request)
            .await?
            .into_page(page_request, Some))
    }

    /// Reads the records of a page of a list.
    pub(crate) async fn slice<T: DeserializeOwned>(
        &self,
        range: Range,
        page_request: &PageRequest,
    ) -> Result<Slice<T>, TableError> {
        let Range {
            partition,
            prefix,
            is_ascending,
        } = range;
        let is_forward = page_request.direction() == Direction::Forward;
        let scans_forward = is_forward == is_ascending;
        let mut from = prefix.clone();
        let mut to = format!("{prefix}{END}");
        let mut start = None;
        if let Some(cursor) = &page_request.cursor {
            // What lies before the place is left out of the range, so that it is not read.
            let sort = format!("{prefix}{}", cursor.position);
            (if scans_forward { &mut from } else { &mut to }).clone_from(&sort);
            start = (!cursor.is_inclusive).then(|| {
                Key {
                    partition: partition.clone(),
                    sort,
                }
                .attributes()
            });
        }

        let limit = usize::from(page_request.limit);
        let mut records = Vec::new();
        loop {
            // One more than asked for tells whether there are more.
            let rest = limit + 1 - records.len();
            let query = self
                .client
                .query()
                .table_name(&self.name)
                .consistent_read(true)
                .key_condition_expression("#partition = :partition AND #sort BETWEEN :from AND :to")
                .expression_attribute_names("#partition", PARTITION)
                .expression_attribute_names("#sort", SORT)
                .expression_attribute_values(":partition", text(&partition))
                .expression_attribute_values(":from", text(&from))
                .expression_attribute_values(":to", text(&to))
                .scan_index_forward(scans_forward)
                .limit(i32::try_from(rest).unwrap_or(i32::MAX))
                .set_exclusive_start_key(start);
            let answer = self.call(|| query.clone().send()).await?;
            for item in answer.items.unwrap_or_default() {
                let key = Key::read(&item)
                    .ok_or_else(|| TableError::busy("an item came without its key"))?;
                let place = key
                    .sort
                    .strip_prefix(&prefix)
                    .unwrap_or_default()
                    .to_owned();
                records.push((place, record(item)?));
            }
            start = answer.last_evaluated_key;
            if start.is_none() || records.len() > limit {
                let has_more = records.len() > limit;
                records.truncate(limit);
                if !is_forward {
                    records.reverse();
                }
                return Ok(Slice { records, has_more });
            }
        }
    }
}

/// The items of a transactional read, which come in the order of their keys.
fn whole(keys: Vec<Key>, responses: Vec<ItemResponse>) -> Result<Found, TableError> {
    if responses.len() != keys.len() {
        return Err(TableError::busy("a read of a moment came incomplete"));
    }
    let items = keys
        .into_iter()
        .zip(responses)
        .filter_map(|(key, response)| Some((key, response.item?)));
    // What is not there comes as nothing, or as an item of nothing.
    Ok(Found(items.filter(|(_, item)| !item.is_empty()).collect()))
}

/// The record that an item holds. Keys and markers beside it are no part of it.
pub(crate) fn record<T: DeserializeOwned>(item: Item) -> Result<T, TableError> {
    Ok(serde_dynamo::aws_sdk_dynamodb_1::from_item(item)?)
}
