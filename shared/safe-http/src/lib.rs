//! HTTP client for the URLs of callers: watermark images and webhooks.
//!
//! Protects the network of the service from its callers (server-side request forgery).
//!
//! Invariants:
//! - Only public hosts are called, with `https`. With [`UrlPolicy::AllowLoopback`], also
//!   `http://127.0.0.1` and `http://localhost`.
//! - The name of the host is resolved for every request. If any of its addresses is not allowed,
//!   no connection is opened.
//! - The connection goes to an address that was checked: nothing resolves the name again. TLS
//!   verifies the certificate for the name of the URL.
//! - Redirects are not followed, proxies are not used, and connections are not reused.
//! - Time, headers and bodies have limits. A response is never decompressed.
//! - No task runs after a call returns, as Lambda requires. The resolver of the system is the
//!   exception: it cannot be interrupted, and a thread of the runtime waits for it.
//!
//! # Choice of the HTTP client
//!
//! The crate combines `hyper::client::conn` with `rustls` and `ring`, and the root certificates of
//! the system: the packages, features and roots of the AWS clients, so nothing is compiled twice.
//! `reqwest` would add its own layer, and follows redirects, decompresses and reads proxy settings
//! unless each is turned off. The pooled client of `hyper-util` spawns tasks, and opens
//! connections through a connector that receives a name, which a checked address does not fit.
//!
//! # Tests
//!
//! [`Network`] is the only access to resolver and sockets. A test passes its own with
//! [`Outbound::with_network`], and can fail, delay or replace each step without a socket.

mod connection;
mod destination;
mod error;
mod exchange;
mod network;
mod response;
mod tls;

pub use error::OutboundError;
pub use network::{Network, Stream, SystemNetwork};
pub use response::{Fetched, Posted, RetryAfter};

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use domain::naming::{PublicHttpsUrl, UrlPolicy};
use http::{
    HeaderMap, HeaderValue, Method, Request,
    header::{ACCEPT, CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING, USER_AGENT},
};
use http_body_util::Full;
use rustls::RootCertStore;
use tokio::time::{sleep, timeout, timeout_at};

use crate::{
    connection::connect, destination::Destination, exchange::Exchange, response::reject_encoded,
    tls::Tls,
};

const AGENT: &str = concat!("Larder/", env!("CARGO_PKG_VERSION"));
/// Default time to connect to one address, including the TLS handshake.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// Settings of an [`Outbound`].
#[derive(Clone, Copy, Debug)]
pub struct OutboundSettings {
    /// Which hosts may be called. URLs that were accepted under another policy are checked again.
    pub url_policy: UrlPolicy,
    /// Maximum time to connect to one address, including the TLS handshake. At most
    /// three addresses of a host are tried.
    pub connect_timeout: Duration,
}

impl Default for OutboundSettings {
    fn default() -> OutboundSettings {
        OutboundSettings {
            url_policy: UrlPolicy::PublicOnly,
            connect_timeout: CONNECT_TIMEOUT,
        }
    }
}

/// Limits of one request.
#[derive(Clone, Copy, Debug)]
pub struct FetchLimits {
    /// Maximum time from the resolution of the name to the last byte of the body.
    pub deadline: Duration,
    /// Maximum size of the body of the response, in bytes.
    pub max_body_bytes: usize,
}

/// Headers and body of a `POST`.
#[derive(Clone, Debug, Default)]
pub struct PostRequest {
    /// Headers, with `Content-Type`. `Host`, `Connection`, `Content-Length`, `Transfer-Encoding`
    /// and `User-Agent` are replaced.
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// The client. Clones share the root certificates.
#[derive(Clone)]
pub struct Outbound {
    settings: OutboundSettings,
    network: Arc<dyn Network>,
    tls: Arc<Tls>,
}

impl Outbound {
    /// Creates a client of the system's network, resolver and root certificates. The certificates
    /// are loaded for the first `https` request.
    pub fn new(settings: OutboundSettings) -> Outbound {
        Outbound {
            settings,
            network: Arc::new(SystemNetwork),
            tls: Arc::new(Tls::default()),
        }
    }

    /// Replaces resolver and sockets. The checks of addresses still apply.
    #[must_use]
    pub fn with_network(self, network: Arc<dyn Network>) -> Outbound {
        Outbound { network, ..self }
    }

    /// Replaces the root certificates.
    #[must_use]
    pub fn with_roots(self, roots: RootCertStore) -> Outbound {
        Outbound {
            tls: Arc::new(Tls::with_roots(roots)),
            ..self
        }
    }

    /// Returns the complete response of a `GET`, with any status but 3xx.
    ///
    /// Fails if the URL or an address of its host is not allowed, if the host cannot be reached,
    /// if the response is a redirect or encoded, or if it exceeds `limits`.
    pub async fn get(
        &self,
        url: &PublicHttpsUrl,
        limits: FetchLimits,
    ) -> Result<Fetched, OutboundError> {
        let request = PostRequest {
            headers: HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static("*/*"))]),
            body: Bytes::new(),
        };

        let run = async {
            let mut exchange = self.send(Method::GET, url, request).await?;
            reject_encoded(exchange.headers())?;

            let body = exchange.read_body(limits.max_body_bytes).await?;
            Ok(Fetched::new(exchange.status(), exchange.headers(), body))
        };
        timeout(limits.deadline, run)
            .await
            .unwrap_or(Err(OutboundError::DeadlineExceeded(limits.deadline)))
    }

    /// Sends a `POST` and returns the response with any status but 3xx.
    ///
    /// Of the body of the response, at most `limits.max_body_bytes` are read. A body that is
    /// larger, incomplete or late is not an error: the status decides.
    /// Fails as [`Outbound::get`] does, except that the response may be encoded.
    pub async fn post(
        &self,
        url: &PublicHttpsUrl,
        request: PostRequest,
        limits: FetchLimits,
    ) -> Result<Posted, OutboundError> {
        // Unlike an addition, this cannot overflow.
        let deadline = sleep(limits.deadline).deadline();

        let mut exchange = timeout_at(deadline, self.send(Method::POST, url, request))
            .await
            .unwrap_or(Err(OutboundError::DeadlineExceeded(limits.deadline)))?;

        let start = exchange.read_start(limits.max_body_bytes, deadline).await;
        Ok(Posted::new(exchange.status(), exchange.headers(), start))
    }

    /// Connects, sends the request and reads the head of the response. Rejects redirects.
    async fn send(
        &self,
        method: Method,
        url: &PublicHttpsUrl,
        request: PostRequest,
    ) -> Result<Exchange, OutboundError> {
        let destination = Destination::parse(url, self.settings.url_policy)?;
        let stream = connect(
            &*self.network,
            &self.tls,
            &destination,
            self.settings.connect_timeout,
        )
        .await?;

        let mut headers = request.headers;
        headers.remove(TRANSFER_ENCODING);
        headers.remove(CONTENT_LENGTH);
        headers.insert(HOST, destination.authority);
        headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
        headers.insert(CONNECTION, HeaderValue::from_static("close"));

        let mut message = Request::new(Full::new(request.body));
        *message.method_mut() = method;
        *message.uri_mut() = destination.target;
        *message.headers_mut() = headers;

        let exchange = Exchange::start(stream, message).await?;
        let status = exchange.status();
        if status.is_redirection() {
            return Err(OutboundError::Redirect(status));
        }
        Ok(exchange)
    }
}
