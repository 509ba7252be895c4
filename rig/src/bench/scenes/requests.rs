//! Round trips of what agents ask, one at a time, from one agent after the other.

use anyhow::Result;
use serde_json::json;

use super::super::report::Unit;
use super::super::turns::{Bench, row};
use super::{file, micros, sessions, text};

/// How large a file is that agents change, in bytes.
const FILE: usize = 8 << 10;

impl Bench<'_> {
    pub(in super::super) fn requests(&mut self) -> Result<()> {
        let mut parties = self.seats()?;
        let mut proposals = 0;
        for number in self.plan.asking.clone() {
            let sessions = sessions(number);
            (self.tell)(&format!("requests, with {sessions}"));
            let rows = ["openDiff", "closeDiff", "tools/list"]
                .map(|what| row(format!("{what}, {sessions}"), Unit::Micros));
            let samples = self.plan.samples;
            self.turns(&rows, &mut parties, self.plan.turns, |seat| {
                let crowd = &mut seat.crowd;
                crowd.grow(number)?;
                let path = file(&seat.companion.project, "asked.rs");
                std::fs::write(&path, text(FILE, 0, ""))?;
                let list = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/list" }).to_string();
                let mut took = vec![Vec::new(); rows.len()];
                for sample in 0..samples {
                    proposals += 1;
                    let agent = sample % number;
                    let proposed = text(FILE, 3, &format!("proposal {proposals}"));
                    let open =
                        crowd.call(agent, "openDiff", &json!({ "filePath": path, "newContent": proposed }));
                    let close = crowd.call(agent, "closeDiff", &json!({ "filePath": path }));
                    let list = crowd.address.request(&crowd.agents[agent].session, Some(list.as_bytes()));
                    for (took, request) in took.iter_mut().zip([open, close, list]) {
                        let answer = crowd.ask(agent, &request)?;
                        answer.result()?;
                        took.push(micros(answer.took));
                    }
                }
                crowd.calm_down(std::time::Duration::from_millis(1))?;
                Ok(took)
            })?;
        }
        Ok(())
    }
}
