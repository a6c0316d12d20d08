//! What a function signs its calls to AWS with.
//!
//! A Lambda finds credentials among its variables. A container is told an address to ask for them, again and again since
//! they expire. The SDK's own chain knows more places, but takes them from the process' variables instead of a
//! function's, and brings the SDKs of the services along that it asks.

use std::{
    fmt, fs,
    time::{Duration, SystemTime},
};

use aws_credential_types::{
    Credentials,
    provider::{ProvideCredentials, SharedCredentialsProvider, error::CredentialsError, future},
};
use bytes::Bytes;
use domain::Timestamp;
use futures::future::join;
use http::{Request, Uri, header};
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use tokio::net::TcpStream;

use crate::Settings;

/// Where a container asks that is told a path alone.
const CONTAINER_ORIGIN: &str = "http://169.254.170.2";
/// Most bytes of an answer.
const ASKED_BYTES: usize = 64 << 10;
/// How long an answer may take.
const ASK_DEADLINE: Duration = Duration::from_secs(5);

/// A function's credentials: those of its variables, or those that its container is given.
pub(crate) fn credentials(settings: &mut Settings) -> SharedCredentialsProvider {
    if settings.optional("AWS_ACCESS_KEY_ID").is_none()
        && let Some(container) = Container::read(settings)
    {
        return SharedCredentialsProvider::new(container);
    }
    SharedCredentialsProvider::new(Credentials::new(
        settings.text("AWS_ACCESS_KEY_ID"),
        settings.text("AWS_SECRET_ACCESS_KEY"),
        settings.optional("AWS_SESSION_TOKEN").map(str::to_owned),
        None,
        "environment",
    ))
}

/// A container's own address for credentials.
struct Container {
    uri: Uri,
    token: Token,
}

/// What the address wants to see.
enum Token {
    Nothing,
    Text(String),
    /// The file's text, as it is at each asking.
    File(String),
}

/// The address' answer.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Answer {
    access_key_id: String,
    secret_access_key: String,
    token: Option<String>,
    expiration: Option<String>,
}

type Failed = Box<dyn std::error::Error + Send + Sync>;

impl Container {
    /// `None` where this is no container that is given any.
    fn read(settings: &mut Settings) -> Option<Container> {
        const FULL: &str = "AWS_CONTAINER_CREDENTIALS_FULL_URI";
        let path = settings.optional("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
        let address = match path {
            Some(path) => format!("{CONTAINER_ORIGIN}{path}"),
            None => settings.optional(FULL)?.to_owned(),
        };
        let uri = address.parse().ok().filter(|uri: &Uri| uri.scheme_str() == Some("http") && uri.host().is_some());
        if uri.is_none() {
            settings.mistake(format!("{FULL} is no http:// address"));
        }
        let file = settings.optional("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE").map(|path| Token::File(path.to_owned()));
        let text = settings.optional("AWS_CONTAINER_AUTHORIZATION_TOKEN").map(|token| Token::Text(token.to_owned()));
        Some(Container { uri: uri.unwrap_or_default(), token: file.or(text).unwrap_or(Token::Nothing) })
    }

    async fn ask(&self) -> Result<Credentials, Failed> {
        let answer: Answer = serde_json::from_slice(&self.get().await?)?;
        let expiration = answer.expiration.as_deref().map(|text| expiry(text).ok_or("it has no time of expiry"));
        let (key, secret) = (answer.access_key_id, answer.secret_access_key);
        Ok(Credentials::new(key, secret, answer.token, expiration.transpose()?, "container"))
    }

    async fn get(&self) -> Result<Bytes, Failed> {
        let host = self.uri.authority().map_or("", |authority| authority.as_str());
        let path = self.uri.path_and_query().map_or("/", |path| path.as_str());
        let mut request = Request::get(path).header(header::HOST, host);
        match &self.token {
            Token::Nothing => {}
            Token::Text(token) => request = request.header(header::AUTHORIZATION, token),
            Token::File(path) => request = request.header(header::AUTHORIZATION, fs::read_to_string(path)?.trim_end()),
        }
        let request = request.body(Empty::<Bytes>::new())?;
        let host = self.uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
        let address = (host, self.uri.port_u16().unwrap_or(80));
        let (mut sender, connection) = http1::handshake(TokioIo::new(TcpStream::connect(address).await?)).await?;
        // Takes the sender along, at whose end the connection ends.
        let answer = async move {
            let response = sender.send_request(request).await?;
            let status = response.status();
            let body = Limited::new(response.into_body(), ASKED_BYTES).collect().await?;
            if status.is_success() { Ok(body.to_bytes()) } else { Err(Failed::from(format!("it answers {status}"))) }
        };
        join(answer, connection).await.0
    }
}

fn expiry(text: &str) -> Option<SystemTime> {
    let since_1970 = Duration::from_millis(Timestamp::parse_rfc3339(text)?.ms().try_into().ok()?);
    SystemTime::UNIX_EPOCH.checked_add(since_1970)
}

impl ProvideCredentials for Container {
    fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        future::ProvideCredentials::new(async {
            match tokio::time::timeout(ASK_DEADLINE, self.ask()).await {
                Ok(asked) => asked.map_err(CredentialsError::provider_error),
                Err(_) => Err(CredentialsError::provider_timed_out(ASK_DEADLINE)),
            }
        })
    }
}

impl fmt::Debug for Container {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Container").field("uri", &self.uri).finish_non_exhaustive()
    }
}
