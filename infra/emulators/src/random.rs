//! The one place of this crate that asks for randomness: identifiers that nobody reads anything into.

use uuid::Uuid;

/// A new identifier.
pub(crate) fn uuid() -> String {
    Uuid::new_v4().to_string()
}

/// Whether a text is an identifier of that kind.
pub(crate) fn is_uuid(text: &str) -> bool {
    Uuid::try_parse(text).is_ok()
}
