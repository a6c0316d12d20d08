//! Certificates.

use rustls::RootCertStore;
use safe_http::OutboundError;

use crate::support::{Authority, FakeNetwork, LIMITS, OTHER_PUBLIC, PUBLIC, Step, authority};
use crate::support::{client, url};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

#[tokio::test(start_paused = true)]
async fn certificates_that_are_not_valid_for_the_name_are_errors() {
    for acceptor in [
        authority().server(&["example.org"]),
        authority().server(&["sub.example.com"]),
        authority().server(&["1.1.1.1"]),
        authority().expired_server(&["example.com"]),
        Authority::create().server(&["example.com"]),
    ] {
        let network = FakeNetwork::with_tls(vec![Step::send(OK)], Some(acceptor));
        network.resolve_to(&[&[PUBLIC, OTHER_PUBLIC]]);

        let error = client(&network)
            .get(&url("https://example.com/"), LIMITS)
            .await
            .unwrap_err();

        assert_eq!(
            error.to_string(),
            "The host has no valid certificate for its name."
        );
        assert_eq!(network.connections(), [PUBLIC]);
    }
}

#[tokio::test(start_paused = true)]
async fn host_without_tls_is_an_error() {
    let network = FakeNetwork::with_tls(vec![Step::send(OK)], None);

    let result = client(&network)
        .get(&url("https://example.com/"), LIMITS)
        .await;

    assert!(result.is_err(), "{result:?}");
}

#[tokio::test(start_paused = true)]
async fn client_without_root_certificates_opens_no_tls() {
    let network = FakeNetwork::serving(vec![Step::send(OK)]);
    let client = client(&network).with_roots(RootCertStore::empty());

    let result = client.get(&url("https://example.com/"), LIMITS).await;

    assert!(matches!(result, Err(OutboundError::NoRootCertificates)));
}
