//! Receiving: which messages are due, and what their receiver is shown.

use std::collections::BTreeMap;

use rusqlite::{Connection, Row, params};
use serde::{Deserialize, Serialize};

use super::{
    attributes::{VISIBILITY_SECONDS, VISIBILITY_TIMEOUT, WAIT, WAIT_SECONDS},
    error::SqsError,
    message::{self, MessageAttributes},
    redrive,
    send::Caller,
    store::{self, Queue, Store},
};
use crate::{anomaly::Anomaly, arn::ACCOUNT_ID, random};

/// Messages that one receive can ask for.
const MESSAGES_MAX: i64 = 10;

/// The system attribute that identifies the chain a message belongs to.
const TRACE_HEADER: &str = "AWSTraceHeader";
/// What the trace header begins with, before the length of that chain. On AWS it names each
/// function of the chain.
const LINEAGE: &str = "Lineage=";

/// What a receive asks for.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub(super) struct Receive {
    pub(super) max_number_of_messages: i64,
    pub(super) visibility_timeout: Option<i64>,
    pub(super) wait_time_seconds: Option<i64>,
    /// The older name of `message_system_attribute_names`.
    attribute_names: Vec<String>,
    message_system_attribute_names: Vec<String>,
    message_attribute_names: Vec<String>,
}

impl Default for Receive {
    fn default() -> Receive {
        Receive {
            max_number_of_messages: 1,
            visibility_timeout: None,
            wait_time_seconds: None,
            attribute_names: Vec::new(),
            message_system_attribute_names: Vec::new(),
            message_attribute_names: Vec::new(),
        }
    }
}

impl Receive {
    fn check(&self) -> Result<(), SqsError> {
        let bounded = [
            (
                "MaxNumberOfMessages",
                Some(self.max_number_of_messages),
                1..=MESSAGES_MAX,
            ),
            (
                "VisibilityTimeout",
                self.visibility_timeout,
                VISIBILITY_SECONDS,
            ),
            ("WaitTimeSeconds", self.wait_time_seconds, WAIT_SECONDS),
        ];
        for (name, value, bounds) in bounded {
            if let Some(value) = value.filter(|value| !bounds.contains(value)) {
                let (least, most) = (bounds.start(), bounds.end());
                let reason = format!(
                    "Value {value} for parameter {name} is invalid. Reason: Must be between {least} and {most}, if provided."
                );
                return Err(SqsError::invalid_value(reason));
            }
        }
        Ok(())
    }

    fn wants_system_attribute(&self, name: &str) -> bool {
        let mut wanted = self
            .message_system_attribute_names
            .iter()
            .chain(&self.attribute_names);
        wanted.any(|wanted| wanted == "All" || wanted == name)
    }

    fn wants_attribute(&self, name: &str) -> bool {
        self.message_attribute_names.iter().any(|wanted| {
            let prefix = wanted
                .strip_suffix(".*")
                .or_else(|| wanted.strip_suffix('*'));
            wanted == "All"
                || wanted == name
                || prefix.is_some_and(|prefix| name.starts_with(prefix))
        })
    }
}

/// What one look at a queue brought.
#[derive(Debug, Default)]
pub(super) struct Look {
    pub(super) messages: Vec<ReceivedMessage>,
    /// When the next message becomes visible, where there was none to take.
    pub(super) next_visible_ms: Option<i64>,
    /// The dead-letter queue, where messages went there.
    pub(super) dead_letter_queue: Option<String>,
}

/// A message as its receiver sees it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct ReceivedMessage {
    message_id: String,
    receipt_handle: String,
    body: String,
    #[serde(rename = "MD5OfBody")]
    body_digest: String,
    #[serde(
        rename = "MD5OfMessageAttributes",
        skip_serializing_if = "Option::is_none"
    )]
    attributes_digest: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    attributes: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    message_attributes: MessageAttributes,
}

impl Store {
    /// Checks a receive and says for how many seconds it may wait.
    pub(super) fn wait_seconds(&self, queue: &str, receive: &Receive) -> Result<i64, SqsError> {
        receive.check()?;
        let queue = store::queue(&self.connection(), queue)?;
        Ok(receive
            .wait_time_seconds
            .unwrap_or_else(|| queue.attributes.number(&WAIT)))
    }

    /// Takes what is visible now and hides it from others, unless by [`Anomaly::DuplicateDelivery`].
    pub(super) fn receive(
        &self,
        queue: &str,
        receive: &Receive,
        caller: &Caller,
        anomaly: Option<Anomaly>,
    ) -> Result<Look, SqsError> {
        let now_ms = caller.now_ms;
        let mut connection = self.connection();
        let transaction = connection.transaction()?;
        let queue = store::queue(&transaction, queue)?;
        let dead_letter_queue = redrive::bury(&transaction, &queue, now_ms)?;
        let mut look = Look {
            dead_letter_queue,
            ..Look::default()
        };
        for sequence in visible(
            &transaction,
            &queue,
            receive.max_number_of_messages,
            now_ms,
            anomaly,
        )? {
            look.messages
                .push(take(&transaction, &queue, sequence, receive, caller)?);
            if anomaly == Some(Anomaly::DuplicateDelivery) {
                forget_receive(&transaction, sequence, now_ms)?;
            }
        }
        if look.messages.is_empty() {
            look.next_visible_ms = transaction
                .prepare_cached("SELECT min(visible_ms) FROM messages WHERE queue = ?")?
                .query_row([&queue.name], |row| row.get(0))?;
        }
        transaction.commit()?;
        Ok(look)
    }
}

fn visible(
    connection: &Connection,
    queue: &Queue,
    most: i64,
    now_ms: i64,
    anomaly: Option<Anomaly>,
) -> Result<Vec<i64>, SqsError> {
    let order = if anomaly == Some(Anomaly::NewestFirst) {
        "visible_ms DESC, sequence DESC"
    } else {
        "visible_ms, sequence"
    };
    let mut sequences = connection.prepare_cached(&format!(
        "SELECT sequence FROM messages WHERE queue = ? AND visible_ms <= ? ORDER BY {order} LIMIT ?"
    ))?;
    let sequences = sequences.query_map(params![queue.name, now_ms, most], |row| row.get(0))?;
    Ok(sequences.collect::<rusqlite::Result<_>>()?)
}

/// Hides one message and shows it to its receiver.
fn take(
    connection: &Connection,
    queue: &Queue,
    sequence: i64,
    receive: &Receive,
    caller: &Caller,
) -> Result<ReceivedMessage, SqsError> {
    let hidden_seconds = receive
        .visibility_timeout
        .unwrap_or_else(|| queue.attributes.number(&VISIBILITY_TIMEOUT));
    let receipt = random::uuid();
    let mut taken = connection.prepare_cached(
        "UPDATE messages SET visible_ms = ?2, receives = receives + 1, receipt = ?3, receiver = ?5,
                first_received_ms = coalesce(first_received_ms, ?4)
         WHERE sequence = ?1
         RETURNING id, body, attributes, sent_ms, first_received_ms, receives, dead_letter_source, hops",
    )?;
    let visible_ms = caller.now_ms + hidden_seconds * 1000;
    let values = params![
        sequence,
        visible_ms,
        receipt,
        caller.now_ms,
        caller.principal
    ];
    let (mut message, attributes) = taken.query_row(values, |row| shown(row, receive))?;
    let mut attributes: MessageAttributes =
        serde_json::from_str(&attributes).map_err(|error| SqsError::internal(&error))?;
    attributes.retain(|name, _| receive.wants_attribute(name));
    message.attributes_digest = message::attributes_digest(&attributes);
    message.message_attributes = attributes;
    message.receipt_handle = receipt;
    Ok(message)
}

/// Shows a message that was just taken to others, who do not see that it was; its receipt stays
/// good until they take it.
fn forget_receive(connection: &Connection, sequence: i64, now_ms: i64) -> Result<(), SqsError> {
    connection
        .prepare_cached(
            "UPDATE messages SET visible_ms = ?2, receives = receives - 1 WHERE sequence = ?1",
        )?
        .execute(params![sequence, now_ms])?;
    Ok(())
}

/// A row as its receiver sees it, still without receipt and attributes; and the attributes' column.
fn shown(row: &Row<'_>, receive: &Receive) -> rusqlite::Result<(ReceivedMessage, String)> {
    let body: String = row.get(1)?;
    let mut attributes = BTreeMap::from([
        ("SenderId", ACCOUNT_ID.to_owned()),
        ("SentTimestamp", row.get::<_, i64>(3)?.to_string()),
        (
            "ApproximateFirstReceiveTimestamp",
            row.get::<_, i64>(4)?.to_string(),
        ),
        ("ApproximateReceiveCount", row.get::<_, i64>(5)?.to_string()),
        (TRACE_HEADER, format!("{LINEAGE}{}", row.get::<_, i64>(7)?)),
    ]);
    if let Some(source) = row.get(6)? {
        attributes.insert("DeadLetterQueueSourceArn", source);
    }
    attributes.retain(|name, _| receive.wants_system_attribute(name));
    let message = ReceivedMessage {
        message_id: row.get(0)?,
        receipt_handle: String::new(),
        body_digest: message::body_digest(&body),
        body,
        attributes_digest: None,
        attributes,
        message_attributes: MessageAttributes::new(),
    };
    Ok((message, row.get(2)?))
}
