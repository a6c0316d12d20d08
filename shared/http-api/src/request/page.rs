//! Lists: the query parameters `limit` and `cursor`, and the response with one page.

use axum::{
    Json,
    extract::{FromRef, FromRequestParts},
    response::{IntoResponse, Response},
};
use domain::{errors::FieldError, requests::PageRequest};
use http::request::Parts;
use serde::Serialize;

use crate::{
    caller::{ApiState, Authenticated, KEY_PARAMETER},
    fields::{FieldReader, FieldSource, FromFields, InputFields},
    request::{
        CursorSecret,
        cursors::{CURSOR, CursorCodec},
        query::query_fields,
    },
    response::ApiError,
};

/// The query parameter of the number of items.
const LIMIT: &str = "limit";
/// Default number of items on a page, which the description of the parameter states.
const DEFAULT_LIMIT: u16 = 20;
/// Maximum number of items on a page.
const MAX_LIMIT: i64 = 100;

/// The requested page of a list.
pub struct PageQuery {
    path: String,
    page_request: PageRequest,
    cursors: CursorCodec,
}

impl PageQuery {
    /// Returns the position and size of the page.
    pub fn page_request(&self) -> &PageRequest {
        &self.page_request
    }

    /// Returns the response with a page, whose records `view` converts.
    pub fn response<R, T>(
        self,
        page: domain::requests::Page<R>,
        view: impl FnMut(R) -> T,
    ) -> PageResponse<T> {
        PageResponse {
            data: page.items.into_iter().map(view).collect(),
            path: self.path,
            per_page: self.page_request.limit,
            next_cursor: page.next.map(|cursor| self.cursors.encode(&cursor)),
            prev_cursor: page.prev.map(|cursor| self.cursors.encode(&cursor)),
        }
    }

    /// Decodes the cursor of a list, or records its error.
    fn of(
        path: &str,
        parameters: PageParameters,
        fields: &mut InputFields,
        cursors: CursorCodec,
    ) -> PageQuery {
        let cursor = parameters.cursor.and_then(|encoded| {
            let cursor = cursors.decode(&encoded).ok_or(FieldError::InvalidSelection);
            fields.record(CURSOR, cursor)
        });

        PageQuery {
            path: path.to_owned(),
            page_request: PageRequest {
                cursor,
                limit: parameters.limit,
            },
            cursors,
        }
    }
}

/// The query of a list: the requested page, the filters that `F` reads, and the view that `V`
/// reads. Other parameters are rejected: a misspelled filter would return everything.
pub struct ListQuery<F, V = ()> {
    pub page: PageQuery,
    /// The filters of the list.
    pub filter: F,
    /// What is returned of each item. Unlike a filter, it can differ from page to page.
    pub view: V,
}

/// A list without filters, or with one view.
impl FromFields for () {
    fn read(_: &mut impl FieldReader) -> Option<()> {
        Some(())
    }
}

/// One page of a list.
#[derive(Serialize)]
pub struct PageResponse<T> {
    data: Vec<T>,
    path: String,
    per_page: u16,
    next_cursor: Option<String>,
    prev_cursor: Option<String>,
}

/// Query parameters of every list.
pub(crate) struct PageParameters {
    limit: u16,
    cursor: Option<String>,
}

impl PageParameters {
    pub(crate) fn read(fields: &mut impl FieldReader) -> PageParameters {
        let limit = fields.integer(LIMIT, 1, MAX_LIMIT);
        let cursor = fields.optional(CURSOR, |cursor| Ok(cursor.to_owned()));
        fields.describe(LIMIT, "Maximum number of items on the page. Default: 20.");
        fields.describe(CURSOR, "`next_cursor` or `prev_cursor` of another page.");

        PageParameters {
            limit: limit
                .and_then(|limit| u16::try_from(limit).ok())
                .unwrap_or(DEFAULT_LIMIT),
            cursor,
        }
    }
}

impl<F, V, S> FromRequestParts<S> for ListQuery<F, V>
where
    F: FromFields,
    V: FromFields,
    ApiState: FromRef<S>,
    CursorSecret: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let auth = <Authenticated>::from_request_parts(parts, state).await?;
        let mut fields = query_fields(&parts.uri, auth.env().now());
        let filter = F::read(&mut fields);
        // What the list reads so far filters it.
        let secret = CursorSecret::from_ref(state);
        let cursors = secret.codec(&auth, fields.strings_read()).await?;

        let parameters = PageParameters::read(&mut fields);
        let page = PageQuery::of(parts.uri.path(), parameters, &mut fields, cursors);
        let view = V::read(&mut fields);
        fields.reject_unread(KEY_PARAMETER);

        let (filter, view) = fields.finish(filter.zip(view))?;
        Ok(ListQuery { page, filter, view })
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

impl<T: Serialize> IntoResponse for PageResponse<T> {
    fn into_response(self) -> Response {
        Json(self).into_response()
    }
}

#[cfg(test)]
mod tests {
    use domain::env::Timestamp;

    use super::*;
    use crate::request::cursors::tests::codec;

    /// Returns the limit of a query, or the errors of its fields.
    fn read_limit(query: &str) -> Result<u16, String> {
        let uri = format!("/a?{query}").parse().expect("a URI");
        let mut fields = query_fields(&uri, Timestamp::from_ms(0));
        let parameters = PageParameters::read(&mut fields);
        let page = PageQuery::of("/a", parameters, &mut fields, codec("/a"));
        let limit = fields.finish(Some(page.page_request.limit));
        limit.map_err(|error| format!("{:?}", error.field_errors.into_messages()))
    }

    #[test]
    fn limit_is_1_to_100_and_20_by_default() {
        assert_eq!(read_limit(""), Ok(20));
        assert_eq!(read_limit("limit=100"), Ok(100));

        for (query, message) in [
            ("limit=0", "The limit field must be at least 1."),
            ("limit=-1", "The limit field must be at least 1."),
            ("limit=101", "The limit field must not be greater than 100."),
            (
                "limit=99999999",
                "The limit field must not be greater than 100.",
            ),
            (
                "limit=99999999999999999999",
                "The limit field must not be greater than 100.",
            ),
            ("limit=many", "The limit field must be an integer."),
            ("cursor=abc", "The selected cursor is invalid."),
        ] {
            let errors = read_limit(query).expect_err(query);
            assert!(errors.contains(message), "{query}: {errors}");
        }
    }
}
