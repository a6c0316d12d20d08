//! `scripts/smoke` on the local stack.

use std::{path::Path, process::Output};

use serde_json::Value;
use tempfile::TempDir;
use tokio::process::Command;

use super::program::{Program, client};
use crate::lambda::emulate::cargo_lambda;

/// A check that takes minutes.
const SLOW: &str = "purge-hops";
/// Checks that this stack cannot answer, or that take hours.
const NOT_RUN: [&str; 5] = [
    "redirect-cached",
    "presigned-hour",
    "metrics",
    "alarm-topic",
    "worker-retry",
];

/// Runs the script, and returns its output and its report by check.
async fn smoke(data_dir: &Path, options: &[&str]) -> (Output, Vec<(String, String)>) {
    let report = data_dir.with_extension("json");
    let mut command = Command::new("../scripts/smoke");
    command.arg("--local").arg(data_dir).arg("--report");
    let output = command.arg(&report).args(options).output().await;
    let output = output.expect("a process");

    let text = std::fs::read(&report).expect("a report");
    let report: Value = serde_json::from_slice(&text).expect("JSON");
    let checks = report["checks"].as_array().expect("a list");
    let text = |check: &Value, name: &str| check[name].as_str().expect("text").to_owned();
    let results = checks
        .iter()
        .map(|check| (text(check, "check"), text(check, "result")))
        .collect();
    (output, results)
}

/// Under cargo-lambda, because the stack has the limits of Lambda only there.
#[tokio::test]
async fn every_check_of_this_stack_passes_and_deletes_its_spaces() {
    let directory = TempDir::new().expect("a temporary directory");
    let data_dir = directory.path().join("data");
    let emulator = cargo_lambda();
    let program = emulator.program.to_str().expect("UTF-8");
    // On a busy machine, cargo-lambda hangs on some responses of 3 MiB.
    let limit = "RedirectAboveBytes=1048576";
    let arguments = ["--cargo-lambda", program, "--parameter", limit];
    let mut stack = Program::start(&data_dir, &arguments);
    let local = stack.ready().local;

    let (output, results) = smoke(&data_dir, &["--skip", SLOW]).await;

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
    let spaces = client(&local).get_ok("/spaces").await;
    assert_eq!(spaces.as_array().map(Vec::len), Some(1), "{spaces}");
}

#[tokio::test]
async fn first_miss_ends_the_run() {
    let directory = TempDir::new().expect("a temporary directory");
    let parameters = ["--parameter", "RedirectAboveBytes=10"];
    let mut stack = Program::start(directory.path(), &parameters);
    stack.ready();

    let (output, results) = smoke(directory.path(), &["--skip", "canary"]).await;

    assert_eq!(output.status.code(), Some(1), "{results:?}");
    let of = |name: &str| results.iter().find(|(check, _)| check == name);
    let result = |name: &str| of(name).map(|(_, result)| result.as_str());
    assert_eq!(result("header-challenge"), Some("passed"));
    assert_eq!(result("head-delivery"), Some("FAILED"));
    let ended = "not run: an earlier check has failed";
    assert_eq!(result("ranges"), Some(ended));
    let skipped = "not run here: skipped with --skip";
    assert_eq!(result("canary"), Some(skipped));
}
