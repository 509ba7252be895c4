//! Large proposals: until the agent has its answer, and until a desk has what it needs to draw them.

use anyhow::{Result, ensure};
use serde_json::json;

use super::super::editor_hands::Hands;
use super::super::plan::MB;
use super::super::report::Unit;
use super::super::turns::{Bench, row};
use super::{between, file, millis, text};

/// Edits of a proposal that has few, and of one that has many.
const FEW: usize = 10;
const MANY: usize = 400;

impl Bench<'_> {
    pub(in super::super) fn proposals(&mut self) -> Result<()> {
        for (bytes, turns) in self.plan.proposals.clone() {
            let megabytes = bytes / MB;
            self.propose(bytes, FEW, turns, &format!("openDiff of {megabytes} MB"))?;
            if megabytes == 10 || self.plan.proposals.len() == 1 {
                self.propose(bytes, MANY, turns, &format!("openDiff of {megabytes} MB with {MANY} edits"))?;
            }
        }
        Ok(())
    }

    fn propose(&mut self, bytes: usize, edits: usize, turns: usize, what: &str) -> Result<()> {
        (self.tell)(what);
        let mut parties = self.seats()?;
        let rows =
            [row(what, Unit::Millis), row(format!("{what}, until a desk has its hunks"), Unit::Millis)];
        let rows = &rows[..if edits == MANY { 2 } else { 1 }];
        let original = text(bytes, 0, "");
        let mut proposals = 0;
        self.turns(rows, &mut parties, turns, |seat| {
            let (crowd, companion) = (&mut seat.crowd, &mut seat.companion);
            crowd.grow(1)?;
            let path = file(&companion.project, "large.rs");
            if proposals < self.subjects.len() {
                std::fs::write(&path, &original)?;
            }
            proposals += 1;
            let proposed = text(bytes, edits, &format!("proposal {proposals}"));
            let open = crowd.call(0, "openDiff", &json!({ "filePath": path, "newContent": proposed }));
            let since = std::time::Instant::now();
            let answer = crowd.ask(0, &open)?;
            answer.result()?;
            let mut shown_after = Vec::new();
            if let Ok(Hands::Desk(desk)) = &companion.hands {
                let shown = desk.shown(&path)?;
                ensure!(shown.hunks() == edits, "{} hunks are shown, not {edits}", shown.hunks());
                shown_after.push(millis(between(since, shown.at)));
            }
            let close = crowd.call(0, "closeDiff", &json!({ "filePath": path }));
            crowd.ask(0, &close)?.result()?;
            Ok(vec![vec![millis(answer.took)], shown_after])
        })
    }
}
