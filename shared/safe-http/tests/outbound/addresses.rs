//! Resolution, checks of addresses, and connections.

use std::{sync::Arc, time::Duration};

use domain::naming::PublicHttpsUrl;
use safe_http::{FetchLimits, Fetched, OutboundError};

use crate::support::{
    Accepts, FakeNetwork, LIMITS, OTHER_PUBLIC, PUBLIC, Step, authority, client, get_response, url,
};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";

fn network() -> Arc<FakeNetwork> {
    FakeNetwork::serving(vec![Step::send(OK)])
}

async fn get(network: &Arc<FakeNetwork>) -> Result<Fetched, OutboundError> {
    client(network)
        .get(&url("https://example.com/"), LIMITS)
        .await
}

#[tokio::test(start_paused = true)]
async fn request_goes_to_the_resolved_address_with_the_host_of_the_url() {
    let network = network();

    let url = url("https://EXAMPLE.com:8443/a%20b/ü?x={1}&y=%2F#fragment");
    let fetched = client(&network).get(&url, LIMITS).await.unwrap();

    assert_eq!(fetched.body, "hi");
    assert_eq!(network.names(), ["example.com"]);
    assert_eq!(network.connections(), [PUBLIC]);
    assert_eq!(network.ports(), [8443]);
    let request = network.request().to_lowercase();
    assert!(request.starts_with("get /a%20b/%c3%bc?x={1}&y=%2f http/1.1\r\n"));
    assert!(request.contains("host: example.com:8443\r\n"));
    assert!(request.contains("user-agent: larder/"));
    assert!(!request.contains("accept-encoding"));
    assert!(!request.contains("content-length"));
}

#[tokio::test(start_paused = true)]
async fn rebinding_name_is_resolved_once_for_a_request_and_again_for_the_next() {
    let network = network();
    network.resolve_to(&[&[PUBLIC], &["169.254.169.254"]]);

    assert!(get(&network).await.is_ok());
    assert_eq!(network.names().len(), 1);
    assert_eq!(network.connections(), [PUBLIC]);

    let error = get(&network).await.unwrap_err();
    assert!(matches!(error, OutboundError::PrivateAddress));
    assert_eq!(error.to_string(), "The host resolves to a private address.");
    assert_eq!(network.connections(), [PUBLIC]);
}

#[tokio::test(start_paused = true)]
async fn one_private_address_among_public_ones_refuses_the_name() {
    let network = network();
    let private = [
        "10.0.0.1",
        "127.0.0.1",
        "100.64.0.1",
        "169.254.169.254",
        "192.168.1.1",
        "224.0.0.1",
        "240.0.0.1",
        "0.0.0.0",
        "::1",
        "::",
        "::ffff:10.0.0.1",
        "::ffff:1.1.1.1",
        "64:ff9b::a00:1",
        "2002:a00:1::",
        "fd00:ec2::254",
        "fe80::1",
        "ff02::1",
    ];

    for address in private {
        for answer in [[PUBLIC, address], [address, PUBLIC]] {
            network.resolve_to(&[&answer]);
            let result = get(&network).await;
            assert!(
                matches!(result, Err(OutboundError::PrivateAddress)),
                "{answer:?}"
            );
        }
    }
    assert!(network.connections().is_empty());
}

#[tokio::test(start_paused = true)]
async fn stored_urls_with_private_addresses_are_refused_without_resolution() {
    let network = network();

    for text in [
        "https://10.0.0.1/",
        "https://[::1]/",
        "https://[::ffff:1.1.1.1]/",
        "https://0x7f.1/",
        "https://localhost/",
        "http://localhost/",
        "http://127.0.0.1/",
        "http://example.com/",
        "https://user:secret@example.com/",
        "https://example.com:65536/",
        "file:///etc/passwd",
        "",
    ] {
        let result = client(&network).get(&stored(text), LIMITS).await;
        assert!(
            matches!(result, Err(OutboundError::UrlNotAllowed)),
            "{text}"
        );
    }
    assert!(network.names().is_empty());
    assert!(network.connections().is_empty());
}

/// A URL that was stored under another policy: deserialization does not validate.
fn stored(text: &str) -> PublicHttpsUrl {
    serde_json::from_value(text.into()).expect("a string")
}

#[tokio::test(start_paused = true)]
async fn public_literal_is_called_without_resolution() {
    let acceptor = authority().server(&["1.1.1.1"]);
    let network = FakeNetwork::with_tls(vec![Step::send(OK)], Some(acceptor));

    let fetched = client(&network).get(&url("https://1.1.1.1/"), LIMITS).await;

    assert!(fetched.is_ok());
    assert!(network.names().is_empty());
    assert_eq!(network.connections(), [PUBLIC]);
}

#[tokio::test(start_paused = true)]
async fn next_address_is_tried_after_one_that_refuses_or_ignores_connections() {
    for accepts in [Accepts::None, Accepts::Never] {
        let network = network();
        network.resolve_to(&[&[PUBLIC, OTHER_PUBLIC]]);
        network.close(PUBLIC, accepts);

        assert!(get(&network).await.is_ok());
        assert_eq!(network.connections(), [PUBLIC, OTHER_PUBLIC]);
    }
}

#[tokio::test(start_paused = true)]
async fn at_most_three_addresses_are_tried() {
    let network = network();
    let addresses = ["1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4"];
    network.resolve_to(&[&addresses]);
    for address in addresses {
        network.close(address, Accepts::None);
    }

    let result = get(&network).await;

    assert!(matches!(result, Err(OutboundError::Connect(_))));
    assert_eq!(network.connections(), addresses[..3]);
}

#[tokio::test(start_paused = true)]
async fn deadline_applies_to_connections_too() {
    let network = network();
    network.close(PUBLIC, Accepts::Never);

    let error = get(&network).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "The host does not accept a connection within 2000 ms."
    );

    let limits = FetchLimits {
        deadline: Duration::from_millis(1_500),
        ..LIMITS
    };
    let result = client(&network)
        .get(&url("https://example.com/"), limits)
        .await;
    assert!(matches!(result, Err(OutboundError::DeadlineExceeded(_))));
}

#[tokio::test(start_paused = true)]
async fn names_without_address_are_errors() {
    let network = network();

    network.resolve_to(&[]);
    let result = get(&network).await;
    assert!(matches!(result, Err(OutboundError::Unresolved(_))));

    network.resolve_to(&[&[]]);
    let result = get(&network).await;
    assert!(matches!(result, Err(OutboundError::NoAddress)));
}

#[tokio::test(start_paused = true)]
async fn redirect_is_an_error_and_is_not_followed() {
    for target in ["https://example.com/other", "http://169.254.169.254/", "/"] {
        let response =
            format!("HTTP/1.1 302 Found\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n");
        let error = get_response(&response).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "The host responds with a redirect (302). Redirects are not followed."
        );
    }
}
