//! The master secret, read when a request first needs it: most requests need none, and a cold start does not wait for it.

use std::sync::Arc;

use aws_sdk_secretsmanager::{Client, error::DisplayErrorContext};
use domain::{Fault, MasterSecret};
use tokio::sync::OnceCell;

/// The master secret of a function. Clones share it.
#[derive(Clone)]
pub struct LazyMasterSecret(Arc<Inner>);

struct Inner {
    client: Client,
    /// The secret's name or ARN.
    id: String,
    secret: OnceCell<MasterSecret>,
}

impl LazyMasterSecret {
    pub(crate) fn new(client: Client, id: String) -> LazyMasterSecret {
        LazyMasterSecret(Arc::new(Inner { client, id, secret: OnceCell::new() }))
    }

    /// Returns the secret. Requests that need it at the same time wait for one read. Fails as unavailable if it cannot be
    /// read; the next request tries again.
    pub async fn get(&self) -> Result<&MasterSecret, Fault> {
        self.0.secret.get_or_try_init(|| self.0.read()).await
    }
}

impl Inner {
    async fn read(&self) -> Result<MasterSecret, Fault> {
        let response = self.client.get_secret_value().secret_id(&self.id).send().await;
        let unreadable = |reason: String| Fault::unavailable(format!("the master secret cannot be read: {reason}"));
        let response = response.map_err(|error| unreadable(DisplayErrorContext(error).to_string()))?;
        let text = response.secret_string.ok_or_else(|| unreadable("it is not a text".to_owned()))?;
        Ok(MasterSecret::new(text))
    }
}
