//! Limits and secrets of uploads without an API key, and the identity of their clients.

use std::net::IpAddr;

use domain::{
    errors::ServiceError,
    requests::RateLimit,
    uploads::{ConfirmTokens, UploadConfig},
};
use http::{HeaderMap, header};
use runtime::{aws::LazyMasterSecret, context::Settings};

/// Name of the rate limit tier of unsigned uploads, in response headers and in the table.
pub(crate) const UNSIGNED_TIER: &str = "unsigned";
/// Number of 16-bit groups of an IPv6 address that identify a client: a household or a host usually
/// has a whole /64.
const IPV6_GROUPS: usize = 4;

/// Secrets and limits of uploads without an API key.
#[derive(Clone)]
pub(crate) struct AnonymousUploads {
    /// The secret that signing secrets and confirm tokens are derived from.
    pub(crate) master_secret: LazyMasterSecret,
    /// Rate limit of unsigned requests of one client network under one upload config.
    pub(crate) limit: RateLimit,
    /// Maximum number of unsigned uploads in a clock hour under a config that sets no maximum.
    default_uploads_per_hour: u64,
}

impl AnonymousUploads {
    /// Reads the limits from the function's environment variables.
    pub(crate) fn read(
        settings: &mut Settings,
        master_secret: LazyMasterSecret,
    ) -> AnonymousUploads {
        let requests_per_minute = settings.number("UNSIGNED_REQUESTS_PER_MINUTE");
        let default_uploads_per_hour = settings.number("UNSIGNED_UPLOADS_PER_HOUR");

        AnonymousUploads {
            master_secret,
            limit: RateLimit {
                tier: UNSIGNED_TIER,
                requests_per_minute,
            },
            default_uploads_per_hour,
        }
    }

    /// Returns the confirm tokens of presigned uploads without a key.
    pub(crate) async fn tokens(&self) -> Result<ConfirmTokens, ServiceError> {
        Ok(ConfirmTokens::new(self.master_secret.get().await?))
    }

    /// Returns the maximum number of unsigned uploads in a clock hour under a config.
    pub(crate) fn max_uploads_per_hour(&self, config: &UploadConfig) -> u64 {
        config
            .max_uploads_per_hour()
            .unwrap_or(self.default_uploads_per_hour)
    }
}

/// Returns the `Referer` header of a request. `None` if there is more than one.
pub(crate) fn referrer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(header::REFERER).iter();
    let only = values.next().filter(|_| values.next().is_none());
    only.and_then(|value| value.to_str().ok())
}

/// Returns the network that identifies a client: its IPv4 address, or the /64 of its IPv6 address.
pub(crate) fn network(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let groups = address.segments();
            groups[..IPV6_GROUPS]
                .iter()
                .map(|group| format!("{group:x}"))
                .collect::<Vec<_>>()
                .join(":")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network_of(address: &str) -> String {
        network(address.parse().expect("an IP address"))
    }

    #[test]
    fn ipv4_clients_are_identified_by_address() {
        assert_eq!(network_of("192.0.2.1"), "192.0.2.1");
        assert_eq!(network_of("::ffff:192.0.2.1"), "192.0.2.1");
    }

    #[test]
    fn ipv6_clients_are_identified_by_their_64_bit_prefix() {
        let client = network_of("2001:db8::1");
        assert_eq!(client, network_of("2001:db8:0:0:ffff::1"));
        assert_ne!(client, network_of("2001:db8:0:1::1"));
    }
}
