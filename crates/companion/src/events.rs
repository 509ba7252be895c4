//! Everything that can happen to a companion, and the way into its main loop.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use alongside_contract::context::IdeContext;
use alongside_contract::family::Dialect;
use alongside_contract::mcp::Implementation;
use alongside_contract::rpc::Id;
use alongside_desk::{
    self as desk, CallAnswer, FileDiagnostics, HookProposal, Problem, ReviewId, Status, StoodBack,
};
use bytes::Bytes;
use tokio::sync::{mpsc, oneshot};

use crate::agents::credential::Credential;
use crate::agents::last_texts::LastText;
use crate::agents::outcome_messages::OpenCall;
use crate::agents::session::SessionRefusal;
use crate::calls::hooks::HookCall;
use crate::config::Editor;
use crate::context::file_scan::ScanResult;
use crate::context::privacy::Privacy;
use crate::desks::profile::DeskProfile;
use crate::desks::request::DeskRequest;
use crate::discovery::publisher::Published;
use crate::ids::DeskId;
use crate::persistence::drafts::WrittenDraft;
use crate::reviews::proposal::{NotOpened, Proposal};
use crate::reviews::target::{BadTarget, Fingerprint};

/// Everything that can happen.
#[derive(Debug)]
pub(crate) enum Event {
    // Requests of agents.
    SessionWanted {
        client: Implementation,
        version: String,
        credential: Credential,
        dialect: Dialect,
        welcomed: oneshot::Sender<Result<String, SessionRefusal>>,
    },
    SessionEnded {
        session: String,
        ended: oneshot::Sender<bool>,
    },
    /// The agent is used: of several, the one heard last counts.
    AgentHeard {
        session: String,
    },
    RequestStarted {
        session: String,
        /// Gets the answer if the session is known.
        known: oneshot::Sender<Option<StartedRequest>>,
    },
    RequestRead {
        session: String,
    },
    OpenDiff {
        session: String,
        /// The number of its request.
        request: u64,
        file_path: String,
        /// The call, if its response is the outcome.
        call: Option<OpenCall>,
        proposal: Box<Result<Proposal, BadTarget>>,
        answer: oneshot::Sender<Result<(), NotOpened>>,
    },
    CloseDiff {
        session: String,
        file_path: String,
        answer: oneshot::Sender<LastText>,
    },
    Receipt {
        session: String,
        id: Id,
    },
    /// Gets the problems in files that agents may know of.
    DiagnosticsWanted(oneshot::Sender<Vec<FileDiagnostics>>),
    EditorStateWanted(oneshot::Sender<EditorState>),
    // Streams of agents.
    StreamWanted {
        session: String,
        opened: oneshot::Sender<Option<OpenStream>>,
    },
    StreamDrained {
        session: String,
    },
    StreamEnded {
        session: String,
        number: u64,
    },
    // Hooks of agents.
    /// Gets the roots without links; `None` while nothing is reviewed.
    HookRootsWanted(oneshot::Sender<Option<Arc<[PathBuf]>>>),
    HookCalled {
        proposal: Box<HookProposal>,
        prepared: Box<Proposal>,
        call: HookCall,
    },
    /// A hook has gone without its answer.
    HookGone {
        /// That of its call.
        number: u64,
    },
    /// A hook has let a tool call go on without a review.
    HookStoodBack(StoodBack),
    // Desks.
    DeskJoined {
        desk: DeskId,
        profile: DeskProfile,
        events: mpsc::UnboundedSender<desk::Event>,
    },
    KeepersChanged {
        desk: DeskId,
        kept_by: Vec<String>,
    },
    DeskAsked {
        desk: DeskId,
        request: DeskRequest,
        answer: CallAnswer,
    },
    DeskLeft {
        desk: DeskId,
    },
    /// The privacy rules allow a mention, or not.
    MentionChecked {
        number: u64,
        is_allowed: bool,
    },
    // The disk.
    /// A file or directory that is watched may have changed.
    DiskChanged,
    FilesScanned(Box<ScanResult>),
    TargetRead {
        review: ReviewId,
        fingerprint: Fingerprint,
    },
    // The writer.
    DraftWritten(WrittenDraft),
    /// The agent has written this draft into its file; the draft was never on disk.
    DraftSettled(String),
    /// The journal is written, or the reason why it is not.
    JournalWritten(Option<String>),
    /// Somebody has removed the journal.
    JournalGone,
    /// The disk is full, and so many bytes are reserved for drafts and journal; `None`: there is room again.
    DiskShort(Option<u64>),
    Published {
        published: Published,
        /// The problems are returned to a caller, so desks need not be told.
        asked: bool,
    },
    /// Nobody waits any longer for this draft: its id and its number.
    DraftAwaited((String, u64)),
    /// An agent that was answered in its own prompt has not written the person's edits.
    EditsLeftOut {
        file: String,
        agent: String,
    },
    // The host program.
    RootsChanged {
        roots: Vec<PathBuf>,
        privacy: Box<Privacy>,
        changed: oneshot::Sender<Vec<Problem>>,
    },
    EditorsChanged {
        editors: Vec<Editor>,
        shown: oneshot::Sender<Vec<Problem>>,
    },
    Hide(oneshot::Sender<()>),
    HandOver(oneshot::Sender<()>),
    Focused,
    StatusWanted(oneshot::Sender<Status>),
    Stop(oneshot::Sender<()>),
}

/// A request of a known session, before its messages are read.
#[derive(Debug, Clone, Default)]
pub(crate) struct StartedRequest {
    /// Its [number](crate::agents::in_flight).
    pub(crate) number: u64,
    /// The workspace roots without links.
    pub(crate) roots: Arc<[PathBuf]>,
}

/// The state of all editors, as far as agents may know it.
#[derive(Debug, Clone, Default)]
pub(crate) struct EditorState {
    pub(crate) context: IdeContext,
    /// The files of the context with unsaved changes.
    pub(crate) dirty: BTreeSet<String>,
    pub(crate) roots: Vec<PathBuf>,
}

/// The sending end of the main loop's queue.
#[derive(Debug, Clone)]
pub(crate) struct Events(mpsc::UnboundedSender<Event>);

impl Events {
    pub(crate) fn channel() -> (Self, mpsc::UnboundedReceiver<Event>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Self(sender), receiver)
    }

    /// Queues an event. After the end of the loop it is dropped: nothing is left to do then.
    pub(crate) fn send(&self, event: Event) {
        let _ = self.0.send(event);
    }

    /// Waits for the end of the loop.
    pub(crate) async fn ended(&self) {
        self.0.closed().await;
    }

    /// Queues an event and waits for its answer; `None` once the loop has ended.
    pub(crate) async fn ask<T>(&self, event: impl FnOnce(oneshot::Sender<T>) -> Event) -> Option<T> {
        let (answer, answered) = oneshot::channel();
        self.send(event(answer));
        answered.await.ok()
    }
}

/// One open stream, as the body of its GET sees it. The loop hears when it is dropped.
#[derive(Debug)]
pub(crate) struct OpenStream {
    pub(crate) session: String,
    pub(crate) number: u64,
    pub(crate) frames: mpsc::Receiver<Bytes>,
    pub(crate) events: Events,
    /// Whether to cut the stream, not end it, for a successor: many agents reconnect only after a cut.
    pub(crate) cut: Arc<AtomicBool>,
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let session = std::mem::take(&mut self.session);
        self.events.send(Event::StreamEnded { session, number: self.number });
    }
}
