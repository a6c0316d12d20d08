//! A function outside of Lambda: a plain HTTP server, so that the same binary is a container.
//!
//! - `PORT` names the port, 8080 by default.
//! - `TRUSTED_PROXIES` is the number of proxies in front of the container that append to
//!   `X-Forwarded-For` and overwrite `X-Forwarded-Proto`, for example 1 behind one load balancer.
//!   The client's address and scheme, which rate limits and `require_https` go by, are then read
//!   from these headers. By default it is 0: the client is the peer of the connection. A number
//!   that is too high lets clients choose their address. The scheme is the one that the last proxy
//!   saw: if there is another before it, that one has to refuse or redirect plain HTTP.
//! - A client may pause for 30 seconds within the body of a request, and take 15 minutes for all of
//!   it; else it gets a 408. What stands before a container may allow less.

use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, BodyDataStream},
    extract::{ConnectInfo, Request, State},
    middleware::{self, Next},
    response::Response,
    serve::ListenerExt as _,
};
use bytes::Bytes;
use futures::{Stream, StreamExt as _};
use http::header;
use http_body::Body as _;
use tokio::net::TcpListener;

use crate::{BodyDeadlines, BodyWatch, Observer, Viewer};

/// The port, where `PORT` names no other.
pub(crate) const DEFAULT_PORT: u16 = 8080;
/// Bytes of a refused body that are read and thrown away.
const DRAIN_BYTES: usize = 64 << 20;
/// How long a client may take to send them.
const DRAIN_DEADLINE: Duration = Duration::from_secs(10);

/// Serves on every interface until the process is asked to end, then lets running requests finish.
pub(crate) async fn serve(
    port: u16,
    trusted_proxies: u8,
    router: Router,
    observer: Observer,
) -> io::Result<()> {
    let listener = TcpListener::bind(("0.0.0.0", port)).await?;
    let router = observer.around(router.layer(middleware::from_fn(timed)));
    serve_on(listener, trusted_proxies, router, terminated()).await
}

async fn serve_on(
    listener: TcpListener,
    trusted_proxies: u8,
    router: Router,
    ended: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let listener = listener.tap_io(|stream| {
        // Without it, Nagle's algorithm delays every second small answer by 40 ms.
        let _ = stream.set_nodelay(true);
    });
    let service = router.layer(middleware::from_fn(drained));
    let service = service.layer(middleware::from_fn_with_state(trusted_proxies, seen));
    let service = service.into_make_service_with_connect_info::<SocketAddr>();
    axum::serve(listener, service)
        .with_graceful_shutdown(ended)
        .await
}

/// Says who sent the request.
async fn seen(
    State(trusted_proxies): State<u8>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    mut request: Request,
    next: Next,
) -> Response {
    let viewer = Viewer::behind_proxies(usize::from(trusted_proxies), peer.ip(), request.headers());
    request.extensions_mut().insert(viewer);
    next.run(request).await
}

/// Bounds the time that a client takes for the body.
async fn timed(request: Request, next: Next) -> Response {
    let (request, watch) = BodyWatch::begin(request, BodyDeadlines::default());
    watch.explain(next.run(request).await)
}

/// Reads and throws away, up to a bound, what the function left of a body before the answer goes
/// out: a client that is still sending would see a broken connection in place of the answer.
async fn drained(request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    if body.is_end_stream() {
        return next.run(Request::from_parts(parts, body)).await;
    }
    let is_held_back = parts.headers.contains_key(header::EXPECT);
    let shared = Shared(Arc::new(Mutex::new(Rest {
        stream: Some(body.into_data_stream()),
        is_begun: false,
    })));
    let response = next
        .run(Request::from_parts(
            parts,
            Body::from_stream(shared.clone()),
        ))
        .await;
    let rest = shared.end();
    // A client that waits to be told to go on has sent nothing, and reads the answer first.
    if let Some(stream) = rest.stream
        && (rest.is_begun || !is_held_back)
    {
        let _ = tokio::time::timeout(DRAIN_DEADLINE, drain(stream)).await;
    }
    response
}

async fn drain(mut stream: BodyDataStream) {
    let mut drained = 0;
    while let Some(Ok(chunk)) = stream.next().await {
        drained += chunk.len();
        if drained > DRAIN_BYTES {
            return;
        }
    }
}

/// What is left of a body, held by whoever reads it and by whoever drains it afterwards.
#[derive(Clone)]
struct Shared(Arc<Mutex<Rest>>);

#[derive(Default)]
struct Rest {
    stream: Option<BodyDataStream>,
    /// Whether somebody has asked for its bytes.
    is_begun: bool,
}

impl Shared {
    fn end(&self) -> Rest {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Stream for Shared {
    type Item = Result<Bytes, axum::Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut rest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rest.is_begun = true;
        let Some(stream) = &mut rest.stream else {
            return Poll::Ready(None);
        };
        let polled = stream.poll_next_unpin(context);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            rest.stream = None;
        }
        polled
    }
}

/// Resolves when the process is asked to end.
async fn terminated() {
    let Ok(mut signal) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())
    else {
        return std::future::pending().await;
    };
    signal.recv().await;
}

#[cfg(test)]
mod tests {
    use axum::routing::{get, post};
    use http::StatusCode;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpStream,
    };

    use super::*;

    /// Bytes that no buffer between client and server holds.
    const BODY_BYTES: usize = 32 << 20;

    /// Returns how a container behind so many proxies shows the viewer of a request with forwarding
    /// headers.
    async fn shown(trusted_proxies: u8) -> String {
        let tell =
            async |request: Request| format!("{:?}", Viewer::of(request.extensions()).unwrap());
        let router = Router::new().route("/", get(tell));
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let client = async {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let head = "GET / HTTP/1.1\r\nhost: a\r\nx-forwarded-for: 192.0.2.1\r\nforwarded: for=192.0.2.1\r\nconnection: close\r\n\r\n";
            stream.write_all(head.as_bytes()).await.unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await.unwrap();
            answer
        };
        tokio::select! {
            answer = client => answer,
            ended = serve_on(listener, trusted_proxies, router, std::future::pending()) => panic!("{ended:?}"),
        }
    }

    #[tokio::test]
    async fn viewer_is_the_peer_unless_proxies_are_trusted() {
        let (direct, proxied) = (shown(0).await, shown(1).await);
        assert!(
            direct.ends_with(&format!("{:?}", Viewer::connected([127, 0, 0, 1].into()))),
            "{direct}"
        );
        assert!(
            proxied.ends_with(&format!("{:?}", Viewer::connected([192, 0, 2, 1].into()))),
            "{proxied}"
        );
    }

    #[tokio::test]
    async fn a_client_whose_body_is_refused_reads_the_answer() {
        let router = Router::new().route(
            "/",
            post(|| async { (StatusCode::UNAUTHORIZED, "who are you?") }),
        );
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let client = async {
            for expect in ["", "expect: 100-continue\r\n"] {
                let mut stream = TcpStream::connect(address).await.unwrap();
                let head = format!(
                    "POST / HTTP/1.1\r\nhost: a\r\n{expect}connection: close\r\ncontent-length: {BODY_BYTES}\r\n\r\n"
                );
                stream.write_all(head.as_bytes()).await.unwrap();
                if expect.is_empty() {
                    stream.write_all(&vec![0; BODY_BYTES]).await.unwrap();
                }
                let mut answer = String::new();
                stream.read_to_string(&mut answer).await.unwrap();
                assert!(
                    answer.starts_with("HTTP/1.1 401 ") && answer.ends_with("who are you?"),
                    "{answer}"
                );
            }
        };
        tokio::select! {
            () = client => {}
            ended = serve_on(listener, 0, router, std::future::pending()) => panic!("{ended:?}"),
        }
    }
}
