//! `cargo run`: runs Larder on this machine.

mod cli;

use std::{fmt::Write as _, io::Write as _, process::ExitCode, sync::Arc};

use cli::{Arguments, Parsed};
use local_stack::{LocalStack, Options, StartError, TEMPLATE, all_functions};
use runtime::{context::SystemRandom, http::BodyDeadlines};
use sam_template::Template;
use telemetry::{TaskLines, log_filter, log_panics};
use tracing_subscriber::{
    filter::LevelFilter, layer::SubscriberExt as _, util::SubscriberInitExt as _,
};

/// Libraries that emulate AWS. They log expected errors as warnings, and requests with signatures.
const EMULATORS: [&str; 2] = ["dynoxide", "s3s"];
/// Exit status after an invalid command line.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    av1::init();
    match cli::parse(std::env::args_os()) {
        Ok(Parsed::Print(text)) => {
            print(&text);
            ExitCode::SUCCESS
        }
        Ok(Parsed::Run(arguments)) => run(*arguments),
        Err(message) => {
            print_error(&format!("{message}\nTry `cargo run -- --help`."));
            ExitCode::from(USAGE)
        }
    }
}

fn run(arguments: Arguments) -> ExitCode {
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        // They would be printed to the standard error, which panics if it is closed.
        .log_internal_errors(false);
    let filter = log_filter(arguments.log, TaskLines::Events)
        .with_targets(EMULATORS.map(|name| (name, LevelFilter::OFF)));
    tracing_subscriber::registry()
        .with(filter)
        .with(lines)
        .init();
    log_panics();

    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let ended = runtime
        .map_err(|error| error.to_string())
        .and_then(|runtime| runtime.block_on(serve(arguments)));
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            print_error(&message);
            ExitCode::FAILURE
        }
    }
}

async fn serve(arguments: Arguments) -> Result<(), String> {
    let signals =
        signals().map_err(|error| format!("signal handlers cannot be installed: {error}"))?;
    tokio::pin!(signals);
    let emulated = arguments.cargo_lambda.is_some();
    let template = Template::parse(TEMPLATE).map_err(|error| error.to_string())?;

    let starting = LocalStack::start(Options {
        data_dir: arguments.data_dir.clone(),
        reset: arguments.reset,
        template: Arc::new(template),
        registry: all_functions(),
        ports: arguments.ports,
        parameters: arguments.parameters,
        clock: Arc::new(emulators::AsyncSystemClock),
        random: Arc::new(SystemRandom),
        body_deadlines: BodyDeadlines::default(),
        paused_workers: &[],
        cargo_lambda: arguments.cargo_lambda,
    });
    let local_stack = tokio::select! {
        started = starting => started.map_err(|error: StartError| error.to_string())?,
        () = &mut signals => return Ok(()),
    };
    print(&banner(&local_stack, &arguments.data_dir, emulated));
    signals.await;
    local_stack.stop().await;
    Ok(())
}

/// Resolves on SIGINT or SIGTERM.
fn signals() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

fn banner(local_stack: &LocalStack, data_dir: &std::path::Path, emulated: bool) -> String {
    let api = local_stack.api_url();
    let cdn = local_stack.cdn_url();
    let s3 = local_stack.s3_url();
    let how = if emulated {
        "Larder is running, its functions under cargo-lambda."
    } else {
        "Larder is running."
    };
    let mut text = format!(
        "{how}\n\n  API  {api}\n  CDN  {cdn}\n  S3   {s3}\n  Data {}\n",
        data_dir.display()
    );

    if let Some(key) = local_stack.api_key() {
        let dashboard = local_stack.dashboard_url();
        let _ = write!(
            text,
            "\nThe dashboard, signed in with your account key:\n\n  {dashboard}#key={key}\n"
        );
    }

    text + "\nPress Ctrl-C to stop."
}

fn print(text: &str) {
    // Standard output may be closed, which is not an error.
    let _ = writeln!(std::io::stdout(), "{text}");
}

fn print_error(text: &str) {
    let _ = writeln!(std::io::stderr(), "larder: {text}");
}
