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

mod api_keys;
mod avif_and_watermarks;
mod change;
mod condition;
mod delivery_replicas;
mod error;
mod file_index;
mod file_lists;
mod files;
mod filtered_page;
mod folder_counts;
mod folder_reads;
mod folders;
mod idempotency;
mod key;
mod key_checks;
pub mod keys;
mod members;
mod purge;
mod query;
mod rate_counters;
mod read;
mod rendition_counts;
mod retry;
mod signing_keys;
mod space_record;
mod space_resource;
mod spaces;
mod sweep;
mod transaction;
mod upload_configs;
mod webhook_messages;
mod webhook_slots;
mod write;
mod write_error;

pub use change::ChangeError;
pub use delivery_replicas::{InvalidReplicaCount, ReplicaCount};
pub use error::TableError;
pub use file_lists::FileInSpace;
pub use files::NewFileRecords;
pub use folder_reads::{DeliveryRecords, FolderSelection};
pub use folders::FolderRelocation;
pub use idempotency::RESERVATION_LEASE_MS;
pub use key_checks::{AuthenticatedKey, KeyCheck};
pub use members::{FirstUserRecords, JoinedSpace, Membership, User, UserWithKey};
pub use purge::{PurgePage, PurgedFile};
pub use rate_counters::{AnonymousCount, ExhaustedQuota};
pub use signing_keys::{KeyInSpace, SignedTarget};
pub use space_record::WithSpace;
pub use space_resource::{RecordForMember, SpaceResource};
pub use webhook_slots::{HostReaction, WebhookClaim};
pub use write_error::{Reason, WriteError};

use aws_sdk_dynamodb::Client;
use delivery_replicas::ReplicaSelector;
use domain::Env;
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
    /// API keys.
    keys: KeyRecords,
    /// Files.
    files: FileRecords,
    /// Folders.
    folders: FolderRecords,
    /// Users, and the spaces that they are members of.
    members: MemberRecords,
    /// Spaces.
    spaces: SpaceRecords,
    /// Upload configs.
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
    replicas: ReplicaSelector,
}

impl Table {
    /// Creates the client of a table, with the retry policy of requests. `env` provides the time
    /// and the randomness of everything that is written. `replicas` is the number of replicas for
    /// delivery that each space has from its next change on.
    pub fn new(client: Client, name: String, env: Env, replicas: ReplicaCount) -> Table {
        Table {
            client,
            name,
            env,
            retries: RetryPolicy::REQUEST,
            replicas: ReplicaSelector::new(replicas),
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
