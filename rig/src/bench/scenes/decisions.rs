//! From the moment in which the person accepts until the agent that asked has the text.

use std::time::Duration;

use alongside_contract::diff::DIFF_ACCEPTED;
use anyhow::Result;
use serde_json::json;

use super::super::process::Activity;
use super::super::report::Unit;
use super::super::turns::{Bench, row};
use super::{between, file, micros, sessions, text};

impl Bench<'_> {
    pub(in super::super) fn decisions(&mut self) -> Result<()> {
        let mut parties = self.seats()?;
        let mut decided = 0;
        for number in self.plan.deciding.clone() {
            (self.tell)(&format!("decisions, with {}", sessions(number)));
            let rows = [
                row(format!("decision → notification, {}", sessions(number)), Unit::Micros),
                row(format!("processor time of openDiff and decision, {}", sessions(number)), Unit::Micros),
            ];
            let samples = self.plan.samples / 2;
            self.turns(&rows, &mut parties, self.plan.turns, |seat| {
                let (crowd, companion) = (&mut seat.crowd, &mut seat.companion);
                crowd.grow(number)?;
                let path = file(&companion.project, "decided.rs");
                std::fs::write(&path, text(8 << 10, 0, ""))?;
                let mut took = Vec::new();
                let before = Activity::of(companion.pid)?;
                for sample in 0..samples.max(1) {
                    decided += 1;
                    let proposed = text(8 << 10, 3, &format!("decision {decided}"));
                    let arguments = json!({ "filePath": path, "newContent": proposed });
                    let open = crowd.call(sample % number, "openDiff", &arguments);
                    crowd.ask(sample % number, &open)?.result()?;
                    let since = companion.hands()?.accept(&path)?;
                    let told = crowd.wait("the outcome", |told| told.method == DIFF_ACCEPTED)?;
                    anyhow::ensure!(told.params["content"] == proposed, "another text was accepted");
                    anyhow::ensure!(told.agent == sample % number, "another agent was told");
                    took.push(micros(between(since, told.at)));
                    // A receipt may be asked for.
                    crowd.calm_down(Duration::from_millis(3))?;
                }
                let (computed, _) = Activity::of(companion.pid)?.since(&before);
                let each = computed * 1e3 / took.len() as f64;
                Ok(vec![took, vec![each]])
            })?;
        }
        Ok(())
    }
}
