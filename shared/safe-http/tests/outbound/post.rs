//! `POST`, for webhooks.

use std::{sync::Arc, time::Duration};

use domain::env::Timestamp;
use http::{HeaderMap, HeaderValue};
use safe_http::{OutboundError, PostRequest, Posted, RetryAfter};

use crate::support::{FakeNetwork, LIMITS, Step, client, url};

async fn post(network: &Arc<FakeNetwork>) -> Result<Posted, OutboundError> {
    let mut headers = HeaderMap::new();
    headers.insert("content-type", HeaderValue::from_static("application/json"));
    headers.insert("webhook-id", HeaderValue::from_static("msg_1"));
    headers.insert("host", HeaderValue::from_static("internal"));
    headers.insert("content-length", HeaderValue::from_static("1"));
    headers.insert("transfer-encoding", HeaderValue::from_static("chunked"));
    let request = PostRequest {
        headers,
        body: r#"{"a":1}"#.into(),
    };

    client(network)
        .post(&url("https://example.com/hook"), request, LIMITS)
        .await
}

async fn post_to(steps: Vec<Step>) -> Result<Posted, OutboundError> {
    post(&FakeNetwork::serving(steps)).await
}

#[tokio::test(start_paused = true)]
async fn headers_and_body_are_sent() {
    let network = FakeNetwork::serving(vec![Step::send(
        "HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\nok",
    )]);

    let posted = post(&network).await.unwrap();

    assert_eq!(posted.status, 202);
    assert_eq!(posted.retry_after, None);
    assert_eq!(posted.body_start, "ok");
    let request = network.request();
    assert!(request.starts_with("POST /hook HTTP/1.1\r\n"), "{request}");
    assert!(request.ends_with("\r\n\r\n{\"a\":1}"), "{request}");
    for header in [
        "content-type: application/json\r\n",
        "webhook-id: msg_1\r\n",
        "host: example.com\r\n",
        "content-length: 7\r\n",
        "connection: close\r\n",
    ] {
        assert_eq!(request.matches(header).count(), 1, "{request}");
    }
    assert!(!request.contains("internal"), "{request}");
    assert!(!request.contains("transfer-encoding"), "{request}");
}

#[tokio::test(start_paused = true)]
async fn retry_after_is_parsed() {
    let now = Timestamp::from_seconds(784_111_000);
    let cases = [
        ("120", Some(RetryAfter::Seconds(120)), 784_111_120),
        ("0", Some(RetryAfter::Seconds(0)), 784_111_000),
        (
            "Sun, 06 Nov 1994 08:49:37 GMT",
            Some(RetryAfter::At(Timestamp::from_seconds(784_111_777))),
            784_111_777,
        ),
        (
            "99999999999999999999",
            Some(RetryAfter::Seconds(u32::MAX)),
            784_111_000 + i64::from(u32::MAX),
        ),
        ("-1", None, 784_111_000),
        ("1.5", None, 784_111_000),
        ("soon", None, 784_111_000),
        ("", None, 784_111_000),
    ];

    for (text, expected, moment) in cases {
        let response =
            format!("HTTP/1.1 503 Unavailable\r\nRetry-After: {text}\r\nContent-Length: 0\r\n\r\n");
        let posted = post_to(vec![Step::send(&response)]).await.unwrap();

        assert_eq!(posted.status, 503);
        assert_eq!(posted.retry_after, expected, "{text}");
        let retry_at = posted.retry_after.map_or(now, |retry| retry.moment(now));
        assert_eq!(retry_at, Timestamp::from_seconds(moment), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn status_counts_when_the_body_is_endless_slow_incomplete_or_encoded() {
    let endless = vec![
        Step::send("HTTP/1.1 200 OK\r\n\r\n"),
        Step::repeat("xxxxxxxx"),
    ];
    let slow = vec![
        Step::send("HTTP/1.1 200 OK\r\n\r\n"),
        Step::Repeat(b"x".to_vec(), Duration::from_millis(900)),
    ];
    let incomplete = vec![Step::send(
        "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nstart",
    )];
    let encoded = vec![Step::send(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n..",
    )];

    let mut starts = Vec::new();
    for steps in [endless, slow, incomplete, encoded] {
        let posted = post_to(steps).await.unwrap();
        assert_eq!(posted.status, 200);
        starts.push(posted.body_start.len());
    }
    assert_eq!(starts, [1_000, 5, 5, 2]);
}

#[tokio::test(start_paused = true)]
async fn redirects_timeouts_and_closed_connections_are_errors() {
    let redirect = "HTTP/1.1 307 Temporary\r\nLocation: /\r\nContent-Length: 0\r\n\r\n";
    let redirected = post_to(vec![Step::send(redirect)]).await;
    assert!(matches!(redirected, Err(OutboundError::Redirect(status)) if status == 307));

    let silent = post_to(vec![Step::Hang]).await;
    assert!(matches!(silent, Err(OutboundError::DeadlineExceeded(_))));

    let closed = post_to(Vec::new()).await;
    assert!(matches!(closed, Err(OutboundError::Incomplete(_))));
}
