//! How long calls take.

use std::time::Duration;

use tests::Response;
use tokio::time::Instant;

/// What each call took, in the order in which they were first made.
#[derive(Default)]
pub(crate) struct Stopwatch(Vec<(&'static str, Vec<Duration>)>);

/// What half of the calls, and 95 % of them, took at most.
#[derive(Clone, Copy)]
pub(crate) struct Figures {
    pub(crate) p50: Duration,
    pub(crate) p95: Duration,
}

impl Stopwatch {
    /// Waits for the whole answer of a call, and notes how long that took.
    pub(crate) async fn time(
        &mut self,
        call: &'static str,
        response: impl Future<Output = Response>,
    ) -> Response {
        let started = Instant::now();
        let response = response.await;
        let took = started.elapsed();
        match self.0.iter_mut().find(|(known, _)| *known == call) {
            Some((_, taken)) => taken.push(took),
            None => self.0.push((call, vec![took])),
        }
        response
    }

    /// The figures of each call.
    pub(crate) fn figures(self) -> Vec<(&'static str, Figures)> {
        self.0
            .into_iter()
            .map(|(call, taken)| (call, Figures::of(taken)))
            .collect()
    }
}

impl Figures {
    fn of(mut taken: Vec<Duration>) -> Figures {
        taken.sort_unstable();
        let percentile = |percent: usize| taken[(taken.len() * percent).div_ceil(100) - 1];
        Figures {
            p50: percentile(50),
            p95: percentile(95),
        }
    }
}
