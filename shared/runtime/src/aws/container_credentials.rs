//! Credentials from the container credentials endpoint of ECS or EKS.
//!
//! The provider of the SDK reads the variables with the endpoint and its token from the environment
//! of the process, not from those of the function: in a container they are the same.

use std::time::Duration;

use aws_config::{ecs::EcsCredentialsProvider, provider_config::ProviderConfig};
use aws_credential_types::{
    Credentials,
    provider::{ProvideCredentials as _, SharedCredentialsProvider, error::CredentialsError},
};

use crate::{
    aws::credentials_cache::{CredentialsCache, CredentialsSource, Validity},
    context::Settings,
};

/// Variable with the path of the endpoint in ECS ("Container credential provider" in the AWS SDKs
/// and Tools Reference Guide).
const RELATIVE_URI: &str = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI";
/// Variable with the URL of the endpoint elsewhere.
const FULL_URI: &str = "AWS_CONTAINER_CREDENTIALS_FULL_URI";
/// Time limit of a request to the endpoint, with its retries. It is shorter than an attempt of the
/// AWS call that waits for the credentials, so that the call can still be signed with the cached
/// ones.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(1);

/// The endpoint that a container reads its credentials from.
#[derive(Debug)]
struct ContainerCredentials(ProviderConfig);

/// Returns the credentials of the container that the process runs in. `None` if its variables have
/// an access key, or no endpoint.
pub(crate) fn container_credentials(settings: &mut Settings) -> Option<SharedCredentialsProvider> {
    if settings.optional("AWS_ACCESS_KEY_ID").is_some() {
        return None;
    }
    if settings.optional(RELATIVE_URI).is_none() {
        // The client has no TLS.
        let url = settings.optional(FULL_URI)?;
        if !url.starts_with("http://") {
            settings.error(format!("{FULL_URI} is not an http:// URL"));
        }
    }

    let client = aws_smithy_http_client::Builder::new().build_http();
    let config = ProviderConfig::without_region().with_http_client(client);
    let cache = CredentialsCache::new(ContainerCredentials(config), settings.env().clone());
    Some(SharedCredentialsProvider::new(cache))
}

impl CredentialsSource for ContainerCredentials {
    const VALIDITY: Validity = Validity {
        refreshed_below: Duration::from_hours(1),
        usable_above: Duration::ZERO,
    };

    /// Creates a provider for each request: it would keep the failure to resolve a host name.
    async fn request(&self) -> Result<Credentials, CredentialsError> {
        let provider = EcsCredentialsProvider::builder().configure(&self.0).build();
        in_time(provider.provide_credentials()).await
    }
}

async fn in_time(
    request: impl Future<Output = Result<Credentials, CredentialsError>>,
) -> Result<Credentials, CredentialsError> {
    tokio::time::timeout(REQUEST_TIMEOUT, request)
        .await
        .map_err(|_| CredentialsError::provider_timed_out(REQUEST_TIMEOUT))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn endpoint_that_does_not_respond_fails_after_its_time_limit() {
        let started = tokio::time::Instant::now();
        in_time(std::future::pending()).await.unwrap_err();
        assert_eq!(started.elapsed().as_secs(), REQUEST_TIMEOUT.as_secs());
    }
}
