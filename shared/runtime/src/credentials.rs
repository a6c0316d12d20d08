//! The credentials that a function signs its calls to AWS with.
//!
//! A Lambda finds credentials among its variables, which do not tell when they expire. A container
//! asks an endpoint for them, again and again since they expire. The SDK's own chain knows more
//! places, but takes them from the process' variables instead of a function's, and brings the SDKs
//! of the services along that it asks.
//!
//! Invariants:
//! - All clients of a function share one provider, and it alone caches: what it tells of their
//!   expiry holds for the next call that is signed.
//! - Credentials are refreshed an hour before they expire, so that a presigned URL, which dies with
//!   them, lives that long where the endpoint has newer ones. As long as they are valid the
//!   endpoint is asked once a minute at most.

use std::{
    fmt, fs,
    time::{Duration, SystemTime},
};

use aws_credential_types::{
    Credentials,
    provider::{ProvideCredentials, SharedCredentialsProvider, error::CredentialsError, future},
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

/// Where a container asks that is told a path alone.
const CONTAINER_ORIGIN: &str = "http://169.254.170.2";
/// Most bytes of an answer.
const ASKED_BYTES: usize = 64 << 10;
/// Time limit of a request to the endpoint. It is shorter than an attempt of a call that waits for
/// the credentials, so that a slow endpoint does not keep the call from being signed with those
/// that are still valid.
const ASK_DEADLINE: Duration = Duration::from_secs(1);
/// Remaining lifetime below which credentials are refreshed, in milliseconds: an hour, as long as a
/// presigned URL lives.
const REFRESHED_MS: i64 = 60 * 60 * 1_000;
/// Time between two requests to the endpoint while credentials are valid, in milliseconds.
const ASKED_AGAIN_MS: i64 = 60 * 1_000;
/// Time after which credentials that do not tell when they expire are refreshed, in milliseconds.
const UNKNOWN_LIFETIME_MS: i64 = 15 * 60 * 1_000;

/// Returns the provider of a function's credentials: those of its variables, or those of its
/// container's endpoint.
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
    cached: Mutex<Option<Cached>>,
}

/// Credentials, and when they were asked for.
struct Cached {
    credentials: Credentials,
    asked_at: Timestamp,
}

impl Cached {
    fn expires_at(&self) -> Option<Timestamp> {
        self.credentials.expiry().map(timestamp)
    }

    fn is_valid(&self, now: Timestamp) -> bool {
        self.expires_at().is_none_or(|expires_at| now < expires_at)
    }

    fn is_fresh(&self, now: Timestamp) -> bool {
        let age_ms = now.ms() - self.asked_at.ms();
        match self.expires_at() {
            None => age_ms < UNKNOWN_LIFETIME_MS,
            Some(expires_at) if expires_at.ms() - now.ms() >= REFRESHED_MS => true,
            Some(expires_at) => age_ms < ASKED_AGAIN_MS && now < expires_at,
        }
    }
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
        let uri = address
            .parse()
            .ok()
            .filter(|uri: &Uri| uri.scheme_str() == Some("http") && uri.host().is_some());
        if uri.is_none() {
            settings.mistake(format!("{FULL} is no http:// address"));
        }
        let file = settings
            .optional("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")
            .map(|path| Token::File(path.to_owned()));
        let text = settings
            .optional("AWS_CONTAINER_AUTHORIZATION_TOKEN")
            .map(|token| Token::Text(token.to_owned()));
        Some(Container {
            uri: uri.unwrap_or_default(),
            token: file.or(text).unwrap_or(Token::Nothing),
            cached: Mutex::default(),
        })
    }

    /// Returns credentials that are valid now: those that are cached, or fresh ones.
    async fn current(&self, now: Timestamp) -> Result<Credentials, CredentialsError> {
        let mut cached = self.cached.lock().await;
        if let Some(fresh) = cached.as_ref().filter(|cached| cached.is_fresh(now)) {
            return Ok(fresh.credentials.clone());
        }

        let asked = match tokio::time::timeout(ASK_DEADLINE, self.ask()).await {
            Ok(asked) => asked.map_err(CredentialsError::provider_error),
            Err(_) => Err(CredentialsError::provider_timed_out(ASK_DEADLINE)),
        };
        let valid = cached.take().filter(|cached| cached.is_valid(now));
        let credentials = match (asked, valid) {
            (Ok(credentials), _) => credentials,
            (Err(error), Some(valid)) => {
                tracing::warn!(%error, "credentials could not be refreshed");
                valid.credentials
            }
            (Err(error), None) => return Err(error),
        };
        *cached = Some(Cached {
            credentials: credentials.clone(),
            asked_at: now,
        });
        Ok(credentials)
    }

    async fn ask(&self) -> Result<Credentials, Failed> {
        let answer: Answer = serde_json::from_slice(&self.get().await?)?;
        let expiration = answer
            .expiration
            .as_deref()
            .map(|text| expiry(text).ok_or("it has no time of expiry"));
        let (key, secret) = (answer.access_key_id, answer.secret_access_key);
        Ok(Credentials::new(
            key,
            secret,
            answer.token,
            expiration.transpose()?,
            "container",
        ))
    }

    async fn get(&self) -> Result<Bytes, Failed> {
        let host = self
            .uri
            .authority()
            .map_or("", |authority| authority.as_str());
        let path = self.uri.path_and_query().map_or("/", |path| path.as_str());
        let mut request = Request::get(path).header(header::HOST, host);
        match &self.token {
            Token::Nothing => {}
            Token::Text(token) => request = request.header(header::AUTHORIZATION, token),
            Token::File(path) => {
                request =
                    request.header(header::AUTHORIZATION, fs::read_to_string(path)?.trim_end());
            }
        }
        let request = request.body(Empty::<Bytes>::new())?;
        let host = self
            .uri
            .host()
            .unwrap_or_default()
            .trim_start_matches('[')
            .trim_end_matches(']');
        let address = (host, self.uri.port_u16().unwrap_or(80));
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(TcpStream::connect(address).await?)).await?;
        // Takes the sender along, at whose end the connection ends.
        let answer = async move {
            let response = sender.send_request(request).await?;
            let status = response.status();
            let body = Limited::new(response.into_body(), ASKED_BYTES)
                .collect()
                .await?;
            if status.is_success() {
                Ok(body.to_bytes())
            } else {
                Err(Failed::from(format!("it answers {status}")))
            }
        };
        join(answer, connection).await.0
    }
}

fn expiry(text: &str) -> Option<SystemTime> {
    let since_1970 = Duration::from_millis(Timestamp::parse_rfc3339(text)?.ms().try_into().ok()?);
    SystemTime::UNIX_EPOCH.checked_add(since_1970)
}

fn timestamp(time: SystemTime) -> Timestamp {
    let since_1970 = time
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp::from_ms(i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX))
}

impl ProvideCredentials for Container {
    fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        future::ProvideCredentials::new(self.current(SystemClock.now()))
    }
}

impl fmt::Debug for Container {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Container")
            .field("uri", &self.uri)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, collections::BTreeMap};

    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    use super::*;
    use crate::{Environment, system_sources};

    /// An endpoint that counts what it is asked, and answers with credentials that expire after so
    /// many minutes.
    struct Endpoint {
        asked: RefCell<usize>,
        minutes: RefCell<Option<i64>>,
    }

    const MINUTE_MS: i64 = 60_000;
    const START_MS: i64 = 1_800_000_000_000;

    fn start() -> Timestamp {
        Timestamp::from_ms(START_MS)
    }

    impl Endpoint {
        async fn answer(&self, listener: &TcpListener, now: &RefCell<Timestamp>) {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut head = [0; 4096];
                let _ = stream.read(&mut head).await.unwrap();
                *self.asked.borrow_mut() += 1;
                let response = match *self.minutes.borrow() {
                    None => {
                        "HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n".to_owned()
                    }
                    Some(minutes) => {
                        let key = self.asked.borrow();
                        let expiration = now.borrow().plus_ms(minutes * MINUTE_MS).rfc3339();
                        let body = format!(
                            r#"{{"AccessKeyId":"{key}","SecretAccessKey":"s","Token":"t","Expiration":"{expiration}"}}"#
                        );
                        format!(
                            "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}",
                            body.len()
                        )
                    }
                };
                stream.write_all(response.as_bytes()).await.unwrap();
            }
        }
    }

    fn container(listener: &TcpListener) -> Container {
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let variables = BTreeMap::from([("AWS_CONTAINER_CREDENTIALS_FULL_URI".to_owned(), url)]);
        let environment = Environment {
            function: "test".to_owned(),
            variables,
            env: system_sources(),
        };
        Container::read(&mut Settings::of(&environment)).unwrap()
    }

    #[tokio::test]
    async fn credentials_are_refreshed_below_an_hour_and_the_endpoint_is_asked_once_a_minute() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let container = container(&listener);
        let (endpoint, now) = (
            Endpoint {
                asked: 0.into(),
                minutes: Some(20).into(),
            },
            RefCell::new(start()),
        );

        // Minutes since the start, what the endpoint's credentials are good for, and the number of
        // the answer that is used.
        let steps = [
            (0, Some(20), "1"),
            (0, Some(20), "1"),
            (1, Some(20), "2"),
            (2, None, "2"),
            (2, Some(90), "2"),
            (3, Some(90), "4"),
            (33, Some(90), "4"),
            (34, Some(60), "5"),
            (34, Some(90), "5"),
        ];
        let journey = async {
            for (minute, minutes, expected) in steps {
                *now.borrow_mut() = start().plus_ms(minute * MINUTE_MS);
                *endpoint.minutes.borrow_mut() = minutes;
                let at = *now.borrow();
                let credentials = container.current(at).await.unwrap();
                assert_eq!(credentials.access_key_id(), expected, "minute {minute}");
                assert!(credentials.expiry().map(timestamp).unwrap() > at);
            }
        };
        tokio::select! {
            () = endpoint.answer(&listener, &now) => {}
            () = journey => {}
        }
    }

    #[tokio::test]
    async fn endpoint_that_does_not_answer_leaves_valid_credentials_in_use() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let container = container(&listener);
        let endpoint = Endpoint {
            asked: 0.into(),
            minutes: Some(20).into(),
        };
        let now = RefCell::new(start());
        tokio::select! {
            () = endpoint.answer(&listener, &now) => {}
            first = container.current(start()) => drop(first.unwrap()),
        }

        // From here on connections are accepted by the system, and never answered.
        tokio::time::pause();
        let began = tokio::time::Instant::now();
        let later = start().plus_ms(MINUTE_MS);
        container.current(later).await.unwrap();
        assert_eq!(began.elapsed().as_secs(), ASK_DEADLINE.as_secs());

        // The next call does not wait.
        container.current(later).await.unwrap();
        assert_eq!(began.elapsed().as_secs(), ASK_DEADLINE.as_secs());
    }

    #[tokio::test]
    async fn expired_credentials_are_never_used() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let container = container(&listener);
        let (endpoint, now) = (
            Endpoint {
                asked: 0.into(),
                minutes: Some(1).into(),
            },
            RefCell::new(start()),
        );
        let journey = async {
            container.current(start()).await.unwrap();
            *endpoint.minutes.borrow_mut() = None;
            container
                .current(start().plus_ms(MINUTE_MS))
                .await
                .unwrap_err();
        };
        tokio::select! {
            () = endpoint.answer(&listener, &now) => {}
            () = journey => {}
        }
    }
}
