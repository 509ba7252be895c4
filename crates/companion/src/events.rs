//! The events of a companion, and the queue by which they reach its main loop.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use alongside_contract::context::IdeContext;
use alongside_contract::rpc::Id;
use alongside_desk::{
    self as desk, CallAnswer, FileDiagnostics, HookProposal, Problem, Request, ReviewId, Status,
};
use bytes::Bytes;
use tokio::sync::{mpsc, oneshot};

use crate::agents::identity::Identity;
use crate::agents::last_texts::LastText;
use crate::agents::outcome_messages::OpenCall;
use crate::agents::session::SessionRefusal;
use crate::calls::hooks::HookCall;
use crate::calls::registry::Mention;
use crate::config::Editor;
use crate::context::file_scan::ScanResult;
use crate::context::privacy::Privacy;
use crate::desks::notifications::DraftVersion;
use crate::desks::profile::DeskProfile;
use crate::discovery::publisher::Published;
use crate::ids::DeskId;
use crate::last_words::look::Sight;
use crate::persistence::drafts::WrittenDraft;
use crate::reviews::proposal::{NotOpened, PreparedProposal};
use crate::reviews::target::{BadTarget, Fingerprint};
use crate::rules::evaluation::Rules;
use crate::turns::job::WorkDone;

/// An event. The main loop has an arm for each.
#[derive(Debug)]
pub(crate) enum Event {
    // Agents.
    /// An agent asks for a session, and gets its id.
    SessionWanted { identity: Identity, welcomed: oneshot::Sender<Result<String, SessionRefusal>> },
    /// An agent ends its session. Returns whether there was such a session.
    SessionEnded { session: String, ended: oneshot::Sender<bool> },
    /// An agent has called a tool. Of several agents, the one that did so last counts as the one in use.
    AgentHeard(String),
    /// A request begins. It gets an answer if the session is known.
    RequestStarted { session: String, known: oneshot::Sender<Option<StartedRequest>> },
    /// All messages of a request were read.
    RequestRead { session: String },
    /// An agent calls `openDiff`.
    OpenDiff { session: String, open: Box<OpenDiff>, answer: oneshot::Sender<Result<(), NotOpened>> },
    /// An agent calls `closeDiff`.
    CloseDiff { session: String, file_path: String, answer: oneshot::Sender<LastText> },
    /// An agent has answered the ping of this id.
    Receipt { session: String, id: Id },
    /// An agent asks for the problems in files that agents may know of.
    DiagnosticsWanted(oneshot::Sender<Vec<FileDiagnostics>>),
    /// An agent asks for the state of the editors.
    EditorStateWanted(oneshot::Sender<EditorState>),
    /// An agent asks for its stream.
    StreamWanted { session: String, opened: oneshot::Sender<Option<OpenStream>> },
    /// A stream can take another frame.
    StreamDrained { session: String },
    /// The stream of this number has ended.
    StreamEnded { session: String, number: u64 },
    // Hooks.
    /// A hook asks for the roots without links; `None` while nothing is reviewed.
    HookRootsWanted(oneshot::Sender<Option<Arc<[PathBuf]>>>),
    /// A hook has a proposal reviewed.
    HookCalled { proposal: Box<HookProposal>, prepared: Box<PreparedProposal>, call: HookCall },
    /// The companion refuses a file of this patch: the agent writes no file of the patch.
    PatchRefused(String),
    /// The hook of this call has gone without its answer.
    HookGone(u64),
    /// The process of an agent that has a grant, or was at work, has ended.
    AgentEnded(u32),
    // Desks.
    /// Problems that were reported are over, in words for desks.
    ProblemsOver(Vec<Problem>, String),
    /// A desk has joined.
    DeskJoined { desk: DeskId, profile: DeskProfile, events: mpsc::UnboundedSender<desk::Event> },
    /// The names of those that keep the companion when this desk leaves have changed.
    KeepersChanged { desk: DeskId, kept_by: Vec<String> },
    /// A desk requests something.
    DeskAsked { desk: DeskId, request: Request, answer: CallAnswer },
    /// A desk has left.
    DeskLeft(DeskId),
    /// The privacy rules have been asked about this mention.
    MentionChecked { mention: Mention, is_allowed: bool },
    // Turns.
    /// The hook of an agent has taken a snapshot of the working tree of this directory.
    SnapshotTaken(PathBuf),
    /// Some work of turn reviews is done.
    TurnWorkDone(Box<WorkDone>),
    // The disk.
    /// A file or directory that is watched may have changed.
    DiskChanged,
    /// A scan has found the files that agents may know of.
    FilesScanned(Box<ScanResult>),
    /// A directory of a decided review's file may have changed.
    DecidedFileChanged,
    /// A look at the files of decided reviews has ended.
    DecidedFilesSeen(Vec<Sight>),
    /// The target of a review was read again.
    TargetRead { review: ReviewId, fingerprint: Fingerprint },
    // The writer.
    /// A draft is written, or could not be.
    DraftWritten(WrittenDraft),
    /// The agent has written this draft into its file; the draft was never on disk.
    DraftSettled(String),
    /// The wait for this version of a draft has ended, by its write or by a timeout.
    DraftAwaited(DraftVersion),
    /// The journal is written, or the reason why it is not.
    JournalWritten(Option<String>),
    /// The file of the journal is gone: somebody has removed it.
    JournalGone,
    /// The disk is full, and so many bytes are reserved for drafts and journal; `None`: there is room again.
    DiskShort(Option<u64>),
    /// The discovery files are written. Desks are told of problems, unless a caller has `asked`.
    Published { published: Published, asked: bool },
    // The host program.
    /// The workspace changes. Returns the reasons why some agents cannot find it.
    RootsChanged {
        roots: Vec<PathBuf>,
        privacy: Box<Privacy>,
        rules: Box<Rules>,
        changed: oneshot::Sender<Vec<Problem>>,
    },
    /// Other editors are at the companion, as whose companion agents find it. Returns the reasons why some
    /// agents cannot find it.
    EditorsChanged { editors: Vec<Editor>, shown: oneshot::Sender<Vec<Problem>> },
    /// Every editor is gone and may come back.
    Hide(oneshot::Sender<()>),
    /// The companion ends for a successor.
    HandOver(oneshot::Sender<()>),
    /// Somebody asks for the status.
    StatusWanted(oneshot::Sender<Status>),
    /// The companion ends.
    Stop(oneshot::Sender<()>),
}

#[derive(Debug)]
pub(crate) struct OpenDiff {
    /// The number of its request.
    pub(crate) request: u64,
    pub(crate) file_path: String,
    /// The call, if its response is the outcome.
    pub(crate) call: Option<OpenCall>,
    pub(crate) proposal: Result<PreparedProposal, BadTarget>,
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

    pub(crate) async fn ended(&self) {
        self.0.closed().await;
    }

    /// Queues an event when the result is dropped, whatever ends its owner.
    pub(crate) fn on_drop(&self, event: Event) -> SentOnDrop {
        SentOnDrop(Some((self.clone(), event)))
    }

    /// Queues an event and waits for its answer; `None` once the loop has ended.
    pub(crate) async fn ask<T>(&self, event: impl FnOnce(oneshot::Sender<T>) -> Event) -> Option<T> {
        let (answer, answered) = oneshot::channel();
        self.send(event(answer));
        answered.await.ok()
    }
}

/// An event that is queued when this is dropped.
#[derive(Debug)]
pub(crate) struct SentOnDrop(Option<(Events, Event)>);

impl SentOnDrop {
    /// Drops the event, too.
    pub(crate) fn cancel(mut self) {
        self.0 = None;
    }
}

impl Drop for SentOnDrop {
    fn drop(&mut self) {
        if let Some((events, event)) = self.0.take() {
            events.send(event);
        }
    }
}

/// One open stream, as the body of its GET sees it. The loop hears when it is dropped.
#[derive(Debug)]
pub(crate) struct OpenStream {
    pub(crate) session: String,
    pub(crate) frames: mpsc::Receiver<Bytes>,
    pub(crate) events: Events,
    /// Whether to cut the stream, not end it, for a successor: many agents reconnect only after a cut.
    pub(crate) cut: Arc<AtomicBool>,
    /// Tells the loop of the end.
    pub(crate) _ended: SentOnDrop,
}
