//! The last lines of a process' standard error.

use std::{
    collections::VecDeque,
    process::ExitStatus,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::ChildStderr,
    task::JoinSet,
};

/// Maximum time to wait for the last lines after a process has ended.
const TAIL_DEADLINE: Duration = Duration::from_millis(200);
/// Maximum number of stored lines.
const TAIL_LINES: usize = 20;

/// Collects the last lines of standard error, for error messages.
pub(super) struct StderrTail {
    lines: Arc<Mutex<VecDeque<String>>>,
    reader: JoinSet<()>,
}

impl StderrTail {
    pub(super) fn new(stderr: Option<ChildStderr>) -> StderrTail {
        let lines = Arc::new(Mutex::new(VecDeque::new()));
        let mut reader = JoinSet::new();
        if let Some(stderr) = stderr {
            reader.spawn(collect(stderr, Arc::clone(&lines)));
        }
        StderrTail { lines, reader }
    }

    /// Returns the lines read so far.
    pub(super) fn so_far(&self) -> String {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// Describes how the process ended, with its last lines.
    pub(super) async fn at_exit(mut self, ended: std::io::Result<ExitStatus>) -> String {
        // A child of the process may keep its standard error open.
        let _ = tokio::time::timeout(TAIL_DEADLINE, self.reader.join_next()).await;

        let status = ended.map_or_else(|error| error.to_string(), |status| status.to_string());
        format!("it ended with {status}: {}", self.so_far())
    }
}

async fn collect(stderr: ChildStderr, tail: Arc<Mutex<VecDeque<String>>>) {
    let mut lines = BufReader::new(stderr).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let mut last = tail.lock().unwrap_or_else(PoisonError::into_inner);
        if last.len() == TAIL_LINES {
            last.pop_front();
        }
        last.push_back(line);
    }
}
