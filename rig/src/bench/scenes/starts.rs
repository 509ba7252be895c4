//! The time from the start of a companion until agents can find it.

use anyhow::Result;

use super::super::report::Unit;
use super::super::subject::{Companion, Kind, Subject};
use super::super::turns::{Bench, row};
use super::millis;

impl Bench<'_> {
    pub(in super::super) fn starts(&mut self) -> Result<()> {
        (self.tell)("starting, until every discovery file is there");
        self.found("spawn → every discovery file", Subject::starts, Subject::start)?;
        let is_ours = |subject: &Subject| matches!(subject.kind, Kind::Ours(_));
        self.found("the same as a language server, with its host", is_ours, Subject::start_as_server)
    }

    fn found(
        &mut self,
        what: &str,
        applies: impl Fn(&Subject) -> bool,
        start: impl Fn(&Subject) -> Result<Companion>,
    ) -> Result<()> {
        let row = row(what, Unit::Millis);
        self.table.row(&row);
        for _ in 0..self.plan.starts {
            for (at, subject) in self.subjects.iter().enumerate().filter(|(_, subject)| applies(subject)) {
                self.go_on()?;
                let cell = &mut self.table.row(&row)[at];
                match start(subject) {
                    Ok(companion) => {
                        cell.turns.push(companion.found_after.map(millis).into_iter().collect());
                        cell.note = Some(format!("{} files", companion.files.len()));
                    }
                    Err(error) => cell.why = Some(format!("{error:#}")),
                }
            }
        }
        Ok(())
    }
}
