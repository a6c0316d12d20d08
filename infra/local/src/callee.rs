//! One function, as whoever invokes it sees it: in this process, or behind cargo-lambda.

use std::{any::Any, panic::AssertUnwindSafe, time::Duration};

use aws_lambda_events::event::sqs::{SqsBatchResponse, SqsEvent};
use axum::{Router, body::Body};
use futures::FutureExt;
use http::{Request, Response};
use runtime::BodyTimer;
use tokio::time::Instant;
use tower::ServiceExt;
use worker::BatchHandler;

use crate::emulate::Remote;

/// A function.
pub(crate) struct Callee {
    name: String,
    timeout: Duration,
    place: Place,
}

/// Where a function runs.
pub(crate) enum Place {
    /// In this process, answering requests.
    Router(Router),
    /// In this process, working through batches.
    Worker(BatchHandler),
    /// In a process of its own, behind cargo-lambda.
    Remote(Box<Remote>),
}

/// Why there is no answer of the function's own.
#[derive(Debug)]
pub(crate) enum Unanswered {
    /// The event is larger than Lambda takes.
    TooLarge,
    /// The client stopped before the end of the body.
    BodyEndedEarly,
    /// The body is said to be text, which an event holds as it is, and is none.
    BodyIsNoText,
    /// The function took too long.
    TimedOut,
    /// It crashed, or gave what is no answer.
    Failed(String),
}

impl Callee {
    pub(crate) fn new(name: String, timeout_seconds: u32, place: Place) -> Callee {
        Callee {
            name,
            timeout: Duration::from_secs(timeout_seconds.into()),
            place,
        }
    }

    /// The function's binary.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Lets it answer a request. Its time does not include the time that it waits for the body,
    /// which is there before a Lambda is invoked.
    pub(crate) async fn call(&self, request: Request<Body>) -> Result<Response<Body>, Unanswered> {
        let timer = BodyTimer::of(request.extensions());
        let answer = async {
            match &self.place {
                Place::Router(router) => {
                    let answer = AssertUnwindSafe(router.clone().oneshot(request))
                        .catch_unwind()
                        .await;
                    let answer = answer.map_err(|panic| Unanswered::Failed(panic_text(&*panic)))?;
                    let Ok(response) = answer;
                    Ok(response)
                }
                Place::Remote(remote) => remote.call(request).await,
                Place::Worker(_) => {
                    Err(Unanswered::Failed("a worker takes no requests".to_owned()))
                }
            }
        };
        timer
            .timeout(self.timeout, answer)
            .await
            .unwrap_or(Err(Unanswered::TimedOut))
    }

    /// Lets it work through a batch.
    pub(crate) async fn work(&self, event: SqsEvent) -> Result<SqsBatchResponse, Unanswered> {
        let answer = async {
            match &self.place {
                Place::Worker(batch) => {
                    Ok(batch.handle(event, Instant::now() + self.timeout).await)
                }
                Place::Remote(remote) => remote.work(&event).await,
                Place::Router(_) => Err(Unanswered::Failed(
                    "a function of routes takes no batches".to_owned(),
                )),
            }
        };
        tokio::time::timeout(self.timeout, answer)
            .await
            .unwrap_or(Err(Unanswered::TimedOut))
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "panicked".to_owned())
}

#[cfg(test)]
impl Callee {
    /// A function that answers nothing.
    pub(crate) fn nobody(name: &str) -> Callee {
        Callee::new(name.to_owned(), 1, Place::Router(Router::new()))
    }
}

#[cfg(test)]
mod tests {
    use axum::routing::get;

    use super::*;

    async fn panics() -> &'static str {
        panic!("on purpose")
    }

    async fn call(path: &str) -> Result<u16, Unanswered> {
        let router = Router::new()
            .route("/fine", get(|| async { "fine" }))
            .route("/panic", get(panics))
            .route("/never", get(std::future::pending::<()>));
        let callee = Callee::new("function".to_owned(), 29, Place::Router(router));
        let request = Request::get(path).body(Body::empty()).expect("a request");
        callee
            .call(request)
            .await
            .map(|response| response.status().as_u16())
    }

    #[tokio::test(start_paused = true)]
    async fn a_function_that_panics_or_takes_too_long_does_not_answer() {
        assert!(matches!(call("/fine").await, Ok(200)));
        assert!(
            matches!(call("/panic").await, Err(Unanswered::Failed(reason)) if reason == "on purpose")
        );
        assert!(matches!(call("/never").await, Err(Unanswered::TimedOut)));
    }
}
