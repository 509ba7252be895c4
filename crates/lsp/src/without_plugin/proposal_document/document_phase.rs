//! The phase of the document of a review: closed, open, or shown by the editor without this server.

use std::time::Duration;

use alongside_desk::Text;
use tokio::time::Instant;

use super::normalization::Normalization;

/// The time in which an editor that shows a proposal opens it here, if it does so at all.
const OPEN_TIMEOUT: Duration = Duration::from_secs(2);
/// The time after which a closed proposal is rejected. Editors also close documents to reopen them, and
/// before they end.
const CLOSE_DELAY: Duration = Duration::from_millis(500);
/// The time between two checks of the file of a proposal that the editor shows without this server.
const LOOK: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub(crate) enum Phase {
    Closed {
        /// The time at which closing counts as a rejection, unless the editor opens the document again
        /// before.
        rejects_at: Option<Instant>,
        /// The editor says that it shows the document, and may open it here until this time.
        opens_until: Option<Instant>,
    },
    Open(OpenDocument),
    /// The editor shows the document without this server, so that only the file tells what the person saves.
    Apart {
        /// The time of the next check for text that was saved there.
        looks_at: Instant,
        /// The same time as in [`Phase::Closed`].
        opens_until: Option<Instant>,
    },
}

/// The document while the editor has it open.
#[derive(Debug)]
pub(crate) struct OpenDocument {
    /// The changes that the editor makes by itself when it opens the text.
    pub(crate) normalization: Normalization,
    /// The text in the editor.
    pub(crate) text: Text,
    /// The editor is about to save the document, because this server has edited it.
    pub(crate) is_save_due: bool,
}

/// The event whose time has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Due {
    /// The document has been closed for long enough.
    Rejection,
    /// The editor shows the document without this server.
    Apart,
    /// A check of the file is due.
    Look,
}

impl Phase {
    pub(crate) fn new() -> Self {
        Self::Closed { rejects_at: None, opens_until: None }
    }

    pub(crate) fn open(&mut self, normalization: Normalization, text: Text) {
        *self = Self::Open(OpenDocument { normalization, text, is_save_due: false });
    }

    /// Handles the closing of the document. Returns its previous state, if it was open.
    pub(crate) fn close(&mut self) -> Option<OpenDocument> {
        let rejects_at = Some(Instant::now() + CLOSE_DELAY);
        match std::mem::replace(self, Self::Closed { rejects_at, opens_until: None }) {
            Self::Open(document) => Some(document),
            Self::Closed { .. } | Self::Apart { .. } => None,
        }
    }

    /// The editor says that it shows the document.
    pub(crate) fn await_opening(&mut self) {
        match self {
            Self::Closed { opens_until, .. } | Self::Apart { opens_until, .. } => {
                *opens_until = Some(Instant::now() + OPEN_TIMEOUT);
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

    pub(crate) fn is_apart(&self) -> bool {
        matches!(self, Self::Apart { .. })
    }

    /// Returns the next time at which [`Self::take_due`] has a result.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        match self {
            Self::Closed { rejects_at, opens_until } => rejects_at.iter().chain(opens_until).min().copied(),
            Self::Open(_) => None,
            Self::Apart { looks_at, opens_until } => opens_until.iter().chain([looks_at]).min().copied(),
        }
    }

    /// Returns an event whose time has come; it counts as handled.
    pub(crate) fn take_due(&mut self, now: Instant) -> Option<Due> {
        let is_over = |at: &Option<Instant>| at.is_some_and(|at| at <= now);
        match self {
            Self::Closed { rejects_at, .. } if is_over(rejects_at) => {
                *rejects_at = None;
                Some(Due::Rejection)
            }
            Self::Closed { opens_until, .. } | Self::Apart { opens_until, .. } if is_over(opens_until) => {
                *self = Self::Apart { looks_at: now, opens_until: None };
                Some(Due::Apart)
            }
            Self::Apart { looks_at, .. } if *looks_at <= now => {
                *looks_at = now + LOOK;
                Some(Due::Look)
            }
            Self::Closed { .. } | Self::Open(_) | Self::Apart { .. } => None,
        }
    }
}
