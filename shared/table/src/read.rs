//! Strongly consistent reads of items by key.

use std::collections::{HashMap, HashSet};

use aws_sdk_dynamodb::{
    operation::transact_get_items::TransactGetItemsError,
    types::{AttributeValue, Get, ItemResponse, KeysAndAttributes, TransactGetItem},
};
use serde::de::DeserializeOwned;

use crate::{connection::Table, errors::TableError, key::Key};

/// Maximum items of a batch read.
pub(crate) const MAX_BATCH_READS: usize = 100;

pub(crate) type Item = HashMap<String, AttributeValue>;

/// The items that a read of several keys found.
pub(crate) struct FoundItems(HashMap<Key, Item>);

impl FoundItems {
    /// Removes and returns the record of a key; `None` if there is none.
    pub(crate) fn take<T: DeserializeOwned>(&mut self, key: &Key) -> Result<Option<T>, TableError> {
        self.0.remove(key).map(record).transpose()
    }
}

impl Table {
    /// Returns the record of a key.
    pub(crate) async fn get<T: DeserializeOwned>(&self, key: Key) -> Result<Option<T>, TableError> {
        let get = self
            .client
            .get_item()
            .table_name(&self.name)
            .set_key(Some(key.attributes()))
            .consistent_read(true);

        let response = self.call(|| get.clone().send()).await?;
        response.item.map(record).transpose()
    }

    /// Reads up to [`MAX_BATCH_READS`] keys in one call, which is repeated for keys that DynamoDB
    /// leaves unprocessed. Reads nothing if there are no keys.
    pub(crate) async fn batch_get(
        &self,
        keys: impl IntoIterator<Item = Key>,
    ) -> Result<FoundItems, TableError> {
        let keys: HashSet<Key> = keys.into_iter().collect();
        let mut unprocessed: Vec<Item> = keys.into_iter().map(Key::attributes).collect();
        let mut found = HashMap::new();
        if unprocessed.is_empty() {
            return Ok(FoundItems(found));
        }

        for attempt in 0..self.retries.batch_tries {
            if attempt > 0 {
                self.back_off_after_throttling(attempt).await;
            }

            let keys = KeysAndAttributes::builder()
                .set_keys(Some(unprocessed.clone()))
                .consistent_read(true)
                .build()
                .map_err(TableError::rejected)?;
            let sent = self
                .client
                .batch_get_item()
                .request_items(&self.name, keys)
                .send()
                .await;
            let response = match sent.map_err(TableError::from_sdk) {
                Err(TableError::Throttled(_)) if self.retries.repeats_throttled_calls() => continue,
                sent => sent?,
            };

            let items = response.responses.unwrap_or_default().into_values();
            for item in items.flatten() {
                found.insert(key_of(&item)?, item);
            }
            unprocessed = response
                .unprocessed_keys
                .unwrap_or_default()
                .into_values()
                .flat_map(|rest| rest.keys)
                .collect();
            if unprocessed.is_empty() {
                return Ok(FoundItems(found));
            }
        }
        Err(TableError::busy(
            "a batch read is still incomplete after its last retry",
        ))
    }

    /// Reads several different keys in one transaction: a consistent snapshot.
    pub(crate) async fn transact_get(&self, keys: Vec<Key>) -> Result<FoundItems, TableError> {
        let get = |key: &Key| {
            let get = Get::builder()
                .table_name(&self.name)
                .set_key(Some(key.clone().attributes()))
                .build()
                .map_err(TableError::rejected)?;
            Ok(TransactGetItem::builder().get(get).build())
        };
        let gets: Vec<TransactGetItem> = keys.iter().map(get).collect::<Result<_, TableError>>()?;
        let read = self
            .client
            .transact_get_items()
            .set_transact_items(Some(gets));

        let send = || async {
            let error = match Box::pin(read.clone().send()).await {
                Ok(response) => return Ok(response.responses.unwrap_or_default()),
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

        let responses = self.retry(send).await?;
        snapshot(keys, responses)
    }
}

/// Returns the items of a transactional read, whose responses are in the order of the keys.
fn snapshot(keys: Vec<Key>, responses: Vec<ItemResponse>) -> Result<FoundItems, TableError> {
    if responses.len() != keys.len() {
        return Err(TableError::busy(
            "a transactional read returned too few items",
        ));
    }

    let items = keys
        .into_iter()
        .zip(responses)
        .filter_map(|(key, response)| Some((key, response.item?)))
        // The response for an absent item has either no item or an empty one.
        .filter(|(_, item)| !item.is_empty());
    Ok(FoundItems(items.collect()))
}

/// Returns the key of an item.
pub(crate) fn key_of(item: &Item) -> Result<Key, TableError> {
    Key::of_item(item).ok_or_else(|| TableError::busy("an item has no key"))
}

/// Deserializes the record of an item. Attributes that are not part of the record are ignored.
pub(crate) fn record<T: DeserializeOwned>(item: Item) -> Result<T, TableError> {
    Ok(serde_dynamo::aws_sdk_dynamodb_1::from_item(item)?)
}
