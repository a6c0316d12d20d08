//! Loopback listeners, and the signal that stops their servers.

use std::net::SocketAddr;

use tokio::{
    net::{TcpListener, TcpSocket},
    sync::watch,
};

/// Maximum number of connections that wait to be accepted.
const BACKLOG: u32 = 1024;

/// Resolves once the sender is dropped.
pub(crate) type ShutdownSignal = watch::Receiver<()>;

/// Binds a free loopback port.
pub(crate) fn bind_loopback() -> std::io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    // Accepted connections inherit it. Without it, Nagle's algorithm delays every second small
    // response by 40 ms.
    socket.set_nodelay(true)?;
    socket.bind(SocketAddr::from(([127, 0, 0, 1], 0)))?;
    socket.listen(BACKLOG)
}
