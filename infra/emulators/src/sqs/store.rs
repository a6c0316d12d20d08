//! Queues and messages in SQLite.
//!
//! Invariant: what an operation acknowledges is committed, so it survives a killed process.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

use rusqlite::{Connection, OptionalExtension, params};

use super::{
    attributes::{Attributes, RETENTION},
    error::SqsError,
};

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
        sent_ms INTEGER NOT NULL,
        visible_ms INTEGER NOT NULL,
        first_received_ms INTEGER,
        receives INTEGER NOT NULL DEFAULT 0,
        receipt TEXT,
        receiver TEXT,
        hops INTEGER NOT NULL,
        dead_letter_source TEXT
    );
    CREATE INDEX IF NOT EXISTS messages_by_visibility ON messages (queue, visible_ms, sequence);
    CREATE INDEX IF NOT EXISTS messages_by_receiver ON messages (receiver, visible_ms) WHERE receiver IS NOT NULL;
    CREATE INDEX IF NOT EXISTS messages_by_age ON messages (queue, sent_ms);
    CREATE UNIQUE INDEX IF NOT EXISTS messages_by_receipt ON messages (receipt) WHERE receipt IS NOT NULL;
";

/// Statements that are kept prepared.
const PREPARED_MAX: usize = 64;

/// A queue's row.
#[derive(Debug)]
pub(super) struct Queue {
    pub(super) name: String,
    pub(super) attributes: Attributes,
    created_ms: i64,
    modified_ms: i64,
}

/// The messages of a queue, by what can be done with them at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageCounts {
    /// To be received now.
    pub visible: u64,
    /// Received, and neither deleted nor visible again.
    pub in_flight: u64,
    /// Sent with a delay that has not passed.
    pub delayed: u64,
}

/// The database. Its methods block.
#[derive(Debug)]
pub(super) struct Store {
    connection: Mutex<Connection>,
}

impl Store {
    pub(super) fn open(path: &Path) -> rusqlite::Result<Store> {
        let connection = Connection::open(path)?;
        connection.execute_batch(SCHEMA)?;
        connection.set_prepared_statement_cache_capacity(PREPARED_MAX);
        Ok(Store {
            connection: Mutex::new(connection),
        })
    }

    /// The one connection. A panic while it was held has rolled its transaction back.
    pub(super) fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a queue; one that exists has to agree with the attributes.
    pub(super) fn create_queue(
        &self,
        name: &str,
        attributes: &Attributes,
        now_ms: i64,
    ) -> Result<(), SqsError> {
        let connection = self.connection();
        match queue(&connection, name) {
            Ok(there) if there.attributes.agree_with(attributes) => Ok(()),
            Ok(_) => Err(SqsError::queue_exists()),
            Err(_) => write_queue(&connection, name, attributes, now_ms),
        }
    }

    /// Makes a queue, or gives one that exists these attributes and no others.
    pub(super) fn ensure_queue(
        &self,
        name: &str,
        attributes: &Attributes,
        now_ms: i64,
    ) -> Result<(), SqsError> {
        write_queue(&self.connection(), name, attributes, now_ms)
    }

    /// Sets some of a queue's attributes.
    pub(super) fn set_attributes(
        &self,
        name: &str,
        attributes: Attributes,
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

    /// Names of all queues that begin with `prefix`, in order.
    pub(super) fn queue_names(&self, prefix: &str) -> Result<Vec<String>, SqsError> {
        let connection = self.connection();
        let mut names = connection.prepare_cached("SELECT name FROM queues ORDER BY name")?;
        let names = names
            .query_map([], |row| row.get(0))?
            .collect::<rusqlite::Result<Vec<String>>>()?;
        Ok(names
            .into_iter()
            .filter(|name| name.starts_with(prefix))
            .collect())
    }

    /// A queue's attributes and its counts of messages: waiting, in flight, delayed.
    pub(super) fn describe(
        &self,
        name: &str,
        now_ms: i64,
    ) -> Result<BTreeMap<String, String>, SqsError> {
        let connection = self.connection();
        let queue = queue(&connection, name)?;
        let counts = count(&connection, name, now_ms)?;

        let mut description = queue.attributes.all();
        let mut add = |name: &str, value: String| description.insert(name.to_owned(), value);
        add("QueueArn", crate::arn::queue(&queue.name));
        add("CreatedTimestamp", (queue.created_ms / 1000).to_string());
        add(
            "LastModifiedTimestamp",
            (queue.modified_ms / 1000).to_string(),
        );
        add("ApproximateNumberOfMessages", counts.visible.to_string());
        add(
            "ApproximateNumberOfMessagesNotVisible",
            counts.in_flight.to_string(),
        );
        add(
            "ApproximateNumberOfMessagesDelayed",
            counts.delayed.to_string(),
        );
        Ok(description)
    }

    /// Counts a queue's messages.
    pub(super) fn count(&self, name: &str, now_ms: i64) -> Result<MessageCounts, SqsError> {
        Ok(count(&self.connection(), name, now_ms)?)
    }

    /// Removes messages that are older than their queue keeps them.
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

/// A queue's row.
pub(super) fn queue(connection: &Connection, name: &str) -> Result<Queue, SqsError> {
    let row = connection
        .prepare_cached("SELECT attributes, created_ms, modified_ms FROM queues WHERE name = ?")?
        .query_row([name], |row| {
            Ok((row.get::<_, String>(0)?, row.get(1)?, row.get(2)?))
        })
        .optional()?;
    let (attributes, created_ms, modified_ms) = row.ok_or_else(SqsError::no_queue)?;
    let attributes =
        Attributes::from_column(&attributes).map_err(|error| SqsError::internal(&error))?;
    Ok(Queue {
        name: name.to_owned(),
        attributes,
        created_ms,
        modified_ms,
    })
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
    attributes: &Attributes,
    now_ms: i64,
) -> Result<(), SqsError> {
    connection.execute(
        "INSERT INTO queues (name, attributes, created_ms, modified_ms) VALUES (?1, ?2, ?3, ?3)
         ON CONFLICT (name) DO UPDATE SET attributes = ?2, modified_ms = ?3",
        params![name, attributes.to_column(), now_ms],
    )?;
    Ok(())
}
