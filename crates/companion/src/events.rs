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
use crate::discovery::publisher::PublishResult;
use crate::ids::DeskId;
use crate::last_words::look::LookResult;
use crate::persistence::drafts::WrittenDraft;
use crate::reviews::large_text::LargeText;
use crate::reviews::proposal::{NotOpened, PreparedProposal};
use crate::reviews::target::{BadTarget, Fingerprint};
use crate::rules::evaluation::Rules;
use crate::turns::job::JobResult;

/// An event for the main loop, whose `handle` has an arm for each variant.
#[derive(Debug)]
pub(crate) enum Event {
    // Agents.
    /// An agent asks for a session. The answer is the id of the session.
    SessionWanted { identity: Identity, answer: oneshot::Sender<Result<String, SessionRefusal>> },
    /// An agent ends its session. The answer is whether there was such a session.
    SessionEnded { session: String, answer: oneshot::Sender<bool> },
    /// An agent has called a tool. The agent with the last call counts as the agent in use.
    ToolCalled(String),
    /// A request of an agent begins. The answer is `None` if its session is unknown.
    RequestStarted { session: String, answer: oneshot::Sender<Option<StartedRequest>> },
    /// The main loop has got all messages of a request.
    RequestRead { session: String },
    /// An agent calls `openDiff`. The answer waits for the journal.
    OpenDiff { session: String, open: OpenDiff, answer: oneshot::Sender<Result<(), NotOpened>> },
    /// The [unprepared](Proposal::Unprepared) proposal of this text is compared with its file. `None` if that
    /// is impossible.
    ProposalPrepared { proposed: Arc<LargeText>, prepared: Option<Box<PreparedProposal>> },
    /// An agent calls `closeDiff`.
    CloseDiff { session: String, file_path: String, answer: oneshot::Sender<LastText> },
    /// An agent has answered the ping of this id.
    Receipt { session: String, id: Id },
    /// An agent asks for the problems in files that agents may know of.
    DiagnosticsWanted(oneshot::Sender<Vec<FileDiagnostics>>),
    /// An agent asks for the state of the editors.
    EditorStateWanted(oneshot::Sender<EditorState>),
    /// An agent asks for its stream.
    StreamWanted { session: String, answer: oneshot::Sender<Option<OpenStream>> },
    /// A stream can take another frame.
    StreamDrained { session: String },
    /// The stream of this number has ended.
    StreamEnded { session: String, number: u64 },
    // Hooks.
    /// A hook asks for the roots without links. The answer is `None` while nothing is reviewed.
    HookRootsWanted(oneshot::Sender<Option<Arc<[PathBuf]>>>),
    /// A hook asks for the review of a proposal.
    HookCalled { proposal: Box<HookProposal>, prepared: Box<PreparedProposal>, call: HookCall },
    /// The companion refuses a file of this patch: the agent writes no file of the patch.
    PatchRefused(String),
    /// The hook of this call has ended without its answer.
    HookEnded(u64),
    /// The process of an agent that has a grant, or was at work, has ended.
    AgentEnded(u32),
    // Desks.
    /// Reported problems are over. The text reports that to people.
    ProblemsOver(Vec<Problem>, String),
    /// A desk has joined.
    DeskJoined { desk: DeskId, profile: DeskProfile, events: mpsc::UnboundedSender<desk::Event> },
    /// The parties that keep the companion when this desk leaves have changed. `kept_by` has their names.
    KeepersChanged { desk: DeskId, kept_by: Vec<String> },
    /// A desk sends a request.
    DeskAsked { desk: DeskId, request: Request, answer: CallAnswer },
    /// A desk has left.
    DeskLeft(DeskId),
    /// The privacy rules have been applied to the file of this mention.
    MentionChecked { mention: Mention, is_allowed: bool },
    // Turns.
    /// The hook of an agent has taken a snapshot of the working tree of this directory.
    SnapshotTaken(PathBuf),
    /// A job of turn reviews is done.
    TurnJobDone(Box<JobResult>),
    // The disk.
    /// A watched file or directory may have changed.
    DiskChanged,
    /// A scan has found the files that agents may know of.
    FilesScanned(Box<ScanResult>),
    /// A directory of a decided review's file may have changed.
    DecidedFileChanged,
    /// A look at the files of decided reviews has ended.
    DecidedFilesChecked(Vec<LookResult>),
    /// The target of a review was read again.
    TargetRead { review: ReviewId, fingerprint: Fingerprint },
    // The writer.
    /// The writer has written a draft, or the write has failed.
    DraftWritten(WrittenDraft),
    /// The agent has written this draft into its file; the draft was never on disk.
    DraftSettled(String),
    /// The wait for this version of a draft has ended, by its write or by a timeout.
    DraftWaitEnded(DraftVersion),
    /// The journal is written, or the write has failed for this reason.
    JournalWritten(Option<String>),
    /// Another program has removed the file of the journal.
    JournalRemoved,
    /// The disk is full, and this many bytes are reserved for drafts and journal. `None`: the disk has room
    /// again.
    DiskSpaceChanged(Option<u64>),
    /// The discovery files are written. Desks get the problems, unless a caller has `asked` for them.
    Published { result: PublishResult, asked: bool },
    // The host program.
    /// The workspace changes. The answer has the reasons why some agents cannot find the companion.
    WorkspaceChanged {
        roots: Vec<PathBuf>,
        privacy: Box<Privacy>,
        rules: Box<Rules>,
        answer: oneshot::Sender<Vec<Problem>>,
    },
    /// Agents shall find the companion under other editors. The answer has the reasons why some agents cannot
    /// find it.
    EditorsChanged { editors: Vec<Editor>, answer: oneshot::Sender<Vec<Problem>> },
    /// Every editor has left and may come back.
    Hide(oneshot::Sender<()>),
    /// The companion ends for a successor.
    HandOver(oneshot::Sender<()>),
    /// The host program asks for the status.
    StatusWanted(oneshot::Sender<Status>),
    /// The companion ends.
    Stop(oneshot::Sender<()>),
}

#[derive(Debug)]
pub(crate) struct OpenDiff {
    /// The number of the request that has this call.
    pub(crate) request: u64,
    pub(crate) file_path: String,
    /// The call, if its response is the outcome.
    pub(crate) call: Option<OpenCall>,
    pub(crate) proposal: Proposal,
}

/// The proposal of an `openDiff`.
#[derive(Debug)]
pub(crate) enum Proposal {
    /// The proposal is compared with its file, or there is a reason why it cannot be shown.
    Prepared(Result<Box<PreparedProposal>, BadTarget>),
    /// A large text whose target can be opened. [`Event::ProposalPrepared`] follows.
    Unprepared(Arc<LargeText>),
}

/// A request of a known session, before its messages are read.
#[derive(Debug, Clone, Default)]
pub(crate) struct StartedRequest {
    /// The [number](crate::agents::in_flight) of this request.
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
    /// Returns a queue for the main loop: the sending and the receiving end.
    pub(crate) fn channel() -> (Self, mpsc::UnboundedReceiver<Event>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Self(sender), receiver)
    }

    /// Queues an event. After the end of the loop the event is dropped, because no work is left.
    pub(crate) fn send(&self, event: Event) {
        let _ = self.0.send(event);
    }

    /// Waits until the main loop has ended.
    pub(crate) async fn wait_for_end(&self) {
        self.0.closed().await;
    }

    /// Returns a guard that queues the event when it is dropped, whatever ends the owner of the guard.
    pub(crate) fn queue_on_drop(&self, event: Event) -> EventOnDrop {
        EventOnDrop(Some((self.clone(), event)))
    }

    /// Queues an event and waits for its answer; `None` once the loop has ended.
    pub(crate) async fn ask<T>(&self, event: impl FnOnce(oneshot::Sender<T>) -> Event) -> Option<T> {
        let (answer, receiver) = oneshot::channel();
        self.send(event(answer));
        receiver.await.ok()
    }
}

/// A guard that queues its event when it is dropped.
#[derive(Debug)]
pub(crate) struct EventOnDrop(Option<(Events, Event)>);

impl EventOnDrop {
    /// Drops the guard without queuing its event.
    pub(crate) fn cancel(mut self) {
        self.0 = None;
    }
}

impl Drop for EventOnDrop {
    fn drop(&mut self) {
        if let Some((events, event)) = self.0.take() {
            events.send(event);
        }
    }
}

/// An open stream, as the body of its GET holds it. The loop gets an event when the stream is dropped.
#[derive(Debug)]
pub(crate) struct OpenStream {
    pub(crate) session: String,
    pub(crate) frames: mpsc::Receiver<Bytes>,
    pub(crate) events: Events,
    /// Whether the stream is cut instead of ended, for a successor: many agents reconnect only after a cut.
    pub(crate) cut: Arc<AtomicBool>,
    /// Reports the end of the stream to the loop.
    pub(crate) _ended: EventOnDrop,
}
