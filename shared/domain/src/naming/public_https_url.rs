//! Addresses that callers give us: where to send webhooks, where a watermark is, which host
//! delivers.
//!
//! Invariant: an address that was accepted names no private network by number. A name may still
//! lead to one, which only whoever connects can tell.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::{Host, Url};

use crate::FieldError;

/// What an address begins with.
const SCHEME: &str = "https://";
/// Most characters of an address.
const ADDRESS_CHARACTERS: usize = 2_048;
/// Most characters of a host name (RFC 1035).
const HOST_CHARACTERS: usize = 253;
/// Most characters of one part of a host name (RFC 1035).
pub(crate) const LABEL_CHARACTERS: usize = 63;

/// An `https` address of a public host, as it was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("format" = "uri", "maxLength" = ADDRESS_CHARACTERS))]
pub struct PublicHttpsUrl(String);

impl PublicHttpsUrl {
    /// Takes an absolute `https` address without a user's name, whose host is a name or a public
    /// number.
    pub fn parse(text: &str) -> Result<PublicHttpsUrl, FieldError> {
        if text.chars().count() > ADDRESS_CHARACTERS {
            return Err(FieldError::TooLong(ADDRESS_CHARACTERS));
        }
        // The parser forgives what the URL standard makes browsers forgive: blanks inside, a
        // missing or turned slash.
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
            Host::Domain(name) => names_a_host(name),
            Host::Ipv4(number) => is_public(number.into()),
            Host::Ipv6(number) => is_public(number.into()),
        };
        if is_allowed {
            Ok(PublicHttpsUrl(text.to_owned()))
        } else {
            Err(FieldError::Custom("must be a public address"))
        }
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The name of a public host, in lower case and ASCII: what is beyond ASCII is written as punycode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("format" = "idn-hostname", "maxLength" = HOST_CHARACTERS))]
pub struct HostName(String);

impl HostName {
    /// Takes a name of at least two parts, without scheme, port and path.
    pub fn parse(text: &str) -> Result<HostName, FieldError> {
        match Host::parse(text) {
            Ok(Host::Domain(name)) if names_a_host(&name) => Ok(HostName(name)),
            _ => Err(FieldError::InvalidFormat),
        }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether a name in ASCII is one that the public naming system could know: of two parts or more,
/// the last no number.
fn names_a_host(name: &str) -> bool {
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

/// Whether a number is one that the public network routes: none of the special blocks of IANA's
/// registries, nor a way to one of them through an IPv6 address that carries an IPv4 one.
fn is_public(number: IpAddr) -> bool {
    match number {
        IpAddr::V4(number) => is_public_v4(number),
        IpAddr::V6(number) => is_public_v6(number),
    }
}

fn is_public_v4(number: Ipv4Addr) -> bool {
    let [first, second, third, _] = number.octets();
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

fn is_public_v6(number: Ipv6Addr) -> bool {
    if let Some(inner) = number.to_ipv4_mapped() {
        return is_public_v4(inner);
    }
    // Only 2000::/3 is handed out as global unicast; in it, what tunnels and what documents.
    let [first, second, ..] = number.segments();
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
        for fine in [
            "https://example.com",
            "https://example.com:8443/hook?x=1#y",
            "https://bücher.example/ü",
            "https://1.1.1.1/",
            "https://[2606:4700::1111]/",
        ] {
            assert_eq!(PublicHttpsUrl::parse(fine).expect(fine).as_str(), fine);
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
    fn a_host_is_a_name_and_nothing_else() {
        let parsed = |text| HostName::parse(text).map(|name| name.0);
        assert_eq!(
            parsed("Assets.Example.COM").as_deref(),
            Ok("assets.example.com")
        );
        assert_eq!(
            parsed("bücher.example").as_deref(),
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
