//! How long signed addresses are good for, said the same way on every route that makes one.

use crate::FieldReader;

/// The field that says it, in minutes.
const FIELD: &str = "expiration_minutes";
/// Its bounds.
const LEAST_MINUTES: i64 = 1;
const MOST_MINUTES: i64 = 24 * 60;
/// Seconds of a minute.
const SECONDS: i64 = 60;

/// The second since 1970 from which on an address is good no more that is asked for now; where the
/// request does not say, so many minutes from now.
pub fn expires_seconds(fields: &mut impl FieldReader, default_minutes: i64) -> i64 {
    let minutes = fields
        .integer(FIELD, LEAST_MINUTES, MOST_MINUTES)
        .unwrap_or(default_minutes);
    fields.now().seconds() + minutes * SECONDS
}
