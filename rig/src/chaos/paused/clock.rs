//! A party's own time: a runtime on this thread whose clock stands still until it is told to go on, and that
//! runs only when it is driven. So a party can be frozen, and fall behind, and be killed between any two of
//! its steps.

use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

/// See the module. Dropping it ends everything in it, as a kill would: tasks, connections, listeners.
#[derive(Debug)]
pub(super) struct Clock {
    runtime: Runtime,
}

impl Clock {
    pub(super) fn new() -> anyhow::Result<Self> {
        let mut builder = Builder::new_current_thread();
        // One thread for blocking work does it in order, so that one more job says when all before it are
        // done.
        let runtime = builder.enable_all().start_paused(true).max_blocking_threads(1).build()?;
        Ok(Self { runtime })
    }

    /// Lets everybody here take so many turns. The clock stands: it goes on by itself only for a runtime that
    /// has nothing to do, and this one always has the next turn.
    pub(super) fn turn(&self, turns: usize) {
        self.runtime.block_on(async {
            for _ in 0..turns {
                tokio::task::yield_now().await;
            }
        });
    }

    /// Waits for blocking work, whose threads know nothing of the clock.
    pub(super) fn until_written(&self) {
        // It ends with an error only if the runtime does.
        let _ = self.runtime.block_on(self.runtime.spawn_blocking(|| ()));
    }

    pub(super) fn advance(&self, by: Duration) {
        self.runtime.block_on(tokio::time::advance(by));
    }

    /// Runs something to its end, and nobody else meanwhile. The clock runs ahead where it waits.
    pub(super) fn complete<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    pub(super) fn spawn<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> tokio::task::JoinHandle<T> {
        self.runtime.spawn(work)
    }

    /// For what wants to be called within a runtime.
    pub(super) fn within<T>(&self, call: impl FnOnce() -> T) -> T {
        let _guard = self.runtime.enter();
        call()
    }
}
