//! The phase of the document of a review: closed, open, or shown by the editor without this server.

use std::time::Duration;

use alongside_desk::Text;
use tokio::time::Instant;

use super::normalization::Normalization;

/// The time in which an editor that shows a proposal opens it at this server, if it does so at all.
const OPEN_TIMEOUT: Duration = Duration::from_secs(2);
/// The time after which a closed proposal is rejected. Editors also close documents to reopen them, and
/// before they end.
const CLOSE_DELAY: Duration = Duration::from_millis(500);
/// The time between two checks of the file of a proposal that the editor shows without this server.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub(crate) enum Phase {
    Closed {
        /// The time at which closing counts as a rejection, unless the editor opens the document again
        /// before.
        rejection_due: Option<Instant>,
        /// The editor says that it shows the document, and may open it at this server until this time.
        opening_deadline: Option<Instant>,
    },
    Open(OpenDocument),
    /// The editor shows the document without this server, so that only the file tells what the person saves.
    ShownWithoutServer {
        /// The time of the next check for text that was saved there.
        next_check: Instant,
        /// The same time as in [`Phase::Closed`].
        opening_deadline: Option<Instant>,
    },
}

/// The document while the editor has it open.
#[derive(Debug)]
pub(crate) struct OpenDocument {
    /// The changes that the editor makes by itself when it opens the text.
    pub(crate) normalization: Normalization,
    /// The text in the editor.
    pub(crate) text: Text,
    /// This server has edited the document, and waits for the editor to save it.
    pub(crate) awaits_save: bool,
}

/// An event that is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Due {
    /// The document has been closed for long enough.
    Rejection,
    /// The editor has not opened the document at this server in time.
    NotOpened,
    /// The file is to be checked.
    Check,
}

impl Phase {
    pub(crate) fn new() -> Self {
        Self::Closed { rejection_due: None, opening_deadline: None }
    }

    pub(crate) fn open(&mut self, normalization: Normalization, text: Text) {
        *self = Self::Open(OpenDocument { normalization, text, awaits_save: false });
    }

    /// Handles the closing of the document. Returns its previous state, if it was open.
    pub(crate) fn close(&mut self) -> Option<OpenDocument> {
        let rejection_due = Some(Instant::now() + CLOSE_DELAY);
        match std::mem::replace(self, Self::Closed { rejection_due, opening_deadline: None }) {
            Self::Open(document) => Some(document),
            Self::Closed { .. } | Self::ShownWithoutServer { .. } => None,
        }
    }

    /// Waits for the editor, which says that it shows the document, to open it at this server.
    pub(crate) fn await_opening(&mut self) {
        match self {
            Self::Closed { opening_deadline, .. } | Self::ShownWithoutServer { opening_deadline, .. } => {
                *opening_deadline = Some(Instant::now() + OPEN_TIMEOUT);
            }
            Self::Open(_) => {}
        }
    }

    pub(crate) fn opened(&self) -> Option<&OpenDocument> {
        if let Self::Open(document) = self { Some(document) } else { None }
    }

    pub(crate) fn opened_mut(&mut self) -> Option<&mut OpenDocument> {
        if let Self::Open(document) = self { Some(document) } else { None }
    }

    pub(crate) fn is_shown_without_server(&self) -> bool {
        matches!(self, Self::ShownWithoutServer { .. })
    }

    /// Returns the next time at which [`Self::take_due`] has a result.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        match self {
            Self::Closed { rejection_due, opening_deadline } => {
                rejection_due.iter().chain(opening_deadline).min().copied()
            }
            Self::Open(_) => None,
            Self::ShownWithoutServer { next_check, opening_deadline } => {
                opening_deadline.iter().chain([next_check]).min().copied()
            }
        }
    }

    /// Returns an event that is due, and marks it as handled.
    pub(crate) fn take_due(&mut self, now: Instant) -> Option<Due> {
        let is_over = |at: &Option<Instant>| at.is_some_and(|at| at <= now);
        match self {
            Self::Closed { rejection_due, .. } if is_over(rejection_due) => {
                *rejection_due = None;
                Some(Due::Rejection)
            }
            Self::Closed { opening_deadline, .. } | Self::ShownWithoutServer { opening_deadline, .. }
                if is_over(opening_deadline) =>
            {
                *self = Self::ShownWithoutServer { next_check: now, opening_deadline: None };
                Some(Due::NotOpened)
            }
            Self::ShownWithoutServer { next_check, .. } if *next_check <= now => {
                *next_check = now + CHECK_INTERVAL;
                Some(Due::Check)
            }
            Self::Closed { .. } | Self::Open(_) | Self::ShownWithoutServer { .. } => None,
        }
    }
}
