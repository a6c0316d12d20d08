//! Pages of a list: `limit` and `cursor` in, items and both neighbours' cursors out.
//!
//! A cursor is base64url of a mark, a direction and the item that it stands beside. The mark is an HMAC under a secret of
//! its own over these and the list: its path, its filters and whose it is. So a cursor says where its list goes on also
//! when the item has gone, and nothing can be made of it but that.

use std::{fmt::Display, str::FromStr};

use axum::{
    Json,
    extract::{FromRef, FromRequestParts},
    response::{IntoResponse, Response},
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use domain::{Fault, Secret, Timestamp, Violation};
use http::{Uri, request::Parts};
use runtime::LazyMasterSecret;
use schemars::JsonSchema;
use serde::Serialize;
use tenant::{Listing, Start};

use crate::{Authenticated, Edge, Failure, FieldReader, Fields, FromFields};

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
pub struct Cursors(LazyMasterSecret);

impl Cursors {
    /// The cursors of this installation.
    pub fn new(master: LazyMasterSecret) -> Cursors {
        Cursors(master)
    }

    async fn secret(&self) -> Result<Secret, Fault> {
        Ok(self.0.get().await?.derive(PURPOSE))
    }
}

/// Which page of which list is asked for.
pub struct PageRequest<Id> {
    path: String,
    listing: Listing<Id>,
    list: List,
}

/// One list of one caller, and how its cursors are marked.
struct List {
    secret: Secret,
    /// Path, filters and owner.
    name: String,
}

/// A page: what a list's handler answers.
pub struct Page<T> {
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

impl<Id: Clone + Display + FromStr> PageRequest<Id> {
    /// What to read.
    pub fn listing(&self) -> Listing<Id> {
        self.listing.clone()
    }

    /// The page of these records; those without a view are left out.
    pub fn page<R, T>(self, page: tenant::Page<R>, id: impl Fn(&R) -> Id, view: impl Fn(R) -> Option<T>) -> Page<T> {
        let (next, previous) = neighbours(
            self.listing.start.clone(),
            page.records.first().map(&id).zip(page.records.last().map(&id)),
            page.more,
        );
        Page {
            path: self.path,
            limit: self.listing.limit,
            items: page.records.into_iter().filter_map(view).collect(),
            next: next.map(|start| self.list.cursor(start)),
            previous: previous.map(|start| self.list.cursor(start)),
        }
    }

    fn read(path: &str, fields: &mut Fields, list: List) -> PageRequest<Id> {
        let PageParameters { limit, cursor } = PageParameters::read(fields);
        let start = cursor.map(|cursor| list.open(&cursor).ok_or(Violation::Unknown));
        let start = start.and_then(|start| fields.keep(CURSOR, start));
        let listing = Listing { start: start.unwrap_or(Start::Newest), limit: limit.0 };
        PageRequest { path: path.to_owned(), listing, list }
    }
}

/// The query parameters of every list.
pub(crate) struct PageParameters {
    limit: Limit,
    cursor: Option<String>,
}

impl PageParameters {
    pub(crate) fn read(fields: &mut impl FieldReader) -> PageParameters {
        let limit = fields.optional("limit", Limit::parse).unwrap_or(Limit(DEFAULT_LIMIT));
        let cursor = fields.optional(CURSOR, |cursor| Ok(cursor.to_owned()));
        PageParameters { limit, cursor }
    }
}

/// Number of items on a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(extend("minimum" = 1, "maximum" = MOST_LIMIT, "default" = DEFAULT_LIMIT))]
struct Limit(u16);

impl Limit {
    fn parse(text: &str) -> Result<Limit, Violation> {
        let number: i64 = text.parse().map_err(|_| Violation::NotAnInteger)?;
        match u16::try_from(number) {
            Ok(0) => Err(Violation::TooSmall(1)),
            Ok(number) if number <= MOST_LIMIT => Ok(Limit(number)),
            Err(_) if number < 1 => Err(Violation::TooSmall(1)),
            _ => Err(Violation::TooLarge(MOST_LIMIT.into())),
        }
    }
}

/// The query of a list: which page is asked for, and what else `F` reads.
pub struct ListQuery<Id, F> {
    /// Which page is asked for.
    pub page: PageRequest<Id>,
    /// What the list is narrowed down to.
    pub filter: F,
}

/// A query without anything else.
impl FromFields for () {
    fn read(_: &mut impl FieldReader) -> Option<()> {
        Some(())
    }
}

/// Where the next, older page begins and where the previous, newer one, by the first and last record of this one. An empty
/// page has neighbours where it was looked for between them.
fn neighbours<Id: Clone>(
    start: Start<Id>,
    ends: Option<(Id, Id)>,
    more: bool,
) -> (Option<Start<Id>>, Option<Start<Id>>) {
    match (start, ends) {
        (Start::Newest, None) => (None, None),
        (Start::OlderThan(id), None) => (None, Some(Start::NewerFrom(id))),
        (Start::OlderFrom(id), None) => (None, Some(Start::NewerThan(id))),
        (Start::NewerThan(id), None) => (Some(Start::OlderFrom(id)), None),
        (Start::NewerFrom(id), None) => (Some(Start::OlderThan(id)), None),
        (Start::Newest, Some((_, last))) => (more.then(|| Start::OlderThan(last)), None),
        (Start::OlderThan(_) | Start::OlderFrom(_), Some((first, last))) => {
            (more.then(|| Start::OlderThan(last)), Some(Start::NewerThan(first)))
        }
        (Start::NewerThan(_) | Start::NewerFrom(_), Some((first, last))) => {
            (Some(Start::OlderThan(last)), more.then(|| Start::NewerThan(first)))
        }
    }
}

impl List {
    fn cursor<Id: Display>(&self, start: Start<Id>) -> String {
        let (direction, id) = match start {
            Start::Newest => (b'0', String::new()),
            Start::OlderThan(id) => (b'>', id.to_string()),
            Start::OlderFrom(id) => (b']', id.to_string()),
            Start::NewerThan(id) => (b'<', id.to_string()),
            Start::NewerFrom(id) => (b'[', id.to_string()),
        };
        let place = [&[direction], id.as_bytes()].concat();
        let mark = self.secret.mark(&self.message(&place));
        BASE64_URL_SAFE_NO_PAD.encode([&mark[..], &place].concat())
    }

    fn open<Id: FromStr>(&self, cursor: &str) -> Option<Start<Id>> {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (mark, place) = bytes.split_at_checked(MARK_BYTES)?;
        if !self.secret.verifies(&self.message(place), mark) {
            return None;
        }
        let (direction, id) = place.split_first()?;
        let id = std::str::from_utf8(id).ok()?.parse().ok()?;
        match direction {
            b'>' => Some(Start::OlderThan(id)),
            b']' => Some(Start::OlderFrom(id)),
            b'<' => Some(Start::NewerThan(id)),
            b'[' => Some(Start::NewerFrom(id)),
            _ => None,
        }
    }

    fn message(&self, place: &[u8]) -> Vec<u8> {
        [self.name.as_bytes(), b"\0", place].concat()
    }
}

/// What a list's cursors are bound to: no other path, no other filters, no other owner's keys.
fn list_name(by: &Authenticated, query: &str) -> String {
    let mut filters: Vec<_> =
        form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| !NO_FILTERS.contains(&&**name)).collect();
    filters.sort();
    let filters = form_urlencoded::Serializer::new(String::new()).extend_pairs(filters).finish();
    format!("{}?{filters}\0{:?}", by.idempotency.path, by.caller.owner())
}

impl<Id, F, S> FromRequestParts<S> for ListQuery<Id, F>
where
    Id: Clone + Display + FromStr,
    F: FromFields,
    Edge: FromRef<S>,
    Cursors: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<ListQuery<Id, F>, Failure> {
        let authenticated = <Authenticated>::from_request_parts(parts, state).await?;
        let query = parts.uri.query().unwrap_or_default();
        let secret = Cursors::from_ref(state).secret().await?;
        let list = List { secret, name: list_name(&authenticated, query) };

        let mut fields = query_fields(&parts.uri, authenticated.sources().now());
        let page = PageRequest::read(parts.uri.path(), &mut fields, list);
        let filter = F::read(&mut fields);
        Ok(ListQuery { page, filter: fields.finish(filter)? })
    }
}

impl<Id, S> FromRequestParts<S> for PageRequest<Id>
where
    Id: Clone + Display + FromStr,
    Edge: FromRef<S>,
    Cursors: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<PageRequest<Id>, Failure> {
        let query = ListQuery::<Id, ()>::from_request_parts(parts, state).await?;
        Ok(query.page)
    }
}

/// A valid query.
pub struct ValidQuery<T>(pub T);

impl<T, S> FromRequestParts<S> for ValidQuery<T>
where
    T: FromFields,
    Edge: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<ValidQuery<T>, Failure> {
        let authenticated = <Authenticated>::from_request_parts(parts, state).await?;
        let mut fields = query_fields(&parts.uri, authenticated.sources().now());
        let read = T::read(&mut fields);
        Ok(ValidQuery(fields.finish(read)?))
    }
}

/// The parameters of a query as fields.
pub fn query_fields(uri: &Uri, now: Timestamp) -> Fields {
    Fields::of_texts(form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()).into_owned(), now)
}

impl<T: Serialize> IntoResponse for Page<T> {
    fn into_response(self) -> Response {
        let Page { path, limit, items, next, previous } = self;
        Json(Body { data: items, path, per_page: limit, next_cursor: next, prev_cursor: previous }).into_response()
    }
}

#[cfg(test)]
mod tests {
    use domain::MasterSecret;

    use super::*;
    use proptest::prelude::*;

    fn list(name: &str) -> List {
        List { secret: MasterSecret::new("master").derive(PURPOSE), name: name.to_owned() }
    }

    fn read(query: &str) -> Result<u16, String> {
        let uri = format!("/a?{query}").parse().expect("a URI");
        let mut fields = query_fields(&uri, Timestamp::from_ms(0));
        let request = PageRequest::<u64>::read("/a", &mut fields, list("/a"));
        let limit = fields.finish(Some(request.listing.limit));
        limit.map_err(|fault| format!("{:?}", fault.violations.into_messages()))
    }

    #[test]
    fn limits_are_bounded() {
        assert_eq!(read(""), Ok(20));
        assert_eq!(read("limit=100"), Ok(100));
        for (query, message) in [
            ("limit=0", "The limit field must be at least 1."),
            ("limit=-1", "The limit field must be at least 1."),
            ("limit=101", "The limit field must not be greater than 100."),
            ("limit=99999999", "The limit field must not be greater than 100."),
            ("limit=many", "The limit field must be an integer."),
            ("cursor=abc", "The selected cursor is invalid."),
        ] {
            assert!(read(query).expect_err(query).contains(message), "{query}");
        }
    }

    #[test]
    fn a_page_that_was_emptied_leads_back_to_where_its_items_were() {
        for (start, next, previous) in [
            (Start::Newest, None, None),
            (Start::OlderThan(5), None, Some(Start::NewerFrom(5))),
            (Start::OlderFrom(5), None, Some(Start::NewerThan(5))),
            (Start::NewerThan(5), Some(Start::OlderFrom(5)), None),
            (Start::NewerFrom(5), Some(Start::OlderThan(5)), None),
        ] {
            assert_eq!(neighbours(start, None, false), (next, previous), "{start:?}");
        }
    }

    proptest! {
        #[test]
        fn a_cursor_opens_its_own_list_only(id: u64, noise: String, harmed in 0_usize..60, bit in 0_u8..8) {
            let cursor = list("/a").cursor(Start::OlderThan(id));
            prop_assert_eq!(list("/a").open(&cursor), Some(Start::OlderThan(id)));
            prop_assert_eq!(list("/b").open::<u64>(&cursor), None);
            prop_assert_eq!(list("/a").open::<u64>(&noise), None);
            let mut bytes = BASE64_URL_SAFE_NO_PAD.decode(&cursor).expect("base64url");
            let index = harmed % bytes.len();
            bytes[index] ^= 1 << bit;
            prop_assert_eq!(list("/a").open::<u64>(&BASE64_URL_SAFE_NO_PAD.encode(bytes)), None);
        }
    }
}
