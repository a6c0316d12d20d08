//! Webhook messages. An item by file and event guarantees that each event has one message.

use std::cmp::Reverse;

use domain::{
    Direction, FileId, Page, PageBounds, PageRequest, SpaceId, WebhookEvent, WebhookFilter,
    WebhookMessage, WebhookMessageId,
};
use serde::{Deserialize, Serialize};
use tracing::instrument;

use crate::{
    Key, Reason, TableError, WebhookRecords, WithSpace, WriteError,
    filtered_page::{FILTERED_BATCH, FilteredPage},
    key::{WEBHOOK_MESSAGES, space_partition},
    query::Range,
    transaction::Transaction,
};

/// Item that guarantees that an event of a file has one message.
#[derive(Serialize, Deserialize)]
struct EventMessage {
    webhook_message_id: WebhookMessageId,
    expires_at_seconds: i64,
}

impl WebhookRecords<'_> {
    /// Replaces a message if it is still the version `from`. Returns the new version.
    #[instrument(name = "change_webhook_message", skip_all)]
    pub async fn change(
        self,
        from: &WebhookMessage,
        to: WebhookMessage,
    ) -> Result<WebhookMessage, WriteError> {
        let mut transaction = self.table.transaction();
        let to = transaction.replace_webhook_message(from, to);
        if from.expires_at_seconds != to.expires_at_seconds {
            transaction.keep_event(&to);
        }
        transaction.commit().await?;
        Ok(to)
    }

    /// Returns a space and one of its messages.
    #[instrument(name = "space_with_webhook_message", skip_all)]
    pub async fn with_space(
        self,
        space: SpaceId,
        id: WebhookMessageId,
    ) -> Result<WithSpace<WebhookMessage>, TableError> {
        self.table
            .spaces()
            .with_record(space, Key::webhook_message(space, id))
            .await
    }

    /// Returns a message of a space.
    #[instrument(name = "webhook_message", skip_all)]
    pub async fn get(
        self,
        space: SpaceId,
        id: WebhookMessageId,
    ) -> Result<Option<WebhookMessage>, TableError> {
        self.table.get(Key::webhook_message(space, id)).await
    }

    /// Returns a page of the messages of a space that pass a filter, newest first. A page reads a
    /// bounded number of messages, so it may be short or empty although more follow.
    #[instrument(name = "list_webhook_messages", skip_all)]
    pub async fn list(
        self,
        space: SpaceId,
        filter: &WebhookFilter,
        page_request: &PageRequest,
    ) -> Result<Page<WebhookMessage>, TableError> {
        if let Some(file) = filter.file_id {
            let messages = self.of_file(space, file).await?;
            return Ok(page_of(messages, filter, page_request));
        }

        let range = Range::newest_first(space_partition(space), WEBHOOK_MESSAGES);
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
            page.add(slice.map(Some), |message| filter.matches(message));
            match page.next_batch() {
                Some(next) => batch = next,
                None => return Ok(page.into_page()),
            }
        }
    }

    /// Returns the messages of a file, at most one for each event.
    async fn of_file(
        self,
        space: SpaceId,
        file: FileId,
    ) -> Result<Vec<WebhookMessage>, TableError> {
        let events = WebhookEvent::ALL.map(|event| Key::webhook_event(space, file, event));
        let mut found = self.table.batch_get(events.clone()).await?;
        let mut keys = Vec::new();
        for event in &events {
            let message: Option<EventMessage> = found.take(event)?;
            keys.extend(
                message.map(|message| Key::webhook_message(space, message.webhook_message_id)),
            );
        }

        let mut found = self.table.batch_get(keys.clone()).await?;
        let mut messages = Vec::new();
        for key in &keys {
            messages.extend(found.take(key)?);
        }
        Ok(messages)
    }
}

/// Returns the requested page of all messages of a list.
fn page_of(
    mut messages: Vec<WebhookMessage>,
    filter: &WebhookFilter,
    page_request: &PageRequest,
) -> Page<WebhookMessage> {
    messages.retain(|one| filter.matches(one) && page_request.includes(one.id));
    messages.sort_by_key(|message| Reverse(message.id));
    let limit = usize::from(page_request.limit);
    let excess = messages.len().saturating_sub(limit);
    match page_request.direction() {
        Direction::Forward => messages.truncate(limit),
        Direction::Backward => drop(messages.drain(..excess)),
    }

    let position = |message: Option<&WebhookMessage>| message.map(|one| one.id.to_string());
    let bounds = position(messages.first())
        .zip(position(messages.last()))
        .map(|(first, last)| PageBounds { first, last });
    Page::new(page_request, bounds, excess > 0, messages)
}

fn event_key(message: &WebhookMessage) -> Key {
    Key::webhook_event(message.space_id, message.file_id, message.event)
}

fn event_message(message: &WebhookMessage) -> EventMessage {
    EventMessage {
        webhook_message_id: message.id,
        expires_at_seconds: message.expires_at_seconds,
    }
}

impl Transaction<'_> {
    /// Creates the messages of the events that the transaction is about. Fails with [`Reason::IdTaken`] if
    /// an event has one.
    pub(crate) fn insert_webhook_messages(&mut self, messages: &[WebhookMessage]) {
        for message in messages {
            let key = Key::webhook_message(message.space_id, message.id);
            self.insert(event_key(message), &event_message(message), Reason::IdTaken);
            self.insert(key, message, Reason::IdTaken);
        }
    }

    /// Deletes messages of events that are rolled back, also if an attempt was made meanwhile.
    pub(crate) fn delete_webhook_messages(&mut self, messages: &[WebhookMessage]) {
        for message in messages {
            self.delete(event_key(message));
            self.delete(Key::webhook_message(message.space_id, message.id));
        }
    }

    /// Replaces a message if it is still the version `from`. Returns the new version.
    pub(crate) fn replace_webhook_message(
        &mut self,
        from: &WebhookMessage,
        to: WebhookMessage,
    ) -> WebhookMessage {
        let to = WebhookMessage {
            version: from.version + 1,
            ..to
        };
        let key = Key::webhook_message(from.space_id, from.id);
        self.replace(key, &to, from.version);
        to
    }

    /// Lets the item by file and event expire with its message.
    fn keep_event(&mut self, message: &WebhookMessage) {
        self.put(event_key(message), &event_message(message));
    }
}
