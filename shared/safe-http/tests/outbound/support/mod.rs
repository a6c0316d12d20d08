//! A network in memory, its hosts and their certificates.

mod authority;
mod network;

pub(crate) use authority::{Authority, authority};
pub(crate) use network::{Accepts, FakeNetwork, Step};

use std::{sync::Arc, time::Duration};

use domain::naming::PublicHttpsUrl;
use safe_http::{FetchLimits, Fetched, Outbound, OutboundError, OutboundSettings};

pub(crate) const PUBLIC: &str = "1.1.1.1";
pub(crate) const OTHER_PUBLIC: &str = "2606:4700::1111";
/// Limits of most tests.
pub(crate) const LIMITS: FetchLimits = FetchLimits {
    deadline: Duration::from_secs(5),
    max_body_bytes: 1_000,
};

/// A client of `network` that trusts the certificate authority of the tests.
pub(crate) fn client(network: &Arc<FakeNetwork>) -> Outbound {
    Outbound::new(OutboundSettings::default())
        .with_network(network.clone())
        .with_roots(authority().roots())
}

/// Gets `https://example.com/` from a host that behaves as `steps`.
pub(crate) async fn get(steps: Vec<Step>) -> Result<Fetched, OutboundError> {
    let network = FakeNetwork::serving(steps);
    client(&network)
        .get(&url("https://example.com/"), LIMITS)
        .await
}

/// Gets `https://example.com/` from a host that sends `response` and closes the connection.
pub(crate) async fn get_response(response: &str) -> Result<Fetched, OutboundError> {
    get(vec![Step::send(response)]).await
}

pub(crate) fn url(text: &str) -> PublicHttpsUrl {
    PublicHttpsUrl::parse(text).expect(text)
}
