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

    #[test]
    fn range_is_cut_to_the_object_but_copy_range_must_be_within_it() {
        let parse = |range: &str, size_bytes| {
            ByteSpan::of_range(Range::parse(range).unwrap(), size_bytes).ok()
        };
        let copied = |range: &str, size_bytes| ByteSpan::of_copy_range(range, size_bytes).ok();

        // The offset of the first byte and the length.
        for (range, size_bytes, span, copied_span) in [
            ("bytes=0-0", 10, Some((0, 1)), Some((0, 1))),
            ("bytes=2-5", 10, Some((2, 4)), Some((2, 4))),
            ("bytes=5-9", 10, Some((5, 5)), Some((5, 5))),
            ("bytes=2-", 10, Some((2, 8)), None),
            ("bytes=5-10", 10, Some((5, 5)), None),
            ("bytes=9-99", 10, Some((9, 1)), None),
            ("bytes=-3", 10, Some((7, 3)), None),
            ("bytes=-99", 10, Some((0, 10)), None),
            ("bytes=10-", 10, None, None),
            ("bytes=-0", 10, None, None),
            ("bytes=0-", 0, None, None),
            ("bytes=-1", 0, None, None),
        ] {
            let shown = |span: ByteSpan| (span.first, span.length);
            assert_eq!(parse(range, size_bytes).map(shown), span, "{range}");
            let found = copied(range, size_bytes).map(shown);
            assert_eq!(found, copied_span, "{range}");
        }
        assert_eq!(copied("5-9", 10), None);
    }
}
