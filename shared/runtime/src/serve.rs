//! A function's `main`: start once, then answer, as a Lambda or, outside of Lambda, as a plain HTTP server.

use std::{collections::BTreeMap, process::ExitCode};

use aws_lambda_events::event::sqs::SqsEvent;
use axum::{Router, extract::Request};
use lambda_http::RequestExt as _;
use lambda_runtime::LambdaEvent;
use tower::ServiceExt as _;
use tracing_subscriber::EnvFilter;
use worker::Batch;

use crate::{ConfigurationError, Environment, Front, system_sources};

/// The port of the plain HTTP server, where `PORT` names no other.
const DEFAULT_PORT: u16 = 8080;

/// Why a function ended.
#[derive(Debug, thiserror::Error)]
enum Ended {
    #[error(transparent)]
    Configuration(#[from] ConfigurationError),
    #[error("the Lambda runtime ended: {0}")]
    Lambda(#[from] lambda_runtime::Error),
    #[error("the HTTP server ended: {0}")]
    Server(#[from] std::io::Error),
}

/// Runs a function that answers HTTP requests: as a Lambda where the Lambda runtime is there, else on `PORT`, on every
/// interface, so that the same binary is a container.
pub fn serve_http(front: Front, start: impl FnOnce(&Environment) -> Result<Router, ConfigurationError>) -> ExitCode {
    run(async move {
        let environment = process_environment();
        let router = start(&environment)?;
        if environment.variables.contains_key("AWS_LAMBDA_RUNTIME_API") {
            let service = tower::service_fn(move |request: lambda_http::Request| {
                router.clone().oneshot(with_raw_path(front, request))
            });
            return Ok(lambda_http::run(service).await?);
        }
        let port = environment.variables.get("PORT").and_then(|port| port.parse().ok()).unwrap_or(DEFAULT_PORT);
        let listener = tokio::net::TcpListener::bind(("0.0.0.0", port)).await?;
        Ok(axum::serve(listener, router).with_graceful_shutdown(terminated()).await?)
    })
}

/// Runs a function that works through a queue's batches, as a Lambda.
pub fn serve_worker(start: impl FnOnce(&Environment) -> Result<Batch, ConfigurationError>) -> ExitCode {
    run(async move {
        let batch = start(&process_environment())?;
        let handler = lambda_runtime::service_fn(move |event: LambdaEvent<SqsEvent>| {
            let batch = batch.clone();
            async move { Ok::<_, lambda_runtime::Error>(batch.handle(event.payload).await) }
        });
        Ok(lambda_runtime::run(handler).await?)
    })
}

fn with_raw_path(front: Front, request: lambda_http::Request) -> Request {
    let raw_path = request.raw_http_path().to_owned();
    let uri = front.uri(&raw_path, request.uri().query().unwrap_or_default());
    let mut request = request.map(axum::body::Body::new);
    if let Some(uri) = uri {
        *request.uri_mut() = uri;
    }
    request
}

fn run(function: impl Future<Output = Result<(), Ended>>) -> ExitCode {
    let level = process_environment().variables.remove("LOG_LEVEL").unwrap_or_else(|| "info".to_owned());
    tracing_subscriber::fmt().json().with_env_filter(EnvFilter::new(level)).with_writer(std::io::stderr).init();
    // One invocation runs at a time, so one thread is enough, and it starts sooner than many.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let ended = match runtime {
        Ok(runtime) => runtime.block_on(function),
        Err(error) => Err(Ended::Server(error)),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(%error, "the function ended");
            ExitCode::FAILURE
        }
    }
}

fn process_environment() -> Environment {
    #[expect(clippy::disallowed_methods, reason = "a function's main is where its variables come from")]
    let variables: BTreeMap<String, String> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    Environment { variables, sources: system_sources() }
}

/// Resolves when the process is asked to end.
async fn terminated() {
    let Ok(mut signal) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) else {
        return std::future::pending().await;
    };
    signal.recv().await;
}
