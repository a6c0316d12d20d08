//! `list`: the depth of each dead-letter queue.

use std::io::Write;

use crate::{OperationError, queues::Stack};

/// Prints a table of the dead-letter queues. The numbers are approximate: SQS updates them within a
/// minute ("`GetQueueAttributes`" in the SQS API Reference).
pub(crate) async fn list(stack: &Stack, output: &mut impl Write) -> Result<(), OperationError> {
    let queues = stack.dead_letter_queues().await?;
    let width = queues
        .iter()
        .map(|queue| queue.name.len())
        .max()
        .unwrap_or_default();

    writeln!(
        output,
        "{:width$}  {:>8}  {:>9}  SOURCE",
        "QUEUE", "MESSAGES", "IN FLIGHT"
    )?;
    for queue in &queues {
        let sources: Vec<_> = queue
            .sources
            .iter()
            .map(|source| source.name.as_str())
            .collect();
        writeln!(
            output,
            "{:width$}  {:>8}  {:>9}  {}",
            queue.name,
            queue.messages,
            queue.in_flight,
            sources.join(", ")
        )?;
    }
    Ok(())
}
