//! The squatter of a round with real processes: a task that takes ports while everything else goes on.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use alongside_agent::{Endpoint, prove};

use super::discovery_files::ports_and_tokens;
use crate::chaos::shared_record::SharedRecord;
use crate::chaos::squatter::Squatter;
use crate::sandbox::Sandbox;

/// How often it tries the ports: a companion is back after some hundred milliseconds.
const POLL: Duration = Duration::from_millis(2);
/// How often it looks for valid tokens, in polls.
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
                self.note_leaks(&sandbox, &record).await;
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// Notes the tokens that it knows and that a live companion accepts.
    pub(super) async fn note_leaks(&self, sandbox: &Sandbox, record: &SharedRecord) {
        for (port, token) in ports_and_tokens(sandbox) {
            let is_known = self.lock().tokens().contains(&token);
            // The file of a killed companion leads nowhere.
            if is_known && prove(&Endpoint::local(port), &token).await.is_ok() {
                record.lock().note_leak(port);
            }
        }
    }
}
