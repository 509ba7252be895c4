//! The rules of a tool call with hooks. They judge the result that all hooks together gave the agent, and not
//! the text that the agent of this round then wrote: some agents disobey on purpose.

use super::judge::Judge;
use super::rule::Rule;
use crate::chaos::record::{Call, CallResult, Decision, HookEnd, Reply, TroubleKind};

/// The words in a refusal that report a person's rejection.
const REJECTION: &str = "rejected all of it";

impl<'a> Judge<'a> {
    pub(super) fn report_call(&mut self, rule: Rule, call: &Call, details: &str) {
        let Call { marker, player, agent, asked, .. } = call;
        let path = call.path.display();
        self.report(rule, format!("{marker} of {player} {agent} ({path}, asked at {asked} ms): {details}"));
    }

    /// Returns the decisions on a call, until a time, that the companion may have accepted.
    fn decisions_on_call(&self, call: &Call, until: u64) -> impl Iterator<Item = &'a Decision> {
        let (record, until) = (self.record, until + self.bounds.clock_error);
        record.decisions.iter().filter(move |decision| {
            decision.proposal == call.marker
                && decision.asked <= until
                && !matches!(decision.reply, Reply::Refused(_))
        })
    }

    /// Checks that the agent gets the person's decision, and that no change is written without a review.
    pub(super) fn check_result(&mut self, call: &Call) {
        match &call.result {
            None if call.departed.is_some() => {}
            None => self.report_call(Rule::Wedged, call, "the agent still waits"),
            // The tool fails by itself if the file has changed.
            Some((at, CallResult::CannotWrite(why))) if !self.is_out_of_date(call, *at) => {
                self.report_call(Rule::Altered, call, &format!("the tool cannot write at {at} ms: {why}"));
            }
            Some((_, CallResult::CannotWrite(_))) => {}
            Some((at, CallResult::Writes(text))) => self.check_text(call, *at, text),
            Some((at, CallResult::Refused(why))) => {
                let is_decided = self.decisions_on_call(call, *at).any(|decision| !decision.accept);
                if why.contains(REJECTION) && !is_decided {
                    let what = format!("refused at {at} ms, but nobody rejected: {why}");
                    self.report_call(Rule::Invented, call, &what);
                }
            }
        }
    }

    /// Checks a text that the hooks allowed the agent to write.
    fn check_text(&mut self, call: &Call, at: u64, text: &str) {
        let accepted: Vec<_> = self.decisions_on_call(call, at).filter(|decision| decision.accept).collect();
        // A patch ends the last line of every file.
        let is_same = |other: &str| other.trim_end_matches('\n') == text.trim_end_matches('\n');
        if accepted.iter().any(|decision| is_same(&decision.text)) || call.before.as_deref() == Some(text) {
            return;
        }
        let passes_without_hook = self.has_dead_hook(call, at) && !call.refuses_without_hook;
        // Without a host, hooks let the call through as well.
        if passes_without_hook || self.had_trouble_of(TroubleKind::Unserved, call, at) {
            return;
        }
        if !accepted.is_empty() {
            if !call.is_outvoted() && !self.was_just_changed(call, at) {
                let what = format!("the hooks say at {at} ms: write {text:?}, but accepted was {accepted:?}");
                self.report_call(Rule::Altered, call, &what);
            }
            return;
        }
        let is_rejected = self.decisions_on_call(call, at).next().is_some();
        let rule = if is_rejected { Rule::Overruled } else { Rule::Unreviewed };
        let what = format!("the hooks let it write at {at} ms: {text:?}; {:?}", call.runs);
        self.report_call(rule, call, &what);
    }

    /// Whether the script killed or froze alongside's hook of this call, or removed its program.
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

    /// Whether another program wrote the file right before `at`, between the answer of a hook and the tool.
    fn was_just_changed(&self, call: &Call, at: u64) -> bool {
        self.was_changed(call, at.saturating_sub(self.bounds.clock_error), at)
    }

    /// Whether another program wrote the file after the hook's answer or, if no hook answered, after the
    /// call.
    fn is_out_of_date(&self, call: &Call, at: u64) -> bool {
        self.was_just_changed(call, at)
            || self.has_dead_hook(call, at) && self.was_changed(call, call.asked, at)
    }

    /// Whether another program wrote the file in this time span.
    fn was_changed(&self, call: &Call, from: u64, until: u64) -> bool {
        let target = self.record.leftovers.targets.iter().find(|target| target.path == call.path);
        let writes = target.map(|target| target.writes.as_slice()).unwrap_or_default();
        let is_foreign = |text: &String| call.written.as_ref() != Some(text);
        writes.iter().any(|(then, text)| *then >= from && *then <= until && is_foreign(text))
    }

    /// Checks that a decision reaches the agent in time, and that the companion accepts only one.
    pub(super) fn check_decisions_on_call(&mut self, call: &Call) {
        let record = self.record;
        let decided = record.decisions.iter().filter(|decision| decision.proposal == call.marker);
        let taken: Vec<_> = decided.filter(|decision| decision.reply == Reply::Taken).collect();
        // Each run of the hook may have had a review.
        if taken.len() > call.runs.len().max(1) {
            let what = format!("the companion took {} decisions: {taken:?}", taken.len());
            self.report_call(Rule::Twice, call, &what);
        }
        let (Some(decision), Some((at, result))) = (taken.last(), &call.result) else { return };
        let decided_at = decision.replied_at;
        let calm = self.troubles_end_after(call.agent, decided_at);
        if *at > calm + self.bounds.delivery {
            let what = format!("decided at {decided_at} ms, calm since {calm} ms, but ruled only at {at} ms");
            self.report_call(Rule::Wedged, call, &what);
        }
        let is_disturbed =
            self.had_trouble(call.agent, call.asked, *at) || self.was_changed(call, call.asked, *at);
        // The review of a call that the agent makes again may end after the call's result.
        let is_in_time = decided_at <= *at;
        if decision.accept && is_in_time && matches!(result, CallResult::Refused(_)) && !is_disturbed {
            let what = format!("the companion took {decision:?}, but the agent got {result:?}");
            self.report_call(Rule::Lost, call, &what);
        }
    }

    /// Checks that alongside's hook never fails by itself, and is late only if it was frozen.
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
