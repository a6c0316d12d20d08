//! Uploads without an API key: their secrets, their rate limits, and the clients they are counted
//! by.

use std::net::IpAddr;

use domain::{ConfirmTokens, File, FileId, Principal, RateLimit, ServiceError};
use http::{HeaderMap, header, request::Parts};
use runtime::{LazyMasterSecret, Settings};
use tenant::SpaceScope;
use web::{ApiError, ApiState};

/// The tier of unsigned uploads, in headers and records.
pub(crate) const UNSIGNED: &str = "unsigned";
/// Number of groups of an IPv6 address that identify its holder: a household or a host has all
/// addresses of a /64.
const IPV6_GROUPS: usize = 4;

/// Secrets and limits of uploads without a key.
#[derive(Clone)]
pub(crate) struct AnonymousUploads {
    /// The secret that signatures and tokens are derived from.
    pub(crate) master: LazyMasterSecret,
    /// Limit of unsigned requests of one client address under one config.
    pub(crate) limit: RateLimit,
    /// Maximum number of unsigned uploads in a clock hour under a config that states none.
    pub(crate) uploads_per_hour: u64,
}

impl AnonymousUploads {
    /// Reads the limits from the function's variables.
    pub(crate) fn read(settings: &mut Settings, master: LazyMasterSecret) -> AnonymousUploads {
        let requests_per_minute = settings.number("UNSIGNED_REQUESTS_PER_MINUTE");
        AnonymousUploads {
            master,
            limit: RateLimit {
                tier: UNSIGNED,
                requests_per_minute,
            },
            uploads_per_hour: settings.number("UNSIGNED_UPLOADS_PER_HOUR"),
        }
    }

    /// Returns the tokens that confirm anonymous files.
    pub(crate) async fn tokens(&self) -> Result<ConfirmTokens, ServiceError> {
        Ok(ConfirmTokens::new(self.master.get().await?))
    }

    /// Returns an anonymous file and its space for its confirm token. Fails with 404 if the file no
    /// longer exists, with 403 if the token is invalid or has expired.
    pub(crate) async fn file(
        &self,
        edge: &ApiState,
        parts: &Parts,
        id: FileId,
        token: &str,
    ) -> Result<(SpaceScope, File), ApiError> {
        let found = edge
            .tenants
            .anonymous_file(id, token, &self.tokens().await?)
            .await?;
        let (space, file) = found.ok_or_else(ServiceError::not_found)?;
        let limit = if file.uploaded_by == Principal::Unsigned {
            self.limit
        } else {
            edge.limit
        };
        edge.count(parts, &id.to_string(), limit).await?;
        Ok((space, file))
    }
}

/// Returns the `Referer` of a request, if it has exactly one.
pub(crate) fn referrer(headers: &HeaderMap) -> Option<&str> {
    let mut given = headers.get_all(header::REFERER).iter();
    let one = given.next().filter(|_| given.next().is_none());
    one.and_then(|value| value.to_str().ok())
}

/// Returns what identifies a client: its IPv4 address, or the /64 of its IPv6 address.
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

    #[test]
    fn addresses_of_one_network_are_one_client() {
        let of = |address: &str| network(address.parse().expect("an address"));
        assert_eq!(of("192.0.2.1"), "192.0.2.1");
        assert_eq!(of("::ffff:192.0.2.1"), "192.0.2.1");
        assert_eq!(of("2001:db8::1"), of("2001:db8:0:0:ffff::1"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
    }
}
