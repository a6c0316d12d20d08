//! Injected time and randomness.
//!
//! Invariant: nothing here reads the system's random source: callers pass an [`Env`].

use std::{fmt, sync::Arc};

use crate::env::{Clock, Timestamp};

/// Source of random bytes: the operating system in production, a seeded generator in tests.
pub trait Random: Send + Sync + 'static {
    /// Fills the slice with random bytes.
    fn fill(&self, bytes: &mut [u8]);
}

/// Clock and random source of a process.
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

    /// Returns the current time.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Creates a ULID with the current time.
    pub fn ulid(&self) -> ulid::Ulid {
        let ms = u64::try_from(self.now().ms()).expect("a timestamp is not before 1970");
        ulid::Ulid::from_parts(ms, u128::from_be_bytes(self.random_bytes()))
    }

    /// Returns `N` random bytes.
    pub fn random_bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.random.fill(&mut bytes);
        bytes
    }

    /// Returns `length` characters of an alphabet of at most 256 ASCII characters. Every character
    /// is equally likely: bytes beyond the largest multiple of the alphabet's length are discarded.
    pub fn random_text(&self, alphabet: &[u8], length: usize) -> String {
        let limit = 256 - 256 % alphabet.len();
        let mut text = String::with_capacity(length);

        while text.len() < length {
            let bytes = self.random_bytes::<32>();
            let uniform = bytes
                .iter()
                .map(|byte| usize::from(*byte))
                .filter(|byte| *byte < limit);

            text.extend(
                uniform
                    .map(|byte| char::from(alphabet[byte % alphabet.len()]))
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

    /// Creates an environment with a stopped clock and bytes that count up.
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
    fn random_text_uses_every_character_equally_often() {
        let env = counting();
        // Of the 256 byte values, 250 are used for ten characters: 25 each.
        let text = env.random_text(b"0123456789", 250);
        for character in '0'..='9' {
            assert_eq!(text.matches(character).count(), 25, "{character}");
        }
    }

    #[test]
    fn ulid_contains_the_current_time() {
        let env = counting();
        assert_eq!(env.ulid().timestamp_ms(), 1_700_000_000_000);
        assert_ne!(env.ulid(), env.ulid());
    }
}
