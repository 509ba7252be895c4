//! The rule of last words, with which a companion tells the desks what an agent did with a file after the
//! decision on its proposal: each is true when a desk is told it, and a companion without trouble tells the
//! one that follows from what the agent did.

use super::judge::Judge;
use super::rule::Rule;
use crate::chaos::record::{Attention, Decision, FileWord, Outcome, Proposal, Reply, ToldWord, TroubleKind};

impl<'a> Judge<'a> {
    /// Reports each last word that was not true when a desk was told it.
    pub(super) fn check_told_words(&mut self) {
        let record = self.record;
        for told in &record.words {
            let Some(proposal) = record.proposals.iter().find(|proposal| proposal.mark == told.proposal)
            else {
                self.report(Rule::LastWord, format!("{told:?} is about no proposal"));
                continue;
            };
            if !self.was_true(told, proposal) {
                let decisions: Vec<_> = self.decisions_on(proposal).collect();
                let writes = self.writes(proposal);
                let what = format!("{told:?} after {decisions:?} and these writes: {writes:?}");
                self.report_proposal(Rule::LastWord, proposal, &what);
            }
        }
    }

    fn was_true(&self, told: &ToldWord, proposal: &'a Proposal) -> bool {
        let held = self.held(proposal, self.earliest(told), told.at);
        let mut decisions = self.decisions_on(proposal);
        match told.word {
            FileWord::WrittenThoughRejected => {
                decisions.any(|decision| !decision.accept) && held.contains(&proposal.text.as_str())
            }
            // Nobody kills a hook alone here.
            FileWord::WrittenUndecided => false,
            word => decisions.filter(|decision| decision.accept).any(|decision| {
                let before = self.held(proposal, decision.asked, decision.answered.0);
                let is_before = |text: &&str| before.contains(text) && **text != *decision.text;
                // The agent may have written before the desk got its answer, in the same millisecond.
                let asked_on = self.writes(proposal).iter().rfind(|(at, _)| *at < decision.asked);
                let asked_on = asked_on.map(|(_, text)| text.as_str());
                let is_else = |text: &&str| asked_on != Some(*text) && **text != *decision.text;
                match word {
                    FileWord::WrittenAsAccepted => held.contains(&decision.text.as_str()),
                    FileWord::NotWritten => held.iter().any(is_before),
                    FileWord::SomethingElse => held.iter().any(is_else),
                    // Nobody removes a file here.
                    FileWord::Gone | FileWord::WrittenThoughRejected | FileWord::WrittenUndecided => false,
                }
            }),
        }
    }

    /// The earliest time at which the companion may have read the file that it tells of: it reads it a while
    /// before it tells, and may be frozen in between.
    fn earliest(&self, told: &ToldWord) -> u64 {
        let from = told.since.saturating_sub(self.bounds.receipt);
        let frozen = self.record.troubles.iter().filter(|trouble| trouble.kind == TroubleKind::Frozen);
        let in_between = frozen.filter(|trouble| trouble.from <= told.at && trouble.until >= from);
        in_between
            .map(|trouble| trouble.from.saturating_sub(self.bounds.receipt))
            .min()
            .unwrap_or(from)
            .min(from)
    }

    fn decisions_on(&self, proposal: &'a Proposal) -> impl Iterator<Item = &'a Decision> + use<'a> {
        let is_on_proposal = move |decision: &&Decision| decision.proposal == proposal.mark;
        let decisions = self.record.decisions.iter().filter(is_on_proposal);
        decisions.filter(|decision| !matches!(decision.answered.1, Reply::Refused(_)))
    }

    /// The writes to the file of a proposal, in order.
    fn writes(&self, proposal: &Proposal) -> &'a [(u64, String)] {
        let targets = &self.record.leftovers.targets;
        let target = targets.iter().find(|target| target.path.as_os_str() == proposal.path.as_str());
        target.map(|target| target.writes.as_slice()).unwrap_or_default()
    }

    /// The texts that the file of a proposal held between two times.
    fn held(&self, proposal: &Proposal, from: u64, until: u64) -> Vec<&'a str> {
        let writes = self.writes(proposal);
        let begins = writes.iter().rposition(|(at, _)| *at < from).unwrap_or(0);
        let within = writes.iter().skip(begins).take_while(|(at, _)| *at <= until);
        within.map(|(_, text)| text.as_str()).collect()
    }

    /// Reports each desk that was there all the time and did not hear what the agent did in the end.
    pub(super) fn check_untold_word(&mut self, proposal: &'a Proposal) {
        let Some((at, outcome)) = &proposal.outcome else { return };
        let mut taken = self.decisions_on(proposal).filter(|decision| decision.answered.1 == Reply::Taken);
        let (Some(decision), None) = (taken.next(), taken.next()) else { return };
        let known_by = at + self.bounds.receipt;
        let writes = self.writes(proposal);
        // Only the agent's own write stands between the outcome and the time by which it is known.
        let mut meanwhile = writes.iter().filter(|(then, _)| (decision.asked..=known_by).contains(then));
        let (Some((written_at, written)), None) = (meanwhile.next(), meanwhile.next()) else { return };
        let is_of_agent = written_at == at
            && match outcome {
                Outcome::Accepted(text) => written.contains(text.as_str()),
                Outcome::Rejected => *written == proposal.text,
            };
        let word = match outcome {
            Outcome::Accepted(text) if written == text => FileWord::WrittenAsAccepted,
            Outcome::Accepted(_) => FileWord::SomethingElse,
            // A later acceptance for the same file counts in place of the rejection.
            Outcome::Rejected if self.accepts_near(proposal, decision.asked, known_by) => return,
            Outcome::Rejected => FileWord::WrittenThoughRejected,
        };
        if !is_of_agent || self.had_trouble(proposal.agent, decision.asked, known_by) {
            return;
        }
        let was_there = |span: &&Attention| span.from < decision.asked && span.until > known_by;
        let desks: Vec<_> = self.record.attention.iter().filter(was_there).map(|span| span.desk).collect();
        for desk in desks {
            let is_heard = |told: &&ToldWord| told.desk == desk && told.proposal == proposal.mark;
            let last = self.record.words.iter().rfind(is_heard).map(|told| told.word);
            if last != Some(word) {
                let what = format!(
                    "its agent made it {word:?} at {at} ms, and desk {desk} heard {last:?}, after \
                     {decision:?} and these writes: {writes:?}"
                );
                self.report_proposal(Rule::LastWord, proposal, &what);
            }
        }
    }

    fn accepts_near(&self, proposal: &Proposal, from: u64, until: u64) -> bool {
        self.record.decisions.iter().any(|decision| {
            let other = self.record.proposals.iter().find(|other| other.mark == decision.proposal);
            let is_of_file = other.is_some_and(|other| other.path == proposal.path);
            is_of_file && decision.accept && decision.asked <= until && decision.answered.0 >= from
        })
    }
}
