//! The queue of proposals that wait to be read and compared. A comparison takes several times the memory of
//! its texts, and agents may propose many files at once. So the number of bytes in preparation is limited,
//! and other proposals wait in order.
//!
//! The preparation reads from the disk all that a ruling needs. That takes 100 to 200 system calls, on a
//! thread of its own. Only a small proposal for a file that the system has in memory, and that concerns
//! neither a rule nor git, is prepared on the calling thread: another thread would take longer to wake.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Semaphore;

use super::ground::Ground;
use super::large_text::LargeText;
use super::proposal::{OpenProposal, PreparedProposal, RemovedFile};
use super::target::{BadTarget, OpenTarget};
use crate::long_work::MAX_INLINE_BYTES;
use crate::persistence::app_dirs::AppDirs;
use crate::rule::RulesOf;

/// The largest number of bytes that are compared at once. A larger proposal waits until it is the only one.
const MAX_BYTES: u64 = 256 << 20;
/// The number of bytes for each permit of the semaphore.
const BYTES_PER_UNIT: u64 = 4 << 10;

/// The limit of memory for proposals in preparation, and the input of their judgement.
#[derive(Debug)]
pub(crate) struct ProposalQueue {
    room: Semaphore,
    units: u32,
    /// The user's directories, whose settings protect some files.
    dirs: Option<AppDirs>,
    /// The function that reads the rules of repositories within a project.
    rules_of: Option<RulesOf>,
    /// Whether anything may accept a proposal without a person.
    may_accept: Arc<AtomicBool>,
}

impl Default for ProposalQueue {
    fn default() -> Self {
        Self::of(u32::try_from(MAX_BYTES / BYTES_PER_UNIT).unwrap_or(u32::MAX))
    }
}

impl ProposalQueue {
    pub(crate) fn new(dirs: AppDirs, rules_of: Option<RulesOf>, may_accept: Arc<AtomicBool>) -> Self {
        Self { dirs: Some(dirs), rules_of, may_accept, ..Self::default() }
    }

    fn of(units: u32) -> Self {
        let (room, may_accept) = (Semaphore::new(units as usize), Arc::default());
        Self { room, units, dirs: None, rules_of: None, may_accept }
    }

    /// Prepares a proposal whose tool also removes a file: reads and compares that file, once there is room.
    /// Returns `None` after a panic, or when the runtime ends.
    pub(crate) async fn prepare_removal(
        self: &Arc<Self>,
        prepared: PreparedProposal,
        file: String,
        roots: Arc<[PathBuf]>,
    ) -> Option<PreparedProposal> {
        let queue = self.clone();
        let removed = run_blocking(move || RemovedFile::of(file, &queue.ground(&roots))).await?;
        let _room = self.room.acquire_many(self.units_for(removed.size())).await.ok()?;
        run_blocking(move || prepared.with_removed(removed)).await
    }

    fn ground<'a>(&'a self, roots: &'a [PathBuf]) -> Ground<'a> {
        let may_accept = self.may_accept();
        Ground::new(roots, self.dirs.as_ref()).with_rules_of(self.rules_of).with_thorough_search(may_accept)
    }

    fn may_accept(&self) -> bool {
        self.may_accept.load(Ordering::Acquire)
    }

    /// Reads and compares the target, once there is room. Returns `None` after a panic, or when the runtime
    /// ends.
    pub(crate) async fn prepare(
        self: &Arc<Self>,
        file_path: String,
        proposed: Arc<str>,
        roots: Arc<[PathBuf]>,
    ) -> Option<Result<PreparedProposal, BadTarget>> {
        let is_small = proposed.len() <= MAX_INLINE_BYTES && !self.may_accept();
        let cached = if is_small { OpenTarget::open_cached(&file_path) } else { None };
        let open = match cached {
            Some(Err(bad)) => return Some(Err(bad)),
            Some(Ok(target)) => Some(OpenProposal::new(file_path.clone(), target, proposed.clone())),
            None => None,
        };
        let open = match open {
            Some(open) if open.is_isolated() => return Some(Ok(self.prepare_now(open, roots))),
            open => open,
        };
        let queue = self.clone();
        let attempt = run_blocking(move || {
            let open = match open {
                Some(open) => open,
                None => OpenProposal::open(file_path, proposed)?,
            };
            Ok(match queue.room.try_acquire_many(queue.units_for(open.bytes())) {
                Ok(_room) => Attempt::Prepared(queue.prepare_now(open, roots)),
                Err(_) => Attempt::Waits(open, roots),
            })
        });
        match attempt.await? {
            Ok(Attempt::Prepared(proposal)) => Some(Ok(proposal)),
            Ok(Attempt::Waits(open, roots)) => self.prepare_open(open, roots).await.map(Ok),
            Err(bad) => Some(Err(bad)),
        }
    }

    /// Opens the target of a large proposal for [`prepare_large`](Self::prepare_large). Returns `None` after
    /// a panic, or when the runtime ends.
    pub(crate) async fn open(&self, file_path: String) -> Option<Result<OpenTarget, BadTarget>> {
        run_blocking(move || OpenTarget::open(&file_path)).await
    }

    /// Reads and compares the target of a large proposal, once there is room. Returns `None` after a panic,
    /// or when the runtime ends.
    pub(crate) async fn prepare_large(
        self: &Arc<Self>,
        file_path: String,
        target: OpenTarget,
        proposed: Arc<LargeText>,
        roots: Arc<[PathBuf]>,
    ) -> Option<PreparedProposal> {
        let open = run_blocking(move || OpenProposal::new(file_path, target, proposed.shared())).await?;
        self.prepare_open(open, roots).await
    }

    /// Reads and compares an open target, once there is room. Returns `None` after a panic, or when the
    /// runtime ends.
    async fn prepare_open(
        self: &Arc<Self>,
        open: OpenProposal,
        roots: Arc<[PathBuf]>,
    ) -> Option<PreparedProposal> {
        let _room = self.room.acquire_many(self.units_for(open.bytes())).await.ok()?;
        let queue = self.clone();
        run_blocking(move || queue.prepare_now(open, roots)).await
    }

    fn prepare_now(&self, open: OpenProposal, roots: Arc<[PathBuf]>) -> PreparedProposal {
        open.prepare(&self.ground(&roots)).judged_by(roots)
    }

    /// Returns the number of units for these bytes, at most all units.
    fn units_for(&self, bytes: u64) -> u32 {
        u32::try_from(bytes.div_ceil(BYTES_PER_UNIT)).unwrap_or(u32::MAX).clamp(1, self.units)
    }
}

/// The first attempt to prepare a proposal.
enum Attempt {
    Prepared(PreparedProposal),
    /// The proposal waits for room.
    Waits(OpenProposal, Arc<[PathBuf]>),
}

/// Runs work on a thread of its own. Returns `None` after a panic.
async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.inspect_err(|error| tracing::error!(%error, "cannot prepare a proposal")).ok()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn small_proposals_share_room_and_a_large_one_waits() {
        let proposals = ProposalQueue::of(4);
        let soon = |bytes| {
            let room = proposals.room.acquire_many(proposals.units_for(bytes));
            tokio::time::timeout(Duration::from_secs(1), room)
        };
        let (one, two) = (soon(BYTES_PER_UNIT).await.unwrap(), soon(2 * BYTES_PER_UNIT).await.unwrap());
        assert!(soon(2 * BYTES_PER_UNIT).await.is_err(), "one unit is left");
        drop((one, two));
        // A proposal that is larger than all of the room is prepared alone, while others wait.
        let large = soon(1 << 40).await.unwrap();
        assert!(soon(1).await.is_err());
        drop(large);
        assert!(soon(0).await.unwrap().is_ok());
    }
}
