//! The table: every record of Larder in one DynamoDB table.
//!
//! Invariants: this is the only crate that spells a key (`key.rs` lists them all); every read is
//! strongly consistent and whole, an incomplete one is an error and never an absence; every write
//! states its condition, or is safe to repeat, and knows its own success when the first answer was
//! lost.
//!
//! A record that is found by two keys is stored whole under both, and whoever changes one changes
//! both in one transaction. API keys are the exception: what requests are counted by stays out of
//! transactions, in which it would conflict.

mod api_keys;
mod condition;
mod error;
mod file_index;
mod file_lists;
mod files;
mod folder_reads;
mod folders;
mod idempotency;
mod key;
mod members;
mod purge;
mod rate_counters;
mod read;
mod retry;
mod spaces;
mod sweep;
mod transaction;
mod upload_configs;
mod write;
mod write_error;

pub use api_keys::{AuthenticatedKey, KeyCheck};
pub use error::TableError;
pub use folder_reads::DeliveredRecords;
pub use members::{Membership, User};
pub use purge::PurgePage;
pub use retry::ChangeError;
pub use write_error::{Reason, WriteError};

use aws_sdk_dynamodb::Client;
use domain::Env;
use key::Key;
use retry::RetryPolicy;

/// The table's client.
#[derive(Clone, Debug)]
pub struct Table {
    client: Client,
    name: String,
    env: Env,
    retries: RetryPolicy,
}

impl Table {
    /// Opens the table of this name. Tokens, pauses, leases and expiry are drawn from `env`.
    pub fn new(client: Client, name: String, env: Env) -> Table {
        Table {
            client,
            name,
            env,
            retries: RetryPolicy::REQUEST,
        }
    }

    /// The same table for a background job: throttled calls are repeated for seconds.
    #[must_use]
    pub fn for_background_job(self) -> Table {
        Table {
            retries: RetryPolicy::BACKGROUND_JOB,
            ..self
        }
    }

    /// Returns the clock and the randomness of all that is written.
    pub fn env(&self) -> &Env {
        &self.env
    }
}
