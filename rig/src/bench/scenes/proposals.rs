//! Measures the time from a large proposal to the agent's response, and to the hunks at a desk.

use anyhow::{Result, ensure};
use serde_json::json;

use super::super::person::Person;
use super::super::plan::MB;
use super::super::repetitions::{Bench, row_key};
use super::super::report::Unit;
use super::{between, file, millis, text};

/// The edits of a proposal whose hunks cost a desk little.
const FEW_EDITS: usize = 10;
/// The edits of a proposal whose hunks are measured at a desk as well.
const MANY_EDITS: usize = 400;

impl Bench<'_> {
    pub(in super::super) fn proposals(&mut self) -> Result<()> {
        for (bytes, repetitions) in self.plan.proposals.clone() {
            let megabytes = bytes / MB;
            self.measure_proposal(bytes, FEW_EDITS, repetitions, &format!("openDiff of {megabytes} MB"))?;
            if megabytes == 10 || self.plan.proposals.len() == 1 {
                let what = format!("openDiff of {megabytes} MB with {MANY_EDITS} edits");
                self.measure_proposal(bytes, MANY_EDITS, repetitions, &what)?;
            }
        }
        Ok(())
    }

    fn measure_proposal(&mut self, bytes: usize, edits: usize, repetitions: usize, what: &str) -> Result<()> {
        (self.report_progress)(what);
        let mut entrants = self.start_subjects()?;
        let rows = [
            row_key(what, Unit::Millis),
            row_key(format!("{what}, until a desk has its hunks"), Unit::Millis),
        ];
        // The time to the hunks at a desk has a row only where the hunks are many.
        let rows = &rows[..if edits == MANY_EDITS { 2 } else { 1 }];
        let original = text(bytes, 0, "");
        let mut proposals = 0;
        self.repeat_in_turn(rows, &mut entrants, repetitions, |seat| {
            let (agents, companion) = (&mut seat.agents, &mut seat.companion);
            agents.connect_up_to(1)?;
            let path = file(&companion.project, "large.rs");
            // Each companion is first measured once: that is when its file is written.
            if proposals < self.subjects.len() {
                std::fs::write(&path, &original)?;
            }
            proposals += 1;
            let proposed = text(bytes, edits, &format!("proposal {proposals}"));
            let open = agents.call(0, "openDiff", &json!({ "filePath": path, "newContent": proposed }));
            let proposed_at = std::time::Instant::now();
            let answer = agents.ask(0, &open)?;
            answer.result()?;
            let mut shown_after = Vec::new();
            if let Ok(Person::Desk(desk)) = &companion.person {
                let shown = desk.wait_for_proposal(&path)?;
                ensure!(shown.hunks() == edits, "{} hunks are shown, not {edits}", shown.hunks());
                shown_after.push(millis(between(proposed_at, shown.at)));
            }
            let close = agents.call(0, "closeDiff", &json!({ "filePath": path }));
            agents.ask(0, &close)?.result()?;
            Ok(vec![vec![millis(answer.took)], shown_after])
        })
    }
}
