//! The program under many hostile requests: it keeps working, and its memory does not grow.

use tests::{CDN_DOMAIN, RawConnection, text};

use super::{Outcome, Target, bodies, heads};
use crate::local_stack::program::DataDir;

/// Rounds of all requests.
const ROUNDS: usize = 20;
/// Maximum growth of the program after the first round, in KiB: a small part of the 28 MB that are
/// sent.
const GROWTH_KIB_MAX: u64 = 4 << 10;

/// Returns the peak memory of a process, in KiB.
fn peak_kib(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("it runs");
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|line| line.split_whitespace().next());
    peak.and_then(|kib| kib.parse().ok())
        .expect("a peak in `/proc`")
}

/// Sends all requests once, and returns the number of bytes sent.
async fn round(targets: &[Target]) -> usize {
    let mut sent = 0;
    for target in targets {
        let heads = [
            heads::too_long,
            heads::hosts,
            heads::targets,
            heads::not_text,
            heads::no_requests,
        ];

        for rows in heads.into_iter().chain([bodies::lengths, bodies::chunks]) {
            for (request, expected) in rows(target) {
                sent += request.len();
                assert_eq!(
                    Outcome::of(RawConnection::request(&target.url, request).await),
                    expected
                );
            }
        }

        target.is_well().await;
    }

    sent
}

#[tokio::test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "only Linux says how much memory a process has had"
)]
async fn hostile_requests_do_not_grow_memory() {
    let data = DataDir::new();
    let program = data.start(&["--parameter", &format!("CdnDomainNames={CDN_DOMAIN}")]);
    let process = program.id();
    let [api_url, cdn_url] = ["api_url", "cdn_url"].map(|name| text(&program.local[name]));
    let targets = Target::of(&program.account, &api_url, &cdn_url).await;

    round(&targets).await;

    let before = peak_kib(process);
    let mut sent = 0;
    for _ in 0..ROUNDS {
        sent += round(&targets).await;
    }

    // Linux counts the pages of each thread with a delay, so a later peak may be lower.
    let growth = peak_kib(process).saturating_sub(before);
    assert!(
        growth < GROWTH_KIB_MAX,
        "it grew by {growth} KiB over {sent} bytes"
    );
}
