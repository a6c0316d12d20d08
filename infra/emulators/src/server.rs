//! HTTP/1.1 on one loopback listener, in front of one proxy.
//!
//! Written on hyper because a lost answer has to break its connection: a handler under axum always
//! answers.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::body::Body;
use http::Request;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    rt::TokioIo,
    server::graceful::{GracefulShutdown, Watcher},
};
use tokio::{
    net::{TcpListener, TcpSocket, TcpStream},
    sync::watch,
    task::JoinSet,
};

use crate::proxy::{Backend, Proxy};

/// Connections that wait to be accepted.
const BACKLOG: u32 = 1024;

/// How long requests may go on once the emulators stop.
const STOP_DEADLINE: Duration = Duration::from_secs(5);

/// How long to wait after a connection could not be accepted, for want of file descriptors for
/// instance.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Resolves once the sender has been dropped.
pub(crate) type Stopping = watch::Receiver<()>;

/// Binds a free port on loopback.
pub(crate) fn bind() -> std::io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    // Accepted connections inherit it: without it, Nagle's algorithm delays every second small
    // answer by 40 ms.
    socket.set_nodelay(true)?;
    socket.bind(SocketAddr::from(([127, 0, 0, 1], 0)))?;
    socket.listen(BACKLOG)
}

/// Serves until the emulators stop, then lets running requests finish.
pub(crate) async fn serve<B: Backend>(
    listener: TcpListener,
    proxy: Proxy<B>,
    mut stopping: Stopping,
) {
    let proxy = Arc::new(proxy);
    let graceful = GracefulShutdown::new();
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(converse(stream, Arc::clone(&proxy), graceful.watcher()));
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

async fn converse<B: Backend>(stream: TcpStream, proxy: Arc<Proxy<B>>, watcher: Watcher) {
    // The caller's listener may not have it; a connection that refuses it is about to end.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request: Request<Incoming>| {
        let proxy = Arc::clone(&proxy);
        async move { proxy.answer(request.map(Body::new)).await }
    });
    let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    // How a connection ends is its client's affair, or was planned.
    let _ = watcher.watch(connection).await;
}
