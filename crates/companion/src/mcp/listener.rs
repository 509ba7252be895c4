//! The listening sockets. Anybody on this machine can connect, so whoever has not shown the token is a
//! *stranger*: strangers have little time and little room, and when there are too many the one that came
//! first is sent away. However many half-open connections there are, they cost bounded memory and
//! descriptors, and an agent still gets in. Who has shown the token is under no such limit.

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
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

use super::rate_limited_log::RateLimitedLog;

/// How long a connection may last on which nobody has shown the token.
const STRANGER_TIME: Duration = Duration::from_secs(10);
/// How many such connections there are at most, on each address.
const STRANGERS: usize = 256;
/// How much of a request's head is read, in bytes; more is answered 431.
const MAX_HEAD: usize = 64 << 10;
/// How long to wait when no connection can be taken, as when there are no descriptors left.
const OUT_OF_ROOM: Duration = Duration::from_millis(100);
/// How long requests that are under way may take when the companion stops.
const LAST_REQUESTS: Duration = Duration::from_millis(500);

/// Somebody on a connection. The gate says when they have shown the token.
#[derive(Debug, Clone)]
pub(crate) struct Connection {
    known: Arc<watch::Sender<bool>>,
    /// Which of our addresses they dialled, if the system says.
    pub(crate) dialled: Option<SocketAddr>,
}

impl Connection {
    /// A stranger, and what says when they are none any more.
    fn new(dialled: Option<SocketAddr>) -> (Self, watch::Receiver<bool>) {
        let (known, is_known) = watch::channel(false);
        (Self { known: Arc::new(known), dialled }, is_known)
    }

    /// Somebody who dialled this address.
    #[cfg(test)]
    pub(super) fn of(dialled: SocketAddr) -> Self {
        Self::new(Some(dialled)).0
    }

    /// They have shown the token.
    pub(crate) fn mark_authenticated(&self) {
        self.known.send_if_modified(|known| !std::mem::replace(known, true));
    }
}

/// The HTTP servers, one per address.
#[derive(Debug)]
pub(crate) struct Listener {
    stop: watch::Sender<bool>,
    running: Vec<JoinHandle<()>>,
}

impl Listener {
    pub(crate) fn open(listeners: Vec<TcpListener>, router: &Router) -> Self {
        let (stop, stopped) = watch::channel(false);
        let serve = |listener| tokio::spawn(serve(listener, router.clone(), stopped.clone()));
        Self { stop, running: listeners.into_iter().map(serve).collect() }
    }

    /// Takes no more connections, and waits for none.
    pub(crate) async fn abort(self) {
        for server in self.running {
            server.abort();
            // Aborted is what it shall be; it has let go of its port then.
            let _ = server.await;
        }
    }

    /// Takes no more connections, and lets those there are finish what is under way, for a moment.
    pub(crate) async fn stop(self) {
        let _ = self.stop.send(true);
        for mut server in self.running {
            if tokio::time::timeout(LAST_REQUESTS, &mut server).await.is_err() {
                server.abort();
            }
        }
    }
}

/// Serves until told to stop, and until every connection has ended.
async fn serve(listener: TcpListener, router: Router, mut stopped: watch::Receiver<bool>) {
    // Each can be sent away by dropping its sender.
    let mut strangers: VecDeque<oneshot::Sender<()>> = VecDeque::new();
    let (open, is_open) = watch::channel(());
    let untaken = RateLimitedLog::default();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stopped.wait_for(|stop| *stop) => break,
        };
        match accepted {
            Ok((stream, _)) => {
                strangers.retain(|stranger| !stranger.is_closed());
                if strangers.len() >= STRANGERS {
                    strangers.pop_front();
                }
                let (stranger, sent_away) = oneshot::channel();
                strangers.push_back(stranger);
                let attended = attend(stream, router.clone(), stopped.clone(), sent_away);
                let is_open = is_open.clone();
                tokio::spawn(async move {
                    attended.await;
                    drop(is_open);
                });
            }
            Err(error) if is_of_one_connection(&error) => {}
            Err(error) => {
                if let Some(times) = untaken.count(std::time::Instant::now()) {
                    tracing::warn!(times, %error, "no connection can be taken");
                }
                // A stranger's descriptor does better for an agent.
                strangers.retain(|stranger| !stranger.is_closed());
                strangers.pop_front();
                tokio::time::sleep(OUT_OF_ROOM).await;
            }
        }
    }
    drop((listener, is_open));
    open.closed().await;
}

/// One connection, from its first byte to its last. Its errors are its own.
async fn attend(
    stream: TcpStream,
    router: Router,
    mut stopped: watch::Receiver<bool>,
    sent_away: oneshot::Receiver<()>,
) {
    // Without it, a streamed reply waits for the peer's delayed acknowledgement.
    let _ = stream.set_nodelay(true);
    let (connection, mut known) = Connection::new(stream.local_addr().ok());
    let service = TowerToHyperService::new(router.layer(Extension(connection)));
    let served = http1::Builder::new().max_buf_size(MAX_HEAD).serve_connection(TokioIo::new(stream), service);
    let mut served = std::pin::pin!(served);
    let is_stranger = tokio::select! {
        // What has arrived is read before anybody is sent away: after the process was stopped, their time is
        // over at once.
        biased;
        _ = &mut served => return,
        _ = known.wait_for(|known| *known) => false,
        _ = stopped.wait_for(|stop| *stop) => true,
        _ = sent_away => return,
        () = tokio::time::sleep(STRANGER_TIME) => return,
    };
    tokio::select! {
        _ = &mut served => return,
        _ = stopped.wait_for(|stop| *stop) => {}
    }
    served.as_mut().graceful_shutdown();
    if is_stranger {
        // They may be about to show the token, or about to say nothing for good.
        let _ = tokio::time::timeout(LAST_REQUESTS, served).await;
    } else {
        let _ = served.await;
    }
}

/// Whether only the connection that was about to come has failed.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}
