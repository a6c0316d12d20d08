//! The stores of all services: opening them, provisioning resources, and removing expired data.

use std::{path::PathBuf, sync::Arc};

use sam_template::ResolvedTemplate;

use crate::{
    clock::AsyncClock,
    data_directory::{DataDirectory, ExistingData},
    dynamodb::{self, Tables},
    error::{EmulatorStartError, ProvisionError},
    net::ShutdownSignal,
    s3::S3Emulator,
    secrets::SecretsManager,
    sqs::SqsEmulator,
};

/// Interval between two removals of expired data, in milliseconds.
const SWEEP_INTERVAL_MS: i64 = 60_000;

/// The store of each service.
#[derive(Clone)]
pub(crate) struct Stores {
    pub(crate) tables: Tables,
    pub(crate) s3: S3Emulator,
    pub(crate) sqs: SqsEmulator,
    pub(crate) secrets: SecretsManager,
}

pub(crate) struct OpenOptions {
    pub(crate) data_dir: PathBuf,
    pub(crate) existing: ExistingData,
    pub(crate) clock: Arc<dyn AsyncClock>,
    pub(crate) shutdown: ShutdownSignal,
}

/// Everything that [`open`] opened.
pub(crate) struct OpenStores {
    pub(crate) directory: DataDirectory,
    pub(crate) stores: Stores,
}

/// Locks the data directory and opens or creates every store in it. Blocks.
pub(crate) fn open(options: OpenOptions) -> Result<OpenStores, EmulatorStartError> {
    let OpenOptions {
        data_dir,
        existing,
        clock,
        shutdown,
    } = options;
    let directory = DataDirectory::open(&data_dir, existing)?;

    let sqs = SqsEmulator::open(&directory.sqs(), Arc::clone(&clock), shutdown)?;
    let s3 = S3Emulator::open(&directory.s3(), Arc::clone(&clock)).map_err(|error| {
        EmulatorStartError::Objects {
            reason: error.to_string(),
        }
    })?;
    let secrets = SecretsManager::open(&directory.secrets(), clock)?;
    let tables = dynamodb::open(&directory.dynamodb())?;
    directory.mark_complete()?;

    let stores = Stores {
        tables,
        s3,
        sqs,
        secrets,
    };

    Ok(OpenStores { directory, stores })
}

impl Stores {
    /// Creates or updates the resources of a template. Blocks.
    pub(crate) fn provision(&self, template: &ResolvedTemplate) -> Result<(), ProvisionError> {
        for table in &template.tables {
            self.tables.ensure(table)?;
        }

        for queue in &template.queues {
            self.sqs.ensure(queue);
        }

        for secret in &template.secrets {
            self.secrets.ensure(secret)?;
        }

        for bucket in &template.buckets {
            self.s3.ensure_bucket(bucket);
        }

        Ok(())
    }

    /// Removes expired data once a minute of the clock, until the shutdown.
    pub(crate) async fn sweep_periodically(
        self,
        clock: Arc<dyn AsyncClock>,
        mut shutdown: ShutdownSignal,
    ) {
        loop {
            self.s3.sweep().await;
            let now_ms = clock.now_ms();
            let stores = self.clone();
            let swept = crate::spawn_blocking(move || stores.sweep_databases(now_ms));
            if let Err(error) = swept.await {
                tracing::warn!(%error, "the removal of expired data was aborted");
            }

            tokio::select! {
                () = clock.sleep_until(now_ms + SWEEP_INTERVAL_MS) => {}
                _ = shutdown.changed() => return,
            }
        }
    }

    fn sweep_databases(&self, now_ms: i64) {
        if let Err(error) = self.tables.remove_expired(now_ms) {
            tracing::warn!(%error, "expired items could not be removed");
        }
        if let Err(error) = self.sqs.remove_expired() {
            tracing::warn!(%error, "messages past their retention could not be removed");
        }
    }
}
