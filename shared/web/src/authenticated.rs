//! Who makes a request: the key in `Authorization: Bearer …`, or in the query parameter `api_key`.

use std::borrow::Cow;

use axum::extract::{FromRef, FromRequestParts};
use domain::{Fault, Handle, KeySecret, Sources, Timestamp};
use http::{HeaderMap, header, request::Parts};
use tenant::{Caller, Tenants};

use crate::{Action, Can, Edge, Failure};

/// The query parameter that may hold a key.
const KEY_PARAMETER: &str = "api_key";

/// A caller with a valid key, in no space yet.
pub struct Authenticated {
    /// The caller.
    pub caller: Caller,
    edge: Edge,
}

impl Authenticated {
    /// Time and randomness.
    pub fn sources(&self) -> &Sources {
        &self.edge.sources
    }

    /// The way to what is not in a space yet: the making of one.
    pub fn tenants(&self) -> &Tenants {
        &self.edge.tenants
    }

    /// Refuses, before a body is read, a space key whose role is too low for the action anyway.
    pub fn might<A: Action>(&self) -> Result<(), Fault> {
        self.caller.demand_in_own_space(A::LEAST)
    }

    /// Authorizes an action in the space of this handle; `None` where the caller may not know of such a space.
    pub async fn can_in<A: Action>(&self, handle: &Handle) -> Result<Option<Can<A>>, Fault> {
        let Some(space) = self.edge.tenants.space_by_handle(&self.caller, handle).await? else { return Ok(None) };
        Can::authorize(self.caller, space, (), self.edge.sources.clone()).map(Some)
    }
}

impl<S> FromRequestParts<S> for Authenticated
where
    Edge: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Authenticated, Failure> {
        let edge = Edge::from_ref(state);
        let secret = key_of(&parts.headers, parts.uri.query()).ok_or_else(Fault::unauthenticated)?;
        let caller = edge.tenants.authenticate(&secret, edge.sources.now()).await?;
        Ok(Authenticated { caller: caller.ok_or_else(Fault::unauthenticated)?, edge })
    }
}

/// Who calls with the key in a header; nobody where there is none, or none that works.
pub async fn caller_of(
    header: Option<&http::HeaderValue>,
    tenants: &Tenants,
    now: Timestamp,
) -> Result<Option<Caller>, Fault> {
    match header.and_then(|value| value.to_str().ok()).and_then(bearer) {
        Some(secret) => tenants.authenticate(&secret, now).await,
        None => Ok(None),
    }
}

/// The key of a request. The header beats the parameter, also where it holds something else.
fn key_of(headers: &HeaderMap, query: Option<&str>) -> Option<KeySecret> {
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    if let Some(header) = given.next() {
        // Two headers are one too many to tell which is meant.
        return if given.next().is_none() { header.to_str().ok().and_then(bearer) } else { None };
    }
    let mut keys = form_urlencoded::parse(query?.as_bytes()).filter(|(name, _)| name == KEY_PARAMETER);
    let key: Cow<str> = keys.next()?.1;
    if keys.next().is_some() { None } else { KeySecret::parse(key.trim()) }
}

fn bearer(header: &str) -> Option<KeySecret> {
    let (scheme, key) = header.trim().split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| KeySecret::parse(key.trim()))?
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "sk_00000000000000000000000000000000000000002kaqcA";

    fn headers(values: &[&str]) -> HeaderMap {
        values.iter().map(|value| (header::AUTHORIZATION, value.parse().expect("a header"))).collect()
    }

    #[test]
    fn a_key_comes_by_header_or_by_parameter_and_the_header_wins() {
        let parameter = format!("limit=1&api_key={ONE}");
        let cases: [(&[&str], Option<&str>, bool); 9] = [
            (&[&format!("Bearer {ONE}")], None, true),
            (&[&format!("bearer   {ONE} ")], None, true),
            (&[], Some(&parameter), true),
            (&["Basic abc"], Some(&parameter), false),
            (&[ONE], None, false),
            (&["Bearer"], None, false),
            (&[&format!("Bearer {ONE}"), &format!("Bearer {ONE}")], None, false),
            (&[], Some(&format!("{parameter}&{parameter}")), false),
            (&[], None, false),
        ];
        for (values, query, found) in cases {
            assert_eq!(key_of(&headers(values), query).is_some(), found, "{values:?} {query:?}");
        }
    }
}
