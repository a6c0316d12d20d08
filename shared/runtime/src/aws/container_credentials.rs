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
    context::{FunctionContext, Settings},
};

/// Variables of which one has the endpoint ("Container credential provider" in the AWS SDKs and
/// Tools Reference Guide).
const ENDPOINT_VARIABLES: [&str; 2] = [
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
];
/// Time limit of a request to the endpoint, with its retries. It is shorter than an attempt of the
/// AWS call that waits for the credentials, so that the call can still be signed with the cached
/// ones.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(1);

/// The endpoint that a container reads its credentials from.
#[derive(Debug)]
struct ContainerCredentials(EcsCredentialsProvider);

/// Returns the credentials of the container that the process runs in. `None` if its variables have
/// an access key, or no endpoint.
pub(crate) fn container_credentials(
    context: &FunctionContext,
) -> Option<SharedCredentialsProvider> {
    let settings = Settings::of(context);
    let is_set = |name: &&str| settings.optional(name).is_some();
    if is_set(&"AWS_ACCESS_KEY_ID") || !ENDPOINT_VARIABLES.iter().any(is_set) {
        return None;
    }

    let client = aws_smithy_http_client::Builder::new().build_http();
    let config = ProviderConfig::without_region().with_http_client(client);
    let provider = EcsCredentialsProvider::builder().configure(&config).build();
    let cache = CredentialsCache::new(ContainerCredentials(provider), context.env.clone());
    Some(SharedCredentialsProvider::new(cache))
}

impl CredentialsSource for ContainerCredentials {
    const VALIDITY: Validity = Validity {
        refreshed_below: Duration::from_hours(1),
        usable_above: Duration::ZERO,
    };

    async fn request(&self) -> Result<Credentials, CredentialsError> {
        tokio::time::timeout(REQUEST_TIMEOUT, self.0.provide_credentials())
            .await
            .map_err(|_| CredentialsError::provider_timed_out(REQUEST_TIMEOUT))?
    }
}
