//! The rules of a tool call that passes hooks. They judge the answer that all hooks together gave the agent:
//! an agent that obeys its hooks writes that, whatever the agent of this round did then.

use super::judge::Judge;
use super::rule::Rule;
use crate::chaos::record::{Call, Decision, HookEnd, Reply, Ruling, TroubleKind};

/// The words of a refusal that tells of a person's rejection.
const REJECTED: &str = "rejected all of it";

impl<'a> Judge<'a> {
    pub(super) fn report_call(&mut self, rule: Rule, call: &Call, details: &str) {
        let Call { mark, player, agent, asked, .. } = call;
        let path = call.path.display();
        self.report(rule, format!("{mark} of {player} {agent} ({path}, asked at {asked} ms): {details}"));
    }

    /// The decisions on a call that the companion may have taken, until a time.
    fn decided(&self, call: &Call, until: u64) -> impl Iterator<Item = &'a Decision> {
        let (record, until) = (self.record, until + self.bounds.grain);
        record.decisions.iter().filter(move |decision| {
            decision.proposal == call.mark
                && decision.asked <= until
                && !matches!(decision.answered.1, Reply::Refused(_))
        })
    }

    /// Checks that the agent gets what the person decided, and that no change passes without a review.
    pub(super) fn check_ruling(&mut self, call: &Call) {
        match &call.ruling {
            None if call.departed.is_some() => {}
            None => self.report_call(Rule::Wedged, call, "the agent still waits"),
            // The tool itself refused, because the file has changed.
            Some((at, Ruling::CannotWrite(why))) if !self.is_out_of_date(call, *at) => {
                self.report_call(Rule::Altered, call, &format!("the tool cannot write at {at} ms: {why}"));
            }
            Some((_, Ruling::CannotWrite(_))) => {}
            Some((at, Ruling::Writes(text))) => self.check_text(call, *at, text),
            Some((at, Ruling::Refused(why))) => {
                let is_decided = self.decided(call, *at).any(|decision| !decision.accept);
                if why.contains(REJECTED) && !is_decided {
                    let what = format!("refused at {at} ms, but nobody rejected: {why}");
                    self.report_call(Rule::Invented, call, &what);
                }
            }
        }
    }

    /// Checks a text that the hooks let the agent write.
    fn check_text(&mut self, call: &Call, at: u64, text: &str) {
        let accepted: Vec<_> = self.decided(call, at).filter(|decision| decision.accept).collect();
        // A patch gives every file a last line end.
        let is_same = |one: &str| one.trim_end_matches('\n') == text.trim_end_matches('\n');
        if accepted.iter().any(|decision| is_same(&decision.text)) || call.before.as_deref() == Some(text) {
            return;
        }
        let is_let_through = self.has_dead_hook(call, at) && !call.refuses_without_hook;
        // Hooks of this call may also have found no host.
        if is_let_through || self.had_trouble_of(TroubleKind::Unserved, call, at) {
            return;
        }
        if !accepted.is_empty() {
            if !call.is_outvoted() && !self.was_just_changed(call, at) {
                let what = format!("the hooks say at {at} ms: write {text:?}, but accepted was {accepted:?}");
                self.report_call(Rule::Altered, call, &what);
            }
            return;
        }
        let is_rejected = self.decided(call, at).next().is_some();
        let rule = if is_rejected { Rule::Overruled } else { Rule::Unreviewed };
        let what = format!("the hooks let it write at {at} ms: {text:?}; {:?}", call.runs);
        self.report_call(rule, call, &what);
    }

    /// Whether our hook of this call died by the script, or its program was missing.
    fn has_dead_hook(&self, call: &Call, at: u64) -> bool {
        let is_dead = |end: &HookEnd| match end {
            HookEnd::Missing => call.script.program_missing,
            HookEnd::Killed => self.had_trouble_of(TroubleKind::HookKilled, call, at),
            HookEnd::Late => self.had_trouble_of(TroubleKind::HookFrozen, call, at),
            HookEnd::Refused(_)
            | HookEnd::Allowed
            | HookEnd::Silent
            | HookEnd::Failed(_)
            | HookEnd::Abandoned => false,
        };
        call.runs.iter().any(|run| is_dead(&run.end))
    }

    fn had_trouble_of(&self, kind: TroubleKind, call: &Call, at: u64) -> bool {
        let mut troubles = self.troubles_of(call.agent);
        troubles.any(|trouble| trouble.kind == kind && trouble.from <= at && trouble.until >= call.asked)
    }

    /// Whether somebody else wrote the file right before `at`: between the answer of a hook and the tool a
    /// moment remains.
    fn was_just_changed(&self, call: &Call, at: u64) -> bool {
        self.was_changed(call, at.saturating_sub(self.bounds.grain), at)
    }

    /// Whether the file is not as the call knows it: somebody wrote it since the answer or, where no hook
    /// answered, since the call.
    fn is_out_of_date(&self, call: &Call, at: u64) -> bool {
        self.was_just_changed(call, at)
            || self.has_dead_hook(call, at) && self.was_changed(call, call.asked, at)
    }

    /// Whether somebody else wrote the file in this span.
    fn was_changed(&self, call: &Call, from: u64, until: u64) -> bool {
        let target = self.record.leftovers.targets.iter().find(|target| target.path == call.path);
        let writes = target.map(|target| target.writes.as_slice()).unwrap_or_default();
        let is_others = |text: &String| call.written.as_ref() != Some(text);
        writes.iter().any(|(then, text)| *then >= from && *then <= until && is_others(text))
    }

    /// Checks that a decision reaches the agent in time, and that the companion takes only one.
    pub(super) fn check_decisions_on_call(&mut self, call: &Call) {
        let record = self.record;
        let decided = record.decisions.iter().filter(|decision| decision.proposal == call.mark);
        let taken: Vec<_> = decided.filter(|decision| decision.answered.1 == Reply::Taken).collect();
        // A call that was made again, or at two events, may have had two reviews.
        if taken.len() > call.runs.len().max(1) {
            let what = format!("the companion took {} decisions: {taken:?}", taken.len());
            self.report_call(Rule::Twice, call, &what);
        }
        let (Some(decision), Some((at, ruling))) = (taken.last(), &call.ruling) else { return };
        let (decided_at, _) = decision.answered;
        let calm = self.calm_after(call.agent, decided_at);
        if *at > calm + self.bounds.delivery {
            let what = format!("decided at {decided_at} ms, calm since {calm} ms, but ruled only at {at} ms");
            self.report_call(Rule::Wedged, call, &what);
        }
        let is_disturbed =
            self.had_trouble(call.agent, call.asked, *at) || self.was_changed(call, call.asked, *at);
        // A review may outlast a call that is to be made again.
        let is_in_time = decided_at <= *at;
        if decision.accept && is_in_time && matches!(ruling, Ruling::Refused(_)) && !is_disturbed {
            let what = format!("the companion took {decision:?}, but the agent got {ruling:?}");
            self.report_call(Rule::Lost, call, &what);
        }
    }

    /// Checks that our hook never fails by itself, and is never late.
    pub(super) fn check_runs(&mut self, call: &Call) {
        for run in &call.runs {
            let at = run.ended;
            let rule = match &run.end {
                HookEnd::Missing if !call.script.program_missing => Rule::Failed,
                HookEnd::Failed(_) => Rule::Failed,
                HookEnd::Killed if !self.had_trouble_of(TroubleKind::HookKilled, call, at) => Rule::Failed,
                HookEnd::Late if !self.had_trouble_of(TroubleKind::HookFrozen, call, at) => Rule::Wedged,
                HookEnd::Missing
                | HookEnd::Killed
                | HookEnd::Late
                | HookEnd::Refused(_)
                | HookEnd::Allowed
                | HookEnd::Silent
                | HookEnd::Abandoned => continue,
            };
            self.report_call(rule, call, &format!("the hook ended by itself: {run:?}"));
        }
    }
}
