//! Measures the cost of a companion while nothing happens.

use anyhow::Result;

use super::super::process::Activity;
use super::super::repetitions::{Bench, Entrant, row_key};
use super::super::report::Unit;
use super::sessions;

/// The numbers of agents that are connected and send nothing.
const AGENTS: [usize; 2] = [0, 1];

impl Bench<'_> {
    /// Starts the companions before all other measurements, so that the work of their start is long done.
    pub(in super::super) fn begin_idle(&mut self) -> Result<Vec<Vec<Entrant>>> {
        let begin = |bench: &mut Self, agents: usize| {
            let mut entrants = bench.start_subjects()?;
            bench.repeat_in_turn(&[], &mut entrants, 1, |seat| {
                seat.agents.connect_up_to(agents).map(|()| Vec::new())
            })?;
            Ok(entrants)
        };
        AGENTS.map(|agents| begin(self, agents)).into_iter().collect()
    }

    /// Measures all companions at once: idle companions do not disturb each other.
    pub(in super::super) fn idle(&mut self, mut all: Vec<Vec<Entrant>>) -> Result<()> {
        let seconds = self.plan.idle.as_secs();
        (self.report_progress)(&format!("nothing, for {seconds} s"));
        let rows = |agents: usize| {
            let when = format!("{seconds} idle seconds, {}", sessions(agents));
            [
                row_key(format!("processor during {when}"), Unit::Millis),
                row_key(format!("wake-ups during {when}"), Unit::Count),
            ]
        };
        let mut before = Vec::new();
        for entrants in &mut all {
            self.repeat_in_turn(&[], entrants, 1, |seat| {
                before.push(Activity::of(seat.companion.pid)?);
                Ok(Vec::new())
            })?;
        }
        self.sleep(self.plan.idle)?;
        let mut before = before.into_iter();
        for (entrants, agents) in all.iter_mut().zip(AGENTS) {
            self.repeat_in_turn(&rows(agents), entrants, 1, |seat| {
                let now = Activity::of(seat.companion.pid)?;
                let (computed, woken) = before.next().map_or((0.0, 0.0), |before| now.since(&before));
                Ok(vec![vec![computed], vec![woken]])
            })?;
        }
        Ok(())
    }
}
