//! Byte ranges of objects.
//!
//! Invariant: a span is within its object, and empty only if the object is.

use s3s::{S3Result, dto::Range, s3_error};

/// A range of the bytes of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ByteSpan {
    /// Offset of the first byte.
    pub(super) first: u64,
    pub(super) length: u64,
}

impl ByteSpan {
    /// Returns the range of a whole object.
    pub(super) fn whole(size_bytes: u64) -> ByteSpan {
        ByteSpan {
            first: 0,
            length: size_bytes,
        }
    }

    /// Resolves a `Range` header for an object of this size. Cuts it to the object.
    pub(super) fn of_range(range: Range, size_bytes: u64) -> S3Result<ByteSpan> {
        let first = match range {
            Range::Int { first, .. } => first,
            Range::Suffix { length } => size_bytes.saturating_sub(length),
        };

        let end = match range {
            Range::Int {
                last: Some(last), ..
            } => last.saturating_add(1).min(size_bytes),
            _ => size_bytes,
        };

        if first >= end {
            return Err(s3_error!(
                InvalidRange,
                "The requested range is not satisfiable"
            ));
        }

        Ok(ByteSpan {
            first,
            length: end - first,
        })
    }

    /// Parses `x-amz-copy-source-range`. Fails if it exceeds the source.
    pub(super) fn of_copy_range(range: &str, size_bytes: u64) -> S3Result<ByteSpan> {
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

        Ok(ByteSpan {
            first,
            length: last - first + 1,
        })
    }

    /// Returns the value of `Content-Range`.
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

    fn resolve(range: &str, size_bytes: u64) -> Option<ByteSpan> {
        ByteSpan::of_range(Range::parse(range).unwrap(), size_bytes).ok()
    }

    #[test]
    fn satisfiable_ranges_are_cut_to_the_object() {
        let span = |first, length| Some(ByteSpan { first, length });

        assert_eq!(resolve("bytes=0-0", 10), span(0, 1));
        assert_eq!(resolve("bytes=2-5", 10), span(2, 4));
        assert_eq!(resolve("bytes=2-", 10), span(2, 8));
        assert_eq!(resolve("bytes=9-99", 10), span(9, 1));
        assert_eq!(resolve("bytes=-3", 10), span(7, 3));
        assert_eq!(resolve("bytes=-99", 10), span(0, 10));
    }

    #[test]
    fn unsatisfiable_ranges_are_rejected() {
        assert_eq!(resolve("bytes=10-", 10), None);
        assert_eq!(resolve("bytes=-0", 10), None);
        assert_eq!(resolve("bytes=0-", 0), None);
        assert_eq!(resolve("bytes=-1", 0), None);
    }

    #[test]
    fn copy_range_must_be_within_the_source() {
        let expected = ByteSpan {
            first: 5,
            length: 5,
        };

        assert_eq!(
            ByteSpan::of_copy_range("bytes=5-9", 10).ok(),
            Some(expected)
        );

        for invalid in ["bytes=5-10", "bytes=5-", "bytes=-5", "5-9"] {
            assert!(ByteSpan::of_copy_range(invalid, 10).is_err(), "{invalid}");
        }
    }
}
