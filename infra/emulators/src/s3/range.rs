//! Which bytes of an object are meant.
//!
//! Invariant: a span lies within its object and is never empty, unless the object is.

use s3s::{S3Result, dto::Range, s3_error};

/// Bytes of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// The first byte.
    pub(super) first: u64,
    /// How many bytes.
    pub(super) length: u64,
}

impl Span {
    /// All bytes of an object of this size.
    pub(super) fn whole(size_bytes: u64) -> Span {
        Span {
            first: 0,
            length: size_bytes,
        }
    }

    /// What a `Range` header means for an object of this size.
    pub(super) fn of_range(range: Range, size_bytes: u64) -> S3Result<Span> {
        let (first, end) = match range {
            Range::Int { first, last } => (
                first,
                last.map_or(size_bytes, |last| last.saturating_add(1))
                    .min(size_bytes),
            ),
            Range::Suffix { length } => (size_bytes.saturating_sub(length), size_bytes),
        };
        if first >= end {
            return Err(s3_error!(
                InvalidRange,
                "The requested range is not satisfiable"
            ));
        }
        Ok(Span {
            first,
            length: end - first,
        })
    }

    /// What `x-amz-copy-source-range` means, which has to lie within the source.
    pub(super) fn of_source(range: &str, size_bytes: u64) -> S3Result<Span> {
        let Ok(Range::Int {
            first,
            last: Some(last),
        }) = Range::parse(range)
        else {
            return Err(s3_error!(
                InvalidArgument,
                "The x-amz-copy-source-range value must be of the form bytes=first-last where first and last are the zero-based offsets of the first and last bytes to copy"
            ));
        };
        if last >= size_bytes {
            return Err(s3_error!(
                InvalidArgument,
                "Range specified is not valid for source object of size: {size_bytes}"
            ));
        }
        Ok(Span {
            first,
            length: last - first + 1,
        })
    }

    /// The `Content-Range` header.
    pub(super) fn content_range(self, size_bytes: u64) -> String {
        format!(
            "bytes {}-{}/{size_bytes}",
            self.first,
            self.first + self.length - 1
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_cut_to_the_object_or_refused() {
        let span = |range: &str, size| Span::of_range(Range::parse(range).unwrap(), size).ok();
        for (range, size, expected) in [
            ("bytes=0-0", 10, Some((0, 1))),
            ("bytes=2-5", 10, Some((2, 4))),
            ("bytes=2-", 10, Some((2, 8))),
            ("bytes=9-99", 10, Some((9, 1))),
            ("bytes=10-", 10, None),
            ("bytes=-3", 10, Some((7, 3))),
            ("bytes=-99", 10, Some((0, 10))),
            ("bytes=-0", 10, None),
            ("bytes=0-", 0, None),
            ("bytes=-1", 0, None),
        ] {
            let expected = expected.map(|(first, length)| Span { first, length });
            assert_eq!(span(range, size), expected, "{range} of {size}");
        }
    }

    #[test]
    fn a_copied_range_lies_within_its_source() {
        assert_eq!(
            Span::of_source("bytes=5-9", 10).ok(),
            Some(Span {
                first: 5,
                length: 5
            })
        );
        for refused in ["bytes=5-10", "bytes=5-", "bytes=-5", "5-9"] {
            assert!(Span::of_source(refused, 10).is_err(), "{refused}");
        }
    }
}
