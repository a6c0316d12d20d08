//! Limits and validation of responses.

use std::time::Duration;

use safe_http::OutboundError;
use tokio::time::Instant;

use crate::support::{FakeNetwork, LIMITS, Step, client, get, get_response, url};

const HEAD: &str = "HTTP/1.1 200 OK\r\n";

#[tokio::test(start_paused = true)]
async fn status_content_type_and_body_are_returned() {
    let fetched = get_response(
        "HTTP/1.1 404 Not Found\r\nContent-Type: image/png\r\nContent-Length: 4\r\n\r\nbody",
    )
    .await
    .unwrap();

    assert_eq!(fetched.status, 404);
    assert_eq!(fetched.content_type.as_deref(), Some("image/png"));
    assert_eq!(fetched.body, "body");
}

#[tokio::test(start_paused = true)]
async fn body_of_exactly_the_limit_is_accepted_in_every_framing() {
    let content = "x".repeat(LIMITS.max_body_bytes);

    for response in [
        format!("{HEAD}Content-Length: 1000\r\n\r\n{content}"),
        format!("{HEAD}Transfer-Encoding: chunked\r\n\r\n3e8\r\n{content}\r\n0\r\n\r\n"),
        format!("{HEAD}\r\n{content}"),
    ] {
        assert_eq!(get_response(&response).await.unwrap().body, content);
    }
}

#[tokio::test(start_paused = true)]
async fn body_over_the_limit_is_an_error_in_every_framing() {
    let content = "x".repeat(LIMITS.max_body_bytes + 1);

    for response in [
        format!("{HEAD}Content-Length: 1001\r\n\r\n{content}"),
        format!("{HEAD}Content-Length: 9223372036854775807\r\n\r\n"),
        format!("{HEAD}Transfer-Encoding: chunked\r\n\r\n3e9\r\n{content}\r\n0\r\n\r\n"),
        format!("{HEAD}\r\n{content}"),
    ] {
        let error = get_response(&response).await.unwrap_err();
        assert_eq!(error.to_string(), "The response is larger than 1000 bytes.");
    }
}

#[tokio::test(start_paused = true)]
async fn endless_bodies_end_at_the_limit() {
    let chunk = format!("64\r\n{}\r\n", "x".repeat(100));
    let endless = [
        vec![Step::send(&format!("{HEAD}\r\n")), Step::repeat("xxxxxxxx")],
        vec![
            Step::send(&format!("{HEAD}Transfer-Encoding: chunked\r\n\r\n")),
            Step::repeat(&chunk),
        ],
    ];

    for steps in endless {
        let network = FakeNetwork::serving(steps);
        let result = client(&network)
            .get(&url("https://example.com/"), LIMITS)
            .await;

        assert!(matches!(result, Err(OutboundError::BodyTooLarge(1_000))));
        // What the buffers of TLS, of the client and of the network hold.
        assert!(network.sent_bytes() < 100_000, "{}", network.sent_bytes());
    }
}

#[tokio::test(start_paused = true)]
async fn slow_responses_end_at_the_deadline() {
    let second = Duration::from_secs(1);
    let slow = [
        vec![Step::Hang],
        vec![Step::send(HEAD), Step::Hang],
        vec![Step::Repeat(
            b"HTTP/1.1 100 Continue\r\n\r\n".to_vec(),
            second,
        )],
        vec![Step::send(HEAD), Step::Repeat(b"X: y\r\n".to_vec(), second)],
        vec![
            Step::send(&format!("{HEAD}Content-Length: 10\r\n\r\n")),
            Step::Hang,
        ],
        vec![
            Step::send(&format!("{HEAD}\r\n")),
            Step::Repeat(b"x".to_vec(), second),
        ],
    ];

    for steps in slow {
        let started = Instant::now();
        let error = get(steps.clone()).await.unwrap_err();

        assert_eq!(
            error.to_string(),
            "The host does not complete its response within 5000 ms.",
            "{steps:?}"
        );
        let elapsed = started.elapsed();
        assert!((5_000..5_010).contains(&elapsed.as_millis()), "{elapsed:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn body_shorter_than_declared_is_an_error() {
    for response in [
        format!("{HEAD}Content-Length: 100\r\n\r\nshort"),
        format!("{HEAD}Transfer-Encoding: chunked\r\n\r\n64\r\nshort"),
        HEAD.to_owned(),
        String::new(),
    ] {
        let result = get_response(&response).await;
        assert!(
            matches!(result, Err(OutboundError::Incomplete(_))),
            "{response:?}: {result:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn body_longer_than_declared_is_cut_at_its_declared_length() {
    let response = format!("{HEAD}Content-Length: 4\r\n\r\nbody and more");

    assert_eq!(get_response(&response).await.unwrap().body, "body");
}

#[tokio::test(start_paused = true)]
async fn too_large_heads_are_errors() {
    let long = format!("{HEAD}X: {}\r\n\r\n", "y".repeat(20_000));
    let many = format!("{HEAD}{}\r\n", "X: y\r\n".repeat(101));

    for steps in [
        vec![Step::send(&long)],
        vec![Step::send(&many)],
        vec![Step::send(HEAD), Step::repeat("X: y\r\n")],
        vec![Step::send("HTTP/1.1 200 "), Step::repeat("OK")],
    ] {
        let result = get(steps).await;
        assert!(
            matches!(result, Err(OutboundError::HeadersTooLarge)),
            "{result:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn encoded_responses_are_errors() {
    for header in [
        "Content-Encoding: gzip",
        "Content-Encoding: br",
        "Content-Encoding: identity, gzip",
        "Content-Encoding: identity\r\nContent-Encoding: gzip",
        "Transfer-Encoding: gzip, chunked",
    ] {
        let response = format!("{HEAD}{header}\r\n\r\n0\r\n\r\n");
        let result = get_response(&response).await;
        assert!(matches!(result, Err(OutboundError::Encoded)), "{header}");
    }

    let plain = format!("{HEAD}Content-Encoding: Identity\r\n\r\nbody");
    assert_eq!(get_response(&plain).await.unwrap().body, "body");
}

#[tokio::test(start_paused = true)]
async fn responses_that_are_not_http_are_errors() {
    for response in [
        "SSH-2.0-OpenSSH_9.2\r\n\r\n",
        "HTTP/1.1 2000 OK\r\n\r\n",
        "<html></html>\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nxx",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
    ] {
        let result = get_response(response).await;
        assert!(
            matches!(result, Err(OutboundError::InvalidResponse(_))),
            "{response:?}: {result:?}"
        );
    }
}
