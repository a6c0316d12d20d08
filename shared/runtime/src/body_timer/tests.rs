use axum::{Router, extract::DefaultBodyLimit, response::IntoResponse as _, routing::post};
use http_body_util::BodyExt as _;
use tower::ServiceExt as _;

use super::*;

/// 34 seconds at the minimum rate.
static CHUNK: [u8; 34 * MIN_BYTES_PER_SECOND as usize] = [0; 34 * MIN_BYTES_PER_SECOND as usize];

const DEADLINES: BodyDeadlines = BodyDeadlines {
    idle: Duration::from_secs(30),
    total: Duration::from_mins(15),
};

struct TextResponse {
    status: u16,
    body: String,
}

/// Sends a body with a pause before each of its chunks to a function that runs for
/// `work_seconds` after it has read the body.
async fn send(pauses_seconds: impl IntoIterator<Item = u64>, work_seconds: u64) -> TextResponse {
    let pauses = pauses_seconds.into_iter();
    send_chunks(pauses.map(|pause| (pause, &CHUNK[..])), work_seconds).await
}

/// Sends chunks with a pause before each.
async fn send_chunks(
    chunks: impl IntoIterator<Item = (u64, &'static [u8])>,
    work_seconds: u64,
) -> TextResponse {
    let chunks: Vec<_> = chunks.into_iter().collect();
    let chunks = futures::stream::iter(chunks).then(async |(pause, chunk)| {
        tokio::time::sleep(Duration::from_secs(pause)).await;
        Ok::<_, axum::Error>(Bytes::from_static(chunk))
    });
    let handler = async move |request: Request| match request.into_body().collect().await {
        Ok(read) => {
            tokio::time::sleep(Duration::from_secs(work_seconds)).await;
            read.to_bytes().len().to_string().into_response()
        }
        Err(_) => (StatusCode::BAD_REQUEST, "the body ended early").into_response(),
    };
    let router = Router::new()
        .route("/", post(handler))
        .layer(DefaultBodyLimit::disable());

    let request = http::Request::post("/")
        .body(Body::from_stream(chunks))
        .unwrap();
    let request = BodyTimer::attach(request, DEADLINES);
    let timer = BodyTimer::of(request.extensions());
    let response = timer
        .respond_in_time(async { router.oneshot(request).await.unwrap() })
        .await;

    let status = response.status().as_u16();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    TextResponse {
        status,
        body: String::from_utf8(bytes.to_vec()).unwrap(),
    }
}

#[tokio::test(start_paused = true)]
async fn body_may_take_minutes_while_its_client_sends() {
    let response = send([29; 30], 0).await;
    assert_eq!(response.status, 200);
    assert_eq!(response.body, (30 * CHUNK.len()).to_string());
}

#[tokio::test(start_paused = true)]
async fn body_that_stops_returns_408() {
    let response = send([1, 31], 0).await;
    assert_eq!(response.status, 408);
    let message = "No byte of the body arrived for 30 seconds.";
    assert!(response.body.contains(message), "{}", response.body);

    // Earlier waits of a small body shorten the last one, which is long nevertheless.
    let response = send_chunks([(5, &[0][..]), (31, &[0])], 0).await;
    assert_eq!(response.status, 408);
    let message = "No byte of the body arrived for 25 seconds.";
    assert!(response.body.contains(message), "{}", response.body);
}

#[tokio::test(start_paused = true)]
async fn body_below_the_minimum_rate_returns_408() {
    let started = Instant::now();
    let trickle = vec![(1, &[0][..]); 2_000];
    let response = send_chunks(trickle.clone(), 0).await;

    assert_eq!(response.status, 408);
    assert_eq!(started.elapsed().as_secs(), DEADLINES.idle.as_secs());
    let message = "less than 32 kilobytes per second";
    assert!(response.body.contains(message), "{}", response.body);

    // At half the rate, the waits exceed the received seconds by 30 after a minute.
    let half_rate = &CHUNK[..MIN_BYTES_PER_SECOND as usize / 2];
    assert_eq!(send_chunks([(1, half_rate); 59], 0).await.status, 200);
    assert_eq!(send_chunks([(1, half_rate); 62], 0).await.status, 408);

    // A fast beginning pays for a minute of waits only.
    let started = Instant::now();
    let fast = [(0, &CHUNK[..]); 30];
    let response = send_chunks(fast.into_iter().chain(trickle), 0).await;
    assert_eq!(response.status, 408);
    assert_eq!(started.elapsed().as_secs(), MAX_CREDIT.as_secs());
}

#[tokio::test(start_paused = true)]
async fn body_that_never_ends_returns_408() {
    let started = Instant::now();
    let response = send(vec![1; 2_000], 0).await;

    assert_eq!(response.status, 408);
    assert_eq!(started.elapsed(), DEADLINES.total);
    let message = "The body did not arrive within 15 minutes.";
    assert!(response.body.contains(message), "{}", response.body);
}

#[tokio::test(start_paused = true)]
async fn deadline_of_function_excludes_time_of_body() {
    let seconds = RESPONSE_DEADLINE.as_secs();
    assert_eq!(send([20, 20], seconds - 1).await.status, 200);
    assert_eq!(send([20, 20], seconds + 1).await.status, 503);
    assert_eq!(send([], seconds + 1).await.status, 503);
}

#[tokio::test(start_paused = true)]
async fn deadline_of_function_excludes_the_wait_before_the_body() {
    let timer = BodyTimer::default();
    let response = timer.respond_in_time(async {
        timer.exclude(tokio::time::sleep(RESPONSE_DEADLINE)).await;
        tokio::time::sleep(RESPONSE_DEADLINE / 2).await;
        Response::new(String::new())
    });
    assert_eq!(response.await.status(), StatusCode::OK);

    // A wait ends with its cancelled work.
    let timer = BodyTimer::default();
    let response = timer.respond_in_time(async {
        let wait = timer.exclude(std::future::pending::<()>());
        tokio::time::timeout(RESPONSE_DEADLINE, wait)
            .await
            .unwrap_err();
        tokio::time::sleep(2 * RESPONSE_DEADLINE).await;
        Response::new(String::new())
    });
    assert_eq!(response.await.status(), StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test(start_paused = true)]
async fn deadlines_of_the_body_begin_with_its_first_read() {
    let chunks = futures::stream::once(async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        Ok::<_, axum::Error>(Bytes::from_static(&CHUNK))
    });
    let request = http::Request::new(Body::from_stream(chunks));
    let request = BodyTimer::attach(request, DEADLINES);

    tokio::time::sleep(2 * DEADLINES.total).await;
    let read = request.into_body().collect().await.unwrap();
    assert_eq!(read.to_bytes().len(), CHUNK.len());
}
