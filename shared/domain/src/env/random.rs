//! Randomness, and what is made of it.
//!
//! Invariant: nothing here reads the machine's randomness; whoever needs it is handed a [`Random`].

use std::{fmt, sync::Arc};

use crate::env::{Clock, Timestamp};

/// Where random bytes come from: the operating system in production, a seed in tests.
pub trait Random: Send + Sync + 'static {
    /// Fills the slice.
    fn fill(&self, bytes: &mut [u8]);
}

/// The two things that differ at every call: time and randomness.
#[derive(Clone)]
pub struct Env {
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
}

impl fmt::Debug for Env {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Env").finish_non_exhaustive()
    }
}

impl Env {
    /// Creates an environment from a clock and a source of randomness.
    pub fn new(clock: Arc<dyn Clock>, random: Arc<dyn Random>) -> Env {
        Env { clock, random }
    }

    /// The present moment.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// A fresh ULID of this moment.
    pub fn ulid(&self) -> ulid::Ulid {
        let ms = u64::try_from(self.now().ms()).expect("a timestamp is not before 1970");
        ulid::Ulid::from_parts(ms, u128::from_be_bytes(self.random_bytes()))
    }

    /// So many fresh random bytes.
    pub fn random_bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.random.fill(&mut bytes);
        bytes
    }

    /// Characters drawn evenly from an alphabet of at most 256 ASCII characters.
    ///
    /// Bytes beyond the largest multiple of the alphabet's length are drawn again, so no character
    /// is likelier than another.
    pub fn random_text(&self, alphabet: &[u8], length: usize) -> String {
        let fair = 256 - 256 % alphabet.len();
        let mut text = String::with_capacity(length);
        while text.len() < length {
            let drawn = self.random_bytes::<32>();
            let even = drawn
                .iter()
                .map(|byte| usize::from(*byte))
                .filter(|byte| *byte < fair);
            text.extend(
                even.map(|byte| char::from(alphabet[byte % alphabet.len()]))
                    .take(length - text.len()),
            );
        }
        text
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU8, Ordering};

    /// An environment whose clock stands still and whose bytes count up.
    pub(crate) fn counting() -> Env {
        Env::new(Arc::new(Stopped), Arc::new(Counting(AtomicU8::new(0))))
    }

    struct Stopped;
    impl Clock for Stopped {
        fn now(&self) -> Timestamp {
            Timestamp::from_ms(1_700_000_000_000)
        }
    }

    struct Counting(AtomicU8);
    impl Random for Counting {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill_with(|| self.0.fetch_add(1, Ordering::Relaxed));
        }
    }

    #[test]
    fn every_character_of_an_alphabet_is_equally_likely() {
        let env = counting();
        // All 256 bytes in turn: 250 of them are fair for ten characters, 25 each.
        let text = env.random_text(b"0123456789", 250);
        for character in '0'..='9' {
            assert_eq!(text.matches(character).count(), 25, "{character}");
        }
    }

    #[test]
    fn a_ulid_carries_its_moment() {
        let env = counting();
        assert_eq!(env.ulid().timestamp_ms(), 1_700_000_000_000);
        assert_ne!(env.ulid(), env.ulid());
    }
}
