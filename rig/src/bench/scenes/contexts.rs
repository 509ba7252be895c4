//! From a move of the cursor until agents have heard of it.

use std::time::{Duration, Instant};

use alongside_contract::context::CONTEXT_UPDATE;
use anyhow::Result;

use super::super::report::Unit;
use super::super::turns::{Bench, Seat, row};
use super::{between, file, micros, millis, sessions};

/// How often the cursor moves where it never stands still.
const STEADILY: Duration = Duration::from_millis(30);
/// A context that comes later than this after the last move is none of those during the moves.
const AFTERWARDS: Duration = Duration::from_millis(10);

impl Bench<'_> {
    pub(in super::super) fn contexts(&mut self) -> Result<()> {
        let mut parties = self.seats()?;
        let mut line = 0;
        let debounce = self.plan.debounce;
        for number in self.plan.sessions.clone() {
            (self.tell)(&format!("context, with {}", sessions(number)));
            let what = format!("context beyond the debounce, {}", sessions(number));
            let mut rows = vec![row(what.clone(), Unit::Micros)];
            if number > 1 {
                rows.push(row(format!("{what}, the last to hear"), Unit::Millis));
            }
            let moves = self.plan.moves;
            self.turns(&rows, &mut parties, self.plan.turns, |seat| {
                seat.crowd.grow(number)?;
                let (mut each, mut last) = (Vec::new(), Vec::new());
                // With one agent there is but one sample in a move.
                for _ in 0..if number == 1 { moves * 4 } else { moves } {
                    line += 1;
                    let delays = moved(seat, line, number, debounce)?;
                    last.extend(delays.iter().copied().max().map(millis));
                    each.extend(delays.into_iter().map(micros));
                }
                Ok(vec![each, last])
            })?;
        }
        let seconds = self.plan.steady.as_secs_f32();
        (self.tell)("context, while the cursor never stands still");
        let rows = [row(format!("updates during {seconds} s of a move every 30 ms"), Unit::Count)];
        let mut parties = self.seats()?;
        let steady = self.plan.steady;
        self.turns(&rows, &mut parties, 2, |seat| {
            seat.crowd.grow(1)?;
            Ok(vec![vec![steadily(seat, &mut line, steady)?]])
        })
    }
}

/// Moves the cursor. Returns how long after the debounce each agent heard of it.
fn moved(seat: &mut Seat, line: u32, agents: usize, debounce: Duration) -> Result<Vec<Duration>> {
    let path = opened(seat)?;
    seat.crowd.calm_down(Duration::from_millis(60))?;
    let since = seat.companion.hands()?.cursor(&path, line)?;
    // Contexts are parsed when all of them have come: that takes time which the companion may need.
    let crowded = Duration::from_millis(if agents > 1 { 100 } else { 0 });
    std::thread::sleep(debounce / 2 + crowded);
    let mut delays = vec![None; agents];
    while delays.iter().any(Option::is_none) {
        let told = seat
            .crowd
            .wait("the context", |told| told.method == CONTEXT_UPDATE && told.line() == u64::from(line))?;
        delays[told.agent] = Some(between(since + debounce, told.at));
    }
    Ok(delays.into_iter().flatten().collect())
}

/// The number of updates that come while the cursor moves all the time.
fn steadily(seat: &mut Seat, line: &mut u32, time: Duration) -> Result<f64> {
    let path = opened(seat)?;
    seat.crowd.calm_down(Duration::from_millis(250))?;
    let since = Instant::now();
    let mut next = since;
    while since.elapsed() < time {
        *line += 1;
        seat.companion.hands()?.cursor(&path, *line)?;
        next += STEADILY;
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
    }
    let until = Instant::now() + AFTERWARDS;
    let mut updates = 0.0;
    while let Some(told) = seat.crowd.hear(Duration::from_millis(250))? {
        let counts = told.method == CONTEXT_UPDATE && told.at <= until;
        updates += f64::from(u8::from(counts));
    }
    Ok(updates)
}

/// The file that the cursor is in.
fn opened(seat: &Seat) -> Result<String> {
    let path = file(&seat.companion.project, "open.rs");
    if !std::path::Path::new(&path).exists() {
        std::fs::write(&path, "a line\n".repeat(10_000))?;
    }
    Ok(path)
}
