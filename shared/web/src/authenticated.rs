//! Who makes a request: the key in `Authorization: Bearer …`, or in the query parameter `api_key`.

use std::{borrow::Cow, marker::PhantomData};

use axum::extract::{FromRef, FromRequestParts, Request};
use domain::{Env, FieldError, FieldErrors, KeySecret, ServiceError, UserId};
use http::{HeaderMap, HeaderValue, header, request::Parts};
use tenant::{Authentication, Caller, Tenants};

use crate::{
    Action, ApiError, ApiState, Can, FieldReader, FromFields, Resource, ResourceId,
    idempotency::IdempotencyScope, request_state::RequestState,
};

/// The query parameter that may hold a key.
const KEY_PARAMETER: &str = "api_key";

/// The purpose of the secret by which a key's holder does requests once.
const IDEMPOTENCY: &str = "idempotency";

/// The query parameter that names the space of a list.
const SPACE_PARAMETER: &str = "space_id";

/// Callers with any role: what a handler shows them is theirs.
#[derive(Clone, Copy, Debug)]
pub struct AnyRole;

/// An authenticated caller with requests left in their rate limit, who is to be authorized for the
/// action `A` in a space that the body or the query names.
#[derive(Clone)]
pub struct Authenticated<A = AnyRole> {
    /// The caller.
    pub caller: Caller,
    /// In whose name the request is done once.
    pub idempotency: IdempotencyScope,
    edge: ApiState,
    action: PhantomData<A>,
}

/// The holder of an account key.
pub struct AccountHolder {
    /// The user.
    pub user: UserId,
    /// The caller.
    pub auth: Authenticated,
}

impl Authenticated {
    /// Returns the caller of a request whose key was checked by an extractor before. Fails with 500
    /// if there was none.
    pub(crate) fn of(request: &Request) -> Result<&Authenticated, ServiceError> {
        let known = request.extensions().get::<Authenticated>();
        known.ok_or_else(|| {
            ServiceError::internal("a body is read before its caller is authenticated")
        })
    }

    pub(crate) fn for_action<A>(self) -> Authenticated<A> {
        let Authenticated {
            caller,
            idempotency,
            edge,
            ..
        } = self;
        Authenticated {
            caller,
            idempotency,
            edge,
            action: PhantomData,
        }
    }
}

impl<A> Authenticated<A> {
    /// Time and randomness.
    pub fn env(&self) -> &Env {
        &self.edge.env
    }

    /// Access to what is in no space yet.
    pub fn tenants(&self) -> &Tenants {
        &self.edge.tenants
    }
}

impl<A: Action> Authenticated<A> {
    /// Authorizes the action on the resource with this id. Fails with 404 if the caller may not
    /// know of it.
    pub async fn can<T: Resource>(&self, id: &str) -> Result<Can<A, T>, ServiceError> {
        let found = T::find(self.tenants(), &self.caller, id).await?;
        let (space, resource) = found.ok_or_else(ServiceError::not_found)?;
        Can::authorize(self.caller, space, resource, self.env().clone())
    }

    /// Authorizes the action on the resource that a field of the body refers to. Fails with 422 on
    /// that field if the caller may not know of it.
    pub async fn authorize_reference<T: Resource>(
        &self,
        field: &str,
        id: &str,
    ) -> Result<Can<A, T>, ServiceError> {
        match T::find(self.tenants(), &self.caller, id).await? {
            Some((space, resource)) => {
                Can::authorize(self.caller, space, resource, self.env().clone())
            }
            None => Err(FieldErrors::from((field, FieldError::InvalidSelection)).into()),
        }
    }

    /// Authorizes the action in the space that a query names, or else in the caller's default
    /// space.
    pub async fn authorize_list(&self, space_id: &SpaceQuery) -> Result<Can<A>, ServiceError> {
        if let Some(id) = &space_id.0 {
            return self.can(id).await;
        }

        let space = self.tenants().default_space(&self.caller).await?;
        // A space key lists its own space, which may have been deleted.
        let missing = || match self.caller.own_space() {
            Some(_) => ServiceError::not_found(),
            None => FieldErrors::from((SPACE_PARAMETER, FieldError::Required)).into(),
        };
        Can::authorize(
            self.caller,
            space.ok_or_else(missing)?,
            (),
            self.env().clone(),
        )
    }
}

/// The query parameter `space_id` of a list.
pub struct SpaceQuery(Option<String>);

impl FromFields for SpaceQuery {
    fn read(fields: &mut impl FieldReader) -> Option<SpaceQuery> {
        Some(SpaceQuery(
            fields
                .optional(SPACE_PARAMETER, ResourceId::parse)
                .map(|id| id.0),
        ))
    }
}

impl<S> FromRequestParts<S> for Authenticated
where
    ApiState: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = ApiError;

    /// Authenticates and counts a request once, however many extractors ask.
    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Authenticated, ApiError> {
        if let Some(known) = parts.extensions.get::<Authenticated>() {
            return Ok(known.clone());
        }
        let edge = ApiState::from_ref(state);
        let secret =
            key_of(&parts.headers, parts.uri.query()).ok_or_else(ServiceError::unauthenticated)?;
        let authentication = edge
            .tenants
            .authenticate_and_count(&secret, edge.limit)
            .await?;
        let exchange = RequestState::of(parts);
        match authentication {
            Authentication::UnknownKey => Err(ServiceError::unauthenticated().into()),
            Authentication::Authenticated { caller, rate_limit } => {
                exchange.note_allowance(rate_limit);
                let idempotency =
                    IdempotencyScope::of(parts, &edge, |_| secret.derive(IDEMPOTENCY));
                let auth = Authenticated {
                    caller,
                    idempotency,
                    edge,
                    action: PhantomData,
                };
                parts.extensions.insert(auth.clone());
                Ok(auth)
            }
            Authentication::RateLimited(rate_limit) => {
                exchange.note_allowance(rate_limit);
                Err(ServiceError::rate_limited(rate_limit).into())
            }
        }
    }
}

impl<A, S> FromRequestParts<S> for Authenticated<A>
where
    A: Action,
    ApiState: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = ApiError;

    /// Fails with 403, before a body is read, if the role of a space key is too low in its own
    /// space.
    async fn from_request_parts(
        parts: &mut Parts,
        state: &S,
    ) -> Result<Authenticated<A>, ApiError> {
        let authenticated = <Authenticated>::from_request_parts(parts, state).await?;
        authenticated.caller.require_in_own_space(A::MIN_ROLE)?;
        Ok(authenticated.for_action())
    }
}

impl<S> FromRequestParts<S> for AccountHolder
where
    ApiState: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<AccountHolder, ApiError> {
        let auth = <Authenticated>::from_request_parts(parts, state).await?;
        let user = auth.caller.user();
        let refused =
            || ServiceError::forbidden("This needs an account key; yours belongs to one space.");
        Ok(AccountHolder {
            user: user.ok_or_else(refused)?,
            auth,
        })
    }
}

/// Returns who calls with the key in a header; `None` without a key, or with one that is not valid.
pub async fn authenticate_optional(
    header: Option<&HeaderValue>,
    tenants: &Tenants,
) -> Result<Option<Caller>, ServiceError> {
    match header
        .and_then(|value| value.to_str().ok())
        .and_then(bearer)
    {
        Some(secret) => tenants.authenticate(&secret).await,
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
        return if given.next().is_none() {
            header.to_str().ok().and_then(bearer)
        } else {
            None
        };
    }
    let mut keys =
        form_urlencoded::parse(query?.as_bytes()).filter(|(name, _)| name == KEY_PARAMETER);
    let key: Cow<str> = keys.next()?.1;
    if keys.next().is_some() {
        None
    } else {
        KeySecret::parse(key.trim())
    }
}

fn bearer(header: &str) -> Option<KeySecret> {
    let (scheme, key) = header.trim().split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| KeySecret::parse(key.trim()))?
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "sk_00000000000000000000000000000000000000002kaqcA";

    fn headers(values: &[&str]) -> HeaderMap {
        values
            .iter()
            .map(|value| (header::AUTHORIZATION, value.parse().expect("a header")))
            .collect()
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
            (
                &[&format!("Bearer {ONE}"), &format!("Bearer {ONE}")],
                None,
                false,
            ),
            (&[], Some(&format!("{parameter}&{parameter}")), false),
            (&[], None, false),
        ];
        for (values, query, found) in cases {
            assert_eq!(
                key_of(&headers(values), query).is_some(),
                found,
                "{values:?} {query:?}"
            );
        }
    }
}
