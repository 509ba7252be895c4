//! The output of the desk's state: messages and overlays for the person, requests and other work for the main
//! loop. The parts of the state pass the output to each other, so that each part can add to it.

use std::collections::VecDeque;

use alongside_desk::review_model::{Message, Question};
use alongside_desk::{Request, ReviewId, messages};

use crate::key_gate::KeyGate;
use crate::message_log::MessageLog;
use crate::options::UndoneText;
use crate::overlays::{OpenQuestion, Overlay, Overlays};

/// Work that the state requests from the main loop.
#[derive(Debug)]
pub(crate) enum Effect {
    /// Send a request; the reply goes to [`App::take_reply`](crate::app::App::take_reply).
    Ask(Request, Purpose),
    /// Open the review on the screen in the person's editor.
    Edit,
    /// Put a text into the clipboard.
    Copy(String),
    /// Paste the message that waits for the agent of this working tree into the agent's pane.
    Paste(String),
    /// Take these undos back.
    TakeBack(Vec<UndoneText>),
    /// Announce a review of this file while another window has the focus.
    Notify(String),
    /// Stop the process until the shell continues it.
    Stop,
    /// Search for agents to set up.
    SearchForAgents(AgentSearch),
    /// Make the change of this offer, if the change still equals the preview.
    SetAgentUp {
        id: String,
        preview: String,
    },
    /// Draw every cell again.
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
    /// Sending a text that was saved in an open editor.
    Upload(ReviewId),
    /// Pausing the context, or resuming it.
    Pause(bool),
    Send,
    /// Making a grant, or taking grants back.
    Grant,
    /// The turn review.
    Turn(TurnRequest),
    /// The desk needs no reply.
    Nothing,
}

/// A request about the turn review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TurnRequest {
    /// Compare the working tree with its baseline.
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

/// A search for agents to set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AgentSearch {
    /// May run an agent's program to get its version.
    Thorough,
    /// Runs no program, so it may be repeated every few seconds.
    Quick,
}

/// The messages, overlays, keys and effects of the desk.
#[derive(Debug, Default)]
pub(crate) struct Output {
    pub(crate) messages: MessageLog,
    pub(crate) overlays: Overlays,
    /// Whether the person has seen the messages and overlays, so that their keys count.
    pub(crate) keys: KeyGate,
    effects: VecDeque<Effect>,
    frame_due: bool,
}

impl Output {
    /// Answers a key with a notice.
    pub(crate) fn say(&mut self, text: impl Into<String>) {
        self.answer(Message::notice(text));
    }

    /// Answers a key with a warning.
    pub(crate) fn warn(&mut self, text: impl Into<String>) {
        self.answer(Message::warning(text));
    }

    /// Answers a key. The answer covers waiting warnings, and notices are shown beside it.
    pub(crate) fn answer(&mut self, message: Message) {
        self.messages.add_answer(message);
        self.frame_due = true;
    }

    /// Announces the new content of the screen. The message covers waiting warnings.
    pub(crate) fn announce(&mut self, message: Message) {
        self.messages.add_on_top(message);
        self.frame_due = true;
    }

    /// Shows messages that answer no key.
    pub(crate) fn show(&mut self, messages: impl IntoIterator<Item = Message>) {
        for message in messages {
            self.messages.add(message);
        }
        self.frame_due = true;
    }

    /// Shows the end of an action that an answer has announced.
    pub(crate) fn show_end(&mut self, message: Option<Message>) {
        if let Some(message) = message {
            self.messages.add_end(message);
        }
        self.frame_due = true;
    }

    /// Reports that the key was pressed before its screen was seen. A warning that came meanwhile matters
    /// more, so this is no answer that covers it.
    pub(crate) fn show_too_soon(&mut self) {
        self.show([Message::notice(messages::TYPED_TOO_SOON)]);
    }

    /// Reports that no review waits. A message that is on the status line, such as the end of the review,
    /// stays.
    pub(crate) fn say_that_nothing_waits(&mut self) {
        self.say_if_silent(messages::NO_REVIEW);
    }

    /// Answers a key if the status line is empty.
    pub(crate) fn say_if_silent(&mut self, text: impl Into<String>) {
        if self.messages.current_number().is_none() {
            self.say(text);
        }
    }

    /// Sends a request to the companion.
    pub(crate) fn ask(&mut self, request: Request, purpose: Purpose) {
        self.add_effect(Effect::Ask(request, purpose));
    }

    pub(crate) fn add_effect(&mut self, effect: Effect) {
        self.effects.push_back(effect);
    }

    /// Removes and returns the work for the main loop.
    pub(crate) fn take_effects(&mut self) -> VecDeque<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// Notes that the meaning of keys has changed without a key. Keys count again once the new screen was
    /// shown for a moment. Closes an open question.
    pub(crate) fn invalidate_keys(&mut self) {
        self.keys.invalidate();
        self.close_question();
        self.frame_due = true;
    }

    /// Asks the person a question.
    pub(crate) fn open_question(&mut self, question: Question) {
        self.overlays.open(Overlay::Question(OpenQuestion { question, seen: false }));
    }

    pub(crate) fn close_question(&mut self) {
        self.overlays.close(|overlay| matches!(overlay, Overlay::Question(_)));
    }

    /// Closes the open input, and returns it.
    pub(crate) fn close_input(&mut self) -> Option<Overlay> {
        self.keys.forget_reason_key();
        self.overlays.close(|overlay| {
            use Overlay::{Comment, Lines, NoInput, Reason, Search};
            matches!(overlay, Reason(_) | Comment(_) | Lines(_) | Search(_) | NoInput(_))
        })
    }

    /// Whether the screen is out of date, so that a frame has to be drawn.
    pub(crate) fn is_frame_due(&self) -> bool {
        self.frame_due
    }

    pub(crate) fn request_frame(&mut self) {
        self.frame_due = true;
    }

    /// Notes that a frame with the newest state is drawn.
    pub(crate) fn mark_drawn(&mut self) {
        self.frame_due = false;
    }
}
