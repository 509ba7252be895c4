//! A companion that keeps every rule of the contract, written against its text and not against the product:
//! the suite has to find nothing in it. Each [`Fault`] breaks one rule on purpose, where that rule is kept.

mod context;
mod diffs;
mod editor;
mod endpoint;
mod files;
mod gate;
mod http;
mod lock_file;
mod outcomes;
mod rpc;
mod stream;
mod websocket;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use alongside_agent::find::Surroundings;
use alongside_conformance::Target;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio::time::timeout;

use crate::environment::Environment;
use crate::fault::{Fault, Faults};
use editor::Editor;
use outcomes::Session;

/// The time that a stopping companion waits until its last messages are written, because an agent may have
/// stopped reading.
const LAST_MESSAGES_TIMEOUT: Duration = Duration::from_secs(10);

/// A running companion; it is gone when dropped.
pub(crate) struct Companion {
    pub(crate) shared: Arc<Shared>,
    tasks: [AbortHandle; 4],
}

/// The state that all connections of a companion share.
pub(crate) struct Shared {
    fault: Faults,
    pub(crate) environment: Environment,
    pub(crate) port: u16,
    pub(crate) token: String,
    state: Mutex<State>,
    /// Notified after a change in the editor of which agents learn.
    changed: Notify,
    /// Notified after the end of a stream.
    ended: Notify,
    /// Held while the faulty companion that does one thing at a time reads a request.
    reading: tokio::sync::Mutex<()>,
    /// The state of the faulty companion that confuses agents.
    crossing: endpoint::Crossing,
}

/// The changing part of the state.
#[derive(Default)]
struct State {
    editor: Editor,
    sessions: BTreeMap<String, Session>,
    /// The number of sessions so far.
    opened: usize,
    /// The number of streams so far.
    streams: u64,
    /// Streams that are being written.
    writing: usize,
    /// Agents with a WebSocket, and their reviews.
    peers: Vec<websocket::Peer>,
    tabs: Vec<websocket::Tab>,
    /// WebSockets that are open.
    sockets: usize,
}

impl Companion {
    /// Listens, publishes, and serves.
    pub(crate) async fn start(fault: impl Into<Faults>) -> Self {
        let fault = fault.into();
        let everywhere =
            fault.has(Fault::ListensEverywhere) || fault.has(Fault::ListensEverywhereForWebSockets);
        let address = if everywhere { "0.0.0.0:0" } else { "127.0.0.1:0" };
        let listener = TcpListener::bind(address).await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let token = if fault.has(Fault::ShortToken) { "1234".to_owned() } else { random() };
        let shared = Arc::new(Shared {
            fault,
            environment: Environment::new(),
            port,
            token,
            state: Mutex::default(),
            changed: Notify::new(),
            ended: Notify::new(),
            reading: tokio::sync::Mutex::default(),
            crossing: endpoint::Crossing::default(),
        });
        shared.state().editor.folders.push(shared.environment.project.clone());
        shared.publish();
        let tasks = [
            tokio::spawn(endpoint::serve(Arc::clone(&shared), listener)),
            tokio::spawn(context::send_changes(Arc::clone(&shared))),
            tokio::spawn(context::look_for_vanished_files(Arc::clone(&shared))),
            tokio::spawn(outcomes::free_sessions(Arc::clone(&shared))),
        ];
        Self { shared, tasks: tasks.map(|task| task.abort_handle()) }
    }

    /// Returns the surroundings of an agent in the project.
    pub(crate) fn surroundings(&self) -> Surroundings {
        self.shared.environment.surroundings(self.shared.port)
    }

    /// Returns the companion that an agent there finds.
    pub(crate) fn target(&self) -> Target {
        Target::find(None, self.surroundings()).expect("it is found")
    }

    /// Ends as a closed editor does: rejects the waiting reviews, ends the streams, stops, and removes the
    /// files.
    pub(crate) async fn stop(&self) {
        let shared = &self.shared;
        let _ = timeout(LAST_MESSAGES_TIMEOUT, shared.end_websockets()).await;
        if !shared.has(Fault::PendingForgottenAtStop) {
            shared.reject_all();
        }
        // A stream is cut only after that, whatever the fault.
        let _ = timeout(LAST_MESSAGES_TIMEOUT, shared.has_said_all()).await;
        shared.end_streams();
        let ended = async {
            while shared.state().writing > 0 {
                shared.ended.notified().await;
            }
        };
        if !shared.has(Fault::StreamsOutliveTheStop) {
            let _ = timeout(LAST_MESSAGES_TIMEOUT, ended).await;
        }
        if !shared.has(Fault::ServesAfterStop) && !shared.has(Fault::WebSocketsOutliveTheStop) {
            self.tasks.iter().for_each(AbortHandle::abort);
        }
        if !shared.has(Fault::FilesLeftAtStop) {
            shared.withdraw();
        }
    }
}

impl Drop for Companion {
    fn drop(&mut self) {
        self.tasks.iter().for_each(AbortHandle::abort);
    }
}

impl Shared {
    /// Whether this rule is broken.
    fn has(&self, fault: Fault) -> bool {
        self.fault.has(fault)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// 128 bits from the system, in hexadecimal digits.
fn random() -> String {
    let mut bytes = [0; 16];
    let mut source = std::fs::File::open("/dev/urandom").expect("the system's random numbers");
    std::io::Read::read_exact(&mut source, &mut bytes).expect("random numbers");
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
