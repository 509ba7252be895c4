//! Everything that can happen to a host. The [main loop](super::serve) handles each event in one line.

use std::path::PathBuf;
use std::pin::Pin;

use alongside_desk::socket::{Goodbye, Hello, Peer, Report, Welcome};
use alongside_desk::{Desk, HookProposal, SnapshotTaken, Verdict};
use interprocess::local_socket::tokio::Stream;
use tokio::sync::oneshot;

/// An event of the main loop.
pub(super) enum Event {
    /// A desk or a keeper wants to join.
    JoinWanted { hello: Box<Hello>, admitted: oneshot::Sender<ConnectedDesk> },
    /// A desk has `left`, or vanished. The answer says whether the host ends with it.
    Parted { id: u64, left: bool, ends: oneshot::Sender<bool> },
    /// The person has turned to a desk.
    Focused { id: u64 },
    /// A desk reports what its person has open.
    ContextReported { id: u64 },
    /// An editor has opened or closed projects.
    RootsChanged { id: u64, added: Vec<PathBuf>, removed: Vec<PathBuf> },
    /// Another process asks how the host is.
    ReportWanted(oneshot::Sender<Report>),
    /// A hook wants a review. The answer resolves to its verdict.
    ReviewWanted { proposal: HookProposal, begun: oneshot::Sender<PendingVerdict> },
    /// A hook has taken a snapshot.
    SnapshotTaken(SnapshotTaken),
    /// A successor takes over, or another process stops the host; it is answered when that is done.
    EndWanted { how: Goodbye, arrival: Peer<Stream> },
    /// Files have changed where the host's own lie.
    FilesChanged,
    /// It is time to check that desks can find the host.
    CheckDue,
    /// A deadline of the lifecycle is due.
    DeadlineDue,
    /// The process of an editor has ended.
    EditorEnded(u32),
    /// The process of a party that has not joined yet has ended.
    ExpectedEnded(u32),
    /// The system has sent this signal.
    Signal(i32),
}

/// Resolves at the end of a review, which ends if this is dropped.
pub(super) type PendingVerdict = Pin<Box<dyn Future<Output = Verdict> + Send>>;

/// A desk that was let in.
pub(super) struct ConnectedDesk {
    pub(super) id: u64,
    pub(super) desk: Desk,
    pub(super) welcome: Welcome,
}
