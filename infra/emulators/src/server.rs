//! HTTP/1.1 server on one loopback listener, in front of one proxy.
//!
//! Uses hyper directly: a lost response has to close the connection without a status line, and an
//! axum handler always responds.

use std::{sync::Arc, time::Duration};

use axum::body::Body;
use http::Request;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    rt::TokioIo,
    server::graceful::{GracefulShutdown, Watcher},
};
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

use crate::{
    net::ShutdownSignal,
    proxy::{Backend, Proxy},
};

/// Time that running requests have to finish after the shutdown begins.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Pause after a failed `accept`, for example because the process is out of file descriptors.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// Serves until the shutdown, then waits for running requests.
pub(crate) async fn serve<B: Backend>(
    listener: TcpListener,
    proxy: Proxy<B>,
    mut shutdown: ShutdownSignal,
) {
    let proxy = Arc::new(proxy);
    let graceful = GracefulShutdown::new();
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let connection =
                        serve_connection(stream, Arc::clone(&proxy), graceful.watcher());
                    connections.spawn(connection);
                }
                Err(_) => tokio::time::sleep(ACCEPT_RETRY_DELAY).await,
            },
            Some(_) = connections.join_next() => {}
            _ = shutdown.changed() => break,
        }
    }

    drop(listener);

    // Dropping `connections` aborts the requests that exceed the timeout.
    let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, graceful.shutdown()).await;
}

async fn serve_connection<B: Backend>(stream: TcpStream, proxy: Arc<Proxy<B>>, watcher: Watcher) {
    // The listener of S3 is bound by the caller, perhaps without this option. If it cannot be set,
    // the connection is already closing.
    let _ = stream.set_nodelay(true);

    let service = service_fn(move |request: Request<Incoming>| {
        let proxy = Arc::clone(&proxy);
        async move { proxy.handle(request.map(Body::new)).await }
    });
    let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    // An error means that the client disconnected or that an injected fault closed the connection.
    let _ = watcher.watch(connection).await;
}
