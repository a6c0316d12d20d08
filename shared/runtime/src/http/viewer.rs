//! The client of a request: its address, and whether the connection is secure.
//!
//! Invariant: the viewer comes from the TCP connection, from the request context of a Lambda event,
//! or from the headers that a container's trusted proxies write. A client can send any header, so
//! no other header is read.

use std::net::IpAddr;

use domain::errors::ServiceError;
use http::{Extensions, HeaderMap, header, uri::Authority};

/// Header with the addresses of client and proxies; each proxy appends that of its peer.
const FORWARDED_FOR: &str = "x-forwarded-for";
/// Header with the scheme of the connection to the proxies.
const FORWARDED_PROTO: &str = "x-forwarded-proto";

/// The client of a request, stored in the request's extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Viewer {
    /// Address of the client, or of an untrusted proxy in front of a container.
    pub address: IpAddr,
    /// Whether the request came over TLS or from a loopback address, which browsers treat as
    /// secure.
    pub is_secure: bool,
    /// Scheme of the URLs that the viewer requests: `http` or `https`.
    pub scheme: &'static str,
}

impl Viewer {
    /// Returns the viewer of a connection without TLS.
    pub fn connected(address: IpAddr) -> Viewer {
        let address = address.to_canonical();
        Viewer {
            address,
            is_secure: address.is_loopback(),
            scheme: "http",
        }
    }

    /// Returns the viewer in front of `trusted_proxies` proxies, the last being `peer`; the peer
    /// itself if there are none, or if `X-Forwarded-For` is missing or malformed.
    ///
    /// The first proxy appended the viewer's address, so it is entry `trusted_proxies` of the
    /// header, counted from the right. Entries to its left may come from the client.
    pub(crate) fn behind_proxies(
        trusted_proxies: usize,
        peer: IpAddr,
        headers: &HeaderMap,
    ) -> Viewer {
        let connected = Viewer::connected(peer);
        let Some(index_from_right) = trusted_proxies.checked_sub(1) else {
            return connected;
        };
        let Some(address) = forwarded_address(headers, index_from_right) else {
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

    /// Returns the viewer of a Lambda event. API Gateway and CloudFront accept TLS only; the local
    /// stack, whose viewers have a loopback address, has no TLS.
    pub(crate) fn of_event(address: IpAddr) -> Viewer {
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

    /// Returns the viewer of a request. Fails with 500 if the server did not set it.
    pub fn of(extensions: &Extensions) -> Result<Viewer, ServiceError> {
        extensions
            .get()
            .copied()
            .ok_or_else(|| ServiceError::internal("the request has no viewer"))
    }

    /// Returns the base URL of the request, for example `https://api.example.com`, from its `Host`
    /// header. Fails with 400 without a valid one.
    pub fn base_url(&self, headers: &HeaderMap) -> Result<String, ServiceError> {
        let host = headers
            .get(header::HOST)
            .and_then(|host| Authority::try_from(host.as_bytes()).ok());
        let host = host.filter(|host| !host.as_str().contains('@'));
        let host = host
            .ok_or_else(|| ServiceError::malformed("The request must have a valid Host header."))?;
        Ok(format!("{}://{host}", self.scheme))
    }
}

/// Returns an entry of `X-Forwarded-For`, counted from the right, from 0.
fn forwarded_address(headers: &HeaderMap, index_from_right: usize) -> Option<IpAddr> {
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

    let entry = addresses.into_iter().rev().nth(index_from_right)?;
    entry.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use domain::errors::ErrorKind;

    use super::*;

    const PEER: &str = "10.0.0.1";

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn insecure(text: &str) -> Viewer {
        Viewer {
            address: address(text),
            is_secure: false,
            scheme: "http",
        }
    }

    fn secure(text: &str) -> Viewer {
        Viewer {
            address: address(text),
            is_secure: true,
            scheme: "https",
        }
    }

    #[test]
    fn loopback_viewer_is_secure_without_tls() {
        for (text, canonical) in [
            ("127.0.0.1", "127.0.0.1"),
            ("::1", "::1"),
            ("::ffff:127.0.0.1", "127.0.0.1"),
        ] {
            let expected = Viewer {
                is_secure: true,
                ..insecure(canonical)
            };
            assert_eq!(Viewer::connected(address(text)), expected, "{text}");
            assert_eq!(Viewer::of_event(address(text)), expected, "{text}");
        }
    }

    #[test]
    fn remote_viewer_of_an_event_is_secure() {
        for text in ["203.0.113.7", "10.0.0.1", "2001:db8::1"] {
            assert_eq!(Viewer::connected(address(text)), insecure(text));
            assert_eq!(Viewer::of_event(address(text)), secure(text));
        }
    }

    /// Returns the viewer of a request with these forwarding headers.
    fn forwarded(trusted_proxies: usize, forwarded_for: &[&str], proto: &[&str]) -> Viewer {
        let mut headers = HeaderMap::new();
        for value in forwarded_for {
            headers.append(FORWARDED_FOR, value.parse().unwrap());
        }
        for value in proto {
            headers.append(FORWARDED_PROTO, value.parse().unwrap());
        }
        Viewer::behind_proxies(trusted_proxies, address(PEER), &headers)
    }

    #[test]
    fn viewer_is_the_address_that_the_first_trusted_proxy_appended() {
        let cases: [(usize, &[&str], &str, Viewer); 9] = [
            (1, &["203.0.113.7"], "https", secure("203.0.113.7")),
            (1, &["203.0.113.7"], "http", insecure("203.0.113.7")),
            (1, &["2001:db8::1"], "https", secure("2001:db8::1")),
            (
                2,
                &["203.0.113.7, 10.0.0.2"],
                "HTTPS",
                secure("203.0.113.7"),
            ),
            (
                2,
                &["203.0.113.7", "10.0.0.2"],
                "https",
                secure("203.0.113.7"),
            ),
            // Entries of the client are to the left of those of the proxies.
            (
                1,
                &["127.0.0.1, 192.0.2.1, 203.0.113.7"],
                "https",
                secure("203.0.113.7"),
            ),
            (
                1,
                &["127.0.0.1", "203.0.113.7"],
                "https",
                secure("203.0.113.7"),
            ),
            (
                2,
                &["garbage, 203.0.113.7, 10.0.0.2"],
                "https",
                secure("203.0.113.7"),
            ),
            (0, &["203.0.113.7"], "https", insecure(PEER)),
        ];

        for (trusted_proxies, forwarded_for, proto, expected) in cases {
            let viewer = forwarded(trusted_proxies, forwarded_for, &[proto]);
            assert_eq!(viewer, expected, "{trusted_proxies}, {forwarded_for:?}");
        }
    }

    #[test]
    fn missing_or_malformed_forwarded_address_falls_back_to_the_peer() {
        for forwarded_for in [
            &[][..],
            &[""],
            &["unknown"],
            &["203.0.113.7:80"],
            &["203.0.113.7,"],
            &["203.0.113.7, x"],
        ] {
            let viewer = forwarded(1, forwarded_for, &["https"]);
            assert_eq!(viewer, insecure(PEER), "{forwarded_for:?}");
        }
        assert_eq!(forwarded(2, &["203.0.113.7"], &["https"]), insecure(PEER));
    }

    #[test]
    fn missing_or_ambiguous_scheme_is_http() {
        for proto in [&[][..], &["ftp"], &["https", "http"], &["https, http"]] {
            let viewer = forwarded(1, &["203.0.113.7"], proto);
            assert_eq!(viewer, insecure("203.0.113.7"), "{proto:?}");
        }
    }

    #[test]
    fn viewer_is_read_from_extensions() {
        let mut extensions = Extensions::new();
        let error = Viewer::of(&extensions).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Internal);

        let viewer = Viewer::connected(address("127.0.0.1"));
        extensions.insert(viewer);
        assert_eq!(Viewer::of(&extensions).unwrap(), viewer);
    }

    #[test]
    fn base_url_has_scheme_of_viewer_and_host_of_request() {
        let base_url = |viewer: Viewer, host: &str| {
            let headers = HeaderMap::from_iter([(header::HOST, host.parse().unwrap())]);
            viewer.base_url(&headers).map_err(|error| error.kind)
        };
        let local = Viewer::connected(address("127.0.0.1"));
        let remote = Viewer::of_event(address("203.0.113.7"));

        let local_url = base_url(local, "127.0.0.1:9000");
        assert_eq!(local_url.unwrap(), "http://127.0.0.1:9000");
        let remote_url = base_url(remote, "api.example.com");
        assert_eq!(remote_url.unwrap(), "https://api.example.com");
        for host in ["", "a@b", "a/b", "a?b", "a b"] {
            assert_eq!(base_url(remote, host), Err(ErrorKind::Malformed), "{host}");
        }
        let error = remote.base_url(&HeaderMap::new()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Malformed);
    }
}
