//! Measures the terminal desk in tmux, as a person sees it: the first paint of a proposal, and the answer to
//! a key, beside the same change in a pager.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use alongside_desk::HookProposal;
use anyhow::Result;

use super::super::repetitions::{Bench, row_key};
use super::super::report::Unit;
use super::super::sides::{Alternative, Measure, require};
use super::super::subject::{Companion, Subject};
use super::super::timed_screen::TimedScreen;
use super::repository::Repository;
use super::{between, edits, file, millis, size, text};
use crate::agent_cli::bin;
use crate::editors::install_delta;

/// The time for which a person reads before the first key. Line mode ignores keys that come before 300 ms.
pub(super) const READING_TIME: Duration = Duration::from_millis(700);

impl Bench<'_> {
    pub(in super::super) fn desk(&mut self) -> Result<()> {
        for bytes in self.plan.seen_sizes.clone() {
            let (size, keys) = (size(bytes), self.plan.keys);
            (self.report_progress)(&format!("the desk, with a proposal of {size}"));
            let start = format!("start of the desk → {size} painted");
            let key = format!("a key at the desk → the screen, {size}");
            let rows = [
                row_key(format!("{start}; instead: git diff in less"), Unit::Millis),
                row_key(format!("{key}; instead: a line further in less"), Unit::Millis),
                row_key(format!("{start}; instead: git diff with delta"), Unit::Millis),
                row_key(format!("{key}; instead: a line further in delta's less"), Unit::Millis),
                row_key(format!("a proposal of {size} → the screen of an open desk"), Unit::Millis),
                row_key(format!("the first paint of {size} → its colours"), Unit::Millis),
            ];
            let less = Alternative { rows: 0..2, measure: pager("less", bytes, keys) };
            let delta = Alternative { rows: 2..4, measure: pager("delta", bytes, keys) };
            let repetitions = self.plan.repetitions;
            self.measure_sides(
                &rows,
                repetitions,
                |subject, _| desk(subject, bytes, keys),
                vec![less, delta],
            )?;
        }
        Ok(())
    }
}

/// Measures the desk, which joins the host of the bench.
fn desk(subject: &Subject, bytes: usize, keys: usize) -> Result<Measure> {
    require("tmux")?;
    let mut companion = subject.start()?;
    let path = file(&companion.project, "seen.rs");
    std::fs::write(&path, text(bytes, 0, ""))?;
    let mut screen = TimedScreen::in_tmux(companion.sandbox()?, [])?;
    let command = command_line(subject);
    let mut proposals = 0;
    Ok(Box::new(move || {
        proposals += 1;
        let version = format!("version {proposals};");
        let (_, hook) = propose(&mut companion, &path, bytes, &version)?;
        let started_at = screen.enter(&command)?;
        let painted_at = screen.wait_for("the proposal", |text| text.contains(&version))?;
        let painted = vec![millis(between(started_at, painted_at))];
        let coloured_at = screen.wait_for_picture("the colours", is_coloured)?;
        let coloured = vec![millis(between(painted_at, coloured_at))];
        std::thread::sleep(READING_TIME);
        let mut moved = Vec::new();
        for change in 2..=(keys + 1).min(edits(bytes)) {
            let (title, pressed_at) = (format!("change {change} of "), screen.press("j")?);
            let moved_at = screen.wait_for("the next change", |text| text.contains(&title))?;
            moved.push(millis(between(pressed_at, moved_at)));
        }
        // The review ends with its hook.
        drop(hook);
        screen.wait_for("the end of the review", |text| !text.contains(&version))?;
        proposals += 1;
        let version = format!("version {proposals};");
        let (proposed_at, hook) = propose(&mut companion, &path, bytes, &version)?;
        let shown_at = screen.wait_for("the second proposal", |text| text.contains(&version))?;
        let shown = vec![millis(between(proposed_at, shown_at))];
        drop(hook);
        screen.wait_for("the end of the second review", |text| !text.contains(&version))?;
        screen.press("q")?;
        screen.wait_for_shell()?;
        Ok(vec![painted.clone(), moved.clone(), painted, moved, shown, coloured])
    }))
}

/// Whether lines of code have the colours of their grammar: a function has another one than a variable.
fn is_coloured(picture: &vt100::Screen) -> bool {
    let (_, columns) = picture.size();
    (0..).zip(picture.rows(0, columns.get())).any(|(row, text)| {
        let colour = |word: &str| {
            let column = text.split_once(word)?.0.chars().count();
            Some(picture.cell(row, u16::try_from(column).ok()?)?.fgcolor())
        };
        colour("compute").is_some_and(|of_function| Some(of_function) != colour("value"))
    })
}

/// The command line that starts the desk.
fn command_line(subject: &Subject) -> String {
    subject.program().map_or_else(String::new, |program| format!("'{}'", program.display()))
}

/// Sends a proposal as a hook, and waits until the host has opened its review. Returns the time of the
/// proposal, and the hook.
pub(super) fn propose(
    companion: &mut Companion,
    path: &str,
    bytes: usize,
    version: &str,
) -> Result<(Instant, impl Sized + use<>)> {
    let proposal = HookProposal {
        agent: "Claude Code".into(),
        session: "bench".into(),
        file: path.to_owned(),
        proposed: text(bytes, edits(bytes), version).into(),
        patience_ms: 3_600_000,
        ..HookProposal::default()
    };
    let desk = companion.desk()?;
    let sent = desk.propose(&proposal)?;
    desk.wait_for_proposal(path)?;
    Ok(sent)
}

/// Measures `git diff` with a pager: less itself, or delta, which starts less.
fn pager(pager: &str, bytes: usize, keys: usize) -> Result<Measure> {
    require("tmux")?;
    require("less")?;
    let repository = Repository::new(bytes, edits(bytes))?;
    let delta = if pager == "delta" { Some(install_delta()?) } else { None };
    if let Some(delta) = &delta {
        delta.put_on_path(&repository.sandbox)?;
    }
    let directories = std::env::var_os("PATH").unwrap_or_default();
    let directories = [bin(&repository.sandbox)].into_iter().chain(std::env::split_paths(&directories));
    let path: OsString = std::env::join_paths(directories)?;
    let mut screen = TimedScreen::in_tmux(&repository.sandbox, [("PATH".to_owned(), path)])?;
    let command = format!("git -c core.pager={pager} diff");
    let mut changes = 0;
    Ok(Box::new(move || {
        changes += 1;
        let version = format!("version {changes};");
        repository.change(&version);
        let started_at = screen.enter(&command)?;
        let painted_at = screen.wait_for("the difference", |text| text.contains(&version))?;
        screen.wait_for("the prompt of less", |text| text.ends_with(':'))?;
        let mut moved = Vec::new();
        for _ in 0..keys {
            let (before, pressed_at) = (screen.text(), screen.press("j")?);
            let is_moved = |text: &str| text != before && text.ends_with(':');
            moved.push(millis(between(pressed_at, screen.wait_for("the next line", is_moved)?)));
        }
        screen.press("q")?;
        screen.wait_for_shell()?;
        Ok(vec![vec![millis(between(started_at, painted_at))], moved])
    }))
}
