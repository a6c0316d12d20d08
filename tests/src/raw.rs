//! HTTP/1.1 byte by byte, for requests that no client would send.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::header::{CONTENT_LENGTH, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::Answer;

/// How long a listener may take to read what is sent, and to answer or to close: longer than any
/// answer takes, so that nothing but a listener that hangs reaches it.
const DEADLINE: Duration = Duration::from_mins(1);
/// Bytes of a request that name it in messages.
const NAME_BYTES: usize = 80;

/// One connection. It knows nothing of `HEAD`, whose answers tell of a body that they do not have.
pub struct Raw {
    stream: TcpStream,
    /// What was received and not yet taken for an answer.
    received: BytesMut,
    asked: String,
}

impl Raw {
    /// Connects to the origin of an address.
    pub async fn connect(url: &str) -> Raw {
        let stream = TcpStream::connect(authority(url))
            .await
            .unwrap_or_else(|error| panic!("{url}: {error}"));
        stream.set_nodelay(true).expect("a TCP connection");
        Raw {
            stream,
            received: BytesMut::new(),
            asked: String::new(),
        }
    }

    /// Sends one request over a connection of its own, and reads the answer: `None` where the
    /// connection is closed without one.
    pub async fn ask(url: &str, request: impl AsRef<[u8]>) -> Option<Answer> {
        let mut connection = Raw::connect(url).await;
        connection.send(request).await;
        connection.answer().await
    }

    /// Sends bytes. A listener that has heard enough may close the connection before it got them
    /// all.
    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        if self.asked.is_empty() {
            self.asked = bytes[..bytes.len().min(NAME_BYTES)]
                .escape_ascii()
                .to_string();
        }
        let sent = tokio::time::timeout(DEADLINE, self.stream.write_all(bytes)).await;
        let _ = sent.unwrap_or_else(|_| panic!("{}: is not read", self.asked));
    }

    /// Waits to be told to go on with a body that was held back: somebody reads it.
    pub async fn told_to_go_on(&mut self) {
        let told = tokio::time::timeout(DEADLINE, self.take_until(b"\r\n\r\n")).await;
        assert_eq!(
            told.ok().flatten().as_deref(),
            Some(&b"HTTP/1.1 100 Continue"[..]),
            "{}",
            self.asked
        );
    }

    /// Says that nothing more will be sent; answers still arrive.
    pub async fn end(&mut self) {
        let _ = self.stream.shutdown().await;
    }

    /// The next answer; `None` where the connection is closed before there is a whole one.
    pub async fn answer(&mut self) -> Option<Answer> {
        let answer = tokio::time::timeout(DEADLINE, self.read_answer()).await;
        answer.unwrap_or_else(|_| {
            panic!("{}: neither an answer nor the connection's end", self.asked)
        })
    }

    async fn read_answer(&mut self) -> Option<Answer> {
        let (status, headers) = loop {
            let head = self.take_until(b"\r\n\r\n").await?;
            let (status, headers) =
                read_head(&head).unwrap_or_else(|| panic!("{}: {head:?}", self.asked));
            // Before the answer itself there may be some that say to go on.
            if status >= 200 {
                break (status, headers);
            }
        };
        let body = self.read_body(status, &headers).await?;
        Some(Answer {
            asked: self.asked.clone(),
            status,
            headers,
            body,
        })
    }

    async fn read_body(&mut self, status: u16, headers: &HeaderMap) -> Option<Bytes> {
        if status == 204 || status == 304 {
            return Some(Bytes::new());
        }
        if headers.contains_key(TRANSFER_ENCODING) {
            return self.read_chunks().await;
        }
        if let Some(length) = headers.get(CONTENT_LENGTH) {
            let length = length.to_str().ok().and_then(|length| length.parse().ok());
            self.take(length.unwrap_or_else(|| panic!("{}: {headers:?}", self.asked)))
                .await
        } else {
            while self.receive().await {}
            Some(self.received.split().freeze())
        }
    }

    async fn read_chunks(&mut self) -> Option<Bytes> {
        let mut body = BytesMut::new();
        loop {
            let line = self.take_until(b"\r\n").await?;
            let size = std::str::from_utf8(&line)
                .ok()
                .and_then(|size| usize::from_str_radix(size, 16).ok());
            let size =
                size.unwrap_or_else(|| panic!("{}: {line:?} is no size of a chunk", self.asked));
            body.extend_from_slice(&self.take(size).await?);
            self.take_until(b"\r\n").await?;
            if size == 0 {
                return Some(body.freeze());
            }
        }
    }

    /// Takes what stands before a mark, and the mark away.
    async fn take_until(&mut self, mark: &[u8]) -> Option<Bytes> {
        loop {
            if let Some(position) = self
                .received
                .windows(mark.len())
                .position(|window| window == mark)
            {
                let taken = self.received.split_to(position).freeze();
                let _ = self.received.split_to(mark.len());
                return Some(taken);
            }
            if !self.receive().await {
                return None;
            }
        }
    }

    async fn take(&mut self, length: usize) -> Option<Bytes> {
        while self.received.len() < length {
            if !self.receive().await {
                return None;
            }
        }
        Some(self.received.split_to(length).freeze())
    }

    /// Whether there is more; a connection that breaks is one that ends.
    async fn receive(&mut self) -> bool {
        self.stream
            .read_buf(&mut self.received)
            .await
            .is_ok_and(|length| length > 0)
    }
}

/// Host and port of an address.
pub fn authority(url: &str) -> &str {
    url.trim_start_matches("http://")
        .split('/')
        .next()
        .unwrap_or_default()
}

fn read_head(head: &[u8]) -> Option<(u16, HeaderMap)> {
    let head = std::str::from_utf8(head).ok()?;
    let mut lines = head.split("\r\n");
    let status = lines
        .next()?
        .strip_prefix("HTTP/1.")?
        .get(2..5)?
        .parse()
        .ok()?;
    let headers = lines.map(|line| {
        let (name, value) = line.split_once(':')?;
        Some((
            HeaderName::try_from(name).ok()?,
            HeaderValue::try_from(value.trim()).ok()?,
        ))
    });
    Some((status, headers.collect::<Option<HeaderMap>>()?))
}
