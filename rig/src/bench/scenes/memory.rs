//! Measures the memory that sessions cost, while they are open and after their end.

use std::time::Duration;

use anyhow::Result;

use super::super::agents::{Agents, connect};
use super::super::blocking_socket::BlockingSocket;
use super::super::process::{self, Memory};
use super::super::repetitions::{Bench, Entrant, Seat, row_key};
use super::super::report::Unit;
use super::sessions;

/// The time for a companion that was busy to release its memory.
const RELEASE_TIME: Duration = Duration::from_millis(700);

impl Bench<'_> {
    /// Measures memory with more and more sessions, then kills agents. Returns the companions, for
    /// [`memory_after`](Self::memory_after).
    pub(in super::super) fn memory(&mut self) -> Result<Vec<Entrant>> {
        (self.report_progress)("memory, with more and more sessions");
        let mut entrants = self.start_subjects()?;
        let mut idle = vec![0.0; self.subjects.len()];
        self.weigh(
            "idle",
            &mut entrants,
            |_| Ok(()),
            |subject, memory| {
                idle[subject] = memory.own;
                None
            },
        )?;
        for number in self.plan.sessions.clone() {
            self.weigh(
                &format!("with {}", sessions(number)),
                &mut entrants,
                |seat| seat.agents.connect_up_to(number),
                |subject, memory| {
                    let each = (memory.own - idle[subject]) / number as f64;
                    (number > 1).then(|| format!("{each:.1} KiB for each session"))
                },
            )?;
        }
        (self.report_progress)(&format!("{} sessions, opened and dropped", self.plan.dropped));
        // Each companion loses all its agents before the next one does.
        for Entrant { seat, .. } in &mut entrants {
            self.ensure_not_interrupted()?;
            if let Ok(started) = seat
                && let Err(error) = self.kill_agents(started)
            {
                *seat = Err(format!("{:#}", started.companion.explain(error)));
            }
        }
        Ok(entrants)
    }

    /// Measures memory a minute after agents were killed: killed agents do not end their sessions, so the
    /// companions free them only after some time.
    pub(in super::super) fn memory_after(
        &mut self,
        mut entrants: Vec<Entrant>,
        has_rested: bool,
    ) -> Result<()> {
        if !has_rested {
            (self.report_progress)("waiting until those that were dropped are forgotten");
            self.sleep(self.plan.idle)?;
        }
        let what = format!("after {} were opened and dropped", sessions(self.plan.dropped));
        self.weigh(&what, &mut entrants, |_| Ok(()), |_, _| None)
    }

    /// Calls `prepare` for each subject, then measures its memory. `note` returns the remark of the row.
    fn weigh(
        &mut self,
        when: &str,
        entrants: &mut [Entrant],
        mut prepare: impl FnMut(&mut Seat) -> Result<()>,
        mut note: impl FnMut(usize, Memory) -> Option<String>,
    ) -> Result<()> {
        let rows = [
            row_key(format!("memory {when}, resident"), Unit::Kib),
            row_key(format!("memory {when}, its own"), Unit::Kib),
        ];
        let mut memories = Vec::new();
        self.repeat_in_turn(&rows, entrants, 1, |seat| {
            prepare(seat)?;
            std::thread::sleep(RELEASE_TIME);
            let memory = process::memory(seat.companion.pid)?;
            memories.push(memory);
            Ok(vec![vec![memory.resident], vec![memory.own]])
        })?;
        let measured = entrants.iter().filter(|entrant| entrant.seat.is_ok());
        for (entrant, memory) in measured.zip(memories) {
            self.table.cells(&rows[0])[entrant.subject].note = note(entrant.subject, memory);
        }
        Ok(())
    }

    /// Connects agents with a session and a stream, and closes their connections as their death would.
    fn kill_agents(&self, seat: &mut Seat) -> Result<()> {
        let address = seat.agents.address.clone();
        seat.agents = Agents::new(&address)?;
        let mut socket = BlockingSocket::open(&address)?;
        for _ in 0..self.plan.dropped {
            self.ensure_not_interrupted()?;
            let agent = connect(&address, socket)?;
            socket = agent.socket;
            BlockingSocket::open(&address)?.begin_stream(&address.request(&agent.session, None))?;
        }
        Ok(())
    }
}
