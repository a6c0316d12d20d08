//! Credentials of a role that a function assumes to presign URLs.
//!
//! A URL expires with the credentials that signed it, and a function in Lambda does not know when
//! its own ones expire. Those of a role that it assumes are valid for an hour, from then on.

use std::time::{Duration, SystemTime};

use aws_credential_types::{Credentials, provider::error::CredentialsError};
use aws_sdk_sts::Client;
use telemetry::aws_cause;

use crate::aws::credentials_cache::{CredentialsSource, Validity};

/// Duration of a session, in seconds: the maximum for a role that is assumed with the credentials
/// of another one (role chaining, in `AssumeRole` of the AWS STS API Reference).
const SESSION_SECONDS: i32 = 60 * 60;
/// Minimum remaining lifetime of the credentials, and so of a presigned URL of an hour, while STS
/// responds.
const MIN_LIFETIME: Duration = Duration::from_mins(50);
/// Minimum remaining lifetime while STS does not: enough to begin a request with a URL.
const MIN_LIFETIME_IN_OUTAGE: Duration = Duration::from_mins(1);
/// Name of the sessions in logs of AWS.
const SESSION_NAME: &str = "presign";

/// A role that signs URLs.
#[derive(Debug)]
pub(crate) struct AssumedRole {
    pub(crate) client: Client,
    pub(crate) role_arn: String,
}

impl CredentialsSource for AssumedRole {
    const VALIDITY: Validity = Validity {
        refreshed_below: MIN_LIFETIME,
        usable_above: MIN_LIFETIME_IN_OUTAGE,
    };

    async fn request(&self) -> Result<Credentials, CredentialsError> {
        let response = self
            .client
            .assume_role()
            .role_arn(&self.role_arn)
            .role_session_name(SESSION_NAME)
            .duration_seconds(SESSION_SECONDS)
            .send()
            .await
            .map_err(|error| CredentialsError::provider_error(aws_cause(error)))?;
        let session = response
            .credentials
            .ok_or_else(|| CredentialsError::provider_error("STS returned no credentials"))?;
        let expiry =
            SystemTime::try_from(session.expiration).map_err(CredentialsError::provider_error)?;

        Ok(Credentials::new(
            session.access_key_id,
            session.secret_access_key,
            Some(session.session_token),
            Some(expiry),
            "assumed role",
        ))
    }
}
