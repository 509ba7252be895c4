//! A TCP proxy that breaks connections at an exact byte. Dropping its handle ends the proxy and every
//! connection.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use super::deadline::within;
use super::receipt_fault::{ReceiptFault, Tampering};

/// A proxy in front of a companion.
#[derive(Debug)]
pub struct Proxy {
    /// The port on which the proxy listens on 127.0.0.1.
    pub port: u16,
    control: Arc<Control>,
    accept_task: JoinHandle<()>,
}

/// The kind of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A GET, which opens the stream.
    Stream,
    /// A POST or a DELETE.
    Post,
}

/// The direction of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the agent to the companion.
    Up,
    /// From the companion to the agent.
    Down,
}

/// A fault of the proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The connection ends: its reader gets exactly the bytes before the fault, its writer a reset.
    Cut,
    /// No byte passes any more, and the connection stays open.
    Stall,
    /// So many bytes are dropped, and the bytes after them pass.
    Drop(usize),
}

/// The streams of an agent that listens through a proxy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Listening {
    /// Streams that are open now.
    pub open: usize,
    /// Connections since the last stream opened that reached no companion, or broke before the response to a
    /// GET.
    pub failed: usize,
    /// The HTTP status with which the companion has refused a stream since the last stream opened.
    pub refused: Option<u16>,
}

#[derive(Debug)]
struct Control {
    /// The ports of the proxy and of the companion as in a Host header, padded to the same length.
    ports: [String; 2],
    /// The faults that wait for a request of their kind.
    armed: Mutex<Vec<(Kind, Plan)>>,
    /// The number of GETs so far.
    streams: watch::Sender<usize>,
    /// The number of calls of [`Proxy::cut`].
    cuts: watch::Sender<usize>,
    /// The number of faults that have struck.
    struck: watch::Sender<usize>,
    listening: watch::Sender<Listening>,
    /// Whether all bytes are held back.
    held: watch::Sender<bool>,
    /// The bytes that were read in both directions.
    carried: AtomicUsize,
    tampering: Option<Arc<Tampering>>,
    companion: u16,
}

#[derive(Debug, Clone, Copy)]
struct Plan {
    direction: Direction,
    /// The number of bytes that still pass.
    after: usize,
    fault: Fault,
}

impl Proxy {
    /// Starts a proxy in front of the companion on `port`.
    pub async fn before(port: u16) -> Self {
        Self::with_fault(port, None).await
    }

    /// Starts a proxy that falsifies receipts in this way.
    pub async fn with_fault(port: u16, fault: Option<ReceiptFault>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("listen");
        let own = listener.local_addr().expect("an address").port();
        let control = Arc::new(Control {
            ports: [own, port].map(|port| format!(":{port:05}")),
            armed: Mutex::default(),
            streams: watch::Sender::new(0),
            cuts: watch::Sender::new(0),
            struck: watch::Sender::new(0),
            listening: watch::Sender::default(),
            held: watch::Sender::new(false),
            carried: AtomicUsize::new(0),
            tampering: fault.map(|fault| Arc::new(Tampering::new(fault))),
            companion: port,
        });
        let accept_task = tokio::spawn(accept(listener, port, Arc::clone(&control)));
        Self { port: own, control, accept_task }
    }

    /// Arms a fault for the next request of this kind. The fault strikes after so many bytes of the request
    /// (up) or of its response (down).
    pub fn arm(&self, kind: Kind, direction: Direction, after: usize, fault: Fault) {
        self.control.armed.lock().unwrap().push((kind, Plan { direction, after, fault }));
    }

    /// Removes the faults that have not struck.
    pub fn disarm(&self) {
        self.control.armed.lock().unwrap().clear();
    }

    /// The number of bytes that were read in both directions, plus one for each read.
    pub fn carried(&self) -> usize {
        self.control.carried.load(Ordering::Relaxed)
    }

    /// Resets every open connection.
    pub fn cut(&self) {
        self.control.cuts.send_modify(|cuts| *cuts += 1);
    }

    /// With `true`, holds all bytes back until a call with `false`; no byte is lost.
    pub fn hold(&self, held: bool) {
        self.control.held.send_replace(held);
    }

    /// Returns the present state of the agent's streams.
    pub fn listening(&self) -> Listening {
        *self.control.listening.borrow()
    }

    /// The number of GETs so far.
    pub fn streams(&self) -> usize {
        *self.control.streams.borrow()
    }

    /// Waits until the number of GETs is at least `count`.
    pub async fn until_streams(&self, count: usize) {
        let mut streams = self.control.streams.subscribe();
        within("the stream to come back", streams.wait_for(|seen| *seen >= count))
            .await
            .expect("the proxy lives");
    }

    /// Watches the state of the agent's streams.
    pub fn watch_listening(&self) -> watch::Receiver<Listening> {
        self.control.listening.subscribe()
    }

    /// Watches the number of faults that have struck.
    pub fn struck(&self) -> watch::Receiver<usize> {
        self.control.struck.subscribe()
    }

    /// Waits until at least `count` faults have struck.
    pub async fn until_struck(&self, count: usize) {
        let mut struck = self.control.struck.subscribe();
        within("the fault to strike", struck.wait_for(|seen| *seen >= count)).await.expect("the proxy lives");
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accept_task.abort();
    }
}

async fn accept(listener: TcpListener, companion: u16, control: Arc<Control>) {
    let mut connections = JoinSet::new();
    while let Ok((agent, _)) = listener.accept().await {
        while connections.try_join_next().is_some() {}
        connections.spawn(serve(agent, companion, Arc::clone(&control)));
    }
}

/// The state of a connection.
type SharedState = Arc<Mutex<ConnectionState>>;

#[derive(Debug, Default)]
struct ConnectionState {
    /// The fault that the present request was given.
    plan: Option<Plan>,
    stream: Stage,
}

/// The progress of a connection towards a stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    None,
    Requested,
    Open,
}

/// The request with which `alongside doctor` checks whether a companion lives. No agent sends it, so that it
/// takes no armed fault, and its failure does not count.
const DOCTOR_REQUEST: &[u8; 12] = b"GET /status ";

/// Serves one connection, and counts its failure.
async fn serve(agent: TcpStream, companion: u16, control: Arc<Control>) -> io::Result<()> {
    let state = SharedState::default();
    let mut head = [0; DOCTOR_REQUEST.len()];
    let is_of_doctor = agent.peek(&mut head).await? == head.len() && head == *DOCTOR_REQUEST;
    let result = forward(agent, companion, &state, &control).await;
    if is_of_doctor {
        return result;
    }
    let stage = state.lock().unwrap().stream;
    let was_connected = result.is_ok() || stage != Stage::None;
    control.listening.send_if_modified(|listening| {
        match stage {
            Stage::Open => listening.open -= 1,
            Stage::None if was_connected => return false,
            Stage::Requested | Stage::None => listening.failed += 1,
        }
        true
    });
    result
}

/// Forwards the bytes of one connection in both directions.
async fn forward(agent: TcpStream, port: u16, state: &SharedState, control: &Control) -> io::Result<()> {
    let companion = TcpStream::connect(("127.0.0.1", port)).await?;
    agent.set_nodelay(true)?;
    companion.set_nodelay(true)?;
    let (mut agent_in, mut agent_out) = agent.into_split();
    let (mut companion_in, mut companion_out) = companion.into_split();
    let mut cuts = control.cuts.subscribe();
    let pumps = async {
        let up = pump(Direction::Up, &mut agent_in, &mut companion_out, state, control);
        let down = pump(Direction::Down, &mut companion_in, &mut agent_out, state, control);
        tokio::try_join!(up, down).map(|_| ())
    };
    tokio::select! {
        result = pumps => return result,
        _ = cuts.changed() => {}
    }
    agent_in.as_ref().set_zero_linger()?;
    companion_in.as_ref().set_zero_linger()
}

/// Forwards the bytes of one direction, and applies the fault of the present request.
async fn pump(
    direction: Direction,
    from: &mut OwnedReadHalf,
    to: &mut OwnedWriteHalf,
    state: &SharedState,
    control: &Control,
) -> io::Result<()> {
    let mut buffer = vec![0; 64 << 10];
    let mut held = control.held.subscribe();
    loop {
        let read = from.read(&mut buffer).await?;
        control.carried.fetch_add(read + 1, Ordering::Relaxed);
        control.tamper(direction, &buffer[..read], state);
        // Fails only without the sender, which `control` owns.
        let _ = held.wait_for(|held| !held).await;
        if read == 0 {
            return to.shutdown().await;
        }
        if direction == Direction::Up && control.observe_request(&buffer[..read], state) {
            control.replace_port(&mut buffer[..read]);
        }
        let mut rest = &buffer[..read];
        if let Some((passing, fault)) = take_due_fault(direction, rest.len(), state) {
            to.write_all(&rest[..passing]).await?;
            rest = &rest[passing..];
            control.struck.send_modify(|struck| *struck += 1);
            match fault {
                Fault::Cut => {
                    // Only the sender gets a reset: a reset towards `to` could overtake the bytes before the
                    // fault.
                    from.as_ref().set_zero_linger()?;
                    return Err(io::ErrorKind::ConnectionReset.into());
                }
                Fault::Stall => std::future::pending().await,
                Fault::Drop(bytes) => rest = drop_bytes(rest, bytes, from).await?,
            }
        }
        to.write_all(rest).await?;
        // After the fault: a connection that was cut has opened no stream.
        if direction == Direction::Down
            && control.observe_response(rest, state)
            && let Some(tampering) = &control.tampering
        {
            to.write_all(&tampering.replay()).await?;
        }
    }
}

/// Drops `bytes` bytes: first from `rest`, then from the connection. Returns the remainder of `rest`.
async fn drop_bytes<'a>(rest: &'a [u8], bytes: usize, from: &mut OwnedReadHalf) -> io::Result<&'a [u8]> {
    let dropped = bytes.min(rest.len());
    let mut missing = vec![0; bytes - dropped];
    from.read_exact(&mut missing).await?;
    Ok(&rest[dropped..])
}

/// Takes the fault that strikes within the next `bytes` bytes, with the number of bytes that still pass.
/// Without such a fault, counts the bytes.
fn take_due_fault(direction: Direction, bytes: usize, state: &SharedState) -> Option<(usize, Fault)> {
    let plan = &mut state.lock().unwrap().plan;
    let planned = plan.as_mut().filter(|plan| plan.direction == direction)?;
    if bytes < planned.after || bytes == 0 {
        planned.after -= bytes;
        return None;
    }
    let due_fault = (planned.after, planned.fault);
    *plan = None;
    Some(due_fault)
}

impl Control {
    /// Gives a request that begins with these bytes the fault that is armed for its kind. Returns whether a
    /// request begins with these bytes: agents send each head in one piece.
    fn observe_request(&self, bytes: &[u8], state: &SharedState) -> bool {
        let kind = match bytes {
            doctor if doctor.starts_with(DOCTOR_REQUEST) => return true,
            [b'G', b'E', b'T', b' ', ..] => Kind::Stream,
            [b'P', b'O', b'S', b'T', b' ', ..] | [b'D', b'E', b'L', b'E', b'T', b'E', b' ', ..] => Kind::Post,
            _ => return false,
        };
        let mut armed = self.armed.lock().unwrap();
        let index = armed.iter().position(|(of_kind, _)| *of_kind == kind);
        let mut state = state.lock().unwrap();
        state.plan = index.map(|index| armed.remove(index).1);
        if kind == Kind::Stream {
            state.stream = Stage::Requested;
            self.streams.send_modify(|streams| *streams += 1);
        }
        true
    }

    /// Falsifies receipts, if the proxy is to do so. Called before a fault can keep the bytes from the agent.
    fn tamper(&self, direction: Direction, bytes: &[u8], state: &SharedState) {
        let Some(tampering) = &self.tampering else { return };
        match direction {
            Direction::Up => tampering.see_request(bytes),
            Direction::Down if state.lock().unwrap().stream == Stage::Open => {
                tampering.see_stream(bytes, self.companion);
            }
            Direction::Down => {}
        }
    }

    /// Records the response to the GET of a stream. Returns whether the stream opens with these bytes.
    fn observe_response(&self, bytes: &[u8], state: &SharedState) -> bool {
        let mut state = state.lock().unwrap();
        let status = bytes.strip_prefix(b"HTTP/1.1 ").and_then(|rest| rest.get(..3));
        let Some(status) = status.filter(|_| state.stream == Stage::Requested) else { return false };
        let status = std::str::from_utf8(status).ok().and_then(|digits| digits.parse().ok());
        let opens = status == Some(200);
        state.stream = if opens { Stage::Open } else { Stage::None };
        self.listening.send_modify(|listening| match opens {
            true => *listening = Listening { open: listening.open + 1, ..Listening::default() },
            false => listening.refused = status,
        });
        opens
    }

    /// Replaces the proxy's port in the Host header by the companion's: a companion refuses a request with
    /// another port.
    fn replace_port(&self, head: &mut [u8]) {
        let [proxy, companion] = &self.ports;
        if let Some(at) = head.windows(proxy.len()).position(|window| window == proxy.as_bytes()) {
            head[at..at + companion.len()].copy_from_slice(companion.as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends a request to a proxy of a port without a listener. Returns the number of failed connections that
    /// the proxy counts.
    async fn failures_after(head: &str) -> usize {
        let closed_port = TcpListener::bind(("127.0.0.1", 0)).await.unwrap().local_addr().unwrap().port();
        let proxy = Proxy::before(closed_port).await;
        proxy.arm(Kind::Stream, Direction::Up, 0, Fault::Stall);
        let mut agent = TcpStream::connect(("127.0.0.1", proxy.port)).await.unwrap();
        agent.write_all(format!("{head} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").as_bytes()).await.unwrap();
        // The connection ends, with an error or without.
        let _ = agent.read_to_end(&mut Vec::new()).await;
        assert_eq!(proxy.streams(), 0);
        proxy.listening().failed
    }

    #[tokio::test]
    async fn a_failed_request_of_doctor_is_not_counted() {
        assert_eq!(failures_after("GET /mcp").await, 1);
        assert_eq!(failures_after("GET /status").await, 0);
    }
}
