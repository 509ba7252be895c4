//! A party's own clock: a runtime on this thread whose time is paused and that runs only when driven. So the
//! script can freeze a party, let it fall behind, and kill it between any two of its steps.

use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

/// A paused runtime. Dropping it ends its tasks, connections and listeners, as a kill would.
#[derive(Debug)]
pub(super) struct Clock {
    runtime: Runtime,
}

impl Clock {
    pub(super) fn new() -> anyhow::Result<Self> {
        let mut builder = Builder::new_current_thread();
        // One blocking thread works in order, so that one more job shows when all before it are done.
        let runtime = builder.enable_all().start_paused(true).max_blocking_threads(1).build()?;
        Ok(Self { runtime })
    }

    /// Runs all tasks for so many turns. Time stands still: it advances by itself only in an idle runtime,
    /// and this one always has the next turn to take.
    pub(super) fn turn(&self, turns: usize) {
        self.runtime.block_on(async {
            for _ in 0..turns {
                tokio::task::yield_now().await;
            }
        });
    }

    /// Waits for blocking work, which runs on threads outside the paused time.
    pub(super) fn finish_blocking_work(&self) {
        // The job fails only if the runtime ends.
        let _ = self.runtime.block_on(self.runtime.spawn_blocking(|| ()));
    }

    pub(super) fn advance(&self, by: Duration) {
        self.runtime.block_on(tokio::time::advance(by));
    }

    /// Runs `work` to its end, and no other party meanwhile. Time advances by itself while it waits.
    pub(super) fn complete<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    pub(super) fn spawn<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> tokio::task::JoinHandle<T> {
        self.runtime.spawn(work)
    }

    /// Calls `call` in the context of the runtime.
    pub(super) fn within<T>(&self, call: impl FnOnce() -> T) -> T {
        let _guard = self.runtime.enter();
        call()
    }
}
