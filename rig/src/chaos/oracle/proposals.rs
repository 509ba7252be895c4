//! The rules of a single proposal: its outcome, its decisions, its `closeDiff`, and its end.

use super::judge::Judge;
use super::limits::{CLOSE_DELAY, GRACE};
use super::rule::Rule;
use crate::chaos::record::{Departure, Outcome, Proposal, Reply, Trouble, TroubleKind};

impl Judge<'_> {
    /// Checks that the outcome equals a desk's decision on exactly this proposal, or follows from a trouble.
    pub(super) fn check_outcome(&mut self, proposal: &Proposal) {
        let Some((at, outcome)) = &proposal.outcome else { return };
        let mut decisions = self.record.decisions.iter().filter(|decision| {
            decision.proposal == proposal.marker
                && decision.asked <= at + self.bounds.clock_error
                && !matches!(decision.reply, Reply::Refused(_))
        });
        match outcome {
            Outcome::Accepted(text) => {
                if !decisions.any(|decision| decision.accept && decision.text == *text) {
                    let what = format!("accepted at {at} ms, but nobody accepted this text: {text:?}");
                    self.report_proposal(Rule::Invented, proposal, &what);
                }
            }
            Outcome::Rejected => {
                if !decisions.any(|decision| !decision.accept) && !self.was_rejected_by_trouble(proposal, *at)
                {
                    let what = format!("rejected at {at} ms, but nobody rejected it and no trouble did");
                    self.report_proposal(Rule::Invented, proposal, &what);
                }
            }
        }
    }

    /// Whether a trouble before `at` ended the review without a decision.
    fn was_rejected_by_trouble(&self, proposal: &Proposal, at: u64) -> bool {
        let ends = self.record.troubles.iter().any(|trouble| {
            trouble.kind.ends_reviews()
                && trouble.from <= at
                && trouble.until + self.bounds.clock_error >= proposal.asked
        });
        ends || self.agent_was_cut_off(proposal, at) || self.editor_was_gone(proposal, at)
    }

    /// Whether the companion's editor had been gone for the whole grace period.
    fn editor_was_gone(&self, proposal: &Proposal, at: u64) -> bool {
        let is_absence = |trouble: &&Trouble| trouble.kind == TroubleKind::EditorGone;
        self.record.troubles.iter().filter(is_absence).any(|trouble| {
            let ended = trouble.from + GRACE;
            at + self.bounds.clock_error >= ended && ended + self.bounds.clock_error >= proposal.asked
        })
    }

    /// Whether the agent may have been without a stream for so long that its reviews closed.
    fn agent_was_cut_off(&self, proposal: &Proposal, at: u64) -> bool {
        let mut troubles: Vec<_> = self.troubles_of(proposal.agent).collect();
        troubles.sort_by_key(|trouble| trouble.from);
        // A trouble that begins before the agent has surely reconnected prolongs the absence.
        let mut absences: Vec<(u64, u64)> = Vec::new();
        for trouble in troubles {
            let back = trouble.until.saturating_add(self.bounds.delivery);
            match absences.last_mut() {
                Some((_, last_back)) if trouble.from <= *last_back => *last_back = back.max(*last_back),
                _ => absences.push((trouble.from, back)),
            }
        }
        absences.into_iter().any(|(from, back)| {
            let close_at = from + CLOSE_DELAY;
            back >= close_at && close_at <= at + self.bounds.clock_error && back >= proposal.asked
        })
    }

    /// Checks that a decision arrives in time, and that the companion accepts only one.
    pub(super) fn check_decisions(&mut self, proposal: &Proposal) {
        let decided = self.record.decisions.iter().filter(|decision| decision.proposal == proposal.marker);
        let taken: Vec<_> = decided.filter(|decision| decision.reply == Reply::Taken).collect();
        if taken.len() > 1 {
            let what = format!("the companion took {} decisions: {taken:?}", taken.len());
            self.report_proposal(Rule::Twice, proposal, &what);
        }
        let Some(decision) = taken.first() else { return };
        let decided_at = decision.replied_at;
        let expected = match decision.accept {
            true => Outcome::Accepted(decision.text.clone()),
            false => Outcome::Rejected,
        };
        match &proposal.outcome {
            Some((at, outcome)) if *outcome == expected => {
                let calm = self.troubles_end_after(proposal.agent, decided_at);
                if *at > calm + self.bounds.delivery {
                    let what = format!(
                        "decided at {decided_at} ms, no trouble since {calm} ms, but outcome only at {at} ms"
                    );
                    self.report_proposal(Rule::Wedged, proposal, &what);
                }
            }
            Some((at, outcome)) => {
                let what = format!("got {outcome:?} at {at} ms, but the companion took {decision:?}");
                self.report_proposal(Rule::Lost, proposal, &what);
            }
            None if proposal.closed.is_some() || proposal.departed.is_some() => {}
            None if proposal.has_failed() => {}
            None => {
                let what = format!("the companion took {decision:?}, but no outcome came");
                self.report_proposal(Rule::Lost, proposal, &what);
            }
        }
    }

    /// Checks that the agent waits no longer at the end: the harness rejected every waiting review, and gave
    /// the outcomes time to arrive.
    pub(super) fn check_no_endless_wait(&mut self, proposal: &Proposal) {
        match proposal.departed {
            Some((at, Departure::GaveUp)) => {
                let searched_from = at.saturating_sub(self.bounds.delivery + self.bounds.clock_error);
                if !self.had_trouble(proposal.agent, searched_from, at) {
                    let what = format!("its stream is lost since {at} ms without any trouble");
                    self.report_proposal(Rule::Wedged, proposal, &what);
                }
            }
            Some((_, Departure::Ended)) => {}
            None if proposal.outcome.is_some() || proposal.closed.is_some() || proposal.has_failed() => {}
            None => self.report_proposal(Rule::Wedged, proposal, "the agent still waits"),
        }
    }

    /// Checks that `closeDiff` returns the last text of this proposal.
    pub(super) fn check_close(&mut self, proposal: &Proposal) {
        let Some(close) = &proposal.closed else { return };
        let Some((at, answer)) = &close.answered else {
            if proposal.departed.is_none() {
                self.report_proposal(Rule::Wedged, proposal, "closeDiff was never answered");
            }
            return;
        };
        let calm = self.troubles_end_after(proposal.agent, close.asked);
        if *at > calm + self.bounds.delivery {
            let what = format!(
                "closeDiff of {} ms was answered at {at} ms, with no trouble since {calm} ms",
                close.asked
            );
            self.report_proposal(Rule::Wedged, proposal, &what);
        }
        // A new companion does not know the proposal, and a proposal with an outcome is no longer open.
        let companion_was_replaced = self.record.troubles.iter().any(|trouble| {
            trouble.kind == TroubleKind::Stopped && trouble.from <= *at && trouble.until >= proposal.asked
        });
        match answer {
            Err(why) => self.check_failure(proposal, "closeDiff", close.asked, *at, why),
            Ok(None) if proposal.outcome.is_some() || companion_was_replaced => {}
            Ok(None) => self.report_proposal(Rule::Closed, proposal, "closeDiff returned no text"),
            Ok(Some(text)) => self.check_closed_text(proposal, close.asked, text),
        }
    }

    fn check_closed_text(&mut self, proposal: &Proposal, asked: u64, text: &str) {
        let was_taken_before = |at: u64, reply: &Reply| at < asked && *reply == Reply::Taken;
        let accepted = self.record.decisions.iter().find(|decision| {
            decision.proposal == proposal.marker
                && decision.accept
                && was_taken_before(decision.replied_at, &decision.reply)
        });
        if let Some(decision) = accepted {
            if decision.text != text {
                let what = format!("closeDiff returned {text:?}, but the companion took {decision:?}");
                self.report_proposal(Rule::Closed, proposal, &what);
            }
            return;
        }
        if !text.contains(&proposal.marker) {
            let what = format!("closeDiff returned another text: {text:?}");
            self.report_proposal(Rule::Closed, proposal, &what);
        }
        let typed = self.record.edits.iter().filter(|edit| edit.proposal == proposal.marker);
        let mut typed = typed.filter(|edit| was_taken_before(edit.replied_at, &edit.reply));
        let missing = typed.find(|edit| !text.contains(&edit.typed));
        if let Some(edit) = missing {
            let what = format!("closeDiff returned {text:?} without {edit:?}");
            self.report_proposal(Rule::Closed, proposal, &what);
        }
    }

    /// Checks that `openDiff` fails only because of a trouble.
    pub(super) fn check_call(&mut self, proposal: &Proposal) {
        if let (Some((at, Err(why))), None) = (&proposal.shown, proposal.departed) {
            self.check_failure(proposal, "openDiff", proposal.asked, *at, why);
        }
    }

    /// Checks that a call fails only because of a trouble.
    fn check_failure(&mut self, proposal: &Proposal, call: &str, asked: u64, at: u64, why: &str) {
        if !self.had_trouble(proposal.agent, asked.saturating_sub(self.bounds.delivery), at) {
            self.report_proposal(Rule::Failed, proposal, &format!("{call} failed at {at} ms: {why}"));
        }
    }
}
