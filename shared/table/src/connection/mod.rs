//! The table, how calls of it are repeated, and the repositories, whose methods other modules
//! define.

pub(crate) mod retry;

use aws_sdk_dynamodb::Client;
use domain::env::Env;
use retry::RetryPolicy;

/// Defines the reads and writes of a kind of record, and the method of [`Table`] that returns them.
/// Their spans are named with the noun, since a log line has only the names.
macro_rules! repositories {
    ($($(#[$doc:meta])* $method:ident: $repository:ident,)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $repository<'a> {
                pub(crate) table: &'a Table,
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
    pub(crate) client: Client,
    pub(crate) name: String,
    pub(crate) env: Env,
    pub(crate) retries: RetryPolicy,
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

    /// Returns the same table with the retry policy of background jobs, which repeat throttled
    /// calls for seconds.
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
