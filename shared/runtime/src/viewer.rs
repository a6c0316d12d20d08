//! Who sent a request, as its front saw it.
//!
//! Invariant: the front alone decides who the viewer is: from the connection, from what the
//! platform says of it, or from the headers that trusted proxies in front of a container write. A
//! client may write any header, so no other is read.

use std::net::IpAddr;

use domain::ServiceError;
use http::{Extensions, HeaderMap, header, uri::Authority};

/// The addresses that a request came by, the latest last; each proxy appends that of its peer.
const FORWARDED_FOR: &str = "x-forwarded-for";
/// The scheme by which the request reached the proxies.
const FORWARDED_PROTO: &str = "x-forwarded-proto";

/// Who sent a request: an extension that the front gives to each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Viewer {
    /// The address of the client, or of a proxy between a container and its clients that is not
    /// trusted.
    pub address: IpAddr,
    /// Whether nobody on the way could read the request: it came by TLS, or from this machine, as
    /// browsers have it.
    pub is_secure: bool,
    /// What begins the addresses by which the viewer comes: `http` or `https`.
    pub scheme: &'static str,
}

impl Viewer {
    /// The viewer at the other end of a connection without TLS.
    pub fn connected(address: IpAddr) -> Viewer {
        let address = address.to_canonical();
        Viewer {
            address,
            is_secure: address.is_loopback(),
            scheme: "http",
        }
    }

    /// The viewer at the other end of so many trusted proxies, of which the last is `peer`; the
    /// peer itself if there are none, or if `X-Forwarded-For` is missing or malformed.
    ///
    /// The viewer's address is the one that the first of these proxies appended: as many places
    /// from the right as there are proxies. What stands left of it may come from the client.
    pub(crate) fn behind_proxies(
        trusted_proxies: usize,
        peer: IpAddr,
        headers: &HeaderMap,
    ) -> Viewer {
        let connected = Viewer::connected(peer);
        let Some(place) = trusted_proxies.checked_sub(1) else {
            return connected;
        };
        let Some(address) = forwarded_address(headers, place) else {
            return connected;
        };

        let viewer = Viewer::connected(address);
        let mut schemes = headers.get_all(FORWARDED_PROTO).iter();
        let scheme = schemes.next().filter(|_| schemes.next().is_none());
        let is_tls = scheme.is_some_and(|scheme| scheme.as_bytes().eq_ignore_ascii_case(b"https"));
        if is_tls {
            Viewer {
                is_secure: true,
                scheme: "https",
                ..viewer
            }
        } else {
            viewer
        }
    }

    /// The viewer of whom a Lambda is told, which AWS lets come by TLS alone. On this machine,
    /// where functions run as Lambdas as well, there is none before them.
    pub(crate) fn told(address: IpAddr) -> Viewer {
        let connected = Viewer::connected(address);
        if connected.is_secure {
            connected
        } else {
            Viewer {
                is_secure: true,
                scheme: "https",
                ..connected
            }
        }
    }

    /// The viewer of a request with these extensions. That there is none is a error of ours.
    pub fn of(extensions: &Extensions) -> Result<Viewer, ServiceError> {
        extensions
            .get()
            .copied()
            .ok_or_else(|| ServiceError::internal("the front does not say who sent the request"))
    }

    /// The address by which the viewer reached us, as far as the host and its port:
    /// `https://api.example.com`. The host is what the viewer says it is.
    pub fn base_url(&self, headers: &HeaderMap) -> Result<String, ServiceError> {
        let host = headers
            .get(header::HOST)
            .and_then(|host| Authority::try_from(host.as_bytes()).ok());
        let host = host.filter(|host| !host.as_str().contains('@'));
        let host = host.ok_or_else(|| {
            ServiceError::malformed("The request needs a Host header, with a host.")
        })?;
        Ok(format!("{}://{host}", self.scheme))
    }
}

/// Returns the address at a place of `X-Forwarded-For`, counted from the right, from 0.
fn forwarded_address(headers: &HeaderMap, place: usize) -> Option<IpAddr> {
    let lines: Result<Vec<&str>, _> = headers
        .get_all(FORWARDED_FOR)
        .iter()
        .map(|line| line.to_str())
        .collect();
    let addresses: Vec<&str> = lines
        .ok()?
        .into_iter()
        .flat_map(|line| line.split(','))
        .collect();
    addresses.into_iter().rev().nth(place)?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use domain::ErrorKind;

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
            (
                "::ffff:127.0.0.1",
                ("127.0.0.1", true, "http"),
                (true, "http"),
            ),
            (
                "203.0.113.7",
                ("203.0.113.7", false, "http"),
                (true, "https"),
            ),
            ("10.0.0.1", ("10.0.0.1", false, "http"), (true, "https")),
            (
                "2001:db8::1",
                ("2001:db8::1", false, "http"),
                (true, "https"),
            ),
        ] {
            let (canonical, is_secure, scheme) = connected;
            assert_eq!(
                seen(Viewer::connected(address(told))),
                (canonical.to_owned(), is_secure, scheme)
            );
            assert_eq!(
                seen(Viewer::told(address(told))),
                (canonical.to_owned(), told_secure.0, told_secure.1)
            );
        }
    }

    /// The viewer behind so many proxies, by these values of its forwarding headers.
    fn behind(
        trusted_proxies: usize,
        forwarded_for: &[&str],
        proto: &[&str],
    ) -> (String, bool, &'static str) {
        let mut headers = HeaderMap::new();
        for value in forwarded_for {
            headers.append(FORWARDED_FOR, value.parse().unwrap());
        }
        for value in proto {
            headers.append(FORWARDED_PROTO, value.parse().unwrap());
        }
        let viewer = Viewer::behind_proxies(trusted_proxies, address("10.0.0.1"), &headers);
        (viewer.address.to_string(), viewer.is_secure, viewer.scheme)
    }

    #[test]
    fn viewer_is_the_address_that_the_first_trusted_proxy_appended() {
        let peer = || ("10.0.0.1".to_owned(), false, "http");
        let viewer = |address: &str| (address.to_owned(), true, "https");
        assert_eq!(
            behind(1, &["203.0.113.7"], &["https"]),
            viewer("203.0.113.7")
        );
        assert_eq!(
            behind(2, &["203.0.113.7, 10.0.0.2"], &["HTTPS"]),
            viewer("203.0.113.7")
        );
        assert_eq!(
            behind(2, &["203.0.113.7", "10.0.0.2"], &["https"]),
            viewer("203.0.113.7")
        );
        assert_eq!(
            behind(1, &["2001:db8::1"], &["https"]),
            viewer("2001:db8::1")
        );
        assert_eq!(
            behind(1, &["203.0.113.7"], &["http"]),
            ("203.0.113.7".to_owned(), false, "http")
        );

        // What a client writes stands left of what the proxies append.
        assert_eq!(
            behind(1, &["127.0.0.1, 192.0.2.1, 203.0.113.7"], &["https"]),
            viewer("203.0.113.7")
        );
        assert_eq!(
            behind(1, &["127.0.0.1", "203.0.113.7"], &["https"]),
            viewer("203.0.113.7")
        );
        assert_eq!(
            behind(2, &["garbage, 203.0.113.7, 10.0.0.2"], &["https"]),
            viewer("203.0.113.7")
        );
        assert_eq!(behind(0, &["203.0.113.7"], &["https"]), peer());

        // A missing or malformed address falls back to the peer.
        for forwarded_for in [
            &[][..],
            &[""],
            &["unknown"],
            &["203.0.113.7:80"],
            &["203.0.113.7,"],
            &["203.0.113.7, x"],
        ] {
            assert_eq!(
                behind(1, forwarded_for, &["https"]),
                peer(),
                "{forwarded_for:?}"
            );
        }
        assert_eq!(behind(2, &["203.0.113.7"], &["https"]), peer());
        for proto in [&[][..], &["ftp"], &["https", "http"], &["https, http"]] {
            assert_eq!(
                behind(1, &["203.0.113.7"], proto),
                ("203.0.113.7".to_owned(), false, "http"),
                "{proto:?}"
            );
        }
    }

    #[test]
    fn a_request_without_a_front_has_no_viewer() {
        let mut extensions = Extensions::new();
        assert_eq!(
            Viewer::of(&extensions).unwrap_err().kind,
            ErrorKind::Internal
        );
        let viewer = Viewer::connected(address("127.0.0.1"));
        extensions.insert(viewer);
        assert_eq!(Viewer::of(&extensions).unwrap(), viewer);
    }

    #[test]
    fn the_base_address_is_that_of_the_host_that_was_asked() {
        let base_url = |viewer: Viewer, host: &str| {
            let headers = HeaderMap::from_iter([(header::HOST, host.parse().unwrap())]);
            viewer.base_url(&headers).map_err(|error| error.kind)
        };
        let here = Viewer::connected(address("127.0.0.1"));
        let there = Viewer::told(address("203.0.113.7"));
        assert_eq!(
            base_url(here, "127.0.0.1:9000").unwrap(),
            "http://127.0.0.1:9000"
        );
        assert_eq!(
            base_url(there, "api.example.com").unwrap(),
            "https://api.example.com"
        );
        for wrong in ["", "a@b", "a/b", "a?b", "a b"] {
            assert_eq!(base_url(there, wrong), Err(ErrorKind::Malformed), "{wrong}");
        }
        assert_eq!(
            there.base_url(&HeaderMap::new()).unwrap_err().kind,
            ErrorKind::Malformed
        );
    }
}
