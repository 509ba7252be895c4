//! What follows from what the person presses or clicks. Accepting is one explicit act on the revision that
//! was on the screen; a key that was pressed before that was there decides nothing.

use alongside_desk::{Decision, HunkState, Request};
use crossterm::event::{
    Event as Typed, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::Position;
use tokio::time::{Duration, Instant};

use crate::app::{App, Effect, Purpose, Question, What};
use crate::keys::{self, Act};
use crate::page::Needle;
use crate::{Layout, texts};

/// How many rows a turn of the wheel scrolls, and how many columns a key does.
const WHEEL: isize = 3;
const COLUMNS: usize = 8;

/// The companion is told at most this often that the person has turned to this desk.
const FOCUS_EVERY: Duration = Duration::from_secs(1);

impl App {
    /// Takes what came from the terminal at `at`.
    pub(crate) fn typed(&mut self, typed: Typed, at: Instant) {
        match typed {
            Typed::Key(key) if key.kind != KeyEventKind::Release => {
                self.messages_read();
                self.key(key, at);
            }
            Typed::Mouse(mouse) => self.mouse(mouse),
            Typed::FocusGained => self.focus(at),
            Typed::Resize(..) => {}
            // A paste is no row of keys; only a search takes text.
            Typed::Paste(text) => match &mut self.search.typing {
                Some(needle) => needle.push_str(text.lines().next().unwrap_or_default()),
                None => self.say("A paste means nothing here."),
            },
            Typed::Key(_) | Typed::FocusLost => return,
        }
        self.due = true;
    }

    pub(crate) fn focus(&mut self, at: Instant) {
        if self.focused.is_none_or(|focused| at >= focused + FOCUS_EVERY) {
            self.focused = Some(at);
            self.ask(Request::Focus, Purpose::Nothing);
        }
    }

    /// Takes a key that was pressed at `at`.
    pub(crate) fn key(&mut self, key: KeyEvent, at: Instant) {
        let act = keys::act(key);
        let interrupts = key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL);
        if self.search.typing.is_some() && !interrupts {
            return self.search_typed(key);
        }
        match act {
            Some(Act::Stop) => return self.effects.push(Effect::Stop),
            Some(Act::Redraw) => return self.effects.push(Effect::Redraw),
            _ => {}
        }
        if let Some(question) = self.question {
            return self.question_answered(question, key, interrupts);
        }
        if self.help.is_some() {
            return self.help_read(act);
        }
        if key.code == KeyCode::Esc {
            self.search.needle = None;
        }
        let Some(act) = act else { return };
        if !act.touches() {
            return self.move_about(act);
        }
        if self.at.is_none() {
            return self.say("No review waits.");
        }
        // What comes after a decision was not meant for the next review.
        if self.deciding.is_some() || self.hold(key, at) {
            return;
        }
        if !self.counts(at) {
            return self.warn(texts::TOO_SOON);
        }
        self.touch(act);
    }

    /// Changes or decides the review that is read.
    fn touch(&mut self, act: Act) {
        let Some(reading) = self.reading_mut() else { return };
        let (id, revision, hunk) = (reading.review.id, reading.meant(), reading.hunk);
        let state = reading.review.hunks.get(hunk).map(|hunk| hunk.state);
        match (act, state) {
            (Act::Accept, _) => {
                let review = &reading.review;
                if review.stale || review.dirty {
                    return self.open_question(Question::AcceptAnyway);
                }
                self.decide(Decision::Accept);
            }
            (Act::Reject, _) => self.decide(Decision::Reject),
            (Act::Undo, _) => {
                let place = reading.steps.pop();
                self.change(id, What::Undo(place), Request::UndoReview { id, revision });
            }
            (Act::Edit, _) if reading.review.whole_file_only.is_some() => {
                self.warn("This proposal can only be accepted or rejected as a whole.");
            }
            (Act::Edit, _) => self.effects.push(Effect::Edit),
            (_, None) => self.say("There is no single change to decide on here."),
            (_, Some(_)) if !reading.hunk_on_screen() => {
                reading.show_hunk();
                self.say(texts::LOOK_FIRST);
            }
            (Act::Split, Some(_)) => {
                let before = reading.review.hunks.len();
                reading.steps.push(hunk);
                self.change(id, What::Split(before), Request::SplitHunk { id, revision, hunk });
            }
            (_, Some(state)) => {
                reading.steps.push(hunk);
                let keep = state == HunkState::Dropped;
                if state == HunkState::Edited {
                    self.say("What you edited here is dropped; u takes that back.");
                }
                let request = Request::KeepHunks { id, revision, hunks: vec![hunk], keep };
                self.change(id, What::Hunk, request);
            }
        }
    }

    fn move_about(&mut self, act: Act) {
        match act {
            Act::Leave => self.leave(),
            Act::Help => self.help = Some(0),
            Act::Pause => {
                let paused = !self.status.paused;
                self.ask(Request::PauseContext { paused }, Purpose::Pause(paused));
            }
            Act::NextReview => self.turn_to(1),
            Act::PreviousReview => self.turn_to(-1),
            Act::Layout => {
                self.layout = Some(match self.layout.unwrap_or(self.areas.layout) {
                    Layout::SideBySide => Layout::OneColumn,
                    Layout::OneColumn => Layout::SideBySide,
                });
            }
            Act::Search if self.at.is_some() => self.search.typing = Some(String::new()),
            Act::SearchOn => self.find(true),
            Act::SearchBack => self.find(false),
            act => self.scroll(act),
        }
    }

    /// Moves in the review that is read.
    fn scroll(&mut self, act: Act) {
        let Some(reading) = self.reading_mut() else { return };
        let end = isize::MAX / 2;
        match act {
            Act::NextHunk if !reading.next_hunk() => self.say("This is the last change."),
            Act::PreviousHunk if !reading.previous_hunk() => self.say("This is the first change."),
            Act::PageDown => _ = reading.scroll(reading.whole()),
            Act::PageUp => _ = reading.scroll(-reading.whole()),
            Act::HalfDown => _ = reading.scroll(reading.half()),
            Act::HalfUp => _ = reading.scroll(-reading.half()),
            Act::Top => _ = reading.scroll(-end),
            Act::Bottom => _ = reading.scroll(end),
            Act::Left => reading.sideways = reading.sideways.saturating_sub(COLUMNS),
            Act::Right => reading.sideways += COLUMNS,
            Act::Open if !reading.toggle_nearest_fold() => self.say("Nothing is folded here."),
            Act::CopyPath => {
                let (file, name) = (reading.review.file.clone(), reading.review.file.clone());
                self.effects.push(Effect::Copy(file));
                let name = alongside_desk::harmless::name(&name).into_owned();
                self.say(format!("Copied, if your terminal allows it: {name}"));
            }
            _ => {}
        }
    }

    fn leave(&mut self) {
        self.search.typing = None;
        // Other desks go on showing what waits; the last one that leaves ends it.
        if self.reviews.is_empty() || self.status.desks > 1 {
            return self.effects.push(Effect::Leave);
        }
        self.open_question(Question::Leave);
    }

    fn turn_to(&mut self, by: isize) {
        let n = self.reviews.len() as isize;
        if n == 0 {
            return self.say("No review waits.");
        }
        let at = self.reviews.iter().position(|reading| Some(reading.review.id) == self.at);
        let next = at.map_or(0, |at| (at as isize + by).rem_euclid(n)) as usize;
        if at == Some(next) {
            return self.say("No other review waits.");
        }
        self.at = Some(self.reviews[next].review.id);
        self.seen_again();
    }

    /// The person turned to another review: it must be on the screen again before keys mean it.
    fn seen_again(&mut self) {
        if let Some(reading) = self.reading_mut() {
            reading.seen = None;
        }
        self.due = true;
    }

    fn question_answered(&mut self, question: Question, key: KeyEvent, interrupts: bool) {
        if interrupts && question == Question::Leave {
            return self.effects.push(Effect::Leave);
        }
        let answer = match key.code {
            KeyCode::Char('y' | 'Y') => true,
            KeyCode::Char('n' | 'N' | 'q' | 'c') | KeyCode::Esc => false,
            KeyCode::Char('r') if question == Question::SingleNewline && self.question_stood => {
                self.question = None;
                return self.decide(Decision::Reject);
            }
            _ => return,
        };
        if answer && !self.question_stood {
            return self.warn("That was pressed before this question stood here, so it does not count.");
        }
        self.question = None;
        if !answer {
            return;
        }
        match question {
            Question::Leave => self.effects.push(Effect::Leave),
            Question::AcceptAnyway => self.decide(Decision::Accept),
            Question::SingleNewline => {
                if let Some(reading) = self.reading() {
                    let (id, revision) = (reading.review.id, reading.meant());
                    let request = crate::asked::whole_text(id, revision, "\n".into());
                    self.change(id, What::SingleNewline, request);
                }
            }
        }
    }

    fn help_read(&mut self, act: Option<Act>) {
        let Some(top) = &mut self.help else { return };
        let page = usize::from(self.areas.main.height.max(2)) / 2;
        match act {
            Some(Act::NextHunk) => *top += 1,
            Some(Act::PreviousHunk) => *top = top.saturating_sub(1),
            Some(Act::PageDown | Act::HalfDown) => *top += page,
            Some(Act::PageUp | Act::HalfUp) => *top = top.saturating_sub(page),
            Some(Act::Leave) | None | Some(_) => {
                self.help = None;
                // The review was covered.
                self.seen_again();
            }
        }
        if let Some(top) = &mut self.help {
            *top = (*top).min(keys::TABLE.len().saturating_sub(1));
        }
    }

    fn search_typed(&mut self, key: KeyEvent) {
        let Some(needle) = &mut self.search.typing else { return };
        match key.code {
            KeyCode::Esc => {
                self.search.typing = None;
                self.search.needle = None;
            }
            KeyCode::Backspace => _ = needle.pop(),
            KeyCode::Char(c) if !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {
                needle.push(c);
            }
            KeyCode::Enter => {
                let text = std::mem::take(needle);
                self.search.typing = None;
                if !text.is_empty() {
                    self.search.needle = Needle::new(&text);
                    self.search.text = text;
                }
                self.find(true);
            }
            _ => {}
        }
    }

    /// Goes to the next place of what is searched for, round the end.
    fn find(&mut self, forward: bool) {
        let Some(needle) = self.search.needle.clone() else {
            return self.say("Nothing was searched for yet; / does.");
        };
        let Some(reading) = self.reading_mut() else { return };
        if !reading.find(&needle, forward) {
            let text = self.search.text.clone();
            self.warn(format!("\"{}\" is not in this text.", alongside_desk::harmless::name(&text)));
        }
    }

    fn mouse(&mut self, mouse: MouseEvent) {
        let (areas, at) = (&self.areas, Position { x: mouse.column, y: mouse.row });
        let wheel = match mouse.kind {
            MouseEventKind::ScrollDown => WHEEL,
            MouseEventKind::ScrollUp => -WHEEL,
            MouseEventKind::Down(MouseButton::Left) => 0,
            _ => return,
        };
        if let Some(top) = &mut self.help {
            match wheel {
                0 => {
                    self.help = None;
                    self.seen_again();
                }
                by => *top = top.saturating_add_signed(by).min(keys::TABLE.len().saturating_sub(1)),
            }
            return;
        }
        if wheel != 0 {
            if let Some(reading) = self.reading_mut() {
                reading.scroll(wheel);
            }
            return;
        }
        if self.question.is_some() || self.search.typing.is_some() {
            return;
        }
        if areas.page.contains(at) {
            let down = usize::from(at.y - areas.page.y);
            if let Some(reading) = self.reading_mut() {
                reading.clicked(reading.top + down);
            }
        } else if let Some(id) = areas.review_at(at)
            && self.at != Some(id)
        {
            self.at = Some(id);
            self.seen_again();
        }
    }
}
