//! Wire-compatible DynamoDB, S3, SQS and Secrets Manager in one process, stored in one data
//! directory.
//!
//! On one machine they replace AWS: the production AWS SDK clients call them over loopback, with
//! access keys that carry the IAM permissions of one function each. A `proxy` in front of each
//! service checks permissions, logs calls and injects faults.
//!
//! - DynamoDB is the `dynoxide` engine. Items expire by the injected clock. The client request
//!   token of a transaction is valid for ten minutes of system time, until the process ends.
//! - S3 is the `s3s` protocol layer, which verifies signatures, over a store of our own.
//! - SQS is our own implementation of standard queues.
//! - Secrets Manager is our own: generated values, read with `GetSecretValue`.
//!
//! Invariant: acknowledged writes survive a restart, even after a kill.

mod anomaly;
mod arn;
mod aws_json;
mod clock;
mod data_directory;
mod dynamodb;
mod error;
mod net;
mod principal;
mod proxy;
mod random;
mod s3;
mod secrets;
mod server;
mod sqs;
mod stores;

use std::{net::TcpListener as StdTcpListener, path::PathBuf, sync::Arc};

use sam_template::ResolvedTemplate;
use tokio::{
    net::TcpListener,
    sync::watch,
    task::{self, JoinHandle, JoinSet},
};

use data_directory::DataDirectory;
use net::ShutdownSignal;
use proxy::{Proxy, ProxyState};
use server::serve;
use stores::{OpenOptions, OpenStores, Stores};

pub use arn::{ACCOUNT_ID, REGION};
pub use clock::{AsyncClock, AsyncSystemClock, ManualClock};
pub use data_directory::ExistingData;
pub use error::{EmulatorStartError, ProvisionError};
pub use principal::{IamPrincipal, Presigner};
pub use proxy::{
    CallLog, CallRecord, Chaos, Faults, Hold, InjectedError, Service, UnitMeter, UsedPermission,
    UsedUnits,
};
pub use sqs::{MessageCounter, MessageCounts};

/// Configuration of the emulators.
pub struct EmulatorOptions {
    /// Data directory, created if it is missing.
    pub data_dir: PathBuf,
    /// How to treat the data of earlier runs.
    pub existing: ExistingData,
    /// Clock for expiry, visibility, delays, retention and lifecycle rules.
    pub clock: Arc<dyn AsyncClock>,
    /// Loopback listener of S3. The caller binds it because presigned URLs contain its port.
    pub s3_listener: StdTcpListener,
}

/// The running services. Dropping them without [`Emulators::stop`] aborts running requests.
pub struct Emulators {
    stores: Stores,
    proxy_state: ProxyState,
    endpoints: Endpoints,
    tasks: JoinSet<()>,
    /// The listener of S3, until it is served.
    s3_listener: Option<TcpListener>,
    /// Signals the shutdown when dropped.
    shutdown: watch::Sender<()>,
    _directory: DataDirectory,
}

impl Emulators {
    /// Opens or creates the stores. Serves all services except S3, on free loopback ports.
    pub async fn start(options: EmulatorOptions) -> Result<Emulators, EmulatorStartError> {
        let EmulatorOptions {
            data_dir,
            existing,
            clock,
            s3_listener,
        } = options;
        let listeners = Listeners::bind(s3_listener).map_err(EmulatorStartError::Listen)?;
        let endpoints = listeners.endpoints().map_err(EmulatorStartError::Listen)?;

        let (shutdown, signal) = watch::channel(());
        let open_options = OpenOptions {
            data_dir,
            existing,
            clock: Arc::clone(&clock),
            shutdown: signal.clone(),
        };
        let OpenStores { directory, stores } = spawn_blocking(|| stores::open(open_options))
            .await
            .map_err(|error| EmulatorStartError::Thread(error.into()))??;

        let proxy_state = ProxyState::default();
        let (mut tasks, s3_listener) = listeners.serve(&stores, &proxy_state, &signal);
        tasks.spawn(stores.clone().sweep_periodically(clock, signal));

        Ok(Emulators {
            stores,
            proxy_state,
            endpoints,
            tasks,
            s3_listener: Some(s3_listener),
            shutdown,
            _directory: directory,
        })
    }

    /// Serves S3. Clients that have connected before wait until then.
    pub fn serve_s3(&mut self) {
        let router = self.stores.s3.router(self.proxy_state.access_keys.clone());
        let proxy = Proxy::new(router, self.proxy_state.clone());
        if let Some(listener) = self.s3_listener.take() {
            self.tasks
                .spawn(serve(listener, proxy, self.shutdown.subscribe()));
        }
    }

    pub fn dynamodb_url(&self) -> &str {
        &self.endpoints.dynamodb
    }

    pub fn s3_url(&self) -> &str {
        &self.endpoints.s3
    }

    /// Returns `http://127.0.0.1:PORT`. Queue URLs append `/ACCOUNT_ID/NAME`.
    pub fn sqs_url(&self) -> &str {
        &self.endpoints.sqs
    }

    pub fn secrets_manager_url(&self) -> &str {
        &self.endpoints.secrets_manager
    }

    /// Creates the tables, buckets, queues and secrets of a template, and updates the settings of
    /// existing ones. Existing data and secret values stay. Fails if the key of a table differs
    /// from the one on disk.
    pub async fn provision(&self, template: &ResolvedTemplate) -> Result<(), ProvisionError> {
        let stores = self.stores.clone();
        let template = template.clone();
        spawn_blocking(move || stores.provision(&template))
            .await
            .unwrap_or(Err(ProvisionError::ShuttingDown))
    }

    /// Creates a secret outside the template, as an operator does, unless one has this name. Blocks
    /// while it is written.
    pub fn ensure_secret(
        &self,
        name: &str,
        create: impl FnOnce() -> Result<String, String>,
    ) -> Result<OperatorSecret, ProvisionError> {
        let value = self.stores.secrets.ensure_value(name, create)?;
        Ok(OperatorSecret {
            arn: arn::secret(name),
            value,
        })
    }

    /// Registers a principal. It replaces a principal with the same access key.
    pub fn register_principal(&self, principal: IamPrincipal) {
        self.proxy_state.access_keys.register(principal);
    }

    /// Counts the messages of a queue without a logged call. `None` if the queue cannot be read.
    pub async fn message_counts(&self, queue: &str) -> Option<MessageCounts> {
        self.stores.sqs.count(queue).await
    }

    /// Returns a counter of messages, which can outlive this reference.
    pub fn message_counter(&self) -> MessageCounter {
        MessageCounter::new(self.stores.sqs.clone())
    }

    /// Returns the log of calls.
    pub fn call_log(&self) -> CallLog {
        self.proxy_state.call_log.clone()
    }

    /// Returns the planned faults.
    pub fn faults(&self) -> Faults {
        self.proxy_state.faults.clone()
    }

    /// Returns the seeded random faults. Disabled at the start.
    pub fn chaos(&self) -> Chaos {
        self.proxy_state.chaos.clone()
    }

    /// Returns the count of the capacity units of DynamoDB. It is off at the start.
    pub fn units(&self) -> UnitMeter {
        self.proxy_state.units.clone()
    }

    /// Gives all objects of one length that S3 stores from now on the same ETag.
    ///
    /// Simulates files with a chosen-prefix collision of MD5, such as the image and executable
    /// pairs of corkami/collisions: an uploader chooses the bytes, and the ETags are equal.
    pub fn collide_etags(&self) {
        self.stores.s3.collide_etags();
    }

    /// Makes S3 reject all bytes, as it does if little of the disk is free.
    pub fn simulate_full_disk(&self) {
        self.stores.s3.simulate_full_disk();
    }

    /// Finishes running requests, ends long polls and closes the stores.
    pub async fn stop(mut self) {
        drop(self.shutdown);
        while self.tasks.join_next().await.is_some() {}
    }
}

/// A secret that the template does not define.
pub struct OperatorSecret {
    pub arn: String,
    pub value: String,
}

/// The listener of each service.
struct Listeners {
    dynamodb: TcpListener,
    s3: TcpListener,
    sqs: TcpListener,
    secrets_manager: TcpListener,
}

/// The base URL of each service.
struct Endpoints {
    dynamodb: String,
    s3: String,
    sqs: String,
    secrets_manager: String,
}

impl Listeners {
    fn bind(s3: StdTcpListener) -> std::io::Result<Listeners> {
        s3.set_nonblocking(true)?;

        Ok(Listeners {
            dynamodb: net::bind_loopback()?,
            s3: TcpListener::from_std(s3)?,
            sqs: net::bind_loopback()?,
            secrets_manager: net::bind_loopback()?,
        })
    }

    fn endpoints(&self) -> std::io::Result<Endpoints> {
        Ok(Endpoints {
            dynamodb: url(&self.dynamodb)?,
            s3: url(&self.s3)?,
            sqs: url(&self.sqs)?,
            secrets_manager: url(&self.secrets_manager)?,
        })
    }

    /// Serves each service but S3 behind its proxy. Returns the listener of S3.
    fn serve(
        self,
        stores: &Stores,
        state: &ProxyState,
        shutdown: &ShutdownSignal,
    ) -> (JoinSet<()>, TcpListener) {
        let dynamodb = Proxy::new(stores.tables.clone(), state.clone());
        let sqs = Proxy::new(stores.sqs.clone(), state.clone());
        let secrets = Proxy::new(stores.secrets.clone(), state.clone());

        let mut tasks = JoinSet::new();
        tasks.spawn(serve(self.dynamodb, dynamodb, shutdown.clone()));
        tasks.spawn(serve(self.sqs, sqs, shutdown.clone()));
        tasks.spawn(serve(self.secrets_manager, secrets, shutdown.clone()));
        (tasks, self.s3)
    }
}

fn url(listener: &TcpListener) -> std::io::Result<String> {
    let address = listener.local_addr()?;
    Ok(format!("http://{address}"))
}

/// Runs work on a thread for blocking work.
#[expect(
    clippy::disallowed_methods,
    reason = "an emulator runs outside of the tasks that call it"
)]
fn spawn_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    task::spawn_blocking(work)
}
