//! Deliveries of webhooks. An item by file and event guarantees that each event has one delivery.

use std::cmp::Reverse;

use domain::{
    Direction, FileId, Page, PageBounds, PageRequest, SpaceId, WebhookDelivery, WebhookDeliveryId,
    WebhookEvent, WebhookFilter,
};
use serde::{Deserialize, Serialize};
use tracing::instrument;

use crate::{
    Key, Reason, TableError, WebhookRecords, WithSpace, WriteError,
    filtered_page::{FILTERED_BATCH, FilteredPage},
    key::{WEBHOOK_DELIVERIES, space_partition},
    query::Range,
    transaction::Transaction,
};

/// Item that guarantees that an event of a file has one delivery.
#[derive(Serialize, Deserialize)]
struct EventDelivery {
    delivery_id: WebhookDeliveryId,
    expires_at_seconds: i64,
}

impl WebhookRecords<'_> {
    /// Replaces a delivery if it is still the version `from`. Returns the new version.
    #[instrument(name = "change_webhook_delivery", skip_all)]
    pub async fn change(
        self,
        from: &WebhookDelivery,
        to: WebhookDelivery,
    ) -> Result<WebhookDelivery, WriteError> {
        let mut transaction = self.table.transaction();
        let to = transaction.replace_delivery(from, to);
        if from.expires_at_seconds != to.expires_at_seconds {
            transaction.keep_event(&to);
        }
        transaction.commit().await?;
        Ok(to)
    }

    /// Returns a space and one of its deliveries.
    #[instrument(name = "space_with_webhook_delivery", skip_all)]
    pub async fn with_space(
        self,
        space: SpaceId,
        id: WebhookDeliveryId,
    ) -> Result<WithSpace<WebhookDelivery>, TableError> {
        self.table
            .spaces()
            .with_record(space, Key::webhook_delivery(space, id))
            .await
    }

    /// Returns a delivery of a space.
    #[instrument(name = "webhook_delivery", skip_all)]
    pub async fn get(
        self,
        space: SpaceId,
        id: WebhookDeliveryId,
    ) -> Result<Option<WebhookDelivery>, TableError> {
        self.table.get(Key::webhook_delivery(space, id)).await
    }

    /// Returns a page of the deliveries of a space that pass a filter, newest first. A page reads a
    /// bounded number of deliveries, so it may be short or empty although more follow.
    #[instrument(name = "list_webhook_deliveries", skip_all)]
    pub async fn list(
        self,
        space: SpaceId,
        filter: &WebhookFilter,
        page_request: &PageRequest,
    ) -> Result<Page<WebhookDelivery>, TableError> {
        if let Some(file) = filter.file_id {
            let deliveries = self.of_file(space, file).await?;
            return Ok(page_of(deliveries, filter, page_request));
        }

        let range = Range::newest_first(space_partition(space), WEBHOOK_DELIVERIES);
        if *filter == WebhookFilter::default() {
            return self.table.page(range, page_request).await;
        }

        let mut page = FilteredPage::new(page_request);
        let mut batch = PageRequest {
            limit: FILTERED_BATCH,
            ..page_request.clone()
        };
        loop {
            let slice = self.table.slice(range.clone(), &batch).await?;
            page.add(slice.map(Some), |delivery| filter.matches(delivery));
            match page.next_batch() {
                Some(next) => batch = next,
                None => return Ok(page.into_page()),
            }
        }
    }

    /// Returns the deliveries of a file, at most one for each event.
    async fn of_file(
        self,
        space: SpaceId,
        file: FileId,
    ) -> Result<Vec<WebhookDelivery>, TableError> {
        let events = WebhookEvent::ALL.map(|event| Key::webhook_event(space, file, event));
        let mut found = self.table.batch_get(events.clone()).await?;
        let mut keys = Vec::new();
        for event in &events {
            let delivery: Option<EventDelivery> = found.take(event)?;
            keys.extend(
                delivery.map(|delivery| Key::webhook_delivery(space, delivery.delivery_id)),
            );
        }

        let mut found = self.table.batch_get(keys.clone()).await?;
        let mut deliveries = Vec::new();
        for key in &keys {
            deliveries.extend(found.take(key)?);
        }
        Ok(deliveries)
    }
}

/// Returns the requested page of all deliveries of a list.
fn page_of(
    mut deliveries: Vec<WebhookDelivery>,
    filter: &WebhookFilter,
    page_request: &PageRequest,
) -> Page<WebhookDelivery> {
    deliveries.retain(|one| filter.matches(one) && page_request.includes(one.id));
    deliveries.sort_by_key(|delivery| Reverse(delivery.id));
    let limit = usize::from(page_request.limit);
    let excess = deliveries.len().saturating_sub(limit);
    match page_request.direction() {
        Direction::Forward => deliveries.truncate(limit),
        Direction::Backward => drop(deliveries.drain(..excess)),
    }

    let position = |delivery: Option<&WebhookDelivery>| delivery.map(|one| one.id.to_string());
    let bounds = position(deliveries.first())
        .zip(position(deliveries.last()))
        .map(|(first, last)| PageBounds { first, last });
    Page::new(page_request, bounds, excess > 0, deliveries)
}

fn event_key(delivery: &WebhookDelivery) -> Key {
    Key::webhook_event(delivery.space_id, delivery.file_id, delivery.event)
}

fn event_delivery(delivery: &WebhookDelivery) -> EventDelivery {
    EventDelivery {
        delivery_id: delivery.id,
        expires_at_seconds: delivery.expires_at_seconds,
    }
}

impl Transaction<'_> {
    /// Creates the deliveries of the events that the transaction is about. Fails with [`Reason::IdTaken`] if
    /// an event has one.
    pub(crate) fn insert_webhook_deliveries(&mut self, deliveries: &[WebhookDelivery]) {
        for delivery in deliveries {
            let key = Key::webhook_delivery(delivery.space_id, delivery.id);
            self.insert(
                event_key(delivery),
                &event_delivery(delivery),
                Reason::IdTaken,
            );
            self.insert(key, delivery, Reason::IdTaken);
        }
    }

    /// Deletes deliveries of events that are rolled back, also if an attempt was made meanwhile.
    pub(crate) fn delete_webhook_deliveries(&mut self, deliveries: &[WebhookDelivery]) {
        for delivery in deliveries {
            self.delete(event_key(delivery));
            self.delete(Key::webhook_delivery(delivery.space_id, delivery.id));
        }
    }

    /// Replaces a delivery if it is still the version `from`. Returns the new version.
    pub(crate) fn replace_delivery(
        &mut self,
        from: &WebhookDelivery,
        to: WebhookDelivery,
    ) -> WebhookDelivery {
        let to = WebhookDelivery {
            version: from.version + 1,
            ..to
        };
        let key = Key::webhook_delivery(from.space_id, from.id);
        self.replace(key, &to, from.version);
        to
    }

    /// Lets the item by file and event expire with its delivery.
    fn keep_event(&mut self, delivery: &WebhookDelivery) {
        self.put(event_key(delivery), &event_delivery(delivery));
    }
}
