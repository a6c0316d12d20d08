//! Reads: one item, a few at once, a page of a partition. Strongly consistent and whole.

use std::collections::{HashMap, HashSet};

use aws_sdk_dynamodb::{
    operation::transact_get_items::TransactGetItemsError,
    types::{AttributeValue, Get, ItemResponse, KeysAndAttributes, TransactGetItem},
};
use serde::de::DeserializeOwned;

use crate::{
    Error, Table,
    key::{Key, PARTITION, SORT},
};

pub(crate) type Item = HashMap<String, AttributeValue>;

/// What a batch read found: items by key.
pub(crate) struct Found(HashMap<Key, Item>);

impl Found {
    /// Takes the record of this key, where there is one.
    pub(crate) fn take<T: DeserializeOwned>(&mut self, key: &Key) -> Result<Option<T>, Error> {
        self.0.remove(key).map(record).transpose()
    }
}

/// Where a page of a list begins. Lists run from the newest to the oldest; in the few that run by name, what comes first
/// stands for the newest.
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

/// What sorts after every sort key with the same beginning.
const END: char = char::MAX;

/// Records of a partition whose sort keys begin alike: one list.
#[derive(Clone, Debug)]
pub(crate) struct Range {
    pub(crate) partition: String,
    /// What the sort keys begin with.
    pub(crate) beginning: String,
    /// Whether the list runs with the sort keys; else it runs against them, so that ids run from the newest.
    pub(crate) rises: bool,
}

impl Table {
    /// One record.
    pub(crate) async fn get<T: DeserializeOwned>(&self, key: Key) -> Result<Option<T>, Error> {
        let get = self.client.get_item().table_name(&self.name).set_key(Some(key.attributes())).consistent_read(true);
        let answer = self.call(|| get.clone().send()).await?;
        answer.item.map(record).transpose()
    }

    /// A few keys' records in one call, repeated for what the table leaves unprocessed.
    pub(crate) async fn get_together(&self, keys: impl IntoIterator<Item = Key>) -> Result<Found, Error> {
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
            let request = KeysAndAttributes::builder().set_keys(Some(wanted.clone())).consistent_read(true).build();
            let request = request.map_err(Error::refused)?;
            let sent = self.client.batch_get_item().request_items(&self.name, request).send().await;
            let answer = match sent.map_err(Error::from_sdk) {
                Err(Error::Throttled(_)) if self.retries.repeats_throttled_calls() => continue,
                sent => sent?,
            };
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

    /// A few different keys' records as they are at one moment.
    pub(crate) async fn get_at_once(&self, keys: Vec<Key>) -> Result<Found, Error> {
        let get = |key: &Key| {
            let get = Get::builder().table_name(&self.name).set_key(Some(key.clone().attributes())).build();
            Ok(TransactGetItem::builder().get(get.map_err(Error::refused)?).build())
        };
        let gets: Vec<TransactGetItem> = keys.iter().map(get).collect::<Result<_, Error>>()?;
        let read = self.client.transact_get_items().set_transact_items(Some(gets));
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
            Err(Error::from_transaction(error, &cancellation))
        };
        whole(keys, self.retry(send).await?)
    }

    /// A page of the records in a partition whose sort keys begin alike; `sort` gives the sort key of a place in the list.
    pub(crate) async fn page<Id, T: DeserializeOwned>(
        &self,
        partition: String,
        beginning: &str,
        listing: Listing<Id>,
        sort: impl Fn(Id) -> String,
    ) -> Result<Page<T>, Error> {
        self.page_of(Range { partition, beginning: beginning.to_owned(), rises: false }, listing, sort).await
    }

    /// A page of a list.
    pub(crate) async fn page_of<Id, T: DeserializeOwned>(
        &self,
        Range { partition, beginning, rises }: Range,
        listing: Listing<Id>,
        sort: impl Fn(Id) -> String,
    ) -> Result<Page<T>, Error> {
        let (mut from, mut to, mut beside) = (beginning.clone(), format!("{beginning}{END}"), None);
        let is_forward = matches!(listing.start, Start::Newest | Start::OlderThan(_) | Start::OlderFrom(_));
        let is_ascending = is_forward == rises;
        let is_beside = matches!(listing.start, Start::OlderThan(_) | Start::NewerThan(_));
        match listing.start {
            Start::Newest => {}
            Start::OlderThan(id) | Start::NewerThan(id) | Start::OlderFrom(id) | Start::NewerFrom(id) => {
                // What lies before the place is left out of the range, so that nobody has to pass over it.
                let place = sort(id);
                beside = is_beside.then(|| place.clone());
                *(if is_ascending { &mut from } else { &mut to }) = place;
            }
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
                .scan_index_forward(is_ascending)
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
                if !is_forward {
                    records.reverse();
                }
                return Ok(Page { records, more });
            }
        }
    }
}

/// The items of a transactional read, which come in the order of their keys.
fn whole(keys: Vec<Key>, responses: Vec<ItemResponse>) -> Result<Found, Error> {
    if responses.len() != keys.len() {
        return Err(Error::busy("a read of a moment came incomplete"));
    }
    let items = keys.into_iter().zip(responses).filter_map(|(key, response)| Some((key, response.item?)));
    // What is not there comes as nothing, or as an item of nothing.
    Ok(Found(items.filter(|(_, item)| !item.is_empty()).collect()))
}

/// The record that an item holds. Keys and markers beside it are no part of it.
pub(crate) fn record<T: DeserializeOwned>(item: Item) -> Result<T, Error> {
    Ok(serde_dynamo::aws_sdk_dynamodb_1::from_item(item)?)
}
