//! Measures round trips of agents' requests: one request at a time, from one agent after the other.

use anyhow::Result;
use serde_json::json;

use super::super::repetitions::{Bench, row_key};
use super::super::report::Unit;
use super::{file, micros, sessions, text};

/// The size of the file that agents change, in bytes.
const FILE_BYTES: usize = 8 << 10;

impl Bench<'_> {
    pub(in super::super) fn requests(&mut self) -> Result<()> {
        let mut entrants = self.start_subjects()?;
        let mut proposals = 0;
        for number in self.plan.request_sessions.clone() {
            let sessions = sessions(number);
            (self.report_progress)(&format!("requests, with {sessions}"));
            let rows = ["openDiff", "closeDiff", "tools/list"]
                .map(|what| row_key(format!("{what}, {sessions}"), Unit::Micros));
            let samples = self.plan.samples;
            self.repeat_in_turn(&rows, &mut entrants, self.plan.repetitions, |seat| {
                let agents = &mut seat.agents;
                agents.connect_up_to(number)?;
                let path = file(&seat.companion.project, "asked.rs");
                std::fs::write(&path, text(FILE_BYTES, 0, ""))?;
                let list = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/list" }).to_string();
                let mut took = vec![Vec::new(); rows.len()];
                for sample in 0..samples {
                    proposals += 1;
                    let agent = sample % number;
                    let proposed = text(FILE_BYTES, 3, &format!("proposal {proposals}"));
                    let open =
                        agents.call(agent, "openDiff", &json!({ "filePath": path, "newContent": proposed }));
                    let close = agents.call(agent, "closeDiff", &json!({ "filePath": path }));
                    let list =
                        agents.address.request(&agents.connected[agent].session, Some(list.as_bytes()));
                    for (took, request) in took.iter_mut().zip([open, close, list]) {
                        let answer = agents.ask(agent, &request)?;
                        answer.result()?;
                        took.push(micros(answer.took));
                    }
                }
                agents.drain_messages(std::time::Duration::from_millis(1))?;
                Ok(took)
            })?;
        }
        Ok(())
    }
}
