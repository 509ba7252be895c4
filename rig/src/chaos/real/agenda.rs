//! The agenda of a round: its scheduled events.

use rustix::process::Pid;

use crate::chaos::plan::Action;

/// A scheduled event.
#[derive(Debug, Clone)]
pub(super) enum Event {
    /// A step of the plan.
    Step(Action),
    /// These processes continue, and the trouble ends.
    Thaw(Vec<Pid>, Option<usize>),
    /// The hold on an agent's connection ends; with `cut`, the connection is reset.
    Release { agent: usize, trouble: usize, cut: bool },
    /// The squatter releases its ports, and the trouble ends.
    SquatterLeaves(usize),
    /// A desk joins again.
    Join(usize),
    /// A person types `/ide enable` in an agent.
    Enable(usize),
    /// The full disk becomes free, and the trouble ends.
    FreeDisk(usize),
}

/// The scheduled events that have not happened.
#[derive(Debug, Default)]
pub(super) struct Agenda(Vec<(u64, Event)>);

impl Agenda {
    /// Adds an event at a time of the round, in milliseconds.
    pub(super) fn add(&mut self, at: u64, event: Event) {
        self.0.push((at, event));
    }

    /// Removes and returns the earliest event; of several with the same time, the one that was added first.
    pub(super) fn take_next(&mut self) -> Option<(u64, Event)> {
        let next = (0..self.0.len()).min_by_key(|index| self.0[*index].0)?;
        Some(self.0.remove(next))
    }
}
