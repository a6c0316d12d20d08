//! The tool for dead letters, on the local stack.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::{Path, PathBuf},
};

use operations::OperationError;
use serde_json::json;

use super::triggers::{Echo, count};

/// Runs the tool on the stack with a data directory, and returns its output.
async fn run_tool(data_dir: &Path, command: &[&str]) -> Result<String, OperationError> {
    let words = command.iter().map(OsString::from);
    let target = [OsString::from("--local"), data_dir.into()];
    let mut output = Vec::new();

    operations::dead_letters(words.chain(target), &BTreeMap::new(), &mut output).await?;
    Ok(String::from_utf8(output).expect("text"))
}

/// Returns the data directory of the stack.
fn data_dir(echo: &Echo) -> PathBuf {
    echo.stack.data_dir()
}

/// Runs the tool, and returns its output.
async fn dead_letters(echo: &Echo, command: &[&str]) -> String {
    let output = run_tool(&data_dir(echo), command).await;
    output.unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the numbers of messages and of messages in flight that the tool lists.
async fn listed(echo: &Echo) -> String {
    let list = dead_letters(echo, &["list"]).await;
    let row = list
        .lines()
        .find(|line| line.starts_with("larder-Dead "))
        .unwrap_or_else(|| panic!("{list}"));
    row.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn dead_letter_is_listed_read_and_redriven() {
    let echo = Echo::start(None).await;
    let job = json!({"name": "poison", "failures": 3, "cause": "a defect"}).to_string();
    assert_eq!(listed(&echo).await, "larder-Dead 0 0 larder-Jobs");
    echo.send(&job).await;
    echo.wait_for_marks("poison", 3).await;
    echo.wait_for_dead_letters(1).await;

    assert_eq!(listed(&echo).await, "larder-Dead 1 0 larder-Jobs");
    for queue in ["Dead", "larder-Dead"] {
        let read = dead_letters(&echo, &["read", queue]).await;
        assert!(read.contains(&format!("body      {job}\n")), "{read}");
        assert!(read.contains("cause     a defect\n"), "{read}");
        assert!(read.contains("1 of about 1 messages"), "{read}");
    }
    assert_eq!(listed(&echo).await, "larder-Dead 1 0 larder-Jobs");

    let redriven = dead_letters(&echo, &["redrive", "Dead"]).await;
    assert_eq!(redriven, "1 of about 1 messages sent back to larder-Jobs\n");
    echo.wait_for_marks("poison", 4).await;
    assert_eq!(listed(&echo).await, "larder-Dead 0 0 larder-Jobs");
    assert_eq!(count(echo.marks.path(), "poison"), 4);
    echo.stack.stop().await;
}

#[tokio::test]
async fn read_hides_urls_of_jobs() {
    let echo = Echo::start(None).await;
    let url = "https://example.com/?secret";
    let job = |url: &str, listed: &str| {
        json!({
            "name": "poison", "failures": 3, "webhook_url": url,
            "rules": [{"url": url, "urls": listed}],
        })
    };
    echo.send(&job(url, "kept").to_string()).await;
    echo.wait_for_dead_letters(1).await;

    let read = dead_letters(&echo, &["read", "Dead"]).await;

    let redacted = job("[redacted]", "kept");
    assert!(read.contains(&format!("body      {redacted}\n")), "{read}");
    echo.stack.stop().await;
}

#[tokio::test]
async fn redriven_message_keeps_its_message_group() {
    let echo = Echo::start(None).await;
    let job = json!({"name": "poison", "failures": 99}).to_string();
    echo.send_in_group(&job, Some("acme")).await;
    echo.wait_for_dead_letters(1).await;

    dead_letters(&echo, &["redrive", "Dead"]).await;
    echo.wait_for_marks("poison", 6).await;
    echo.wait_for_dead_letters(1).await;

    let read = dead_letters(&echo, &["read", "Dead"]).await;
    assert!(read.contains("group     acme\n"), "{read}");
    echo.stack.stop().await;
}

#[tokio::test]
async fn dead_letter_that_cannot_be_sent_back_is_not_deleted() {
    let echo = Echo::start(None).await;
    echo.send("not a job").await;
    echo.wait_for_dead_letters(1).await;
    let error = emulators::InjectedError::new(400, "InvalidMessageContents");
    let faults = echo.stack.local.faults();
    faults.fail(emulators::Service::Sqs, "SendMessage", 1, error);

    let result = run_tool(&data_dir(&echo), &["redrive", "Dead"]).await;

    let message = result.expect_err("the message is not sent").to_string();
    assert_eq!(
        message,
        "0 messages were sent back, then SendMessage failed: InvalidMessageContents: This error was injected."
    );
    assert_eq!(listed(&echo).await, "larder-Dead 0 1 larder-Jobs");
    echo.stack.stop().await;
}

#[tokio::test]
async fn stopped_stack_is_a_readable_error() {
    let echo = Echo::start(None).await;
    let copy = tempfile::TempDir::new().expect("a directory");
    let file = "local.json";
    std::fs::copy(data_dir(&echo).join(file), copy.path().join(file)).expect("a copy");
    echo.stack.stop().await;

    let result = run_tool(copy.path(), &["list"]).await;

    let message = result.expect_err("nothing listens").to_string();
    assert!(message.starts_with("ListQueues failed: "), "{message}");
    assert!(message.contains("Connection refused"), "{message}");
    assert!(!message.contains("DispatchFailure"), "{message}");
}
