//! An HTTP server on loopback that serves the images of watermarks.

use std::sync::{Arc, Mutex, PoisonError};

use domain::naming::ImageSize;
use media::{
    encode::{EncodeOptions, encode},
    format::Format,
    pixels::{Channels, Pixels},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// Width and height of a logo.
const LOGO_SIDE: u32 = 40;

/// Returns a PNG of one opaque color.
pub(crate) fn logo(color: [u8; 3]) -> Vec<u8> {
    let pixels = Pixels::new(
        ImageSize::new(LOGO_SIDE, LOGO_SIDE),
        Channels::Rgb,
        color.repeat((LOGO_SIDE * LOGO_SIDE) as usize),
    );
    let options = EncodeOptions {
        lossless: true,
        ..EncodeOptions::new(Format::Png, 100)
    };
    encode(pixels, &options).expect("an image")
}

/// A server that sends the same response to every request. It stops when it is dropped.
pub(crate) struct ImageServer {
    url: String,
    response: Arc<Mutex<Vec<u8>>>,
    task: JoinHandle<()>,
}

impl ImageServer {
    /// Starts a server that responds with an image.
    pub(crate) async fn start(image: &[u8]) -> ImageServer {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let response = Arc::new(Mutex::new(Vec::new()));
        let shared = response.clone();
        #[expect(clippy::disallowed_methods, reason = "the test is not a function")]
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let response = shared
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .clone();
                respond(stream, &response).await;
            }
        });

        let server = ImageServer {
            url: format!("http://{address}/logo.png"),
            response,
            task,
        };
        server.serve("200 OK", image);
        server
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Returns settings of a watermark with the image.
    pub(crate) fn watermark(&self) -> Value {
        json!({"watermark": {"enabled": true, "url": self.url}})
    }

    /// Returns settings of a watermark with the image at a position.
    pub(crate) fn watermark_at(&self, position: &str) -> Value {
        let mut security = self.watermark();
        security["watermark"]["position"] = json!(position);
        security
    }

    /// Replaces status and body of the responses.
    pub(crate) fn serve(&self, status: &str, body: &[u8]) {
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status}\r\nlocation: /other\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
        );
        let response = [head.as_bytes(), body].concat();
        *self.response.lock().unwrap_or_else(PoisonError::into_inner) = response;
    }
}

impl Drop for ImageServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Reads the head of a request and responds. A client that closes the connection is ignored.
async fn respond(stream: TcpStream, response: &[u8]) {
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    while stream.read_line(&mut line).await.is_ok_and(|read| read > 2) {
        line.clear();
    }

    let _closed = stream.write_all(response).await;
    let _closed = stream.shutdown().await;
}
