//! Webhook messages, with an index entry by file.
//!
//! Invariant: an event has one message, because the transaction that it happens with replaces or
//! deletes a version of its file.

use std::collections::HashMap;

use domain::{
    id::{SpaceId, WebhookMessageId},
    requests::{Page, PageRequest},
    webhooks::{WebhookFilter, WebhookMessage},
};
use serde::{Deserialize, Serialize};
use tracing::instrument;

use crate::{
    connection::WebhookRecords,
    errors::{Reason, TableError, WriteError},
    filtered_page::{FILTERED_BATCH, FilteredPage},
    key::Key,
    key::{WEBHOOK_MESSAGES, space_partition, webhooks_of_file},
    query::{Range, Slice},
    spaces::WithSpace,
    transaction::Transaction,
};

/// Index entry of a message by file.
#[derive(Serialize, Deserialize)]
struct FileMessage {
    id: WebhookMessageId,
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
            transaction.keep_entry(&to);
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
        let prefix = match filter.file_id {
            Some(file) => &webhooks_of_file(file),
            None => WEBHOOK_MESSAGES,
        };
        let range = Range::newest_first(space_partition(space), prefix);
        if *filter == WebhookFilter::default() {
            return self.table.page(range, page_request).await;
        }

        let mut page = FilteredPage::new(page_request);
        let mut batch = PageRequest {
            limit: FILTERED_BATCH,
            ..page_request.clone()
        };
        loop {
            let slice = match filter.file_id {
                Some(_) => self.of_file(space, range.clone(), &batch).await?,
                None => self.table.slice(range.clone(), &batch).await?.map(Some),
            };
            page.add(slice, |message| filter.matches(message));
            match page.next_batch() {
                Some(next) => batch = next,
                None => return Ok(page.into_page()),
            }
        }
    }

    /// Reads messages of a file. The record is `None` if the message expired before its index
    /// entry.
    async fn of_file(
        self,
        space: SpaceId,
        range: Range,
        page_request: &PageRequest,
    ) -> Result<Slice<Option<WebhookMessage>>, TableError> {
        let entries: Slice<FileMessage> = self.table.slice(range, page_request).await?;
        let ids = entries.records.iter().map(|entry| entry.record.id);
        let keys = ids.map(|id| Key::webhook_message(space, id));
        let mut found = self.table.batch_get(keys).await?;

        let mut messages: HashMap<WebhookMessageId, WebhookMessage> = HashMap::new();
        for entry in &entries.records {
            let id = entry.record.id;
            let message = found.take(&Key::webhook_message(space, id))?;
            messages.extend(message.map(|message| (id, message)));
        }
        Ok(entries.map(|entry| messages.remove(&entry.id)))
    }
}

fn entry_key(message: &WebhookMessage) -> Key {
    Key::webhook_of_file(message.space_id, message.file_id, message.id)
}

fn entry(message: &WebhookMessage) -> FileMessage {
    FileMessage {
        id: message.id,
        expires_at_seconds: message.expires_at_seconds,
    }
}

impl Transaction<'_> {
    /// Creates the messages of the events that the transaction is about.
    pub(crate) fn insert_webhook_messages(&mut self, messages: &[WebhookMessage]) {
        for message in messages {
            let key = Key::webhook_message(message.space_id, message.id);
            self.insert(key, message, Reason::IdTaken);
            self.put(entry_key(message), &entry(message));
        }
    }

    /// Deletes messages of events that are rolled back, also if an attempt was made meanwhile.
    pub(crate) fn delete_webhook_messages(&mut self, messages: &[WebhookMessage]) {
        for message in messages {
            self.delete(entry_key(message));
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

    /// Lets the index entry expire with its message.
    fn keep_entry(&mut self, message: &WebhookMessage) {
        self.put(entry_key(message), &entry(message));
    }
}
