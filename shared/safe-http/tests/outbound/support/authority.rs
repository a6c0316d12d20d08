//! The certificate authority of the tests.

use std::sync::{Arc, LazyLock};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::{
    RootCertStore, ServerConfig,
    crypto::ring::default_provider,
    pki_types::{CertificateDer, PrivateKeyDer},
};
use tokio_rustls::TlsAcceptor;

static AUTHORITY: LazyLock<Authority> = LazyLock::new(Authority::create);

/// Returns the authority that all tests share.
pub(crate) fn authority() -> &'static Authority {
    &AUTHORITY
}

pub(crate) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

impl Authority {
    /// Creates an authority with a new key.
    pub(crate) fn create() -> Authority {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let issuer = CertifiedIssuer::self_signed(params, key).expect("a certificate");
        Authority { issuer }
    }

    /// Returns a store that trusts this authority only.
    pub(crate) fn roots(&self) -> RootCertStore {
        let mut roots = RootCertStore::empty();
        roots.add(self.issuer.der().clone()).expect("a root");
        roots
    }

    /// Returns a TLS server whose certificate has these names or addresses.
    pub(crate) fn server(&self, names: &[&str]) -> TlsAcceptor {
        self.sign(&CertificateParams::new(owned(names)).expect("names"))
    }

    /// Returns a TLS server whose certificate expired in 2001.
    pub(crate) fn expired_server(&self, names: &[&str]) -> TlsAcceptor {
        let mut params = CertificateParams::new(owned(names)).expect("names");
        params.not_before = rcgen::date_time_ymd(2000, 1, 1);
        params.not_after = rcgen::date_time_ymd(2001, 1, 1);
        self.sign(&params)
    }

    fn sign(&self, params: &CertificateParams) -> TlsAcceptor {
        let key = KeyPair::generate().expect("a key");
        let certificate: CertificateDer<'static> = params
            .signed_by(&key, &self.issuer)
            .expect("a certificate")
            .into();
        let key = PrivateKeyDer::try_from(key.serialize_der()).expect("a key");

        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .expect("protocol versions")
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .expect("a configuration");
        TlsAcceptor::from(Arc::new(config))
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}
