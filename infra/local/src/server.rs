//! HTTP/1.1 on one loopback listener.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::body::Body;
use http::{Request, Response};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::{GracefulShutdown, Watcher},
};
use runtime::Viewer;
use tokio::{
    net::{TcpListener, TcpSocket, TcpStream},
    sync::watch,
    task::JoinSet,
};

use crate::{StartError, gateway::Gateway};

/// Connections that wait to be accepted.
const BACKLOG: u32 = 1024;
/// How long a client may take for its headers.
const HEADER_DEADLINE: Duration = Duration::from_secs(30);
/// Bytes of a request's line and headers beyond which it is refused.
const HEADER_BYTES: usize = 64 << 10;
/// How long requests and batches may go on once the stack stops.
pub(crate) const STOP_DEADLINE: Duration = Duration::from_secs(5);
/// How long to wait after a connection could not be accepted, for want of file descriptors for
/// instance.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Resolves once the sender has been dropped.
pub(crate) type Stopping = watch::Receiver<()>;

/// Binds a port of loopback; 0 takes a free one.
pub(crate) fn bind(port: u16) -> Result<TcpListener, StartError> {
    let bound = (|| {
        let socket = TcpSocket::new_v4()?;
        // Its port is free again as soon as the process has ended.
        socket.set_reuseaddr(true)?;
        socket.bind(SocketAddr::from(([127, 0, 0, 1], port)))?;
        socket.listen(BACKLOG)
    })();
    bound.map_err(|reason| StartError::Port { port, reason })
}

/// Serves until the stack stops, then lets running requests finish.
pub(crate) async fn serve(listener: TcpListener, gateway: Arc<Gateway>, mut stopping: Stopping) {
    let graceful = GracefulShutdown::new();
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    let viewer = Viewer::connected(peer.ip());
                    connections.spawn(converse(stream, viewer, Arc::clone(&gateway), graceful.watcher()));
                }
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            },
            Some(_) = connections.join_next() => {}
            _ = stopping.changed() => break,
        }
    }
    drop(listener);
    // What is not done by then is cut off with the set of connections.
    let _ = tokio::time::timeout(STOP_DEADLINE, graceful.shutdown()).await;
}

async fn converse(stream: TcpStream, viewer: Viewer, gateway: Arc<Gateway>, watcher: Watcher) {
    // Without it, Nagle's algorithm delays every second small answer by 40 ms.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(viewer);
        let gateway = Arc::clone(&gateway);
        async move {
            Ok::<Response<Body>, std::convert::Infallible>(
                gateway.answer(request.map(Body::new)).await,
            )
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_DEADLINE)
        .max_header_size(HEADER_BYTES)
        .max_buf_size(HEADER_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    // How a connection ends is its client's affair.
    let _ = watcher.watch(connection).await;
}
