//! One request and its response over one connection.

use std::{convert::Infallible, future::pending, pin::Pin};

use bytes::{Bytes, BytesMut};
use futures::future::{Either, select};
use http::{HeaderMap, Request, StatusCode, response::Parts};
use http_body_util::{BodyExt, Full};
use hyper::{
    body::{Body, Incoming},
    client::conn::http1,
};
use hyper_util::rt::TokioIo;
use tokio::time::{Instant, timeout_at};

use crate::{OutboundError, Stream};

/// Maximum size of the head of a response, in bytes. Also the size of the read buffer.
const MAX_HEAD_BYTES: usize = 16 * 1024;
/// Maximum number of headers of a response.
const MAX_HEADERS: usize = 100;

/// A response whose head was read. Dropping it closes the connection.
pub(crate) struct Exchange {
    head: Parts,
    body: Incoming,
    driver: Driver,
}

impl Exchange {
    /// Sends the request and reads the head of the response.
    pub(crate) async fn start(
        stream: Box<dyn Stream>,
        request: Request<Full<Bytes>>,
    ) -> Result<Exchange, OutboundError> {
        let (mut sender, connection) = http1::Builder::new()
            .max_buf_size(MAX_HEAD_BYTES)
            .max_headers(MAX_HEADERS)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(OutboundError::from_hyper)?;

        // The cause of a failure also reaches the request or the body that waits for it.
        let mut driver = Driver(Box::pin(async {
            let _ended = connection.await;
            pending().await
        }));

        let response = driver
            .run(sender.send_request(request))
            .await
            .map_err(OutboundError::from_hyper)?;
        let (head, body) = response.into_parts();
        Ok(Exchange { head, body, driver })
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.head.status
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.head.headers
    }

    /// Returns the complete body. Fails as soon as it is known to have more than `max_bytes`.
    pub(crate) async fn read_body(&mut self, max_bytes: usize) -> Result<Bytes, OutboundError> {
        let declared_bytes = self.body.size_hint().lower();
        if usize::try_from(declared_bytes).map_or(true, |declared| declared > max_bytes) {
            return Err(OutboundError::BodyTooLarge(max_bytes));
        }

        let mut content = BytesMut::new();
        let read = append(&mut self.body, &mut content, max_bytes);
        self.driver.run(read).await?;
        Ok(content.freeze())
    }

    /// Returns the beginning of the body: what arrives before `deadline`, at most `max_bytes`.
    pub(crate) async fn read_start(&mut self, max_bytes: usize, deadline: Instant) -> Bytes {
        let mut content = BytesMut::new();
        let read = append(&mut self.body, &mut content, max_bytes);
        let _incomplete = timeout_at(deadline, self.driver.run(read)).await;
        content.freeze()
    }
}

/// Appends the body to `content`. Fails with `max_bytes` appended if there are more.
async fn append(
    body: &mut Incoming,
    content: &mut BytesMut,
    max_bytes: usize,
) -> Result<(), OutboundError> {
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(OutboundError::from_hyper)?;
        let Ok(data) = frame.into_data() else {
            continue;
        };

        let room = max_bytes - content.len();
        content.extend_from_slice(&data[..data.len().min(room)]);
        if data.len() > room {
            return Err(OutboundError::BodyTooLarge(max_bytes));
        }
    }
    Ok(())
}

/// Moves bytes between the connection and its request. It stands in for a task, which could run
/// after the response of a Lambda function.
struct Driver(Pin<Box<dyn Future<Output = Infallible> + Send>>);

impl Driver {
    /// Runs `operation` to its end while the connection makes progress.
    async fn run<T>(&mut self, operation: impl Future<Output = T>) -> T {
        let operation = std::pin::pin!(operation);
        match select(operation, &mut self.0).await {
            Either::Left((result, _)) => result,
            Either::Right((never, _)) => match never {},
        }
    }
}
