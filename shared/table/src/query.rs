//! Pages of lists: records of a partition whose sort keys have a prefix.
//!
//! The rest of a sort key after the prefix is the record's position in the list.

use aws_sdk_dynamodb::{operation::query::builders::QueryFluentBuilder, types::AttributeValue};
use domain::requests::{Direction, Page, PageBounds, PageRequest};
use serde::de::DeserializeOwned;

use crate::{
    condition::text,
    connection::Table,
    errors::TableError,
    key::{Key, PARTITION, SORT},
    read::{Item, key_of, record},
};

/// Sorts after every sort key with the same prefix.
pub(crate) const PREFIX_END: char = char::MAX;

/// The records of one list.
#[derive(Clone, Debug)]
pub(crate) struct Range {
    pub(crate) partition: String,
    pub(crate) prefix: String,
    /// First and last position that belong to the list, whether or not a record has it.
    pub(crate) first: String,
    pub(crate) last: String,
    /// Whether the list is in ascending order of sort keys.
    pub(crate) is_ascending: bool,
}

impl Range {
    /// Returns a list in descending order of sort keys: ids are ULIDs, so the newest comes first.
    pub(crate) fn newest_first(partition: String, prefix: impl Into<String>) -> Range {
        Range {
            partition,
            prefix: prefix.into(),
            first: String::new(),
            last: PREFIX_END.to_string(),
            is_ascending: false,
        }
    }
}

/// A record and its position in a list.
pub(crate) struct Positioned<T> {
    pub(crate) position: String,
    pub(crate) record: T,
}

/// Consecutive records of a list.
pub(crate) struct Slice<T> {
    /// The records, in the order of the list.
    pub(crate) records: Vec<Positioned<T>>,
    /// Whether more records follow in the direction of the page.
    pub(crate) has_more: bool,
}

impl<T> Slice<T> {
    /// Replaces each record at its position.
    pub(crate) fn map<U>(self, mut replace: impl FnMut(T) -> U) -> Slice<U> {
        let records = self.records.into_iter().map(|positioned| Positioned {
            position: positioned.position,
            record: replace(positioned.record),
        });
        Slice {
            records: records.collect(),
            has_more: self.has_more,
        }
    }

    /// Returns the requested page, without the records for which `view` returns `None`.
    pub(crate) fn into_page<U>(
        self,
        page_request: &PageRequest,
        mut view: impl FnMut(T) -> Option<U>,
    ) -> Page<U> {
        let first = self.records.first().map(|first| first.position.clone());
        let last = self.records.last().map(|last| last.position.clone());
        let bounds = first
            .zip(last)
            .map(|(first, last)| PageBounds { first, last });
        let items = self
            .records
            .into_iter()
            .filter_map(|positioned| view(positioned.record))
            .collect();
        Page::new(page_request, bounds, self.has_more, items)
    }
}

impl Table {
    /// Reads a page of a list.
    pub(crate) async fn page<T: DeserializeOwned>(
        &self,
        range: Range,
        page_request: &PageRequest,
    ) -> Result<Page<T>, TableError> {
        let slice = self.slice(range, page_request).await?;
        Ok(slice.into_page(page_request, Some))
    }

    /// Reads the records of a page of a list.
    pub(crate) async fn slice<T: DeserializeOwned>(
        &self,
        range: Range,
        page_request: &PageRequest,
    ) -> Result<Slice<T>, TableError> {
        if range.first > range.last {
            // DynamoDB rejects it.
            return Ok(Slice {
                records: Vec::new(),
                has_more: false,
            });
        }

        let is_forward = page_request.direction() == Direction::Forward;
        let limit = usize::from(page_request.limit);
        let query = self.list_query(&range, page_request);
        let mut start = start_key(&range, page_request);

        let mut records = Vec::new();
        loop {
            // One more than the limit shows whether more records follow.
            let missing = limit + 1 - records.len();
            let page = query
                .clone()
                .limit(i32::try_from(missing).unwrap_or(i32::MAX))
                .set_exclusive_start_key(start);
            let response = self.call(|| page.clone().send()).await?;

            for item in response.items.unwrap_or_default() {
                let sort = key_of(&item)?.sort;
                let position = sort.strip_prefix(&range.prefix).unwrap_or_default();
                records.push(Positioned {
                    position: position.to_owned(),
                    record: record(item)?,
                });
            }

            start = response.last_evaluated_key;
            if start.is_none() || records.len() > limit {
                break;
            }
        }

        let has_more = records.len() > limit;
        records.truncate(limit);
        if !is_forward {
            records.reverse();
        }
        Ok(Slice { records, has_more })
    }

    /// Returns the query of a page. Its range excludes the records before the cursor, so they are
    /// not read.
    fn list_query(&self, range: &Range, page_request: &PageRequest) -> QueryFluentBuilder {
        let is_forward = page_request.direction() == Direction::Forward;
        let scans_forward = is_forward == range.is_ascending;

        let mut first = &range.first;
        let mut last = &range.last;
        if let Some(cursor) = &page_request.cursor {
            let bound = if scans_forward { &mut first } else { &mut last };
            *bound = &cursor.position;
        }
        let sort = |position: &str| text(format!("{}{position}", range.prefix));

        self.range_query(&range.partition, sort(first), sort(last))
            .scan_index_forward(scans_forward)
    }

    /// Returns a query of the items of a partition whose sort keys are in a range.
    pub(crate) fn range_query(
        &self,
        partition: &str,
        first: AttributeValue,
        last: AttributeValue,
    ) -> QueryFluentBuilder {
        self.client
            .query()
            .table_name(&self.name)
            .consistent_read(true)
            .key_condition_expression("#partition = :partition AND #sort BETWEEN :first AND :last")
            .expression_attribute_names("#partition", PARTITION)
            .expression_attribute_names("#sort", SORT)
            .expression_attribute_values(":partition", text(partition))
            .expression_attribute_values(":first", first)
            .expression_attribute_values(":last", last)
    }
}

/// Returns the key after which a page starts; `None` if it starts at an end of the range or
/// includes the record at its cursor.
fn start_key(range: &Range, page_request: &PageRequest) -> Option<Item> {
    let cursor = page_request
        .cursor
        .as_ref()
        .filter(|cursor| !cursor.is_inclusive)?;
    let key = Key {
        partition: range.partition.clone(),
        sort: format!("{}{}", range.prefix, cursor.position),
    };
    Some(key.attributes())
}
