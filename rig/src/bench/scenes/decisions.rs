//! Measures the time from a person's acceptance until the agent that proposed has the text.

use std::time::Duration;

use alongside_contract::diff::DIFF_ACCEPTED;
use anyhow::Result;
use serde_json::json;

use super::super::process::Activity;
use super::super::repetitions::{Bench, row_key};
use super::super::report::Unit;
use super::{between, file, micros, sessions, text};

impl Bench<'_> {
    pub(in super::super) fn decisions(&mut self) -> Result<()> {
        let mut entrants = self.start_subjects()?;
        let mut decisions = 0;
        for number in self.plan.decision_sessions.clone() {
            (self.report_progress)(&format!("decisions, with {}", sessions(number)));
            let rows = [
                row_key(format!("decision → notification, {}", sessions(number)), Unit::Micros),
                row_key(
                    format!("processor time of openDiff and decision, {}", sessions(number)),
                    Unit::Micros,
                ),
            ];
            let samples = self.plan.samples / 2;
            self.repeat_in_turn(&rows, &mut entrants, self.plan.repetitions, |seat| {
                let (agents, companion) = (&mut seat.agents, &mut seat.companion);
                agents.connect_up_to(number)?;
                let path = file(&companion.project, "decided.rs");
                std::fs::write(&path, text(8 << 10, 0, ""))?;
                let mut took = Vec::new();
                let before = Activity::of(companion.pid)?;
                for sample in 0..samples.max(1) {
                    decisions += 1;
                    let proposed = text(8 << 10, 3, &format!("decision {decisions}"));
                    let arguments = json!({ "filePath": path, "newContent": proposed });
                    let open = agents.call(sample % number, "openDiff", &arguments);
                    agents.ask(sample % number, &open)?.result()?;
                    let accepted_at = companion.person()?.accept(&path)?;
                    let outcome = agents.wait("the outcome", |message| message.method == DIFF_ACCEPTED)?;
                    anyhow::ensure!(outcome.params["content"] == proposed, "another text was accepted");
                    anyhow::ensure!(outcome.agent == sample % number, "another agent was told");
                    took.push(micros(between(accepted_at, outcome.at)));
                    // The companion may send a ping for the receipt, which is answered here.
                    agents.drain_messages(Duration::from_millis(3))?;
                }
                let (computed, _) = Activity::of(companion.pid)?.since(&before);
                let each = computed * 1e3 / took.len() as f64;
                Ok(vec![took, vec![each]])
            })?;
        }
        Ok(())
    }
}
