//! Pages of lists.
//!
//! A list runs from the newest item to the oldest, or by name where it is searched by name. A page
//! starts at a place in the list, not at a number of items, so it goes on correctly after items
//! were inserted or deleted, even the one at the place.

use std::{cmp::Ordering, fmt, str::FromStr};

use crate::InvalidId;

/// Direction in which a page goes on from its cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Along the list.
    Forward,
    /// Against it, towards its start. The items of the page are in the order of the list all the
    /// same.
    Backward,
}

/// A place in a list from which a page goes on. Clients get its text sealed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// Direction of the page.
    pub direction: Direction,
    /// Whether an item at the place is on the page.
    pub is_inclusive: bool,
    /// The place, in a form that only the list itself reads.
    pub position: String,
}

impl Cursor {
    /// Creates a cursor to what follows a place.
    pub fn after(position: String) -> Cursor {
        Cursor {
            direction: Direction::Forward,
            is_inclusive: false,
            position,
        }
    }

    /// Creates a cursor to what precedes a place.
    pub fn before(position: String) -> Cursor {
        Cursor {
            direction: Direction::Backward,
            is_inclusive: false,
            position,
        }
    }

    /// Returns the cursor from the same place in the other direction. Each item is on one of the
    /// two sides.
    fn reversed(&self) -> Cursor {
        let direction = match self.direction {
            Direction::Forward => Direction::Backward,
            Direction::Backward => Direction::Forward,
        };
        Cursor {
            direction,
            is_inclusive: !self.is_inclusive,
            position: self.position.clone(),
        }
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = match (self.direction, self.is_inclusive) {
            (Direction::Forward, false) => '>',
            (Direction::Forward, true) => ']',
            (Direction::Backward, false) => '<',
            (Direction::Backward, true) => '[',
        };
        write!(formatter, "{mark}{}", self.position)
    }
}

impl FromStr for Cursor {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Cursor, InvalidId> {
        let mut characters = text.chars();
        let (direction, is_inclusive) = match characters.next() {
            Some('>') => (Direction::Forward, false),
            Some(']') => (Direction::Forward, true),
            Some('<') => (Direction::Backward, false),
            Some('[') => (Direction::Backward, true),
            _ => return Err(InvalidId),
        };
        Ok(Cursor {
            direction,
            is_inclusive,
            position: characters.as_str().to_owned(),
        })
    }
}

/// Which page of a list is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// Where it starts; `None` at the start of the list.
    pub cursor: Option<Cursor>,
    /// Maximum items of the page.
    pub limit: u16,
}

impl PageRequest {
    /// The first page.
    pub fn first(limit: u16) -> PageRequest {
        PageRequest {
            cursor: None,
            limit,
        }
    }

    /// Returns the direction of the page.
    pub fn direction(&self) -> Direction {
        self.cursor
            .as_ref()
            .map_or(Direction::Forward, |cursor| cursor.direction)
    }

    /// Whether a list of ids, newest first, goes on to this one from the cursor.
    pub fn includes(&self, id: impl fmt::Display) -> bool {
        self.cursor
            .as_ref()
            .is_none_or(|cursor| match id.to_string().cmp(&cursor.position) {
                Ordering::Equal => cursor.is_inclusive,
                Ordering::Less => cursor.direction == Direction::Forward,
                Ordering::Greater => cursor.direction == Direction::Backward,
            })
    }
}

/// The places of the first and the last item that a page has looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageBounds {
    /// The first place.
    pub first: String,
    /// The last place.
    pub last: String,
}

/// A page of a list, and how to go on from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// The items, in the order of the list.
    pub items: Vec<T>,
    /// Cursor of the next page; `None` if this is the last one.
    pub next: Option<Cursor>,
    /// Cursor of the previous page; `None` if this is the first one.
    pub prev: Option<Cursor>,
}

impl<T> Page<T> {
    /// Creates the page that answers a listing. `ends` are `None` if it has looked at nothing;
    /// `has_more` tells whether more follows in its direction. Towards where it came from, more is
    /// assumed.
    pub fn new(
        page_request: &PageRequest,
        bounds: Option<PageBounds>,
        has_more: bool,
        items: Vec<T>,
    ) -> Page<T> {
        let (next, prev) = match (&page_request.cursor, bounds) {
            (None, None) => (None, None),
            (None, Some(bounds)) => (has_more.then(|| Cursor::after(bounds.last)), None),
            (Some(cursor), None) => match cursor.direction {
                Direction::Forward => (None, Some(cursor.reversed())),
                Direction::Backward => (Some(cursor.reversed()), None),
            },
            (Some(cursor), Some(PageBounds { first, last })) => match cursor.direction {
                Direction::Forward => (
                    has_more.then(|| Cursor::after(last)),
                    Some(Cursor::before(first)),
                ),
                Direction::Backward => (
                    Some(Cursor::after(last)),
                    has_more.then(|| Cursor::before(first)),
                ),
            },
        };
        Page { items, next, prev }
    }

    /// Returns the page with other items in place of these, or none for some of them.
    pub fn filter_map<U>(self, view: impl FnMut(T) -> Option<U>) -> Page<U> {
        Page {
            items: self.items.into_iter().filter_map(view).collect(),
            next: self.next,
            prev: self.prev,
        }
    }

    /// Whether more items follow in a direction.
    pub fn has_more(&self, direction: Direction) -> bool {
        match direction {
            Direction::Forward => self.next.is_some(),
            Direction::Backward => self.prev.is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page_request(cursor: Option<&str>) -> PageRequest {
        PageRequest {
            cursor: cursor.map(|cursor| cursor.parse().expect("a cursor")),
            limit: 2,
        }
    }

    fn neighbours(
        cursor: Option<&str>,
        bounds: Option<(&str, &str)>,
        has_more: bool,
    ) -> [Option<String>; 2] {
        let bounds = bounds.map(|(first, last)| PageBounds {
            first: first.to_owned(),
            last: last.to_owned(),
        });
        let page: Page<()> = Page::new(&page_request(cursor), bounds, has_more, Vec::new());
        [page.next, page.prev].map(|cursor| cursor.map(|cursor| cursor.to_string()))
    }

    fn cursors<const N: usize>(texts: [Option<&str>; N]) -> [Option<String>; N] {
        texts.map(|text| text.map(str::to_owned))
    }

    #[test]
    fn page_leads_on_in_its_direction_and_back_to_where_it_came_from() {
        let bounds = Some(("7", "6"));
        assert_eq!(neighbours(None, bounds, false), cursors([None, None]));
        assert_eq!(neighbours(None, bounds, true), cursors([Some(">6"), None]));
        assert_eq!(
            neighbours(Some(">8"), bounds, false),
            cursors([None, Some("<7")])
        );
        assert_eq!(
            neighbours(Some(">8"), bounds, true),
            cursors([Some(">6"), Some("<7")])
        );
        assert_eq!(
            neighbours(Some("<5"), bounds, false),
            cursors([Some(">6"), None])
        );
        assert_eq!(
            neighbours(Some("<5"), bounds, true),
            cursors([Some(">6"), Some("<7")])
        );
    }

    #[test]
    fn emptied_page_leads_back_to_where_its_items_were() {
        assert_eq!(neighbours(None, None, false), cursors([None, None]));
        assert_eq!(
            neighbours(Some(">5"), None, false),
            cursors([None, Some("[5")])
        );
        assert_eq!(
            neighbours(Some("]5"), None, false),
            cursors([None, Some("<5")])
        );
        assert_eq!(
            neighbours(Some("<5"), None, false),
            cursors([Some("]5"), None])
        );
        assert_eq!(
            neighbours(Some("[5"), None, false),
            cursors([Some(">5"), None])
        );
    }

    #[test]
    fn listing_includes_what_its_cursor_leads_to() {
        for (cursor, included) in [
            (None, [true, true, true]),
            (Some(">5"), [true, false, false]),
            (Some("]5"), [true, true, false]),
            (Some("<5"), [false, false, true]),
            (Some("[5"), [false, true, true]),
        ] {
            assert_eq!(
                [4, 5, 6].map(|id| page_request(cursor).includes(id)),
                included,
                "{cursor:?}"
            );
        }
    }
}
