//! Everything that goes out of the desk's state: messages and overlays to the person, requests and other work
//! to the loop. The parts of the state hand it on to each other, so that each can speak for itself.

use std::collections::VecDeque;

use alongside_desk::review_model::{Message, Question};
use alongside_desk::{Request, ReviewId, messages};

use crate::key_gate::KeyGate;
use crate::message_log::MessageLog;
use crate::options::UndoneText;
use crate::overlays::{OpenQuestion, Overlay, Overlays};

/// Work that the state asks the loop for.
#[derive(Debug)]
pub(crate) enum Effect {
    /// Send a request; the reply goes to [`App::take_reply`](crate::app::App::take_reply).
    Ask(Request, Purpose),
    /// Open the review on the screen in the person's editor.
    Edit,
    /// Put a text into the clipboard.
    Copy(String),
    /// Paste what waits for the agent of this working tree into its pane.
    Paste(String),
    /// Take these undos back.
    TakeBack(Vec<UndoneText>),
    /// Announce a review of this file to a person who looks elsewhere.
    Notify(String),
    /// Stop the process until the shell continues it.
    Stop,
    /// Look for agents to set up.
    LookForAgents(Look),
    /// Make the change of this offer, if it still is the one that the preview shows.
    SetAgentUp {
        id: String,
        preview: String,
    },
    /// Draw every cell anew.
    Redraw,
    Leave,
}

/// The purpose of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The pending change.
    Change(ReviewId),
    Decide(ReviewId),
    /// An acceptance among several.
    AcceptListed(ReviewId),
    /// A text that was saved in an open editor.
    Upload(ReviewId),
    /// Pausing or resuming the context.
    Pause(bool),
    Send,
    /// Accepting ahead, or taking that back.
    Grant,
    /// The turn review.
    Turn(TurnRequest),
    /// The desk needs no reply.
    Nothing,
}

/// A request about the turn review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TurnRequest {
    /// Look what has changed.
    Look,
    /// Open the file on the screen.
    Open,
    /// Mark a whole file.
    Mark,
    /// Keep a comment, or remove it.
    Comment,
    /// Undo what is marked, and send comments.
    Finish,
}

/// A look for agents to set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// A program may have to run to say its version.
    Thorough,
    /// The look costs next to nothing, and comes every few seconds.
    Quick,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Output {
    pub(crate) messages: MessageLog,
    pub(crate) overlays: Overlays,
    /// Whether the person has seen all that, so that their keys count.
    pub(crate) keys: KeyGate,
    effects: VecDeque<Effect>,
    due: bool,
}

impl Output {
    /// Answers the person: something happened.
    pub(crate) fn say(&mut self, text: impl Into<String>) {
        self.answer(Message::notice(text));
    }

    /// Answers the person: something is wrong.
    pub(crate) fn warn(&mut self, text: impl Into<String>) {
        self.answer(Message::warning(text));
    }

    /// Answers the person, over warnings that wait and beside news.
    pub(crate) fn answer(&mut self, message: Message) {
        self.messages.add_answer(message);
        self.due = true;
    }

    /// Shows news about what is on the screen from now on, over warnings that wait.
    pub(crate) fn announce(&mut self, message: Message) {
        self.messages.add_on_top(message);
        self.due = true;
    }

    /// Shows news.
    pub(crate) fn show(&mut self, messages: impl IntoIterator<Item = Message>) {
        for message in messages {
            self.messages.add(message);
        }
        self.due = true;
    }

    /// Shows the end of something that an answer has announced.
    pub(crate) fn show_end(&mut self, message: Option<Message>) {
        if let Some(message) = message {
            self.messages.add_end(message);
        }
        self.due = true;
    }

    /// The key was pressed before its screen was seen. A warning that came meanwhile says more.
    pub(crate) fn show_too_soon(&mut self) {
        self.show([Message::notice(messages::TYPED_TOO_SOON)]);
    }

    /// The key came too late for a review. A message that nobody has read, such as its end, stays.
    pub(crate) fn say_that_nothing_waits(&mut self) {
        self.say_if_silent(messages::NO_REVIEW);
    }

    /// Answers the person where nothing else is to be read.
    pub(crate) fn say_if_silent(&mut self, text: impl Into<String>) {
        if self.messages.current_number().is_none() {
            self.say(text);
        }
    }

    /// Asks the companion.
    pub(crate) fn ask(&mut self, request: Request, purpose: Purpose) {
        self.add_effect(Effect::Ask(request, purpose));
    }

    pub(crate) fn add_effect(&mut self, effect: Effect) {
        self.effects.push_back(effect);
    }

    /// Takes the work for the loop.
    pub(crate) fn take_effects(&mut self) -> VecDeque<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// Keys mean something else now, and not because the person asked for it: they count again when this has
    /// been on the screen for a moment.
    pub(crate) fn invalidate_keys(&mut self) {
        self.keys.invalidate();
        self.close_question();
        self.due = true;
    }

    /// Asks the person.
    pub(crate) fn open_question(&mut self, question: Question) {
        self.overlays.open(Overlay::Question(OpenQuestion { question, seen: false }));
    }

    pub(crate) fn close_question(&mut self) {
        self.overlays.close(|overlay| matches!(overlay, Overlay::Question(_)));
    }

    /// Closes the input of a text, and returns it.
    pub(crate) fn close_input(&mut self) -> Option<Overlay> {
        self.keys.forget_reason_key();
        self.overlays.close(|overlay| {
            use Overlay::{Comment, Lines, NoInput, Reason, Search};
            matches!(overlay, Reason(_) | Comment(_) | Lines(_) | Search(_) | NoInput(_))
        })
    }

    /// Whether the screen is out of date.
    pub(crate) fn is_due(&self) -> bool {
        self.due
    }

    pub(crate) fn mark_due(&mut self) {
        self.due = true;
    }

    /// A frame that shows all this is drawn.
    pub(crate) fn mark_drawn(&mut self) {
        self.due = false;
    }
}
