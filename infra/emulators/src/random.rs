//! The one place of this crate that asks for randomness: identifiers that nobody reads anything
//! into, and secrets.

use uuid::Uuid;

/// A new identifier.
pub(crate) fn uuid() -> String {
    Uuid::new_v4().to_string()
}

/// Whether a text is an identifier of that kind.
pub(crate) fn is_uuid(text: &str) -> bool {
    Uuid::try_parse(text).is_ok()
}

/// Bytes that nobody can guess.
pub(crate) fn bytes<const N: usize>() -> Result<[u8; N], getrandom::Error> {
    let mut bytes = [0; N];
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that asks the system for randomness"
    )]
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}
