//! External programs that tests run against a stack. `scripts/install-clients` installs them. A
//! test whose program is missing reports that it is skipped.

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Output, Stdio},
    time::Duration,
};

use tokio::process::Command;

/// File in which `scripts/test` finds the skipped tests.
const SKIPPED_FILE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/skipped-tests");
/// Time limit of a program.
const DEADLINE: Duration = Duration::from_mins(5);
/// Time limit of its end after SIGTERM.
const TERMINATION_DEADLINE: Duration = Duration::from_secs(10);

/// Returns the root of the repository.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns whether these programs run and these files exist. Otherwise reports the test as skipped,
/// also on the uncaptured standard error.
pub(crate) fn installed(test: &str, programs: &[&str], files: &[&Path]) -> bool {
    let runs = |program: &str| {
        std::process::Command::new(program)
            .arg("--version")
            .output()
            .is_ok()
    };

    let program = programs
        .iter()
        .find(|program| !runs(program))
        .map(|program| (*program).to_owned());
    let file = || {
        files
            .iter()
            .find(|path| !path.exists())
            .map(|path| path.display().to_string())
    };

    let Some(missing) = program.or_else(file) else {
        return true;
    };
    let line = format!(
        "SKIPPED: {test}: {missing} is missing; scripts/install-clients installs it or says how\n"
    );
    std::io::stderr()
        .write_all(line.as_bytes())
        .expect("a written line");

    let file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(SKIPPED_FILE);
    file.and_then(|mut file| file.write_all(line.as_bytes()))
        .expect("a written line");
    false
}

/// Runs a program, panics if it fails, and returns its standard output.
pub(crate) async fn run(command: &mut Command) -> String {
    run_within(DEADLINE, command).await
}

/// Runs a program like [`run`], and terminates it after a time limit, so that it can end what it
/// has started.
async fn run_within(limit: Duration, command: &mut Command) -> String {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let program = command.kill_on_drop(true).spawn().expect("started");
    let id = program.id().expect("a running program").to_string();

    let output = program.wait_with_output();
    tokio::pin!(output);
    let mut ended = tokio::time::timeout(limit, &mut output).await;
    if ended.is_err() {
        let terminated = Command::new("kill").arg(id).status().await;
        assert!(terminated.expect("started").success());
        ended = tokio::time::timeout(TERMINATION_DEADLINE, &mut output).await;
    }
    let Output {
        status,
        stdout,
        stderr,
    } = ended.expect("ended in time").expect("an exit status");
    let stdout = String::from_utf8_lossy(&stdout);
    let stderr = String::from_utf8_lossy(&stderr);

    assert!(status.success(), "{status}\n{stdout}\n{stderr}");

    stdout.into_owned()
}

#[tokio::test]
#[should_panic(expected = "stopped what it has started")]
async fn program_that_exceeds_its_time_limit_is_terminated() {
    let program = r"trap 'echo stopped what it has started; kill $!; exit 1' TERM; sleep 60 & wait";
    run_within(
        Duration::from_secs(1),
        Command::new("bash").args(["-c", program]),
    )
    .await;
}
