//! Time limit of a function's response.

use std::time::Duration;

use http::Response;
use table::requests::RESERVATION_LEASE_MS;

use crate::{aws::MAX_DYNAMODB_CALL, http::error_response::service_unavailable};

/// Maximum time until a function responds. It is shorter than the template's timeout of every
/// function that serves HTTP, and than the timeouts of API Gateway and CloudFront, so that the
/// client gets the 503 of the API.
pub const RESPONSE_DEADLINE: Duration = Duration::from_secs(27);
/// Maximum time of a reservation: until the response, and its release after that.
const MAX_RESERVED: Duration = RESPONSE_DEADLINE.saturating_add(MAX_DYNAMODB_CALL);
const _: () = assert!(MAX_RESERVED.as_millis() < RESERVATION_LEASE_MS as u128);

/// Returns the response, or a 503 if it takes longer than [`RESPONSE_DEADLINE`]. Unfinished work is
/// cancelled.
pub(crate) async fn respond_in_time<B: From<String>>(
    response: impl Future<Output = Response<B>>,
) -> Response<B> {
    let response = tokio::time::timeout(RESPONSE_DEADLINE, response).await;
    response.unwrap_or_else(|_| deadline_exceeded())
}

/// Returns the 503 of a function that exceeded its deadline.
pub(crate) fn deadline_exceeded<B: From<String>>() -> Response<B> {
    service_unavailable("the function exceeded its deadline".to_owned())
}

/// Runs work that follows the upload of a request body, with a separate [`RESPONSE_DEADLINE`]: a
/// container receives a body for longer than that. Returns `None` if the work was cancelled.
pub async fn with_deadline<T>(work: impl Future<Output = T>) -> Option<T> {
    tokio::time::timeout(RESPONSE_DEADLINE, work).await.ok()
}

#[cfg(test)]
mod tests {
    use std::future;

    use http::StatusCode;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn function_that_exceeds_its_deadline_returns_503() {
        let started = tokio::time::Instant::now();
        let late = respond_in_time::<String>(future::pending()).await;

        assert_eq!(started.elapsed(), RESPONSE_DEADLINE);
        assert_eq!(late.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(late.headers()["retry-after"], "1");
        assert_eq!(
            late.body(),
            r#"{"errors":{},"message":"The service is busy. Retry after the number of seconds in Retry-After."}"#
        );
    }

    #[tokio::test(start_paused = true)]
    async fn function_that_ends_before_its_deadline_sends_its_response() {
        let slow = async {
            tokio::time::sleep(RESPONSE_DEADLINE.mul_f32(0.99)).await;
            Response::new("slow".to_owned())
        };
        assert_eq!(respond_in_time(slow).await.body(), "slow");
    }
}
