//! HTTP/1.1 server on a loopback listener.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::body::Body;
use http::{Request, Response};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::{GracefulShutdown, Watcher},
};
use runtime::http::Viewer;
use tokio::{
    net::{TcpListener, TcpSocket, TcpStream},
    task::JoinSet,
};

use crate::{
    gateway::Gateway,
    start_error::StartError,
    stopping::{STOP_DEADLINE, Stopping},
};

/// Maximum number of connections that wait to be accepted.
const BACKLOG: u32 = 1024;
/// Maximum duration of receiving the request headers.
const HEADER_DEADLINE: Duration = Duration::from_secs(30);
/// Maximum size of request line and headers, in bytes.
const HEADER_BYTES: usize = 64 << 10;
/// Delay after a connection could not be accepted, for example without free file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Binds a port of the loopback interface. 0 selects a free port.
pub(crate) fn bind(port: u16) -> Result<TcpListener, StartError> {
    let bound = (|| {
        let socket = TcpSocket::new_v4()?;
        // The port can be bound again immediately after the process ends.
        socket.set_reuseaddr(true)?;
        socket.bind(SocketAddr::from(([127, 0, 0, 1], port)))?;
        socket.listen(BACKLOG)
    })();
    bound.map_err(|reason| StartError::Port { port, reason })
}

/// Serves requests until the stack stops. Requests in progress have [`STOP_DEADLINE`] to finish.
pub(crate) async fn serve(listener: TcpListener, gateway: Arc<Gateway>, mut stopping: Stopping) {
    let graceful = GracefulShutdown::new();
    let mut connections = JoinSet::new();

    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    let viewer = Viewer::connected(peer.ip());
                    connections.spawn(serve_connection(stream, viewer, Arc::clone(&gateway), graceful.watcher()));
                }
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            },
            Some(_) = connections.join_next() => {}
            _ = stopping.changed() => break,
        }
    }

    drop(listener);
    // Dropping the set aborts the remaining connections.
    let _ = tokio::time::timeout(STOP_DEADLINE, graceful.shutdown()).await;
}

async fn serve_connection(
    stream: TcpStream,
    viewer: Viewer,
    gateway: Arc<Gateway>,
    watcher: Watcher,
) {
    // Nagle's algorithm would delay every second small response by 40 ms.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(viewer);
        let gateway = Arc::clone(&gateway);
        async move {
            Ok::<Response<Body>, std::convert::Infallible>(
                gateway.respond(request.map(Body::new)).await,
            )
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_DEADLINE)
        .max_header_size(HEADER_BYTES)
        .max_buf_size(HEADER_BYTES)
        .serve_connection(TokioIo::new(stream), service);

    // Errors of a connection concern only its client.
    let _ = watcher.watch(connection).await;
}
