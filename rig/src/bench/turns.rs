//! The subjects take turns, so that other work of this machine slows all of them alike.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use anyhow::Result;

use super::agents::Agents;
use super::plan::Plan;
use super::report::{Figure, Report, Row, Unit};
use super::subject::{Companion, Subject};

/// A companion that runs for a scene, and the agents at it.
#[derive(Debug)]
pub(super) struct Seat {
    pub(super) crowd: Agents,
    pub(super) companion: Companion,
}

/// A subject in a scene. One that fails leaves the scene, and keeps the reason.
#[derive(Debug)]
pub(super) struct Party {
    pub(super) subject: usize,
    pub(super) seat: Result<Seat, String>,
}

/// The name and the unit of a row.
pub(super) type RowKey = (String, Unit);

/// The key of a row with this name.
pub(super) fn row(what: impl Into<String>, unit: Unit) -> RowKey {
    (what.into(), unit)
}

/// The state that all scenes share.
pub(super) struct Bench<'a> {
    pub(super) plan: &'a Plan,
    pub(super) subjects: &'a [Subject],
    pub(super) interrupted: &'a AtomicBool,
    pub(super) tell: &'a dyn Fn(&str),
    pub(super) table: Table,
}

impl Bench<'_> {
    /// Fails once the person has interrupted the run.
    pub(super) fn go_on(&self) -> Result<()> {
        anyhow::ensure!(!self.interrupted.load(Relaxed), "interrupted");
        Ok(())
    }

    pub(super) fn sleep(&self, time: Duration) -> Result<()> {
        let until = Instant::now() + time;
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            self.go_on()?;
            std::thread::sleep(left.min(Duration::from_millis(100)));
        }
        Ok(())
    }

    /// Starts every subject.
    pub(super) fn seats(&self) -> Result<Vec<Party>> {
        let each = self.subjects.iter().enumerate();
        each.map(|(subject, it)| {
            self.go_on()?;
            Ok(Party { subject, seat: seat(it).map_err(|error| format!("{error:#}")) })
        })
        .collect()
    }

    /// Starts every subject, and keeps those with hooks: other makers' companions have none, and neither have
    /// older programs of ours.
    pub(super) fn seats_with_hooks(&self) -> Result<Vec<Party>> {
        let mut parties = self.seats()?;
        parties.retain(|party| party.seat.as_ref().is_ok_and(|seat| seat.companion.has_hook()));
        Ok(parties)
    }

    /// Calls `once` for each subject in turn, `turns` times; it returns samples for every row.
    pub(super) fn turns(
        &mut self,
        rows: &[RowKey],
        parties: &mut [Party],
        turns: usize,
        mut once: impl FnMut(&mut Seat) -> Result<Vec<Vec<f64>>>,
    ) -> Result<()> {
        for row in rows {
            self.table.row(row);
        }
        for turn in 0..turns {
            let count = parties.len();
            for at in 0..count {
                self.go_on()?;
                // The order of the companions changes as well.
                let at = if turn % 2 == 0 { at } else { count - 1 - at };
                let Party { subject, seat } = &mut parties[at];
                let Ok(there) = seat else { continue };
                match once(there) {
                    Ok(samples) => {
                        for (row, samples) in rows.iter().zip(samples) {
                            self.table.row(row)[*subject].turns.push(samples);
                        }
                    }
                    Err(error) => *seat = Err(format!("{:#}", there.companion.explain(error))),
                }
            }
        }
        for Party { subject, seat } in parties {
            if let Err(why) = seat {
                rows.iter().for_each(|row| self.table.row(row)[*subject].why = Some(why.clone()));
            }
        }
        Ok(())
    }
}

fn seat(subject: &Subject) -> Result<Seat> {
    let companion = subject.start()?;
    Ok(Seat { crowd: Agents::new(&companion.address)?, companion })
}

/// The measurements of one subject for one row.
#[derive(Debug, Default, Clone)]
pub(super) struct Cell {
    /// Samples, turn by turn.
    pub(super) turns: Vec<Vec<f64>>,
    /// Why there are none, or no more.
    pub(super) why: Option<String>,
    pub(super) note: Option<String>,
}

/// All rows so far.
#[derive(Debug)]
pub(super) struct Table {
    subjects: Vec<String>,
    rows: Vec<(RowKey, Vec<Cell>)>,
}

impl Table {
    pub(super) fn new(subjects: &[Subject]) -> Self {
        Self { subjects: subjects.iter().map(|subject| subject.name.clone()).collect(), rows: Vec::new() }
    }

    /// The cells of a row, one for each subject.
    pub(super) fn row(&mut self, what: &RowKey) -> &mut [Cell] {
        let at = self.rows.iter().position(|(row, _)| row == what).unwrap_or_else(|| {
            self.rows.push((what.clone(), vec![Cell::default(); self.subjects.len()]));
            self.rows.len() - 1
        });
        &mut self.rows[at].1
    }

    pub(super) fn report(self) -> Report {
        let rows = self.rows.into_iter().map(|((what, unit), cells)| {
            let ratio = match &cells[..] {
                [first, second] => ratio(first, second),
                _ => None,
            };
            Row { what, unit, ratio, figures: cells.into_iter().map(figure).collect() }
        });
        Report { subjects: self.subjects, rows: rows.collect() }
    }
}

fn figure(cell: Cell) -> Figure {
    let mut all: Vec<f64> = cell.turns.into_iter().flatten().collect();
    all.sort_by(f64::total_cmp);
    Figure {
        samples: all.len(),
        median: quantile(&all, 0.5),
        p99: quantile(&all, 0.99),
        mean: (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64),
        failed: cell.why,
        note: cell.note,
    }
}

/// The median, over all turns, of how many times as much the second took.
fn ratio(first: &Cell, second: &Cell) -> Option<f64> {
    let median = |turn: &Vec<f64>| {
        let mut turn = turn.clone();
        turn.sort_by(f64::total_cmp);
        quantile(&turn, 0.5)
    };
    let pairs = first.turns.iter().zip(&second.turns);
    let mut ratios: Vec<f64> =
        pairs.filter_map(|(one, other)| Some(median(other)? / median(one).filter(|it| *it > 0.0)?)).collect();
    ratios.sort_by(f64::total_cmp);
    quantile(&ratios, 0.5)
}

/// The value that so large a part of them does not exceed.
fn quantile(sorted: &[f64], part: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    // The nearest rank: a value that was really measured.
    let rank = (part * sorted.len() as f64).ceil() as usize;
    Some(sorted[rank.saturating_sub(1).min(last)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(turns: &[&[f64]]) -> Cell {
        Cell { turns: turns.iter().map(|turn| turn.to_vec()).collect(), ..Cell::default() }
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
    fn one_bad_turn_does_not_change_the_ratio() {
        let quick = cell(&[&[1.0, 2.0, 3.0], &[2.0], &[200.0]]);
        let slow = cell(&[&[20.0], &[20.0], &[20.0]]);
        assert_eq!(ratio(&quick, &slow), Some(10.0));
        assert_eq!(ratio(&quick, &cell(&[])), None);
    }
}
