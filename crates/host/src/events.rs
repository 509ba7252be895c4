//! All events of a host. The [main loop](super::serve) handles each event in one line.

use std::path::PathBuf;
use std::pin::Pin;

use alongside_desk::socket::{Goodbye, Hello, Peer, Report, Welcome};
use alongside_desk::{Desk, HookProposal, SnapshotTaken, Verdict};
use interprocess::local_socket::tokio::Stream;
use tokio::sync::oneshot;

use super::lifecycle::Departure;

/// An event of the main loop.
pub(super) enum Event {
    /// A desk or a keeper wants to join.
    JoinWanted { hello: Box<Hello>, answer: oneshot::Sender<ConnectedDesk> },
    /// A party has disconnected. The answer is whether the host ends as a result.
    Parted { id: u64, departure: Departure, answer: oneshot::Sender<bool> },
    /// The person has focused a desk.
    Focused { id: u64 },
    /// A desk reports which files the person has open.
    ContextReported { id: u64 },
    /// An editor has opened or closed projects.
    RootsChanged { id: u64, added: Vec<PathBuf>, removed: Vec<PathBuf> },
    /// Another process asks for the status of the host.
    ReportWanted(oneshot::Sender<Report>),
    /// A hook wants a review. The answer resolves to its verdict.
    ReviewWanted { proposal: HookProposal, answer: oneshot::Sender<PendingVerdict> },
    /// A hook has taken a snapshot.
    SnapshotTaken(SnapshotTaken),
    /// A successor takes over, or another process stops the host. The requester gets a reply when that is
    /// done.
    EndWanted { how: Goodbye, requester: Peer<Stream> },
    /// A file has changed in the directory of the host's own files.
    FilesChanged,
    /// The next check whether desks can find the host is due.
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

/// A future that resolves at the end of a review. Dropping it ends the review.
pub(super) type PendingVerdict = Pin<Box<dyn Future<Output = Verdict> + Send>>;

/// A desk that has joined.
pub(super) struct ConnectedDesk {
    pub(super) id: u64,
    pub(super) desk: Desk,
    pub(super) welcome: Welcome,
}
