//! The rule of last words: each was true when it was told, and an untroubled companion tells the one that
//! follows from the agent's deed.

use super::judge::Judge;
use super::rule::Rule;
use crate::chaos::record::{Decision, FileWord, Outcome, Proposal, Reply, ToldWord, TroubleKind};

impl<'a> Judge<'a> {
    /// No desk was told a last word that was not so.
    pub(super) fn check_told_words(&mut self) {
        let record = self.record;
        for told in &record.words {
            let Some(proposal) = record.proposals.iter().find(|one| one.mark == told.proposal) else {
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
                let at_first = self.writes(proposal).iter().rfind(|(at, _)| *at < decision.asked);
                let at_first = at_first.map(|(_, text)| text.as_str());
                let is_else = |text: &&str| at_first != Some(*text) && **text != *decision.text;
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

    /// When the companion may have seen the file that it tells of: it looks a while before, and may be frozen
    /// in between.
    fn earliest(&self, told: &ToldWord) -> u64 {
        let from = told.since.saturating_sub(self.bounds.receipt);
        let frozen = self.record.troubles.iter().filter(|trouble| trouble.kind == TroubleKind::Frozen);
        let felt = frozen.filter(|trouble| trouble.from <= told.at && trouble.until >= from);
        felt.map(|trouble| trouble.from.saturating_sub(self.bounds.receipt)).min().unwrap_or(from).min(from)
    }

    fn decisions_on(&self, proposal: &'a Proposal) -> impl Iterator<Item = &'a Decision> + use<'a> {
        let on_it = move |decision: &&Decision| decision.proposal == proposal.mark;
        let decisions = self.record.decisions.iter().filter(on_it);
        decisions.filter(|decision| !matches!(decision.answered.1, Reply::Refused(_)))
    }

    /// The writes to the file of a proposal, in order.
    fn writes(&self, proposal: &Proposal) -> &'a [(u64, String)] {
        let targets = &self.record.leftovers.targets;
        let target = targets.iter().find(|target| target.path.as_os_str() == proposal.path.as_str());
        target.map(|target| target.writes.as_slice()).unwrap_or_default()
    }

    /// The texts that its file held in this time.
    fn held(&self, proposal: &Proposal, from: u64, until: u64) -> Vec<&'a str> {
        let writes = self.writes(proposal);
        let begins = writes.iter().rposition(|(at, _)| *at < from).unwrap_or(0);
        let within = writes.iter().skip(begins).take_while(|(at, _)| *at <= until);
        within.map(|(_, text)| text.as_str()).collect()
    }

    /// A desk that was there all the time knows in the end what the agent did.
    pub(super) fn check_untold_word(&mut self, proposal: &'a Proposal) {
        let Some((at, outcome)) = &proposal.outcome else { return };
        let mut taken = self.decisions_on(proposal).filter(|one| one.answered.1 == Reply::Taken);
        let (Some(decision), None) = (taken.next(), taken.next()) else { return };
        let known_by = at + self.bounds.receipt;
        let writes = self.writes(proposal);
        // Only the agent's own write stands between the outcome and the time by which it is known.
        let mut near = writes.iter().filter(|(then, _)| (decision.asked..=known_by).contains(then));
        let (Some((written_at, written)), None) = (near.next(), near.next()) else { return };
        let is_its = written_at == at
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
        if !is_its || self.had_trouble(proposal.agent, decision.asked, known_by) {
            return;
        }
        let attended = self.record.attention.iter().filter(|one| one.from < decision.asked);
        let desks: Vec<_> = attended.filter(|one| one.until > known_by).map(|one| one.desk).collect();
        for desk in desks {
            let is_it = |told: &&ToldWord| told.desk == desk && told.proposal == proposal.mark;
            let last = self.record.words.iter().rfind(is_it).map(|told| told.word);
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
            let of = self.record.proposals.iter().find(|one| one.mark == decision.proposal);
            let is_of_file = of.is_some_and(|one| one.path == proposal.path);
            is_of_file && decision.accept && decision.asked <= until && decision.answered.0 >= from
        })
    }
}
