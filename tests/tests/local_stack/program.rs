//! The program as a child process.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read, Seek},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;
use tests::{Client, TestSpace, text};

/// A directory in which programs start one after the other, with the data of the earlier ones.
pub(crate) struct DataDir(TempDir);

impl DataDir {
    pub(crate) fn new() -> DataDir {
        DataDir(TempDir::new().expect("a temporary directory"))
    }

    /// Returns the directory that contains the data directory.
    pub(crate) fn parent(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.parent().join(".larder")
    }

    /// Starts the program, and waits until all of its listeners are ready.
    pub(crate) fn start(&self, arguments: &[&str]) -> Program {
        let mut process = Process::start(&self.path(), arguments);
        let banner = process.banner();
        let local = std::fs::read(self.path().join("local.json"))
            .unwrap_or_else(|error| panic!("{error}: {banner}"));
        let local: Value = serde_json::from_slice(&local).expect("JSON");
        let anonymous = Client::new(&text(&local["api_url"]));

        Program {
            account: anonymous.with_key(&text(&local["api_key"])),
            process,
            banner,
            local,
        }
    }

    /// Starts the program, which fails, and returns its message.
    pub(crate) fn rejected(&self, arguments: &[&str]) -> String {
        Process::start(&self.path(), arguments).expect_exit(1)
    }
}

/// A program that is ready. It ends when this is dropped.
pub(crate) struct Program {
    process: Process,
    /// What it has printed.
    pub(crate) banner: String,
    /// Content of `local.json`.
    pub(crate) local: Value,
    /// A client with the account key.
    pub(crate) account: Client,
}

impl Program {
    /// Creates a space, whose client has the account key.
    pub(crate) async fn space(&self) -> TestSpace {
        let body = json!({"name": "Acme"});
        let space = self.account.create("/spaces", body).await;
        TestSpace {
            client: self.account.clone(),
            id: text(&space["id"]),
            handle: text(&space["handle"]),
            key_id: 0,
        }
    }

    /// Returns the process id.
    pub(crate) fn id(&self) -> u32 {
        self.process.child.id()
    }

    pub(crate) fn kill(mut self) {
        let child = &mut self.process.child;
        child.kill().expect("a running process");
        child.wait().expect("an exit status");
    }

    /// Sends a signal to the process.
    pub(crate) fn signal(&self, signal: &str) {
        self.process.signal(signal);
    }

    /// Waits for a successful exit, and returns the log.
    pub(crate) fn expect_success(self) -> String {
        self.process.expect_exit(0)
    }

    /// Ends the program, and returns its log.
    pub(crate) fn end(self) -> String {
        self.signal("-TERM");
        self.expect_success()
    }
}

struct Process {
    child: Child,
    log: File,
}

impl Drop for Process {
    fn drop(&mut self) {
        // A signal instead of a kill, so that its own child processes end too.
        if matches!(self.child.try_wait(), Ok(None)) {
            self.signal("-TERM");
            let _ = self.child.wait();
        }
    }
}

impl Process {
    /// Starts the program with a log in a file, since a pipe without a reader would stop it.
    fn start(data_dir: &Path, arguments: &[&str]) -> Process {
        let log = tempfile::tempfile().expect("a file");
        let child = Command::new(program())
            .args(["--port", "0", "--data-dir"])
            .arg(data_dir)
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(log.try_clone().expect("a copy"))
            .spawn()
            .expect("the program is built");

        Process { child, log }
    }

    /// Waits for the end of the banner, which is printed once all listeners are ready.
    fn banner(&mut self) -> String {
        let mut lines = BufReader::new(self.child.stdout.take().expect("piped")).lines();
        let mut banner = String::new();
        while let Some(Ok(line)) = lines.next() {
            banner += &line;
            if line.starts_with("Press Ctrl-C") {
                break;
            }
        }
        banner
    }

    fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        let asked = Command::new("kill").args([signal, &id]).status();
        assert!(asked.is_ok_and(|status| status.success()));
    }

    /// Waits for an exit, and returns the log.
    fn expect_exit(mut self, code: i32) -> String {
        let status = self.child.wait().expect("an exit status");
        self.log.rewind().expect("a file");
        let mut log = String::new();
        self.log.read_to_string(&mut log).expect("UTF-8");
        assert_eq!(status.code(), Some(code), "{log}");
        log
    }
}

/// Returns the path of the program, in the parent of the test's directory.
pub(crate) fn program() -> PathBuf {
    let test = std::env::current_exe().expect("a path");
    let directory = test.ancestors().nth(2).expect("target/debug");
    directory.join("larder")
}
