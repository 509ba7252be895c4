//! Proposals on their way to the loop. Reading and comparing one takes several times its bytes of memory, and
//! agents may propose as many at once as they like: so many bytes are prepared at a time, and the next
//! proposals wait in the order in which they came.

use tokio::sync::Semaphore;

use crate::reviews::proposal::Proposal;
use crate::reviews::target::{BadTarget, size};

/// How many bytes of texts are compared at once. A proposal with more waits until it is alone.
const AT_ONCE: u64 = 256 << 20;
/// Bytes are counted by so many.
const UNIT: u64 = 4 << 10;

/// Where proposals are prepared.
#[derive(Debug)]
pub(crate) struct ProposalQueue {
    room: Semaphore,
    units: u32,
}

impl Default for ProposalQueue {
    fn default() -> Self {
        Self::of(u32::try_from(AT_ONCE / UNIT).unwrap_or(u32::MAX))
    }
}

impl ProposalQueue {
    fn of(units: u32) -> Self {
        Self { room: Semaphore::new(units as usize), units }
    }

    /// Reads the target and compares, as soon as there is room. `None` if that failed as nothing should.
    pub(crate) async fn prepare(
        &self,
        file_path: String,
        proposed: String,
    ) -> Option<Result<Proposal, BadTarget>> {
        let path = file_path.clone();
        let on_disk = tokio::task::spawn_blocking(move || size(&path)).await.ok()?;
        let _room = self.take((proposed.len() as u64).saturating_add(on_disk)).await?;
        // Both take time, which the loop has not.
        let prepared = tokio::task::spawn_blocking(|| Proposal::prepare(file_path, proposed)).await;
        prepared.inspect_err(|error| tracing::error!(%error, "a proposal could not be prepared")).ok()
    }

    /// Room for so many bytes; all there is for more than that.
    async fn take(&self, bytes: u64) -> Option<tokio::sync::SemaphorePermit<'_>> {
        let units = u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX).clamp(1, self.units);
        self.room.acquire_many(units).await.ok()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn small_proposals_share_the_room_and_a_large_one_waits_for_it() {
        let proposals = ProposalQueue::of(4);
        let soon = |bytes| tokio::time::timeout(Duration::from_secs(1), proposals.take(bytes));
        let (one, two) = (soon(UNIT).await.unwrap(), soon(2 * UNIT).await.unwrap());
        assert!(soon(2 * UNIT).await.is_err(), "one unit is left");
        drop((one, two));
        // Larger than all of it, and prepared all the same; whatever comes meanwhile waits.
        let large = soon(1 << 40).await.unwrap();
        assert!(soon(1).await.is_err());
        drop(large);
        assert!(soon(0).await.unwrap().is_some());
    }
}
