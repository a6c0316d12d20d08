//! Connections to AWS, which the clients of a function share.

mod reconnection;

use std::time::Duration;

use aws_smithy_http_client::{
    Connector, ConnectorBuilder,
    tls::{Provider, TlsContext, TrustStore, rustls_provider::CryptoMode},
};
use aws_smithy_runtime_api::client::http::{HttpConnectorSettings, SharedHttpConnector};
use domain::env::Env;

pub(crate) use reconnection::Connections;

/// Time limit to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// Connections of one function, created together with its first client.
#[derive(Default)]
pub(crate) struct HttpClients {
    plain: Option<Connections>,
    tls: Option<Connections>,
}

impl HttpClients {
    /// Returns the connections for an endpoint, or for the AWS endpoints if it is `None`.
    pub(crate) fn connections(
        &mut self,
        endpoint: Option<&str>,
        env: &Env,
        trust_store: TrustStore,
    ) -> &Connections {
        if endpoint.is_some_and(|url| url.starts_with("http://")) {
            let create = || SharedHttpConnector::new(connector().build_http());
            return self
                .plain
                .get_or_insert_with(|| Connections::new(env, create));
        }

        self.tls.get_or_insert_with(|| {
            Connections::new(env, move || {
                let context = TlsContext::builder().with_trust_store(trust_store.clone());
                let connector = connector()
                    .tls_provider(Provider::Rustls(CryptoMode::Ring))
                    .tls_context(context.build().expect("a context has no failure"));
                SharedHttpConnector::new(connector.build())
            })
        })
    }
}

fn connector() -> ConnectorBuilder {
    let settings = HttpConnectorSettings::builder().connect_timeout(CONNECT_TIMEOUT);
    Connector::builder().connector_settings(settings.build())
}
