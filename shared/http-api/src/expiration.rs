//! Field `expiration_minutes` of the routes that create signed URLs.

use crate::FieldReader;

const FIELD: &str = "expiration_minutes";
const MIN_MINUTES: i64 = 1;
const MAX_MINUTES: i64 = 24 * 60;
const SECONDS_PER_MINUTE: i64 = 60;

/// Reads when a signed URL expires, in seconds since 1970.
pub fn read_expires_seconds(fields: &mut impl FieldReader, default_minutes: i64) -> i64 {
    let minutes = fields
        .integer(FIELD, MIN_MINUTES, MAX_MINUTES)
        .unwrap_or(default_minutes);
    fields.now().seconds() + minutes * SECONDS_PER_MINUTE
}
