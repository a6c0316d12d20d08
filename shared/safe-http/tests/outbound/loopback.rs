//! Loopback hosts.

use std::sync::Arc;

use domain::naming::{PublicHttpsUrl, UrlPolicy};
use safe_http::{Outbound, OutboundError, OutboundSettings};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

use crate::support::{FakeNetwork, LIMITS, Step};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";

fn loopback_url(text: &str) -> PublicHttpsUrl {
    PublicHttpsUrl::parse_with(text, UrlPolicy::AllowLoopback).expect(text)
}

fn settings(url_policy: UrlPolicy) -> OutboundSettings {
    OutboundSettings {
        url_policy,
        ..OutboundSettings::default()
    }
}

#[tokio::test]
async fn hosts_of_this_machine_are_called_where_the_policy_allows_them() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let client = Outbound::new(settings(UrlPolicy::AllowLoopback));

    for host in ["127.0.0.1", "localhost"] {
        let url = loopback_url(&format!("http://{host}:{port}/"));
        let serve = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 1_024];
            let length = stream.read(&mut request).await.unwrap();
            stream.write_all(OK.as_bytes()).await.unwrap();
            String::from_utf8_lossy(&request[..length]).into_owned()
        };

        let (fetched, request) = tokio::join!(client.get(&url, LIMITS), serve);

        assert_eq!(fetched.unwrap().body, "hi");
        assert!(request.contains(&format!("host: {host}:{port}\r\n")));
    }
}

#[tokio::test(start_paused = true)]
async fn loopback_is_refused_where_the_policy_does_not_allow_it() {
    let network = FakeNetwork::with_tls(vec![Step::send(OK)], None);
    let client = Outbound::new(settings(UrlPolicy::PublicOnly)).with_network(network.clone());

    for text in ["http://127.0.0.1:9000/", "http://localhost:9000/"] {
        let result = client.get(&loopback_url(text), LIMITS).await;
        assert!(matches!(result, Err(OutboundError::UrlNotAllowed)));
    }
    assert!(network.connections().is_empty());
}

#[tokio::test(start_paused = true)]
async fn loopback_policy_allows_neither_localhost_elsewhere_nor_names_that_resolve_to_loopback() {
    let network: Arc<FakeNetwork> = FakeNetwork::serving(vec![Step::send(OK)]);
    let client = Outbound::new(settings(UrlPolicy::AllowLoopback)).with_network(network.clone());

    for (text, address) in [
        ("http://localhost/", "1.1.1.1"),
        ("http://localhost/", "10.0.0.1"),
        ("http://localhost/", "::ffff:127.0.0.1"),
        ("https://example.com/", "127.0.0.1"),
        ("https://example.com/", "::1"),
    ] {
        network.resolve_to(&[&[address]]);
        let result = client.get(&loopback_url(text), LIMITS).await;
        assert!(
            matches!(result, Err(OutboundError::PrivateAddress)),
            "{text}"
        );
    }
    assert!(network.connections().is_empty());
}
