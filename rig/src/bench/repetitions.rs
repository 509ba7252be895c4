//! Repeats a measurement for each subject in turn, so that other work of this machine slows all of them
//! alike.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use anyhow::Result;

use super::agents::Agents;
use super::plan::Plan;
use super::report::{Figure, Row, Unit};
use super::subject::{Companion, Subject};

/// A companion that runs for a scene, and the agents at it.
#[derive(Debug)]
pub(super) struct Seat {
    pub(super) agents: Agents,
    pub(super) companion: Companion,
}

/// A subject in a scene. A subject that fails is measured no more in this scene, and keeps the reason.
#[derive(Debug)]
pub(super) struct Entrant {
    pub(super) subject: usize,
    pub(super) seat: Result<Seat, String>,
}

/// The name and the unit of a row.
pub(super) type RowKey = (String, Unit);

/// Returns the key of the row with this name.
pub(super) fn row_key(what: impl Into<String>, unit: Unit) -> RowKey {
    (what.into(), unit)
}

/// The state that all scenes share.
pub(super) struct Bench<'a> {
    pub(super) plan: &'a Plan,
    pub(super) subjects: &'a [Subject],
    pub(super) interrupted: &'a AtomicBool,
    pub(super) report_progress: &'a dyn Fn(&str),
    pub(super) table: Table,
    /// The rows of what people feel: a column for each program of alongside, and one for what a person would
    /// use instead.
    pub(super) people: Table,
}

impl Bench<'_> {
    /// Fails once the person has interrupted the run.
    pub(super) fn ensure_not_interrupted(&self) -> Result<()> {
        anyhow::ensure!(!self.interrupted.load(Relaxed), "interrupted");
        Ok(())
    }

    pub(super) fn sleep(&self, time: Duration) -> Result<()> {
        let until = Instant::now() + time;
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            self.ensure_not_interrupted()?;
            std::thread::sleep(left.min(Duration::from_millis(100)));
        }
        Ok(())
    }

    /// Starts every subject. An error of a start is kept in its entrant.
    pub(super) fn start_subjects(&self) -> Result<Vec<Entrant>> {
        let start = |(index, subject)| {
            self.ensure_not_interrupted()?;
            Ok(Entrant { subject: index, seat: seat(subject).map_err(|error| format!("{error:#}")) })
        };
        self.subjects.iter().enumerate().map(start).collect()
    }

    /// Starts every subject, and keeps the subjects with hooks. Companions of other makers have no hook, and
    /// older releases of alongside have none either.
    pub(super) fn start_subjects_with_hooks(&self) -> Result<Vec<Entrant>> {
        let mut entrants = self.start_subjects()?;
        entrants.retain(|entrant| entrant.seat.as_ref().is_ok_and(|seat| seat.companion.has_hook()));
        Ok(entrants)
    }

    /// Calls `measure` for each subject in turn, `repetitions` times. `measure` returns the samples of every
    /// row.
    pub(super) fn repeat_in_turn(
        &mut self,
        rows: &[RowKey],
        entrants: &mut [Entrant],
        repetitions: usize,
        mut measure: impl FnMut(&mut Seat) -> Result<Vec<Vec<f64>>>,
    ) -> Result<()> {
        for row in rows {
            self.table.cells(row);
        }
        for repetition in 0..repetitions {
            let count = entrants.len();
            for index in 0..count {
                self.ensure_not_interrupted()?;
                // Every second repetition has the reverse order.
                let index = if repetition % 2 == 0 { index } else { count - 1 - index };
                let Entrant { subject, seat } = &mut entrants[index];
                let Ok(started) = seat else { continue };
                match measure(started) {
                    Ok(samples) => {
                        for (row, samples) in rows.iter().zip(samples) {
                            self.table.cells(row)[*subject].repetitions.push(samples);
                        }
                    }
                    Err(error) => *seat = Err(format!("{:#}", started.companion.explain(error))),
                }
            }
        }
        for Entrant { subject, seat } in entrants {
            if let Err(failure) = seat {
                rows.iter().for_each(|row| self.table.cells(row)[*subject].failure = Some(failure.clone()));
            }
        }
        Ok(())
    }
}

fn seat(subject: &Subject) -> Result<Seat> {
    let companion = subject.start()?;
    Ok(Seat { agents: Agents::new(&companion.address)?, companion })
}

/// The measurements of one column for one row.
#[derive(Debug, Default, Clone)]
pub(super) struct Cell {
    /// The samples of each repetition.
    pub(super) repetitions: Vec<Vec<f64>>,
    /// The error that ended the measurement, if one did.
    pub(super) failure: Option<String>,
    pub(super) note: Option<String>,
}

/// All rows so far.
#[derive(Debug)]
pub(super) struct Table {
    columns: Vec<String>,
    rows: Vec<(RowKey, Vec<Cell>)>,
}

impl Table {
    pub(super) fn new(columns: Vec<String>) -> Self {
        Self { columns, rows: Vec::new() }
    }

    /// Returns the cells of a row, one for each column. Adds the row if it is new.
    pub(super) fn cells(&mut self, key: &RowKey) -> &mut [Cell] {
        let index = self.rows.iter().position(|(row, _)| row == key).unwrap_or_else(|| {
            self.rows.push((key.clone(), vec![Cell::default(); self.columns.len()]));
            self.rows.len() - 1
        });
        &mut self.rows[index].1
    }

    /// Returns the names of the columns, and the rows with their figures.
    pub(super) fn figures(self) -> (Vec<String>, Vec<Row>) {
        let rows = self.rows.into_iter().map(|((what, unit), cells)| {
            let ratio = match &cells[..] {
                [first, second, ..] => ratio(first, second),
                _ => None,
            };
            Row { what, unit, ratio, figures: cells.into_iter().map(figure).collect() }
        });
        (self.columns, rows.collect())
    }
}

fn figure(cell: Cell) -> Figure {
    let mut all: Vec<f64> = cell.repetitions.into_iter().flatten().collect();
    all.sort_by(f64::total_cmp);
    Figure {
        samples: all.len(),
        median: quantile(&all, 0.5),
        p99: quantile(&all, 0.99),
        mean: (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64),
        failed: cell.failure,
        note: cell.note,
    }
}

/// The median, over all repetitions, of the second column's median divided by the first's.
fn ratio(first: &Cell, second: &Cell) -> Option<f64> {
    let median = |samples: &Vec<f64>| {
        let mut samples = samples.clone();
        samples.sort_by(f64::total_cmp);
        quantile(&samples, 0.5)
    };
    let pairs = first.repetitions.iter().zip(&second.repetitions);
    let mut ratios: Vec<f64> = pairs
        .filter_map(|(one, other)| Some(median(other)? / median(one).filter(|median| *median > 0.0)?))
        .collect();
    ratios.sort_by(f64::total_cmp);
    quantile(&ratios, 0.5)
}

/// The quantile of sorted samples; 0.99 is the 99th percentile.
fn quantile(sorted: &[f64], fraction: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    // The nearest rank: a measured sample, and no interpolation.
    let rank = (fraction * sorted.len() as f64).ceil() as usize;
    Some(sorted[rank.saturating_sub(1).min(last)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(repetitions: &[&[f64]]) -> Cell {
        Cell { repetitions: repetitions.iter().map(|samples| samples.to_vec()).collect(), ..Cell::default() }
    }

    #[test]
    fn a_figure_has_the_median_and_the_99th_percentile() {
        let hundred: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        let figure = figure(cell(&[&hundred[..50], &hundred[50..]]));
        assert_eq!(
            (figure.samples, figure.median, figure.p99, figure.mean),
            (100, Some(50.0), Some(99.0), Some(50.5))
        );
        assert_eq!(super::figure(cell(&[])).median, None);
    }

    #[test]
    fn one_bad_repetition_does_not_change_the_ratio() {
        let quick = cell(&[&[1.0, 2.0, 3.0], &[2.0], &[200.0]]);
        let slow = cell(&[&[20.0], &[20.0], &[20.0]]);
        assert_eq!(ratio(&quick, &slow), Some(10.0));
        assert_eq!(ratio(&quick, &cell(&[])), None);
    }
}
