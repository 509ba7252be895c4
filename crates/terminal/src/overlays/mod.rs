//! The overlays of the desk, and their order for keys and for drawing. The front overlay gets the keys and
//! uses the status line. An overlay that covers the review is drawn instead of the review, and gets the mouse
//! wheel.

pub(crate) mod accept_all;
pub(crate) mod accepted_by_rule;
pub(crate) mod comment_input;
pub(crate) mod finish_choice;
pub(crate) mod line_choice;
pub(crate) mod line_split;
pub(crate) mod message_list;
pub(crate) mod reason_input;
pub(crate) mod review_list;
pub(crate) mod settings_offer;
pub(crate) mod turn_list;
pub(crate) mod turn_list_rows;

use std::ops::Range;

use alongside_desk::review_model::{Question, Reply};
use crossterm::event::{KeyCode, KeyEvent};

use crate::keys::{Action, Answer};
use crate::turn_files::TurnFiles;
use accept_all::AcceptAll;
use accepted_by_rule::AcceptedByRule;
use comment_input::CommentInput;
use line_split::LineSplit;
use message_list::MessageList;
use reason_input::ReasonInput;
use review_list::ReviewList;
use settings_offer::OpenOffer;
use turn_list::{ListPurpose, TurnList};

/// A text or a list over the desk.
#[derive(Debug)]
pub(crate) enum Overlay {
    /// A change of an agent's settings, over the review.
    Offer(OpenOffer),
    /// The help with all keys, over the review. The number is the first row on the screen.
    Help(usize),
    /// The changes that rules have accepted, over the review.
    Accepted(AcceptedByRule),
    /// The past messages, over the review.
    Messages(MessageList),
    /// The open reviews, over the review on the screen.
    Waiting(ReviewList),
    /// The reviews to accept together, over the review on the screen.
    AcceptAll(AcceptAll),
    /// The files of a turn review, over the file on the screen.
    Turn(TurnList),
    Question(OpenQuestion),
    /// The reason that the person types for the agent's model.
    Reason(ReasonInput),
    /// The comment that the person types on a turn.
    Comment(Box<CommentInput>),
    /// The lines of a change that the person chooses.
    Lines(LineSplit),
    /// The text to search for, as the person types it.
    Search(String),
    /// The reason why no input has opened. The person may already be typing, so letters do nothing.
    NoInput(String),
}

/// The layer of a question. Overlays of lower layers cover the review, and not only the status line.
const QUESTION_LAYER: u8 = 3;

impl Overlay {
    /// The layer of the overlay. A higher layer is in front, and each layer holds at most one overlay.
    fn layer(&self) -> u8 {
        match self {
            Self::Offer(_) => 0,
            Self::Help(_) | Self::Accepted(_) | Self::Messages(_) | Self::Waiting(_) => 1,
            Self::AcceptAll(_) | Self::Turn(_) => 2,
            Self::Question(_) => QUESTION_LAYER,
            Self::Reason(_) | Self::Comment(_) | Self::Lines(_) | Self::Search(_) | Self::NoInput(_) => 4,
        }
    }

    /// Whether the overlay covers the review, and not only the status line.
    pub(crate) fn covers_review(&self) -> bool {
        self.layer() < QUESTION_LAYER
    }

    /// Whether the overlay uses the status line, so that messages wait.
    pub(crate) fn has_status_line(&self) -> bool {
        match self {
            Self::Turn(list) => list.asks(),
            Self::AcceptAll(_) => true,
            _ => !self.covers_review(),
        }
    }

    /// Handles a key for an overlay that covers the review, on a screen of `height` rows. `excess`: the
    /// number of rows of the help that do not fit.
    pub(crate) fn take_key(
        &mut self,
        key: KeyEvent,
        action: Option<Action>,
        height: u16,
        excess: usize,
    ) -> Answer {
        match (&mut *self, key.code) {
            (Self::Offer(open), KeyCode::Char('y' | 'Y' | 'n' | 'N')) => return open.take_answer(key.code),
            (Self::AcceptAll(list), KeyCode::Char('y' | 'Y')) if list.is_ready() => return Answer::Yes,
            (Self::Accepted(list), KeyCode::Char('x')) if list.has_grants() => return Answer::Yes,
            (Self::Turn(list), KeyCode::Char('n' | 'N')) if list.asks() => return Answer::Close,
            (Self::Turn(list), KeyCode::Char(c @ ('y' | 'Y' | 'a' | 'o'))) if list.asks() => {
                return if list.answer(c) { Answer::Yes } else { Answer::Nothing };
            }
            (Self::Turn(list), KeyCode::Char('y')) if list.message().is_some() => return Answer::Copy,
            (Self::Turn(list), KeyCode::Char('p')) if list.message().is_some() => return Answer::Paste,
            (Self::Turn(list), KeyCode::Char('u')) if list.has_undone() => return Answer::TakeBack,
            (Self::Turn(list), KeyCode::Char('c')) if list.chosen().is_some() => return Answer::Comment,
            (Self::Turn(list), KeyCode::Char('C')) if list.purpose() == ListPurpose::Files => {
                return Answer::CommentAll;
            }
            (Self::Turn(list), KeyCode::Char('a')) if list.purpose() == ListPurpose::Files => {
                return Answer::AskAgain;
            }
            (Self::Turn(list), KeyCode::Char('x')) if list.purpose() == ListPurpose::Files => {
                return Answer::CloseComment;
            }
            (Self::AcceptAll(_), KeyCode::Char('n' | 'N' | 'c')) | (_, KeyCode::Esc) => return Answer::Close,
            _ if action == Some(Action::Leave) => return Answer::Close,
            _ => {}
        }
        match (self, action) {
            (overlay, Some(action)) if let Some(by) = action.scroll_rows(height) => {
                overlay.scroll(by, height, excess)
            }
            (Self::Help(top), Some(Action::Top)) => *top = 0,
            (Self::Help(top), Some(Action::Bottom)) => *top = excess,
            (Self::Accepted(list), Some(Action::Open)) => list.toggle(),
            (Self::Accepted(_), Some(Action::Accepted)) => return Answer::Close,
            (Self::Turn(list), Some(Action::Top)) => list.scroll(isize::MIN / 2, height),
            (Self::Turn(list), Some(Action::Bottom)) => list.scroll(isize::MAX / 2, height),
            (Self::Turn(list), Some(Action::Open)) if list.chosen().is_some() => return Answer::Yes,
            (Self::Turn(list), Some(Action::Files)) => match list.purpose() {
                ListPurpose::Files => return Answer::Close,
                // The list of files replaces this list.
                ListPurpose::Finished => return Answer::Yes,
                ListPurpose::Finish | ListPurpose::Leave => {}
            },
            (Self::Messages(_), Some(Action::Messages)) => return Answer::Close,
            (Self::Waiting(_), Some(Action::Open)) => return Answer::Yes,
            (Self::Waiting(_), Some(Action::Waiting)) => return Answer::Close,
            (Self::Help(_), _) => return Answer::Close,
            _ => {}
        }
        Answer::Nothing
    }

    /// Scrolls an overlay that covers the review.
    pub(crate) fn scroll(&mut self, by: isize, height: u16, excess: usize) {
        match self {
            Self::Offer(open) => open.scroll(by),
            Self::Help(top) => *top = top.saturating_add_signed(by).min(excess),
            Self::Accepted(list) => list.scroll(by),
            Self::Messages(list) => list.scroll(by),
            Self::Waiting(list) => list.scroll(by),
            Self::AcceptAll(list) => list.scroll(by, height),
            Self::Turn(list) => list.scroll(by, height),
            _ => {}
        }
    }
}

/// A question, and whether the person has seen it.
#[derive(Debug)]
pub(crate) struct OpenQuestion {
    pub(crate) question: Question,
    pub(crate) seen: bool,
}

impl OpenQuestion {
    /// The reply that a key means. Before the person has seen the question, only a no counts.
    pub(crate) fn reply(&self, key: KeyEvent) -> Option<Reply> {
        let reply = match key.code {
            KeyCode::Esc | KeyCode::Char('c' | 'N') => Reply::No,
            KeyCode::Char('Y') => self.question.reply("y")?,
            KeyCode::Char(c) => self.question.reply(c.encode_utf8(&mut [0; 4]))?,
            _ => return None,
        };
        (reply == Reply::No || self.seen).then_some(reply)
    }
}

/// The overlays in a frame. Once the frame is on the screen, they count as seen.
#[derive(Debug, Default)]
pub(crate) struct ShownOverlays {
    question: Option<Question>,
    /// Whether the frame shows the offered change of an agent's settings.
    offer: bool,
    /// The visible rows of the list of reviews to accept together, or of the files of a turn.
    listed: Option<Range<usize>>,
}

/// The open overlays, the front overlay last.
#[derive(Debug, Default)]
pub(crate) struct Overlays(Vec<Overlay>);

impl Overlays {
    /// Opens an overlay, and closes any other overlay of its layer.
    pub(crate) fn open(&mut self, overlay: Overlay) {
        self.0.retain(|other| other.layer() != overlay.layer());
        let at = self.0.partition_point(|other| other.layer() < overlay.layer());
        self.0.insert(at, overlay);
    }

    /// Closes the foremost overlay of a kind, and returns it.
    pub(crate) fn close(&mut self, is: impl Fn(&Overlay) -> bool) -> Option<Overlay> {
        let at = self.0.iter().rposition(is)?;
        Some(self.0.remove(at))
    }

    /// Updates the list of files by a new list of the turn review. Closes the list before a finish if the
    /// finish would do something else now. Returns whether a list has closed.
    pub(crate) fn update_turn_list(&mut self, files: &TurnFiles, has_other_finish: bool) -> bool {
        if let Some(Overlay::Turn(list)) = self.cover_mut()
            && let Some(newest) = list.renew(files)
        {
            *list = newest;
        }
        let is_finish = |overlay: &Overlay| match overlay {
            Overlay::Turn(list) => list.purpose() == ListPurpose::Finish,
            _ => false,
        };
        has_other_finish && self.close(is_finish).is_some()
    }

    /// The front overlay, which gets the keys.
    pub(crate) fn front(&self) -> Option<&Overlay> {
        self.0.last()
    }

    pub(crate) fn front_mut(&mut self) -> Option<&mut Overlay> {
        self.0.last_mut()
    }

    /// The overlay that covers the review.
    pub(crate) fn cover(&self) -> Option<&Overlay> {
        self.0.iter().rfind(|overlay| overlay.covers_review())
    }

    pub(crate) fn cover_mut(&mut self) -> Option<&mut Overlay> {
        self.0.iter_mut().rfind(|overlay| overlay.covers_review())
    }

    /// Whether the question before leaving is open, perhaps behind an input.
    pub(crate) fn asks_before_leaving(&self) -> bool {
        let asks = |open: &OpenQuestion| open.question.is_before_leaving();
        self.0.iter().any(|overlay| matches!(overlay, Overlay::Question(open) if asks(open)))
    }

    /// The overlays in a frame that has `height` rows for the review.
    pub(crate) fn shown(&self, height: u16) -> ShownOverlays {
        let mut shown = ShownOverlays::default();
        if let Some(Overlay::Question(open)) = self.front() {
            shown.question = Some(open.question);
        }
        match self.cover() {
            Some(Overlay::Offer(_)) => shown.offer = true,
            Some(Overlay::AcceptAll(list)) => shown.listed = Some(list.rows_on_screen(height)),
            Some(Overlay::Turn(list)) => shown.listed = Some(list.rows_on_screen(height)),
            _ => {}
        }
        shown
    }

    /// Notes that a frame with these overlays is on the screen.
    pub(crate) fn mark_shown(&mut self, shown: &ShownOverlays) {
        for overlay in &mut self.0 {
            match (overlay, &shown.listed) {
                (Overlay::Question(open), _) => open.seen = shown.question == Some(open.question),
                (Overlay::Offer(open), _) if shown.offer => open.mark_shown(),
                (Overlay::AcceptAll(list), Some(rows)) => list.mark_seen(rows),
                (Overlay::Turn(list), Some(rows)) => list.mark_seen(rows),
                _ => {}
            }
        }
    }
}
