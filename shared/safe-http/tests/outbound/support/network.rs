//! A network in memory: its resolver and its hosts behave as a test describes.

use std::{
    collections::VecDeque,
    future::pending,
    io,
    net::{IpAddr, SocketAddr},
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use safe_http::{Network, Stream};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, duplex},
    task::JoinSet,
};
use tokio_rustls::TlsAcceptor;

use super::{PUBLIC, authority};

/// Size of the buffer between client and host, in bytes.
const BUFFER_BYTES: usize = 4_096;

/// A step of a host after it read a request.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Send(Vec<u8>),
    /// Sends the bytes again and again, each time after a pause.
    Repeat(Vec<u8>, Duration),
    /// Keeps the connection open, without sending.
    Hang,
}

impl Step {
    pub(crate) fn send(text: &str) -> Step {
        Step::Send(text.as_bytes().to_vec())
    }

    /// Sends text as often as the client takes it.
    pub(crate) fn repeat(text: &str) -> Step {
        Step::Repeat(text.as_bytes().to_vec(), Duration::ZERO)
    }
}

/// How a host treats connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Accepts {
    All,
    None,
    /// Never accepts nor refuses.
    Never,
}

/// A network with one host, which has all addresses.
pub(crate) struct FakeNetwork {
    /// Answers of the resolver in their order. The last one repeats.
    answers: Mutex<VecDeque<Vec<IpAddr>>>,
    /// Addresses that do not accept.
    closed: Mutex<Vec<(IpAddr, Accepts)>>,
    acceptor: Option<TlsAcceptor>,
    steps: Vec<Step>,
    log: Arc<Log>,
    hosts: Mutex<JoinSet<()>>,
}

/// Record of everything that the client did.
#[derive(Default)]
struct Log {
    names: Mutex<Vec<String>>,
    connections: Mutex<Vec<SocketAddr>>,
    requests: Mutex<Vec<String>>,
    sent_bytes: AtomicUsize,
}

impl FakeNetwork {
    /// A host `example.com` that serves `steps` with TLS.
    pub(crate) fn serving(steps: Vec<Step>) -> Arc<FakeNetwork> {
        FakeNetwork::with_tls(steps, Some(authority().server(&["example.com"])))
    }

    /// A host that serves `steps`.
    pub(crate) fn with_tls(steps: Vec<Step>, acceptor: Option<TlsAcceptor>) -> Arc<FakeNetwork> {
        let network = FakeNetwork {
            answers: Mutex::default(),
            closed: Mutex::default(),
            acceptor,
            steps,
            log: Arc::default(),
            hosts: Mutex::default(),
        };
        network.resolve_to(&[&[PUBLIC]]);
        Arc::new(network)
    }

    /// Replaces the answers of the resolver.
    pub(crate) fn resolve_to(&self, answers: &[&[&str]]) {
        let parse = |texts: &&[&str]| texts.iter().map(|text| address(text)).collect();
        *lock(&self.answers) = answers.iter().map(parse).collect();
    }

    /// Lets an address refuse or ignore connections.
    pub(crate) fn close(&self, text: &str, accepts: Accepts) {
        lock(&self.closed).push((address(text), accepts));
    }

    /// Returns the names that were resolved.
    pub(crate) fn names(&self) -> Vec<String> {
        lock(&self.log.names).clone()
    }

    /// Returns the addresses to which connections were opened or tried, without ports.
    pub(crate) fn connections(&self) -> Vec<String> {
        let connections = lock(&self.log.connections);
        connections.iter().map(|to| to.ip().to_string()).collect()
    }

    /// Returns the ports of these connections.
    pub(crate) fn ports(&self) -> Vec<u16> {
        let connections = lock(&self.log.connections);
        connections.iter().map(SocketAddr::port).collect()
    }

    /// Returns the only request.
    pub(crate) fn request(&self) -> String {
        let requests = lock(&self.log.requests);
        assert_eq!(requests.len(), 1);
        requests[0].clone()
    }

    /// Returns the number of bytes that hosts sent.
    pub(crate) fn sent_bytes(&self) -> usize {
        self.log.sent_bytes.load(Ordering::Relaxed)
    }

    fn accepts(&self, address: IpAddr) -> Accepts {
        let closed = lock(&self.closed);
        let found = closed.iter().find(|(closed, _)| *closed == address);
        found.map_or(Accepts::All, |(_, accepts)| *accepts)
    }
}

#[async_trait]
impl Network for FakeNetwork {
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        lock(&self.log.names).push(host.to_owned());
        let mut answers = lock(&self.answers);
        match answers.len() {
            0 => Err(io::Error::other("no such name")),
            1 => Ok(answers[0].clone()),
            _ => Ok(answers.pop_front().unwrap_or_default()),
        }
    }

    async fn connect(&self, address: SocketAddr) -> io::Result<Box<dyn Stream>> {
        lock(&self.log.connections).push(address);
        match self.accepts(address.ip()) {
            Accepts::All => {}
            Accepts::None => return Err(io::ErrorKind::ConnectionRefused.into()),
            Accepts::Never => pending().await,
        }

        let (client, host) = duplex(BUFFER_BYTES);
        let acceptor = self.acceptor.clone();
        let steps = self.steps.clone();
        let log = self.log.clone();
        lock(&self.hosts).spawn(async move {
            let _closed_by_client = match acceptor {
                Some(acceptor) => match acceptor.accept(host).await {
                    Ok(stream) => serve(stream, steps, &log).await,
                    Err(error) => Err(error),
                },
                None => serve(host, steps, &log).await,
            };
        });
        Ok(Box::new(client))
    }
}

async fn serve(mut stream: impl Stream, steps: Vec<Step>, log: &Log) -> io::Result<()> {
    let request = read_request(&mut stream).await?;
    lock(&log.requests).push(request);

    for step in steps {
        match step {
            Step::Send(bytes) => send(&mut stream, &bytes, log).await?,
            Step::Repeat(bytes, pause) => loop {
                tokio::time::sleep(pause).await;
                send(&mut stream, &bytes, log).await?;
            },
            Step::Hang => pending().await,
        }
    }
    stream.shutdown().await
}

async fn read_request(stream: &mut impl Stream) -> io::Result<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await?);
    }
    let head = String::from_utf8_lossy(&head).into_owned();

    let mut lines = head.lines();
    let length = lines.find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().expect("a number"))];
    stream.read_exact(&mut body).await?;
    Ok(head + &String::from_utf8_lossy(&body))
}

async fn send(stream: &mut impl Stream, bytes: &[u8], log: &Log) -> io::Result<()> {
    stream.write_all(bytes).await?;
    stream.flush().await?;
    log.sent_bytes.fetch_add(bytes.len(), Ordering::Relaxed);
    Ok(())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no test panics while it holds a lock")
}

fn address(text: &str) -> IpAddr {
    text.parse().expect(text)
}
