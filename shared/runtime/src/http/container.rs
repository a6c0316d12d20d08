//! Plain HTTP server, for `uploads` outside of Lambda: the same binary in a container.
//!
//! - `PORT` is the port, 8080 by default.
//! - `TRUSTED_PROXIES` is the number of proxies in front of the container that append to
//!   `X-Forwarded-For` and overwrite `X-Forwarded-Proto`, for example 1 behind one load balancer.
//!   The client's address and scheme, which rate limits and `require_https` depend on, are then
//!   read from these headers. By default it is 0: the client is the peer of the connection. If the
//!   number is too high, clients can choose their address. The scheme is that of the connection to
//!   the last proxy: a proxy in front of it has to reject or redirect plain HTTP.
//! - `GET /health` responds with 200 while the process serves, without a log line, for load
//!   balancers.
//! - A client may pause for 30 seconds within the body of a request, and take 15 minutes for all of
//!   it; otherwise it gets a 408. Proxies in front of the container may allow less.

use std::{io, net::SocketAddr};

use axum::{
    Router,
    extract::{ConnectInfo, Request, State},
    middleware::{self, Next},
    response::Response,
    routing::get,
    serve::ListenerExt as _,
};
use tokio::net::TcpListener;

use crate::http::{BodyDeadlines, BodyTimer, Observer, Viewer};

/// The port if `PORT` is not set.
pub(crate) const DEFAULT_PORT: u16 = 8080;
/// Path of the health check.
const HEALTH_PATH: &str = "/health";

/// Serves on all interfaces until the process receives SIGTERM, then finishes running requests.
pub(crate) async fn serve(
    port: u16,
    trusted_proxies: u8,
    router: Router,
    observer: Observer,
) -> io::Result<()> {
    let listener = TcpListener::bind(("0.0.0.0", port)).await?;
    let router = observer.observe_all(router.layer(middleware::from_fn(limit_body_time)));
    serve_on(listener, trusted_proxies, router, terminated()).await
}

async fn serve_on(
    listener: TcpListener,
    trusted_proxies: u8,
    router: Router,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let listener = listener.tap_io(|stream| {
        // Nagle's algorithm would delay every second small response by 40 ms.
        let _ = stream.set_nodelay(true);
    });
    let service = router
        .route(HEALTH_PATH, get(async || {}))
        .layer(middleware::from_fn_with_state(trusted_proxies, add_viewer))
        .into_make_service_with_connect_info::<SocketAddr>();

    axum::serve(listener, service)
        .with_graceful_shutdown(shutdown)
        .await
}

/// Adds the [`Viewer`] to the request's extensions.
async fn add_viewer(
    State(trusted_proxies): State<u8>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    mut request: Request,
    next: Next,
) -> Response {
    let viewer = Viewer::behind_proxies(usize::from(trusted_proxies), peer.ip(), request.headers());
    request.extensions_mut().insert(viewer);
    next.run(request).await
}

/// Limits the time that a client takes for the body.
async fn limit_body_time(request: Request, next: Next) -> Response {
    let request = BodyTimer::attach(request, BodyDeadlines::default());
    let timer = BodyTimer::of(request.extensions());
    timer.report_timeout(next.run(request).await)
}

/// Resolves when the process receives SIGTERM.
async fn terminated() {
    let Ok(mut signal) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())
    else {
        return std::future::pending().await;
    };
    signal.recv().await;
}

#[cfg(test)]
mod tests {
    use http::StatusCode;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpStream,
    };

    use super::*;

    /// Starts a server, and runs a client of its address.
    async fn with_server<T>(
        trusted_proxies: u8,
        router: Router,
        client: impl AsyncFnOnce(SocketAddr) -> T,
    ) -> T {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = serve_on(listener, trusted_proxies, router, std::future::pending());
        tokio::select! {
            result = client(address) => result,
            ended = server => panic!("{ended:?}"),
        }
    }

    /// Returns the response to a request with forwarding headers. The body at `/` is the viewer;
    /// other paths are rejected.
    async fn get_from(trusted_proxies: u8, path: &str) -> String {
        let show_viewer =
            async |request: Request| format!("{:?}", Viewer::of(request.extensions()).unwrap());
        let router = Router::new()
            .route("/", get(show_viewer))
            .fallback(async || StatusCode::UNAUTHORIZED);
        with_server(trusted_proxies, router, async |address| {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let head = format!(
                "GET {path} HTTP/1.1\r\nhost: a\r\nx-forwarded-for: 192.0.2.1\r\n\
                 forwarded: for=192.0.2.1\r\nconnection: close\r\n\r\n"
            );
            stream.write_all(head.as_bytes()).await.unwrap();

            let mut response = String::new();
            stream.read_to_string(&mut response).await.unwrap();
            response
        })
        .await
    }

    #[tokio::test]
    async fn health_check_succeeds_without_authentication() {
        for (path, status) in [(HEALTH_PATH, "200 OK"), ("/other", "401 Unauthorized")] {
            let response = get_from(0, path).await;
            assert!(
                response.starts_with(&format!("HTTP/1.1 {status}\r\n")),
                "{response}"
            );
        }
    }

    #[tokio::test]
    async fn viewer_is_the_peer_without_trusted_proxies() {
        let response = get_from(0, "/").await;
        let expected = format!("{:?}", Viewer::connected([127, 0, 0, 1].into()));
        assert!(response.ends_with(&expected), "{response}");
    }

    #[tokio::test]
    async fn viewer_is_the_forwarded_address_behind_a_trusted_proxy() {
        let response = get_from(1, "/").await;
        let expected = format!("{:?}", Viewer::connected([192, 0, 2, 1].into()));
        assert!(response.ends_with(&expected), "{response}");
    }
}
