//! Receives visible messages.

use std::{collections::BTreeMap, ops::RangeInclusive};

use rusqlite::{Connection, Row, params};
use sam_template::QueueSpec;
use serde::{Deserialize, Serialize};

use super::{
    error::SqsError,
    fairness, message,
    message_operation::{CallContext, VISIBILITY_SECONDS, check_bounds},
    queue_store::QueueStore,
};
use crate::{
    anomaly::Anomaly,
    arn::{self, ACCOUNT_ID},
    random,
};

/// Number of messages of one receive.
const MESSAGES: RangeInclusive<i64> = 1..=10;

/// Wait time of a receive, in seconds.
const WAIT_SECONDS: RangeInclusive<i64> = 0..=20;

/// System attribute with the trace of the message.
const TRACE_HEADER: &str = "AWSTraceHeader";
/// Prefix of the trace header, followed by the length of the chain of messages. On AWS, the names
/// of the functions of the chain follow.
const LINEAGE: &str = "Lineage=";

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub(super) struct ReceiveRequest {
    max_number_of_messages: Option<i64>,
    visibility_timeout: Option<i64>,
    wait_time_seconds: i64,
    /// Deprecated name of `message_system_attribute_names`.
    attribute_names: Vec<String>,
    message_system_attribute_names: Vec<String>,
}

impl ReceiveRequest {
    fn max_messages(&self) -> i64 {
        self.max_number_of_messages.unwrap_or(1)
    }

    fn hidden_seconds(&self, queue: &QueueSpec) -> i64 {
        self.visibility_timeout
            .unwrap_or(queue.visibility_timeout_seconds.into())
    }

    fn includes_system_attribute(&self, name: &str) -> bool {
        self.message_system_attribute_names
            .iter()
            .chain(&self.attribute_names)
            .any(|requested| requested == "All" || requested == name)
    }
}

/// The result of one receive, without waiting.
#[derive(Debug, Default)]
pub(super) struct ReceiveOutput {
    pub(super) messages: Vec<ReceivedMessage>,
    /// When the next message becomes visible, if none was received.
    pub(super) next_visible_ms: Option<i64>,
    /// The dead-letter queue, if messages moved there.
    pub(super) dead_letter_queue: Option<String>,
}

/// A message in the response.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct ReceivedMessage {
    message_id: String,
    receipt_handle: String,
    body: String,
    #[serde(rename = "MD5OfBody")]
    body_digest: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    attributes: BTreeMap<&'static str, String>,
}

impl QueueStore {
    /// Validates a receive and returns for how many seconds it waits at most.
    pub(super) fn wait_seconds(
        &self,
        queue_name: &str,
        request: &ReceiveRequest,
    ) -> Result<i64, SqsError> {
        let queue = self.queue(queue_name)?;
        let hidden_seconds = request.hidden_seconds(&queue);
        check_bounds("MaxNumberOfMessages", request.max_messages(), &MESSAGES)?;
        check_bounds("VisibilityTimeout", hidden_seconds, &VISIBILITY_SECONDS)?;
        check_bounds("WaitTimeSeconds", request.wait_time_seconds, &WAIT_SECONDS)?;
        Ok(request.wait_time_seconds)
    }

    /// Receives visible messages and hides them, unless [`Anomaly::DuplicateDelivery`] applies.
    pub(super) fn receive(
        &self,
        queue_name: &str,
        request: &ReceiveRequest,
        context: &CallContext,
        anomaly: Option<Anomaly>,
    ) -> Result<ReceiveOutput, SqsError> {
        let queue = self.queue(queue_name)?;
        let mut connection = self.connection();
        let transaction = connection.transaction()?;
        let receive = Receive {
            connection: &transaction,
            queue: &queue,
            request,
            context,
            anomaly,
        };
        let output = receive.run()?;
        transaction.commit()?;

        Ok(output)
    }
}

struct Receive<'a> {
    connection: &'a Connection,
    queue: &'a QueueSpec,
    request: &'a ReceiveRequest,
    context: &'a CallContext,
    anomaly: Option<Anomaly>,
}

impl Receive<'_> {
    fn run(&self) -> Result<ReceiveOutput, SqsError> {
        let now_ms = self.context.now_ms;
        let dead_letter_queue = self.move_to_dead_letter_queue()?;

        let mut messages = Vec::new();
        for sequence in self.visible_sequences()? {
            messages.push(self.take(sequence)?);
            if self.anomaly == Some(Anomaly::DuplicateDelivery) {
                self.make_visible(sequence)?;
            }
        }

        fairness::forget_quiet(self.connection, &self.queue.name, now_ms)?;

        let next_visible_ms = if messages.is_empty() {
            self.next_visible_ms()?
        } else {
            None
        };

        Ok(ReceiveOutput {
            messages,
            next_visible_ms,
            dead_letter_queue,
        })
    }

    /// Moves visible messages that reached the maximum receives to the dead-letter queue. Returns
    /// its name if any message moved.
    fn move_to_dead_letter_queue(&self) -> Result<Option<String>, SqsError> {
        let Some(redrive) = &self.queue.redrive else {
            return Ok(None);
        };

        let moved_rows = self
            .connection
            .prepare_cached(
                "UPDATE messages SET queue = ?1, dead_letter_source = ?2, receipt = NULL, visible_ms = ?3
                 WHERE queue = ?4 AND visible_ms <= ?3 AND receives >= ?5",
            )?
            .execute(params![
                redrive.dead_letter_queue,
                arn::queue(&self.queue.name),
                self.context.now_ms,
                self.queue.name,
                redrive.max_receive_count
            ])?;
        Ok((moved_rows > 0).then(|| redrive.dead_letter_queue.clone()))
    }

    /// Returns the messages to receive: those of quiet tenants first.
    fn visible_sequences(&self) -> Result<Vec<i64>, SqsError> {
        let order = if self.anomaly == Some(Anomaly::NewestFirst) {
            "visible_ms DESC, sequence DESC"
        } else {
            "visible_ms, sequence"
        };

        let sequences = self
            .connection
            .prepare_cached(&format!(
                "{noisy} SELECT sequence FROM messages LEFT JOIN noisy ON tenant = coalesce(group_id, id)
                 WHERE queue = ?1 AND visible_ms <= ?2 ORDER BY in_flight NULLS FIRST, {order} LIMIT ?3",
                noisy = fairness::noisy_neighbors()
            ))?
            .query_map(
                params![
                    self.queue.name,
                    self.context.now_ms,
                    self.request.max_messages()
                ],
                |row| row.get(0),
            )?
            .collect::<rusqlite::Result<_>>()?;

        Ok(sequences)
    }

    /// Hides one message and returns it.
    fn take(&self, sequence: i64) -> Result<ReceivedMessage, SqsError> {
        let now_ms = self.context.now_ms;
        let visible_ms = now_ms + self.request.hidden_seconds(self.queue) * 1000;
        let receipt = random::uuid();
        let taken = self
            .connection
            .prepare_cached(
                "UPDATE messages SET visible_ms = ?2, receives = receives + 1, receipt = ?3, receiver = ?5,
                        first_received_ms = coalesce(first_received_ms, ?4)
                 WHERE sequence = ?1
                 RETURNING id, body, group_id, sent_ms, first_received_ms, receives, dead_letter_source, hops",
            )?
            .query_row(
                params![sequence, visible_ms, receipt, now_ms, self.context.principal],
                TakenRow::read,
            )?;
        fairness::record_receive(self.connection, sequence, now_ms)?;

        Ok(self.message(taken, receipt))
    }

    /// Makes a received message visible again and uncounts the receive. Its receipt stays valid
    /// until the next receive.
    fn make_visible(&self, sequence: i64) -> Result<(), SqsError> {
        self.connection
            .prepare_cached(
                "UPDATE messages SET visible_ms = ?2, receives = receives - 1 WHERE sequence = ?1",
            )?
            .execute(params![sequence, self.context.now_ms])?;
        Ok(())
    }

    fn next_visible_ms(&self) -> Result<Option<i64>, SqsError> {
        let next_visible_ms = self
            .connection
            .prepare_cached("SELECT min(visible_ms) FROM messages WHERE queue = ?")?
            .query_row([&self.queue.name], |row| row.get(0))?;
        Ok(next_visible_ms)
    }

    /// Creates the response message, with the attributes that the request includes.
    fn message(&self, row: TakenRow, receipt_handle: String) -> ReceivedMessage {
        let mut attributes = row.system_attributes();
        attributes.retain(|name, _| self.request.includes_system_attribute(name));
        ReceivedMessage {
            message_id: row.id,
            receipt_handle,
            body_digest: message::body_digest(&row.body),
            body: row.body,
            attributes,
        }
    }
}

/// The row of a received message.
struct TakenRow {
    id: String,
    body: String,
    group_id: Option<String>,
    sent_ms: i64,
    first_received_ms: i64,
    receives: i64,
    dead_letter_source: Option<String>,
    hops: i64,
}

impl TakenRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<TakenRow> {
        Ok(TakenRow {
            id: row.get("id")?,
            body: row.get("body")?,
            group_id: row.get("group_id")?,
            sent_ms: row.get("sent_ms")?,
            first_received_ms: row.get("first_received_ms")?,
            receives: row.get("receives")?,
            dead_letter_source: row.get("dead_letter_source")?,
            hops: row.get("hops")?,
        })
    }

    fn system_attributes(&self) -> BTreeMap<&'static str, String> {
        let mut attributes = BTreeMap::from([
            ("SenderId", ACCOUNT_ID.to_owned()),
            ("SentTimestamp", self.sent_ms.to_string()),
            (
                "ApproximateFirstReceiveTimestamp",
                self.first_received_ms.to_string(),
            ),
            ("ApproximateReceiveCount", self.receives.to_string()),
            (TRACE_HEADER, format!("{LINEAGE}{}", self.hops)),
        ]);

        if let Some(group_id) = &self.group_id {
            attributes.insert("MessageGroupId", group_id.clone());
        }
        if let Some(source) = &self.dead_letter_source {
            attributes.insert("DeadLetterQueueSourceArn", source.clone());
        }

        attributes
    }
}
