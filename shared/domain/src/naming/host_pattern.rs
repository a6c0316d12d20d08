//! Patterns of host names: allowed referrers of unsigned uploads, and domains of the CDN.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Host;

use super::public_https_url::has_valid_labels;
use crate::errors::FieldError;

/// Maximum number of characters of a pattern.
const PATTERN_CHARACTERS: usize = 255;
/// Prefix of a pattern for all subdomains.
const ANY_SUBDOMAIN: &str = "*.";

/// Host, or `*.host` for all its subdomains at any depth, without the host itself. Stored in lower
/// case as Punycode.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("maxLength" = PATTERN_CHARACTERS, "pattern" = r"^(\*\.)?[^\s*/\\?#@\u0000-\u001f\u007f-\u009f]+$"))]
pub struct HostPattern(String);

const NOT_A_PATTERN: FieldError =
    FieldError::Custom("must be a host name, *. and a host name, or an IP address");

impl HostPattern {
    /// Returns the pattern, in lower case and as punycode.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Parses a host name, `*.` and a host name, or an IP address.
    pub fn parse(text: &str) -> Result<HostPattern, FieldError> {
        if text.chars().count() > PATTERN_CHARACTERS {
            return Err(FieldError::TooLong(PATTERN_CHARACTERS));
        }

        let parent = text.strip_prefix(ANY_SUBDOMAIN);
        let prefix = if parent.is_some() { ANY_SUBDOMAIN } else { "" };
        match Host::parse(parent.unwrap_or(text)).map_err(|_| NOT_A_PATTERN)? {
            Host::Domain(host) if has_valid_labels(&host) => {
                Ok(HostPattern(format!("{prefix}{host}")))
            }
            host @ (Host::Ipv4(_) | Host::Ipv6(_)) if parent.is_none() => {
                Ok(HostPattern(host.to_string()))
            }
            _ => Err(NOT_A_PATTERN),
        }
    }

    /// Whether the pattern matches a host in lower-case ASCII.
    pub fn matches(&self, host: &str) -> bool {
        match self.0.strip_prefix(ANY_SUBDOMAIN) {
            Some(parent) => host
                .strip_suffix(parent)
                .is_some_and(|rest| rest.len() > 1 && rest.ends_with('.')),
            None => host == self.0,
        }
    }
}
