//! The queues, and their messages in SQLite.
//!
//! Invariant: what an operation acknowledges is committed, so it survives a killed process.

use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use rusqlite::{Connection, params};
use sam_template::QueueSpec;

use super::{error::SqsError, fairness};

const SCHEMA: &str = "
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS messages (
        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
        queue TEXT NOT NULL,
        id TEXT NOT NULL,
        body TEXT NOT NULL,
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

/// The queues and the database of messages. Its methods block.
#[derive(Debug)]
pub(super) struct QueueStore {
    connection: Mutex<Connection>,
    /// The provisioned queues by name.
    queues: Mutex<HashMap<String, Arc<QueueSpec>>>,
}

impl QueueStore {
    /// Opens or creates the database. Messages that an earlier process had received are visible,
    /// since none of its consumers is left to delete them, except those whose visibility a consumer
    /// had changed.
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
            queues: Mutex::default(),
        })
    }

    /// Locks the connection. A panic while it was locked rolled its transaction back.
    pub(super) fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates a queue, or replaces the attributes of an existing one.
    pub(super) fn ensure_queue(&self, queue: &QueueSpec) {
        self.queues()
            .insert(queue.name.clone(), Arc::new(queue.clone()));
    }

    /// Returns a queue. Fails if it does not exist.
    pub(super) fn queue(&self, name: &str) -> Result<Arc<QueueSpec>, SqsError> {
        self.queues().get(name).cloned().ok_or(SqsError::NoQueue)
    }

    /// Counts the messages of a queue.
    pub(super) fn count(&self, name: &str, now_ms: i64) -> Result<MessageCounts, SqsError> {
        let queue = self.queue(name)?;
        let connection = self.connection();

        let mut counts = connection.prepare_cached(
            "SELECT count(*) FILTER (WHERE visible_ms <= ?2),
                    count(*) FILTER (WHERE visible_ms > ?2 AND receipt IS NOT NULL),
                    count(*) FILTER (WHERE visible_ms > ?2 AND receipt IS NULL)
             FROM messages WHERE queue = ?1",
        )?;

        let counts = counts.query_row(params![queue.name, now_ms], |row| {
            Ok(MessageCounts {
                visible: row.get(0)?,
                in_flight: row.get(1)?,
                delayed: row.get(2)?,
            })
        })?;
        Ok(counts)
    }

    /// Removes messages that are older than the retention period of their queue.
    pub(super) fn remove_expired(&self, now_ms: i64) -> rusqlite::Result<()> {
        let queues: Vec<_> = self.queues().values().cloned().collect();
        for queue in queues {
            let oldest_ms = now_ms - i64::from(queue.retention_seconds) * 1000;
            self.connection()
                .prepare_cached("DELETE FROM messages WHERE queue = ? AND sent_ms < ?")?
                .execute(params![queue.name, oldest_ms])?;
        }
        Ok(())
    }

    fn queues(&self) -> MutexGuard<'_, HashMap<String, Arc<QueueSpec>>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
