//! The host, port and path of a URL, and the addresses that its host may have.

use std::net::{IpAddr, Ipv4Addr};

use domain::naming::{PublicHttpsUrl, UrlPolicy, is_public_address};
use http::{HeaderValue, Uri};
use rustls::pki_types::ServerName;
use url::{Host, Position, Url};

use crate::OutboundError;

/// Parts of a URL that are needed to call it.
pub(crate) struct Destination {
    /// Name or address.
    pub(crate) host: Host<String>,
    /// Port, explicit or of the scheme.
    pub(crate) port: u16,
    /// Name that the certificate must have. `None` for loopback hosts, which use no TLS.
    pub(crate) server_name: Option<ServerName<'static>>,
    pub(crate) authority: HeaderValue,
    pub(crate) target: Uri,
}

impl Destination {
    /// Parses a URL under a policy, which may be stricter than the one that accepted the URL.
    pub(crate) fn parse(
        url: &PublicHttpsUrl,
        policy: UrlPolicy,
    ) -> Result<Destination, OutboundError> {
        let accepted = PublicHttpsUrl::parse_with(url.as_str(), policy)
            .map_err(|_| OutboundError::UrlNotAllowed)?;
        let url = Url::parse(accepted.as_str()).map_err(|_| OutboundError::UrlNotAllowed)?;

        Destination::from_url(&url).ok_or(OutboundError::UrlNotAllowed)
    }

    fn from_url(url: &Url) -> Option<Destination> {
        let host = url.host()?.to_owned();
        let server_name = if url.scheme() == "https" {
            Some(server_name(&host)?)
        } else {
            None
        };

        Some(Destination {
            port: url.port_or_known_default()?,
            server_name,
            authority: HeaderValue::from_str(&url[Position::BeforeHost..Position::AfterPort])
                .ok()?,
            target: url[Position::BeforePath..Position::AfterQuery]
                .parse()
                .ok()?,
            host,
        })
    }

    /// Returns the address of a host that is not a name.
    pub(crate) fn literal(&self) -> Option<IpAddr> {
        match self.host {
            Host::Domain(_) => None,
            Host::Ipv4(address) => Some(address.into()),
            Host::Ipv6(address) => Some(address.into()),
        }
    }

    /// Whether the connection may go to this address. A loopback host has loopback addresses only,
    /// any other host public addresses only.
    pub(crate) fn allows(&self, address: IpAddr) -> bool {
        if self.server_name.is_some() {
            return is_public_address(address);
        }
        match address {
            IpAddr::V4(address) => address == Ipv4Addr::LOCALHOST,
            IpAddr::V6(address) => address.is_loopback(),
        }
    }
}

fn server_name(host: &Host<String>) -> Option<ServerName<'static>> {
    match host {
        Host::Domain(name) => ServerName::try_from(name.clone()).ok(),
        Host::Ipv4(address) => Some(ServerName::IpAddress(IpAddr::V4(*address).into())),
        Host::Ipv6(address) => Some(ServerName::IpAddress(IpAddr::V6(*address).into())),
    }
}
