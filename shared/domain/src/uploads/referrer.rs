//! Referrers of unsigned uploads.

use url::{Host, Url};

use crate::naming::HostPattern;

/// Page that sent a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Referrer {
    host: String,
    is_secure: bool,
}

impl Referrer {
    /// Parses an absolute `http` or `https` URL whose authority has no credentials, and only the
    /// characters of [RFC 3986](https://www.rfc-editor.org/rfc/rfc3986). Returns `None` for
    /// everything else, which browsers do not send. What follows the authority is not checked:
    /// browsers send `|`, `{}` and `^` there.
    pub fn parse(referrer: &str) -> Option<Referrer> {
        let has_authority = ["http://", "https://"].iter().any(|scheme| {
            referrer
                .get(..scheme.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
                && !referrer[scheme.len()..].starts_with('/')
        });

        let authority = referrer.split("//").nth(1)?.split(['/', '?', '#']).next()?;
        let is_plain = authority
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-._~:[]!$&'()*+,;=%".contains(&byte));
        let url = Url::parse(referrer)
            .ok()
            .filter(|_| is_plain && has_authority)?;

        let host = url.host()?;
        let is_loopback = match &host {
            Host::Domain(name) => *name == "localhost",
            Host::Ipv4(address) => address.is_loopback(),
            Host::Ipv6(address) => address.is_loopback(),
        };

        Some(Referrer {
            host: host.to_string(),
            is_secure: url.scheme() == "https" || is_loopback,
        })
    }

    /// Whether a pattern matches the referrer.
    pub fn is_allowed(&self, patterns: &[HostPattern]) -> bool {
        patterns.iter().any(|pattern| pattern.matches(&self.host))
    }

    /// Whether the page is a secure context: `https`, or a loopback host as in browsers.
    pub fn is_secure(&self) -> bool {
        self.is_secure
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(pattern: &str, referrer: &str) -> bool {
        let pattern = HostPattern::parse(pattern).expect(pattern);
        Referrer::parse(referrer).is_some_and(|referrer| referrer.is_allowed(&[pattern]))
    }

    #[test]
    fn host_pattern_matches_the_exact_host_only() {
        for referrer in [
            "https://example.com",
            "https://example.com/",
            "https://EXAMPLE.com/page?x=1#y",
            "https://example.com:8443/",
            "HTTP://example.com/",
            "https://example.com/list?show=a|b&json={}^",
            "https://example.com/a\\b",
        ] {
            assert!(allowed("Example.com", referrer), "{referrer}");
        }

        for referrer in [
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
            "https://evil.org#@example.com/",
            "https://:@example.com/",
            "https://example.com-evil.org/",
            "https://xn--xample-2of.com/",
        ] {
            assert!(!allowed("example.com", referrer), "{referrer}");
        }
    }

    #[test]
    fn wildcard_matches_subdomains_but_not_the_apex() {
        for (referrer, expected) in [
            ("https://www.example.com/", true),
            ("https://a.b.example.com/", true),
            ("https://example.com/", false),
            ("https://.example.com/", false),
            ("https://evilexample.com/", false),
            ("https://www.example.com.evil.org/", false),
        ] {
            assert_eq!(allowed("*.example.com", referrer), expected, "{referrer}");
        }
    }

    #[test]
    fn non_ascii_names_are_compared_as_punycode() {
        assert!(allowed("bücher.example", "https://xn--bcher-kva.example/"));
        assert!(allowed(
            "xn--bcher-kva.example",
            "https://XN--BCHER-KVA.example:444/"
        ));
        // Browsers send punycode.
        assert!(!allowed("bücher.example", "https://bücher.example/"));
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
            assert!(HostPattern::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn https_and_loopback_pages_are_secure() {
        for (referrer, expected) in [
            ("https://example.com/", true),
            ("http://example.com/", false),
            ("http://localhost:3000/", true),
            ("http://127.0.0.1/", true),
            ("http://[::1]/", true),
            ("http://localhost.example.com/", false),
        ] {
            assert_eq!(
                Referrer::parse(referrer).expect("a URL").is_secure(),
                expected,
                "{referrer}"
            );
        }
    }
}
