//! Says what a round has broken, from its [`Record`] alone. Every rule is as strict as what is promised.

use std::fmt;
use std::path::Path;

use super::record::{Answer, Gone, Kind, Outcome, Proposal, Record};

/// What must hold in every round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// An agent heard of a decision that nobody made, for another proposal or for another text than the
    /// person saw.
    Invented,
    /// A decision that a desk was told is taken did not reach the agent.
    Lost,
    /// Two decisions on one proposal were both taken.
    Twice,
    /// An agent waits for good, or longer than its bound.
    Wedged,
    /// What a person typed is nowhere.
    Typed,
    /// An agent that was answered in its own prompt did not get the text that it should.
    Closed,
    /// A call failed although nobody was in its way.
    Failed,
    /// A file of the project was written by somebody else than the script and the agents.
    Target,
    /// Something lies on the disk that should not.
    Stray,
    /// Somebody who had a companion's port knows a token that is good.
    Token,
}

/// A rule that was broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// Which.
    pub rule: Rule,
    /// How.
    pub what: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.rule, self.what)
    }
}

/// How long things may take, in milliseconds.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// From a decision, or from the end of the trouble that was in its way, to the agent's return. Clients
    /// open a broken stream again after 1 s, and once more 1.5 s later; what waited is held back for 100 ms.
    pub delivery: u64,
    /// From an outcome to its receipt, and to the end of the draft that the agent has written.
    pub receipt: u64,
    /// How long the stage waits at the end until everything has arrived.
    pub calm: u64,
    /// How far apart what the stage notes may lie from when it happened.
    pub grain: u64,
}

/// What agents of some releases do by themselves, so that it is no fault of the companion's.
#[derive(Clone, Copy)]
pub struct Excuse {
    /// Which rule they break.
    pub rule: Rule,
    /// Why; names the releases.
    pub why: &'static str,
    /// Whether that is so of this proposal.
    pub holds: fn(&Proposal, &Record) -> bool,
}

impl fmt::Debug for Excuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.rule, self.why)
    }
}

/// How long an agent's stream may be gone before its views close.
const VIEWS_CLOSE: u64 = 10_000;

/// How long a companion stays whose editor has gone. What is proposed to it meanwhile is rejected at the end
/// of that.
pub(super) const GRACE: u64 = 30_000;

/// What the round has broken.
pub fn judge(record: &Record, bounds: &Bounds, excuses: &[Excuse]) -> Vec<Broken> {
    let mut judge = Judge { record, bounds, excuses, broken: Vec::new() };
    for proposal in &record.proposals {
        judge.outcome(proposal);
        judge.decisions(proposal);
        judge.end(proposal);
        judge.close(proposal);
        judge.call(proposal);
    }
    judge.typed();
    judge.left();
    judge.leaks();
    judge.broken
}

struct Judge<'a> {
    record: &'a Record,
    bounds: &'a Bounds,
    excuses: &'a [Excuse],
    broken: Vec<Broken>,
}

impl Judge<'_> {
    fn broken(&mut self, rule: Rule, what: String) {
        self.broken.push(Broken { rule, what });
    }

    /// The same of a proposal, unless its agent is known for it.
    fn breaks(&mut self, rule: Rule, proposal: &Proposal, what: &str) {
        let is_known = |excuse: &&Excuse| excuse.rule == rule && (excuse.holds)(proposal, self.record);
        if self.excuses.iter().find(is_known).is_none() {
            let who = format!("{} of agent {}.{}", proposal.mark, proposal.agent, proposal.life);
            self.broken(rule, format!("{who} ({}, asked at {} ms): {what}", proposal.path, proposal.asked));
        }
    }

    /// An outcome is what a desk decided on exactly this proposal, or follows from what happened to the
    /// companion or the agent.
    fn outcome(&mut self, proposal: &Proposal) {
        let Some((at, outcome)) = &proposal.outcome else { return };
        let mut made = self.record.decisions.iter().filter(|decision| {
            decision.proposal == proposal.mark
                && decision.asked <= at + self.bounds.grain
                && !matches!(decision.answered.1, Answer::Refused(_))
        });
        match outcome {
            Outcome::Accepted(text) => {
                if !made.any(|decision| decision.accept && decision.text == *text) {
                    let what = format!("accepted at {at} ms, but nobody has accepted this text: {text:?}");
                    self.breaks(Rule::Invented, proposal, &what);
                }
            }
            Outcome::Rejected => {
                if !made.any(|decision| !decision.accept) && !self.is_rejected_by_itself(proposal, *at) {
                    let what =
                        format!("rejected at {at} ms, but nobody has rejected it, and nothing happened");
                    self.breaks(Rule::Invented, proposal, &what);
                }
            }
        }
    }

    /// Whether something happened before `at` that ends reviews without a person.
    fn is_rejected_by_itself(&self, proposal: &Proposal, at: u64) -> bool {
        let ends = self.record.troubles.iter().any(|trouble| {
            let ends_reviews =
                matches!(trouble.kind, Kind::Killed | Kind::HandedOver | Kind::Stopped | Kind::Hidden);
            ends_reviews && trouble.from <= at && trouble.until + self.bounds.grain >= proposal.asked
        });
        ends || self.was_away(proposal, at) || self.was_alone(proposal, at)
    }

    /// Whether the companion's editor had gone before, for as long as the companion waits for it.
    fn was_alone(&self, proposal: &Proposal, at: u64) -> bool {
        let mut hidden = self.record.troubles.iter().filter(|trouble| trouble.kind == Kind::Hidden);
        hidden.any(|trouble| {
            let ended = trouble.from + GRACE;
            at + self.bounds.grain >= ended && ended + self.bounds.grain >= proposal.asked
        })
    }

    /// Whether the agent may have been without a stream for so long that its views closed.
    fn was_away(&self, proposal: &Proposal, at: u64) -> bool {
        let mut troubles: Vec<_> = self.touching(proposal.agent).collect();
        troubles.sort_by_key(|trouble| trouble.from);
        // One that comes before the agent can be back from the last makes the same absence longer.
        let mut absences: Vec<(u64, u64)> = Vec::new();
        for trouble in troubles {
            let back = trouble.until.saturating_add(self.bounds.delivery);
            match absences.last_mut() {
                Some((_, last_back)) if trouble.from <= *last_back => *last_back = back.max(*last_back),
                _ => absences.push((trouble.from, back)),
            }
        }
        absences.into_iter().any(|(from, back)| {
            let close_at = from + VIEWS_CLOSE;
            back >= close_at && close_at <= at + self.bounds.grain && back >= proposal.asked
        })
    }

    /// What is decided arrives, in time, and is decided once.
    fn decisions(&mut self, proposal: &Proposal) {
        let decided = self.record.decisions.iter().filter(|decision| decision.proposal == proposal.mark);
        let taken: Vec<_> = decided.filter(|decision| decision.answered.1 == Answer::Taken).collect();
        if taken.len() > 1 {
            self.breaks(Rule::Twice, proposal, &format!("{} decisions were taken: {taken:?}", taken.len()));
        }
        let Some(decision) = taken.first() else { return };
        let (decided_at, _) = decision.answered;
        let wanted = match decision.accept {
            true => Outcome::Accepted(decision.text.clone()),
            false => Outcome::Rejected,
        };
        match &proposal.outcome {
            Some((at, outcome)) if *outcome == wanted => {
                let calm = self.calm_after(proposal.agent, decided_at);
                if *at > calm + self.bounds.delivery {
                    let what = format!(
                        "decided at {decided_at} ms, all was well from {calm} ms on, told at {at} ms only"
                    );
                    self.breaks(Rule::Wedged, proposal, &what);
                }
            }
            Some((at, outcome)) => {
                let what = format!("told {outcome:?} at {at} ms, but {decision:?} was taken");
                self.breaks(Rule::Lost, proposal, &what);
            }
            None if proposal.closed.is_some() || proposal.gone.is_some() => {}
            // A call that failed waits for nothing.
            None if matches!(proposal.shown, Some((_, Err(_)))) => {}
            None => self.breaks(Rule::Lost, proposal, &format!("{decision:?} was taken, and nothing came")),
        }
    }

    /// When the last of the troubles was over that overlap, or follow each other so closely that nothing need
    /// have passed between them.
    fn calm_after(&self, agent: usize, at: u64) -> u64 {
        let mut troubles: Vec<_> = self.touching(agent).collect();
        troubles.sort_by_key(|trouble| trouble.from);
        troubles.iter().fold(at, |calm, trouble| match trouble.from <= calm + self.bounds.delivery {
            true => calm.max(trouble.until),
            false => calm,
        })
    }

    /// Trouble that this agent can feel.
    fn touching(&self, agent: usize) -> impl Iterator<Item = &super::record::Trouble> {
        let troubles = self.record.troubles.iter();
        troubles.filter(move |trouble| {
            let is_felt = !matches!(trouble.kind, Kind::Cleaned | Kind::DiskFull);
            is_felt && trouble.agent.is_none_or(|touched| touched == agent)
        })
    }

    /// Whether any of it was near.
    fn had_trouble(&self, agent: usize, from: u64, until: u64) -> bool {
        self.touching(agent).any(|trouble| trouble.from <= until && trouble.until >= from)
    }

    /// Nobody waits for good: the stage has rejected what waited, and given it the time to arrive.
    fn end(&mut self, proposal: &Proposal) {
        let has_failed = matches!(proposal.shown, Some((_, Err(_))));
        match proposal.gone {
            Some((at, Gone::Deaf)) => {
                let near = at.saturating_sub(self.bounds.delivery + self.bounds.grain);
                if !self.had_trouble(proposal.agent, near, at) {
                    let what = format!("hears nothing any more since {at} ms, and nothing was in its way");
                    self.breaks(Rule::Wedged, proposal, &what);
                }
            }
            Some((_, Gone::Ended)) => {}
            None if proposal.outcome.is_some() || proposal.closed.is_some() || has_failed => {}
            None => self.breaks(Rule::Wedged, proposal, "it still waits"),
        }
    }

    /// `closeDiff` answers with the last text of the very proposal.
    fn close(&mut self, proposal: &Proposal) {
        let Some(close) = &proposal.closed else { return };
        let Some((at, answer)) = &close.answered else {
            if proposal.gone.is_none() {
                self.breaks(Rule::Wedged, proposal, "closeDiff was never answered");
            }
            return;
        };
        let calm = self.calm_after(proposal.agent, close.asked);
        if *at > calm + self.bounds.delivery {
            let what = format!(
                "closeDiff of {} ms was answered at {at} ms, though all was well from {calm} ms on",
                close.asked
            );
            self.breaks(Rule::Wedged, proposal, &what);
        }
        // Another companion knows nothing of it, and an agent that has its outcome asks in vain.
        let is_elsewhere = self.record.troubles.iter().any(|trouble| {
            trouble.kind == Kind::Stopped && trouble.from <= *at && trouble.until >= proposal.asked
        });
        match answer {
            Err(why)
                if !self.had_trouble(
                    proposal.agent,
                    close.asked.saturating_sub(self.bounds.delivery),
                    *at,
                ) =>
            {
                self.breaks(Rule::Failed, proposal, &format!("closeDiff at {} ms: {why}", close.asked));
            }
            Err(_) => {}
            Ok(None) if proposal.outcome.is_some() || is_elsewhere => {}
            Ok(None) => self.breaks(Rule::Closed, proposal, "closeDiff was answered without a text"),
            Ok(Some(text)) => self.closed_with(proposal, close.asked, text),
        }
    }

    fn closed_with(&mut self, proposal: &Proposal, asked: u64, text: &str) {
        let before = |(at, answer): &(u64, Answer)| *at < asked && *answer == Answer::Taken;
        let accepted = self.record.decisions.iter().find(|decision| {
            decision.proposal == proposal.mark && decision.accept && before(&decision.answered)
        });
        if let Some(decision) = accepted {
            if decision.text != text {
                let what = format!("closeDiff answered {text:?}, but {decision:?} was taken");
                self.breaks(Rule::Closed, proposal, &what);
            }
            return;
        }
        if !text.contains(&proposal.mark) {
            self.breaks(Rule::Closed, proposal, &format!("closeDiff answered another text: {text:?}"));
        }
        let typed = self.record.edits.iter().filter(|edit| edit.proposal == proposal.mark);
        let missing = typed.filter(|edit| before(&edit.answered)).find(|edit| !text.contains(&edit.typed));
        if let Some(edit) = missing {
            self.breaks(Rule::Closed, proposal, &format!("closeDiff answered {text:?} without {edit:?}"));
        }
    }

    /// `openDiff` fails only where something was in its way.
    fn call(&mut self, proposal: &Proposal) {
        if let Some((at, Err(why))) = &proposal.shown
            && proposal.gone.is_none()
            && !self.had_trouble(proposal.agent, proposal.asked.saturating_sub(self.bounds.delivery), *at)
        {
            self.breaks(Rule::Failed, proposal, &format!("openDiff failed at {at} ms: {why}"));
        }
    }

    /// What was typed, and taken, is with the agent or in a draft.
    fn typed(&mut self) {
        let record = self.record;
        for edit in record.edits.iter().filter(|edit| edit.answered.1 == Answer::Taken) {
            let Some(proposal) = record.proposals.iter().find(|one| one.mark == edit.proposal) else {
                self.broken(Rule::Typed, format!("{edit:?} was typed into no proposal"));
                continue;
            };
            let closed = proposal.closed.as_ref().and_then(|close| close.answered.as_ref());
            let is_with_agent = match (&proposal.outcome, closed) {
                (Some((_, Outcome::Accepted(text))), _) if text.contains(&edit.typed) => true,
                (_, Some((_, Ok(Some(text))))) => text.contains(&edit.typed),
                _ => false,
            };
            let is_kept = record.left.drafts.iter().any(|draft| draft.contains(&edit.typed));
            if !is_with_agent && !is_kept {
                self.breaks(Rule::Typed, proposal, &format!("{edit:?} is nowhere"));
            }
        }
    }

    /// Nothing is left but drafts of what did not arrive, and the project is as the script and the agents
    /// wrote it.
    fn left(&mut self) {
        let record = self.record;
        for target in &record.left.targets {
            if target.found.as_ref() != target.writes.last().map(|(_, text)| text) {
                self.broken(Rule::Target, format!("{} was written", target.path.display()));
            }
        }
        for stray in &record.left.strays {
            self.broken(Rule::Stray, stray.clone());
        }
        for draft in &record.left.drafts {
            let of = record.proposals.iter().find(|proposal| draft.contains(&proposal.mark));
            match of {
                None => self.broken(Rule::Stray, format!("a draft of no proposal: {draft:?}")),
                Some(proposal) if !record.edits.iter().any(|edit| edit.proposal == proposal.mark) => {
                    self.breaks(Rule::Stray, proposal, &format!("a draft in which nobody typed: {draft:?}"));
                }
                Some(proposal) if self.is_written_for_sure(proposal, draft) => {
                    self.breaks(
                        Rule::Stray,
                        proposal,
                        &format!("a draft that the agent has written: {draft:?}"),
                    );
                }
                Some(_) => {}
            }
        }
    }

    /// No order of kills and binds hands a squatter a token that is good.
    fn leaks(&mut self) {
        for leak in &self.record.leaks {
            self.broken(Rule::Token, leak.clone());
        }
    }

    /// Whether the agent has this text from its outcome, has written it, and it stayed there for long enough
    /// to be found while the companion had nothing in its way. When a companion stops it looks as well.
    fn is_written_for_sure(&self, proposal: &Proposal, text: &str) -> bool {
        let Some((at, Outcome::Accepted(accepted))) = &proposal.outcome else { return false };
        let found_by = at + self.bounds.receipt;
        let target = self.record.left.targets.iter().find(|target| target.path == Path::new(&proposal.path));
        let writes = target.map(|target| target.writes.as_slice()).unwrap_or_default();
        let own = writes.iter().position(|(then, written)| then == at && written == accepted);
        let next = own.and_then(|own| writes.get(own + 1));
        let is_overwritten = next.is_some_and(|(then, _)| *then <= found_by);
        let is_there = target.is_some_and(|target| target.found.as_deref() == Some(text));
        let decided = self.record.decisions.iter().filter(|decision| decision.proposal == proposal.mark);
        let decided = decided.map(|decision| decision.asked).min().unwrap_or(*at);
        let is_found = !is_overwritten && !self.had_trouble(proposal.agent, decided, found_by);
        accepted == text && (is_there || is_found)
    }
}

#[cfg(test)]
mod tests;
