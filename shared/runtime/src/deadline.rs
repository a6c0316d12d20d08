//! How long a function may take for an answer, by its own watch.

use std::time::Duration;

use http::Response;

use crate::refusal::busy;

/// How long: less than the template's time-out of every function that answers requests, and than
/// what stands before them waits, whose own answers would be none of ours.
pub const ANSWER_DEADLINE: Duration = Duration::from_secs(27);

/// The answer, where it is there before [`ANSWER_DEADLINE`]; else our own 503. What is not done by
/// then is cut off.
pub(crate) async fn in_time<B: From<String>>(
    answer: impl Future<Output = Response<B>>,
) -> Response<B> {
    let answered = tokio::time::timeout(ANSWER_DEADLINE, answer).await;
    answered.unwrap_or_else(|_| took_too_long())
}

/// Returns our own 503 of a function that was cut off.
pub(crate) fn took_too_long<B: From<String>>() -> Response<B> {
    busy("the function took too long".to_owned())
}

/// What is done before [`ANSWER_DEADLINE`]; `None` where it was cut off. For work that follows a
/// body, which a client may take longer to send than any function has: a container waits for it.
pub async fn with_deadline<T>(work: impl Future<Output = T>) -> Option<T> {
    tokio::time::timeout(ANSWER_DEADLINE, work).await.ok()
}

#[cfg(test)]
mod tests {
    use std::future;

    use http::StatusCode;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_function_that_takes_too_long_answers_503_itself() {
        let started = tokio::time::Instant::now();
        let late = in_time::<String>(future::pending()).await;
        assert_eq!(started.elapsed(), ANSWER_DEADLINE);
        assert_eq!(
            (late.status(), &late.headers()["retry-after"]),
            (StatusCode::SERVICE_UNAVAILABLE, &"1".parse().unwrap())
        );
        assert_eq!(
            late.body(),
            r#"{"errors":{},"message":"The service is busy. Please try again."}"#
        );

        let slow = async {
            tokio::time::sleep(ANSWER_DEADLINE.mul_f32(0.99)).await;
            Response::new("slow".to_owned())
        };
        assert_eq!(in_time(slow).await.body(), "slow");
    }
}
