//! HTTP layer of the API: authentication, authorization, request parsing and responses.
//!
//! The rules that hold for every route are described for API users in `docs/api.md`. Endpoints
//! inherit them from the types of this crate:
//!
//! - A handler takes [`Can`](caller::Can) or [`Authenticated`](caller::Authenticated) first, then
//!   [`ValidJson`](request::ValidJson), [`IdempotentJson`](request::IdempotentJson),
//!   [`PageQuery`](request::PageQuery) or [`ListQuery`](request::ListQuery). They authenticate,
//!   authorize and validate before it runs.
//! - A handler returns [`Data`](response::Data), [`Created`](response::Created),
//!   [`CreatedUnwrapped`](response::CreatedUnwrapped), [`NoContent`](response::NoContent),
//!   [`Accepted`](response::Accepted) or [`PageResponse`](request::PageResponse), or fails with
//!   [`ApiError`](response::ApiError).
//! - An [`Endpoint`](describe::Endpoint) declares method, path and summary next to its handler.
//!   [`RouterBuilder`](describe::RouterBuilder) mounts it, and [`describe`] describes it.
//!
//! Invariants:
//! - A handler accesses a space only through [`Can`](caller::Can), which this crate creates after
//!   authentication and authorization, or, for uploads without a key, through a signed URL, an
//!   upload config or a confirm token.
//! - An API request with a key is authenticated, and counted for its rate limit, once and before
//!   its body is read.
//! - A resource that the caller cannot see is reported like a missing one: 404 if the path, the
//!   query's `id`, or the body of an update or deletion names it; 422 if a field refers to it.
//! - Every error has the standard body `{"message", "errors"}`, which
//!   [`ApiError`](response::ApiError) creates, or `runtime` if no handler responds in time.
//! - No key, signature or byte of a file is logged.

pub mod fields;

pub mod response;

pub mod caller;

pub mod request;

pub mod describe;
