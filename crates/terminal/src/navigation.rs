//! Moving about: reviews, hunks, rows, folds, search, help, and the mouse. Nothing here waits for the
//! companion.

use alongside_desk::review_model::Subject;
use alongside_desk::{Request, harmless, messages};
use crossterm::event::{KeyCode, KeyEvent, MouseButton, MouseEvent, MouseEventKind};
use ratatui_core::layout::Position;

use crate::app::{App, Effect, Purpose};
use crate::areas::Lists;
use crate::keys::Action;
use crate::options::Layout;
use crate::panels::help;
use crate::review_page::Needle;
use crate::text_input;

/// Rows that a turn of the wheel scrolls.
const WHEEL: isize = 3;

/// Columns that a key scrolls to the side.
const COLUMNS: usize = 8;

impl App {
    /// Carries out an action that touches no review.
    pub(crate) fn navigate(&mut self, action: Action) {
        match action {
            Action::Leave => self.leave(),
            Action::Help => self.help = Some(0),
            Action::Pause => {
                let paused = !self.companion.status().paused;
                self.ask(Request::PauseContext { paused }, Purpose::Pause(paused));
            }
            Action::Send => {
                let active = Request::MentionFile { path: None, lines: None, agent: None };
                self.ask(active, Purpose::Send);
            }
            Action::SetUpAgents => self.open_setup(),
            Action::NextReview => self.turn_to(1),
            Action::PreviousReview => self.turn_to(-1),
            Action::Layout => {
                self.layout = Some(match self.layout.unwrap_or(self.areas.layout) {
                    Layout::SideBySide => Layout::OneColumn,
                    Layout::OneColumn => Layout::SideBySide,
                });
            }
            Action::Wrap => {
                self.wrap = !self.wrap;
                self.say(if self.wrap {
                    "Long lines are wrapped."
                } else {
                    "Long lines scroll to the side."
                });
            }
            Action::Sidebar => {
                // Lists that gave way to the code come back first.
                let is_hidden = match self.areas.lists {
                    Lists::Hidden => true,
                    Lists::Strip => self.areas.is_roomy,
                    Lists::Column => false,
                };
                self.sidebar = Some(is_hidden);
            }
            Action::Left | Action::Right if self.wrap && self.at.is_some() => {
                self.say("Long lines are wrapped; w turns that off.");
            }
            Action::Search if self.at.is_some() => self.search.typing = Some(String::new()),
            Action::SearchOn => self.find(true),
            Action::SearchBack => self.find(false),
            action => self.scroll(action),
        }
    }

    /// Moves in the review on the screen.
    fn scroll(&mut self, action: Action) {
        let Some(view) = self.current_mut() else { return };
        let end = isize::MAX / 2;
        match action {
            Action::NextHunk if !view.next_hunk() => self.say("This is the last change."),
            Action::PreviousHunk if !view.previous_hunk() => self.say(messages::FIRST_CHANGE),
            Action::PageDown => _ = view.scroll(view.whole()),
            Action::PageUp => _ = view.scroll(-view.whole()),
            Action::HalfDown => _ = view.scroll(view.half()),
            Action::HalfUp => _ = view.scroll(-view.half()),
            Action::Top => _ = view.scroll(-end),
            Action::Bottom => _ = view.scroll(end),
            Action::Left => view.sideways = view.sideways.saturating_sub(COLUMNS),
            Action::Right => view.sideways += COLUMNS,
            Action::Open if !view.toggle_nearest_fold() => self.say("There is no fold here."),
            Action::CopyPath => {
                let file = view.review().file.clone();
                let message = format!("Copied, if your terminal allows it: {}", harmless::name(&file));
                self.add_effect(Effect::Copy(file));
                self.say(message);
            }
            _ => {}
        }
    }

    fn turn_to(&mut self, by: isize) {
        let n = self.reviews.len() as isize;
        if n == 0 {
            return self.say_that_nothing_waits();
        }
        let at = self.reviews.iter().position(|view| Some(view.review().id) == self.at);
        let next = at.map_or(0, |at| (at as isize + by).rem_euclid(n)) as usize;
        if at == Some(next) {
            return self.say("No other review waits.");
        }
        self.at = Some(self.reviews[next].review().id);
        self.forget_seen();
    }

    /// The person turned to another review: keys mean it once it is on the screen again.
    pub(crate) fn forget_seen(&mut self) {
        if let Some(view) = self.current_mut() {
            view.seen = None;
            let id = view.review().id;
            self.messages.end(Subject::Arrival(id));
        }
        self.due = true;
    }

    /// Takes a key while the help is open.
    pub(crate) fn help_key(&mut self, action: Option<Action>) {
        let Some(top) = self.help else { return };
        let page = usize::from(self.areas.main.height.max(2)) / 2;
        let top = match action {
            Some(Action::NextHunk) => top + 1,
            Some(Action::PreviousHunk) => top.saturating_sub(1),
            Some(Action::PageDown | Action::HalfDown) => top + page,
            Some(Action::PageUp | Action::HalfUp) => top.saturating_sub(page),
            Some(Action::Top) => 0,
            Some(Action::Bottom) => usize::MAX,
            _ => return self.close_help(),
        };
        self.help = Some(top.min(help::excess(self.areas.main)));
    }

    /// Closes the help, which covered the review.
    fn close_help(&mut self) {
        self.help = None;
        self.forget_seen();
    }

    /// Takes a key while the person types what to search for.
    pub(crate) fn search_typed(&mut self, key: KeyEvent) {
        let Some(needle) = &mut self.search.typing else { return };
        match key.code {
            KeyCode::Esc => {
                self.search.typing = None;
                self.search.needle = None;
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
            _ => text_input::edit(needle, key),
        }
    }

    /// Goes to the next match, round the end.
    fn find(&mut self, forward: bool) {
        let Some(needle) = self.search.needle.clone() else {
            return self.say("Nothing to search for yet; type / first.");
        };
        let Some(view) = self.current_mut() else { return };
        if !view.find(&needle, forward) {
            let text = self.search.text.clone();
            self.warn(format!("\"{}\" is not in this text.", harmless::name(&text)));
        }
    }

    /// Takes a click or a turn of the wheel.
    pub(crate) fn mouse(&mut self, mouse: MouseEvent) {
        let wheel = match mouse.kind {
            MouseEventKind::ScrollDown => WHEEL,
            MouseEventKind::ScrollUp => -WHEEL,
            MouseEventKind::Down(MouseButton::Left) => 0,
            _ => return,
        };
        if let Some(list) = &mut self.accept_all {
            return list.scroll(wheel, self.areas.main.height);
        }
        if let Some(top) = &mut self.help {
            match wheel {
                0 => self.close_help(),
                by => *top = top.saturating_add_signed(by).min(help::excess(self.areas.main)),
            }
            return;
        }
        if let Some(open) = &mut self.setup.open {
            open.top = open.top.saturating_add_signed(wheel);
            return;
        }
        if wheel != 0 {
            if let Some(view) = self.current_mut() {
                view.scroll(wheel);
            }
            return;
        }
        if self.question.is_none() && !self.is_typing() {
            self.click(Position { x: mouse.column, y: mouse.row });
        }
    }

    fn click(&mut self, at: Position) {
        let areas = &self.areas;
        if areas.page.contains(at) {
            let down = usize::from(at.y - areas.page.y);
            if let Some(view) = self.current_mut() {
                view.clicked(view.top + down);
            }
        } else if let Some(id) = areas.review_at(at)
            && self.at != Some(id)
        {
            self.at = Some(id);
            self.forget_seen();
        }
    }
}
