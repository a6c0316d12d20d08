//! URLs and host names from callers: of webhooks, watermarks and custom domains.
//!
//! Invariant: an accepted URL contains no private IP address. Its host name may still resolve to
//! one, which the client must check when it connects.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::{Host, Url};

use crate::FieldError;

/// Prefix of every URL.
const SCHEME: &str = "https://";
/// Maximum number of characters of a URL.
const URL_CHARACTERS: usize = 2_048;
/// Maximum number of characters of a host name ([RFC 1035](https://www.rfc-editor.org/rfc/rfc1035)).
const HOST_CHARACTERS: usize = 253;
/// Maximum number of characters of a label of a host name (RFC 1035).
pub(crate) const LABEL_CHARACTERS: usize = 63;

/// `https` URL of a public host, unchanged as the caller sent it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("format" = "uri", "maxLength" = URL_CHARACTERS))]
pub struct PublicHttpsUrl(String);

impl PublicHttpsUrl {
    /// Parses an absolute `https` URL without credentials, whose host is a name or a public IP
    /// address.
    pub fn parse(text: &str) -> Result<PublicHttpsUrl, FieldError> {
        if text.chars().count() > URL_CHARACTERS {
            return Err(FieldError::TooLong(URL_CHARACTERS));
        }

        // The parser tolerates everything that browsers do: whitespace, missing slashes and
        // backslashes.
        let (scheme, rest) = text.split_at_checked(SCHEME.len()).unwrap_or_default();
        let is_plain = scheme.eq_ignore_ascii_case(SCHEME) && {
            let is_odd = |character: char| {
                character.is_control() || character.is_whitespace() || character == '\\'
            };
            !rest.starts_with('/') && !rest.contains(is_odd)
        };
        let url = Url::parse(text)
            .ok()
            .filter(|_| is_plain)
            .ok_or(FieldError::NotAUrl)?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(FieldError::NotAUrl);
        }
        let is_allowed = match url.host().ok_or(FieldError::NotAUrl)? {
            Host::Domain(name) => is_public_host(name),
            Host::Ipv4(address) => is_public(address.into()),
            Host::Ipv6(address) => is_public(address.into()),
        };
        if is_allowed {
            Ok(PublicHttpsUrl(text.to_owned()))
        } else {
            Err(FieldError::Custom("must be a public address"))
        }
    }

    /// Returns the URL as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Name of a public host in lower-case ASCII; other characters are encoded as Punycode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("format" = "idn-hostname", "maxLength" = HOST_CHARACTERS))]
pub struct HostName(String);

impl HostName {
    /// Parses a name of at least two labels, without scheme, port and path.
    pub fn parse(text: &str) -> Result<HostName, FieldError> {
        match Host::parse(text) {
            Ok(Host::Domain(name)) if is_public_host(&name) => Ok(HostName(name)),
            _ => Err(FieldError::InvalidFormat),
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
    let labels: Vec<&str> = name.split('.').collect();
    let is_label = |label: &&str| {
        (1..=LABEL_CHARACTERS).contains(&label.len())
            && label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let last_is_local = matches!(labels.last(), Some(&("localhost" | "local" | "internal")));
    name.len() <= HOST_CHARACTERS
        && labels.len() >= 2
        && labels.iter().all(is_label)
        && !last_is_local
}

/// Whether an IP address is publicly routed: in none of IANA's special-purpose registries for
/// [IPv4](https://www.iana.org/assignments/iana-ipv4-special-registry) and
/// [IPv6](https://www.iana.org/assignments/iana-ipv6-special-registry), directly or as an IPv4
/// address embedded in IPv6.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    let special = matches!(
        (first, second, third),
        (0 | 10 | 127 | 224..=255, _, _)
            | (100, 64..=127, _)
            | (169, 254, _)
            | (172, 16..=31, _)
            | (192, 0, 0 | 2)
            | (192, 31, 196)
            | (192, 52, 193)
            | (192, 88, 99)
            | (192, 168, _)
            | (192, 175, 48)
            | (198, 18 | 19, _)
            | (198, 51, 100)
            | (203, 0, 113)
    );
    !special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(mapped) = address.to_ipv4_mapped() {
        return is_public_v4(mapped);
    }

    // Only 2000::/3 is global unicast. Excluded are its tunnel and documentation ranges.
    let [first, second, ..] = address.segments();
    let special = match first {
        0x2001 => second < 0x0200 || second == 0x0db8,
        0x2002 => true,
        0x3fff => second < 0x1000,
        _ => false,
    };
    (0x2000..=0x3fff).contains(&first) && !special
}

#[cfg(test)]
mod tests {
    use super::*;

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
            "http://example.com",
            "ftp://example.com",
            "https://",
            "https:example.com",
            "https:///x",
            "https://user@example.com",
            "https://:x@example.com",
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
            "https://[64:ff9b::a00:1]",
            "https://[2002:a00:1::]",
            "https://localhost",
            "https://a.localhost",
            "https://intranet",
            "https://printer.local",
            "https://metadata.google.internal",
            "https://0.0.0.0",
        ] {
            assert_eq!(
                PublicHttpsUrl::parse(private),
                Err(FieldError::Custom("must be a public address")),
                "{private}"
            );
        }

        assert_eq!(
            PublicHttpsUrl::parse(&format!("https://a.b/{}", "x".repeat(2_037))),
            Err(FieldError::TooLong(2_048))
        );
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
            assert_eq!(
                HostName::parse(wrong),
                Err(FieldError::InvalidFormat),
                "{wrong}"
            );
        }
    }
}
