//! Cursor pagination.
//!
//! Lists are sorted from the newest item to the oldest, or by name if searched by name. A cursor
//! is a position in the sort order, not an offset, so pagination stays correct when items are
//! inserted or deleted, including the item at the cursor.

use std::{cmp::Ordering, fmt, str::FromStr};

use crate::id::InvalidId;

/// Direction of a page from its cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// In list order.
    Forward,
    /// Towards the start of the list. The items of the page are still in list order.
    Backward,
}

/// Position in a list from which a page continues. Clients receive its text with a MAC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// Direction of the page.
    pub direction: Direction,
    /// Whether the page includes an item at the position.
    pub is_inclusive: bool,
    /// Position, in a format specific to the list.
    pub position: String,
}

impl Cursor {
    /// Creates a cursor to the items after a position.
    pub fn after(position: String) -> Cursor {
        Cursor {
            direction: Direction::Forward,
            is_inclusive: false,
            position,
        }
    }

    /// Creates a cursor to the items before a position.
    pub fn before(position: String) -> Cursor {
        Cursor {
            direction: Direction::Backward,
            is_inclusive: false,
            position,
        }
    }

    /// Returns the cursor from the same position in the other direction. Every item is on exactly
    /// one of the two sides.
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
        let sign = match (self.direction, self.is_inclusive) {
            (Direction::Forward, false) => '>',
            (Direction::Forward, true) => ']',
            (Direction::Backward, false) => '<',
            (Direction::Backward, true) => '[',
        };
        write!(formatter, "{sign}{}", self.position)
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

/// Page of a list to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// Cursor that the page continues from; `None` for the first page.
    pub cursor: Option<Cursor>,
    /// Maximum number of items.
    pub limit: u16,
}

impl PageRequest {
    /// Requests the first page.
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

    /// Whether the id is on the cursor's side in a list of ids, newest first.
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

/// Positions of the first and the last item that was read for a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageBounds {
    /// Position of the first item.
    pub first: String,
    /// Position of the last item.
    pub last: String,
}

/// Page of a list with the cursors of its neighbours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// Items in list order.
    pub items: Vec<T>,
    /// Cursor of the next page; `None` on the last page.
    pub next: Option<Cursor>,
    /// Cursor of the previous page; `None` on the first page.
    pub prev: Option<Cursor>,
}

impl<T> Page<T> {
    /// Creates the page for a request. `bounds` is `None` if no item was read; `has_more` is
    /// whether more items follow in the page's direction. A page from a cursor always links back.
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

    /// Replaces or drops each item.
    pub fn filter_map<U>(self, view: impl FnMut(T) -> Option<U>) -> Page<U> {
        Page {
            items: self.items.into_iter().filter_map(view).collect(),
            next: self.next,
            prev: self.prev,
        }
    }

    /// Whether a page follows in a direction.
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
    fn page_links_to_both_neighbours() {
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
    fn empty_page_links_back_to_its_position() {
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
    fn page_request_includes_ids_on_its_side_of_the_cursor() {
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
