//! Random identifiers and secrets. No other module of this crate asks the system for randomness.

use uuid::Uuid;

/// Returns a new random UUID.
pub(crate) fn uuid() -> String {
    Uuid::new_v4().to_string()
}

/// Returns whether a string is a UUID.
pub(crate) fn is_uuid(text: &str) -> bool {
    Uuid::try_parse(text).is_ok()
}

/// Returns cryptographically secure random bytes.
pub(crate) fn bytes<const N: usize>() -> Result<[u8; N], getrandom::Error> {
    let mut bytes = [0; N];
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that asks the system for randomness"
    )]
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}
