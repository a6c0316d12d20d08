//! Credentials that a function signs its AWS calls with.
//!
//! They are the variables of the function, as in Lambda and in the local stack, or come from the
//! endpoint of its container. The SDK's default chain reads the process environment instead, and
//! links the SDKs of the services that it calls.
//!
//! Invariant: the clients of a container share one provider, which caches its credentials.

use aws_credential_types::{Credentials, provider::SharedCredentialsProvider};

use crate::context::Settings;

/// Returns the credentials provider of a function.
pub(crate) fn credentials(settings: &mut Settings) -> SharedCredentialsProvider {
    settings.container_credentials().unwrap_or_else(|| {
        SharedCredentialsProvider::new(Credentials::new(
            settings.text("AWS_ACCESS_KEY_ID"),
            settings.text("AWS_SECRET_ACCESS_KEY"),
            settings.optional("AWS_SESSION_TOKEN").map(str::to_owned),
            None,
            "environment",
        ))
    })
}
