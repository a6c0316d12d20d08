//! What is logged.
//!
//! Invariant: no level that anybody asks for makes libraries log requests whole: their headers hold keys.

use tracing_subscriber::{EnvFilter, filter::LevelFilter};

/// Libraries, by how the names of their modules begin, that log events, headers or bodies at levels below `info`.
const CAPPED: [&str; 6] = ["aws_", "h2", "hyper", "lambda_http", "lambda_runtime", "rustls"];

/// Everything of a level and above, of libraries that are not discreet no more than `info`.
pub fn log_filter(level: LevelFilter) -> EnvFilter {
    let cap = level.min(LevelFilter::INFO);
    let capped = CAPPED.iter().filter_map(|library| format!("{library}={cap}").parse().ok());
    capped.fold(EnvFilter::default().add_directive(level.into()), EnvFilter::add_directive)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_never_log_more_than_is_asked_for_and_never_requests() {
        for (level, cap) in [(LevelFilter::TRACE, "info"), (LevelFilter::DEBUG, "info"), (LevelFilter::ERROR, "error")]
        {
            let filter = log_filter(level).to_string();
            for library in CAPPED {
                assert!(filter.split(',').any(|directive| directive == format!("{library}={cap}")), "{filter}");
            }
            assert!(filter.split(',').any(|directive| directive == level.to_string()), "{filter}");
        }
    }
}
