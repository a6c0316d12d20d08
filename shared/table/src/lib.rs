//! Stores every record of Larder in one DynamoDB table.
//!
//! Invariants:
//! - This is the only crate that defines table keys; the module `key` lists all of them.
//! - Every read is strongly consistent and complete. An incomplete read is an error, never an absent
//!   record.
//! - Every write has a condition or is idempotent, and determines its own outcome if the response of
//!   the first attempt is lost.
//! - A record that is read by several keys is stored under each of them with all that is read there,
//!   and one transaction changes all copies. API keys are the exception: the item that counts requests is changed outside of
//!   transactions, which would conflict with the requests that it counts.

mod change;
mod condition;
mod error;
mod files;
mod filtered_page;
mod folders;
pub mod item_keys;
mod key;
mod keys;
mod query;
mod read;
mod renditions;
mod requests;
mod retry;
mod spaces;
mod transaction;
mod upload_configs;
mod webhooks;
mod write;
mod write_error;

pub use change::ChangeError;
pub use error::TableError;
pub use files::lists::FileInSpace;
pub use files::{NewFileRecords, ReplacementUpload};
pub use folders::FolderRelocation;
pub use folders::reads::{DeliveryRecords, FolderSelection};
pub use key::TRASH_SHARDS;
pub use keys::checks::{AuthenticatedKey, KeyCheck};
pub use keys::signing::{KeyInSpace, SignedTarget};
pub use requests::idempotency::RESERVATION_LEASE_MS;
pub use requests::rate_counters::{AnonymousCount, ExhaustedQuota};
pub use spaces::members::{FirstUserRecords, JoinedSpace, Membership, User, UserWithKey};
pub use spaces::purge::{PurgePage, PurgedFile};
pub use spaces::record::WithSpace;
pub use spaces::resource::{RecordForMember, SpaceResource};
pub use spaces::sweep::{DueFiles, FileRevision};
pub use webhooks::slots::{HostReaction, WebhookClaim};
pub use write_error::{Reason, WriteError};

use aws_sdk_dynamodb::Client;
use domain::env::Env;
use key::Key;
use retry::RetryPolicy;

/// Defines the reads and writes of a kind of record, and the method of [`Table`] that returns them. Their spans are named with the noun,
/// since a log line has only the names.
macro_rules! repositories {
    ($($(#[$doc:meta])* $method:ident: $repository:ident,)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $repository<'a> {
                table: &'a Table,
            }
        )*

        impl Table {
            $(
                $(#[$doc])*
                pub fn $method(&self) -> $repository<'_> {
                    $repository { table: self }
                }
            )*
        }
    };
}

repositories! {
    /// API keys, which are read with every request.
    keys: KeyRecords,
    /// Files, and the items that list them.
    files: FileRecords,
    /// Folders, and the counts of their descendants.
    folders: FolderRecords,
    /// Users, and the spaces that they are members of.
    members: MemberRecords,
    /// Spaces, with their replicas for delivery.
    spaces: SpaceRecords,
    /// Upload configs of a space, by id and by name.
    upload_configs: UploadConfigRecords,
    /// Webhooks, and the slots of their attempts.
    webhooks: WebhookRecords,
    /// The numbers of renditions that requests without credentials created.
    rendition_counts: RenditionCounts,
    /// Reservations of idempotency keys.
    idempotency: Reservations,
    /// What is left of deleted spaces.
    purges: Purges,
    /// The progress of the sweep, and what it reads.
    sweeps: Sweeps,
    /// Counters of requests and uploads.
    rates: RateCounters,
}

/// The table and the policy for repeating calls to it.
#[derive(Clone, Debug)]
pub struct Table {
    client: Client,
    name: String,
    env: Env,
    retries: RetryPolicy,
}

impl Table {
    /// Creates the client of a table, with the retry policy of requests. `env` provides the time
    /// and the randomness of everything that is written.
    pub fn new(client: Client, name: String, env: Env) -> Table {
        Table {
            client,
            name,
            env,
            retries: RetryPolicy::REQUEST,
        }
    }

    /// Returns the same table with the retry policy of background jobs, which repeat throttled calls
    /// for seconds.
    #[must_use]
    pub fn for_background_job(self) -> Table {
        Table {
            retries: RetryPolicy::BACKGROUND_JOB,
            ..self
        }
    }

    /// Returns the clock and the source of randomness.
    pub fn env(&self) -> &Env {
        &self.env
    }
}
