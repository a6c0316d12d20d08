//! Pages of a list: `limit` and `cursor` in, items and both neighbours' cursors out.
//!
//! A cursor is base64url of a direction, the list it belongs to, and the item it stands beside.

use axum::{
    Json,
    extract::FromRequestParts,
    response::{IntoResponse, Response},
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use domain::{Fault, Violation, Violations};
use http::request::Parts;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::Failure;

/// Items on a page, where the request names no number.
const DEFAULT_LIMIT: u16 = 20;
/// Most items on a page.
const MOST_LIMIT: u16 = 100;
/// Bytes of a list's mark in a cursor.
const MARK_BYTES: usize = 8;

/// Where a page begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Position {
    /// At the newest.
    Newest,
    /// Right after this item, with older ones.
    After(String),
    /// Right before this item, with newer ones.
    Before(String),
}

/// Which page of which list is asked for.
#[derive(Clone, Debug)]
pub struct PageRequest {
    path: String,
    limit: u16,
    position: Position,
}

/// A page: what a list's handler answers.
pub struct Page<T> {
    request: PageRequest,
    items: Vec<T>,
    next: Option<String>,
    previous: Option<String>,
}

#[derive(Serialize)]
struct List<T> {
    data: Vec<T>,
    path: String,
    per_page: u16,
    next_cursor: Option<String>,
    prev_cursor: Option<String>,
}

impl PageRequest {
    /// Most items on the page.
    pub fn limit(&self) -> u16 {
        self.limit
    }

    /// Where it begins.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The refusal of a cursor that stands beside nothing of this list.
    pub fn bad_cursor() -> Fault {
        Violations::from(("cursor", Violation::Unknown)).into()
    }

    /// The page of these items, newest first; `more` says whether the list goes on in the direction that was asked for.
    pub fn page<R, T>(self, records: Vec<R>, more: bool, id: impl Fn(&R) -> String, view: impl Fn(R) -> T) -> Page<T> {
        let (older, newer) = match &self.position {
            Position::Newest => (more, false),
            Position::After(_) => (more, true),
            Position::Before(_) => (true, more),
        };
        let next = records.last().filter(|_| older).map(|last| self.cursor(b'>', &id(last)));
        let previous = records.first().filter(|_| newer).map(|first| self.cursor(b'<', &id(first)));
        Page { items: records.into_iter().map(view).collect(), next, previous, request: self }
    }

    fn read(path: &str, query: &str) -> Result<PageRequest, Fault> {
        let mut violations = Violations::default();
        let mut request = PageRequest { path: path.to_owned(), limit: DEFAULT_LIMIT, position: Position::Newest };
        for (name, value) in form_urlencoded::parse(query.as_bytes()).filter(|(_, value)| !value.trim().is_empty()) {
            match &*name {
                "limit" => {
                    request.limit = violations.keep("limit", limit(value.trim())).unwrap_or_default();
                }
                "cursor" => {
                    let position = request.open(value.trim()).ok_or(Violation::Unknown);
                    request.position = violations.keep("cursor", position).unwrap_or(Position::Newest);
                }
                _ => {}
            }
        }
        if violations.is_empty() { Ok(request) } else { Err(violations.into()) }
    }

    /// Marks the list, so that another's cursor is told.
    fn mark(&self) -> [u8; MARK_BYTES] {
        let digest = Sha256::digest(&self.path);
        std::array::from_fn(|index| digest[index])
    }

    fn cursor(&self, direction: u8, id: &str) -> String {
        let parts = [&[direction], &self.mark()[..], id.as_bytes()].concat();
        BASE64_URL_SAFE_NO_PAD.encode(parts)
    }

    fn open(&self, cursor: &str) -> Option<Position> {
        let parts = BASE64_URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (direction, rest) = parts.split_first()?;
        let id = rest.strip_prefix(&self.mark())?;
        let id = std::str::from_utf8(id).ok()?.to_owned();
        match direction {
            b'>' => Some(Position::After(id)),
            b'<' => Some(Position::Before(id)),
            _ => None,
        }
    }
}

fn limit(text: &str) -> Result<u16, Violation> {
    let number: i64 = text.parse().map_err(|_| Violation::NotAnInteger)?;
    match u16::try_from(number) {
        Ok(0) => Err(Violation::TooSmall(1)),
        Ok(number) if number <= MOST_LIMIT => Ok(number),
        Err(_) if number < 1 => Err(Violation::TooSmall(1)),
        _ => Err(Violation::TooLarge(MOST_LIMIT.into())),
    }
}

impl<S: Send + Sync> FromRequestParts<S> for PageRequest {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<PageRequest, Failure> {
        Ok(PageRequest::read(parts.uri.path(), parts.uri.query().unwrap_or_default())?)
    }
}

impl<T: Serialize> IntoResponse for Page<T> {
    fn into_response(self) -> Response {
        let (path, per_page) = (self.request.path, self.request.limit);
        let list = List { data: self.items, path, per_page, next_cursor: self.next, prev_cursor: self.previous };
        Json(list).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(path: &str, query: &str) -> Result<PageRequest, String> {
        PageRequest::read(path, query).map_err(|fault| format!("{:?}", fault.violations.into_messages()))
    }

    #[test]
    fn limits_are_bounded() {
        assert_eq!(read("/a", "").expect("valid").limit, 20);
        assert_eq!(read("/a", "limit=100").expect("valid").limit, 100);
        for (query, message) in [
            ("limit=0", "The limit field must be at least 1."),
            ("limit=-1", "The limit field must be at least 1."),
            ("limit=101", "The limit field must not be greater than 100."),
            ("limit=99999999", "The limit field must not be greater than 100."),
            ("limit=many", "The limit field must be an integer."),
            ("cursor=abc", "The selected cursor is invalid."),
        ] {
            assert!(read("/a", query).expect_err(query).contains(message), "{query}");
        }
    }

    #[test]
    fn neighbours_are_told_where_there_are_some() {
        let page = |position, more| {
            let request = PageRequest { path: "/a".to_owned(), limit: 2, position };
            let page = request.page(vec![5, 4], more, ToString::to_string, |item| item);
            (page.next.is_some(), page.previous.is_some())
        };
        assert_eq!(page(Position::Newest, false), (false, false));
        assert_eq!(page(Position::Newest, true), (true, false));
        assert_eq!(page(Position::After("6".to_owned()), false), (false, true));
        assert_eq!(page(Position::Before("3".to_owned()), false), (true, false));
        assert_eq!(page(Position::Before("3".to_owned()), true), (true, true));
    }

    proptest! {
        #[test]
        fn a_cursor_opens_its_own_list_only(id in "[A-Za-z0-9]{1,30}", noise in any::<String>()) {
            let list = PageRequest { path: "/a".to_owned(), limit: 2, position: Position::Newest };
            let other = PageRequest { path: "/b".to_owned(), ..list.clone() };
            let cursor = list.cursor(b'>', &id);
            prop_assert_eq!(list.open(&cursor), Some(Position::After(id)));
            prop_assert_eq!(other.open(&cursor), None);
            prop_assert_eq!(list.open(&noise), None);
        }
    }
}
