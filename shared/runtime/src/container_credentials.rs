//! Credentials from the container credentials endpoint of ECS or EKS.
//!
//! Invariants:
//! - Credentials are refreshed an hour before they expire: a presigned URL expires with the
//!   credentials that signed it, and should be valid for an hour if the endpoint has newer ones.
//! - While credentials are valid, the endpoint is called once a minute at most.
//! - Expired credentials are never used.

use std::{
    fmt, fs,
    time::{Duration, SystemTime},
};

use aws_credential_types::{
    Credentials,
    provider::{ProvideCredentials, error::CredentialsError, future},
};
use bytes::Bytes;
use domain::{Clock, Timestamp};
use futures::future::join;
use http::{Request, Uri, header};
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use tokio::{net::TcpStream, sync::Mutex};

use crate::{Settings, SystemClock};

/// Origin of the endpoint if only its path is set.
const DEFAULT_ORIGIN: &str = "http://169.254.170.2";
/// Variable with the URL of the endpoint.
const FULL_URI: &str = "AWS_CONTAINER_CREDENTIALS_FULL_URI";
/// Maximum size of a response, in bytes.
const MAX_RESPONSE_BYTES: usize = 64 << 10;
/// Time limit of a request to the endpoint. It is shorter than an attempt of the AWS call that
/// waits for the credentials, so that the call can still be signed with the cached ones.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(1);
/// Remaining lifetime below which credentials are refreshed, in milliseconds: the lifetime of a
/// presigned URL.
const REFRESH_BELOW_MS: i64 = 60 * 60 * 1_000;
/// Minimum time between two requests to the endpoint while credentials are valid, in milliseconds.
const REFRESH_INTERVAL_MS: i64 = 60 * 1_000;
/// Time after which credentials without an expiry are refreshed, in milliseconds.
const UNKNOWN_LIFETIME_MS: i64 = 15 * 60 * 1_000;

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Provides credentials from the endpoint, and caches them.
pub(crate) struct ContainerCredentials {
    uri: Uri,
    token: AuthorizationToken,
    cached: Mutex<Option<CachedCredentials>>,
}

/// Value of the `Authorization` header that the endpoint requires.
enum AuthorizationToken {
    Absent,
    Value(String),
    /// Path of a file, which is read for each request.
    File(String),
}

struct CachedCredentials {
    credentials: Credentials,
    requested_at: Timestamp,
}

impl CachedCredentials {
    fn expires_at(&self) -> Option<Timestamp> {
        self.credentials.expiry().map(timestamp)
    }

    fn is_valid(&self, now: Timestamp) -> bool {
        self.expires_at().is_none_or(|expires_at| now < expires_at)
    }

    fn is_fresh(&self, now: Timestamp) -> bool {
        let age_ms = now.ms() - self.requested_at.ms();
        match self.expires_at() {
            None => age_ms < UNKNOWN_LIFETIME_MS,
            Some(expires_at) if expires_at.ms() - now.ms() >= REFRESH_BELOW_MS => true,
            Some(expires_at) => age_ms < REFRESH_INTERVAL_MS && now < expires_at,
        }
    }
}

/// Response of the endpoint.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct EndpointResponse {
    access_key_id: String,
    secret_access_key: String,
    token: Option<String>,
    /// RFC 3339.
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
            cached: Mutex::default(),
        })
    }

    /// Returns valid credentials: cached ones if they are fresh or cannot be refreshed.
    async fn current(&self, now: Timestamp) -> Result<Credentials, CredentialsError> {
        let mut cached = self.cached.lock().await;
        if let Some(fresh) = cached.as_ref().filter(|cached| cached.is_fresh(now)) {
            return Ok(fresh.credentials.clone());
        }

        let requested = match tokio::time::timeout(REQUEST_TIMEOUT, self.request()).await {
            Ok(requested) => requested.map_err(CredentialsError::provider_error),
            Err(_) => Err(CredentialsError::provider_timed_out(REQUEST_TIMEOUT)),
        };
        let valid = cached.take().filter(|cached| cached.is_valid(now));
        let credentials = match (requested, valid) {
            (Ok(credentials), _) => credentials,
            (Err(error), Some(valid)) => {
                tracing::warn!(%error, "credentials could not be refreshed");
                valid.credentials
            }
            (Err(error), None) => return Err(error),
        };

        *cached = Some(CachedCredentials {
            credentials: credentials.clone(),
            requested_at: now,
        });
        Ok(credentials)
    }

    async fn request(&self) -> Result<Credentials, BoxError> {
        let body = self.get().await?;
        let response: EndpointResponse = serde_json::from_slice(&body)?;
        let expiry = response
            .expiration
            .as_deref()
            .map(|text| parse_expiry(text).ok_or("the response has an invalid Expiration"))
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

impl ProvideCredentials for ContainerCredentials {
    fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        future::ProvideCredentials::new(self.current(SystemClock.now()))
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

fn parse_expiry(text: &str) -> Option<SystemTime> {
    let ms = Timestamp::parse_rfc3339(text)?.ms().try_into().ok()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(ms))
}

fn timestamp(time: SystemTime) -> Timestamp {
    let since_1970 = time
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp::from_ms(i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, collections::BTreeMap};

    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    use super::*;
    use crate::{FunctionContext, system_env};

    const MINUTE_MS: i64 = 60_000;

    fn minute(minutes: i64) -> Timestamp {
        Timestamp::from_ms(1_800_000_000_000).plus_ms(minutes * MINUTE_MS)
    }

    /// An endpoint whose responses have their number as access key id.
    struct FakeEndpoint {
        listener: TcpListener,
        requests: RefCell<usize>,
        now: RefCell<Timestamp>,
        /// Lifetime of the credentials; without one the endpoint returns 500.
        lifetime_minutes: RefCell<Option<i64>>,
    }

    impl FakeEndpoint {
        async fn start(lifetime_minutes: i64) -> FakeEndpoint {
            FakeEndpoint {
                listener: TcpListener::bind(("127.0.0.1", 0)).await.unwrap(),
                requests: 0.into(),
                now: minute(0).into(),
                lifetime_minutes: Some(lifetime_minutes).into(),
            }
        }

        fn provider(&self) -> ContainerCredentials {
            let url = format!("http://{}/", self.listener.local_addr().unwrap());
            let context = FunctionContext {
                function: "test".to_owned(),
                variables: BTreeMap::from([(FULL_URI.to_owned(), url)]),
                env: system_env(),
            };
            ContainerCredentials::read(&mut Settings::of(&context)).unwrap()
        }

        async fn serve(&self) {
            loop {
                let (mut stream, _) = self.listener.accept().await.unwrap();
                let _ = stream.read(&mut [0; 4096]).await.unwrap();
                *self.requests.borrow_mut() += 1;
                let response = self.response();
                stream.write_all(response.as_bytes()).await.unwrap();
            }
        }

        fn response(&self) -> String {
            let Some(minutes) = *self.lifetime_minutes.borrow() else {
                return "HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n"
                    .to_owned();
            };
            let key = self.requests.borrow();
            let expiration = self.now.borrow().plus_ms(minutes * MINUTE_MS).rfc3339();
            let body = format!(
                r#"{{"AccessKeyId":"{key}","SecretAccessKey":"s","Token":"t","Expiration":"{expiration}"}}"#
            );
            let length = body.len();
            format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{body}")
        }
    }

    #[tokio::test]
    async fn credentials_are_refreshed_below_an_hour_and_once_a_minute_at_most() {
        struct RefreshStep {
            minute: i64,
            lifetime_minutes: Option<i64>,
            access_key_id: &'static str,
        }
        let step = |minute, lifetime_minutes, access_key_id| RefreshStep {
            minute,
            lifetime_minutes,
            access_key_id,
        };
        let steps = [
            step(0, Some(20), "1"),
            step(0, Some(20), "1"),
            step(1, Some(20), "2"),
            step(2, None, "2"),
            step(2, Some(90), "2"),
            step(3, Some(90), "4"),
            step(33, Some(90), "4"),
            step(34, Some(60), "5"),
            step(34, Some(90), "5"),
        ];
        let endpoint = FakeEndpoint::start(20).await;
        let provider = endpoint.provider();

        let client = async {
            for step in steps {
                let now = minute(step.minute);
                *endpoint.now.borrow_mut() = now;
                *endpoint.lifetime_minutes.borrow_mut() = step.lifetime_minutes;
                let credentials = provider.current(now).await.unwrap();
                assert_eq!(
                    credentials.access_key_id(),
                    step.access_key_id,
                    "minute {}",
                    step.minute
                );
                assert!(credentials.expiry().map(timestamp).unwrap() > now);
            }
        };
        tokio::select! {
            () = endpoint.serve() => {}
            () = client => {}
        }
    }

    #[tokio::test]
    async fn valid_credentials_are_used_while_the_endpoint_does_not_respond() {
        let endpoint = FakeEndpoint::start(20).await;
        let provider = endpoint.provider();
        tokio::select! {
            () = endpoint.serve() => {}
            first = provider.current(minute(0)) => drop(first.unwrap()),
        }

        // From now on the system accepts connections, and nothing responds.
        tokio::time::pause();
        let started = tokio::time::Instant::now();
        provider.current(minute(1)).await.unwrap();
        assert_eq!(started.elapsed().as_secs(), REQUEST_TIMEOUT.as_secs());

        // The next call uses the cache.
        provider.current(minute(1)).await.unwrap();
        assert_eq!(started.elapsed().as_secs(), REQUEST_TIMEOUT.as_secs());
    }

    #[tokio::test]
    async fn expired_credentials_are_never_used() {
        let endpoint = FakeEndpoint::start(1).await;
        let provider = endpoint.provider();
        let client = async {
            provider.current(minute(0)).await.unwrap();
            *endpoint.lifetime_minutes.borrow_mut() = None;
            provider.current(minute(1)).await.unwrap_err();
        };
        tokio::select! {
            () = endpoint.serve() => {}
            () = client => {}
        }
    }
}
