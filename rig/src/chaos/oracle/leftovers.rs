//! The rules of a round's end: typed text, drafts, project files, strays, and leaked tokens.

use std::path::Path;

use super::judge::Judge;
use super::rule::Rule;
use crate::chaos::record::{Call, Edit, Outcome, Proposal, Reply, Ruling};

impl Judge<'_> {
    /// Checks that text that the companion took is with the agent or in a draft.
    pub(super) fn check_typed(&mut self) {
        let record = self.record;
        // Dropping a change types nothing.
        let typed = record.edits.iter().filter(|edit| !edit.typed.is_empty());
        for edit in typed.filter(|edit| edit.answered.1 == Reply::Taken) {
            let is_kept = record.leftovers.drafts.iter().any(|draft| draft.contains(&edit.typed));
            if let Some(call) = record.calls.iter().find(|call| call.mark == edit.proposal) {
                if !is_kept && !is_with_agent_of(call, edit) {
                    self.report_call(Rule::Typed, call, &format!("{edit:?} is gone"));
                }
                continue;
            }
            let Some(proposal) = record.proposals.iter().find(|one| one.mark == edit.proposal) else {
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

    /// Checks that only drafts of undelivered texts are left, and that the project is as the script and the
    /// agents wrote it.
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
            let of_call = record.calls.iter().rev().find(|call| draft.contains(&call.mark));
            if let Some(call) = of_call {
                self.check_draft_of(call, draft);
                continue;
            }
            let proposal = record.proposals.iter().find(|proposal| draft.contains(&proposal.mark));
            match proposal {
                None => self.report(Rule::Stray, format!("a draft of no proposal: {draft:?}")),
                Some(proposal) if self.is_kept_beside_another(proposal, draft) => {}
                Some(proposal) if !record.edits.iter().any(|edit| edit.proposal == proposal.mark) => {
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

    /// Checks that a draft of a call has the person's work, and that the agent did not write it.
    fn check_draft_of(&mut self, call: &Call, draft: &str) {
        let record = self.record;
        let has_work = record.edits.iter().any(|edit| edit.proposal == call.mark)
            || record.decisions.iter().any(|decision| decision.proposal == call.mark && decision.accept);
        if !has_work {
            self.report_call(Rule::Stray, call, &format!("a draft without an edit: {draft:?}"));
        }
        let target = record.leftovers.targets.iter().find(|target| target.path == call.path);
        if target.is_some_and(|target| target.found.as_deref() == Some(draft)) {
            self.report_call(Rule::Stray, call, &format!("a draft of a text that the file holds: {draft:?}"));
        }
    }

    /// Checks that no squatter got a valid token, in whatever order ports were left and taken.
    pub(super) fn check_leaks(&mut self) {
        for leak in &self.record.leaks {
            self.report(Rule::Token, leak.clone());
        }
    }

    /// Whether somebody accepted this text, and the file got another one: then the accepted one is kept.
    fn is_kept_beside_another(&self, proposal: &Proposal, draft: &str) -> bool {
        let mut decisions = self.record.decisions.iter().filter(|one| one.proposal == proposal.mark);
        let targets = &self.record.leftovers.targets;
        let target = targets.iter().find(|target| target.path == Path::new(&proposal.path));
        let writes = target.map(|target| target.writes.as_slice()).unwrap_or_default();
        decisions.any(|decision| {
            let mut after = writes.iter().filter(|(at, _)| *at >= decision.asked);
            decision.accept && decision.text == draft && after.any(|(_, text)| text != draft)
        }) && !self.has_surely_been_written(proposal, draft)
    }

    /// Whether the agent received this text and wrote it, and the file kept it long enough for an untroubled
    /// companion to find it. A stopping companion also looks once more.
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
        let is_there = target.is_some_and(|target| target.found.as_deref() == Some(text));
        let decided = self.record.decisions.iter().filter(|decision| decision.proposal == proposal.mark);
        let decided = decided.map(|decision| decision.asked).min().unwrap_or(*at);
        let is_found = !is_overwritten && !self.had_trouble(proposal.agent, decided, found_by);
        accepted == text && (is_there || is_found)
    }
}

/// Whether the agent has got what was typed, or another hook has won.
fn is_with_agent_of(call: &Call, edit: &Edit) -> bool {
    match &call.ruling {
        Some((_, Ruling::Writes(text))) => text.contains(&edit.typed) || call.is_outvoted(),
        Some((_, Ruling::Refused(_) | Ruling::CannotWrite(_))) | None => false,
    }
}
