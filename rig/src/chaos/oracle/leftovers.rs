//! The rules of a round's end: typed text, drafts, project files, files that must not be left, and leaked
//! tokens.

use std::path::Path;

use super::judge::Judge;
use super::rule::Rule;
use crate::chaos::record::{Call, CallResult, Edit, Outcome, Proposal, Reply};

impl Judge<'_> {
    /// Checks that each typed text that the companion accepted is with the agent or in a draft.
    pub(super) fn check_typed(&mut self) {
        let record = self.record;
        // The edit that drops a hunk has no typed text.
        let typed = record.edits.iter().filter(|edit| !edit.typed.is_empty());
        for edit in typed.filter(|edit| edit.reply == Reply::Taken) {
            let is_kept = record.leftovers.drafts.iter().any(|draft| draft.contains(&edit.typed));
            if let Some(call) = record.calls.iter().find(|call| call.marker == edit.proposal) {
                if !is_kept && !is_with_agent_of(call, edit) {
                    self.report_call(Rule::Typed, call, &format!("{edit:?} is gone"));
                }
                continue;
            }
            let Some(proposal) = record.proposals.iter().find(|proposal| proposal.marker == edit.proposal)
            else {
                self.report(Rule::Typed, format!("{edit:?} belongs to no proposal"));
                continue;
            };
            let closed = proposal.closed.as_ref().and_then(|close| close.answered.as_ref());
            let is_with_agent = match (&proposal.outcome, closed) {
                (Some((_, Outcome::Accepted(text))), _) if text.contains(&edit.typed) => true,
                (_, Some((_, Ok(Some(text))))) => text.contains(&edit.typed),
                _ => false,
            };
            if !is_with_agent && !is_kept {
                self.report_proposal(Rule::Typed, proposal, &format!("{edit:?} is gone"));
            }
        }
    }

    /// Checks that only drafts of undelivered texts are left, and that the project files have the last texts
    /// that the script and the agents wrote.
    pub(super) fn check_leftovers(&mut self) {
        let record = self.record;
        for target in &record.leftovers.targets {
            if target.found.as_ref() != target.writes.last().map(|(_, text)| text) {
                self.report(Rule::Target, format!("another program wrote {}", target.path.display()));
            }
        }
        for stray in &record.leftovers.strays {
            self.report(Rule::Stray, stray.clone());
        }
        for draft in &record.leftovers.drafts {
            if let Some(call) = record.calls.iter().rev().find(|call| draft.contains(&call.marker)) {
                self.check_draft_of(call, draft);
                continue;
            }
            let proposal = record.proposals.iter().find(|proposal| draft.contains(&proposal.marker));
            match proposal {
                None => self.report(Rule::Stray, format!("a draft of no proposal: {draft:?}")),
                Some(proposal) if self.is_kept_beside_another(proposal, draft) => {}
                Some(proposal) if !record.edits.iter().any(|edit| edit.proposal == proposal.marker) => {
                    let what = format!("a draft without an edit: {draft:?}");
                    self.report_proposal(Rule::Stray, proposal, &what);
                }
                Some(proposal) if self.has_surely_been_written(proposal, draft) => {
                    let what = format!("a draft of a text that the agent wrote: {draft:?}");
                    self.report_proposal(Rule::Stray, proposal, &what);
                }
                Some(_) => {}
            }
        }
    }

    /// Checks that a person edited or accepted the draft of a call, and that the file has another text.
    fn check_draft_of(&mut self, call: &Call, draft: &str) {
        let record = self.record;
        let has_persons_work = record.edits.iter().any(|edit| edit.proposal == call.marker)
            || record.decisions.iter().any(|decision| decision.proposal == call.marker && decision.accept);
        if !has_persons_work {
            self.report_call(Rule::Stray, call, &format!("a draft without an edit: {draft:?}"));
        }
        let target = record.leftovers.targets.iter().find(|target| target.path == call.path);
        if target.is_some_and(|target| target.found.as_deref() == Some(draft)) {
            self.report_call(Rule::Stray, call, &format!("a draft of a text that the file holds: {draft:?}"));
        }
    }

    /// Checks that no squatter received a valid token.
    pub(super) fn check_leaks(&mut self) {
        for leak in &self.record.leaks {
            self.report(Rule::Token, leak.clone());
        }
    }

    /// Whether a person accepted this text, and the file later got another text: the accepted text is then
    /// kept.
    fn is_kept_beside_another(&self, proposal: &Proposal, draft: &str) -> bool {
        let mut decisions =
            self.record.decisions.iter().filter(|decision| decision.proposal == proposal.marker);
        let targets = &self.record.leftovers.targets;
        let target = targets.iter().find(|target| target.path == Path::new(&proposal.path));
        let writes = target.map(|target| target.writes.as_slice()).unwrap_or_default();
        decisions.any(|decision| {
            let mut after = writes.iter().filter(|(at, _)| *at >= decision.asked);
            decision.accept && decision.text == draft && after.any(|(_, text)| text != draft)
        }) && !self.has_surely_been_written(proposal, draft)
    }

    /// Whether the agent wrote this text, and the companion certainly found it: in the file for long enough
    /// without a trouble, or at the end of the round, when a companion that stops reads the file again.
    fn has_surely_been_written(&self, proposal: &Proposal, text: &str) -> bool {
        let Some((at, Outcome::Accepted(accepted))) = &proposal.outcome else { return false };
        let found_by = at + self.bounds.receipt;
        let target =
            self.record.leftovers.targets.iter().find(|target| target.path == Path::new(&proposal.path));
        let writes = target.map(|target| target.writes.as_slice()).unwrap_or_default();
        let own = writes.iter().position(|(then, written)| then == at && written == accepted);
        let Some(own) = own else { return false };
        let next = writes.get(own + 1);
        let is_overwritten = next.is_some_and(|(then, _)| *then <= found_by);
        let is_there_at_end = target.is_some_and(|target| target.found.as_deref() == Some(text));
        let decided = self.record.decisions.iter().filter(|decision| decision.proposal == proposal.marker);
        let decided = decided.map(|decision| decision.asked).min().unwrap_or(*at);
        let is_found = !is_overwritten && !self.had_trouble(proposal.agent, decided, found_by);
        accepted == text && (is_there_at_end || is_found)
    }
}

/// Whether the agent has the typed text, or used the arguments of another hook.
fn is_with_agent_of(call: &Call, edit: &Edit) -> bool {
    match &call.result {
        Some((_, CallResult::Writes(text))) => text.contains(&edit.typed) || call.is_outvoted(),
        Some((_, CallResult::Refused(_) | CallResult::CannotWrite(_))) | None => false,
    }
}
