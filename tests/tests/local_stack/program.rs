//! The program as a child process.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read, Seek},
    path::Path,
    process::{Child, Command, Stdio},
};

use serde_json::Value;
use tests::Client;

/// Output of the program once it is ready.
pub(crate) struct Ready {
    pub(crate) banner: String,
    pub(crate) local: Value,
}

/// A process of the program. It ends when this is dropped.
pub(crate) struct Program {
    child: Child,
    data_dir: std::path::PathBuf,
    log: File,
}

impl Drop for Program {
    fn drop(&mut self) {
        // A signal instead of a kill, so that its own child processes end too.
        if matches!(self.child.try_wait(), Ok(None)) {
            self.signal("-TERM");
            let _ = self.child.wait();
        }
    }
}

impl Program {
    /// Starts the program with a log in a file, since a pipe without a reader would stop it.
    pub(crate) fn start(data_dir: &Path, arguments: &[&str]) -> Program {
        let log = tempfile::tempfile().expect("a file");
        let child = Command::new(program())
            .args(["--port", "0", "--data-dir"])
            .arg(data_dir)
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(log.try_clone().expect("a copy"))
            .spawn()
            .expect("the program is built");

        Program {
            child,
            data_dir: data_dir.to_owned(),
            log,
        }
    }

    /// Waits for the end of the banner, which is printed once all listeners are ready.
    pub(crate) fn ready(&mut self) -> Ready {
        let mut lines = BufReader::new(self.child.stdout.take().expect("piped")).lines();
        let mut banner = String::new();
        while let Some(Ok(line)) = lines.next() {
            banner += &line;
            if line.starts_with("Press Ctrl-C") {
                break;
            }
        }

        let local = std::fs::read(self.data_dir.join("local.json"))
            .unwrap_or_else(|error| panic!("{error}: {banner}"));

        Ready {
            banner,
            local: serde_json::from_slice(&local).expect("JSON"),
        }
    }

    /// Returns the process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn kill(mut self) {
        self.child.kill().expect("a running process");
        self.child.wait().expect("an exit status");
    }

    /// Sends a signal to the process.
    pub(crate) fn signal(&self, signal: &str) {
        let asked = Command::new("kill")
            .args([signal, &self.id().to_string()])
            .status();
        assert!(asked.is_ok_and(|status| status.success()));
    }

    /// Waits for a successful exit, and returns the log.
    pub(crate) fn expect_success(self) -> String {
        self.expect_exit(0)
    }

    /// Waits for an exit with an error, and returns its message.
    pub(crate) fn rejected(self) -> String {
        self.expect_exit(1)
    }

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
pub(crate) fn program() -> std::path::PathBuf {
    let test = std::env::current_exe().expect("a path");
    test.ancestors()
        .nth(2)
        .expect("target/debug")
        .join("larder")
}

/// Returns a client with the account key in `local.json`.
pub(crate) fn client(local: &Value) -> Client {
    Client::new(local["api_url"].as_str().expect("a URL"))
        .with_key(local["api_key"].as_str().expect("a key"))
}
