//! Redelivery of failed messages.
//!
//! SQS hides a received message for the visibility timeout of its queue, which is six times the
//! timeout of the function. A failed job would wait that long, so the handler hides its message for
//! a shorter delay. The message is also reported as failed, so that Lambda does not delete it.
//! Lambda leaves its visibility alone: a failed message reappears when its timeout runs out
//! ("Handling errors for an SQS event source in Lambda" in the AWS Lambda developer guide), and a
//! changed timeout applies to the current receive ("Amazon SQS visibility timeout" in the Amazon
//! SQS developer guide). The message processing framework of AWS for .NET changes it in its Lambda
//! handler too (`aws/aws-dotnet-messaging`, pull request 151).
//!
//! A function that is killed changes nothing, so its messages wait for the visibility timeout.

use std::{future::Future, pin::Pin, time::Duration};

use domain::env::Env;

use crate::JobError;

/// Delays after the first, second, … receive that failed, in seconds. The last one repeats.
///
/// An outage of a service for an hour moves no message to a dead-letter queue: a queue of the
/// template permits ten receives, and the tenth follows nine delays, 5 + 30 + 120 + 300 + 600 + 4 ×
/// 900 = 4,655 seconds or 78 minutes after the first one.
const DELAYS_SECONDS: [u32; 6] = [5, 30, 120, 300, 600, 900];
/// Maximum random extension of a delay, as a part of it: messages that failed together spread out.
const JITTER_DIVISOR: u32 = 5;
/// Maximum time for which a message is hidden, in seconds. SQS permits 12 hours since the receive
/// (`ChangeMessageVisibility` in the Amazon SQS API reference).
const MAX_DELAY_SECONDS: u32 = 3_600;

/// Last receive of a message at which a job does everything. From the next one on it may have
/// killed its process each time, so it does less.
///
/// A job that returns an error at this receive is sent again as a new message, so an outage does
/// not let it do less. If a job kills its function each time, its message is received after each
/// visibility timeout, at 12 minutes after 108 minutes for the tenth time. Queues of such jobs
/// permit twelve receives, so three are left to do less.
pub const LAST_FULL_RECEIVE: u32 = 9;
/// Age up to which a failed job is sent as a new message, in milliseconds: a day. An older one
/// becomes a dead letter.
pub(crate) const MAX_RESTARTED_AGE_MS: i64 = 86_400_000;

/// Result of a change of a message's visibility.
pub type RedeliveryFuture<'a> = Pin<Box<dyn Future<Output = Result<(), JobError>> + Send + 'a>>;

/// The queue that a worker serves.
pub trait ServedQueue: Send + Sync + 'static {
    /// Hides a received message for a time from now on, after which it is received again.
    fn hide<'a>(&'a self, receipt_handle: &'a str, seconds: i32) -> RedeliveryFuture<'a>;
}

/// Returns the delay after a receive that failed, counted from 1, in seconds. It is at least
/// `pause`.
pub(crate) fn delay_seconds(receive_count: u32, pause: Duration, env: &Env) -> i32 {
    let index = usize::try_from(receive_count.saturating_sub(1)).unwrap_or(usize::MAX);
    let delay = DELAYS_SECONDS[index.min(DELAYS_SECONDS.len() - 1)];
    let random = u32::from_be_bytes(env.random_bytes());
    let jittered = delay + random % (delay / JITTER_DIVISOR + 1);

    let pause_seconds = pause.as_millis().div_ceil(1_000);
    let pause_seconds = u32::try_from(pause_seconds).unwrap_or(MAX_DELAY_SECONDS);
    let seconds = jittered.max(pause_seconds).min(MAX_DELAY_SECONDS);
    i32::try_from(seconds).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{env, env_with_byte};

    const NO_PAUSE: Duration = Duration::ZERO;

    /// Returns the time from the first receive to another one, in seconds, without random
    /// extensions.
    fn seconds_until_receive(count: u32) -> i32 {
        (1..count)
            .map(|receive| delay_seconds(receive, NO_PAUSE, &env()))
            .sum()
    }

    #[test]
    fn delays_grow_to_a_quarter_of_an_hour() {
        let delays = [0, 1, 2, 3, 4, 5, 6, 7, 1_000, u32::MAX];
        let delays = delays.map(|receive| delay_seconds(receive, NO_PAUSE, &env()));

        assert_eq!(delays, [5, 5, 30, 120, 300, 600, 900, 900, 900, 900]);
    }

    #[test]
    fn jitter_extends_a_delay_by_a_fifth_at_most() {
        for byte in 0..=u8::MAX {
            let delay = delay_seconds(6, NO_PAUSE, &env_with_byte(byte));
            assert!((900..=1_080).contains(&delay), "{delay}");
        }
    }

    #[test]
    fn pause_of_the_job_extends_a_delay_by_less_than_an_hour() {
        let after = |pause| delay_seconds(1, pause, &env());

        assert_eq!(after(Duration::from_millis(4_999)), 5);
        assert_eq!(after(Duration::from_millis(59_001)), 60);
        assert_eq!(after(Duration::MAX), 3_600);
    }

    #[test]
    fn outage_of_an_hour_ends_before_the_tenth_receive() {
        assert_eq!(seconds_until_receive(10), 4_655);
    }
}
