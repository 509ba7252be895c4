//! Measures alongside as people feel it, beside the programs that they would use instead: each side in turn,
//! as subjects are.

use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Error, Result, ensure};

use super::repetitions::{Bench, RowKey};
use super::subject::Subject;
use crate::install::InstallError;

/// Measures once, and returns the samples of each row.
pub(super) type Measure = Box<dyn FnMut() -> Result<Vec<Vec<f64>>>>;

/// A program that people would use instead.
pub(super) struct Alternative {
    /// The rows that have its figures.
    pub(super) rows: Range<usize>,
    /// The measurement, or the reason why there is none.
    pub(super) measure: Result<Measure>,
}

/// Fails with [`InstallError::Unavailable`] unless this program is on the PATH.
pub(super) fn require(program: &str) -> Result<()> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = std::env::split_paths(&path).any(|directory| directory.join(program).is_file());
    ensure!(is_there, InstallError::Unavailable(format!("there is no program {program}")));
    Ok(())
}

/// Returns the program as Debian installs it: a name on the PATH may be a script that chooses a version.
pub(super) fn of_debian(program: &str) -> Result<PathBuf> {
    let path = Path::new("/usr/bin").join(program);
    ensure!(path.is_file(), InstallError::Unavailable(format!("there is no {}", path.display())));
    Ok(path)
}

/// Returns the names of the columns: the programs of alongside, then what each row names.
pub(super) fn columns(subjects: &[Subject]) -> Vec<String> {
    let ours = subjects.iter().filter(|subject| subject.program().is_some());
    ours.map(|subject| subject.name.clone()).chain(["instead".into()]).collect()
}

impl Bench<'_> {
    /// Measures each program of alongside, which `begin` prepares, and the alternatives, `repetitions` times.
    pub(super) fn measure_sides(
        &mut self,
        rows: &[RowKey],
        repetitions: usize,
        begin: impl Fn(&Subject, &Path) -> Result<Measure>,
        alternatives: Vec<Alternative>,
    ) -> Result<()> {
        let ours = self.subjects.iter().filter_map(|subject| Some((subject, subject.program()?)));
        let ours: Vec<_> = ours.map(|(subject, program)| (0..rows.len(), begin(subject, program))).collect();
        if ours.is_empty() {
            return Ok(());
        }
        let last = ours.len();
        let alternatives = alternatives.into_iter().map(|other| (last, other.rows, other.measure));
        let ours = ours.into_iter().enumerate().map(|(column, (rows, measure))| (column, rows, measure));
        let mut sides: Vec<_> = ours.chain(alternatives).collect();
        for row in rows {
            self.people.cells(row);
        }
        for repetition in 0..repetitions {
            let count = sides.len();
            for index in 0..count {
                self.ensure_not_interrupted()?;
                // Every second repetition has the reverse order.
                let index = if repetition % 2 == 0 { index } else { count - 1 - index };
                let (column, range, side) = &mut sides[index];
                let Ok(measure) = side else { continue };
                match measure() {
                    Ok(samples) => {
                        for (row, samples) in rows[range.clone()].iter().zip(samples) {
                            self.people.cells(row)[*column].repetitions.push(samples);
                        }
                    }
                    Err(error) => *side = Err(error),
                }
            }
        }
        for (column, range, side) in sides {
            let Err(error) = side else { continue };
            for row in &rows[range] {
                let cell = &mut self.people.cells(row)[column];
                match unavailable(&error) {
                    Some(why) => cell.note = Some(format!("not measured here: {why}")),
                    None => cell.failure = Some(format!("{error:#}")),
                }
            }
        }
        Ok(())
    }
}

/// The reason why this machine cannot measure a side, if the machine is the cause: that is no failure.
fn unavailable(error: &Error) -> Option<&str> {
    match error.downcast_ref() {
        Some(InstallError::Unavailable(why)) => Some(why),
        Some(InstallError::Broken(_)) | None => None,
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Context as _;

    use super::*;

    #[test]
    fn a_program_that_is_missing_is_named() {
        let error = require("no-such-program").expect_err("no machine has it");
        assert_eq!(unavailable(&error), Some("there is no program no-such-program"));
    }

    #[test]
    fn a_missing_program_is_no_failure() {
        let missing = || InstallError::Unavailable("there is no tmux".into());
        assert_eq!(unavailable(&missing().into()), Some("there is no tmux"));
        let explained: Result<()> = Err(missing()).context("the desk");
        assert_eq!(explained.as_ref().err().and_then(unavailable), Some("there is no tmux"));
        assert_eq!(unavailable(&InstallError::Broken("a lock file".into()).into()), None);
        assert_eq!(unavailable(&Error::msg("no prompt")), None);
    }
}
