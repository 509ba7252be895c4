//! The state of the desk, and the way of keys, the mouse and pastes to its parts: the overlay in front takes
//! them, or else the desk. The person accepts by one explicit key, for the revision that was on the screen. A
//! key that was pressed before that revision was on the screen decides nothing.

use alongside_desk::Request;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui_core::layout::Position;
use tokio::time::Instant;

use crate::agent_offers::AgentOffers;
use crate::areas::Listed;
use crate::keys::{self, Action, Answer, DeskMode};
use crate::options::Options;
use crate::output::{Effect, Purpose};
use crate::overlays::Overlay;
use crate::overlays::message_list::MessageList;
use crate::overlays::review_list::ReviewList;
use crate::overlays::turn_list::ListPurpose;
use crate::panels::drawn_overlays::help;
use crate::reviews::requests::ReviewRequests;
use crate::reviews::{Reviews, navigation, question_replies};
use crate::screen_layout::ScreenLayout;
use crate::search_input::SearchInput;
use crate::text::typing::in_one_line;
use crate::turn_review::TurnReview;
use crate::words::messages::{F_MOVED, NO_MESSAGES, NO_NUMBER, unknown_key};
use crate::words::turn_words;

/// The largest number that a person can type before a key.
const MAX_TYPED_NUMBER: usize = 999_999;

/// The rows that one step of the mouse wheel scrolls.
const ROWS_PER_WHEEL_STEP: isize = 3;

/// The state of the desk.
pub(crate) struct DeskState {
    pub(crate) requests: ReviewRequests,
    pub(crate) setup: AgentOffers,
    pub(crate) search: SearchInput,
    pub(crate) layout: ScreenLayout,
    /// The number that the person has typed for the next key.
    pub(crate) number: Option<usize>,
    /// The time of the last frame, in ms since the Unix epoch. Ages on the screen are relative to it.
    pub(crate) now: u64,
}

impl DeskState {
    pub(crate) fn new(options: &Options) -> Self {
        let turn = TurnReview::new(options.turn.clone());
        let reviews = Reviews::new(options.roots.clone(), options.rehearsal, turn);
        let mut requests = ReviewRequests::new(reviews, options.drafts.clone());
        requests.out_mut().request_frame();
        Self {
            requests,
            setup: AgentOffers::new(options.agent_setup.is_some()),
            search: SearchInput::default(),
            layout: ScreenLayout::new(options.layout),
            number: None,
            now: 0,
        }
    }

    /// Leaves, once all files are written, if the person pressed the key for it meanwhile.
    pub(crate) fn leave_once_written(&mut self) {
        if self.requests.parts().0.turn_mut().take_leaving() {
            self.leave();
        }
    }

    /// Carries out the keys that waited for a change, up to one that makes another change.
    pub(crate) fn take_held_keys(&mut self) {
        self.requests.out_mut().keys.forget_reason_key();
        while !self.requests.pending().is_change()
            && let Some((key, at)) = self.requests.out_mut().keys.take_held()
        {
            self.take_key(key, at);
        }
    }

    /// Handles a paste. Only an input accepts the text; no letter of the text counts as a key.
    pub(crate) fn paste(&mut self, text: &str) {
        let out = self.requests.out_mut();
        match out.overlays.front_mut() {
            Some(Overlay::Reason(input)) => input.text.push_str(&in_one_line(text)),
            Some(Overlay::Comment(input)) => input.paste(text),
            Some(Overlay::Search(needle)) => needle.push_str(text.lines().next().unwrap_or_default()),
            _ => out.say("You can only paste into a search (/), a reason (R) or a comment (c)."),
        }
    }

    /// Handles a key that was pressed at `at`.
    pub(crate) fn take_key(&mut self, key: KeyEvent, at: Instant) {
        let mode = self.requests.reviews().mode();
        let action = keys::action(key, mode);
        let interrupts = key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL);
        let (counts, has_change) = (self.key_counts(at), self.requests.pending().is_change());
        let out = self.requests.out_mut();
        match (out.overlays.front(), action) {
            (Some(Overlay::Search(_)), _) if !interrupts => {
                return self.search.take_key(key, &mut self.requests);
            }
            (Some(Overlay::Reason(_) | Overlay::Comment(_) | Overlay::Lines(_)), _) if !interrupts => {
                return self.requests.type_text(key, counts);
            }
            (Some(Overlay::NoInput(_)), _) if !interrupts => {
                if matches!(key.code, KeyCode::Esc | KeyCode::Enter) {
                    out.close_input();
                }
                return;
            }
            (_, Some(Action::Stop)) => return out.add_effect(Effect::Stop),
            (_, Some(Action::Redraw)) => return out.add_effect(Effect::Redraw),
            _ => {}
        }
        let is_swallowed = out.keys.swallow(at);
        if !interrupts && has_change && out.keys.is_input_held() {
            return out.keys.hold(key, at);
        }
        if !interrupts && is_swallowed {
            return;
        }
        match out.overlays.front_mut() {
            Some(Overlay::Question(open)) if interrupts && open.question.is_before_leaving() => {
                out.add_effect(Effect::Leave);
            }
            Some(Overlay::Question(open)) => {
                let question = open.question;
                if let Some(reply) = open.reply(key) {
                    out.close_question();
                    question_replies::take(&mut self.requests, question, reply);
                }
            }
            Some(Overlay::Turn(list)) if interrupts && list.purpose() == ListPurpose::Leave => {
                out.add_effect(Effect::Leave);
            }
            // A message tells the person to press this key, so the key also works over a list without a
            // question.
            Some(Overlay::Turn(list)) if action == Some(Action::Turn) && !list.asks() => {
                drop(self.close_cover());
                self.take_desk_key(key, action, at);
            }
            Some(front) if front.covers_review() => {
                let main = self.layout.areas().main;
                let answer = front.take_key(key, action, main.height, help::excess(main, mode));
                self.take_cover_answer(answer);
            }
            _ => {
                if !self.setup.take_key_while_searching(key, action, out) {
                    self.take_desk_key(key, action, at);
                }
            }
        }
    }

    /// Handles the person's answer to the overlay that covers the review.
    fn take_cover_answer(&mut self, answer: Answer) {
        let out = self.requests.out_mut();
        match (answer, out.overlays.cover()) {
            (Answer::Nothing, _) => {}
            (_, Some(Overlay::Offer(_))) => self.setup.take_answer(answer, out),
            (Answer::Yes, _) => match self.close_cover() {
                Some(Overlay::AcceptAll(list)) => self.requests.accept_listed(list),
                Some(Overlay::Accepted(_)) => self.requests.withdraw_grants(),
                Some(Overlay::Waiting(list)) => {
                    let (reviews, out) = self.requests.parts();
                    reviews.go_to_index(list.chosen(reviews.all().len()), out);
                }
                Some(Overlay::Turn(list)) if list.purpose() == ListPurpose::Leave => self.leave_proposals(),
                Some(Overlay::Turn(list)) if list.purpose() == ListPurpose::Finished => {
                    let (reviews, out) = self.requests.parts();
                    reviews.turn().list_files(self.now, out);
                }
                Some(Overlay::Turn(list)) => {
                    let (reviews, out) = self.requests.parts();
                    reviews.turn_mut().take_list(&list, out);
                }
                _ => {}
            },
            (Answer::TakeBack, _) => {
                drop(self.close_cover());
                let (reviews, out) = self.requests.parts();
                reviews.turn_mut().take_back(out);
            }
            (Answer::No | Answer::Close | Answer::TooSoon, _) => drop(self.close_cover()),
            _ => {
                let (reviews, out) = self.requests.parts();
                reviews.turn_mut().take_list_key(answer, out);
            }
        }
    }

    /// Closes the overlay that covers the review, and returns it.
    fn close_cover(&mut self) -> Option<Overlay> {
        let (reviews, out) = self.requests.parts();
        reviews.forget_seen(out);
        out.overlays.close(Overlay::covers_review)
    }

    /// Handles a key while no overlay is in front.
    fn take_desk_key(&mut self, key: KeyEvent, action: Option<Action>, at: Instant) {
        if self.take_digit(key) {
            return;
        }
        let number = self.number.take();
        if key.code == KeyCode::Esc {
            return if number.is_none() {
                self.escape()
            };
        }
        let Some(action) = action else {
            if self.requests.reviews().mode() == DeskMode::Turn
                && keys::action(key, DeskMode::Proposals).is_some()
            {
                self.requests.out_mut().say(turn_words::NO_PROPOSAL);
            } else if key.code == KeyCode::Char('f') {
                self.requests.out_mut().say(F_MOVED);
            } else if let KeyCode::Char(c) = key.code
                && key.modifiers.difference(KeyModifiers::SHIFT).is_empty()
            {
                self.requests.out_mut().say_if_silent(unknown_key(c));
            }
            return;
        };
        if action == Action::Reason {
            self.requests.out_mut().keys.mark_reason_key(at);
        }
        let (counts, pending, reviews) =
            (self.key_counts(at), self.requests.pending(), self.requests.reviews());
        let has_review = reviews.has_current();
        match action {
            Action::NextHunk | Action::PreviousHunk if pending.is_change_of_hunks() => {
                self.number = number;
                self.requests.out_mut().keys.hold(key, at);
            }
            Action::NextHunk | Action::PreviousHunk | Action::Top | Action::Bottom if number.is_some() => {
                let (reviews, out) = self.requests.parts();
                navigation::go_to_change(reviews, action, number.unwrap_or_default(), out);
            }
            action if action.touches_review() && number.is_some() => self.requests.out_mut().say(NO_NUMBER),
            action if !action.touches_review() => self.navigate(action),
            Action::Undo if reviews.turn().has_undone() => self.requests.carry_out(action),
            _ if !has_review => self.requests.out_mut().say_that_nothing_waits(),
            _ if pending.is_change() => self.requests.out_mut().keys.hold(key, at),
            // The pending request may end the review for which the key was meant. The next review must not
            // get it.
            _ if !pending.is_idle() || reviews.turn().is_busy() => {}
            _ if !counts => self.requests.out_mut().show_too_soon(),
            action => self.requests.carry_out(action),
        }
    }

    /// Adds a digit to the number for the next key. Returns false if the key is no digit of a number: a 0 at
    /// the beginning is a command.
    fn take_digit(&mut self, key: KeyEvent) -> bool {
        let KeyCode::Char(c) = key.code else { return false };
        let digit = c.to_digit(10).filter(|digit| *digit > 0 || self.number.is_some());
        let (Some(digit), KeyModifiers::NONE) = (digit, key.modifiers) else { return false };
        self.number = Some((self.number.unwrap_or(0) * 10 + digit as usize).min(MAX_TYPED_NUMBER));
        true
    }

    /// Whether a key pressed at `at` can be meant for the review on the screen: the review has been on the
    /// screen, and for long enough if no key of the person put it there.
    fn key_counts(&self, at: Instant) -> bool {
        let is_seen = self.requests.reviews().is_seen();
        self.requests.out().keys.counts(at) && !self.layout.areas().too_small && is_seen
    }

    /// Ends the search, or else leaves the turn review.
    fn escape(&mut self) {
        if self.search.needle().is_some() {
            return self.search.end();
        }
        let (reviews, out) = self.requests.parts();
        if reviews.mode() == DeskMode::Turn {
            reviews.switch_mode(out);
        }
    }

    /// Carries out an action that touches no review.
    fn navigate(&mut self, action: Action) {
        let (reviews, out) = self.requests.parts();
        let has_review = reviews.current().is_some();
        match action {
            Action::Leave => self.leave(),
            Action::Help => out.overlays.open(Overlay::Help(0)),
            Action::Turn => {
                reviews.switch_mode(out);
                self.search.end();
            }
            Action::Files => reviews.turn().list_files(self.now, out),
            Action::LookAgain => reviews.turn_mut().look_again(out),
            Action::Accepted => match reviews.accepted_list() {
                Some(list) => out.overlays.open(Overlay::Accepted(list)),
                None => out.say(alongside_desk::messages::NOTHING_ACCEPTED),
            },
            Action::Pause => {
                let paused = !reviews.status().paused;
                out.ask(Request::PauseContext { paused }, Purpose::Pause(paused));
            }
            Action::Send => {
                let active = Request::MentionFile { path: None, lines: None, agent: None };
                out.ask(active, Purpose::Send);
            }
            Action::SetUpAgents => self.setup.open(reviews.has_no_agent(), out),
            Action::Waiting => match (reviews.index(), reviews.all().len()) {
                (Some(at), all) => out.overlays.open(Overlay::Waiting(ReviewList::new(at, all))),
                (None, _) => out.say_that_nothing_waits(),
            },
            Action::NextReview => reviews.go_by(1, out),
            Action::PreviousReview => reviews.go_by(-1, out),
            Action::Layout => out.say(self.layout.switch_layout()),
            Action::Messages => match MessageList::new(out.messages.read_all()) {
                Some(list) => out.overlays.open(Overlay::Messages(list)),
                None => out.say(NO_MESSAGES),
            },
            Action::Wrap => out.say(self.layout.switch_wrap()),
            Action::Sidebar => self.layout.switch_lists(),
            Action::Left | Action::Right if self.layout.is_wrapped() && has_review => {
                out.say("All long lines are wrapped; w turns that off.");
            }
            Action::Search if has_review => out.overlays.open(Overlay::Search(String::new())),
            Action::SearchOn => self.search.go_to_match(&mut self.requests, true),
            Action::SearchBack => self.search.go_to_match(&mut self.requests, false),
            action => navigation::scroll(reviews, action, out),
        }
    }

    /// Leaves, or asks first, if the turn review has marks or comments that no finish has carried out. If
    /// files are being written, leaves once they are.
    fn leave(&mut self) {
        self.requests.leave_input();
        let (reviews, out) = self.requests.parts();
        if reviews.turn_mut().delay_leaving(out) {
            return;
        }
        if !reviews.turn().open_leave_list(out) {
            self.leave_proposals();
        }
    }

    /// Leaves, or asks first, if leaving ends reviews.
    fn leave_proposals(&mut self) {
        match self.requests.reviews().question_before_leaving() {
            Some(question) => self.requests.out_mut().open_question(question),
            None => self.requests.out_mut().add_effect(Effect::Leave),
        }
    }

    /// Handles a click or a step of the wheel.
    pub(crate) fn take_mouse(&mut self, mouse: MouseEvent) {
        let rows = match mouse.kind {
            MouseEventKind::ScrollDown => ROWS_PER_WHEEL_STEP,
            MouseEventKind::ScrollUp => -ROWS_PER_WHEEL_STEP,
            MouseEventKind::Down(MouseButton::Left) => 0,
            _ => return,
        };
        let main = self.layout.areas().main;
        let (reviews, out) = self.requests.parts();
        let excess = help::excess(main, reviews.mode());
        let is_free = out.overlays.front().is_none();
        match (out.overlays.cover_mut(), reviews.current_mut()) {
            (Some(Overlay::Help(_)), _) if rows == 0 => drop(self.close_cover()),
            (Some(cover), _) => cover.scroll(rows, main.height, excess),
            (None, Some(view)) if rows != 0 => _ = view.scroll(rows),
            (None, _) if rows == 0 && is_free => self.take_click(Position { x: mouse.column, y: mouse.row }),
            (None, _) => {}
        }
    }

    fn take_click(&mut self, at: Position) {
        let areas = self.layout.areas();
        let (reviews, out) = self.requests.parts();
        if areas.page.contains(at) {
            if let Some(view) = reviews.current_mut() {
                view.take_click(view.top() + usize::from(at.y - areas.page.y));
            }
            return;
        }
        match areas.listed_at(at) {
            Some(Listed::Review(id)) => _ = reviews.go_to(id, out),
            Some(Listed::File(file)) => _ = reviews.turn_mut().go_to(file, out),
            None => {}
        }
    }
}
