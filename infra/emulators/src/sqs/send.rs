//! Sending, and what a receipt handle is good for afterwards: deleting, and changing the
//! visibility.

use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};

use super::{
    attributes::{DELAY, DELAY_SECONDS, MESSAGE_BYTES, VISIBILITY_SECONDS},
    error::SqsError,
    message::{self, MessageAttributes},
    store::Queue,
};
use crate::random;

/// When a call arrives, and from which principal.
#[derive(Clone, Debug)]
pub(super) struct Caller {
    pub(super) now_ms: i64,
    pub(super) principal: String,
}

/// A message to send.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct NewMessage {
    #[serde(default)]
    message_body: String,
    delay_seconds: Option<i64>,
    #[serde(default)]
    message_attributes: MessageAttributes,
}

/// A message that was sent.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct SentMessage {
    message_id: String,
    #[serde(rename = "MD5OfMessageBody")]
    body_digest: String,
    #[serde(
        rename = "MD5OfMessageAttributes",
        skip_serializing_if = "Option::is_none"
    )]
    attributes_digest: Option<String>,
}

/// A received message that is done with.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Deletion {
    receipt_handle: String,
}

/// A received message that shall stay hidden for another time than it was received for.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct VisibilityChange {
    receipt_handle: String,
    visibility_timeout: i64,
}

/// Answers that say nothing but that it was done.
#[derive(Debug, Serialize)]
pub(super) struct Nothing {}

/// What can be done to a queue's messages, alone or in batches.
pub(super) trait Act {
    type Done: Serialize;

    /// Bytes that it counts towards a batch's bound.
    fn bytes(&self) -> usize {
        0
    }

    /// Does it, within the caller's transaction.
    fn act(
        self,
        connection: &Connection,
        queue: &Queue,
        caller: &Caller,
    ) -> Result<Self::Done, SqsError>;
}

impl Act for NewMessage {
    type Done = SentMessage;

    fn bytes(&self) -> usize {
        // One that does not fit alone is refused alone.
        message::check(&self.message_body, &self.message_attributes, usize::MAX).unwrap_or_default()
    }

    fn act(
        self,
        connection: &Connection,
        queue: &Queue,
        caller: &Caller,
    ) -> Result<SentMessage, SqsError> {
        let max_bytes =
            usize::try_from(queue.attributes.number(&MESSAGE_BYTES)).unwrap_or_default();
        message::check(&self.message_body, &self.message_attributes, max_bytes)?;
        let delay_seconds = self
            .delay_seconds
            .unwrap_or_else(|| queue.attributes.number(&DELAY));
        if !DELAY_SECONDS.contains(&delay_seconds) {
            let reason = format!(
                "Value {delay_seconds} for parameter DelaySeconds is invalid. Reason: Must be between 0 and 900."
            );
            return Err(SqsError::invalid_value(reason));
        }
        let message_id = random::uuid();
        let attributes = serde_json::to_string(&self.message_attributes)
            .map_err(|error| SqsError::internal(&error))?;
        connection
            .prepare_cached(
                "INSERT INTO messages (queue, id, body, attributes, sent_ms, visible_ms, hops)
                 VALUES (?, ?, ?, ?, ?, ?, ?)",
            )?
            .execute(params![
                queue.name,
                message_id,
                self.message_body,
                attributes,
                caller.now_ms,
                caller.now_ms + delay_seconds * 1000,
                hops(connection, caller)?
            ])?;
        Ok(SentMessage {
            message_id,
            body_digest: message::body_digest(&self.message_body),
            attributes_digest: message::attributes_digest(&self.message_attributes),
        })
    }
}

/// Returns the length of the chain of messages that a message of this caller continues, itself
/// included: one more than the longest of those that the caller has received and neither deleted
/// nor lost sight of; 1 without any.
///
/// On AWS the caller's SDK passes the trace header on, so the chain is exactly that of the message
/// that it works on ("Use Lambda recursive loop detection to prevent infinite loops" in the Lambda
/// developer guide). Here it is the longest of the messages that the caller's concurrent
/// invocations work on.
fn hops(connection: &Connection, caller: &Caller) -> Result<i64, SqsError> {
    let longest: Option<i64> = connection
        .prepare_cached("SELECT max(hops) FROM messages WHERE receiver = ? AND visible_ms > ?")?
        .query_row(params![caller.principal, caller.now_ms], |row| row.get(0))?;
    Ok(longest.unwrap_or(0) + 1)
}

impl Act for Deletion {
    type Done = Nothing;

    /// An outdated receipt deletes nothing and is no error, as on AWS.
    fn act(
        self,
        connection: &Connection,
        queue: &Queue,
        _caller: &Caller,
    ) -> Result<Nothing, SqsError> {
        check_receipt(&self.receipt_handle)?;
        connection
            .prepare_cached("DELETE FROM messages WHERE receipt = ? AND queue = ?")?
            .execute(params![self.receipt_handle, queue.name])?;
        Ok(Nothing {})
    }
}

impl Act for VisibilityChange {
    type Done = Nothing;

    fn act(
        self,
        connection: &Connection,
        queue: &Queue,
        caller: &Caller,
    ) -> Result<Nothing, SqsError> {
        check_receipt(&self.receipt_handle)?;
        let now_ms = caller.now_ms;
        let seconds = self.visibility_timeout;
        if !VISIBILITY_SECONDS.contains(&seconds) {
            let reason = format!(
                "Value {seconds} for parameter VisibilityTimeout is invalid. Reason: Must be between 0 and 43200."
            );
            return Err(SqsError::invalid_value(reason));
        }
        let changed = connection
            .prepare_cached("UPDATE messages SET visible_ms = ? WHERE receipt = ? AND queue = ? AND visible_ms > ?")?
            .execute(params![now_ms + seconds * 1000, self.receipt_handle, queue.name, now_ms])?;
        if changed == 0 {
            Err(SqsError::not_in_flight())
        } else {
            Ok(Nothing {})
        }
    }
}

fn check_receipt(receipt: &str) -> Result<(), SqsError> {
    if random::is_uuid(receipt) {
        Ok(())
    } else {
        Err(SqsError::invalid_receipt())
    }
}
