//! The resolver and the sockets.

use std::{
    io,
    net::{IpAddr, SocketAddr},
};

use async_trait::async_trait;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpStream, lookup_host},
};

/// A connection in both directions.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// Access to the network. Implementations need no checks: the client checks every address between
/// the two methods.
#[async_trait]
pub trait Network: Send + Sync {
    /// Returns all addresses of a host name, the preferred one first.
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>>;

    /// Opens a TCP connection to exactly this address.
    async fn connect(&self, address: SocketAddr) -> io::Result<Box<dyn Stream>>;
}

/// The resolver and the sockets of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemNetwork;

#[async_trait]
impl Network for SystemNetwork {
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let addresses = lookup_host((host, 0)).await?;
        Ok(addresses.map(|address| address.ip()).collect())
    }

    async fn connect(&self, address: SocketAddr) -> io::Result<Box<dyn Stream>> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Box::new(stream))
    }
}
