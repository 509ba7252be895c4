//! A runtime on this thread with paused time, which runs only when it is driven. The companion has one, and
//! the agents and desks have another: so the script can freeze or kill the companion between any two of its
//! steps.

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
        // A single blocking thread works in order: when a new job is done, all earlier jobs are done.
        let runtime = builder.enable_all().start_paused(true).max_blocking_threads(1).build()?;
        Ok(Self { runtime })
    }

    /// Runs all tasks for so many turns of the event loop. Time stands still: it advances by itself only in
    /// an idle runtime, and this one always has another turn to run.
    pub(super) fn turn(&self, turns: usize) {
        self.runtime.block_on(async {
            for _ in 0..turns {
                tokio::task::yield_now().await;
            }
        });
    }

    /// Waits until all blocking work is done, which runs on a thread outside of the paused time.
    pub(super) fn finish_blocking_work(&self) {
        // The job fails only if the runtime ends.
        let _ = self.runtime.block_on(self.runtime.spawn_blocking(|| ()));
    }

    pub(super) fn advance(&self, by: Duration) {
        self.runtime.block_on(tokio::time::advance(by));
    }

    /// Runs `work` to its end, and no other runtime meanwhile. Time advances by itself while `work` waits.
    pub(super) fn complete<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    pub(super) fn spawn<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> tokio::task::JoinHandle<T> {
        self.runtime.spawn(work)
    }

    /// Calls a function in the context of the runtime.
    pub(super) fn within<T>(&self, call: impl FnOnce() -> T) -> T {
        let _guard = self.runtime.enter();
        call()
    }
}
