//! Callers without a key: whoever holds a signed address, whoever comes from where an upload config lets strangers come
//! from, and whoever has the token of a file that they announced.
//!
//! Invariant: each is counted, but by a counter that is made only once the address, the config or the token is known to be
//! good.

use std::net::IpAddr;

use axum::extract::{FromRef, FromRequestParts};
use domain::{
    ConfirmTokens, Fault, File, FileId, HourlyQuota, MasterSecret, PresentedUpload, Principal, RateLimit, SignedUpload,
    Sources,
};
use http::{HeaderMap, header, request::Parts};
use mime::Mime;
use runtime::{Settings, Viewer};
use serde_json::Value;
use tenant::{Entry, Knock, Space};

use crate::{Claim, Edge, Failure, claim::Claimant, exchange::Exchange, path_parameter};

/// The tier of unsigned uploads, in headers and records.
const UNSIGNED: &str = "unsigned";
/// Groups of an IPv6 address by which its holder is told: a household or a host has all addresses of a /64.
const IPV6_GROUPS: usize = 4;

/// What strangers are let in by, and how often.
#[derive(Clone)]
pub struct Strangers {
    /// What signatures and tokens are made of.
    pub master: MasterSecret,
    /// The tokens of announced files.
    pub tokens: ConfirmTokens,
    /// How many unsigned uploads one address may make by one config.
    unsigned: RateLimit,
    /// Maximum number of unsigned uploads in a clock hour by a config that states none.
    unsigned_uploads_per_hour: u64,
}

impl Strangers {
    /// What a function with these variables knows of strangers.
    pub fn read(settings: &mut Settings, master: MasterSecret) -> Strangers {
        let requests_per_minute = settings.number("UNSIGNED_REQUESTS_PER_MINUTE");
        let unsigned_uploads_per_hour = settings.number("UNSIGNED_UPLOADS_PER_HOUR");
        let tokens = ConfirmTokens::new(&master);
        let unsigned = RateLimit { tier: UNSIGNED, requests_per_minute };
        Strangers { master, tokens, unsigned, unsigned_uploads_per_hour }
    }
}

/// A stranger who may upload by one config.
pub struct Stranger {
    /// Where they may upload, and by which config.
    pub entry: Entry,
    /// In whose name.
    pub uploaded_by: Principal,
    /// Maximum number of uploads by the config in a clock hour; none where uploads are not counted.
    pub max_uploads_per_hour: Option<u64>,
    /// Time and randomness.
    pub sources: Sources,
    claimant: Claimant,
}

impl Stranger {
    /// Claims this request, whose payload is all that it asks for. Where it was done before, its first answer is the
    /// failure to claim it.
    pub async fn claim(&self, payload: &Value) -> Result<Claim, Failure> {
        self.claimant.claim(payload).await
    }
}

/// Whoever holds a signed address.
pub struct SignedStranger {
    /// What the address allows.
    pub signed: SignedUpload,
    /// The one MIME type that it allows, where it is for one.
    pub expected: Option<Mime>,
    /// Its holder.
    pub stranger: Stranger,
}

/// Whoever comes from where a config lets strangers come from.
pub struct UnsignedStranger(pub Stranger);

impl<S> FromRequestParts<S> for SignedStranger
where
    Edge: FromRef<S>,
    Strangers: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<SignedStranger, Failure> {
        let (edge, strangers) = (Edge::from_ref(state), Strangers::from_ref(state));
        let presented = PresentedUpload::read(parts.uri.query().unwrap_or_default())?;
        let (entry, signed) = edge.tenants.enter_by_signature(&presented, &strangers.master).await?;
        let expected = signed.content_type.as_deref().map(str::parse).transpose();
        let expected = expected.map_err(|_| Fault::forbidden("The URL is signed for a content type that is none."))?;
        // Whoever reads the table must not find what opens the space.
        count(&edge, &Exchange::of(parts), &presented.digest(), edge.limit).await?;
        let claimant = Claimant::of(parts, &edge, |key| key.secret_of(presented.signature()));
        let stranger = Stranger {
            entry,
            uploaded_by: Principal::SignedUrl,
            max_uploads_per_hour: None,
            sources: edge.sources,
            claimant,
        };
        Ok(SignedStranger { signed, expected, stranger })
    }
}

impl<S> FromRequestParts<S> for UnsignedStranger
where
    Edge: FromRef<S>,
    Strangers: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<UnsignedStranger, Failure> {
        let (edge, strangers) = (Edge::from_ref(state), Strangers::from_ref(state));
        let viewer = Viewer::of(&parts.extensions)?;
        let (handle, config) =
            (path_parameter(parts, "spaceHandle").await?, path_parameter(parts, "configName").await?);
        let gate = edge.tenants.gate(&handle, &config).await?;
        let who = format!("{}#{}", gate.config().id, network(viewer.address));
        count(&edge, &Exchange::of(parts), &who, strangers.unsigned).await?;
        let knock = Knock { referrer: referrer(&parts.headers), is_secure: viewer.is_secure };
        let entry = gate.enter(knock)?;
        let claimant = Claimant::of(parts, &edge, |key| key.secret_of(&who));
        let now = edge.sources.now();
        let max_uploads_per_hour = entry.config.max_uploads_per_hour().unwrap_or(strangers.unsigned_uploads_per_hour);
        // The transaction that writes the file enforces the quota. Uploads above it are refused here as well, before their
        // bytes are read, transformed and stored. A request with an Idempotency-Key may have been counted before.
        if !claimant.is_named() {
            entry.space.demand_quota(HourlyQuota::new(entry.config.id, max_uploads_per_hour, now), now).await?;
        }

        let stranger = Stranger {
            entry,
            uploaded_by: Principal::Unsigned,
            max_uploads_per_hour: Some(max_uploads_per_hour),
            sources: edge.sources,
            claimant,
        };
        Ok(UnsignedStranger(stranger))
    }
}

impl Edge {
    /// The file that a stranger announced, and its space, for whoever has its token; not found where it is gone.
    pub async fn strangers_file(
        &self,
        parts: &Parts,
        id: FileId,
        token: &str,
        strangers: &Strangers,
    ) -> Result<(Space, File), Failure> {
        let found = self.tenants.strangers_file(id, token, &strangers.tokens, self.sources.now()).await?;
        let (space, file) = found.ok_or_else(Fault::not_found)?;
        let limit = if file.uploaded_by == Principal::Unsigned { strangers.unsigned } else { self.limit };
        count(self, &Exchange::of(parts), &id.to_string(), limit).await?;
        Ok((space, file))
    }
}

/// Counts a request; refuses it where there were too many.
async fn count(edge: &Edge, exchange: &Exchange, who: &str, limit: RateLimit) -> Result<(), Fault> {
    let (is_admitted, allowance) = edge.tenants.count(who, limit, edge.sources.now()).await?;
    exchange.note_allowance(allowance);
    if is_admitted { Ok(()) } else { Err(Fault::rate_limited(allowance)) }
}

/// The one `Referer` of a request.
fn referrer(headers: &HeaderMap) -> Option<&str> {
    let mut given = headers.get_all(header::REFERER).iter();
    let one = given.next().filter(|_| given.next().is_none());
    one.and_then(|value| value.to_str().ok())
}

/// By what the holder of an address is told: an IPv4 address, or the /64 of an IPv6 one.
fn network(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let groups = address.segments();
            groups[..IPV6_GROUPS].iter().map(|group| format!("{group:x}")).collect::<Vec<_>>().join(":")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_household_is_one_stranger() {
        let of = |address: &str| network(address.parse().expect("an address"));
        assert_eq!(of("192.0.2.1"), "192.0.2.1");
        assert_eq!(of("::ffff:192.0.2.1"), "192.0.2.1");
        assert_eq!(of("2001:db8::1"), of("2001:db8:0:0:ffff::1"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
    }
}
