//! Secrets in Secrets Manager.
//!
//! A secret is read when a request first needs it: most requests do not, and a cold start does not
//! wait for it.

use std::sync::Arc;

use aws_sdk_secretsmanager::Client;
use domain::{
    errors::{ServiceError, error_chain},
    signing::MasterSecret,
};
use telemetry::aws_cause;
use tokio::sync::OnceCell;

/// A secret of a function, read and parsed once. Clones share it.
pub struct LazySecret<T>(Arc<SecretCache<T>>);

/// The master secret of a function.
pub type LazyMasterSecret = LazySecret<MasterSecret>;

/// Parses the text of a secret. The error must not contain any part of the text.
pub type ParseSecret<T> = fn(String) -> Result<T, String>;

/// Where a secret is, and how its text is parsed.
pub(crate) struct SecretSource<T> {
    /// The secret's name or ARN.
    pub(crate) id: String,
    /// The secret in error messages: `the master secret`.
    pub(crate) description: &'static str,
    pub(crate) parse: ParseSecret<T>,
}

struct SecretCache<T> {
    client: Client,
    source: SecretSource<T>,
    value: OnceCell<T>,
}

impl<T> Clone for LazySecret<T> {
    fn clone(&self) -> LazySecret<T> {
        LazySecret(Arc::clone(&self.0))
    }
}

impl<T> LazySecret<T> {
    pub(crate) fn new(client: Client, source: SecretSource<T>) -> LazySecret<T> {
        LazySecret(Arc::new(SecretCache {
            client,
            source,
            value: OnceCell::new(),
        }))
    }

    /// Returns the secret. Concurrent requests wait for the same read. Fails with 503 if it cannot
    /// be read, and with 500 if it cannot be parsed; the next request tries again.
    pub async fn get(&self) -> Result<&T, ServiceError> {
        self.0.value.get_or_try_init(|| self.0.read()).await
    }
}

impl<T> SecretCache<T> {
    async fn read(&self) -> Result<T, ServiceError> {
        let response = self
            .client
            .get_secret_value()
            .secret_id(&self.source.id)
            .send()
            .await;
        let unreadable = |reason: String| {
            let description = self.source.description;
            ServiceError::unavailable(format!("{description} cannot be read: {reason}"))
        };
        // `DisplayErrorContext` would include the response, and so the secret.
        let response = response.map_err(|error| unreadable(error_chain(&*aws_cause(error))))?;
        let text = response
            .secret_string
            .ok_or_else(|| unreadable("it is not a string".to_owned()))?;

        (self.source.parse)(text).map_err(|reason| {
            ServiceError::internal(format!("{} is invalid: {reason}", self.source.description))
        })
    }
}

#[cfg(test)]
mod tests {
    use aws_sdk_secretsmanager::config::{BehaviorVersion, Config, Credentials, Region};
    use aws_smithy_http_client::Builder;
    use domain::errors::ErrorKind;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    use super::*;

    /// Reads a secret that accepts no text, from a response with this body. Returns the error.
    async fn error_of(body: &str) -> ServiceError {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let config = Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new("us-east-1"))
            .credentials_provider(Credentials::new("key", "key", None, None, "test"))
            .endpoint_url(format!("http://{}", listener.local_addr().unwrap()))
            .http_client(Builder::new().build_http())
            .build();
        let source = SecretSource {
            id: "secret".to_owned(),
            description: "the private key",
            parse: |_| Err::<(), _>("it is not a key".to_owned()),
        };
        let secret = LazySecret::new(Client::from_conf(config), source);

        let server = async {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let _ = stream.read(&mut [0; 8192]).await.unwrap();
                let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
                let response = format!("{head}{body}");
                stream.write_all(response.as_bytes()).await.unwrap();
            }
        };
        tokio::select! {
            read = secret.get() => read.expect_err("no text is accepted"),
            () = server => unreachable!("the server does not end"),
        }
    }

    #[tokio::test]
    async fn error_does_not_show_a_malformed_response() {
        let text = error_chain(&error_of(r#"{"SecretString": "confidential""#).await);

        assert!(text.contains("the private key cannot be read"), "{text}");
        assert!(!text.contains("confidential"), "{text}");
    }

    #[tokio::test]
    async fn invalid_secret_is_no_temporary_failure() {
        let error = error_of(r#"{"SecretString": "confidential"}"#).await;

        assert_eq!(error.kind, ErrorKind::Internal);
        let text = error_chain(&error);
        assert!(
            text.ends_with("the private key is invalid: it is not a key"),
            "{text}"
        );
        assert!(!text.contains("confidential"), "{text}");
    }
}
