//! The judge: collects violations, and computes which troubles may have disturbed an agent, and until when.

use super::limits::{Bounds, Excuse};
use super::rule::{Rule, Violation};
use crate::chaos::record::{Proposal, Record, Trouble, TroubleKind};

pub(super) struct Judge<'a> {
    pub(super) record: &'a Record,
    pub(super) bounds: &'a Bounds,
    excuses: &'a [Excuse],
    pub(super) violations: Vec<Violation>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(record: &'a Record, bounds: &'a Bounds, excuses: &'a [Excuse]) -> Self {
        Self { record, bounds, excuses, violations: Vec::new() }
    }

    pub(super) fn report(&mut self, rule: Rule, details: String) {
        self.violations.push(Violation { rule, details });
    }

    /// Reports a violation of a proposal, unless an excuse covers it.
    pub(super) fn report_proposal(&mut self, rule: Rule, proposal: &Proposal, details: &str) {
        let is_known = |excuse: &&Excuse| excuse.rule == rule && (excuse.applies)(proposal, self.record);
        if self.excuses.iter().find(is_known).is_none() {
            let Proposal { marker, agent, connection, path, asked, .. } = proposal;
            self.report(
                rule,
                format!("{marker} of agent {agent}.{connection} ({path}, asked at {asked} ms): {details}"),
            );
        }
    }

    /// The end of the troubles after `at`. A trouble prolongs another one if it begins before the delivery
    /// time since the other's end is over: no message needs to arrive between the two.
    pub(super) fn troubles_end_after(&self, agent: usize, at: u64) -> u64 {
        let mut troubles: Vec<_> = self.troubles_of(agent).collect();
        troubles.sort_by_key(|trouble| trouble.from);
        troubles.iter().fold(at, |end, trouble| match trouble.from <= end + self.bounds.delivery {
            true => end.max(trouble.until),
            false => end,
        })
    }

    /// Returns the troubles that may disturb this agent.
    pub(super) fn troubles_of(&self, agent: usize) -> impl Iterator<Item = &'a Trouble> + use<'a> {
        let troubles = self.record.troubles.iter();
        troubles.filter(move |trouble| {
            let disturbs_agents = !matches!(trouble.kind, TroubleKind::Cleaned | TroubleKind::DiskFull);
            disturbs_agents && trouble.agent.is_none_or(|disturbed| disturbed == agent)
        })
    }

    /// Whether a trouble of this agent overlaps a time span.
    pub(super) fn had_trouble(&self, agent: usize, from: u64, until: u64) -> bool {
        self.troubles_of(agent).any(|trouble| trouble.from <= until && trouble.until >= from)
    }
}
