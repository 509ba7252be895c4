//! The record of a round while the round lasts. Each task that waits for a response completes its entry.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use anyhow::Result;
use tokio::time::Instant;

use super::project::Project;
use super::record::{Leftovers, Outcome, Record, TroubleKind};
use crate::ide_client;

/// The longest time until a companion is back.
pub(super) const BACK_TIMEOUT: Duration = Duration::from_secs(30);

/// The shared record. Clones share the same record.
#[derive(Clone)]
pub(super) struct SharedRecord {
    record: Arc<Mutex<Record>>,
    /// The files that agents propose for.
    pub(super) project: Project,
    /// The time at which the round began.
    pub(super) start: Instant,
    /// Whether the round is over, so that later outcomes do not count.
    is_sealed: Arc<AtomicBool>,
}

impl SharedRecord {
    pub(super) fn new() -> Self {
        Self {
            record: Arc::default(),
            project: Project::default(),
            start: Instant::now(),
            is_sealed: Arc::default(),
        }
    }

    /// The time since the round began, in milliseconds.
    pub(super) fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Record> {
        self.record.lock().expect("no writer panics")
    }

    /// Adds a trouble that starts now, and returns its index.
    pub(super) fn begin_trouble(&self, kind: TroubleKind, agent: Option<usize>) -> usize {
        let from = self.now();
        self.lock().begin_trouble(kind, agent, from, u64::MAX)
    }

    /// Ends a trouble, unless it has ended.
    pub(super) fn end_trouble(&self, trouble: usize) {
        let now = self.now();
        let trouble = &mut self.lock().troubles[trouble];
        trouble.until = trouble.until.min(now);
    }

    /// Ends these troubles once `back` is ready, or after [`BACK_TIMEOUT`].
    pub(super) async fn end_troubles_after(self, troubles: Vec<usize>, back: impl Future) {
        let _ = tokio::time::timeout(BACK_TIMEOUT, back).await;
        for trouble in troubles {
            self.end_trouble(trouble);
        }
    }

    /// Ends the round, so that later outcomes do not count.
    pub(super) fn seal(&self) {
        self.is_sealed.store(true, Ordering::Release);
    }

    /// Takes the record of a round that is over, and ends its troubles.
    pub(super) fn take(&self, drafts: Vec<String>, strays: Vec<String>, diagnostics: Vec<String>) -> Record {
        let mut record = std::mem::take(&mut *self.lock());
        let end = self.now();
        record.troubles.iter_mut().for_each(|trouble| trouble.until = trouble.until.min(end));
        let leftovers = Leftovers { drafts, targets: self.project.targets_on_disk(), strays };
        Record { leftovers, diagnostics, ..record }
    }

    /// Records the result of an agent's `openDiff`. After an answer in the agent's own prompt, the result is
    /// the text of its `closeDiff`.
    pub(super) fn note_outcome(&self, proposal: usize, outcome: Result<ide_client::Outcome>) {
        let now = self.now();
        let proposal = &mut self.lock().proposals[proposal];
        if proposal.departed.is_some() || self.is_sealed.load(Ordering::Acquire) {
            return;
        }
        match outcome {
            Ok(ide_client::Outcome::Accepted { content }) => match &mut proposal.closed {
                Some(close) => {
                    let text = content.map(Some).ok_or_else(|| "the client got no text".to_owned());
                    close.answered = Some((now, text));
                }
                None => {
                    let text = content.filter(|text| !text.is_empty());
                    let text = text.unwrap_or_else(|| proposal.text.clone());
                    // The agent writes an accepted text; here the rig plays that part.
                    let written = self.project.write(now, Path::new(&proposal.path), &text);
                    written.expect("the project is writable");
                    proposal.outcome = Some((now, Outcome::Accepted(text)));
                }
            },
            Ok(ide_client::Outcome::Rejected) => {
                // The outcome arrived before the response to `closeDiff`.
                proposal.closed = None;
                proposal.outcome = Some((now, Outcome::Rejected));
            }
            Err(error) => {
                let message = error.to_string();
                if message.contains("got the error") {
                    proposal.shown = Some((now, Err(message)));
                }
            }
        }
    }
}
