//! An HTTP endpoint on loopback that records the webhooks that it receives.

use std::{
    collections::VecDeque,
    future::pending,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
};

/// A part of a large body.
static LARGE_PART: [u8; 65_536] = [b'x'; 65_536];

#[derive(Clone, Debug)]
pub struct ReceivedWebhook {
    /// Method, path and version.
    pub request_line: String,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl ReceivedWebhook {
    /// Returns the value of a header, empty if it is missing.
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    /// Returns the body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("a JSON body")
    }
}

/// What an endpoint does with a request that it has read.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Responds with a status, headers (each `name: value`) and a body.
    Response {
        status: u16,
        headers: Vec<String>,
        body: Vec<u8>,
    },
    /// Responds with 200 and a body of at least this many bytes.
    Large(usize),
    /// Closes the connection without a response.
    Close,
    /// Keeps the connection open without a response.
    Silence,
    /// Responds with 200 after [`WebhookReceiver::release`].
    Held,
}

impl Answer {
    /// Responds with a status and an empty body.
    pub fn status(status: u16) -> Answer {
        Answer::Response {
            status,
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    /// Adds a header to a response.
    #[must_use]
    pub fn with_header(mut self, line: &str) -> Answer {
        if let Answer::Response { headers, .. } = &mut self {
            headers.push(line.to_owned());
        }
        self
    }

    /// Sets the body of a response.
    #[must_use]
    pub fn with_body(mut self, text: &str) -> Answer {
        if let Answer::Response { body, .. } = &mut self {
            *body = text.as_bytes().to_vec();
        }
        self
    }
}

/// The endpoint. It stops when it is dropped.
pub struct WebhookReceiver {
    url: String,
    state: Arc<State>,
    _tasks: JoinSet<()>,
}

struct State {
    received: watch::Sender<Vec<ReceivedWebhook>>,
    /// Answers of the next requests; afterwards, the last field applies.
    answers: Mutex<VecDeque<Answer>>,
    default: Mutex<Answer>,
    sent_bytes: Mutex<usize>,
    is_released: watch::Sender<bool>,
}

impl State {
    fn next_answer(&self) -> Answer {
        let next = lock(&self.answers).pop_front();
        next.unwrap_or_else(|| lock(&self.default).clone())
    }
}

impl WebhookReceiver {
    /// Starts an endpoint that responds with 200.
    pub async fn start() -> WebhookReceiver {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let state = Arc::new(State {
            received: watch::Sender::default(),
            answers: Mutex::default(),
            default: Mutex::new(Answer::status(200)),
            sent_bytes: Mutex::default(),
            is_released: watch::Sender::default(),
        });
        let mut tasks = JoinSet::new();
        tasks.spawn(serve(listener, Arc::clone(&state)));

        WebhookReceiver {
            url: format!("http://{address}/hook"),
            state,
            _tasks: tasks,
        }
    }

    /// Returns the URL of the endpoint.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Sets the answer of the next request that has none.
    pub fn answer_next(&self, answer: Answer) {
        lock(&self.state.answers).push_back(answer);
    }

    /// Sets the answer of all requests without their own.
    pub fn answer_all(&self, answer: Answer) {
        *lock(&self.state.default) = answer;
    }

    /// Responds to the requests that are held, and from now on at once.
    pub fn release(&self) {
        self.state.is_released.send_replace(true);
    }

    /// Returns the webhooks that were received.
    pub fn received(&self) -> Vec<ReceivedWebhook> {
        self.state.received.borrow().clone()
    }

    /// Returns the only webhook. Panics if there are none or several.
    #[track_caller]
    pub fn only(&self) -> ReceivedWebhook {
        let received = self.received();
        assert_eq!(received.len(), 1, "webhooks: {received:?}");
        received[0].clone()
    }

    /// Waits until a number of webhooks were received.
    pub async fn wait_for(&self, count: usize) {
        let mut received = self.state.received.subscribe();
        let reached = received.wait_for(|received| received.len() >= count);
        let _ = reached.await;
    }

    /// Returns the number of bytes of large bodies that were sent.
    pub fn sent_bytes(&self) -> usize {
        *lock(&self.state.sent_bytes)
    }
}

async fn serve(listener: TcpListener, state: Arc<State>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let state = Arc::clone(&state);
        connections.spawn(async move {
            // The client may close the connection at any time.
            let _closed = respond(stream, &state).await;
        });
        while connections.try_join_next().is_some() {}
    }
}

async fn respond(stream: TcpStream, state: &State) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    let webhook = read_request(&mut stream).await?;
    let answer = state.next_answer();
    state
        .received
        .send_modify(|received| received.push(webhook));

    match answer {
        Answer::Response {
            status,
            headers,
            body,
        } => {
            let length = body.len();
            let status_line = format!("HTTP/1.1 {status} Status");
            let framing = format!("content-length: {length}\r\nconnection: close\r\n\r\n");
            let lines = [&[status_line], &headers[..], &[framing]].concat();
            let head = lines.join("\r\n");
            stream.write_all(head.as_bytes()).await?;
            stream.write_all(&body).await?;
        }
        Answer::Large(bytes) => {
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
            while *lock(&state.sent_bytes) < bytes {
                stream.write_all(&LARGE_PART).await?;
                *lock(&state.sent_bytes) += LARGE_PART.len();
            }
        }
        Answer::Close => {}
        Answer::Silence => pending().await,
        Answer::Held => {
            let mut is_released = state.is_released.subscribe();
            let _ = is_released.wait_for(|is_released| *is_released).await;
            stream
                .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
                .await?;
        }
    }
    stream.shutdown().await
}

async fn read_request(stream: &mut BufReader<TcpStream>) -> std::io::Result<ReceivedWebhook> {
    let mut request_line = String::new();
    stream.read_line(&mut request_line).await?;

    let mut headers = HeaderMap::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        let name = HeaderName::from_bytes(name.as_bytes()).expect("a header name");
        headers.append(name, HeaderValue::from_str(value).expect("a header value"));
    }

    let length = headers.get("content-length");
    let length = length.and_then(|length| length.to_str().ok()?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).await?;
    Ok(ReceivedWebhook {
        request_line: request_line.trim_end().to_owned(),
        headers,
        body: body.into(),
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
