//! URLs and host names from callers: of webhooks, watermarks and custom domains.
//!
//! Invariants:
//! - A URL accepted under [`UrlPolicy::PublicOnly`] contains no private IP address. Its host name
//!   may still resolve to one, which the client must check when it connects.
//! - Under [`UrlPolicy::AllowLoopback`], the same holds for all URLs but those of the two loopback
//!   hosts.

use std::net::Ipv4Addr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::{Host, Url};

use crate::{errors::FieldError, naming::is_public_address};

/// Prefix of the URLs of public hosts.
const HTTPS: &str = "https://";
/// Prefix of the URLs of loopback hosts.
const HTTP: &str = "http://";
/// The only name of a loopback host.
const LOOPBACK_NAME: &str = "localhost";
/// Maximum number of characters of a URL.
const URL_CHARACTERS: usize = 2_048;
/// Maximum number of characters of a host name ([RFC
/// 1035](https://www.rfc-editor.org/rfc/rfc1035)).
const HOST_CHARACTERS: usize = 253;
/// Maximum number of characters of a label of a host name (RFC 1035).
const LABEL_CHARACTERS: usize = 63;

const NOT_HTTPS: FieldError = FieldError::Custom("must be an https URL");
const HAS_CREDENTIALS: FieldError =
    FieldError::Custom("must be a URL without a user name and password");
const NOT_PUBLIC: FieldError = FieldError::Custom("must be the URL of a public host");

/// Which hosts the URLs of callers can have. A deployment has one policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UrlPolicy {
    /// Public hosts with `https`.
    #[default]
    PublicOnly,
    /// Also `http://127.0.0.1` and `http://localhost` with any port, so that one machine can run
    /// the service and the hosts that it calls.
    AllowLoopback,
}

/// `https` URL of a public host, unchanged as the caller sent it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("format" = "uri", "maxLength" = URL_CHARACTERS))]
pub struct PublicHttpsUrl(String);

impl PublicHttpsUrl {
    /// Parses an absolute `https` URL without credentials, whose host is a name or a public IP
    /// address.
    pub fn parse(text: &str) -> Result<PublicHttpsUrl, FieldError> {
        PublicHttpsUrl::parse_with(text, UrlPolicy::PublicOnly)
    }

    /// Parses a URL as [`PublicHttpsUrl::parse`] does, and accepts `http` URLs of loopback hosts
    /// if `policy` allows them.
    pub fn parse_with(text: &str, policy: UrlPolicy) -> Result<PublicHttpsUrl, FieldError> {
        if text.chars().count() > URL_CHARACTERS {
            return Err(FieldError::TooLong(URL_CHARACTERS));
        }

        let url = parse_plain(text).ok_or(FieldError::NotAUrl)?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(HAS_CREDENTIALS);
        }

        let host = url.host().ok_or(FieldError::NotAUrl)?;
        if url.scheme() == "http" {
            let is_allowed = policy == UrlPolicy::AllowLoopback && is_loopback_host(&host);
            return is_allowed
                .then(|| PublicHttpsUrl(text.to_owned()))
                .ok_or(NOT_HTTPS);
        }

        let is_allowed = match host {
            Host::Domain(name) => is_public_host(name),
            Host::Ipv4(address) => is_public_address(address.into()),
            Host::Ipv6(address) => is_public_address(address.into()),
        };
        if is_allowed {
            Ok(PublicHttpsUrl(text.to_owned()))
        } else {
            Err(NOT_PUBLIC)
        }
    }

    /// Returns the URL as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the host in lower case and the port, which together identify an endpoint.
    pub fn host_and_port(&self) -> String {
        let url = Url::parse(&self.0).ok();
        let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
        let port = url.as_ref().and_then(Url::port_or_known_default);
        format!("{host}:{}", port.unwrap_or_default())
    }
}

/// Parses an `http` or `https` URL. Rejects what `Url::parse` tolerates as browsers do:
/// whitespace, missing slashes and backslashes.
fn parse_plain(text: &str) -> Option<Url> {
    let rest = [HTTPS, HTTP].into_iter().find_map(|prefix| {
        let (scheme, rest) = text.split_at_checked(prefix.len())?;
        scheme.eq_ignore_ascii_case(prefix).then_some(rest)
    })?;

    let is_odd =
        |character: char| character.is_control() || character.is_whitespace() || character == '\\';
    if rest.starts_with('/') || rest.contains(is_odd) {
        return None;
    }

    Url::parse(text).ok()
}

fn is_loopback_host(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => *name == LOOPBACK_NAME,
        Host::Ipv4(address) => *address == Ipv4Addr::LOCALHOST,
        Host::Ipv6(_) => false,
    }
}

/// Name of a public host in lower-case ASCII; other characters are encoded as Punycode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("format" = "idn-hostname", "maxLength" = HOST_CHARACTERS))]
pub struct HostName(String);

const NOT_A_HOST_NAME: FieldError =
    FieldError::Custom("must be a public host name, such as assets.example.com");

impl HostName {
    /// Parses a name of at least two labels, without scheme, port and path.
    pub fn parse(text: &str) -> Result<HostName, FieldError> {
        match Host::parse(text) {
            Ok(Host::Domain(name)) if is_public_host(&name) => Ok(HostName(name)),
            _ => Err(NOT_A_HOST_NAME),
        }
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether an ASCII name can exist in public DNS: at least two labels, the last not reserved for
/// local networks.
fn is_public_host(name: &str) -> bool {
    let last = name.rsplit('.').next();
    let last_is_local = matches!(last, Some("localhost" | "local" | "internal"));
    name.len() <= HOST_CHARACTERS && name.contains('.') && has_valid_labels(name) && !last_is_local
}

/// Whether all labels of an ASCII name are those of host names.
pub(super) fn has_valid_labels(name: &str) -> bool {
    let is_label = |label: &str| {
        (1..=LABEL_CHARACTERS).contains(&label.len())
            && label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    name.split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoint_is_a_host_with_its_port() {
        for (url, expected) in [
            ("https://Example.com/a", "example.com:443"),
            ("https://example.com:8443", "example.com:8443"),
            ("https://bücher.example/", "xn--bcher-kva.example:443"),
        ] {
            let url = PublicHttpsUrl::parse(url).expect(url);
            assert_eq!(url.host_and_port(), expected);
        }
    }

    #[test]
    fn only_https_to_a_public_host_is_accepted() {
        for url in [
            "https://example.com",
            "https://example.com:8443/hook?x=1#y",
            "https://bücher.example/ü",
            "https://1.1.1.1/",
            "https://[2606:4700::1111]/",
        ] {
            assert_eq!(PublicHttpsUrl::parse(url).expect(url).as_str(), url);
        }

        for wrong in [
            "",
            "example.com",
            "ftp://example.com",
            "https://",
            "https:example.com",
            "https:///x",
            "https://exa mple.com",
            "https://example.com\\@evil.com",
            "javascript:alert(1)",
            "https://exam\nple.com",
            "https://example.com:99999",
        ] {
            assert_eq!(
                PublicHttpsUrl::parse(wrong),
                Err(FieldError::NotAUrl),
                "{wrong}"
            );
        }

        assert_eq!(PublicHttpsUrl::parse("http://example.com"), Err(NOT_HTTPS));
        for credentials in ["https://user@example.com", "https://:x@example.com"] {
            let parsed = PublicHttpsUrl::parse(credentials);
            assert_eq!(parsed, Err(HAS_CREDENTIALS), "{credentials}");
        }

        for private in [
            "https://127.0.0.1",
            "https://127.1",
            "https://2130706433",
            "https://0x7f.1",
            "https://10.0.0.1",
            "https://169.254.169.254/latest",
            "https://[::1]",
            "https://[::ffff:10.0.0.1]",
            "https://[fd00::1]",
            "https://[::ffff:1.1.1.1]",
            "https://[64:ff9b::a00:1]",
            "https://[2002:a00:1::]",
            "https://localhost",
            "https://a.localhost",
            "https://intranet",
            "https://printer.local",
            "https://metadata.google.internal",
            "https://0.0.0.0",
        ] {
            assert_eq!(PublicHttpsUrl::parse(private), Err(NOT_PUBLIC), "{private}");
        }

        assert_eq!(
            PublicHttpsUrl::parse(&format!("https://a.b/{}", "x".repeat(2_037))),
            Err(FieldError::TooLong(2_048))
        );
    }

    #[test]
    fn loopback_urls_are_accepted_where_the_policy_allows_them() {
        let allowed = |url| PublicHttpsUrl::parse_with(url, UrlPolicy::AllowLoopback);

        for url in [
            "http://127.0.0.1",
            "http://127.0.0.1:9000/hook?x=1",
            "http://localhost:9000/hook",
            "HTTP://LOCALHOST/",
        ] {
            assert_eq!(allowed(url).expect(url).as_str(), url);
            assert_eq!(PublicHttpsUrl::parse(url), Err(NOT_HTTPS));
        }
        assert!(allowed("https://example.com").is_ok());

        for wrong in [
            "http://example.com",
            "http://10.0.0.1",
            "http://127.0.0.2",
            "http://[::1]",
            "http://a.localhost",
            "http://localhost.",
        ] {
            assert_eq!(allowed(wrong), Err(NOT_HTTPS), "{wrong}");
        }
        assert_eq!(allowed("http://user@localhost"), Err(HAS_CREDENTIALS));
        for malformed in [
            "http:localhost",
            "http:///localhost",
            "http://localhost:65536",
            "http://127.0.0.1\\@example.com",
        ] {
            assert_eq!(allowed(malformed), Err(FieldError::NotAUrl), "{malformed}");
        }

        for private in ["https://localhost", "https://127.0.0.1", "https://10.0.0.1"] {
            assert_eq!(allowed(private), Err(NOT_PUBLIC), "{private}");
        }
    }

    #[test]
    fn host_name_parses_public_names_only() {
        let parse = |text| HostName::parse(text).map(|name| name.0);
        assert_eq!(
            parse("Assets.Example.COM").as_deref(),
            Ok("assets.example.com")
        );
        assert_eq!(
            parse("bücher.example").as_deref(),
            Ok("xn--bcher-kva.example")
        );

        for wrong in [
            "",
            "localhost",
            "example",
            "a..b",
            ".a.b",
            "a.b.",
            "https://a.b",
            "a.b/c",
            "a.b:80",
            "1.2.3.4",
            "[::1]",
            "a_b.c",
            "-a.b",
            "a b.c",
            "a.b?x",
            "a@b.c",
            &format!("{}.example", "a".repeat(64)),
            &"a.".repeat(130),
        ] {
            assert_eq!(HostName::parse(wrong), Err(NOT_A_HOST_NAME), "{wrong}");
        }
    }
}
