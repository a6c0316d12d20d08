//! Fair queues: while a tenant uses a disproportionate share of the consumers, messages of the
//! others are received first ("How Amazon SQS fair queues work" in the Amazon SQS developer guide).
//!
//! - A tenant is a message group. A message without a group is a tenant by itself.
//! - A tenant is a noisy neighbor while it has more than a tenth of the messages in flight, which
//!   are at least 30, or more than a tenth of the recent processing time. Of several, the one with
//!   the fewest messages in flight is received first.
//! - A tenant is quiet again after its visible messages have been received, or after five minutes
//!   without messages in flight.
//!
//! Assumptions: "recent" means those five minutes too, and processing lasts as long as a message is
//! in flight.
//!
//! The measures are in a temporary table, so a restart forgets them.

use rusqlite::{Connection, params};

use super::error::SqsError;

pub(super) const SCHEMA: &str = "
    PRAGMA temp_store = MEMORY;
    CREATE TEMP TABLE measured_receives (
        sequence INTEGER PRIMARY KEY,
        queue TEXT NOT NULL,
        tenant TEXT NOT NULL,
        counted_from_ms INTEGER NOT NULL,
        until_ms INTEGER NOT NULL
    );
";

/// Time after which a tenant without messages in flight is quiet, in milliseconds.
const WINDOW_MS: i64 = 5 * 60 * 1_000;
/// Minimum messages in flight of a tenant that is noisy by their number.
const MIN_IN_FLIGHT: i64 = 30;
/// A tenant is noisy above one part of this many.
const SHARE_DIVISOR: i64 = 10;

/// Returns the table expression `noisy` of the noisy neighbors in the queue `?1` at the time `?2`,
/// with the columns `tenant` and `in_flight`.
pub(super) fn noisy_neighbors() -> String {
    format!(
        "WITH usage AS (
             SELECT tenant, sum(until_ms > ?2) AS in_flight,
                    sum(max(0, min(until_ms, ?2) - max(counted_from_ms, ?2 - {WINDOW_MS}))) AS busy_ms
             FROM measured_receives WHERE queue = ?1 GROUP BY tenant
         ),
         noisy AS (
             SELECT tenant, in_flight FROM usage
             WHERE (in_flight >= {MIN_IN_FLIGHT}
                     AND in_flight * {SHARE_DIVISOR} > (SELECT sum(in_flight) FROM usage))
                 OR busy_ms * {SHARE_DIVISOR} > (SELECT sum(busy_ms) FROM usage)
         )"
    )
}

/// Records that a message is in flight.
pub(super) fn record_receive(
    connection: &Connection,
    sequence: i64,
    now_ms: i64,
) -> Result<(), SqsError> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO measured_receives
             SELECT sequence, queue, coalesce(group_id, id), ?2, visible_ms FROM messages WHERE sequence = ?1",
        )?
        .execute(params![sequence, now_ms])?;
    Ok(())
}

/// Records until when the message with a receipt is in flight.
pub(super) fn record_end(
    connection: &Connection,
    receipt: &str,
    until_ms: i64,
) -> Result<(), SqsError> {
    connection
        .prepare_cached(
            "UPDATE measured_receives SET until_ms = ?2
             WHERE sequence = (SELECT sequence FROM messages WHERE receipt = ?1)",
        )?
        .execute(params![receipt, until_ms])?;
    Ok(())
}

/// Forgets old receives, and the processing time of tenants without visible messages.
pub(super) fn forget_quiet(
    connection: &Connection,
    queue: &str,
    now_ms: i64,
) -> Result<(), SqsError> {
    connection
        .prepare_cached("DELETE FROM measured_receives WHERE until_ms <= ?")?
        .execute([now_ms - WINDOW_MS])?;
    connection
        .prepare_cached(
            "UPDATE measured_receives SET counted_from_ms = ?2 WHERE queue = ?1 AND tenant NOT IN (
                 SELECT coalesce(group_id, id) FROM messages WHERE queue = ?1 AND visible_ms <= ?2
             )",
        )?
        .execute(params![queue, now_ms])?;
    Ok(())
}
