//! The consequences of keys, clicks and pastes. Accepting is one explicit act on the revision that was on the
//! screen; a key that was pressed before that decides nothing.

use alongside_desk::review_model::{Message, Question, Reply};
use alongside_desk::{Decision, HunkState, Request, messages};
use crossterm::event::{Event as TerminalEvent, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use tokio::time::{Duration, Instant};

use crate::agent_offers::Opening;
use crate::app::{App, Effect, Purpose};
use crate::keys::{self, Action};
use crate::messages::LOOK_FIRST;
use crate::pending_edit::{EditKind, PendingEdit};
use crate::text_input;

/// The companion hears at most this often that the person has turned to this desk.
const FOCUS_INTERVAL: Duration = Duration::from_secs(1);

impl App {
    /// Takes an event of the terminal that came at `at`.
    pub(crate) fn take_input(&mut self, event: TerminalEvent, at: Instant) {
        // A terminal that reports no focus is taken for focused: then every event means so.
        self.is_focused = !matches!(event, TerminalEvent::FocusLost);
        match event {
            TerminalEvent::Key(key) if key.kind != KeyEventKind::Release => {
                self.messages.key_pressed(at);
                self.take_key(key, at);
            }
            TerminalEvent::Mouse(mouse) => self.mouse(mouse),
            TerminalEvent::FocusGained => {
                self.focus(at);
                self.look_again_for_agents();
            }
            TerminalEvent::Resize(..) => {}
            TerminalEvent::Paste(text) => self.paste(&text),
            TerminalEvent::Key(_) | TerminalEvent::FocusLost => return,
        }
        self.due = true;
    }

    /// A paste is no row of keys: only an input takes text.
    fn paste(&mut self, text: &str) {
        if let Some(input) = &mut self.reason.typing {
            input.text.push_str(&text_input::in_one_line(text));
        } else if let Some(needle) = &mut self.search.typing {
            needle.push_str(text.lines().next().unwrap_or_default());
        } else {
            self.say("You can only paste into a search (/) or a reason (R).");
        }
    }

    pub(crate) fn focus(&mut self, at: Instant) {
        if self.focused.is_none_or(|focused| at >= focused + FOCUS_INTERVAL) {
            self.focused = Some(at);
            self.ask(Request::Focus, Purpose::Nothing);
        }
    }

    /// Takes a key that was pressed at `at`.
    pub(crate) fn take_key(&mut self, key: KeyEvent, at: Instant) {
        let action = keys::action(key);
        let interrupts = key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL);
        if self.search.typing.is_some() && !interrupts {
            return self.search_typed(key);
        }
        if self.reason.typing.is_some() && !interrupts {
            return self.reason_typed(key, at);
        }
        match action {
            Some(Action::Stop) => return self.add_effect(Effect::Stop),
            Some(Action::Redraw) => return self.add_effect(Effect::Redraw),
            _ => {}
        }
        let follows = self.reason.swallows(at);
        if !interrupts && (self.pending.holds_letter(key, at) || follows) {
            return;
        }
        if let Some(question) = self.question {
            return self.question_answered(question, key, interrupts);
        }
        if self.accept_all.is_some() {
            return self.accept_all_key(key);
        }
        if self.help.is_some() {
            return self.help_key(action);
        }
        if self.setup.open.is_some() {
            return self.setup_key(key, action);
        }
        let is_looking = self.setup.opening == Some(Opening::Asked);
        if is_looking && self.key_while_looking(key, action) {
            return;
        }
        if key.code == KeyCode::Esc {
            self.search.needle = None;
        }
        let Some(action) = action else { return };
        if action == Action::Reason {
            self.reason.mark_pressed(at);
        }
        if !action.touches_review() {
            if matches!(action, Action::NextHunk | Action::PreviousHunk) && self.pending.holds_move(key, at) {
                return;
            }
            return self.navigate(action);
        }
        if self.at.is_none() {
            return self.say_that_nothing_waits();
        }
        if !self.pending.admits(key, at) {
            return;
        }
        if !self.key_counts(at) {
            // A warning that came meanwhile says more.
            return self.show([Message::notice(messages::TYPED_TOO_SOON)]);
        }
        self.touch_review(action);
    }

    /// The key came too late for a review. A message that nobody has read, such as its end, stays.
    pub(crate) fn say_that_nothing_waits(&mut self) {
        if self.messages.current_number().is_none() {
            self.say(messages::NO_REVIEW);
        }
    }

    /// Changes or decides the review on the screen.
    fn touch_review(&mut self, action: Action) {
        let Some(view) = self.current_mut() else { return };
        let (id, revision, hunk) = (view.review().id, view.meant_revision(), view.hunk());
        let state = view.review().hunks.get(hunk).map(|hunk| hunk.state);
        match (action, state) {
            (Action::Accept, _) => match Question::before_accepting(view.review()) {
                Some(question) => self.open_question(question),
                None => self.decide(Decision::Accept),
            },
            (Action::AcceptAll, _) => self.open_accept_all(),
            (Action::Reject, _) => self.decide(Decision::Reject),
            (Action::Reason, _) => self.open_reason(),
            (Action::Undo, _) => {
                self.change(id, EditKind::Undo, Request::UndoReview { id, revision }, None);
            }
            (Action::Redo, _) => {
                self.change(id, EditKind::Redo, Request::RedoReview { id, revision }, None);
            }
            (Action::Edit, _) if view.review().whole_file_only.is_some() => {
                self.warn("You can only accept or reject this proposal as a whole.");
            }
            (Action::Edit, _) => {
                self.pending = PendingEdit::OpeningEditor;
                self.add_effect(Effect::Edit);
            }
            (_, None) => self.say("There is no change to decide on here."),
            (_, Some(_)) if !view.hunk_on_screen() => {
                view.show_hunk();
                self.say(LOOK_FIRST);
            }
            (Action::Split, Some(HunkState::Edited)) => self.say(messages::EDITED_NOT_SPLIT),
            (Action::Split, Some(_)) => {
                let before = view.review().hunks.len();
                let kind = EditKind::Split { hunk, before };
                self.change(id, kind, Request::SplitHunk { id, revision, hunk }, None);
            }
            (_, Some(state)) => {
                let keep = state == HunkState::Dropped;
                if state == HunkState::Edited {
                    self.say("Edit dropped; u brings it back.");
                }
                let request = Request::KeepHunks { id, revision, hunks: vec![hunk], keep };
                self.change(id, EditKind::KeepOrDrop { hunk }, request, None);
            }
        }
    }

    /// Leaves, or asks first.
    pub(crate) fn leave(&mut self) {
        self.search.typing = None;
        if let Some(input) = self.reason.close() {
            self.reason.keep(input.text);
        }
        match Question::before_leaving(self.reviews.len(), self.companion.status()) {
            Some(question) => self.open_question(question),
            None => self.add_effect(Effect::Leave),
        }
    }

    fn question_answered(&mut self, question: Question, key: KeyEvent, interrupts: bool) {
        if interrupts && question == Question::Leave {
            return self.add_effect(Effect::Leave);
        }
        let reply = match key.code {
            KeyCode::Esc | KeyCode::Char('c' | 'N') => Some(Reply::No),
            KeyCode::Char('Y') => Some(Reply::Yes),
            KeyCode::Char(c) => question.reply(c.encode_utf8(&mut [0; 4])),
            _ => None,
        };
        let Some(reply) = reply else { return };
        // The person typed it before the question stood there.
        if reply != Reply::No && !self.question_seen {
            return;
        }
        self.question = None;
        match (reply, question) {
            (Reply::No, _) => {}
            (Reply::Reject, _) => self.decide(Decision::Reject),
            (Reply::Yes, Question::Leave) => self.add_effect(Effect::Leave),
            (Reply::Yes, Question::AcceptAnyway) => self.decide(Decision::Accept),
            (Reply::Yes, Question::SingleNewline) => {
                if let Some(view) = self.current() {
                    let id = view.review().id;
                    let request = Request::replace_text(id, view.meant_revision(), "\n".into());
                    self.change(id, EditKind::SingleNewline, request, None);
                }
            }
        }
    }
}
