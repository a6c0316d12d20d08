//! Collects the latencies of API calls and computes their percentiles.

use std::time::Duration;

use tests::Response;
use tokio::time::Instant;

/// Latencies of all measured calls, in the order of each call's first measurement.
#[derive(Default)]
pub(crate) struct Stopwatch(Vec<CallLatencies>);

struct CallLatencies {
    call: &'static str,
    latencies: Vec<Duration>,
}

/// Latency percentiles of one call.
pub(crate) struct Measurement {
    pub(crate) call: &'static str,
    pub(crate) percentiles: Percentiles,
}

#[derive(Clone, Copy)]
pub(crate) struct Percentiles {
    pub(crate) p50: Duration,
    pub(crate) p95: Duration,
}

impl Stopwatch {
    /// Awaits a complete response and records how long it took.
    pub(crate) async fn time(
        &mut self,
        call: &'static str,
        response: impl Future<Output = Response>,
    ) -> Response {
        let started = Instant::now();
        let response = response.await;
        let latency = started.elapsed();

        match self.0.iter_mut().find(|recorded| recorded.call == call) {
            Some(recorded) => recorded.latencies.push(latency),
            None => self.0.push(CallLatencies {
                call,
                latencies: vec![latency],
            }),
        }
        response
    }

    pub(crate) fn measurements(self) -> Vec<Measurement> {
        self.0
            .into_iter()
            .map(|recorded| Measurement {
                call: recorded.call,
                percentiles: Percentiles::of(recorded.latencies),
            })
            .collect()
    }
}

impl Percentiles {
    fn of(mut latencies: Vec<Duration>) -> Percentiles {
        latencies.sort_unstable();
        let percentile = |percent: usize| latencies[(latencies.len() * percent).div_ceil(100) - 1];

        Percentiles {
            p50: percentile(50),
            p95: percentile(95),
        }
    }
}
