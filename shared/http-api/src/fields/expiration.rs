//! Fields with the minutes until signed URLs expire.

use crate::fields::FieldReader;

const FIELD: &str = "expiration_minutes";
const MIN_MINUTES: i64 = 1;
const MAX_MINUTES: i64 = 24 * 60;
const SECONDS_PER_MINUTE: i64 = 60;

/// Reads from `expiration_minutes` when a signed URL expires, in seconds since 1970.
pub fn read_expires_seconds(fields: &mut impl FieldReader, default_minutes: i64) -> i64 {
    let default = fields.now().seconds() + default_minutes * SECONDS_PER_MINUTE;
    read_optional_expires_seconds(fields, FIELD).unwrap_or(default)
}

/// Reads from a field when signed URLs expire, in seconds since 1970. `None` if none are to be
/// signed.
pub fn read_optional_expires_seconds(fields: &mut impl FieldReader, name: &str) -> Option<i64> {
    let minutes = fields.integer(name, MIN_MINUTES, MAX_MINUTES)?;
    Some(fields.now().seconds() + minutes * SECONDS_PER_MINUTE)
}
