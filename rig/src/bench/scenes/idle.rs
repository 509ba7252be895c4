//! The cost while nothing happens.

use anyhow::Result;

use super::super::process::Activity;
use super::super::report::Unit;
use super::super::turns::{Bench, Party, row};
use super::sessions;

/// How many agents are connected and say nothing.
const AGENTS: [usize; 2] = [0, 1];

impl Bench<'_> {
    /// Starts the companions before all other measurements, so that they have long done what they do at their
    /// start.
    pub(in super::super) fn begin_idle(&mut self) -> Result<Vec<Vec<Party>>> {
        let begin = |bench: &mut Self, agents: usize| {
            let mut parties = bench.seats()?;
            bench.turns(&[], &mut parties, 1, |seat| seat.crowd.grow(agents).map(|()| Vec::new()))?;
            Ok(parties)
        };
        AGENTS.map(|agents| begin(self, agents)).into_iter().collect()
    }

    /// Measures all of them at once: idle companions do not disturb each other.
    pub(in super::super) fn idle(&mut self, mut all: Vec<Vec<Party>>) -> Result<()> {
        let seconds = self.plan.idle.as_secs();
        (self.tell)(&format!("nothing, for {seconds} s"));
        let rows = |agents: usize| {
            let when = format!("{seconds} idle seconds, {}", sessions(agents));
            [
                row(format!("processor during {when}"), Unit::Millis),
                row(format!("wake-ups during {when}"), Unit::Count),
            ]
        };
        let mut before = Vec::new();
        for parties in &mut all {
            self.turns(&[], parties, 1, |seat| {
                before.push(Activity::of(seat.companion.pid)?);
                Ok(Vec::new())
            })?;
        }
        self.sleep(self.plan.idle)?;
        let mut before = before.into_iter();
        for (parties, agents) in all.iter_mut().zip(AGENTS) {
            self.turns(&rows(agents), parties, 1, |seat| {
                let now = Activity::of(seat.companion.pid)?;
                let (computed, woken) = before.next().map_or((0.0, 0.0), |before| now.since(&before));
                Ok(vec![vec![computed], vec![woken]])
            })?;
        }
        Ok(())
    }
}
