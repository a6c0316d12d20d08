//! Credentials that a function signs its AWS calls with.
//!
//! They come from the function's variables: either the credentials themselves, as in Lambda, or the
//! URL of the container credentials endpoint. The SDK's default chain reads the process environment
//! instead, and links the SDKs of the services that it calls.
//!
//! Invariant: all clients of a function share one provider, and only it caches credentials.

use aws_credential_types::{Credentials, provider::SharedCredentialsProvider};

use crate::{
    aws::{container_credentials::ContainerCredentials, credentials_cache::CredentialsCache},
    context::Settings,
};

/// Returns the credentials provider of a function.
pub(crate) fn credentials(settings: &mut Settings) -> SharedCredentialsProvider {
    if let Some(provider) = &settings.credentials {
        return provider.clone();
    }

    let provider = read(settings);
    settings.credentials = Some(provider.clone());
    provider
}

fn read(settings: &mut Settings) -> SharedCredentialsProvider {
    if settings.optional("AWS_ACCESS_KEY_ID").is_none()
        && let Some(container) = ContainerCredentials::read(settings)
    {
        let cache = CredentialsCache::new(container, settings.env().clone());
        return SharedCredentialsProvider::new(cache);
    }

    SharedCredentialsProvider::new(Credentials::new(
        settings.text("AWS_ACCESS_KEY_ID"),
        settings.text("AWS_SECRET_ACCESS_KEY"),
        settings.optional("AWS_SESSION_TOKEN").map(str::to_owned),
        None,
        "environment",
    ))
}
