//! The calls of hooks, each from its proposal to its verdict. Calls wait beside the main loop.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use alongside_desk::{HookProposal, Operation, Verdict};
use tokio::time::Instant;

use crate::calls::hooks::HookCall;
use crate::events::{Event, Events};
use crate::reviews::proposal_queue::ProposalQueue;

/// The longest wait for a decision.
const MAX_PATIENCE: Duration = Duration::from_secs(24 * 60 * 60);

const BROKEN_OFF: &str =
    "The companion has stopped. If the person typed something, `alongside drafts` lists it.";

/// The state that all calls of a companion share.
#[derive(Debug)]
pub(crate) struct HookCalls {
    events: Events,
    proposals: Arc<ProposalQueue>,
    /// The largest text, in bytes.
    max_bytes: usize,
    last: AtomicU64,
}

impl HookCalls {
    pub(crate) fn new(events: Events, proposals: Arc<ProposalQueue>, max_bytes: usize) -> Self {
        Self { events, proposals, max_bytes, last: AtomicU64::new(1) }
    }

    /// Opens a review and waits for its verdict. The review ends if the returned future is dropped.
    pub(crate) async fn review(&self, proposal: HookProposal) -> Verdict {
        let patch = proposal.patch.clone();
        let verdict = self.verdict(proposal).await;
        // The hook refuses a patch of which one file is not reviewed.
        if let (Verdict::Refused { .. } | Verdict::NotReviewed, Some(patch)) = (&verdict, patch) {
            self.events.send(Event::PatchRefused(patch));
        }
        verdict
    }

    async fn verdict(&self, proposal: HookProposal) -> Verdict {
        let until = Instant::now() + Duration::from_millis(proposal.patience_ms).min(MAX_PATIENCE);
        let broken_off = || Verdict::Undecided { message: BROKEN_OFF.into(), draft: None };
        let roots = match self.events.ask(Event::HookRootsWanted).await {
            Some(Some(roots)) => roots,
            Some(None) => return Verdict::NotReviewed,
            None => return broken_off(),
        };
        if proposal.proposed.len() > self.max_bytes {
            return refused_verdict(
                &proposal,
                &format!("is larger than {} MB after this change", self.max_bytes >> 20),
            );
        }
        let text = proposal.proposed.clone();
        let prepared = self.proposals.prepare(proposal.file.clone(), text, roots.clone()).await;
        let mut prepared = match prepared {
            Some(Ok(prepared)) => prepared,
            Some(Err(bad)) => return Verdict::Refused { message: format!("Nothing was written: {bad}.") },
            None => return broken_off(),
        };
        if let Some(real) = prepared.outside() {
            let why = match Path::new(real) == Path::new(&proposal.file) {
                true => format!("is outside the project {}", listed(&roots)),
                false => format!("leads to {real}, which is outside the project {}", listed(&roots)),
            };
            return refused_verdict(&proposal, &why);
        }
        if let Operation::Move { from } = proposal.operation.clone() {
            match self.proposals.prepare_removal(prepared, from, roots).await {
                Some(with_removed) => prepared = with_removed,
                None => return broken_off(),
            }
        }
        let number = self.last.fetch_add(1, Ordering::Relaxed);
        let end_guard = self.events.queue_on_drop(Event::HookEnded(number));
        let calls_again = proposal.calls_again;
        let (proposal, prepared) = (Box::new(proposal), Box::new(prepared));
        let verdict = self.events.ask(|answer| Event::HookCalled {
            proposal,
            prepared,
            call: HookCall { number, until, calls_again, answer },
        });
        let verdict = verdict.await.unwrap_or_else(broken_off);
        end_guard.cancel();
        verdict
    }
}

fn refused_verdict(proposal: &HookProposal, why: &str) -> Verdict {
    let message =
        format!("Nothing was written: {} {why}, and alongside shows no such change.", proposal.file);
    Verdict::Refused { message }
}

fn listed(roots: &[PathBuf]) -> String {
    roots.iter().map(|root| root.display().to_string()).collect::<Vec<_>>().join(", ")
}
