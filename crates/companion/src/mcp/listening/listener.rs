//! The HTTP servers behind the listening sockets. Any program on this machine can connect to a loopback
//! address. So connections without the token, *strangers*, are limited in time and number: if there are too
//! many, the oldest one is closed. Half-open connections thus take bounded memory and descriptors, and agents
//! can still connect. Connections that have sent the token have no such limits.
//!
//! A stranger that sends nothing may be an agent: the system connects its socket while the agent draws a
//! large diff, for a minute or more. The request that the agent then sends must not meet a closed connection.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Extension;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, oneshot, watch};
use tokio::task::JoinHandle;
use tower_layer::Layer as _;

use super::rate_limited_log::RateLimitedLog;

/// The longest time of a connection without the token, from its first byte.
const STRANGER_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest wait for the first byte of a connection: longer than agents wait for a response.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(15 * 60);
/// The largest number of connections without the token, on each address.
const MAX_STRANGERS: usize = 256;
/// The reason for closing a stranger above that number.
const TOO_MANY_STRANGERS: &str = "there were too many";
/// The longest request header, in bytes; a longer one gets status 431.
const MAX_HEADER_BYTES: usize = 64 << 10;
/// The pause after `accept` has failed, for example because no descriptor was left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// The longest time for running requests when the companion stops.
const STOP_TIMEOUT: Duration = Duration::from_millis(500);

/// A socket on which agents connect.
pub(crate) trait Accept: Send + 'static {
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + Sync + 'static;

    /// Waits for the next connection.
    fn accept(&self) -> impl Future<Output = io::Result<Self::Stream>> + Send;

    /// Waits until the stream has data, has ended or has failed. Reads nothing: after a read of one byte,
    /// hyper would double its buffer of 8 KiB, and keep it.
    fn wait_for_data(stream: &Self::Stream) -> impl Future<Output = ()> + Send;

    /// Returns the address that the client dialled, if there are several and the system reports it.
    fn dialled_address(_: &Self::Stream) -> Option<SocketAddr> {
        None
    }
}

impl Accept for TcpListener {
    type Stream = TcpStream;

    async fn accept(&self) -> io::Result<TcpStream> {
        let (stream, _) = self.accept().await?;
        // Otherwise a streamed reply waits for the peer's delayed acknowledgement.
        let _ = stream.set_nodelay(true);
        Ok(stream)
    }

    async fn wait_for_data(stream: &TcpStream) {
        // Unlike `readable`, this completes only with a byte, the end or an error.
        let _ = stream.peek(&mut [0]).await;
    }

    fn dialled_address(stream: &TcpStream) -> Option<SocketAddr> {
        stream.local_addr().ok()
    }
}

/// A connection, for the gate.
#[derive(Debug, Clone)]
pub(crate) struct Connection {
    authenticated: Arc<Notify>,
    /// The address that the client dialled, if the system reports it.
    pub(crate) dialled: Option<SocketAddr>,
}

impl Connection {
    /// Creates a stranger's connection.
    pub(super) fn new(dialled: Option<SocketAddr>) -> Self {
        Self { authenticated: Arc::default(), dialled }
    }

    pub(crate) fn mark_authenticated(&self) {
        self.authenticated.notify_one();
    }
}

/// The HTTP servers, one for each socket.
#[derive(Debug)]
pub(crate) struct Listener {
    stop: watch::Sender<bool>,
    running: Vec<JoinHandle<()>>,
}

impl Listener {
    pub(crate) fn new() -> Self {
        Self { stop: watch::channel(false).0, running: Vec::new() }
    }

    /// Starts to serve the routes on further sockets.
    pub(crate) fn serve<A: Accept + Sync>(&mut self, sockets: Vec<A>, router: &Router) {
        let serve = |socket| tokio::spawn(serve(socket, router.clone(), self.stop.subscribe()));
        self.running.extend(sockets.into_iter().map(serve));
    }

    /// Closes all connections at once.
    pub(crate) async fn abort(self) {
        for server in self.running {
            server.abort();
            // The expected error is that the task was aborted. After the abort, the port is free.
            let _ = server.await;
        }
    }

    /// Accepts no more connections, and lets running requests finish within a time limit.
    pub(crate) async fn stop(self) {
        let _ = self.stop.send(true);
        for mut server in self.running {
            if tokio::time::timeout(STOP_TIMEOUT, &mut server).await.is_err() {
                server.abort();
            }
        }
    }
}

/// The log of strangers' connections that were closed.
#[derive(Debug, Default)]
struct ClosedStrangers(RateLimitedLog);

impl ClosedStrangers {
    fn log(&self, why: &'static str) {
        if let Some(reasons) = self.0.count(why, std::time::Instant::now()) {
            tracing::info!(%reasons, "closed connections without the token");
        }
    }
}

impl Drop for ClosedStrangers {
    fn drop(&mut self) {
        if let Some(reasons) = self.0.unlogged() {
            tracing::info!(%reasons, "closed more connections without the token");
        }
    }
}

/// Serves until a stop is requested and every connection has ended.
async fn serve<A: Accept + Sync>(socket: A, router: Router, mut stopped: watch::Receiver<bool>) {
    // Dropping a sender closes its connection.
    let mut strangers: VecDeque<oneshot::Sender<()>> = VecDeque::new();
    let (connections, open_connection) = watch::channel(());
    let accept_errors = RateLimitedLog::default();
    let closed_strangers = Arc::new(ClosedStrangers::default());
    loop {
        let accepted = tokio::select! {
            accepted = socket.accept() => accepted,
            _ = stopped.wait_for(|stop| *stop) => break,
        };
        match accepted {
            Ok(stream) => {
                strangers.retain(|stranger| !stranger.is_closed());
                if strangers.len() >= MAX_STRANGERS {
                    strangers.pop_front();
                }
                let (stranger, evicted) = oneshot::channel();
                strangers.push_back(stranger);
                let (router, stopped) = (router.clone(), stopped.clone());
                let (open_connection, closed_strangers) = (open_connection.clone(), closed_strangers.clone());
                tokio::spawn(async move {
                    serve_and_log::<A>(stream, router, stopped, evicted, &closed_strangers).await;
                    drop(open_connection);
                });
            }
            Err(error) if is_of_one_connection(&error) => {}
            Err(error) => {
                if let Some(reasons) = accept_errors.count("accept failed", std::time::Instant::now()) {
                    tracing::warn!(%reasons, %error, "cannot accept connections");
                }
                // Closing a stranger frees a descriptor for an agent.
                strangers.retain(|stranger| !stranger.is_closed());
                strangers.pop_front();
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop((socket, open_connection));
    connections.closed().await;
}

/// Serves one connection, and logs the reason if it closes that of a stranger.
async fn serve_and_log<A: Accept>(
    stream: A::Stream,
    router: Router,
    stopped: watch::Receiver<bool>,
    evicted: oneshot::Receiver<()>,
    closed_strangers: &ClosedStrangers,
) {
    // A future that is passed to an `async` block or function takes its size twice there, as what is passed
    // and as what is awaited. This one has more than a kibibyte, so it is created where it is awaited.
    if let Err(why) = serve_connection::<A>(stream, router, stopped, evicted).await {
        closed_strangers.log(why);
    }
}

/// Serves one connection. Its errors end only this connection.
///
/// # Errors
/// The reason for which a stranger's connection was closed.
async fn serve_connection<A: Accept>(
    stream: A::Stream,
    router: Router,
    mut stopped: watch::Receiver<bool>,
    mut evicted: oneshot::Receiver<()>,
) -> Result<(), &'static str> {
    tokio::select! {
        // Data that has arrived comes first: after a suspension of the process, every timeout is over at
        // once.
        biased;
        () = A::wait_for_data(&stream) => {}
        _ = stopped.wait_for(|stop| *stop) => {}
        _ = &mut evicted => return Err(TOO_MANY_STRANGERS),
        () = tokio::time::sleep(SILENCE_TIMEOUT) => return Err("it sent nothing for 15 minutes"),
    }
    let connection = Connection::new(A::dialled_address(&stream));
    let authenticated = connection.authenticated.clone();
    // The extension wraps the router, because `Router::layer` would copy all of its routes for each
    // connection.
    let service = TowerToHyperService::new(Extension(connection).layer(router));
    let served =
        http1::Builder::new().max_buf_size(MAX_HEADER_BYTES).serve_connection(TokioIo::new(stream), service);
    let served = served.with_upgrades();
    let mut served = std::pin::pin!(served);
    let is_stranger = tokio::select! {
        biased;
        _ = &mut served => return Ok(()),
        () = authenticated.notified() => false,
        _ = stopped.wait_for(|stop| *stop) => true,
        _ = evicted => return Err(TOO_MANY_STRANGERS),
        () = tokio::time::sleep(STRANGER_TIMEOUT) => return Err("it sent no token within 10 s"),
    };
    tokio::select! {
        _ = &mut served => return Ok(()),
        _ = stopped.wait_for(|stop| *stop) => {}
    }
    served.as_mut().graceful_shutdown();
    if is_stranger {
        // The client may be about to send the token, or may never send anything.
        let _ = tokio::time::timeout(STOP_TIMEOUT, served).await;
    } else {
        let _ = served.await;
    }
    Ok(())
}

/// Whether the error concerns only the connection that was to be accepted.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
