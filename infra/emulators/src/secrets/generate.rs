//! Generates secret values from a cryptographically secure source.
//!
//! Invariant: all values that contain every character class are equally likely.

use crate::random;

/// Character classes. Punctuation is the last.
const CLASSES: [&[u8]; 4] = [
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    b"abcdefghijklmnopqrstuvwxyz",
    b"0123456789",
    b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
];

/// Returns a new value of `length` characters. `length` is at least the number of classes.
pub(super) fn value(length: u32, excludes_punctuation: bool) -> Result<String, getrandom::Error> {
    let classes = if excludes_punctuation {
        &CLASSES[..3]
    } else {
        &CLASSES[..]
    };

    let alphabet = classes.concat();

    loop {
        let candidate = random_string(length, &alphabet)?;
        // A candidate that lacks a class is discarded: replacing characters would bias the result.
        let contains_all_classes = classes
            .iter()
            .all(|class| candidate.bytes().any(|byte| class.contains(&byte)));
        if contains_all_classes {
            return Ok(candidate);
        }
    }
}

fn random_string(length: u32, alphabet: &[u8]) -> Result<String, getrandom::Error> {
    let mut text = String::new();
    // Larger bytes are discarded: they would favor the first characters of the alphabet.
    let limit = 256 / alphabet.len() * alphabet.len();
    while text.len() < length as usize {
        let [byte] = random::bytes()?;
        let number = usize::from(byte);
        if number < limit {
            text.push(char::from(alphabet[number % alphabet.len()]));
        }
    }

    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_has_the_length_and_every_character_class() {
        for (length, excludes_punctuation) in [(4, false), (4, true), (64, true), (4096, false)] {
            let value = value(length, excludes_punctuation).unwrap();
            let has_punctuation = value.bytes().any(|byte| byte.is_ascii_punctuation());

            assert_eq!(value.len(), length as usize);
            assert_eq!(has_punctuation, !excludes_punctuation, "{value}");
            assert!(value.bytes().any(|byte| byte.is_ascii_digit()), "{value}");
            assert!(value.bytes().all(|byte| byte.is_ascii_graphic()), "{value}");
        }
    }
}
