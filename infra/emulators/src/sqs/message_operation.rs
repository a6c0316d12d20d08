//! Operations on messages: sending, deleting, and changing the visibility.

use std::ops::RangeInclusive;

use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{error::SqsError, fairness, message};
use crate::random;

/// Delivery delay, in seconds.
const DELAY_SECONDS: RangeInclusive<i64> = 0..=900;

/// Visibility timeout, in seconds.
pub(super) const VISIBILITY_SECONDS: RangeInclusive<i64> = 0..=43_200;

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

    /// Applies the operation to the queue of a call.
    fn apply(self, call: &QueueCall<'_>) -> Result<Self::Output, SqsError>;
}

/// A call that concerns a queue, within a transaction of the connection.
pub(super) struct QueueCall<'a> {
    pub(super) connection: &'a Connection,
    /// Name of the queue.
    pub(super) queue: &'a str,
    pub(super) context: &'a CallContext,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct SendMessage {
    #[serde(default)]
    message_body: String,
    #[serde(default)]
    delay_seconds: i64,
    /// Not emulated.
    #[serde(default)]
    message_attributes: Map<String, Value>,
    message_group_id: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct SendMessageOutput {
    message_id: String,
    #[serde(rename = "MD5OfMessageBody")]
    body_digest: String,
}

impl SendMessage {
    fn check(&self) -> Result<(), SqsError> {
        message::check_body(&self.message_body)?;
        check_bounds("DelaySeconds", self.delay_seconds, &DELAY_SECONDS)?;
        if let Some(group_id) = &self.message_group_id {
            message::check_group_id(group_id)?;
        }
        if !self.message_attributes.is_empty() {
            let reason = "Message attributes are not emulated.".to_owned();
            return Err(SqsError::InvalidParameterValue(reason));
        }
        Ok(())
    }
}

impl MessageOperation for SendMessage {
    type Output = SendMessageOutput;

    fn size_bytes(&self) -> usize {
        self.message_body.len()
    }

    fn apply(self, call: &QueueCall<'_>) -> Result<SendMessageOutput, SqsError> {
        self.check()?;

        let message_id = random::uuid();
        let now_ms = call.context.now_ms;
        call.connection
            .prepare_cached(
                "INSERT INTO messages (queue, id, body, group_id, sent_ms, visible_ms, hops)
                 VALUES (?, ?, ?, ?, ?, ?, ?)",
            )?
            .execute(params![
                call.queue,
                message_id,
                self.message_body,
                self.message_group_id,
                now_ms,
                now_ms + self.delay_seconds * 1000,
                hops(call)?
            ])?;
        Ok(SendMessageOutput {
            message_id,
            body_digest: message::body_digest(&self.message_body),
        })
    }
}

/// Returns the length of the chain of messages that a sent message extends, including itself.
///
/// AWS passes the chain in the trace header of the message that the caller processes ("Use Lambda
/// recursive loop detection to prevent infinite loops" in the Lambda developer guide). Here it is
/// the longest chain among the in-flight messages of the caller.
fn hops(call: &QueueCall<'_>) -> Result<i64, SqsError> {
    let CallContext { now_ms, principal } = call.context;
    let longest: Option<i64> = call
        .connection
        .prepare_cached("SELECT max(hops) FROM messages WHERE receiver = ? AND visible_ms > ?")?
        .query_row(params![principal, now_ms], |row| row.get(0))?;
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
    fn apply(self, call: &QueueCall<'_>) -> Result<EmptyOutput, SqsError> {
        check_receipt(&self.receipt_handle)?;
        fairness::record_end(call.connection, &self.receipt_handle, call.context.now_ms)?;
        call.connection
            .prepare_cached("DELETE FROM messages WHERE receipt = ? AND queue = ?")?
            .execute([&self.receipt_handle, call.queue])?;
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

    fn apply(self, call: &QueueCall<'_>) -> Result<EmptyOutput, SqsError> {
        check_receipt(&self.receipt_handle)?;
        let seconds = self.visibility_timeout;
        check_bounds("VisibilityTimeout", seconds, &VISIBILITY_SECONDS)?;
        self.check_in_flight(call)?;

        let visible_ms = call.context.now_ms + seconds * 1000;
        call.connection
            .prepare_cached(
                "UPDATE messages SET visible_ms = ?, receiver = NULL WHERE receipt = ? AND queue = ?",
            )?
            .execute(params![visible_ms, self.receipt_handle, call.queue])?;
        fairness::record_end(call.connection, &self.receipt_handle, visible_ms)?;
        Ok(EmptyOutput {})
    }
}

impl ChangeVisibility {
    /// Fails if the message was deleted or received again, or is visible.
    ///
    /// The API reference names `MessageNotInflight` and `ReceiptHandleIsInvalid`. SQS responds with
    /// `InvalidParameterValue` for a deleted message (issue 1927 of `aws/aws-sdk-net`); that it
    /// does so for a message that was received again is assumed. For a visible message, SQS was
    /// seen to succeed without effect (pull request 9632 of `localstack/localstack`); the emulator
    /// fails, as documented, which the functions handle too.
    fn check_in_flight(&self, call: &QueueCall<'_>) -> Result<(), SqsError> {
        let receipt = &self.receipt_handle;
        let visible_ms: Option<i64> = call
            .connection
            .prepare_cached("SELECT visible_ms FROM messages WHERE receipt = ? AND queue = ?")?
            .query_row([receipt, call.queue], |row| row.get(0))
            .optional()?;

        match visible_ms {
            Some(visible_ms) if visible_ms > call.context.now_ms => Ok(()),
            Some(_) => Err(SqsError::NotInFlight),
            None => Err(SqsError::InvalidParameterValue(format!(
                "Value {receipt} for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not \
                 available for visibility timeout change."
            ))),
        }
    }
}

fn check_receipt(receipt: &str) -> Result<(), SqsError> {
    if random::is_uuid(receipt) {
        Ok(())
    } else {
        Err(SqsError::InvalidReceipt)
    }
}

/// Fails if a parameter is out of bounds.
pub(super) fn check_bounds(
    name: &str,
    value: i64,
    bounds: &RangeInclusive<i64>,
) -> Result<(), SqsError> {
    if bounds.contains(&value) {
        return Ok(());
    }

    let (min, max) = (bounds.start(), bounds.end());
    let reason = format!(
        "Value {value} for parameter {name} is invalid. Reason: Must be between {min} and {max}, if provided."
    );
    Err(SqsError::InvalidParameterValue(reason))
}
