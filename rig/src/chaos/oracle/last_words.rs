//! The rule of last words, by which a companion reports to the desks what the file of a decided proposal
//! holds. Each last word must be true when a desk receives it, and an undisturbed companion must send the
//! word that follows from the agent's write.

use super::judge::Judge;
use super::rule::Rule;
use crate::chaos::record::{
    Decision, FileWord, Outcome, Presence, Proposal, Reply, ReportedWord, TroubleKind,
};

impl<'a> Judge<'a> {
    /// Checks that each last word was true when a desk received it.
    pub(super) fn check_reported_words(&mut self) {
        let record = self.record;
        for reported in &record.last_words {
            let Some(proposal) =
                record.proposals.iter().find(|proposal| proposal.marker == reported.proposal)
            else {
                self.report(Rule::LastWord, format!("{reported:?} is about no proposal"));
                continue;
            };
            if !self.was_true(reported, proposal) {
                let decisions: Vec<_> = self.decisions_on(proposal).collect();
                let writes = self.writes(proposal);
                let what = format!("{reported:?} after {decisions:?} and these writes: {writes:?}");
                self.report_proposal(Rule::LastWord, proposal, &what);
            }
        }
    }

    fn was_true(&self, reported: &ReportedWord, proposal: &'a Proposal) -> bool {
        let held = self.texts_between(proposal, self.earliest_read(reported), reported.at);
        let mut decisions = self.decisions_on(proposal);
        match reported.word {
            FileWord::WrittenThoughRejected => {
                decisions.any(|decision| !decision.accept) && held.contains(&proposal.text.as_str())
            }
            // Only a killed hook leaves a proposal undecided, and these rounds have no hooks.
            FileWord::WrittenUndecided => false,
            word => decisions.filter(|decision| decision.accept).any(|decision| {
                let before = self.texts_between(proposal, decision.asked, decision.replied_at);
                let is_before = |text: &&str| before.contains(text) && **text != *decision.text;
                // The agent may write before the desk has its reply, in the same millisecond. So the text
                // before the request counts here.
                let original = self.writes(proposal).iter().rfind(|(at, _)| *at < decision.asked);
                let original = original.map(|(_, text)| text.as_str());
                let is_else = |text: &&str| original != Some(*text) && **text != *decision.text;
                match word {
                    FileWord::WrittenAsAccepted => held.contains(&decision.text.as_str()),
                    FileWord::NotWritten => held.iter().any(is_before),
                    FileWord::SomethingElse => held.iter().any(is_else),
                    // No step removes a file.
                    FileWord::Gone | FileWord::WrittenThoughRejected | FileWord::WrittenUndecided => false,
                }
            }),
        }
    }

    /// The earliest time at which the companion may have read the file: it reads the file some time before it
    /// sends the last word, and may be frozen in between.
    fn earliest_read(&self, reported: &ReportedWord) -> u64 {
        let from = reported.since.saturating_sub(self.bounds.receipt);
        let frozen = self.record.troubles.iter().filter(|trouble| trouble.kind == TroubleKind::Frozen);
        let in_between = frozen.filter(|trouble| trouble.from <= reported.at && trouble.until >= from);
        in_between
            .map(|trouble| trouble.from.saturating_sub(self.bounds.receipt))
            .min()
            .unwrap_or(from)
            .min(from)
    }

    fn decisions_on(&self, proposal: &'a Proposal) -> impl Iterator<Item = &'a Decision> + use<'a> {
        let is_on_proposal = move |decision: &&Decision| decision.proposal == proposal.marker;
        let decisions = self.record.decisions.iter().filter(is_on_proposal);
        decisions.filter(|decision| !matches!(decision.reply, Reply::Refused(_)))
    }

    /// Returns the writes to the file of a proposal, in order.
    fn writes(&self, proposal: &Proposal) -> &'a [(u64, String)] {
        let targets = &self.record.leftovers.targets;
        let target = targets.iter().find(|target| target.path.as_os_str() == proposal.path.as_str());
        target.map(|target| target.writes.as_slice()).unwrap_or_default()
    }

    /// Returns the texts that the file of a proposal held between two times.
    fn texts_between(&self, proposal: &Proposal, from: u64, until: u64) -> Vec<&'a str> {
        let writes = self.writes(proposal);
        let first = writes.iter().rposition(|(at, _)| *at < from).unwrap_or(0);
        let in_span = writes.iter().skip(first).take_while(|(at, _)| *at <= until);
        in_span.map(|(_, text)| text.as_str()).collect()
    }

    /// Checks that each desk that was there all the time received the word that follows from the agent's
    /// write.
    pub(super) fn check_word_is_reported(&mut self, proposal: &'a Proposal) {
        let Some((at, outcome)) = &proposal.outcome else { return };
        let mut taken = self.decisions_on(proposal).filter(|decision| decision.reply == Reply::Taken);
        let (Some(decision), None) = (taken.next(), taken.next()) else { return };
        let known_by = at + self.bounds.receipt;
        let writes = self.writes(proposal);
        // Judged only if a single write, the agent's own, happens in this time span.
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
            // An acceptance for the same file at about the same time replaces the last word of the rejection.
            Outcome::Rejected if self.accepts_near(proposal, decision.asked, known_by) => return,
            Outcome::Rejected => FileWord::WrittenThoughRejected,
        };
        if !is_of_agent || self.had_trouble(proposal.agent, decision.asked, known_by) {
            return;
        }
        let was_there = |span: &&Presence| span.from < decision.asked && span.until > known_by;
        let desks: Vec<_> = self.record.presences.iter().filter(was_there).map(|span| span.desk).collect();
        for desk in desks {
            let is_of_desk =
                |reported: &&ReportedWord| reported.desk == desk && reported.proposal == proposal.marker;
            let last = self.record.last_words.iter().rfind(is_of_desk).map(|reported| reported.word);
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
            let other = self.record.proposals.iter().find(|other| other.marker == decision.proposal);
            let is_of_file = other.is_some_and(|other| other.path == proposal.path);
            is_of_file && decision.accept && decision.asked <= until && decision.replied_at >= from
        })
    }
}
