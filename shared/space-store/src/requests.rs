//! What happens to every request: authentication, rate limits, and reservations of idempotency
//! keys.

use domain::{
    errors::{RateLimitStatus, ServiceError},
    keys::KeySecret,
    requests::RateLimit,
};
pub use table::requests::RequestCount;
use table::{Table, keys::KeyCheck, requests::Reservations};

use crate::spaces::{Caller, Tenants};

/// The credentials and counters of requests.
#[derive(Clone, Copy, Debug)]
pub struct Requests<'a> {
    table: &'a Table,
}

/// Outcome of the authentication of a request with a key.
#[derive(Clone, Copy, Debug)]
pub enum Authentication {
    /// The key is unknown, revoked or expired.
    InvalidKey,
    /// The key has no requests left in this minute.
    RateLimited(RateLimitStatus),
    /// The request is counted.
    Authenticated {
        caller: Caller,
        /// The remaining requests of the key.
        rate_limit: RateLimitStatus,
    },
}

impl Tenants {
    pub fn requests(&self) -> Requests<'_> {
        Requests { table: &self.table }
    }

    pub fn reservations(&self) -> Reservations<'_> {
        self.table.idempotency()
    }
}

impl Requests<'_> {
    /// Authenticates a request by its key and counts it against the key's rate limit.
    pub async fn authenticate_and_count(
        self,
        secret: &KeySecret,
        limit: RateLimit,
    ) -> Result<Authentication, ServiceError> {
        let check = self
            .table
            .keys()
            .authenticate_and_count(&secret.hash(), limit)
            .await?;
        Ok(match check {
            KeyCheck::InvalidKey => Authentication::InvalidKey,
            KeyCheck::RateLimited(rate_limit) => Authentication::RateLimited(rate_limit),
            KeyCheck::Counted { key, rate_limit } => Authentication::Authenticated {
                caller: Caller::new(key.key_id, key.scope),
                rate_limit,
            },
        })
    }

    /// Authenticates a request without counting it. Returns `None` if the key is unknown, revoked
    /// or expired.
    pub async fn authenticate(self, secret: &KeySecret) -> Result<Option<Caller>, ServiceError> {
        let key = self.table.keys().authenticate(&secret.hash()).await?;
        Ok(key.map(|key| Caller::new(key.key_id, key.scope)))
    }

    /// Counts a request of a client without a key, unless its limit for this minute is reached.
    pub async fn count_request(
        self,
        client: &str,
        limit: RateLimit,
    ) -> Result<RequestCount, ServiceError> {
        Ok(self.table.rates().count_request(client, limit).await?)
    }
}
