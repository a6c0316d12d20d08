//! A function's `main`: start once, then answer, as a Lambda or, outside of Lambda, as a plain HTTP
//! server.

use std::{collections::BTreeMap, process::ExitCode, time::Duration};

use aws_lambda_events::event::sqs::SqsEvent;
use axum::Router;
use domain::Timestamp;
use lambda_runtime::LambdaEvent;
use tokio::time::Instant;
use tracing_subscriber::{filter::LevelFilter, util::SubscriberInitExt as _};
use worker::Batch;

use crate::{
    ConfigurationError, Environment, EventSource, Observer, Settings,
    container::{self, DEFAULT_PORT},
    lambda, system_sources,
};

/// Longest that an invocation may take ("Configure Lambda function timeout" in the Lambda developer
/// guide).
const INVOCATION_MAX: Duration = Duration::from_mins(15);

/// Why a function ended.
#[derive(Debug, thiserror::Error)]
enum ServeError {
    #[error(transparent)]
    Configuration(#[from] ConfigurationError),
    #[error("the Lambda runtime ended: {0}")]
    Lambda(#[from] lambda_runtime::Error),
    #[error("the HTTP server ended: {0}")]
    Server(#[from] std::io::Error),
}

/// Runs the function of this name that answers HTTP requests: as a Lambda where the Lambda runtime
/// is there, else on `PORT`, on every interface, so that the same binary is a container.
pub fn serve_http(
    function: &str,
    front: EventSource,
    start: impl FnOnce(&Environment) -> Result<Router, ConfigurationError>,
) -> ExitCode {
    run(function, async |environment: &Environment| {
        let mut settings = Settings::of(environment);
        let port = settings.parsed_or("PORT", "the number of a port", DEFAULT_PORT);
        let trusted_proxies =
            settings.parsed_or("TRUSTED_PROXIES", "a number of proxies, 255 at most", 0);
        settings.finish()?;
        let observer = Observer::of(environment);
        let router = start(environment)?;
        if environment.variables.contains_key("AWS_LAMBDA_RUNTIME_API") {
            return Ok(lambda::serve(front, router, observer).await?);
        }
        Ok(container::serve(port, trusted_proxies, router, observer).await?)
    })
}

/// Runs the function of this name that works through a queue's batches, as a Lambda.
pub fn serve_worker(
    function: &str,
    start: impl FnOnce(&Environment) -> Result<Batch, ConfigurationError>,
) -> ExitCode {
    run(function, async |environment: &Environment| {
        let env = environment.env.clone();
        let batch = start(environment)?;
        let handler = lambda_runtime::service_fn(move |event: LambdaEvent<SqsEvent>| {
            let batch = batch.clone();
            let deadline = Instant::now() + time_left(event.context.deadline, env.now());
            async move { Ok::<_, lambda_runtime::Error>(batch.handle(event.payload, deadline).await) }
        });
        Ok(lambda_runtime::run(handler).await?)
    })
}

/// Returns the time until an invocation's deadline, in milliseconds since 1970; zero if it is in
/// the past, as cargo-lambda's is.
fn time_left(deadline_ms: u64, now: Timestamp) -> Duration {
    let now_ms = u64::try_from(now.ms()).unwrap_or(0);
    Duration::from_millis(deadline_ms.saturating_sub(now_ms)).min(INVOCATION_MAX)
}

fn run(name: &str, function: impl AsyncFnOnce(&Environment) -> Result<(), ServeError>) -> ExitCode {
    let environment = process_environment(name);
    let mut settings = Settings::of(&environment);
    let level = settings.parsed_or("LOG_LEVEL", "a level of the log", LevelFilter::INFO);
    telemetry::subscriber(level, std::io::stderr).init();
    let ended = settings.finish().map_err(ServeError::from).and_then(|()| {
        // One invocation runs at a time, so one thread is enough, and it starts sooner than many.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        runtime.block_on(function(&environment))
    });
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(%error, "the function ended");
            ExitCode::FAILURE
        }
    }
}

fn process_environment(function: &str) -> Environment {
    #[expect(
        clippy::disallowed_methods,
        reason = "a function's main is where its variables come from"
    )]
    let variables: BTreeMap<String, String> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    Environment {
        function: function.to_owned(),
        variables,
        env: system_sources(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deadline_in_the_past_leaves_no_time() {
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
