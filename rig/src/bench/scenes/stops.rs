//! The end, while agents listen: their streams have to end properly, or they take the companion for lost.

use std::time::Instant;

use anyhow::Result;

use super::super::report::Unit;
use super::super::turns::{Bench, row};
use super::{between, millis, sessions};

impl Bench<'_> {
    pub(in super::super) fn stops(&mut self) -> Result<()> {
        let number = self.plan.deciding.last().copied().unwrap_or(1);
        let when = format!("stop with {} open", sessions(number));
        (self.tell)(&when);
        let rows = [
            row(format!("{when}, until the streams have ended"), Unit::Millis),
            row(format!("{when}, until it is gone"), Unit::Millis),
        ];
        for _ in 0..self.plan.turns {
            let mut parties = self.seats()?;
            // A companion that was not started here is not stopped either.
            parties.retain(|party| self.subjects[party.subject].starts());
            let mut notes = Vec::new();
            self.turns(&rows, &mut parties, 1, |seat| {
                let (crowd, companion) = (&mut seat.crowd, &mut seat.companion);
                crowd.grow(number)?;
                let since = Instant::now();
                companion.terminate()?;
                let ends = crowd.ends()?;
                let ended = Instant::now();
                companion.wait_for_end()?;
                let left = companion.files.iter().filter(|file| file.exists()).count();
                notes.push(format!("{} of {number} streams ended properly, {left} files are left", ends.0));
                Ok(vec![vec![millis(between(since, ended))], vec![millis(since.elapsed())]])
            })?;
            let stopped: Vec<_> = parties.iter().filter(|party| party.seat.is_ok()).collect();
            for (at, note) in notes.into_iter().enumerate().filter(|_| stopped.len() == parties.len()) {
                self.table.row(&rows[0])[stopped[at].subject].note = Some(note);
            }
        }
        Ok(())
    }
}
