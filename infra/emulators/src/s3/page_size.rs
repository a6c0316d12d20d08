//! The page size of listings.

use s3s::{S3Result, s3_error};

/// Maximum number of entries on one page.
const PAGE_SIZE_MAX: i32 = 1000;

/// Returns the number of entries on a page. Fails if the requested number is negative.
pub(super) fn page_size(requested: Option<i32>) -> S3Result<i32> {
    let entries = requested.unwrap_or(PAGE_SIZE_MAX);
    if entries < 0 {
        return Err(s3_error!(
            InvalidArgument,
            "Argument maxKeys must be an integer between 0 and 2147483647"
        ));
    }
    Ok(entries.min(PAGE_SIZE_MAX))
}
