//! Queues and messages in SQLite.
//!
//! Invariant: what an operation acknowledges is committed, so it survives a killed process.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{
    error::SqsError,
    fairness,
    queue_attributes::{QueueAttributes, RETENTION},
};
use crate::arn;

const SCHEMA: &str = "
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS queues (
        name TEXT PRIMARY KEY,
        attributes TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        modified_ms INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS messages (
        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
        queue TEXT NOT NULL,
        id TEXT NOT NULL,
        body TEXT NOT NULL,
        attributes TEXT NOT NULL,
        group_id TEXT,
        sent_ms INTEGER NOT NULL,
        visible_ms INTEGER NOT NULL,
        first_received_ms INTEGER,
        receives INTEGER NOT NULL DEFAULT 0,
        receipt TEXT,
        -- Principal that has received the message, until it changes the visibility.
        receiver TEXT,
        hops INTEGER NOT NULL,
        dead_letter_source TEXT
    );
    CREATE INDEX IF NOT EXISTS messages_by_visibility ON messages (queue, visible_ms, sequence);
    CREATE INDEX IF NOT EXISTS messages_by_receiver ON messages (receiver, visible_ms) WHERE receiver IS NOT NULL;
    CREATE INDEX IF NOT EXISTS messages_by_age ON messages (queue, sent_ms);
    CREATE UNIQUE INDEX IF NOT EXISTS messages_by_receipt ON messages (receipt) WHERE receipt IS NOT NULL;
";

/// Capacity of the cache of prepared statements.
const STATEMENT_CACHE_CAPACITY: usize = 64;

#[derive(Debug)]
pub(super) struct QueueRow {
    pub(super) name: String,
    pub(super) attributes: QueueAttributes,
    created_ms: i64,
    modified_ms: i64,
}

/// Number of messages of a queue by state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageCounts {
    /// Can be received now.
    pub visible: u64,
    /// Received, and neither deleted nor visible again.
    pub in_flight: u64,
    /// Sent with a delay that has not passed.
    pub delayed: u64,
}

/// The database of queues and messages. Its methods block.
#[derive(Debug)]
pub(super) struct QueueStore {
    connection: Mutex<Connection>,
}

impl QueueStore {
    /// Opens or creates the database. Messages that an earlier process had received are visible, since none of
    /// its consumers is left to delete them, except those whose visibility a consumer had changed.
    pub(super) fn open(path: &Path, now_ms: i64) -> rusqlite::Result<QueueStore> {
        let connection = Connection::open(path)?;
        connection.execute_batch(SCHEMA)?;
        connection.execute_batch(fairness::SCHEMA)?;
        connection.execute(
            "UPDATE messages SET visible_ms = ?1 WHERE receiver IS NOT NULL AND visible_ms > ?1",
            [now_ms],
        )?;
        connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE_CAPACITY);
        Ok(QueueStore {
            connection: Mutex::new(connection),
        })
    }

    /// Locks the connection. A panic while it was locked rolled its transaction back.
    pub(super) fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates a queue. Fails if it exists with other attributes.
    pub(super) fn create_queue(
        &self,
        name: &str,
        attributes: &QueueAttributes,
        now_ms: i64,
    ) -> Result<(), SqsError> {
        let connection = self.connection();
        match queue(&connection, name) {
            Ok(existing) if existing.attributes.agree_with(attributes) => Ok(()),
            Ok(_) => Err(SqsError::queue_exists()),
            Err(_) => write_queue(&connection, name, attributes, now_ms),
        }
    }

    /// Creates a queue, or replaces the attributes of an existing one.
    pub(super) fn ensure_queue(
        &self,
        name: &str,
        attributes: &QueueAttributes,
        now_ms: i64,
    ) -> Result<(), SqsError> {
        write_queue(&self.connection(), name, attributes, now_ms)
    }

    /// Sets some of a queue's attributes.
    pub(super) fn set_attributes(
        &self,
        name: &str,
        attributes: QueueAttributes,
        now_ms: i64,
    ) -> Result<(), SqsError> {
        let connection = self.connection();
        let mut queue = queue(&connection, name)?;
        queue.attributes.set(attributes);
        write_queue(&connection, name, &queue.attributes, now_ms)
    }

    /// Removes a queue and its messages.
    pub(super) fn delete_queue(&self, name: &str) -> Result<(), SqsError> {
        let mut connection = self.connection();
        let transaction = connection.transaction()?;
        let queue = queue(&transaction, name)?;
        transaction.execute("DELETE FROM messages WHERE queue = ?", [&queue.name])?;
        transaction.execute("DELETE FROM queues WHERE name = ?", [&queue.name])?;
        Ok(transaction.commit()?)
    }

    /// Removes a queue's messages.
    pub(super) fn purge(&self, name: &str) -> Result<(), SqsError> {
        let connection = self.connection();
        let queue = queue(&connection, name)?;
        connection.execute("DELETE FROM messages WHERE queue = ?", [&queue.name])?;
        Ok(())
    }

    /// Returns the names of all queues with this prefix, in order.
    pub(super) fn queue_names(&self, prefix: &str) -> Result<Vec<String>, SqsError> {
        let connection = self.connection();
        let mut names = connection
            .prepare_cached("SELECT name FROM queues ORDER BY name")?
            .query_map([], |row| row.get(0))?
            .collect::<rusqlite::Result<Vec<String>>>()?;
        names.retain(|name| name.starts_with(prefix));
        Ok(names)
    }

    /// Returns all attributes of a queue, including its message counts.
    pub(super) fn describe(
        &self,
        name: &str,
        now_ms: i64,
    ) -> Result<BTreeMap<String, String>, SqsError> {
        let connection = self.connection();
        let queue = queue(&connection, name)?;
        let counts = count(&connection, name, now_ms)?;

        let mut description = queue.attributes.all();
        for (name, value) in [
            ("QueueArn", arn::queue(&queue.name)),
            ("CreatedTimestamp", (queue.created_ms / 1000).to_string()),
            (
                "LastModifiedTimestamp",
                (queue.modified_ms / 1000).to_string(),
            ),
            ("ApproximateNumberOfMessages", counts.visible.to_string()),
            (
                "ApproximateNumberOfMessagesNotVisible",
                counts.in_flight.to_string(),
            ),
            (
                "ApproximateNumberOfMessagesDelayed",
                counts.delayed.to_string(),
            ),
        ] {
            description.insert(name.to_owned(), value);
        }

        Ok(description)
    }

    /// Counts a queue's messages.
    pub(super) fn count(&self, name: &str, now_ms: i64) -> Result<MessageCounts, SqsError> {
        Ok(count(&self.connection(), name, now_ms)?)
    }

    /// Removes messages that are older than the retention period of their queue.
    pub(super) fn remove_expired(&self, now_ms: i64) -> Result<(), SqsError> {
        for name in self.queue_names("")? {
            let connection = self.connection();
            let queue = queue(&connection, &name)?;
            let oldest_ms = now_ms - queue.attributes.number(&RETENTION) * 1000;
            connection
                .prepare_cached("DELETE FROM messages WHERE queue = ? AND sent_ms < ?")?
                .execute(params![name, oldest_ms])?;
        }
        Ok(())
    }
}

/// Returns a queue. Fails if it does not exist.
pub(super) fn queue(connection: &Connection, name: &str) -> Result<QueueRow, SqsError> {
    let row = connection
        .prepare_cached("SELECT attributes, created_ms, modified_ms FROM queues WHERE name = ?")?
        .query_row([name], StoredQueue::read)
        .optional()?
        .ok_or_else(SqsError::no_queue)?;
    let attributes = QueueAttributes::from_column(&row.attributes)
        .map_err(|error| SqsError::internal(&error))?;

    Ok(QueueRow {
        name: name.to_owned(),
        attributes,
        created_ms: row.created_ms,
        modified_ms: row.modified_ms,
    })
}

/// The columns of a queue.
struct StoredQueue {
    /// JSON.
    attributes: String,
    created_ms: i64,
    modified_ms: i64,
}

impl StoredQueue {
    fn read(row: &Row<'_>) -> rusqlite::Result<StoredQueue> {
        Ok(StoredQueue {
            attributes: row.get("attributes")?,
            created_ms: row.get("created_ms")?,
            modified_ms: row.get("modified_ms")?,
        })
    }
}

fn count(connection: &Connection, queue: &str, now_ms: i64) -> rusqlite::Result<MessageCounts> {
    let mut counts = connection.prepare_cached(
        "SELECT count(*) FILTER (WHERE visible_ms <= ?2),
                count(*) FILTER (WHERE visible_ms > ?2 AND receipt IS NOT NULL),
                count(*) FILTER (WHERE visible_ms > ?2 AND receipt IS NULL)
         FROM messages WHERE queue = ?1",
    )?;
    counts.query_row(params![queue, now_ms], |row| {
        Ok(MessageCounts {
            visible: row.get(0)?,
            in_flight: row.get(1)?,
            delayed: row.get(2)?,
        })
    })
}

fn write_queue(
    connection: &Connection,
    name: &str,
    attributes: &QueueAttributes,
    now_ms: i64,
) -> Result<(), SqsError> {
    connection.execute(
        "INSERT INTO queues (name, attributes, created_ms, modified_ms) VALUES (?1, ?2, ?3, ?3)
         ON CONFLICT (name) DO UPDATE SET attributes = ?2, modified_ms = ?3",
        params![name, attributes.to_column(), now_ms],
    )?;
    Ok(())
}
