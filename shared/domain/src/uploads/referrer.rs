//! From which pages unsigned uploads are taken.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::{Host, Url};

use crate::{FieldError, naming::public_https_url::LABEL_CHARACTERS};

/// Most characters of a pattern.
const PATTERN_CHARACTERS: usize = 255;
/// What a pattern for all subdomains begins with.
const ANY_SUBDOMAIN: &str = "*.";

/// A host, or `*.host` for every subdomain of it, however deep, but not itself. Kept in lower case,
/// as punycode.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("maxLength" = PATTERN_CHARACTERS, "pattern" = r"^(\*\.)?[^\s*/\\?#@\u0000-\u001f\u007f-\u009f]+$"))]
pub struct ReferrerPattern(String);

impl ReferrerPattern {
    /// Takes a host name, of any number of parts, or a number; a name may follow `*.`.
    pub fn parse(text: &str) -> Result<ReferrerPattern, FieldError> {
        if text.chars().count() > PATTERN_CHARACTERS {
            return Err(FieldError::TooLong(PATTERN_CHARACTERS));
        }
        let (any, name) = text
            .strip_prefix(ANY_SUBDOMAIN)
            .map_or(("", text), |name| (ANY_SUBDOMAIN, name));
        match Host::parse(name).map_err(|_| FieldError::InvalidFormat)? {
            Host::Domain(host) if is_name(&host) => Ok(ReferrerPattern(format!("{any}{host}"))),
            host @ (Host::Ipv4(_) | Host::Ipv6(_)) if any.is_empty() => {
                Ok(ReferrerPattern(host.to_string()))
            }
            _ => Err(FieldError::InvalidFormat),
        }
    }

    /// Whether a host, as [`Referrer`] has it, is one of those meant.
    fn matches(&self, host: &str) -> bool {
        match self.0.strip_prefix(ANY_SUBDOMAIN) {
            Some(parent) => host
                .strip_suffix(parent)
                .is_some_and(|rest| rest.len() > 1 && rest.ends_with('.')),
            None => host == self.0,
        }
    }
}

fn is_name(host: &str) -> bool {
    let is_label = |label: &str| {
        (1..=LABEL_CHARACTERS).contains(&label.len())
            && label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    host.split('.').all(is_label)
}

/// The page that a request comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Referrer {
    host: String,
    is_secure: bool,
}

impl Referrer {
    /// Reads an absolute address of `http` or `https`, without a user's name, all of it in the
    /// characters of RFC 3986. `None` where it is anything else: browsers send no other.
    pub fn parse(address: &str) -> Option<Referrer> {
        let is_plain = address
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte));
        let has_authority = ["http://", "https://"].iter().any(|scheme| {
            address
                .get(..scheme.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
                && !address[scheme.len()..].starts_with('/')
        });
        let url = Url::parse(address)
            .ok()
            .filter(|_| is_plain && has_authority)?;
        let authority = address.split("//").nth(1)?.split(['/', '?', '#']).next()?;
        if authority.contains('@') {
            return None;
        }
        let host = url.host()?;
        let is_loopback = match &host {
            Host::Domain(name) => *name == "localhost",
            Host::Ipv4(number) => number.is_loopback(),
            Host::Ipv6(number) => number.is_loopback(),
        };
        Some(Referrer {
            host: host.to_string(),
            is_secure: url.scheme() == "https" || is_loopback,
        })
    }

    /// Whether any of these patterns means it.
    pub fn is_allowed(&self, patterns: &[ReferrerPattern]) -> bool {
        patterns.iter().any(|pattern| pattern.matches(&self.host))
    }

    /// Whether nobody on the way could have changed it; this machine itself counts, as it does in
    /// browsers.
    pub fn is_secure(&self) -> bool {
        self.is_secure
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(pattern: &str, address: &str) -> bool {
        let pattern = ReferrerPattern::parse(pattern).expect(pattern);
        Referrer::parse(address).is_some_and(|referrer| referrer.is_allowed(&[pattern]))
    }

    #[test]
    fn a_host_is_meant_in_every_spelling_and_no_look_alike() {
        for address in [
            "https://example.com",
            "https://example.com/",
            "https://EXAMPLE.com/page?x=1#y",
            "https://example.com:8443/",
            "HTTP://example.com/",
        ] {
            assert!(allowed("Example.com", address), "{address}");
        }
        for address in [
            "",
            "example.com",
            "https://example.com.evil.org/",
            "https://evilexample.com/",
            "https://www.example.com/",
            "https://example.com@evil.org/",
            "https://evil.org@example.com/",
            "https://@example.com/",
            "https://evil.org\\@example.com/",
            "https:\\\\example.com/",
            "https:/example.com/",
            "https:///example.com/",
            "https://example.com\u{0430}/",
            "https://ex\u{0430}mple.com/",
            "https://evil.org/https://example.com/",
            "ftp://example.com/",
            "https://example.com /",
            "https://evil.org?@example.com",
        ] {
            assert!(!allowed("example.com", address), "{address}");
        }
    }

    #[test]
    fn a_star_means_every_subdomain_and_not_the_apex() {
        for (address, meant) in [
            ("https://www.example.com/", true),
            ("https://a.b.example.com/", true),
            ("https://example.com/", false),
            ("https://.example.com/", false),
            ("https://evilexample.com/", false),
            ("https://www.example.com.evil.org/", false),
        ] {
            assert_eq!(allowed("*.example.com", address), meant, "{address}");
        }
    }

    #[test]
    fn names_beyond_ascii_are_compared_as_punycode() {
        assert!(allowed("bücher.example", "https://xn--bcher-kva.example/"));
        assert!(allowed(
            "xn--bcher-kva.example",
            "https://XN--BCHER-KVA.example:444/"
        ));
        assert!(
            allowed("localhost", "http://localhost:3000/")
                && allowed("127.0.0.1", "http://127.0.0.1:3000/")
        );
        for wrong in [
            "",
            "*",
            "*.",
            "**.example.com",
            "a.*.com",
            "https://a.com",
            "a.com/x",
            "a.com:80",
            "a b",
            "*.1.2.3.4",
            "-a.com",
            &format!("{}.com", "a".repeat(64)),
        ] {
            assert!(ReferrerPattern::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn security_is_the_schemes_or_the_machines_own() {
        for (address, secure) in [
            ("https://example.com/", true),
            ("http://example.com/", false),
            ("http://localhost:3000/", true),
            ("http://127.0.0.1/", true),
            ("http://[::1]/", true),
            ("http://localhost.example.com/", false),
        ] {
            assert_eq!(
                Referrer::parse(address).expect("an address").is_secure(),
                secure,
                "{address}"
            );
        }
    }
}
