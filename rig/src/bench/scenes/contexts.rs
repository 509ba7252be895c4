//! Measures the time from a move of the cursor until agents have the context.

use std::time::{Duration, Instant};

use alongside_contract::context::CONTEXT_UPDATE;
use anyhow::Result;

use super::super::agents::StreamMessage;
use super::super::repetitions::{Bench, Seat, row_key};
use super::super::report::Unit;
use super::{between, file, micros, millis, sessions};

/// The time between two moves of a cursor that never stands still.
const MOVE_INTERVAL: Duration = Duration::from_millis(30);
/// A context that arrives later than this after the last move does not count as sent during the moves.
const GRACE: Duration = Duration::from_millis(10);

impl Bench<'_> {
    pub(in super::super) fn contexts(&mut self) -> Result<()> {
        let mut entrants = self.start_subjects()?;
        let mut line = 0;
        let debounce = self.plan.debounce;
        for number in self.plan.sessions.clone() {
            (self.report_progress)(&format!("context, with {}", sessions(number)));
            let what = format!("context beyond the debounce, {}", sessions(number));
            let mut rows = vec![row_key(what.clone(), Unit::Micros)];
            if number > 1 {
                rows.push(row_key(format!("{what}, the last to hear"), Unit::Millis));
            }
            let moves = self.plan.moves;
            self.repeat_in_turn(&rows, &mut entrants, self.plan.repetitions, |seat| {
                seat.agents.connect_up_to(number)?;
                let (mut each, mut last) = (Vec::new(), Vec::new());
                // With one agent there is but one sample in a move.
                for _ in 0..if number == 1 { moves * 4 } else { moves } {
                    line += 1;
                    let delays = context_delays(seat, line, number, debounce)?;
                    last.extend(delays.iter().copied().max().map(millis));
                    each.extend(delays.into_iter().map(micros));
                }
                Ok(vec![each, last])
            })?;
        }
        let seconds = self.plan.steady_moves.as_secs_f32();
        (self.report_progress)("context, while the cursor never stands still");
        let rows = [row_key(format!("updates during {seconds} s of a move every 30 ms"), Unit::Count)];
        let mut entrants = self.start_subjects()?;
        let steady = self.plan.steady_moves;
        self.repeat_in_turn(&rows, &mut entrants, 2, |seat| {
            seat.agents.connect_up_to(1)?;
            Ok(vec![vec![updates_during_moves(seat, &mut line, steady)?]])
        })
    }
}

/// Moves the cursor. Returns the time from the end of the debounce until each agent had the context.
fn context_delays(seat: &mut Seat, line: u32, agents: usize, debounce: Duration) -> Result<Vec<Duration>> {
    let path = open_file(seat)?;
    seat.agents.drain_messages(Duration::from_millis(60))?;
    let moved_at = seat.companion.person()?.move_cursor(&path, line)?;
    // With many agents, contexts are parsed only after all have arrived: parsing takes processor time that
    // the companion may need.
    let arrival = Duration::from_millis(if agents > 1 { 100 } else { 0 });
    std::thread::sleep(debounce / 2 + arrival);
    let mut delays = vec![None; agents];
    while delays.iter().any(Option::is_none) {
        let is_wanted = |message: &StreamMessage| {
            message.method == CONTEXT_UPDATE && message.cursor_line() == u64::from(line)
        };
        let update = seat.agents.wait("the context", is_wanted)?;
        delays[update.agent] = Some(between(moved_at + debounce, update.at));
    }
    Ok(delays.into_iter().flatten().collect())
}

/// Counts the updates that arrive while the cursor moves without a pause.
fn updates_during_moves(seat: &mut Seat, line: &mut u32, time: Duration) -> Result<f64> {
    let path = open_file(seat)?;
    seat.agents.drain_messages(Duration::from_millis(250))?;
    let since = Instant::now();
    let mut next = since;
    while since.elapsed() < time {
        *line += 1;
        seat.companion.person()?.move_cursor(&path, *line)?;
        next += MOVE_INTERVAL;
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
    }
    let until = Instant::now() + GRACE;
    let mut updates = 0.0;
    while let Some(message) = seat.agents.next_message(Duration::from_millis(250))? {
        let counts = message.method == CONTEXT_UPDATE && message.at <= until;
        updates += f64::from(u8::from(counts));
    }
    Ok(updates)
}

/// The path of the file that the cursor is in. Writes the file if it does not exist.
fn open_file(seat: &Seat) -> Result<String> {
    let path = file(&seat.companion.project, "open.rs");
    if !std::path::Path::new(&path).exists() {
        std::fs::write(&path, "a line\n".repeat(10_000))?;
    }
    Ok(path)
}
