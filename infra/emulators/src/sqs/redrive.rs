//! Moves messages to the dead-letter queue and back.

use rusqlite::{Connection, params};

use super::{
    error::SqsError,
    queue_store::{self, QueueRow, QueueStore},
};
use crate::arn;

/// Moves visible messages that reached the maximum receives to the dead-letter queue. Returns its
/// name if any message moved.
///
/// Moves nothing without a redrive policy, or while the dead-letter queue does not exist.
pub(super) fn move_to_dead_letter_queue(
    connection: &Connection,
    queue: &QueueRow,
    now_ms: i64,
) -> Result<Option<String>, SqsError> {
    let Some(policy) = queue.attributes.redrive_policy() else {
        return Ok(None);
    };

    if queue_store::queue(connection, &policy.dead_letter_queue).is_err() {
        return Ok(None);
    }

    let moved_rows = connection
        .prepare_cached(
            "UPDATE messages SET queue = ?1, dead_letter_source = ?2, receipt = NULL, visible_ms = ?3
             WHERE queue = ?4 AND visible_ms <= ?3 AND receives >= ?5",
        )?
        .execute(params![
            policy.dead_letter_queue,
            arn::queue(&queue.name),
            now_ms,
            queue.name,
            policy.max_receives
        ])?;
    Ok((moved_rows > 0).then_some(policy.dead_letter_queue))
}

impl QueueStore {
    /// Moves all visible messages of a dead-letter queue to the destination, by default each back
    /// to its source queue. Returns the names of the queues that received messages.
    pub(super) fn redrive(
        &self,
        source_arn: &str,
        destination_arn: Option<&str>,
        now_ms: i64,
    ) -> Result<Vec<String>, SqsError> {
        let mut connection = self.connection();
        let transaction = connection.transaction()?;
        let source = queue_store::queue(&transaction, queue_name(source_arn))?;
        let destination = destination_arn.map(queue_name);
        if let Some(destination) = destination {
            // Fails if it does not exist.
            queue_store::queue(&transaction, destination)?;
        }

        let mut update = transaction.prepare_cached(
            "UPDATE messages
             SET queue = coalesce(?1, (SELECT name FROM queues WHERE ?2 || name = dead_letter_source)),
                 dead_letter_source = NULL, receipt = NULL, receives = 0, visible_ms = ?3
             WHERE queue = ?4 AND visible_ms <= ?3
                 AND (?1 IS NOT NULL OR dead_letter_source IN (SELECT ?2 || name FROM queues))
             RETURNING queue",
        )?;
        let arn_prefix = arn::queue("");
        let parameters = params![destination, arn_prefix, now_ms, source.name];
        let mut queues = update
            .query_map(parameters, |row| row.get(0))?
            .collect::<rusqlite::Result<Vec<String>>>()?;
        drop(update);
        transaction.commit()?;

        queues.sort_unstable();
        queues.dedup();
        Ok(queues)
    }
}

/// Returns the name in the ARN of a queue.
fn queue_name(arn: &str) -> &str {
    arn.rsplit(':').next().unwrap_or_default()
}
