//! Entry points of the functions' binaries: start a function, then serve requests or batches.
//!
//! They are not generic: otherwise each binary would compile the Lambda runtime and the HTTP server
//! again.

use std::{collections::BTreeMap, process::ExitCode, time::Duration};

use aws_credential_types::provider::{ProvideCredentials as _, error::CredentialsError};
use aws_lambda_events::event::sqs::SqsEvent;
use axum::Router;
use domain::{env::Timestamp, errors::error_chain};
use lambda_runtime::LambdaEvent;
use tokio::time::Instant;
use tracing_subscriber::{filter::LevelFilter, util::SubscriberInitExt as _};
use worker::BatchHandler;

use crate::{
    aws::container_credentials,
    context::{ConfigurationError, FunctionContext, Settings, system_env},
    http::{
        EventSource, Observer,
        container::{self, DEFAULT_PORT},
        lambda,
    },
};

/// Maximum duration of an invocation ("Configure Lambda function timeout" in the Lambda developer
/// guide).
const INVOCATION_MAX: Duration = Duration::from_mins(15);
/// Variable that the runtime of Lambda sets.
const LAMBDA_VARIABLE: &str = "AWS_LAMBDA_RUNTIME_API";

/// Returns the router of a function.
type StartRouter = fn(&FunctionContext) -> Result<Router, ConfigurationError>;

/// Error that ended a function.
#[derive(Debug, thiserror::Error)]
enum ServeError {
    #[error(transparent)]
    Configuration(#[from] ConfigurationError),
    #[error("the container has no credentials: {}", error_chain(.0))]
    Credentials(#[from] CredentialsError),
    #[error("the Lambda runtime failed: {0}")]
    Lambda(#[from] lambda_runtime::Error),
    #[error("the HTTP server failed: {0}")]
    Server(#[from] std::io::Error),
}

/// Runs a function that serves HTTP requests in Lambda.
pub fn serve_http(function: &str, event_source: EventSource, start: StartRouter) -> ExitCode {
    run(function, async |context: FunctionContext| {
        serve_in_lambda(&context, event_source, start).await
    })
}

/// Runs a function that serves HTTP requests: in Lambda if `AWS_LAMBDA_RUNTIME_API` is set, else as
/// a plain HTTP server on `PORT`, for containers. Only there, its credentials may come from the
/// container credentials endpoint, and it does not start without them.
pub fn serve_http_or_container(
    function: &str,
    event_source: EventSource,
    start: StartRouter,
) -> ExitCode {
    run(function, async |mut context: FunctionContext| {
        let mut settings = Settings::of(&context);
        if settings.optional(LAMBDA_VARIABLE).is_some() {
            return serve_in_lambda(&context, event_source, start).await;
        }

        let credentials = container_credentials(&mut settings);
        let port = settings.parsed_or("PORT", "a port number", DEFAULT_PORT);
        let trusted_proxies = settings.parsed_or("TRUSTED_PROXIES", "an integer from 0 to 255", 0);
        settings.finish()?;
        context.container_credentials = credentials;

        let observer = Observer::of(&context);
        let router = start(&context)?;

        if let Some(credentials) = &context.container_credentials {
            credentials.provide_credentials().await?;
        }
        Ok(container::serve(port, trusted_proxies, router, observer).await?)
    })
}

async fn serve_in_lambda(
    context: &FunctionContext,
    event_source: EventSource,
    start: StartRouter,
) -> Result<(), ServeError> {
    require_lambda(context)?;
    let observer = Observer::of(context);
    let router = start(context)?;
    Ok(lambda::serve(event_source, router, observer).await?)
}

/// Runs a function that handles SQS batches in Lambda.
pub fn serve_worker(
    function: &str,
    start: fn(&FunctionContext) -> Result<BatchHandler, ConfigurationError>,
) -> ExitCode {
    run(function, async |context: FunctionContext| {
        require_lambda(&context)?;
        let env = context.env.clone();
        let handler = start(&context)?;

        let service = lambda_runtime::service_fn(move |event: LambdaEvent<SqsEvent>| {
            let handler = handler.clone();
            let deadline = Instant::now() + time_left(event.context.deadline, env.now());
            async move { Ok::<_, lambda_runtime::Error>(handler.handle(event.payload, deadline).await) }
        });
        Ok(lambda_runtime::run(service).await?)
    })
}

/// Fails outside Lambda, where the client of its runtime would panic.
fn require_lambda(context: &FunctionContext) -> Result<(), ConfigurationError> {
    let mut settings = Settings::of(context);
    settings.text(LAMBDA_VARIABLE);
    settings.finish()
}

/// Returns the time until the deadline of an invocation, given in milliseconds since 1970; zero if
/// it is in the past, as that of cargo-lambda.
fn time_left(deadline_ms: u64, now: Timestamp) -> Duration {
    let now_ms = u64::try_from(now.ms()).unwrap_or(0);
    Duration::from_millis(deadline_ms.saturating_sub(now_ms)).min(INVOCATION_MAX)
}

fn run(
    name: &str,
    function: impl AsyncFnOnce(FunctionContext) -> Result<(), ServeError>,
) -> ExitCode {
    let context = process_context(name);
    let mut settings = Settings::of(&context);
    let level = settings.parsed_or("LOG_LEVEL", "a log level", LevelFilter::INFO);
    telemetry::subscriber(level, std::io::stderr).init();
    telemetry::log_panics();

    let result = settings.finish().map_err(ServeError::from).and_then(|()| {
        // Lambda runs one invocation at a time, so one thread is enough, and starts faster.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        runtime.block_on(function(context))
    });

    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(%error, "the function failed");
            ExitCode::FAILURE
        }
    }
}

fn process_context(function: &str) -> FunctionContext {
    #[expect(
        clippy::disallowed_methods,
        reason = "only this, and the SDK's provider of container credentials, read the environment"
    )]
    let variables: BTreeMap<String, String> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    FunctionContext::new(function, variables, system_env())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_left_is_zero_after_deadline_and_15_minutes_at_most() {
        let now = Timestamp::from_ms(1_700_000_000_000);
        for (deadline_ms, seconds) in [
            (1_700_000_120_000, 120),
            (1_699_999_999_999, 0),
            (0, 0),
            (u64::MAX, 900),
        ] {
            assert_eq!(
                time_left(deadline_ms, now),
                Duration::from_secs(seconds),
                "{deadline_ms}"
            );
        }
    }
}
