//! To the dead-letter queue, and back from it.

use rusqlite::{Connection, params};

use super::{
    error::SqsError,
    store::{self, Queue, Store},
};
use crate::arn;

/// Moves visible messages that have used up their receives, and names the queue where they went.
///
/// Without a redrive policy, or while its queue does not exist, all stay where they are.
pub(super) fn bury(
    connection: &Connection,
    queue: &Queue,
    now_ms: i64,
) -> Result<Option<String>, SqsError> {
    let Some(redrive) = queue.attributes.redrive() else {
        return Ok(None);
    };
    if store::queue(connection, &redrive.dead_letter_queue).is_err() {
        return Ok(None);
    }
    let moved = connection
        .prepare_cached(
            "UPDATE messages SET queue = ?1, dead_letter_source = ?2, receipt = NULL, visible_ms = ?3
             WHERE queue = ?4 AND visible_ms <= ?3 AND receives >= ?5",
        )?
        .execute(params![
            redrive.dead_letter_queue,
            arn::queue(&queue.name),
            now_ms,
            queue.name,
            redrive.max_receives
        ])?;
    Ok((moved > 0).then_some(redrive.dead_letter_queue))
}

impl Store {
    /// Moves all visible messages of a dead-letter queue to `destination`, or each back to where it
    /// came from, and names the queues where they went. Both are ARNs.
    pub(super) fn redrive(
        &self,
        source: &str,
        destination: Option<&str>,
        now_ms: i64,
    ) -> Result<Vec<String>, SqsError> {
        let mut connection = self.connection();
        let transaction = connection.transaction()?;
        let source = store::queue(&transaction, name_of(source))?;
        if let Some(destination) = destination {
            store::queue(&transaction, name_of(destination))?;
        }
        let mut moved = transaction.prepare_cached(
            "UPDATE messages
             SET queue = coalesce(?1, (SELECT name FROM queues WHERE ?2 || name = dead_letter_source)),
                 dead_letter_source = NULL, receipt = NULL, receives = 0, visible_ms = ?3
             WHERE queue = ?4 AND visible_ms <= ?3
                 AND (?1 IS NOT NULL OR dead_letter_source IN (SELECT ?2 || name FROM queues))
             RETURNING queue",
        )?;
        let values = params![
            destination.map(name_of),
            arn::queue(""),
            now_ms,
            source.name
        ];
        let mut queues = moved
            .query_map(values, |row| row.get(0))?
            .collect::<rusqlite::Result<Vec<String>>>()?;
        drop(moved);
        transaction.commit()?;
        queues.sort_unstable();
        queues.dedup();
        Ok(queues)
    }
}

/// The queue that an ARN names.
fn name_of(arn: &str) -> &str {
    arn.rsplit(':').next().unwrap_or_default()
}
