//! Measures line mode, as a person sees it: the time from a letter to the next change, beside `git add -p`.

use std::ffi::OsString;
use std::path::Path;

use anyhow::Result;

use super::super::repetitions::{Bench, row_key};
use super::super::report::Unit;
use super::super::sides::{Alternative, Measure};
use super::super::subject::Subject;
use super::super::timed_screen::TimedScreen;
use super::desk::{READING_TIME, propose};
use super::repository::Repository;
use super::{between, edits, file, millis, size, text};

impl Bench<'_> {
    pub(in super::super) fn line_mode(&mut self) -> Result<()> {
        for bytes in self.plan.seen_sizes.clone() {
            let (size, keys) = (size(bytes), self.plan.keys);
            (self.report_progress)(&format!("line mode, with a proposal of {size}"));
            let what = format!("a letter in line mode → the next change, {size}");
            let rows = [row_key(format!("{what}; instead: git add -p"), Unit::Millis)];
            let git = Alternative { rows: 0..1, measure: git(bytes, keys) };
            let begin = |subject: &Subject, program: &Path| line_mode(subject, program, bytes, keys);
            let repetitions = self.plan.repetitions;
            self.measure_sides(&rows, repetitions, begin, vec![git])?;
        }
        Ok(())
    }
}

/// Measures `alongside review`, which joins the host of the bench.
fn line_mode(subject: &Subject, program: &Path, bytes: usize, keys: usize) -> Result<Measure> {
    let mut companion = subject.start()?;
    let path = file(&companion.project, "seen.rs");
    std::fs::write(&path, text(bytes, 0, ""))?;
    let program = program.to_owned();
    let mut proposals = 0;
    Ok(Box::new(move || {
        proposals += 1;
        let (_, hook) = propose(&mut companion, &path, bytes, &format!("version {proposals};"))?;
        let words: [OsString; 2] = [program.clone().into(), "review".into()];
        let mut screen = TimedScreen::start(companion.sandbox()?, [], words)?;
        let took = next_changes(&mut screen, edits(bytes), keys)?;
        screen.end()?;
        drop(hook);
        Ok(vec![took])
    }))
}

fn git(bytes: usize, keys: usize) -> Result<Measure> {
    let repository = Repository::new(bytes, edits(bytes))?;
    repository.change("version 1;");
    Ok(Box::new(move || {
        let words = ["git", "add", "-p"].map(OsString::from);
        let mut screen = TimedScreen::start(&repository.sandbox, [], words)?;
        let took = next_changes(&mut screen, edits(bytes), keys)?;
        screen.end()?;
        Ok(vec![took])
    }))
}

/// Goes from change to change by a letter that both programs know. Returns the times until the prompt of each
/// next change, in milliseconds.
fn next_changes(screen: &mut TimedScreen, changes: usize, keys: usize) -> Result<Vec<f64>> {
    let mut took = Vec::new();
    let first = format!("(1/{changes})");
    screen.wait_for("the first change", |text| text.contains(&first))?;
    std::thread::sleep(READING_TIME);
    for change in 2..=(keys + 1).min(changes) {
        let (prompt, pressed_at) = (format!("({change}/{changes})"), screen.press("j\r")?);
        let shown_at = screen.wait_for("the next change", |text| text.contains(&prompt))?;
        took.push(millis(between(pressed_at, shown_at)));
    }
    Ok(took)
}
