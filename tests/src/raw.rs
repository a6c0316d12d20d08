//! HTTP/1.1 over a plain TCP connection, for requests that no HTTP client sends.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::header::{CONTENT_LENGTH, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::Response;

/// Time that a listener may take to read a request, and to respond or close the connection. Longer
/// than any response takes, so that only a listener that hangs reaches it.
const DEADLINE: Duration = Duration::from_mins(1);
/// Maximum length of a request in a panic message, in bytes.
const NAME_BYTES: usize = 80;

/// One connection. It does not support `HEAD`, whose responses have a `Content-Length` without a
/// body.
pub struct RawConnection {
    stream: TcpStream,
    /// Received bytes that are not part of a returned response.
    received: BytesMut,
    request: String,
}

impl RawConnection {
    /// Connects to the origin of a URL.
    pub async fn connect(url: &str) -> RawConnection {
        let stream = TcpStream::connect(authority(url))
            .await
            .unwrap_or_else(|error| panic!("{url}: {error}"));
        stream.set_nodelay(true).expect("a TCP connection");
        RawConnection {
            stream,
            received: BytesMut::new(),
            request: String::new(),
        }
    }

    /// Sends one request over a new connection and reads the response. Returns `None` if the
    /// connection is closed without one.
    pub async fn request(url: &str, request: impl AsRef<[u8]>) -> Option<Response> {
        let mut connection = RawConnection::connect(url).await;
        connection.send(request).await;
        connection.response().await
    }

    /// Sends bytes. The listener may close the connection before it has read all of them.
    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        if self.request.is_empty() {
            self.request = bytes[..bytes.len().min(NAME_BYTES)]
                .escape_ascii()
                .to_string();
        }
        let sent = tokio::time::timeout(DEADLINE, self.stream.write_all(bytes)).await;
        let _ = sent.unwrap_or_else(|_| panic!("{}: the request was not read", self.request));
    }

    /// Waits for `100 Continue`.
    pub async fn expect_continue(&mut self) {
        let received = tokio::time::timeout(DEADLINE, self.take_until(b"\r\n\r\n")).await;
        assert_eq!(
            received.ok().flatten().as_deref(),
            Some(&b"HTTP/1.1 100 Continue"[..]),
            "{}",
            self.request
        );
    }

    /// Closes the sending side of the connection.
    pub async fn shutdown_write(&mut self) {
        let _ = self.stream.shutdown().await;
    }

    /// Returns the next response, or `None` if the connection is closed before it is complete.
    pub async fn response(&mut self) -> Option<Response> {
        let response = tokio::time::timeout(DEADLINE, self.read_response()).await;
        response.unwrap_or_else(|_| {
            panic!(
                "{}: neither a response nor the end of the connection",
                self.request
            )
        })
    }

    async fn read_response(&mut self) -> Option<Response> {
        let Head { status, headers } = loop {
            let bytes = self.take_until(b"\r\n\r\n").await?;
            let head = Head::read(&bytes);
            let head = head.unwrap_or_else(|| panic!("{}: {bytes:?}", self.request));
            // Interim responses precede the final one.
            if head.status >= 200 {
                break head;
            }
        };
        let body = self.read_body(status, &headers).await?;

        Some(Response {
            request: self.request.clone(),
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
            self.take(length.unwrap_or_else(|| panic!("{}: {headers:?}", self.request)))
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
                size.unwrap_or_else(|| panic!("{}: {line:?} is not a chunk size", self.request));
            body.extend_from_slice(&self.take(size).await?);
            self.take_until(b"\r\n").await?;
            if size == 0 {
                return Some(body.freeze());
            }
        }
    }

    /// Returns the bytes before a delimiter, and removes both.
    async fn take_until(&mut self, delimiter: &[u8]) -> Option<Bytes> {
        loop {
            if let Some(position) = self
                .received
                .windows(delimiter.len())
                .position(|window| window == delimiter)
            {
                let taken = self.received.split_to(position).freeze();
                let _ = self.received.split_to(delimiter.len());
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

    /// Receives more bytes. Returns false once the connection is closed or broken.
    async fn receive(&mut self) -> bool {
        self.stream
            .read_buf(&mut self.received)
            .await
            .is_ok_and(|length| length > 0)
    }
}

/// Returns host and port of a URL.
pub fn authority(url: &str) -> &str {
    url.trim_start_matches("http://")
        .split('/')
        .next()
        .unwrap_or_default()
}

/// Head of a response.
struct Head {
    status: u16,
    headers: HeaderMap,
}

impl Head {
    fn read(head: &[u8]) -> Option<Head> {
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

        Some(Head {
            status,
            headers: headers.collect::<Option<HeaderMap>>()?,
        })
    }
}
