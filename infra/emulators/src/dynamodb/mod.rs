//! DynamoDB: the `dynoxide` engine on its own thread, on a loopback port that only the proxy calls.
//!
//! It has its own thread because SQLite blocks: on the shared runtime, writes would delay the other
//! services.

mod engine_call;
mod expiring_table;
mod expiry;
mod forward;
mod item_cost;
mod item_size;
mod tables;

use std::{net::SocketAddr, path::Path, thread};

use dynoxide::{Database, DynoxideError};
use tokio::sync::oneshot;

use crate::{error::EmulatorStartError, net};

pub(crate) use forward::Forwarder;
pub(crate) use item_cost::{CostedCall, ItemCost};
pub(crate) use tables::Tables;

/// The running engine.
pub(crate) struct DynamoDbEngine {
    address: SocketAddr,
    thread: thread::JoinHandle<()>,
    /// Stops the thread when dropped.
    stop: oneshot::Sender<()>,
}

/// A started engine.
pub(crate) struct StartedEngine {
    pub(crate) engine: DynamoDbEngine,
    pub(crate) database: Database,
}

impl DynamoDbEngine {
    /// Opens or creates the database, and serves it.
    pub(crate) fn start(path: &Path) -> Result<StartedEngine, EmulatorStartError> {
        let database = open(path).map_err(|error| EmulatorStartError::damaged(path, &error))?;
        let listener = net::bind_loopback().map_err(EmulatorStartError::Listen)?;
        let address = listener.local_addr().map_err(EmulatorStartError::Listen)?;
        let listener = listener.into_std().map_err(EmulatorStartError::Listen)?;

        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(EmulatorStartError::Thread)?;
        let (stop, stopping) = oneshot::channel();
        let served = database.clone();
        let serve = move || {
            runtime.block_on(async move {
                // If either fails, the calls of the proxy fail and report it.
                let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
                    return;
                };
                let stopped = async { drop(stopping.await) };
                let _ = dynoxide::server::serve_with_shutdown(listener, served, stopped).await;
            });
        };

        let thread = thread::Builder::new()
            .name("dynamodb".to_owned())
            .spawn(serve)
            .map_err(EmulatorStartError::Thread)?;

        let engine = DynamoDbEngine {
            address,
            thread,
            stop,
        };

        Ok(StartedEngine { engine, database })
    }

    /// Returns a client that forwards requests to the engine, which has these tables.
    pub(crate) fn forwarder(&self, tables: Tables) -> Forwarder {
        Forwarder::to(self.address, tables)
    }

    /// Finishes running requests and closes the database.
    pub(crate) async fn stop(self) {
        drop(self.stop);
        // A thread that panicked has stopped as well.
        let _ = crate::spawn_blocking(|| self.thread.join()).await;
    }
}

/// Opens the database with `synchronous = NORMAL`: acknowledged writes survive a killed process.
fn open(path: &Path) -> Result<Database, DynoxideError> {
    let database = Database::new(&path.to_string_lossy())?;
    // dynoxide has no setting for it. A new database has FULL; leaving the bulk mode sets NORMAL.
    database.enable_bulk_loading()?;
    database.disable_bulk_loading()?;
    Ok(database)
}
