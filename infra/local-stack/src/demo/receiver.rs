//! A receiver of webhooks that keeps the last ones in memory. It verifies nothing.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use axum::body::{Body, to_bytes};
use domain::env::Env;
use http::{Request, StatusCode};
use serde::Serialize;

use crate::gateway::GatewayError;

/// Maximum size of a body, in bytes.
const MAX_BODY_BYTES: usize = 1_000_000;
/// Maximum number of webhooks that are kept.
const MAX_WEBHOOKS: usize = 100;
/// Headers that are kept.
const HEADERS: [&str; 5] = [
    "webhook-id",
    "webhook-timestamp",
    "webhook-signature",
    "content-type",
    "user-agent",
];
/// Query parameter that selects the webhooks after a number.
const AFTER: &str = "after=";

/// A request to the receiver.
#[derive(Clone, Serialize)]
struct ReceivedWebhook {
    /// Number of the request since the start of the stack, from 1.
    number: u64,
    /// Time of the request by the clock of the stack, in RFC 3339.
    received_at: String,
    headers: BTreeMap<&'static str, String>,
    /// The body as text. Bytes that are not UTF-8 are replaced by U+FFFD.
    body: String,
}

/// Body of the response with webhooks.
#[derive(Serialize)]
pub(crate) struct ReceivedWebhooks {
    /// Number of the last webhook; 0 before the first.
    last: u64,
    /// The requested webhooks, the newest first.
    webhooks: Vec<ReceivedWebhook>,
}

/// Keeps the last webhooks.
pub(crate) struct Receiver {
    env: Env,
    log: Mutex<Log>,
}

#[derive(Default)]
struct Log {
    last: u64,
    /// The newest first.
    webhooks: VecDeque<ReceivedWebhook>,
}

impl Receiver {
    pub(crate) fn new(env: Env) -> Receiver {
        Receiver {
            env,
            log: Mutex::default(),
        }
    }

    /// Keeps a request. Fails with 413 if its body is larger than 1 MB.
    pub(crate) async fn receive(&self, request: Request<Body>) -> Result<(), GatewayError> {
        let (head, body) = request.into_parts();
        let body = to_bytes(body, MAX_BODY_BYTES).await.map_err(|_| {
            GatewayError::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "The body ended early or is larger than 1 MB.",
            )
        })?;
        let header = |name: &'static str| {
            let value = head.headers.get(name)?;
            Some((name, String::from_utf8_lossy(value.as_bytes()).into_owned()))
        };

        let mut log = self.log();
        log.last += 1;
        let webhook = ReceivedWebhook {
            number: log.last,
            received_at: self.env.now().rfc3339(),
            headers: HEADERS.into_iter().filter_map(header).collect(),
            body: String::from_utf8_lossy(&body).into_owned(),
        };
        log.webhooks.push_front(webhook);
        log.webhooks.truncate(MAX_WEBHOOKS);
        Ok(())
    }

    /// Returns the webhooks that a query selects: all, or those `after=NUMBER`.
    pub(crate) fn received(&self, query: &str) -> ReceivedWebhooks {
        let after = query
            .split('&')
            .find_map(|parameter| parameter.strip_prefix(AFTER)?.parse().ok())
            .unwrap_or(0);
        let log = self.log();
        let selected = log
            .webhooks
            .iter()
            .take_while(|webhook| webhook.number > after);
        ReceivedWebhooks {
            last: log.last,
            webhooks: selected.cloned().collect(),
        }
    }

    /// Locks the log, which every panic leaves complete.
    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
