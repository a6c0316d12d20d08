//! Opens connections to checked addresses.

use std::{
    net::{IpAddr, SocketAddr},
    time::Duration,
};

use rustls::pki_types::ServerName;
use tokio::time::timeout;
use url::Host;

use crate::{Network, OutboundError, Stream, destination::Destination, tls::Tls};

/// Maximum number of addresses of a host that are tried.
const MAX_ATTEMPTS: usize = 3;

/// Resolves the host, checks all its addresses, and connects to the first that accepts.
///
/// Only addresses that do not accept a connection are skipped: a host whose certificate is not
/// valid fails at once. `attempt_timeout` applies to each address.
pub(crate) async fn connect(
    network: &dyn Network,
    tls: &Tls,
    destination: &Destination,
    attempt_timeout: Duration,
) -> Result<Box<dyn Stream>, OutboundError> {
    let addresses = checked_addresses(network, destination).await?;

    let mut last = OutboundError::ConnectTimeout(attempt_timeout);
    for address in addresses.into_iter().take(MAX_ATTEMPTS) {
        let address = SocketAddr::new(address, destination.port);
        let attempt = open(network, tls, address, destination.server_name.as_ref());
        last = match timeout(attempt_timeout, attempt).await {
            Ok(Err(error @ OutboundError::Connect(_))) => error,
            Ok(result) => return result,
            Err(_) => OutboundError::ConnectTimeout(attempt_timeout),
        };
    }
    Err(last)
}

/// Returns the addresses of the host. Fails if there are none, or if one of them is not allowed.
async fn checked_addresses(
    network: &dyn Network,
    destination: &Destination,
) -> Result<Vec<IpAddr>, OutboundError> {
    let addresses = match (&destination.host, destination.literal()) {
        (Host::Domain(name), _) => network
            .resolve(name)
            .await
            .map_err(OutboundError::Unresolved)?,
        (_, literal) => literal.into_iter().collect(),
    };

    if addresses.is_empty() {
        return Err(OutboundError::NoAddress);
    }
    if !addresses.iter().all(|address| destination.allows(*address)) {
        return Err(OutboundError::PrivateAddress);
    }
    Ok(addresses)
}

/// Connects to one address. A `server_name` asks for TLS.
async fn open(
    network: &dyn Network,
    tls: &Tls,
    address: SocketAddr,
    server_name: Option<&ServerName<'static>>,
) -> Result<Box<dyn Stream>, OutboundError> {
    let stream = network
        .connect(address)
        .await
        .map_err(OutboundError::Connect)?;

    match server_name {
        Some(name) => tls.handshake(stream, name.clone()).await,
        None => Ok(stream),
    }
}
