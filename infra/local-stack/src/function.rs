//! Invokes a function, in this process or under cargo-lambda.

use std::{any::Any, panic::AssertUnwindSafe, time::Duration};

use aws_lambda_events::event::sqs::{SqsBatchResponse, SqsEvent};
use axum::{Router, body::Body};
use futures::FutureExt;
use http::{Request, Response};
use runtime::http::BodyTimer;
use tokio::time::Instant;
use tower::ServiceExt;
use worker::BatchHandler;

use crate::{cargo_lambda::RemoteFunction, invoke_error::InvokeError};

/// A function of the local stack.
pub(crate) struct LocalFunction {
    name: String,
    timeout: Duration,
    host: FunctionHost,
}

pub(crate) enum FunctionHost {
    /// Serves HTTP requests in this process.
    Router(Router),
    /// Processes batches in this process.
    Worker(BatchHandler),
    /// Runs in a separate process under cargo-lambda.
    Remote(Box<RemoteFunction>),
}

impl LocalFunction {
    pub(crate) fn new(name: String, timeout_seconds: u32, host: FunctionHost) -> LocalFunction {
        LocalFunction {
            name,
            timeout: Duration::from_secs(timeout_seconds.into()),
            host,
        }
    }

    /// Returns the name of the binary.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Invokes the function with a request. Its timeout begins once the body has arrived, because
    /// Lambda invokes a function then.
    pub(crate) async fn call(&self, request: Request<Body>) -> Result<Response<Body>, InvokeError> {
        let timer = BodyTimer::of(request.extensions());
        let response = async {
            match &self.host {
                FunctionHost::Router(router) => {
                    let caught = AssertUnwindSafe(router.clone().oneshot(request))
                        .catch_unwind()
                        .await;
                    let Ok(response) =
                        caught.map_err(|panic| InvokeError::Failed(panic_text(&*panic)))?;
                    Ok(response)
                }
                FunctionHost::Remote(remote) => remote.call(request).await,
                FunctionHost::Worker(_) => Err(InvokeError::Failed(
                    "a worker does not serve HTTP requests".to_owned(),
                )),
            }
        };

        timer
            .timeout(self.timeout, response)
            .await
            .unwrap_or(Err(InvokeError::TimedOut))
    }

    /// Invokes the function with a batch of messages.
    pub(crate) async fn invoke_batch(
        &self,
        event: SqsEvent,
    ) -> Result<SqsBatchResponse, InvokeError> {
        let response = async {
            match &self.host {
                FunctionHost::Worker(batch) => {
                    Ok(batch.handle(event, Instant::now() + self.timeout).await)
                }
                FunctionHost::Remote(remote) => remote.invoke_batch(&event).await,
                FunctionHost::Router(_) => Err(InvokeError::Failed(
                    "a function with routes does not process batches".to_owned(),
                )),
            }
        };
        tokio::time::timeout(self.timeout, response)
            .await
            .unwrap_or(Err(InvokeError::TimedOut))
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "panicked".to_owned())
}

#[cfg(test)]
impl LocalFunction {
    /// Creates a function without routes.
    pub(crate) fn without_routes(name: &str) -> LocalFunction {
        LocalFunction::new(name.to_owned(), 1, FunctionHost::Router(Router::new()))
    }
}

#[cfg(test)]
mod tests {
    use axum::routing::get;

    use super::*;

    async fn panics() -> &'static str {
        panic!("on purpose")
    }

    #[tokio::test(start_paused = true)]
    async fn panic_and_timeout_are_reported() {
        let router = Router::new()
            .route("/fine", get(|| async { "fine" }))
            .route("/panic", get(panics))
            .route("/pending", get(std::future::pending::<()>));
        let function = LocalFunction::new("function".to_owned(), 29, FunctionHost::Router(router));
        let call = async |path: &str| {
            let request = Request::get(path).body(Body::empty()).expect("a request");
            function.call(request).await
        };

        let fine = call("/fine").await.expect("a response");
        assert_eq!(fine.status(), 200);
        let panicked = call("/panic").await;
        assert!(matches!(panicked, Err(InvokeError::Failed(reason)) if reason == "on purpose"));
        assert!(matches!(call("/pending").await, Err(InvokeError::TimedOut)));
    }
}
