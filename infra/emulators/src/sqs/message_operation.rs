//! Operations on messages that exist alone and as batches: sending, deleting, and changing the
//! visibility.

use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

use super::{
    error::SqsError,
    fairness,
    message::{self, MessageAttributes},
    queue_attributes::{DELAY, DELAY_SECONDS, MESSAGE_BYTES, VISIBILITY_SECONDS},
    queue_store::QueueRow,
};
use crate::random;

/// The time and the caller of an operation.
#[derive(Clone, Debug)]
pub(super) struct CallContext {
    pub(super) now_ms: i64,
    /// Name of the calling principal.
    pub(super) principal: String,
}

/// An operation on the messages of a queue.
pub(super) trait MessageOperation {
    type Output: Serialize;

    /// Returns the size that counts towards the limit of a batch, in bytes.
    fn size_bytes(&self) -> usize {
        0
    }

    /// Applies the operation within the transaction of `connection`.
    fn apply(
        self,
        connection: &Connection,
        queue: &QueueRow,
        context: &CallContext,
    ) -> Result<Self::Output, SqsError>;
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct SendMessage {
    #[serde(default)]
    message_body: String,
    delay_seconds: Option<i64>,
    #[serde(default)]
    message_attributes: MessageAttributes,
    message_group_id: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct SendMessageOutput {
    message_id: String,
    #[serde(rename = "MD5OfMessageBody")]
    body_digest: String,
    #[serde(
        rename = "MD5OfMessageAttributes",
        skip_serializing_if = "Option::is_none"
    )]
    attributes_digest: Option<String>,
}

impl SendMessage {
    fn delay_seconds(&self, queue: &QueueRow) -> Result<i64, SqsError> {
        let seconds = self
            .delay_seconds
            .unwrap_or_else(|| queue.attributes.number(&DELAY));
        if DELAY_SECONDS.contains(&seconds) {
            return Ok(seconds);
        }
        let reason = format!(
            "Value {seconds} for parameter DelaySeconds is invalid. Reason: Must be between 0 and 900."
        );
        Err(SqsError::invalid_value(reason))
    }
}

impl MessageOperation for SendMessage {
    type Output = SendMessageOutput;

    fn size_bytes(&self) -> usize {
        // An invalid message fails its own entry, not the batch.
        message::check(&self.message_body, &self.message_attributes, usize::MAX).unwrap_or_default()
    }

    fn apply(
        self,
        connection: &Connection,
        queue: &QueueRow,
        context: &CallContext,
    ) -> Result<SendMessageOutput, SqsError> {
        let max_bytes =
            usize::try_from(queue.attributes.number(&MESSAGE_BYTES)).unwrap_or_default();
        message::check(&self.message_body, &self.message_attributes, max_bytes)?;
        if let Some(group_id) = &self.message_group_id {
            message::check_group_id(group_id)?;
        }
        let visible_ms = context.now_ms + self.delay_seconds(queue)? * 1000;

        let message_id = random::uuid();
        let attributes = serde_json::to_string(&self.message_attributes)
            .map_err(|error| SqsError::internal(&error))?;
        connection
            .prepare_cached(
                "INSERT INTO messages (queue, id, body, attributes, group_id, sent_ms, visible_ms, hops)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            )?
            .execute(params![
                queue.name,
                message_id,
                self.message_body,
                attributes,
                self.message_group_id,
                context.now_ms,
                visible_ms,
                hops(connection, context)?
            ])?;
        Ok(SendMessageOutput {
            message_id,
            body_digest: message::body_digest(&self.message_body),
            attributes_digest: message::attributes_digest(&self.message_attributes),
        })
    }
}

/// Returns the length of the chain of messages that a sent message extends, including itself.
///
/// AWS passes the chain in the trace header of the message that the caller processes ("Use Lambda
/// recursive loop detection to prevent infinite loops" in the Lambda developer guide). Here it is
/// the longest chain among the in-flight messages of the caller.
fn hops(connection: &Connection, context: &CallContext) -> Result<i64, SqsError> {
    let longest: Option<i64> = connection
        .prepare_cached("SELECT max(hops) FROM messages WHERE receiver = ? AND visible_ms > ?")?
        .query_row(params![context.principal, context.now_ms], |row| row.get(0))?;
    Ok(longest.unwrap_or(0) + 1)
}

/// Deletes a received message.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct DeleteMessage {
    receipt_handle: String,
}

/// An output without members.
#[derive(Debug, Serialize)]
pub(super) struct EmptyOutput {}

impl MessageOperation for DeleteMessage {
    type Output = EmptyOutput;

    /// An outdated receipt handle deletes nothing and is no error, as on AWS.
    fn apply(
        self,
        connection: &Connection,
        queue: &QueueRow,
        context: &CallContext,
    ) -> Result<EmptyOutput, SqsError> {
        check_receipt(&self.receipt_handle)?;
        fairness::record_end(connection, &self.receipt_handle, context.now_ms)?;
        connection
            .prepare_cached("DELETE FROM messages WHERE receipt = ? AND queue = ?")?
            .execute(params![self.receipt_handle, queue.name])?;
        Ok(EmptyOutput {})
    }
}

/// Changes the visibility timeout of a received message.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct ChangeVisibility {
    receipt_handle: String,
    visibility_timeout: i64,
}

impl MessageOperation for ChangeVisibility {
    type Output = EmptyOutput;

    fn apply(
        self,
        connection: &Connection,
        queue: &QueueRow,
        context: &CallContext,
    ) -> Result<EmptyOutput, SqsError> {
        check_receipt(&self.receipt_handle)?;
        let seconds = self.visibility_timeout;
        if !VISIBILITY_SECONDS.contains(&seconds) {
            let reason = format!(
                "Value {seconds} for parameter VisibilityTimeout is invalid. Reason: Must be between 0 and 43200."
            );
            return Err(SqsError::invalid_value(reason));
        }

        self.check_in_flight(connection, queue, context)?;
        let visible_ms = context.now_ms + seconds * 1000;
        connection
            .prepare_cached(
                "UPDATE messages SET visible_ms = ?, receiver = NULL WHERE receipt = ? AND queue = ?",
            )?
            .execute(params![visible_ms, self.receipt_handle, queue.name])?;
        fairness::record_end(connection, &self.receipt_handle, visible_ms)?;
        Ok(EmptyOutput {})
    }
}

impl ChangeVisibility {
    /// Fails if the message was deleted or received again, or is visible.
    ///
    /// The API reference names `MessageNotInflight` and `ReceiptHandleIsInvalid`. SQS responds with
    /// `InvalidParameterValue` for a deleted message (issue 1927 of `aws/aws-sdk-net`); that it does so for a
    /// message that was received again is assumed. For a visible message, SQS was seen to succeed without
    /// effect (pull request 9632 of `localstack/localstack`); the emulator fails, as documented, which the
    /// functions handle too.
    fn check_in_flight(
        &self,
        connection: &Connection,
        queue: &QueueRow,
        context: &CallContext,
    ) -> Result<(), SqsError> {
        let visible_ms: Option<i64> = connection
            .prepare_cached("SELECT visible_ms FROM messages WHERE receipt = ? AND queue = ?")?
            .query_row(params![self.receipt_handle, queue.name], |row| row.get(0))
            .optional()?;

        match visible_ms {
            Some(visible_ms) if visible_ms > context.now_ms => Ok(()),
            Some(_) => Err(SqsError::not_in_flight()),
            None => Err(SqsError::outdated_receipt(&self.receipt_handle)),
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
