//! Who makes a request: the key in `Authorization: Bearer …`, or in the query parameter `api_key`.

use std::borrow::Cow;

use axum::extract::{FromRef, FromRequestParts};
use domain::{Fault, Handle, KeySecret, Sources, Timestamp, UserId, Violation, Violations};
use http::{HeaderMap, HeaderValue, Uri, header, request::Parts};
use serde_json::Value;
use tenant::{Admitted, Caller, Tenants};

use crate::{Action, Can, Claim, Edge, Failure, Subject, claim::Claimant, exchange::Exchange};

/// The query parameter that may hold a key.
const KEY_PARAMETER: &str = "api_key";

/// The purpose of the secret by which a key's holder does requests once.
const IDEMPOTENCY: &str = "idempotency";

/// The query parameter that names the space of a list.
const SPACE_PARAMETER: &str = "space_id";

/// A caller with a valid key and requests left, in no space yet.
#[derive(Clone)]
pub struct Authenticated {
    /// The caller.
    pub caller: Caller,
    pub(crate) claimant: Claimant,
    edge: Edge,
}

/// The holder of an account key.
pub struct AccountHolder {
    /// The user.
    pub user: UserId,
    /// The caller.
    pub by: Authenticated,
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

    /// Claims this request, whose payload is all that it asks for. Where it was done before, its first answer is the
    /// failure to claim it.
    pub async fn claim(&self, payload: &Value) -> Result<Claim, Failure> {
        self.claimant.claim(payload).await
    }

    /// Refuses, before a body is read, a space key whose role is too low for the action anyway.
    pub fn might<A: Action>(&self) -> Result<(), Fault> {
        self.caller.demand_in_own_space(A::LEAST)
    }

    /// Authorizes an action on what has this id; not found where the caller may not know of it.
    pub async fn can<A: Action, T: Subject>(&self, id: &str) -> Result<Can<A, T>, Fault> {
        let found = T::find(self.tenants(), &self.caller, id).await?;
        let (space, subject) = found.ok_or_else(Fault::not_found)?;
        Can::authorize(self.caller, space, subject, self.sources().clone())
    }

    /// Authorizes an action on what a field of the body refers to by id.
    pub async fn can_refer<A: Action, T: Subject>(&self, field: &str, id: &str) -> Result<Can<A, T>, Fault> {
        match T::find(self.tenants(), &self.caller, id).await? {
            Some((space, subject)) => Can::authorize(self.caller, space, subject, self.sources().clone()),
            None => Err(Violations::from((field, Violation::Unknown)).into()),
        }
    }

    /// Authorizes an action in the space whose list is asked for: that of the query's `space_id`, or else the one that is
    /// meant where none is named.
    pub async fn can_list<A: Action>(&self, uri: &Uri) -> Result<Can<A>, Fault> {
        let query = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
        let named = query.filter(|(name, value)| name == SPACE_PARAMETER && !value.trim().is_empty()).last();
        if let Some((_, id)) = named {
            return self.can(id.trim()).await;
        }
        let space = self.tenants().default_space(&self.caller).await?;
        // The space of a space key is the one that is meant, also where it is gone.
        let nowhere = || match self.caller.own_space() {
            Some(_) => Fault::not_found(),
            None => Violations::from((SPACE_PARAMETER, Violation::Required)).into(),
        };
        Can::authorize(self.caller, space.ok_or_else(nowhere)?, (), self.sources().clone())
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

    /// Authenticates and counts a request once, however many extractors ask.
    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Authenticated, Failure> {
        if let Some(known) = parts.extensions.get::<Authenticated>() {
            return Ok(known.clone());
        }
        let edge = Edge::from_ref(state);
        let secret = key_of(&parts.headers, parts.uri.query()).ok_or_else(Fault::unauthenticated)?;
        let admitted = edge.tenants.admit(&secret, edge.limit, edge.sources.now()).await?;
        let exchange = Exchange::of(parts);
        match admitted.ok_or_else(Fault::unauthenticated)? {
            Admitted::Yes(caller, allowance) => {
                exchange.note_allowance(allowance);
                let claimant = Claimant::of(parts, &edge, |_| secret.derive(IDEMPOTENCY));
                let by = Authenticated { caller, claimant, edge };
                parts.extensions.insert(by.clone());
                Ok(by)
            }
            Admitted::Limited(allowance) => {
                exchange.note_allowance(allowance);
                Err(Fault::rate_limited(allowance).into())
            }
        }
    }
}

impl<S> FromRequestParts<S> for AccountHolder
where
    Edge: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<AccountHolder, Failure> {
        let by = Authenticated::from_request_parts(parts, state).await?;
        let user = by.caller.user();
        let refused = || Fault::forbidden("This needs an account key; yours belongs to one space.");
        Ok(AccountHolder { user: user.ok_or_else(refused)?, by })
    }
}

/// Who calls with the key in a header; nobody where there is none, or none that works.
pub async fn caller_of(
    header: Option<&HeaderValue>,
    tenants: &Tenants,
    now: Timestamp,
) -> Result<Option<Caller>, Fault> {
    match header.and_then(|value| value.to_str().ok()).and_then(bearer) {
        Some(secret) => tenants.authenticate(&secret, now).await,
        None => Ok(None),
    }
}

/// Whether a request comes with a key, a good one or not.
pub fn has_key(headers: &HeaderMap, query: Option<&str>) -> bool {
    let is_key = |(name, _): (Cow<'_, str>, Cow<'_, str>)| name == KEY_PARAMETER;
    headers.contains_key(header::AUTHORIZATION)
        || form_urlencoded::parse(query.unwrap_or_default().as_bytes()).any(is_key)
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
