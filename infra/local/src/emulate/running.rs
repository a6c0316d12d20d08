//! The processes: cargo-lambda, and one of each function.
//!
//! Invariant: a function runs until nothing can call it any more, and none outlives the stack.

use std::{
    collections::VecDeque,
    path::PathBuf,
    process::{ExitStatus, Stdio},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use runtime::Environment;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    net::{TcpListener, TcpStream},
    process::{Child, ChildStderr, Command},
    sync::watch,
    task::JoinSet,
};

use super::{CargoLambda, Remote};
use crate::{StartError, server::Stopping};

/// How long cargo-lambda may take to listen.
const START_DEADLINE: Duration = Duration::from_secs(20);
/// Pause between two looks whether it does.
const START_PAUSE: Duration = Duration::from_millis(20);
/// Pause before a function that ended is started again.
const RESTART_PAUSE: Duration = Duration::from_millis(300);
/// How long to wait for the last of what cargo-lambda says, once it has ended.
const SAID_DEADLINE: Duration = Duration::from_millis(200);
/// Lines of what cargo-lambda says that are kept.
const SAID_LINES: usize = 20;

/// A running cargo-lambda, and the functions under it. They are killed when this is dropped.
pub(crate) struct Running {
    authority: String,
    binaries: PathBuf,
    functions: Processes,
    server: Processes,
}

impl Running {
    /// Starts cargo-lambda on a free port.
    pub(crate) async fn start(place: &CargoLambda) -> Result<Running, StartError> {
        let failed = |error: std::io::Error| StartError::CargoLambda(error.to_string());
        let free = TcpListener::bind(("127.0.0.1", 0))
            .await
            .and_then(|listener| listener.local_addr());
        let address = free.map_err(failed)?;
        let port = address.port().to_string();
        let mut server = Command::new(&place.program)
            .args([
                "lambda",
                "watch",
                "--only-lambda-apis",
                "--disable-cors",
                "-A",
                "127.0.0.1",
                "-P",
                &port,
            ])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(failed)?;
        let said = Said::by(server.stderr.take());
        let listening = tokio::time::timeout(START_DEADLINE, async {
            while TcpStream::connect(address).await.is_err() {
                tokio::time::sleep(START_PAUSE).await;
            }
        });
        tokio::select! {
            listening = listening => if listening.is_err() {
                return Err(StartError::CargoLambda(format!("it does not listen: {}", said.so_far())));
            },
            ended = server.wait() => return Err(StartError::CargoLambda(said.at_the_end(ended).await)),
        }
        let mut processes = Processes::default();
        processes.watch(|stopping| watch_server(server, said, stopping));
        let (authority, binaries) = (address.to_string(), place.binaries.clone());
        Ok(Running {
            authority,
            binaries,
            functions: Processes::default(),
            server: processes,
        })
    }

    /// Starts a function, and starts it again whenever it ends.
    pub(crate) fn run(
        &mut self,
        binary: &str,
        environment: &Environment,
    ) -> Result<Remote, StartError> {
        let program = self.binaries.join(binary);
        let mut command = Command::new(&program);
        command
            .env_clear()
            .envs(&environment.variables)
            .env(
                "AWS_LAMBDA_RUNTIME_API",
                format!("http://{}/.rt/{binary}", self.authority),
            )
            .stdin(Stdio::null())
            .process_group(0)
            .kill_on_drop(true);
        let first = command.spawn();
        let first = first.map_err(|error| {
            StartError::CargoLambda(format!("{} does not run: {error}", program.display()))
        })?;
        self.functions
            .watch(|stopping| watch_function(binary.to_owned(), command, first, stopping));
        Ok(Remote::new(self.authority.clone(), binary.to_owned()))
    }

    /// Ends the functions, then cargo-lambda.
    pub(crate) async fn stop(self) {
        self.functions.end().await;
        self.server.end().await;
    }
}

/// Processes that are ended together.
struct Processes {
    watches: JoinSet<()>,
    /// Ends them when it is dropped.
    stop: watch::Sender<()>,
}

impl Default for Processes {
    fn default() -> Processes {
        Processes {
            watches: JoinSet::new(),
            stop: watch::channel(()).0,
        }
    }
}

impl Processes {
    fn watch<F: Future<Output = ()> + Send + 'static>(
        &mut self,
        watch: impl FnOnce(Stopping) -> F,
    ) {
        self.watches.spawn(watch(self.stop.subscribe()));
    }

    async fn end(mut self) {
        drop(self.stop);
        while self.watches.join_next().await.is_some() {}
    }
}

/// Ends cargo-lambda with the stack; where it ends before, says why.
async fn watch_server(mut server: Child, said: Said, mut stopping: Stopping) {
    tokio::select! {
        ended = server.wait() => {
            let reason = said.at_the_end(ended).await;
            tracing::error!(reason, "cargo-lambda ended, and no function answers any more");
        }
        _ = stopping.changed() => {
            let _ = server.kill().await;
        }
    }
}

async fn watch_function(
    binary: String,
    mut command: Command,
    mut child: Child,
    mut stopping: Stopping,
) {
    loop {
        tokio::select! {
            ended = child.wait() => tracing::warn!(binary, ?ended, "the function ended and is started again"),
            _ = stopping.changed() => {
                let _ = child.kill().await;
                return;
            }
        }
        child = loop {
            tokio::select! {
                () = tokio::time::sleep(RESTART_PAUSE) => {}
                _ = stopping.changed() => return,
            }
            match command.spawn() {
                Ok(child) => break child,
                Err(error) => tracing::error!(binary, %error, "the function cannot be started"),
            }
        };
    }
}

/// The last of what a process says, for when it fails.
struct Said {
    lines: Arc<Mutex<VecDeque<String>>>,
    reader: JoinSet<()>,
}

impl Said {
    fn by(stderr: Option<ChildStderr>) -> Said {
        let lines = Arc::new(Mutex::new(VecDeque::new()));
        let mut reader = JoinSet::new();
        if let Some(stderr) = stderr {
            reader.spawn(listen(stderr, Arc::clone(&lines)));
        }
        Said { lines, reader }
    }

    fn so_far(&self) -> String {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// How the process ended, and what it said before.
    async fn at_the_end(mut self, ended: std::io::Result<ExitStatus>) -> String {
        // What it left behind may hold its standard error open.
        let _ = tokio::time::timeout(SAID_DEADLINE, self.reader.join_next()).await;
        let ended = ended.map_or_else(|error| error.to_string(), |status| status.to_string());
        format!("it ended with {ended}: {}", self.so_far())
    }
}

async fn listen(stderr: ChildStderr, said: Arc<Mutex<VecDeque<String>>>) {
    let mut lines = BufReader::new(stderr).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.len() == SAID_LINES {
            said.pop_front();
        }
        said.push_back(line);
    }
}
