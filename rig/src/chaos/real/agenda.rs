//! The agenda of a round: what happens when.

use rustix::process::Pid;

use crate::chaos::plan::Action;

/// Something that happens at its time.
#[derive(Debug, Clone)]
pub(super) enum Event {
    /// A step of the plan.
    Step(Action),
    /// These processes continue, and the trouble ends.
    Thaw(Vec<Pid>, Option<usize>),
    /// An agent's held connection passes again, or is cut.
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

/// The events to come.
#[derive(Debug, Default)]
pub(super) struct Agenda(Vec<(u64, Event)>);

impl Agenda {
    /// Adds an event at a time of the round, in milliseconds.
    pub(super) fn add(&mut self, at: u64, event: Event) {
        self.0.push((at, event));
    }

    /// Removes the earliest event; of several at one time, the first added.
    pub(super) fn take_next(&mut self) -> Option<(u64, Event)> {
        let next = (0..self.0.len()).min_by_key(|index| self.0[*index].0)?;
        Some(self.0.remove(next))
    }
}
