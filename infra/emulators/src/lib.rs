//! CallLog-compatible DynamoDB, S3, SQS and Secrets Manager in one process, kept on disk in one data
//! directory.
//!
//! They are what the functions meet on one machine in place of AWS: the production clients call
//! them over loopback, with access keys whose permissions are a function's own. Each service stands
//! behind a proxy that checks these, keeps a log of the calls, and misbehaves as AWS may where a
//! test plans it, or lets a seed draw it.
//!
//! - DynamoDB is dynoxide; items expire by the injected clock. A transaction's token holds for ten
//!   minutes of the system's time, and is forgotten when the process ends.
//! - S3 is s3s over a store of our own, whose signatures it verifies.
//! - SQS is our own: standard queues.
//! - Secrets Manager is our own: values that are generated once, and read.
//!
//! Signatures are verified for S3 alone: who can reach loopback can read the data directory as
//! well.
//!
//! Invariant: what was acknowledged is found again after a restart, also after the process was
//! killed.

mod anomaly;
mod arn;
mod clock;
mod directory;
mod dynamodb;
mod error;
mod principals;
mod proxy;
mod random;
mod s3;
mod secrets;
mod server;
mod sqs;

use std::{net::TcpListener as StdTcpListener, path::PathBuf, sync::Arc};

use template::Stack;
use tokio::{net::TcpListener, sync::watch, task::JoinSet};

use directory::Directory;
use dynamodb::{DynamoDb, Tables};
use proxy::{Proxy, ProxyState};
use s3::S3Store;
use secrets::Secrets;
use server::{Stopping, serve};
use sqs::Sqs;

pub use arn::{ACCOUNT_ID, REGION};
pub use clock::{Clock, ManualClock, SystemClock};
pub use directory::Existing;
pub use error::{ProvisionError, StartError};
pub use principals::Principal;
pub use proxy::{Call, CallLog, Chaos, Faults, Hold, InjectedError, Service};
pub use sqs::MessageCounts;

/// Milliseconds between two sweeps of what has expired.
const SWEEP_INTERVAL_MS: i64 = 60_000;

/// What the emulators start with.
pub struct Options {
    /// Where everything is kept; made where it is missing.
    pub data_dir: PathBuf,
    /// What becomes of what is there from earlier runs.
    pub existing: Existing,
    /// Drives expiry, visibility, delays, retention and lifecycles.
    pub clock: Arc<dyn Clock>,
    /// Where S3 listens, bound by the caller on loopback: presigned addresses name it.
    pub s3_listener: StdTcpListener,
}

/// The running services. Dropped without [`Emulators::stop`], they are cut off.
pub struct Emulators {
    dynamodb: DynamoDb,
    stores: Stores,
    proxy_state: ProxyState,
    dynamodb_url: String,
    s3_url: String,
    sqs_url: String,
    secrets_manager_url: String,
    servers: JoinSet<()>,
    /// Stops everything when it is dropped.
    stop: watch::Sender<()>,
    _directory: Directory,
}

/// Where each service keeps what it has.
#[derive(Clone)]
struct Stores {
    tables: Tables,
    s3: S3Store,
    sqs: Sqs,
    secrets: Secrets,
}

impl Emulators {
    /// Opens the stores, or makes them, and listens: all but S3 on free ports of loopback.
    pub async fn start(options: Options) -> Result<Emulators, StartError> {
        let Options {
            data_dir,
            existing,
            clock,
            s3_listener,
        } = options;
        s3_listener
            .set_nonblocking(true)
            .map_err(StartError::Listen)?;
        let s3_listener = TcpListener::from_std(s3_listener).map_err(StartError::Listen)?;
        let dynamodb_listener = server::bind().map_err(StartError::Listen)?;
        let sqs_listener = server::bind().map_err(StartError::Listen)?;
        let secrets_listener = server::bind().map_err(StartError::Listen)?;
        let secrets_manager_url = url(&secrets_listener)?;
        let (dynamodb_url, s3_url, sqs_url) = (
            url(&dynamodb_listener)?,
            url(&s3_listener)?,
            url(&sqs_listener)?,
        );

        let (stop, stopping) = watch::channel(());
        let opening = (sqs_url.clone(), Arc::clone(&clock), stopping.clone());
        let opened = tokio::task::spawn_blocking(move || {
            open(
                Directory::open(&data_dir, existing)?,
                &opening.0,
                &opening.1,
                opening.2,
            )
        });
        let opened = opened.await;
        let (directory, dynamodb, stores) =
            opened.map_err(|error| StartError::Thread(error.into()))??;

        let proxy_state = ProxyState::default();
        let mut servers = JoinSet::new();
        let proxy = Proxy::new(dynamodb.forwarder(), proxy_state.clone());
        servers.spawn(serve(dynamodb_listener, proxy, stopping.clone()));
        let proxy = Proxy::new(
            stores.s3.router(proxy_state.keys.clone()),
            proxy_state.clone(),
        );
        servers.spawn(serve(s3_listener, proxy, stopping.clone()));
        let proxy = Proxy::new(stores.sqs.clone(), proxy_state.clone());
        servers.spawn(serve(sqs_listener, proxy, stopping.clone()));
        let proxy = Proxy::new(stores.secrets.clone(), proxy_state.clone());
        servers.spawn(serve(secrets_listener, proxy, stopping.clone()));
        servers.spawn(sweep(stores.clone(), clock, stopping));
        Ok(Emulators {
            dynamodb,
            stores,
            proxy_state,
            dynamodb_url,
            s3_url,
            sqs_url,
            secrets_manager_url,
            servers,
            stop,
            _directory: directory,
        })
    }

    /// `http://127.0.0.1:PORT`.
    pub fn dynamodb_url(&self) -> &str {
        &self.dynamodb_url
    }

    /// `http://127.0.0.1:PORT`.
    pub fn s3_url(&self) -> &str {
        &self.s3_url
    }

    /// `http://127.0.0.1:PORT`; queues are at `/ACCOUNT_ID/NAME`.
    pub fn sqs_url(&self) -> &str {
        &self.sqs_url
    }

    /// `http://127.0.0.1:PORT`.
    pub fn secrets_manager_url(&self) -> &str {
        &self.secrets_manager_url
    }

    /// Makes the tables, buckets, queues and secrets of a template. Those that exist keep what they
    /// hold and become what the template says; a table whose key on disk is another is an error. A
    /// secret keeps its value whatever it says.
    pub async fn provision(&self, stack: &Stack) -> Result<(), ProvisionError> {
        self.proxy_state.conflicts.know(&stack.tables);
        let (stores, tables) = (self.stores.clone(), stack.tables.clone());
        let (buckets, queues, secrets) = (
            stack.buckets.clone(),
            stack.queues.clone(),
            stack.secrets.clone(),
        );
        let ensure = move || {
            tables
                .iter()
                .try_for_each(|table| stores.tables.ensure(table))?;
            queues
                .iter()
                .try_for_each(|queue| stores.sqs.ensure(queue))?;
            secrets
                .iter()
                .try_for_each(|secret| stores.secrets.ensure(secret))?;
            buckets.iter().try_for_each(|bucket| {
                let ensured = stores.s3.ensure_bucket(bucket);
                let failed = |reason: String| ProvisionError::Bucket {
                    bucket: bucket.name.clone(),
                    reason,
                };
                ensured.map_err(|error| failed(error.to_string()))
            })
        };
        tokio::task::spawn_blocking(ensure)
            .await
            .unwrap_or(Err(ProvisionError::Stopped))
    }

    /// Lets a principal call. One that holds the same access key is replaced.
    pub fn admit(&self, principal: Principal) {
        self.proxy_state.keys.admit(principal);
    }

    /// Counts the messages of a queue, without a call that would be logged. `None` if the store
    /// does not answer.
    pub async fn message_counts(&self, queue: &str) -> Option<MessageCounts> {
        self.stores.sqs.count(queue).await
    }

    /// The log of calls.
    pub fn call_log(&self) -> CallLog {
        self.proxy_state.call_log.clone()
    }

    /// The faults to come.
    pub fn faults(&self) -> Faults {
        self.proxy_state.faults.clone()
    }

    /// random AWS misbehavior, which have not begun.
    pub fn chaos(&self) -> Chaos {
        self.proxy_state.chaos.clone()
    }

    /// Lets every object that S3 stores from now on have the ETag of all others of its length.
    ///
    /// This stands for files with a chosen-prefix collision of MD5, such as the pairs of a picture
    /// and a program in corkami/collisions: an uploader can choose their bytes, and their ETags are
    /// the same.
    pub fn collide_etags(&self) {
        self.stores.s3.collide_etags();
    }

    /// Lets running requests finish, ends long polls, and closes the stores.
    pub async fn stop(mut self) {
        drop(self.stop);
        while self.servers.join_next().await.is_some() {}
        self.dynamodb.stop().await;
    }
}

fn url(listener: &TcpListener) -> Result<String, StartError> {
    listener
        .local_addr()
        .map(|address| format!("http://{address}"))
        .map_err(StartError::Listen)
}

/// Opens everything in the data directory. Blocks.
fn open(
    directory: Directory,
    sqs_url: &str,
    clock: &Arc<dyn Clock>,
    stopping: Stopping,
) -> Result<(Directory, DynamoDb, Stores), StartError> {
    let sqs = Sqs::open(&directory.sqs(), sqs_url, Arc::clone(clock), stopping)?;
    let s3 =
        S3Store::open(&directory.s3(), Arc::clone(clock)).map_err(|error| StartError::Objects {
            reason: error.to_string(),
        })?;
    let secrets = Secrets::open(&directory.secrets(), Arc::clone(clock))?;
    let (dynamodb, database) = DynamoDb::start(&directory.dynamodb())?;
    directory.seal()?;
    Ok((
        directory,
        dynamodb,
        Stores {
            tables: Tables::new(database),
            s3,
            sqs,
            secrets,
        },
    ))
}

/// Removes what has expired, about once a minute of the clock.
async fn sweep(stores: Stores, clock: Arc<dyn Clock>, mut stopping: Stopping) {
    loop {
        stores.s3.sweep().await;
        let (tables, sqs, now_ms) = (stores.tables.clone(), stores.sqs.clone(), clock.now_ms());
        let swept = tokio::task::spawn_blocking(move || {
            if let Err(error) = tables.remove_expired(now_ms) {
                tracing::warn!(%error, "expired items could not be removed");
            }
            if let Err(error) = sqs.remove_expired() {
                tracing::warn!(%error, "messages past their retention could not be removed");
            }
        });
        if let Err(error) = swept.await {
            tracing::warn!(%error, "a sweep was cut off");
        }
        tokio::select! {
            () = clock.sleep_until(now_ms + SWEEP_INTERVAL_MS) => {}
            _ = stopping.changed() => return,
        }
    }
}
