//! Pages of a list: `limit` and `cursor` in, items and both neighbours' cursors out.
//!
//! A client's cursor is base64url of a mark and the text of a [`Cursor`]. The mark is an HMAC under
//! a secret of its own over this text and the list: its path, its filters and whose it is. So a
//! cursor opens its own list only.

use axum::{
    Json,
    extract::{FromRef, FromRequestParts},
    response::{IntoResponse, Response},
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use domain::{Cursor, FieldError, PageRequest, Secret, ServiceError, Timestamp};
use http::{Uri, request::Parts};
use runtime::LazyMasterSecret;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{ApiError, ApiState, Authenticated, FieldReader, FromFields, InputFields};

/// Items on a page, where the request names no number.
const DEFAULT_LIMIT: u16 = 20;
/// Most items on a page.
const MOST_LIMIT: u16 = 100;
/// Bytes of a cursor's mark.
const MARK_BYTES: usize = 32;
/// Query parameter that holds a cursor.
const CURSOR: &str = "cursor";
/// What the secret is for.
const PURPOSE: &str = "cursors";
/// Parameters that are no filters of a list.
const NO_FILTERS: [&str; 3] = ["api_key", CURSOR, "limit"];

/// The secret that cursors are marked by.
#[derive(Clone)]
pub struct CursorSecret(LazyMasterSecret);

impl CursorSecret {
    /// The cursors of this installation.
    pub fn new(master: LazyMasterSecret) -> CursorSecret {
        CursorSecret(master)
    }

    async fn secret(&self) -> Result<Secret, ServiceError> {
        Ok(self.0.get().await?.derive(PURPOSE))
    }
}

/// Which page of which list is asked for.
pub struct PageQuery {
    path: String,
    page_request: PageRequest,
    list: List,
}

/// One list of one caller, and how its cursors are marked.
struct List {
    secret: Secret,
    /// Path, filters and owner.
    name: String,
}

/// A page: what a list's handler answers.
pub struct PageResponse<T> {
    path: String,
    limit: u16,
    items: Vec<T>,
    next: Option<String>,
    previous: Option<String>,
}

#[derive(Serialize)]
struct Body<T> {
    data: Vec<T>,
    path: String,
    per_page: u16,
    next_cursor: Option<String>,
    prev_cursor: Option<String>,
}

impl PageQuery {
    /// What to read.
    pub fn page_request(&self) -> &PageRequest {
        &self.page_request
    }

    /// Creates the response from the page that was read.
    pub fn response<R, T>(
        self,
        page: domain::Page<R>,
        view: impl FnMut(R) -> T,
    ) -> PageResponse<T> {
        PageResponse {
            path: self.path,
            limit: self.page_request.limit,
            items: page.items.into_iter().map(view).collect(),
            next: page.next.map(|cursor| self.list.seal(&cursor)),
            previous: page.prev.map(|cursor| self.list.seal(&cursor)),
        }
    }

    fn read(path: &str, fields: &mut InputFields, list: List) -> PageQuery {
        let PageParameters { limit, cursor } = PageParameters::read(fields);
        let cursor = cursor.map(|cursor| list.open(&cursor).ok_or(FieldError::InvalidSelection));
        let cursor = cursor.and_then(|cursor| fields.record(CURSOR, cursor));
        PageQuery {
            path: path.to_owned(),
            page_request: PageRequest {
                cursor,
                limit: limit.0,
            },
            list,
        }
    }
}

/// The query parameters of every list.
pub(crate) struct PageParameters {
    limit: Limit,
    cursor: Option<String>,
}

impl PageParameters {
    pub(crate) fn read(fields: &mut impl FieldReader) -> PageParameters {
        let limit = fields
            .optional("limit", Limit::parse)
            .unwrap_or(Limit(DEFAULT_LIMIT));
        let cursor = fields.optional(CURSOR, |cursor| Ok(cursor.to_owned()));
        PageParameters { limit, cursor }
    }
}

/// Number of items on a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(extend("minimum" = 1, "maximum" = MOST_LIMIT, "default" = DEFAULT_LIMIT))]
struct Limit(u16);

impl Limit {
    fn parse(text: &str) -> Result<Limit, FieldError> {
        let number: i64 = text.parse().map_err(|_| FieldError::NotAnInteger)?;
        match u16::try_from(number) {
            Ok(0) => Err(FieldError::TooSmall(1)),
            Ok(number) if number <= MOST_LIMIT => Ok(Limit(number)),
            Err(_) if number < 1 => Err(FieldError::TooSmall(1)),
            _ => Err(FieldError::TooLarge(MOST_LIMIT.into())),
        }
    }
}

/// The query of a list: which page is asked for, and what else `F` reads.
pub struct ListQuery<F> {
    /// Which page is asked for.
    pub page: PageQuery,
    /// What the list is narrowed down to.
    pub filter: F,
}

/// A query without anything else.
impl FromFields for () {
    fn read(_: &mut impl FieldReader) -> Option<()> {
        Some(())
    }
}

impl List {
    fn seal(&self, cursor: &Cursor) -> String {
        let text = cursor.to_string();
        let mark = self.secret.mac(&self.message(text.as_bytes()));
        BASE64_URL_SAFE_NO_PAD.encode([&mark[..], text.as_bytes()].concat())
    }

    fn open(&self, sealed: &str) -> Option<Cursor> {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(sealed).ok()?;
        let (mark, text) = bytes.split_at_checked(MARK_BYTES)?;
        if !self.secret.verify_mac(&self.message(text), mark) {
            return None;
        }
        std::str::from_utf8(text).ok()?.parse().ok()
    }

    fn message(&self, cursor: &[u8]) -> Vec<u8> {
        [self.name.as_bytes(), b"\0", cursor].concat()
    }
}

/// What a list's cursors are bound to: no other path, no other filters, no other owner's keys. An
/// empty filter is none.
fn list_name(auth: &Authenticated, query: &str) -> String {
    let parameters: Vec<_> = form_urlencoded::parse(query.as_bytes()).collect();
    let parameters = parameters
        .iter()
        .map(|(name, value)| (name.as_ref(), value.trim()));
    let mut filters: Vec<(&str, &str)> = parameters
        .filter(|(name, value)| !NO_FILTERS.contains(name) && !value.is_empty())
        .collect();
    filters.sort_unstable();
    let filters = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(filters)
        .finish();
    format!(
        "{}?{filters}\0{:?}",
        auth.idempotency.path,
        auth.caller.owner()
    )
}

impl<F, S> FromRequestParts<S> for ListQuery<F>
where
    F: FromFields,
    ApiState: FromRef<S>,
    CursorSecret: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<ListQuery<F>, ApiError> {
        let authenticated = <Authenticated>::from_request_parts(parts, state).await?;
        let query = parts.uri.query().unwrap_or_default();
        let secret = CursorSecret::from_ref(state).secret().await?;
        let list = List {
            secret,
            name: list_name(&authenticated, query),
        };

        let mut fields = query_fields(&parts.uri, authenticated.env().now());
        let page = PageQuery::read(parts.uri.path(), &mut fields, list);
        let filter = F::read(&mut fields);
        Ok(ListQuery {
            page,
            filter: fields.finish(filter)?,
        })
    }
}

impl<S> FromRequestParts<S> for PageQuery
where
    ApiState: FromRef<S>,
    CursorSecret: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<PageQuery, ApiError> {
        let query = ListQuery::<()>::from_request_parts(parts, state).await?;
        Ok(query.page)
    }
}

/// A valid query.
pub struct ValidQuery<T>(pub T);

impl<T, S> FromRequestParts<S> for ValidQuery<T>
where
    T: FromFields,
    ApiState: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<ValidQuery<T>, ApiError> {
        let authenticated = <Authenticated>::from_request_parts(parts, state).await?;
        let mut fields = query_fields(&parts.uri, authenticated.env().now());
        let read = T::read(&mut fields);
        Ok(ValidQuery(fields.finish(read)?))
    }
}

/// The parameters of a query as fields.
pub(crate) fn query_fields(uri: &Uri, now: Timestamp) -> InputFields {
    InputFields::of_texts(
        form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()).into_owned(),
        now,
    )
}

impl<T: Serialize> IntoResponse for PageResponse<T> {
    fn into_response(self) -> Response {
        let PageResponse {
            path,
            limit,
            items,
            next,
            previous,
        } = self;
        Json(Body {
            data: items,
            path,
            per_page: limit,
            next_cursor: next,
            prev_cursor: previous,
        })
        .into_response()
    }
}

#[cfg(test)]
mod tests {
    use domain::MasterSecret;

    use super::*;
    use proptest::prelude::*;

    fn list(name: &str) -> List {
        List {
            secret: MasterSecret::new("master").derive(PURPOSE),
            name: name.to_owned(),
        }
    }

    fn read(query: &str) -> Result<u16, String> {
        let uri = format!("/a?{query}").parse().expect("a URI");
        let mut fields = query_fields(&uri, Timestamp::from_ms(0));
        let request = PageQuery::read("/a", &mut fields, list("/a"));
        let limit = fields.finish(Some(request.page_request.limit));
        limit.map_err(|error| format!("{:?}", error.field_errors.into_messages()))
    }

    #[test]
    fn limits_are_bounded() {
        assert_eq!(read(""), Ok(20));
        assert_eq!(read("limit=100"), Ok(100));
        for (query, message) in [
            ("limit=0", "The limit field must be at least 1."),
            ("limit=-1", "The limit field must be at least 1."),
            ("limit=101", "The limit field must not be greater than 100."),
            (
                "limit=99999999",
                "The limit field must not be greater than 100.",
            ),
            ("limit=many", "The limit field must be an integer."),
            ("cursor=abc", "The selected cursor is invalid."),
        ] {
            assert!(read(query).expect_err(query).contains(message), "{query}");
        }
    }

    proptest! {
        #[test]
        fn a_cursor_opens_its_own_list_only(place: String, noise: String, harmed in 0_usize..60, bit in 0_u8..8) {
            let cursor = Cursor::after(place);
            let sealed = list("/a").seal(&cursor);
            prop_assert_eq!(list("/a").open(&sealed), Some(cursor));
            prop_assert_eq!(list("/b").open(&sealed), None);
            prop_assert_eq!(list("/a").open(&noise), None);
            let mut bytes = BASE64_URL_SAFE_NO_PAD.decode(&sealed).expect("base64url");
            let index = harmed % bytes.len();
            bytes[index] ^= 1 << bit;
            prop_assert_eq!(list("/a").open(&BASE64_URL_SAFE_NO_PAD.encode(bytes)), None);
        }
    }
}
