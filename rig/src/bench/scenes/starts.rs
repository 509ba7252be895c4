//! Measures the time from the start of a companion until agents can find it.

use anyhow::Result;

use super::super::repetitions::{Bench, row_key};
use super::super::report::Unit;
use super::super::subject::{Companion, Kind, Subject};
use super::millis;

impl Bench<'_> {
    pub(in super::super) fn starts(&mut self) -> Result<()> {
        (self.report_progress)("starting, until every discovery file is there");
        self.time_to_found("spawn → every discovery file", Subject::is_startable, Subject::start)?;
        let is_ours = |subject: &Subject| matches!(subject.kind, Kind::Ours(_));
        self.time_to_found("the same as a language server, with its host", is_ours, Subject::start_as_server)
    }

    fn time_to_found(
        &mut self,
        what: &str,
        applies: impl Fn(&Subject) -> bool,
        start: impl Fn(&Subject) -> Result<Companion>,
    ) -> Result<()> {
        let row = row_key(what, Unit::Millis);
        self.table.cells(&row);
        for _ in 0..self.plan.starts {
            for (index, subject) in self.subjects.iter().enumerate().filter(|(_, subject)| applies(subject)) {
                self.ensure_not_interrupted()?;
                let cell = &mut self.table.cells(&row)[index];
                match start(subject) {
                    Ok(companion) => {
                        cell.repetitions.push(companion.time_to_found.map(millis).into_iter().collect());
                        cell.note = Some(format!("{} files", companion.files.len()));
                    }
                    Err(error) => cell.failure = Some(format!("{error:#}")),
                }
            }
        }
        Ok(())
    }
}
