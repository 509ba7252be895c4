//! The offered change of an agent's settings that is on the screen, and the person's answer to it.

use alongside_desk::agent_setup::SettingsOffer;
use crossterm::event::KeyCode;

use crate::keys::Answer;

/// An offered change on the screen.
#[derive(Debug)]
pub(crate) struct OpenOffer {
    offer: SettingsOffer,
    phase: Phase,
    /// The first row on the screen.
    top: usize,
}

/// The progress of the question whether to make the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The question has not been on the screen.
    Unseen,
    Seen,
    /// The person agreed, and the change is under way.
    Agreed,
}

impl OpenOffer {
    pub(crate) fn new(offer: SettingsOffer) -> Self {
        Self { offer, phase: Phase::Unseen, top: 0 }
    }

    pub(crate) fn offer(&self) -> &SettingsOffer {
        &self.offer
    }

    /// The first row on the screen. It may be too large to fill the screen, and is limited when it is drawn.
    pub(crate) fn top(&self) -> usize {
        self.top
    }

    /// Notes that the question is on the screen.
    pub(crate) fn mark_shown(&mut self) {
        if self.phase == Phase::Unseen {
            self.phase = Phase::Seen;
        }
    }

    /// Handles a `y` or an `n`.
    pub(crate) fn take_answer(&mut self, key: KeyCode) -> Answer {
        match (self.phase, key) {
            (Phase::Agreed, _) => Answer::Nothing,
            (_, KeyCode::Char('n' | 'N')) => Answer::No,
            (Phase::Unseen, _) => Answer::TooSoon,
            (Phase::Seen, _) => {
                self.phase = Phase::Agreed;
                Answer::Yes
            }
        }
    }

    pub(crate) fn scroll(&mut self, by: isize) {
        self.top = self.top.saturating_add_signed(by);
    }
}
