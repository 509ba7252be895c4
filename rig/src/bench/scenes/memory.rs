//! The cost of sessions, while they are there and afterwards.

use std::time::Duration;

use anyhow::Result;

use super::super::agents::{Agents, connect};
use super::super::blocking_socket::BlockingSocket;
use super::super::process::{self, Memory};
use super::super::report::Unit;
use super::super::turns::{Bench, Party, Seat, row};
use super::sessions;

/// How long a companion that has been busy gets to release what it needs no more.
const CALM: Duration = Duration::from_millis(700);

impl Bench<'_> {
    /// Returns the companions that lost their sessions, for [`memory_after`](Self::memory_after).
    pub(in super::super) fn memory(&mut self) -> Result<Vec<Party>> {
        (self.tell)("memory, with more and more sessions");
        let mut parties = self.seats()?;
        let mut idle = vec![0.0; self.subjects.len()];
        self.weigh(
            "idle",
            &mut parties,
            |_| Ok(()),
            |at, memory| {
                idle[at] = memory.own;
                None
            },
        )?;
        for number in self.plan.sessions.clone() {
            self.weigh(
                &format!("with {}", sessions(number)),
                &mut parties,
                |seat| seat.crowd.grow(number),
                |at, memory| {
                    let each = (memory.own - idle[at]) / number as f64;
                    (number > 1).then(|| format!("{each:.1} KiB for each session"))
                },
            )?;
        }
        (self.tell)(&format!("{} sessions, opened and dropped", self.plan.dropped));
        // One companion after the other loses its agents, without a pause in between.
        for Party { seat, .. } in &mut parties {
            self.go_on()?;
            if let Ok(started) = seat
                && let Err(error) = self.come_and_go(started)
            {
                *seat = Err(format!("{:#}", started.companion.explain(error)));
            }
        }
        Ok(parties)
    }

    /// Measures once the companions have had a minute to forget the sessions of agents that were killed:
    /// those did not end them.
    pub(in super::super) fn memory_after(&mut self, mut parties: Vec<Party>, has_rested: bool) -> Result<()> {
        if !has_rested {
            (self.tell)("waiting until those that were dropped are forgotten");
            self.sleep(self.plan.idle)?;
        }
        let what = format!("after {} were opened and dropped", sessions(self.plan.dropped));
        self.weigh(&what, &mut parties, |_| Ok(()), |_, _| None)
    }

    fn weigh(
        &mut self,
        when: &str,
        parties: &mut [Party],
        mut first: impl FnMut(&mut Seat) -> Result<()>,
        mut note: impl FnMut(usize, Memory) -> Option<String>,
    ) -> Result<()> {
        let rows = [
            row(format!("memory {when}, resident"), Unit::Kib),
            row(format!("memory {when}, its own"), Unit::Kib),
        ];
        let mut seen = Vec::new();
        self.turns(&rows, parties, 1, |seat| {
            first(seat)?;
            std::thread::sleep(CALM);
            let memory = process::memory(seat.companion.pid)?;
            seen.push(memory);
            Ok(vec![vec![memory.resident], vec![memory.own]])
        })?;
        let measured = parties.iter().filter(|party| party.seat.is_ok());
        for (party, memory) in measured.zip(seen) {
            self.table.row(&rows[0])[party.subject].note = note(party.subject, memory);
        }
        Ok(())
    }

    /// Agents begin a session, open their stream, and are killed.
    fn come_and_go(&self, seat: &mut Seat) -> Result<()> {
        let address = seat.crowd.address.clone();
        seat.crowd = Agents::new(&address)?;
        let mut socket = BlockingSocket::open(&address)?;
        for _ in 0..self.plan.dropped {
            self.go_on()?;
            let agent = connect(&address, socket)?;
            socket = agent.socket;
            BlockingSocket::open(&address)?.begin_stream(&address.request(&agent.session, None))?;
        }
        Ok(())
    }
}
