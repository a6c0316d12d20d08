//! Values that nobody can guess.
//!
//! Invariant: every character of the alphabet is as likely as every other, and each kind of them
//! occurs.

use crate::random;

/// Kinds of characters; punctuation comes last.
const KINDS: [&[u8]; 4] = [
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    b"abcdefghijklmnopqrstuvwxyz",
    b"0123456789",
    b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
];

/// A new value of so many characters, which are at least as many as there are kinds.
pub(super) fn value(length: u32, excludes_punctuation: bool) -> Result<String, getrandom::Error> {
    let kinds = if excludes_punctuation {
        &KINDS[..3]
    } else {
        &KINDS[..]
    };
    let alphabet = kinds.concat();
    loop {
        let drawn = draw(length, &alphabet)?;
        // What lacks a kind is thrown away whole: mending it would make some values likelier than
        // others.
        if kinds
            .iter()
            .all(|kind| drawn.bytes().any(|byte| kind.contains(&byte)))
        {
            return Ok(drawn);
        }
    }
}

fn draw(length: u32, alphabet: &[u8]) -> Result<String, getrandom::Error> {
    let mut drawn = String::new();
    // A byte beyond the last whole multiple is thrown away: it would favour the alphabet's first
    // characters.
    let multiple = 256 / alphabet.len() * alphabet.len();
    while drawn.len() < length as usize {
        let [byte] = random::bytes()?;
        if usize::from(byte) < multiple {
            drawn.push(char::from(alphabet[usize::from(byte) % alphabet.len()]));
        }
    }
    Ok(drawn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_its_length_and_every_kind() {
        for (length, excludes_punctuation) in [(4, false), (4, true), (64, true), (4096, false)] {
            let value = value(length, excludes_punctuation).unwrap();
            assert_eq!(value.len(), length as usize);
            assert_eq!(
                value.bytes().any(|byte| byte.is_ascii_punctuation()),
                !excludes_punctuation,
                "{value}"
            );
            assert!(value.bytes().any(|byte| byte.is_ascii_digit()), "{value}");
            assert!(value.bytes().all(|byte| byte.is_ascii_graphic()), "{value}");
        }
        assert_ne!(value(64, true), value(64, true));
    }
}
