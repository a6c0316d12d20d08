//! Byte ranges (RFC 9110, section 14): one range, from the start or from the end.

/// The only unit of ranges, and what follows it.
const UNIT: &str = "bytes=";

/// What a `Range` header asks for, of a file of a known size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// All of it: there is no range, or one that is not understood and so not to be minded.
    All,
    /// From the first to the last position, both inclusive.
    Part(u64, u64),
    /// Bytes that the file does not have.
    Nothing,
}

/// Reads a `Range` header.
pub(crate) fn wanted(header: &str, size: u64) -> Wanted {
    let unit = header
        .trim()
        .split_at_checked(UNIT.len())
        .filter(|(unit, _)| unit.eq_ignore_ascii_case(UNIT));
    let Some(range) = unit.map(|(_, range)| range.trim()) else {
        return Wanted::All;
    };
    let Some((first, last)) = range.split_once('-') else {
        return Wanted::All;
    };
    match (number(first), number(last)) {
        (Number::Some(first), _) if first >= size && !matches!(number(last), Number::Wrong) => {
            Wanted::Nothing
        }
        (Number::Some(first), Number::Some(last)) if first <= last => {
            Wanted::Part(first, last.min(size - 1))
        }
        (Number::Some(first), Number::None) => Wanted::Part(first, size - 1),
        (Number::None, Number::Some(0)) => Wanted::Nothing,
        (Number::None, Number::Some(length)) if size > 0 => {
            Wanted::Part(size.saturating_sub(length), size - 1)
        }
        (Number::None, Number::Some(_)) => Wanted::Nothing,
        _ => Wanted::All,
    }
}

/// Cuts a range to its first `max_bytes`, at least one. A 206 may answer a part of what was
/// requested (RFC 9110, section 15.3.7): `Content-Range` shows which, and the client requests the
/// rest.
pub(crate) fn first_bytes(first: u64, last: u64, max_bytes: u64) -> (u64, u64) {
    (
        first,
        last.min(first.saturating_add(max_bytes.saturating_sub(1))),
    )
}

enum Number {
    None,
    Some(u64),
    Wrong,
}

fn number(text: &str) -> Number {
    if text.is_empty() {
        return Number::None;
    }
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Number::Wrong;
    }
    // More digits than fit are beyond any file.
    Number::Some(text.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_the_standard_has_them() {
        for (header, expected) in [
            ("bytes=0-0", Wanted::Part(0, 0)),
            ("BYTES=0-0", Wanted::Part(0, 0)),
            ("bytes=0-99", Wanted::Part(0, 9)),
            ("bytes=5-", Wanted::Part(5, 9)),
            ("bytes=-3", Wanted::Part(7, 9)),
            ("bytes=-30", Wanted::Part(0, 9)),
            ("bytes=9-9", Wanted::Part(9, 9)),
            ("bytes=10-", Wanted::Nothing),
            ("bytes=10-5", Wanted::Nothing),
            ("bytes=99999999999999999999-", Wanted::Nothing),
            ("bytes=-0", Wanted::Nothing),
            ("bytes=5-2", Wanted::All),
            ("bytes=a-b", Wanted::All),
            ("bytes=0-1,3-4", Wanted::All),
            ("bytes=-", Wanted::All),
            ("items=0-1", Wanted::All),
            ("", Wanted::All),
        ] {
            assert_eq!(wanted(header, 10), expected, "{header}");
        }
    }

    #[test]
    fn long_ranges_are_cut_to_their_first_bytes() {
        for (first, last, max_bytes, expected) in [
            (0, 9, 10, (0, 9)),
            (0, 9, 9, (0, 8)),
            (5, 9, 3, (5, 7)),
            (5, 5, 1, (5, 5)),
            (5, 9, 0, (5, 5)),
            (5, u64::MAX, u64::MAX, (5, u64::MAX)),
        ] {
            assert_eq!(
                first_bytes(first, last, max_bytes),
                expected,
                "{first}-{last}, {max_bytes}"
            );
        }
    }
}
