//! Byte ranges (RFC 9110, section 14): a single range, from the start or from the end of a file.
//!
//! Several ranges are ignored, as section 14.2 permits. Empty elements of the list are not ranges
//! (section 5.6.1.2).

use std::ops::RangeInclusive;

/// Characters around a single range in its list.
const LIST_CHARACTERS: [char; 3] = [',', ' ', '\t'];
/// Prefix of the supported ranges.
const BYTES: &str = "bytes=";

/// The part of a file that a `Range` header selects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ByteRange {
    /// The whole file: the range is missing, malformed or not supported.
    Full,
    /// Bytes from the first to the last position.
    Partial(RangeInclusive<u64>),
    /// No byte of the file.
    Unsatisfiable,
}

impl ByteRange {
    /// Parses a `Range` header for a file of `size` bytes.
    pub(crate) fn parse(header: &str, size: u64) -> ByteRange {
        let Some(range) = strip_unit(header.trim()) else {
            return ByteRange::Full;
        };
        let Some((first, last)) = range.split_once('-') else {
            return ByteRange::Full;
        };

        match (Position::parse(first), Position::parse(last)) {
            (Position::Invalid, _)
            | (_, Position::Invalid)
            | (Position::Absent, Position::Absent) => ByteRange::Full,
            (Position::At(first), _) if first >= size => ByteRange::Unsatisfiable,
            (Position::At(first), Position::Absent) => ByteRange::Partial(first..=size - 1),
            (Position::At(first), Position::At(last)) if first <= last => {
                ByteRange::Partial(first..=last.min(size - 1))
            }
            (Position::At(_), Position::At(_)) => ByteRange::Full,
            (Position::Absent, Position::At(length)) if length == 0 || size == 0 => {
                ByteRange::Unsatisfiable
            }
            (Position::Absent, Position::At(length)) => {
                ByteRange::Partial(size.saturating_sub(length)..=size - 1)
            }
        }
    }
}

/// Truncates a range to its first `max_bytes`, at least one. A 206 may contain only a part of the
/// requested range (RFC 9110, section 15.3.7): `Content-Range` shows it, and the client requests
/// the rest.
pub(crate) fn truncate(range: &RangeInclusive<u64>, max_bytes: u64) -> RangeInclusive<u64> {
    let first = *range.start();
    let max_last = first.saturating_add(max_bytes.saturating_sub(1));
    first..=max_last.min(*range.end())
}

/// Returns the range after its unit; `None` if the unit is not bytes.
fn strip_unit(header: &str) -> Option<&str> {
    let (unit, range) = header.split_at_checked(BYTES.len())?;
    unit.eq_ignore_ascii_case(BYTES)
        .then(|| range.trim_matches(LIST_CHARACTERS))
}

/// One of the two positions of a range.
enum Position {
    Absent,
    At(u64),
    Invalid,
}

impl Position {
    fn parse(text: &str) -> Position {
        if text.is_empty() {
            return Position::Absent;
        }
        if !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Position::Invalid;
        }
        // A number beyond 64 bits is beyond the end of every file.
        Position::At(text.parse().unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_header_selects_bytes() {
        for (header, expected) in [
            ("bytes=0-0", ByteRange::Partial(0..=0)),
            ("BYTES=0-0", ByteRange::Partial(0..=0)),
            ("bytes=0-99", ByteRange::Partial(0..=9)),
            ("bytes=5-", ByteRange::Partial(5..=9)),
            ("bytes=-3", ByteRange::Partial(7..=9)),
            ("bytes=-30", ByteRange::Partial(0..=9)),
            ("bytes=9-9", ByteRange::Partial(9..=9)),
            ("bytes=10-", ByteRange::Unsatisfiable),
            ("bytes=10-5", ByteRange::Unsatisfiable),
            ("bytes=99999999999999999999-", ByteRange::Unsatisfiable),
            ("bytes=-0", ByteRange::Unsatisfiable),
            ("bytes=5-2", ByteRange::Full),
            ("bytes=a-b", ByteRange::Full),
            ("bytes=10-b", ByteRange::Full),
            ("bytes=, 0-1 ,,", ByteRange::Partial(0..=1)),
            ("bytes=0-1,3-4", ByteRange::Full),
            ("bytes=0-1,,3-4", ByteRange::Full),
            ("bytes=,", ByteRange::Full),
            ("bytes=-", ByteRange::Full),
            ("items=0-1", ByteRange::Full),
            ("", ByteRange::Full),
        ] {
            assert_eq!(ByteRange::parse(header, 10), expected, "{header}");
        }
    }

    #[test]
    fn empty_file_has_no_satisfiable_range() {
        for header in ["bytes=0-", "bytes=0-0", "bytes=-1"] {
            assert_eq!(ByteRange::parse(header, 0), ByteRange::Unsatisfiable);
        }
    }

    #[test]
    fn long_range_is_truncated_to_its_first_bytes() {
        for (range, max_bytes, expected) in [
            (0..=9, 10, 0..=9),
            (0..=9, 9, 0..=8),
            (5..=9, 3, 5..=7),
            (5..=5, 1, 5..=5),
            (5..=9, 0, 5..=5),
            (5..=u64::MAX, u64::MAX, 5..=u64::MAX),
        ] {
            assert_eq!(
                truncate(&range, max_bytes),
                expected,
                "{range:?}, {max_bytes}"
            );
        }
    }
}
