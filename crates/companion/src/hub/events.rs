//! Everything that can happen to a companion, and the way into its loop.

use std::path::PathBuf;
use std::sync::Arc;

use alongside_contract::mcp::{CallToolResult, Implementation};
use alongside_contract::rpc::Id;
use alongside_desk::{self as desk, Problem, ReviewId, Status};
use tokio::sync::{mpsc, oneshot};

use crate::builder::Editor;
use crate::context::Seen;
use crate::context::privacy::Privacy;
use crate::mcp::gate::Proof;
use crate::mcp::stream::Open;
use crate::review::Proposal;
use crate::review::target::{BadTarget, Fingerprint};
use crate::scribe::Written;

/// What `closeDiff` is answered with: nothing for an unknown session, and for a known one the last text of
/// the review, if there was one.
pub(crate) type LastText = Option<Option<Arc<str>>>;

/// Why an agent gets no session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unwelcome {
    /// The system has no random bytes for its id.
    NoRandom,
    /// There are [as many](crate::session::MOST) as there may be.
    Full,
}

/// Tells desks apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct DeskId(pub(crate) u64);

/// Everything that can happen.
#[derive(Debug)]
pub(crate) enum Event {
    // An agent, by way of its requests.
    SessionWanted {
        client: Implementation,
        version: String,
        proof: Proof,
        welcomed: oneshot::Sender<Result<String, Unwelcome>>,
    },
    SessionEnded {
        session: String,
        ended: oneshot::Sender<bool>,
    },
    PostStarted {
        session: String,
        /// Its [number](crate::session::posts), if the session is known.
        known: oneshot::Sender<Option<u64>>,
    },
    PostRead {
        session: String,
    },
    OpenDiff {
        session: String,
        /// The number of its request.
        post: u64,
        file_path: String,
        proposal: Box<Result<Proposal, BadTarget>>,
        answer: oneshot::Sender<Option<CallToolResult>>,
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
    // An agent's stream.
    StreamWanted {
        session: String,
        opened: oneshot::Sender<Option<Open>>,
    },
    StreamDrained {
        session: String,
    },
    StreamEnded {
        session: String,
        number: u64,
    },
    // A desk.
    DeskJoined {
        desk: DeskId,
        observes: bool,
        events: mpsc::UnboundedSender<desk::Event>,
    },
    DeskAsked {
        desk: DeskId,
        call: desk::Call,
    },
    DeskLeft {
        desk: DeskId,
    },
    // Whoever looks at the disk.
    /// Something may be otherwise than when it was looked at.
    DiskChanged,
    FilesSeen(Box<Seen>),
    TargetRead {
        review: ReviewId,
        seen: Fingerprint,
    },
    // The scribe.
    DraftWritten(Written),
    /// The agent has written this draft into its file; it was never on disk.
    DraftSettled(String),
    /// The journal, or why not.
    JournalWritten(Option<String>),
    /// Somebody has taken it away.
    JournalGone,
    /// The disk is full, and so many bytes are still held for drafts and journal; `None` once there is room
    /// again.
    DiskShort(Option<u64>),
    /// The discovery files are written; what keeps which agents from finding us, which whoever `asked` is
    /// told.
    Published {
        problems: Vec<Problem>,
        /// Somebody else has a name that we want.
        has_rival: bool,
        asked: bool,
    },
    /// Somebody has waited for this one: its id and what it is numbered with.
    DraftAwaited((String, u64)),
    // The host program.
    RootsChanged {
        roots: Vec<PathBuf>,
        privacy: Box<Privacy>,
        changed: oneshot::Sender<Vec<Problem>>,
    },
    EditorChanged {
        editor: Editor,
        shown: oneshot::Sender<Vec<Problem>>,
    },
    Hide(oneshot::Sender<()>),
    HandOver(oneshot::Sender<()>),
    Focused,
    StatusWanted(oneshot::Sender<Status>),
    Stop(oneshot::Sender<()>),
}

/// Where events go.
#[derive(Debug, Clone)]
pub(crate) struct Events(mpsc::UnboundedSender<Event>);

impl Events {
    pub(crate) fn channel() -> (Self, mpsc::UnboundedReceiver<Event>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Self(sender), receiver)
    }

    /// Tells the loop; after its end nobody listens, and nothing is left to tell.
    pub(crate) fn send(&self, event: Event) {
        let _ = self.0.send(event);
    }

    /// Asks the loop; `None` once it has ended.
    pub(crate) async fn ask<T>(&self, event: impl FnOnce(oneshot::Sender<T>) -> Event) -> Option<T> {
        let (answer, answered) = oneshot::channel();
        self.send(event(answer));
        answered.await.ok()
    }
}
