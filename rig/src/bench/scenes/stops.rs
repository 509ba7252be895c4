//! Measures the end of a companion while agents listen. An agent whose stream does not end properly takes the
//! companion for lost.

use std::time::Instant;

use anyhow::Result;

use super::super::repetitions::{Bench, row_key};
use super::super::report::Unit;
use super::{between, millis, sessions};

impl Bench<'_> {
    pub(in super::super) fn stops(&mut self) -> Result<()> {
        let number = self.plan.decision_sessions.last().copied().unwrap_or(1);
        let when = format!("stop with {} open", sessions(number));
        (self.report_progress)(&when);
        let rows = [
            row_key(format!("{when}, until the streams have ended"), Unit::Millis),
            row_key(format!("{when}, until it is gone"), Unit::Millis),
        ];
        for _ in 0..self.plan.repetitions {
            let mut entrants = self.start_subjects()?;
            // The bench stops only companions that it has started.
            entrants.retain(|entrant| self.subjects[entrant.subject].is_startable());
            let mut notes = Vec::new();
            self.repeat_in_turn(&rows, &mut entrants, 1, |seat| {
                let (agents, companion) = (&mut seat.agents, &mut seat.companion);
                agents.connect_up_to(number)?;
                let stopped_at = Instant::now();
                companion.terminate()?;
                let ends = agents.wait_for_ends()?;
                let ended = Instant::now();
                companion.wait_for_end()?;
                let leftovers = companion.files.iter().filter(|file| file.exists()).count();
                notes.push(format!(
                    "{} of {number} streams ended properly, {leftovers} files are left",
                    ends.0
                ));
                Ok(vec![vec![millis(between(stopped_at, ended))], vec![millis(stopped_at.elapsed())]])
            })?;
            let stopped: Vec<_> = entrants.iter().filter(|entrant| entrant.seat.is_ok()).collect();
            for (index, note) in notes.into_iter().enumerate().filter(|_| stopped.len() == entrants.len()) {
                self.table.cells(&rows[0])[stopped[index].subject].note = Some(note);
            }
        }
        Ok(())
    }
}
