//! `scripts/smoke` on the local stack.

use std::process::Output;

use serde_json::Value;
use tests::{is_thorough, text};
use tokio::process::Command;

use super::program::DataDir;
use crate::lambda::emulate::cargo_lambda;

/// A check that takes minutes.
const SLOW: &str = "purge-hops";
/// Checks that this stack cannot answer, or that take hours.
const NOT_RUN: [&str; 4] = [
    "redirect-cached",
    "presigned-hour",
    "alarm-topic",
    "worker-retry",
];

/// Runs the script, and returns its output and its report by check.
async fn smoke(data: &DataDir, options: &[&str]) -> (Output, Vec<(String, String)>) {
    let report = data.parent().join("report.json");
    let mut command = Command::new("../scripts/smoke");
    command.arg("--local").arg(data.path()).arg("--report");
    let output = command.arg(&report).args(options).output().await;
    let output = output.expect("a process");

    let report = std::fs::read(&report).expect("a report");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    let checks = report["checks"].as_array().expect("a list").iter();
    let results = checks.map(|check| (text(&check["check"]), text(&check["result"])));
    (output, results.collect())
}

/// Under cargo-lambda, because the stack has the limits of Lambda only there. Only in thorough
/// runs.
#[tokio::test]
async fn every_check_of_this_stack_passes_and_deletes_its_spaces() {
    if !is_thorough() {
        return;
    }
    let data = DataDir::new();
    let emulator = cargo_lambda();
    let program = emulator.program.to_str().expect("UTF-8");
    // On a busy machine, cargo-lambda hangs on some responses of 3 MiB.
    let limit = "RedirectAboveBytes=1048576";
    let arguments = ["--cargo-lambda", program, "--parameter", limit];
    let program = data.start(&arguments);

    let (output, results) = smoke(&data, &["--skip", SLOW]).await;

    let printed = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{printed}");
    for (check, result) in &results {
        let is_run = check != SLOW && !NOT_RUN.contains(&check.as_str());
        assert_eq!(result == "passed", is_run, "{check}: {result}");
        let is_listed = result.starts_with("not run here");
        assert_eq!(is_listed, !is_run, "{check}: {result}");
    }
    let ending = format!("; skipped with --skip: {SLOW}\n");
    assert!(printed.ends_with(&ending), "{printed}");
    let spaces = program.account.get_ok("/spaces").await;
    assert_eq!(spaces.as_array().map(Vec::len), Some(1), "{spaces}");
}

#[tokio::test]
async fn first_miss_ends_the_run() {
    let data = DataDir::new();
    let _program = data.start(&["--parameter", "RedirectAboveBytes=10"]);

    let (output, results) = smoke(&data, &["--skip", "canary"]).await;

    assert_eq!(output.status.code(), Some(1), "{results:?}");
    for (check, result) in [
        ("header-challenge", "passed"),
        ("head-delivery", "FAILED"),
        ("ranges", "not run: an earlier check has failed"),
        ("canary", "not run here: skipped with --skip"),
    ] {
        let expected = (check.to_owned(), result.to_owned());
        assert!(results.contains(&expected), "{expected:?}: {results:?}");
    }
}
