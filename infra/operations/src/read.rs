//! `read`: the messages of a dead-letter queue.

use std::{collections::BTreeSet, io::Write};

use aws_sdk_sqs::types::{Message, MessageSystemAttributeName};
use domain::Timestamp;
use serde_json::Value;

use crate::{
    OperationError,
    queues::{DeadLetterQueue, Stack},
};

/// Maximum number of messages of one receive.
const BATCH: i32 = 10;
/// Duration of a long poll, in seconds. It asks all servers of SQS, which a short poll does not
/// ("Amazon SQS short and long polling" in the SQS Developer Guide).
const WAIT_SECONDS: i32 = 1;
/// Maximum number of successive receives without a new message.
const REPEATS_MAX: usize = 20;

/// Replaces the value of a URL.
const REDACTED: &str = "[redacted]";

/// Prints the messages of a queue, without the URLs of jobs, which may contain secrets. They stay visible, so a
/// receive may return the same ones again, and a queue with many messages may not be printed completely; the last
/// line shows how many were.
pub(crate) async fn read(
    stack: &Stack,
    queue: &str,
    output: &mut impl Write,
) -> Result<(), OperationError> {
    let queue = stack.dead_letter_queue(queue).await?;
    let mut printed = BTreeSet::new();
    let mut repeats = 0;

    while printed.len() < queue.messages && repeats < REPEATS_MAX {
        repeats += 1;
        for message in receive(stack, &queue).await? {
            let id = message.message_id().unwrap_or_default().to_owned();
            if printed.insert(id) {
                repeats = 0;
                print(&message, output)?;
            }
        }
    }

    writeln!(
        output,
        "{} of about {} messages in {}",
        printed.len(),
        queue.messages,
        queue.name
    )?;
    Ok(())
}

async fn receive(stack: &Stack, queue: &DeadLetterQueue) -> Result<Vec<Message>, OperationError> {
    let received = stack
        .client
        .receive_message()
        .queue_url(&queue.url)
        .max_number_of_messages(BATCH)
        .visibility_timeout(0)
        .wait_time_seconds(WAIT_SECONDS)
        .message_system_attribute_names(MessageSystemAttributeName::All)
        .send()
        .await
        .map_err(OperationError::sqs("ReceiveMessage"))?;
    Ok(received.messages.unwrap_or_default())
}

fn print(message: &Message, output: &mut impl Write) -> Result<(), OperationError> {
    let attribute = |name| {
        let attributes = message.attributes.as_ref()?;
        attributes.get(&name).map(String::as_str)
    };
    let sent = attribute(MessageSystemAttributeName::SentTimestamp)
        .and_then(|milliseconds| milliseconds.parse().ok())
        .map(|milliseconds| Timestamp::from_ms(milliseconds).rfc3339());
    let receives = attribute(MessageSystemAttributeName::ApproximateReceiveCount);
    let body = message.body().unwrap_or_default();

    writeln!(
        output,
        "id        {}",
        message.message_id().unwrap_or_default()
    )?;
    writeln!(output, "sent      {}", sent.as_deref().unwrap_or("unknown"))?;
    writeln!(output, "receives  {}", receives.unwrap_or("unknown"))?;
    if let Some(group) = attribute(MessageSystemAttributeName::MessageGroupId) {
        writeln!(output, "group     {}", printable(group))?;
    }
    let job: Option<Value> = serde_json::from_str(body).ok();
    if let Some(cause) = job.as_ref().and_then(find_cause) {
        writeln!(output, "cause     {}", printable(&cause))?;
    }
    let body = job.map_or_else(|| body.to_owned(), |job| redacted(job).to_string());
    writeln!(output, "body      {}\n", printable(&body))?;
    Ok(())
}

/// Replaces the values of all fields `url` and `…_url`.
fn redacted(value: Value) -> Value {
    match value {
        Value::Array(values) => values.into_iter().map(redacted).collect(),
        Value::Object(fields) => {
            let redact = |(name, value): (String, Value)| {
                let is_url = name == "url" || name.ends_with("_url");
                let value = if is_url {
                    REDACTED.into()
                } else {
                    redacted(value)
                };
                (name, value)
            };
            fields.into_iter().map(redact).collect()
        }
        value => value,
    }
}

/// Returns the text of the first field `cause`.
fn find_cause(value: &Value) -> Option<String> {
    let fields = value.as_object()?;
    let own = fields.get("cause").and_then(Value::as_str);
    own.map(str::to_owned)
        .or_else(|| fields.values().find_map(find_cause))
}

/// Replaces control characters, which could change the terminal.
fn printable(text: &str) -> String {
    let is_kept = |character: char| !character.is_control() || character == '\t';
    text.chars()
        .map(|character| {
            if is_kept(character) {
                character
            } else {
                char::REPLACEMENT_CHARACTER
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cause_is_found_in_any_object() {
        for (body, expected) in [
            (r#"{"cause": "a"}"#, Some("a")),
            (r#"{"Redeliver": {"cause": "b"}}"#, Some("b")),
            (r#"{"cause": null}"#, None),
            (r#"["cause"]"#, None),
        ] {
            let body = serde_json::from_str(body).expect("JSON");
            assert_eq!(find_cause(&body).as_deref(), expected, "{body}");
        }
    }

    #[test]
    fn control_characters_are_replaced() {
        assert_eq!(printable("a\tb\n\u{9b}2J"), "a\tb\u{fffd}\u{fffd}2J");
    }
}
