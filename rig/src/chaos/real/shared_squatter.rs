//! The squatter of a round with real processes: a task that takes ports while the round runs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use alongside_agent::{Endpoint, prove};

use super::discovery_files::ports_and_tokens;
use crate::chaos::shared_record::SharedRecord;
use crate::chaos::squatter::Squatter;
use crate::sandbox::Sandbox;

/// The time between two attempts on the ports. A companion is back after a few hundred milliseconds.
const POLL_INTERVAL: Duration = Duration::from_millis(2);
/// The number of attempts between two checks for valid tokens.
const POLLS_PER_CHECK: usize = 10;

/// A squatter that several tasks share.
#[derive(Debug, Clone, Default)]
pub(super) struct SharedSquatter(Arc<Mutex<Squatter>>);

impl SharedSquatter {
    pub(super) fn lock(&self) -> MutexGuard<'_, Squatter> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes ports until the task ends.
    pub(super) async fn run(self, sandbox: Arc<Sandbox>, record: SharedRecord) {
        for poll in 0.. {
            self.lock().poll();
            if poll % POLLS_PER_CHECK == 0 && !self.lock().tokens().is_empty() {
                self.record_leaks(&sandbox, &record).await;
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Records each received token that a live companion accepts.
    pub(super) async fn record_leaks(&self, sandbox: &Sandbox, record: &SharedRecord) {
        for (port, token) in ports_and_tokens(sandbox) {
            let is_known = self.lock().tokens().contains(&token);
            // The discovery file of a killed companion may still be there; its token does not count.
            if is_known && prove(&Endpoint::local(port), &token).await.is_ok() {
                record.lock().add_leak(port);
            }
        }
    }
}
