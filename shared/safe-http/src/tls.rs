//! TLS with the root certificates of the system.

use std::{
    io,
    sync::{Arc, OnceLock},
};

use rustls::{ClientConfig, RootCertStore, crypto::ring::default_provider, pki_types::ServerName};
use tokio_rustls::TlsConnector;

use crate::{OutboundError, Stream};

/// The only protocol that is offered.
const HTTP_1_1: &[u8] = b"http/1.1";

/// A TLS client, configured when it is first used.
#[derive(Default)]
pub(crate) struct Tls {
    /// Roots of a test. `None` for those of the system.
    roots: Option<RootCertStore>,
    connector: OnceLock<TlsConnector>,
}

impl Tls {
    /// Creates a client that trusts these roots only.
    pub(crate) fn with_roots(roots: RootCertStore) -> Tls {
        Tls {
            roots: Some(roots),
            connector: OnceLock::new(),
        }
    }

    /// Starts TLS and verifies the certificate for this name.
    pub(crate) async fn handshake(
        &self,
        stream: Box<dyn Stream>,
        name: ServerName<'static>,
    ) -> Result<Box<dyn Stream>, OutboundError> {
        let connector = self.connector()?;
        let stream = connector.connect(name, stream).await.map_err(from_io)?;
        Ok(Box::new(stream))
    }

    fn connector(&self) -> Result<&TlsConnector, OutboundError> {
        if let Some(connector) = self.connector.get() {
            return Ok(connector);
        }

        let roots = self.roots.clone().unwrap_or_else(system_roots);
        if roots.is_empty() {
            return Err(OutboundError::NoRootCertificates);
        }
        let connector = create_connector(roots)?;
        Ok(self.connector.get_or_init(|| connector))
    }
}

fn create_connector(roots: RootCertStore) -> Result<TlsConnector, OutboundError> {
    let mut config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| OutboundError::Handshake(io::Error::other(error)))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![HTTP_1_1.to_vec()];
    Ok(TlsConnector::from(Arc::new(config)))
}

/// Loads the certificates that the AWS clients use too, and ignores what cannot be parsed.
fn system_roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots
}

fn from_io(error: io::Error) -> OutboundError {
    let cause = error
        .get_ref()
        .and_then(|cause| cause.downcast_ref::<rustls::Error>());
    match cause {
        Some(rustls::Error::InvalidCertificate(_)) => OutboundError::InvalidCertificate(error),
        _ => OutboundError::Handshake(error),
    }
}
