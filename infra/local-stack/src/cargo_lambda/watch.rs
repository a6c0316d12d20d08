//! The processes: `cargo lambda watch`, and one per function.
//!
//! Invariants:
//! - A function is restarted when it ends, until the stack stops.
//! - No process outlives the stack.

use std::{path::PathBuf, process::Stdio, time::Duration};

use runtime::context::FunctionContext;
use tokio::{
    net::{TcpListener, TcpStream},
    process::{Child, Command},
};

use super::{processes::Processes, remote::RemoteFunction, stderr::StderrTail};
use crate::{start_error::StartError, stopping::Stopping};

/// Maximum time until cargo-lambda listens.
const START_DEADLINE: Duration = Duration::from_secs(20);
/// Delay between two attempts to connect.
const START_PAUSE: Duration = Duration::from_millis(20);
/// Delay before a function is restarted.
const RESTART_PAUSE: Duration = Duration::from_millis(300);

/// Locations of cargo-lambda and the functions.
#[derive(Clone, Debug)]
pub struct CargoLambda {
    pub program: PathBuf,
    /// The directory of the functions' binaries.
    pub binaries: PathBuf,
}

/// A running `cargo lambda watch` and its functions. Dropping it kills the processes.
pub(crate) struct CargoLambdaWatch {
    authority: String,
    binaries: PathBuf,
    functions: Processes,
    server: Processes,
}

impl CargoLambdaWatch {
    /// Starts cargo-lambda on a free port.
    pub(crate) async fn start(location: &CargoLambda) -> Result<CargoLambdaWatch, StartError> {
        let failed = |error: std::io::Error| StartError::CargoLambda(error.to_string());
        let free = TcpListener::bind(("127.0.0.1", 0))
            .await
            .and_then(|listener| listener.local_addr());
        let address = free.map_err(failed)?;
        let port = address.port().to_string();
        let mut server = Command::new(&location.program)
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
        let stderr = StderrTail::new(server.stderr.take());
        let listening = tokio::time::timeout(START_DEADLINE, async {
            while TcpStream::connect(address).await.is_err() {
                tokio::time::sleep(START_PAUSE).await;
            }
        });
        tokio::select! {
            listening = listening => if listening.is_err() {
                return Err(StartError::CargoLambda(format!("it does not listen: {}", stderr.so_far())));
            },
            ended = server.wait() => return Err(StartError::CargoLambda(stderr.at_exit(ended).await)),
        }

        let mut processes = Processes::default();
        processes.watch(|stopping| watch_server(server, stderr, stopping));

        Ok(CargoLambdaWatch {
            authority: address.to_string(),
            binaries: location.binaries.clone(),
            functions: Processes::default(),
            server: processes,
        })
    }

    /// Starts a function. It is restarted when it ends.
    pub(crate) fn run(
        &mut self,
        binary: &str,
        context: &FunctionContext,
    ) -> Result<RemoteFunction, StartError> {
        let program = self.binaries.join(binary);
        let mut command = Command::new(&program);
        command
            .env_clear()
            .envs(&context.variables)
            .env(
                "AWS_LAMBDA_RUNTIME_API",
                format!("http://{}/.rt/{binary}", self.authority),
            )
            .stdin(Stdio::null())
            .process_group(0)
            .kill_on_drop(true);

        let first = command.spawn().map_err(|error| {
            StartError::CargoLambda(format!("{} cannot be started: {error}", program.display()))
        })?;
        self.functions
            .watch(|stopping| watch_function(binary.to_owned(), command, first, stopping));

        Ok(RemoteFunction::new(
            self.authority.clone(),
            binary.to_owned(),
        ))
    }

    /// Stops the functions, then cargo-lambda.
    pub(crate) async fn stop(self) {
        self.functions.end().await;
        self.server.end().await;
    }
}

/// Stops cargo-lambda with the stack. Logs the reason if it ends earlier.
async fn watch_server(mut server: Child, stderr: StderrTail, mut stopping: Stopping) {
    tokio::select! {
        ended = server.wait() => {
            let reason = stderr.at_exit(ended).await;
            tracing::error!(reason, "cargo-lambda ended, so all invocations fail from now on");
        }
        _ = stopping.changed() => {
            let _ = server.kill().await;
        }
    }
}

/// Restarts a function whenever it ends, and stops it with the stack.
async fn watch_function(
    binary: String,
    mut command: Command,
    mut child: Child,
    mut stopping: Stopping,
) {
    loop {
        tokio::select! {
            ended = child.wait() => tracing::warn!(binary, ?ended, "the function ended and is restarted"),
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
