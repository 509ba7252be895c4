//! The judge: collects violations, and knows which troubles may have touched an agent and when they were
//! over.

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
        let is_known = |excuse: &&Excuse| excuse.rule == rule && (excuse.holds)(proposal, self.record);
        if self.excuses.iter().find(is_known).is_none() {
            let Proposal { mark, agent, connection, path, asked, .. } = proposal;
            self.report(
                rule,
                format!("{mark} of agent {agent}.{connection} ({path}, asked at {asked} ms): {details}"),
            );
        }
    }

    /// When the troubles around `at` ended: those that overlap, or follow each other so closely that nothing
    /// need pass between them.
    pub(super) fn calm_after(&self, agent: usize, at: u64) -> u64 {
        let mut troubles: Vec<_> = self.troubles_of(agent).collect();
        troubles.sort_by_key(|trouble| trouble.from);
        troubles.iter().fold(at, |calm, trouble| match trouble.from <= calm + self.bounds.delivery {
            true => calm.max(trouble.until),
            false => calm,
        })
    }

    /// The troubles that this agent can feel.
    pub(super) fn troubles_of(&self, agent: usize) -> impl Iterator<Item = &'a Trouble> + use<'a> {
        let troubles = self.record.troubles.iter();
        troubles.filter(move |trouble| {
            let is_felt = !matches!(trouble.kind, TroubleKind::Cleaned | TroubleKind::DiskFull);
            is_felt && trouble.agent.is_none_or(|touched| touched == agent)
        })
    }

    /// Whether one of them overlaps this span.
    pub(super) fn had_trouble(&self, agent: usize, from: u64, until: u64) -> bool {
        self.troubles_of(agent).any(|trouble| trouble.from <= until && trouble.until >= from)
    }
}
