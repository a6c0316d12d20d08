//! Authentication: the caller of a request with an API key.
//!
//! Invariants:
//! - A request is authenticated and counted once, however many extractors need its caller.
//! - A body is read only after its caller was authenticated.
//! - A space key gets the same response for the resources of other spaces as for missing ones.

use std::marker::PhantomData;

use axum::extract::{FromRef, FromRequestParts, Request};
use domain::{
    env::Env,
    errors::{FieldError, FieldErrors, ServiceError},
    id::{SpaceId, UserId},
    naming::UrlPolicy,
};
use futures::future;
use http::{HeaderValue, request::Parts};
use space_store::{
    requests::Authentication,
    spaces::{Caller, Scoped, SpaceLists, Tenants},
};

use crate::{
    caller::{
        Action, ApiState, Can, Resource, ResourceId,
        api_key::{bearer_key, request_key},
        can::ID_PARAMETER,
        idempotency::IdempotencyScope,
        path_parameter,
        request_state::RequestState,
    },
    fields::{FieldReader, FromFields},
    response::ApiError,
};

/// Purpose of the secret, derived from a key, that protects idempotency records.
const IDEMPOTENCY: &str = "idempotency";

/// Query parameter with the space of a list.
const SPACE_PARAMETER: &str = "space_id";

/// Any role: the handler accesses only the caller's own data.
#[derive(Clone, Copy, Debug)]
pub struct AnyRole;

/// An authenticated caller below their rate limit. With an action `A`, the handler authorizes it in
/// the space that the body or the query names.
#[derive(Clone)]
pub struct Authenticated<A = AnyRole> {
    pub caller: Caller,
    /// Scope of the request's `Idempotency-Key`.
    pub idempotency: IdempotencyScope,
    state: ApiState,
    action: PhantomData<A>,
}

/// The caller of a request with an account key.
pub struct AccountHolder {
    pub user: UserId,
    pub auth: Authenticated,
}

impl Authenticated {
    /// Returns the caller that a previous extractor authenticated. Fails with 500 without one.
    pub(crate) fn of(request: &Request) -> Result<&Authenticated, ServiceError> {
        let authenticated = request.extensions().get::<Authenticated>();
        authenticated.ok_or_else(|| {
            ServiceError::internal("a body was read before its caller was authenticated")
        })
    }

    pub(crate) fn for_action<A>(self) -> Authenticated<A> {
        let Authenticated {
            caller,
            idempotency,
            state,
            ..
        } = self;
        Authenticated {
            caller,
            idempotency,
            state,
            action: PhantomData,
        }
    }
}

impl<A> Authenticated<A> {
    /// Returns the clock and random source.
    pub fn env(&self) -> &Env {
        &self.state.env
    }

    /// Returns which hosts the URLs in the request can have.
    pub(crate) fn url_policy(&self) -> UrlPolicy {
        self.state.url_policy
    }

    /// Returns the access to all spaces, for requests that [`Can`] does not authorize.
    pub fn tenants(&self) -> &Tenants {
        &self.state.tenants
    }
}

impl<A: Action> Authenticated<A> {
    /// Authorizes the action on a resource. Fails with 404 if the resource does not exist or the
    /// caller cannot see it.
    pub async fn can<T: Resource>(&self, id: &str) -> Result<Can<A, T>, ServiceError> {
        let found = T::find(self.tenants(), &self.caller, id).await?;
        let Scoped { space, record } = found.ok_or_else(ServiceError::not_found)?;
        Can::authorize(self.caller, space, record, self.env().clone())
    }

    /// Authorizes the action on a resource that a field refers to. Fails with 422 on that field if
    /// the resource does not exist or the caller cannot see it.
    pub async fn authorize_reference<T: Resource>(
        &self,
        field: &str,
        id: &str,
    ) -> Result<Can<A, T>, ServiceError> {
        let found = T::find(self.tenants(), &self.caller, id).await?;
        let unknown = || FieldErrors::from((field, FieldError::InvalidSelection));
        let Scoped { space, record } = found.ok_or_else(unknown)?;
        Can::authorize(self.caller, space, record, self.env().clone())
    }

    /// Authorizes the action in the space of a list, by default the caller's default space, and
    /// reads the list. With a space key, the space and the list are read at the same time, and the
    /// list is dropped if the space does not exist. An error of the authorization takes precedence,
    /// and so waits for the list.
    pub async fn list<T, L>(
        &self,
        space: &SpaceQuery,
        read: impl FnOnce(SpaceLists) -> L,
    ) -> Result<Listed<A, T>, ServiceError>
    where
        L: Future<Output = Result<T, ServiceError>>,
    {
        let own = self.tenants().own_lists(&self.caller, A::MIN_ROLE)?;
        if let Some(lists) = own.filter(|lists| space.selects(lists.space_id())) {
            // Boxed, so that the futures of handlers stay small.
            let authorizing = Box::pin(self.authorize_list(space));
            let (can, found) = future::join(authorizing, Box::pin(read(lists))).await;
            return Ok(Listed {
                can: can?,
                found: found?,
            });
        }

        let can = Box::pin(self.authorize_list(space)).await?;
        let found = Box::pin(read(SpaceLists::of(&can.space))).await?;
        Ok(Listed { can, found })
    }

    async fn authorize_list(&self, space: &SpaceQuery) -> Result<Can<A>, ServiceError> {
        if let Some(id) = &space.0 {
            return self.can(id).await;
        }

        let space = self
            .tenants()
            .accounts()
            .default_space(&self.caller)
            .await?;
        // The default of a space key is its own space, which may be deleted.
        let missing = || match self.caller.space_role() {
            Some(_) => ServiceError::not_found(),
            None => FieldErrors::from((SPACE_PARAMETER, FieldError::Required)).into(),
        };
        let space = space.ok_or_else(missing)?;
        Can::authorize(self.caller, space, (), self.env().clone())
    }
}

/// A list, or a record found in one, and the permission to return it.
pub struct Listed<A: Action, T> {
    pub can: Can<A>,
    /// The list or the record.
    pub found: T,
}

/// Query parameter `space_id` of a list.
pub struct SpaceQuery(Option<String>);

impl SpaceQuery {
    /// Returns whether this is the named space, or none is named.
    fn selects(&self, space: SpaceId) -> bool {
        let named = self.0.as_deref();
        named.is_none_or(|id| id.parse() == Ok(space))
    }
}

impl FromFields for SpaceQuery {
    fn read(fields: &mut impl FieldReader) -> Option<SpaceQuery> {
        let id = fields.optional(SPACE_PARAMETER, ResourceId::parse);
        fields.describe(
            SPACE_PARAMETER,
            "Id of the space. Default: the space of the key, or the default space of the account.",
        );

        Some(SpaceQuery(id.map(|id| id.0)))
    }
}

/// An authenticated caller, and the space that the path names, for its lists.
pub struct SpacePath<A> {
    auth: Authenticated<A>,
    space: SpaceQuery,
}

impl<A: Action> SpacePath<A> {
    /// Authorizes the action in the space, and reads a list: see [`Authenticated::list`].
    pub async fn list<T, L>(
        &self,
        read: impl FnOnce(SpaceLists) -> L,
    ) -> Result<Listed<A, T>, ServiceError>
    where
        L: Future<Output = Result<T, ServiceError>>,
    {
        self.auth.list(&self.space, read).await
    }
}

impl<A, S> FromRequestParts<S> for SpacePath<A>
where
    A: Action,
    ApiState: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = ApiError;

    /// For a space key, fails with 404 if the path names another space, else with 403 if the role
    /// of the key is too low.
    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<SpacePath<A>, ApiError> {
        let auth = <Authenticated>::from_request_parts(parts, state).await?;
        let id = path_parameter(parts, ID_PARAMETER).await?;
        let space = SpaceQuery(Some(id));
        let own = auth.caller.space_role();
        if own.is_some_and(|own| !space.selects(own.space_id)) {
            return Err(ServiceError::not_found().into());
        }

        auth.caller.require_in_own_space(A::MIN_ROLE)?;
        let auth = auth.for_action();
        Ok(SpacePath { auth, space })
    }
}

impl<S> FromRequestParts<S> for Authenticated
where
    ApiState: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = ApiError;

    /// Authenticates and counts the request; the result is reused by all extractors of the request.
    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Authenticated, ApiError> {
        if let Some(authenticated) = parts.extensions.get::<Authenticated>() {
            return Ok(authenticated.clone());
        }

        let api_state = ApiState::from_ref(state);
        let key = request_key(&parts.headers, parts.uri.query())
            .ok_or_else(ServiceError::unauthenticated)?;
        let authentication = api_state
            .tenants
            .requests()
            .authenticate_and_count(&key, api_state.limit)
            .await?;

        let request_state = RequestState::of(parts);
        match authentication {
            Authentication::InvalidKey => Err(ServiceError::unauthenticated().into()),
            Authentication::Authenticated { caller, rate_limit } => {
                request_state.set_rate_limit(rate_limit);
                let idempotency =
                    IdempotencyScope::of(parts, &api_state, |_| key.derive(IDEMPOTENCY));
                let authenticated = Authenticated {
                    caller,
                    idempotency,
                    state: api_state,
                    action: PhantomData,
                };
                parts.extensions.insert(authenticated.clone());
                Ok(authenticated)
            }
            Authentication::RateLimited(rate_limit) => {
                request_state.set_rate_limit(rate_limit);
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

    /// Fails with 403, before a body is read, if the role of a space key is too low.
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
        let user = auth.caller.user().ok_or_else(|| {
            ServiceError::forbidden(
                "This endpoint requires an account key. The given key belongs to one space.",
            )
        })?;
        Ok(AccountHolder { user, auth })
    }
}

/// Returns the caller of an `Authorization` header; `None` without a valid key.
pub async fn authenticate_optional(
    header: Option<&HeaderValue>,
    tenants: &Tenants,
) -> Result<Option<Caller>, ServiceError> {
    let text = header.and_then(|value| value.to_str().ok());
    let Some(key) = text.and_then(bearer_key) else {
        return Ok(None);
    };
    tenants.requests().authenticate(&key).await
}
