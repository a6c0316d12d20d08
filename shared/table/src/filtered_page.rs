//! Collects a page of a filtered list from batches of records.
//!
//! A page reads a bounded number of records, so it may be short or empty although more follow.

use domain::requests::{Cursor, Direction, Page, PageRequest};

use crate::query::{Positioned, Slice};

/// Maximum records that one page reads.
const MAX_READ: usize = 1_000;
/// Records that are read at once.
pub(crate) const FILTERED_BATCH: u16 = 100;

/// A page under construction.
pub(crate) struct FilteredPage<'a, T> {
    page_request: &'a PageRequest,
    /// Number of records that pass the filter.
    accepted: usize,
    /// The records that were read, in the direction of the request; `None` for records that do not
    /// pass.
    read: Slice<Option<T>>,
}

impl<'a, T> FilteredPage<'a, T> {
    /// Returns a page without records.
    pub(crate) fn new(page_request: &'a PageRequest) -> FilteredPage<'a, T> {
        FilteredPage {
            page_request,
            accepted: 0,
            read: Slice {
                records: Vec::new(),
                has_more: false,
            },
        }
    }

    fn is_full(&self) -> bool {
        self.accepted == usize::from(self.page_request.limit)
    }

    fn is_backward(&self) -> bool {
        self.page_request.direction() == Direction::Backward
    }

    /// Adds a batch up to the limit of the page.
    pub(crate) fn add(&mut self, mut batch: Slice<Option<T>>, passes: impl Fn(&T) -> bool) {
        if self.is_backward() {
            batch.records.reverse();
        }

        let mut records = batch.records.into_iter();
        while !self.is_full()
            && let Some(positioned) = records.next()
        {
            let record = positioned.record.filter(&passes);
            self.accepted += usize::from(record.is_some());
            self.read.records.push(Positioned {
                position: positioned.position,
                record,
            });
        }
        self.read.has_more = batch.has_more || records.len() > 0;
    }

    /// Returns the request of the next batch; `None` if the page is complete.
    pub(crate) fn next_batch(&self) -> Option<PageRequest> {
        if self.is_full() || !self.read.has_more || self.read.records.len() >= MAX_READ {
            return None;
        }
        let last = self.read.records.last()?;
        Some(PageRequest {
            cursor: Some(Cursor {
                direction: self.page_request.direction(),
                is_inclusive: false,
                position: last.position.clone(),
            }),
            limit: FILTERED_BATCH,
        })
    }

    pub(crate) fn into_page(mut self) -> Page<T> {
        if self.is_backward() {
            self.read.records.reverse();
        }
        self.read.into_page(self.page_request, |record| record)
    }
}
