//! Credentials from the container credentials endpoint of ECS or EKS.

use std::{fmt, fs, time::Duration};

use aws_credential_types::{Credentials, provider::error::CredentialsError};
use bytes::Bytes;
use domain::env::Timestamp;
use futures::future::join;
use http::{Request, Uri, header};
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use tokio::net::TcpStream;

use crate::{
    aws::credentials_cache::{CredentialsSource, Validity, system_time},
    context::Settings,
};

/// Origin of the endpoint if only its path is set.
const DEFAULT_ORIGIN: &str = "http://169.254.170.2";
/// Variable with the URL of the endpoint.
const FULL_URI: &str = "AWS_CONTAINER_CREDENTIALS_FULL_URI";
/// Maximum size of a response, in bytes.
const MAX_RESPONSE_BYTES: usize = 64 << 10;
/// Time limit of a request to the endpoint. It is shorter than an attempt of the AWS call that
/// waits for the credentials, so that the call can still be signed with the cached ones.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(1);

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The endpoint that a container reads its credentials from.
pub(crate) struct ContainerCredentials {
    uri: Uri,
    token: AuthorizationToken,
}

/// Value of the `Authorization` header that the endpoint requires.
enum AuthorizationToken {
    Absent,
    Value(String),
    /// Path of a file, which is read for each request.
    File(String),
}

/// Response of the endpoint.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct EndpointResponse {
    access_key_id: String,
    secret_access_key: String,
    token: Option<String>,
    expiration: Option<String>,
}

impl ContainerCredentials {
    /// Reads the endpoint from the variables of ECS and EKS; `None` if they are not set.
    pub(crate) fn read(settings: &mut Settings) -> Option<ContainerCredentials> {
        let url = match settings.optional("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") {
            Some(path) => format!("{DEFAULT_ORIGIN}{path}"),
            None => settings.optional(FULL_URI)?.to_owned(),
        };
        let uri = url
            .parse()
            .ok()
            .filter(|uri: &Uri| uri.scheme_str() == Some("http") && uri.host().is_some());
        if uri.is_none() {
            settings.error(format!("{FULL_URI} is not an http:// URL"));
        }

        let file = settings
            .optional("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")
            .map(|path| AuthorizationToken::File(path.to_owned()));
        let value = settings
            .optional("AWS_CONTAINER_AUTHORIZATION_TOKEN")
            .map(|token| AuthorizationToken::Value(token.to_owned()));

        Some(ContainerCredentials {
            uri: uri.unwrap_or_default(),
            token: file.or(value).unwrap_or(AuthorizationToken::Absent),
        })
    }

    async fn read_credentials(&self) -> Result<Credentials, BoxError> {
        let body = self.get().await?;
        let response: EndpointResponse = serde_json::from_slice(&body)?;
        let expiry = response
            .expiration
            .as_deref()
            .map(|text| {
                Timestamp::parse_rfc3339(text)
                    .map(system_time)
                    .ok_or("the response has an invalid Expiration")
            })
            .transpose()?;

        Ok(Credentials::new(
            response.access_key_id,
            response.secret_access_key,
            response.token,
            expiry,
            "container",
        ))
    }

    async fn get(&self) -> Result<Bytes, BoxError> {
        let request = self.http_request()?;
        let host = self.uri.host().unwrap_or_default();
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let port = self.uri.port_u16().unwrap_or(80);

        let stream = TcpStream::connect((host, port)).await?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        // Moving the sender in ends the connection together with the exchange.
        let exchange = async move {
            let response = sender.send_request(request).await?;
            let status = response.status();
            let body = Limited::new(response.into_body(), MAX_RESPONSE_BYTES)
                .collect()
                .await?;
            if status.is_success() {
                Ok(body.to_bytes())
            } else {
                Err(BoxError::from(format!("the endpoint returned {status}")))
            }
        };
        join(exchange, connection).await.0
    }

    fn http_request(&self) -> Result<Request<Empty<Bytes>>, BoxError> {
        let path = self.uri.path_and_query().map_or("/", |path| path.as_str());
        let authority = self.uri.authority();
        let host = authority.map_or("", |authority| authority.as_str());
        let builder = Request::get(path).header(header::HOST, host);

        let builder = match &self.token {
            AuthorizationToken::Absent => builder,
            AuthorizationToken::Value(token) => builder.header(header::AUTHORIZATION, token),
            AuthorizationToken::File(path) => {
                let token = fs::read_to_string(path)?;
                builder.header(header::AUTHORIZATION, token.trim_end())
            }
        };
        Ok(builder.body(Empty::new())?)
    }
}

impl CredentialsSource for ContainerCredentials {
    const VALIDITY: Validity = Validity {
        refreshed_below: Duration::from_hours(1),
        usable_above: Duration::ZERO,
    };

    async fn request(&self) -> Result<Credentials, CredentialsError> {
        tokio::time::timeout(REQUEST_TIMEOUT, self.read_credentials())
            .await
            .map_err(|_| CredentialsError::provider_timed_out(REQUEST_TIMEOUT))?
            .map_err(CredentialsError::provider_error)
    }
}

impl fmt::Debug for ContainerCredentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ContainerCredentials")
            .field("uri", &self.uri)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use tokio::net::TcpListener;

    use super::*;
    use crate::context::{FunctionContext, system_env};

    #[tokio::test(start_paused = true)]
    async fn endpoint_that_does_not_respond_fails_after_its_time_limit() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let context = FunctionContext {
            function: "test".to_owned(),
            variables: BTreeMap::from([(FULL_URI.to_owned(), url)]),
            env: system_env(),
        };
        let source = ContainerCredentials::read(&mut Settings::of(&context)).unwrap();

        let started = tokio::time::Instant::now();
        source.request().await.unwrap_err();
        assert_eq!(started.elapsed().as_secs(), REQUEST_TIMEOUT.as_secs());
    }
}
