//! DynamoDB: dynoxide on its own thread, behind a loopback port that only the proxy calls.
//!
//! The thread is its own because SQLite's calls block: on the runtime that everything else shares,
//! writers would hold up every other service.

mod expiry;
mod forward;
mod tables;

use std::{net::SocketAddr, path::Path, thread};

use dynoxide::{Database, DynoxideError};
use tokio::sync::oneshot;

use crate::{error::StartError, server};

pub(crate) use forward::Forwarder;
pub(crate) use tables::Tables;

/// The running engine.
pub(crate) struct DynamoDb {
    address: SocketAddr,
    thread: thread::JoinHandle<()>,
    /// Stops the thread when it is dropped.
    stop: oneshot::Sender<()>,
}

impl DynamoDb {
    /// Opens the database, or creates it, and serves it.
    pub(crate) fn start(path: &Path) -> Result<(DynamoDb, Database), StartError> {
        let database = open(path).map_err(|error| StartError::damaged(path, &error))?;
        let listener = server::bind().map_err(StartError::Listen)?;
        let address = listener.local_addr().map_err(StartError::Listen)?;
        let listener = listener.into_std().map_err(StartError::Listen)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(StartError::Thread)?;
        let (stop, stopping) = oneshot::channel();
        let served = database.clone();
        let serve = move || {
            runtime.block_on(async move {
                // Both fail only where the proxy's calls fail too, which then say so.
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
            .map_err(StartError::Thread)?;
        Ok((
            DynamoDb {
                address,
                thread,
                stop,
            },
            database,
        ))
    }

    /// What hands requests to the engine.
    pub(crate) fn forwarder(&self) -> Forwarder {
        Forwarder::to(self.address)
    }

    /// Lets running requests finish and closes the database.
    pub(crate) async fn stop(self) {
        drop(self.stop);
        // A thread that panicked has stopped as well.
        let _ = tokio::task::spawn_blocking(|| self.thread.join()).await;
    }
}

/// Opens the database with `synchronous = NORMAL`, under which what was acknowledged survives a
/// killed process.
fn open(path: &Path) -> Result<Database, DynoxideError> {
    let database = Database::new(&path.to_string_lossy())?;
    // There is no setting for it: leaving the bulk mode restores NORMAL, while a new database has
    // FULL.
    database.enable_bulk_loading()?;
    database.disable_bulk_loading()?;
    Ok(database)
}
