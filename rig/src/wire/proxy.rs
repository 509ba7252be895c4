//! A TCP proxy that breaks connections at an exact byte. Dropping its handle ends it, and every connection
//! with it.

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

/// A proxy before a companion.
#[derive(Debug)]
pub struct Proxy {
    /// Where it listens on 127.0.0.1.
    pub port: u16,
    control: Arc<Control>,
    accepting: JoinHandle<()>,
}

/// The kind of a connection, by the request it carried last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A GET: the stream.
    Stream,
    /// Anything else.
    Post,
}

/// A direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// From the agent to the companion.
    Up,
    /// From the companion to the agent.
    Down,
}

/// A fault of the proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The connection ends in the middle: the reader gets exactly the bytes before, the writer a reset.
    Cut,
    /// Nothing passes any more, and nobody is told.
    Stall,
    /// So many bytes vanish; what follows them passes.
    Drop(usize),
}

/// The streams of an agent that listens through a proxy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Listening {
    /// Streams that are open now.
    pub open: usize,
    /// Connections since the last stream opened that met no companion, or broke before a stream was answered.
    pub failed: usize,
    /// The HTTP status with which the companion refused a stream since the last one opened.
    pub refused: Option<u16>,
}

#[derive(Debug)]
struct Control {
    /// The ports of the proxy and of the companion, as they follow the name of the host: equally long.
    ports: [String; 2],
    /// Faults that wait for their request.
    armed: Mutex<Vec<(Kind, Plan)>>,
    streams: watch::Sender<usize>,
    /// Counts the orders to cut everything.
    cuts: watch::Sender<usize>,
    /// Counts faults that have struck.
    struck: watch::Sender<usize>,
    listening: watch::Sender<Listening>,
    held: watch::Sender<bool>,
    carried: AtomicUsize,
    tampering: Option<Arc<Tampering>>,
    companion: u16,
}

#[derive(Debug, Clone, Copy)]
struct Plan {
    way: Way,
    /// Bytes that still pass.
    after: usize,
    fault: Fault,
}

impl Proxy {
    /// Listens before a companion.
    pub async fn before(port: u16) -> Self {
        Self::with_fault(port, None).await
    }

    /// Listens before a companion, and gets its receipts wrong in this way.
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
        let accepting = tokio::spawn(accept(listener, port, Arc::clone(&control)));
        Self { port: own, control, accepting }
    }

    /// Arms a fault for the next request of this kind: it strikes after so many bytes of it (up) or of what
    /// answers it (down).
    pub fn arm(&self, kind: Kind, way: Way, after: usize, fault: Fault) {
        self.control.armed.lock().unwrap().push((kind, Plan { way, after, fault }));
    }

    /// Forgets the faults that wait for their request.
    pub fn disarm(&self) {
        self.control.armed.lock().unwrap().clear();
    }

    /// How many bytes have been read, either way.
    pub fn carried(&self) -> usize {
        self.control.carried.load(Ordering::Relaxed)
    }

    /// Resets every connection there is.
    pub fn cut(&self) {
        self.control.cuts.send_modify(|cuts| *cuts += 1);
    }

    /// With `true`, lets nothing pass until it is called with `false`; nothing is lost.
    pub fn hold(&self, held: bool) {
        self.control.held.send_replace(held);
    }

    /// The streams of the agent now.
    pub fn listening(&self) -> Listening {
        *self.control.listening.borrow()
    }

    /// How many GETs were seen.
    pub fn streams(&self) -> usize {
        *self.control.streams.borrow()
    }

    /// Waits until so many GETs were seen.
    pub async fn until_streams(&self, count: usize) {
        let mut streams = self.control.streams.subscribe();
        within("the stream to come back", streams.wait_for(|seen| *seen >= count))
            .await
            .expect("the proxy lives");
    }

    /// The streams of the agent, as they change.
    pub fn watch_listening(&self) -> watch::Receiver<Listening> {
        self.control.listening.subscribe()
    }

    /// Counts the faults that have struck.
    pub fn struck(&self) -> watch::Receiver<usize> {
        self.control.struck.subscribe()
    }

    /// Waits until so many faults have struck.
    pub async fn until_struck(&self, count: usize) {
        let mut struck = self.control.struck.subscribe();
        within("the fault to strike", struck.wait_for(|seen| *seen >= count)).await.expect("the proxy lives");
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, to: u16, control: Arc<Control>) {
    let mut connections = JoinSet::new();
    while let Ok((agent, _)) = listener.accept().await {
        while connections.try_join_next().is_some() {}
        connections.spawn(carry(agent, to, Arc::clone(&control)));
    }
}

/// The request that a connection carries just now.
type Current = Arc<Mutex<Carried>>;

#[derive(Debug, Default)]
struct Carried {
    plan: Option<Plan>,
    stream: Stage,
}

/// How far a connection has come on the way to a stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    None,
    Asked,
    Open,
}

/// The request with which `alongside doctor` asks each companion on a machine whether it lives. It comes from
/// no agent: no armed fault is meant for it, and its failure is not that of an agent.
const PASSER_BY: &[u8; 12] = b"GET /status ";

async fn carry(agent: TcpStream, to: u16, control: Arc<Control>) -> io::Result<()> {
    let current = Current::default();
    let mut head = [0; PASSER_BY.len()];
    let passes_by = agent.peek(&mut head).await? == head.len() && head == *PASSER_BY;
    let carried = carry_over(agent, to, &current, &control).await;
    if passes_by {
        return carried;
    }
    let stage = current.lock().unwrap().stream;
    let connected = carried.is_ok() || stage != Stage::None;
    control.listening.send_if_modified(|listening| {
        match stage {
            Stage::Open => listening.open -= 1,
            Stage::None if connected => return false,
            Stage::Asked | Stage::None => listening.failed += 1,
        }
        true
    });
    carried
}

async fn carry_over(agent: TcpStream, to: u16, current: &Current, control: &Control) -> io::Result<()> {
    let companion = TcpStream::connect(("127.0.0.1", to)).await?;
    agent.set_nodelay(true)?;
    companion.set_nodelay(true)?;
    let (mut agent_in, mut agent_out) = agent.into_split();
    let (mut companion_in, mut companion_out) = companion.into_split();
    let mut cuts = control.cuts.subscribe();
    let carrying = async {
        let up = pump(Way::Up, &mut agent_in, &mut companion_out, current, control);
        let down = pump(Way::Down, &mut companion_in, &mut agent_out, current, control);
        tokio::try_join!(up, down).map(|_| ())
    };
    tokio::select! {
        carried = carrying => return carried,
        _ = cuts.changed() => {}
    }
    agent_in.as_ref().set_zero_linger()?;
    companion_in.as_ref().set_zero_linger()
}

async fn pump(
    way: Way,
    from: &mut OwnedReadHalf,
    to: &mut OwnedWriteHalf,
    current: &Current,
    control: &Control,
) -> io::Result<()> {
    let mut buffer = vec![0; 64 << 10];
    let mut held = control.held.subscribe();
    loop {
        let read = from.read(&mut buffer).await?;
        control.carried.fetch_add(read + 1, Ordering::Relaxed);
        control.tamper(way, &buffer[..read], current);
        // The sender lives as long as we do.
        let _ = held.wait_for(|held| !held).await;
        if read == 0 {
            return to.shutdown().await;
        }
        if way == Way::Up && control.look_at(&buffer[..read], current) {
            control.rename_host(&mut buffer[..read]);
        }
        let mut rest = &buffer[..read];
        if let Some((passing, fault)) = due(way, rest.len(), current) {
            to.write_all(&rest[..passing]).await?;
            rest = &rest[passing..];
            control.struck.send_modify(|struck| *struck += 1);
            match fault {
                Fault::Cut => {
                    // A reset towards `to` could overtake the bytes that shall still pass.
                    from.as_ref().set_zero_linger()?;
                    return Err(io::ErrorKind::ConnectionReset.into());
                }
                Fault::Stall => std::future::pending().await,
                Fault::Drop(bytes) => rest = drop_bytes(rest, bytes, from).await?,
            }
        }
        to.write_all(rest).await?;
        if way == Way::Down {
            // A connection that was cut before has opened nothing.
            if control.look_at_answer(rest, current)
                && let Some(tampering) = &control.tampering
            {
                to.write_all(&tampering.replay()).await?;
            }
        }
    }
}

/// Drops so many bytes, of those that were read and then of those that come.
async fn drop_bytes<'a>(rest: &'a [u8], bytes: usize, from: &mut OwnedReadHalf) -> io::Result<&'a [u8]> {
    let here = bytes.min(rest.len());
    let mut missing = vec![0; bytes - here];
    from.read_exact(&mut missing).await?;
    Ok(&rest[here..])
}

/// How many of these bytes still pass before a fault strikes among them, if one does.
fn due(way: Way, bytes: usize, current: &Current) -> Option<(usize, Fault)> {
    let plan = &mut current.lock().unwrap().plan;
    let planned = plan.as_mut().filter(|plan| plan.way == way)?;
    if bytes < planned.after || bytes == 0 {
        planned.after -= bytes;
        return None;
    }
    let due = (planned.after, planned.fault);
    *plan = None;
    Some(due)
}

impl Control {
    /// Notices the beginning of a request, and gives it the fault that waits for it. True if a request begins
    /// with these bytes: agents send heads in one piece.
    fn look_at(&self, bytes: &[u8], current: &Current) -> bool {
        let kind = match bytes {
            passer_by if passer_by.starts_with(PASSER_BY) => return true,
            [b'G', b'E', b'T', b' ', ..] => Kind::Stream,
            [b'P', b'O', b'S', b'T', b' ', ..] | [b'D', b'E', b'L', b'E', b'T', b'E', b' ', ..] => Kind::Post,
            _ => return false,
        };
        let mut armed = self.armed.lock().unwrap();
        let at = armed.iter().position(|(wanted, _)| *wanted == kind);
        let mut current = current.lock().unwrap();
        current.plan = at.map(|at| armed.remove(at).1);
        if kind == Kind::Stream {
            current.stream = Stage::Asked;
            self.streams.send_modify(|streams| *streams += 1);
        }
        true
    }

    /// Gets receipts wrong, if the proxy is to do so: before anything can keep the bytes from the agent.
    fn tamper(&self, way: Way, bytes: &[u8], current: &Current) {
        let Some(tampering) = &self.tampering else { return };
        match way {
            Way::Up => tampering.see_request(bytes),
            Way::Down if current.lock().unwrap().stream == Stage::Open => {
                tampering.see_stream(bytes, self.companion);
            }
            Way::Down => {}
        }
    }

    /// Notices whether a stream opens. True if it opens with these bytes.
    fn look_at_answer(&self, bytes: &[u8], current: &Current) -> bool {
        let mut current = current.lock().unwrap();
        let status = bytes.strip_prefix(b"HTTP/1.1 ").and_then(|rest| rest.get(..3));
        let Some(status) = status.filter(|_| current.stream == Stage::Asked) else { return false };
        let status = std::str::from_utf8(status).ok().and_then(|digits| digits.parse().ok());
        let opens = status == Some(200);
        current.stream = if opens { Stage::Open } else { Stage::None };
        self.listening.send_modify(|listening| match opens {
            true => *listening = Listening { open: listening.open + 1, ..Listening::default() },
            false => listening.refused = status,
        });
        opens
    }

    /// Writes the companion's port in place of the proxy's: a companion serves no other Host than its own,
    /// whether it is called `127.0.0.1` or `localhost`.
    fn rename_host(&self, head: &mut [u8]) {
        let [proxy, companion] = &self.ports;
        if let Some(at) = head.windows(proxy.len()).position(|window| window == proxy.as_bytes()) {
            head[at..at + companion.len()].copy_from_slice(companion.as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends a request to a proxy of a port where nobody listens, and returns how many broken connections it
    /// then counts.
    async fn fails_after(head: &str) -> usize {
        let nobody = TcpListener::bind(("127.0.0.1", 0)).await.unwrap().local_addr().unwrap().port();
        let proxy = Proxy::before(nobody).await;
        proxy.arm(Kind::Stream, Way::Up, 0, Fault::Stall);
        let mut agent = TcpStream::connect(("127.0.0.1", proxy.port)).await.unwrap();
        agent.write_all(format!("{head} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").as_bytes()).await.unwrap();
        let mut nothing = Vec::new();
        // It ends, one way or the other.
        let _ = agent.read_to_end(&mut nothing).await;
        assert_eq!(proxy.streams(), 0);
        proxy.listening().failed
    }

    #[tokio::test]
    async fn a_question_of_doctor_counts_as_no_agent() {
        assert_eq!(fails_after("GET /mcp").await, 1);
        assert_eq!(fails_after("GET /status").await, 0);
    }
}
