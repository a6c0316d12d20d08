//! Who sent a request, as its front saw it.
//!
//! Invariant: a viewer is told by the front alone, from the connection or from what the platform says of it, and by no
//! header, since a client may write any.

use std::net::IpAddr;

use domain::Fault;
use http::{Extensions, HeaderMap, header, uri::Authority};

/// Who sent a request: an extension that the front gives to each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Viewer {
    /// The address of the client, or of what stands between a container and its clients.
    pub address: IpAddr,
    /// Whether nobody on the way could read the request: it came by TLS, or from this machine, as browsers have it.
    pub is_secure: bool,
    /// What begins the addresses by which the viewer comes: `http` or `https`.
    pub scheme: &'static str,
}

impl Viewer {
    /// The viewer at the other end of a connection without TLS.
    pub fn connected(address: IpAddr) -> Viewer {
        let address = address.to_canonical();
        Viewer { address, is_secure: address.is_loopback(), scheme: "http" }
    }

    /// The viewer of whom a Lambda is told, which AWS lets come by TLS alone. On this machine, where functions run as
    /// Lambdas as well, there is none before them.
    pub(crate) fn told(address: IpAddr) -> Viewer {
        let connected = Viewer::connected(address);
        if connected.is_secure { connected } else { Viewer { is_secure: true, scheme: "https", ..connected } }
    }

    /// The viewer of a request with these extensions. That there is none is a fault of ours.
    pub fn of(extensions: &Extensions) -> Result<Viewer, Fault> {
        extensions.get().copied().ok_or_else(|| Fault::internal("the front does not say who sent the request"))
    }

    /// The address by which the viewer reached us, as far as the host and its port: `https://api.example.com`. The host is
    /// what the viewer says it is.
    pub fn base_url(&self, headers: &HeaderMap) -> Result<String, Fault> {
        let host = headers.get(header::HOST).and_then(|host| Authority::try_from(host.as_bytes()).ok());
        let host = host.filter(|host| !host.as_str().contains('@'));
        let host = host.ok_or_else(|| Fault::malformed("The request needs a Host header, with a host."))?;
        Ok(format!("{}://{host}", self.scheme))
    }
}

#[cfg(test)]
mod tests {
    use domain::FaultKind;

    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_viewer_is_secure_by_tls_or_on_this_machine() {
        let seen = |viewer: Viewer| (viewer.address.to_string(), viewer.is_secure, viewer.scheme);
        for (told, connected, told_secure) in [
            ("127.0.0.1", ("127.0.0.1", true, "http"), (true, "http")),
            ("::1", ("::1", true, "http"), (true, "http")),
            ("::ffff:127.0.0.1", ("127.0.0.1", true, "http"), (true, "http")),
            ("203.0.113.7", ("203.0.113.7", false, "http"), (true, "https")),
            ("10.0.0.1", ("10.0.0.1", false, "http"), (true, "https")),
            ("2001:db8::1", ("2001:db8::1", false, "http"), (true, "https")),
        ] {
            let (canonical, is_secure, scheme) = connected;
            assert_eq!(seen(Viewer::connected(address(told))), (canonical.to_owned(), is_secure, scheme));
            assert_eq!(seen(Viewer::told(address(told))), (canonical.to_owned(), told_secure.0, told_secure.1));
        }
    }

    #[test]
    fn a_request_without_a_front_has_no_viewer() {
        let mut extensions = Extensions::new();
        assert_eq!(Viewer::of(&extensions).unwrap_err().kind, FaultKind::Internal);
        let viewer = Viewer::connected(address("127.0.0.1"));
        extensions.insert(viewer);
        assert_eq!(Viewer::of(&extensions).unwrap(), viewer);
    }

    #[test]
    fn the_base_address_is_that_of_the_host_that_was_asked() {
        let base_url = |viewer: Viewer, host: &str| {
            let headers = HeaderMap::from_iter([(header::HOST, host.parse().unwrap())]);
            viewer.base_url(&headers).map_err(|fault| fault.kind)
        };
        let here = Viewer::connected(address("127.0.0.1"));
        let there = Viewer::told(address("203.0.113.7"));
        assert_eq!(base_url(here, "127.0.0.1:9000").unwrap(), "http://127.0.0.1:9000");
        assert_eq!(base_url(there, "api.example.com").unwrap(), "https://api.example.com");
        for wrong in ["", "a@b", "a/b", "a?b", "a b"] {
            assert_eq!(base_url(there, wrong), Err(FaultKind::Malformed), "{wrong}");
        }
        assert_eq!(there.base_url(&HeaderMap::new()).unwrap_err().kind, FaultKind::Malformed);
    }
}
