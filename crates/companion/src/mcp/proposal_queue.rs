//! The queue of proposals that wait to be read and compared. That takes several times their size in memory,
//! and agents may propose many at once. So the bytes in preparation are limited, and others wait in order.

use tokio::sync::Semaphore;

use crate::reviews::proposal::Proposal;
use crate::reviews::target::{BadTarget, size};

/// The bytes of text that are compared at once. A larger proposal waits until it is alone.
const MAX_BYTES: u64 = 256 << 20;
/// The bytes per permit of the semaphore.
const UNIT: u64 = 4 << 10;

#[derive(Debug)]
pub(crate) struct ProposalQueue {
    room: Semaphore,
    units: u32,
}

impl Default for ProposalQueue {
    fn default() -> Self {
        Self::of(u32::try_from(MAX_BYTES / UNIT).unwrap_or(u32::MAX))
    }
}

impl ProposalQueue {
    fn of(units: u32) -> Self {
        Self { room: Semaphore::new(units as usize), units }
    }

    /// Reads the target and compares, once there is room. `None` after a panic, or as the runtime ends.
    pub(crate) async fn prepare(
        &self,
        file_path: String,
        proposed: String,
    ) -> Option<Result<Proposal, BadTarget>> {
        let path = file_path.clone();
        let on_disk = tokio::task::spawn_blocking(move || size(&path)).await.ok()?;
        let _room = self.take((proposed.len() as u64).saturating_add(on_disk)).await?;
        let prepared = tokio::task::spawn_blocking(|| Proposal::prepare(file_path, proposed)).await;
        prepared.inspect_err(|error| tracing::error!(%error, "cannot prepare a proposal")).ok()
    }

    /// Takes room for so many bytes, or all of the room for more.
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
    async fn small_proposals_share_room_and_a_large_one_waits() {
        let proposals = ProposalQueue::of(4);
        let soon = |bytes| tokio::time::timeout(Duration::from_secs(1), proposals.take(bytes));
        let (one, two) = (soon(UNIT).await.unwrap(), soon(2 * UNIT).await.unwrap());
        assert!(soon(2 * UNIT).await.is_err(), "one unit is left");
        drop((one, two));
        // A proposal larger than all of the room is prepared alone; others wait meanwhile.
        let large = soon(1 << 40).await.unwrap();
        assert!(soon(1).await.is_err());
        drop(large);
        assert!(soon(0).await.unwrap().is_some());
    }
}
