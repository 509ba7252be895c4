//! The desk as the loop drives it: takes the events of the companion and of the terminal, and lays out and
//! draws frames. [`DeskState`] has the state on which keys act.

use std::io;
use std::process::ExitStatus;

use alongside_desk::agent_setup::SetupReply;
use alongside_desk::{Event, Refusal, Request, Revised};
use crossterm::event::{Event as TerminalEvent, KeyEventKind};
use ratatui_core::layout::Size;
use ratatui_core::terminal::Frame;
use tokio::time::Instant;

use crate::attention::Attention;
use crate::colour::Colours;
use crate::desk_state::DeskState;
use crate::options::Options;
use crate::output::{AgentSearch, Effect, Output, Purpose};
use crate::palette::Palette;
use crate::panels::DrawnState;
use crate::review_view::ReviewView;
use crate::reviews::requests::ReviewRequests;
use crate::screen_layout;
use crate::shown_frame::ShownFrame;
use crate::words::turn_words;

/// The desk, from its first event to its last frame.
pub(crate) struct App {
    options: Options,
    palette: Palette,
    colours: Colours,
    desk: DeskState,
    attention: Attention,
}

impl App {
    pub(crate) fn new(options: Options, palette: Palette) -> Self {
        let (colours, attention) = (Colours::new(), Attention::default());
        Self { palette, colours, desk: DeskState::new(&options), attention, options }
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    pub(crate) fn requests(&self) -> &ReviewRequests {
        &self.desk.requests
    }

    pub(crate) fn requests_mut(&mut self) -> &mut ReviewRequests {
        &mut self.desk.requests
    }

    /// The time in ms between the last frame and the next change of an age that the turn review shows.
    pub(crate) fn next_age(&self) -> Option<u64> {
        turn_words::next_age(self.desk.requests.reviews().turn().files()?.turn(), self.desk.now)
    }

    pub(crate) fn out(&self) -> &Output {
        self.desk.requests.out()
    }

    pub(crate) fn out_mut(&mut self) -> &mut Output {
        self.desk.requests.out_mut()
    }

    /// Reports to the companion that this desk has the focus.
    pub(crate) fn begin(&mut self, now: Instant) {
        self.report_focus(now);
        let (reviews, out) = self.desk.requests.parts();
        if reviews.turn().opens_at_start() {
            reviews.switch_mode(out);
        }
    }

    /// Returns a future that waits for the exit of the editor, and one that waits for new colours. Both
    /// futures are cancel safe.
    pub(crate) fn own_events(
        &mut self,
    ) -> (impl Future<Output = io::Result<ExitStatus>>, impl Future<Output = ()>) {
        (self.desk.requests.editor_exit(), self.colours.wait_for_change())
    }

    pub(crate) fn take_event(&mut self, event: Event) {
        if let Event::Opened(review) = &event
            && self.desk.requests.reviews().view(review.id).is_none()
        {
            self.notify(&review.file);
        }
        if self.desk.requests.take_event(event) {
            // A search belongs to the review in which it was begun.
            self.desk.search.end();
        }
        self.desk.leave_once_written();
    }

    /// Announces a review while another window has the focus. Reviews that arrive within a second are
    /// announced once.
    fn notify(&mut self, file: &str) {
        let has_no_frame = self.desk.requests.out().keys.has_no_frame();
        let may_announce = !self.desk.requests.pending().has_editor() && !has_no_frame;
        if may_announce && self.attention.note_arrival(Instant::now()) {
            self.desk.requests.out_mut().add_effect(Effect::Notify(file.to_owned()));
        }
    }

    /// Handles a reply of the companion, after the events that came before it.
    pub(crate) fn take_reply(&mut self, purpose: Purpose, reply: Result<Revised, Refusal>) {
        let has_made_change = self.desk.requests.take_reply(purpose, reply);
        self.desk.leave_once_written();
        if has_made_change {
            self.desk.take_held_keys();
        }
    }

    /// Handles the result of taking undos back: for each file, success or the reason why it stays undone.
    pub(crate) fn take_taken_back(&mut self, back: &[(String, Result<(), String>)]) {
        let (reviews, out) = self.desk.requests.parts();
        reviews.turn_mut().take_taken_back(back, out);
        self.desk.leave_once_written();
    }

    /// Handles the result of a search for agents, or of a change of their settings.
    pub(crate) fn take_setup(&mut self, reply: SetupReply) {
        let (reviews, out) = self.desk.requests.parts();
        self.desk.setup.take_reply(reply, reviews.has_no_agent(), out);
    }

    /// Whether to search for agents every few seconds: the screen names the agents that are not set up, and
    /// no event reports a change of their settings.
    pub(crate) fn searches_in_background(&self) -> bool {
        let requests = &self.desk.requests;
        requests.reviews().has_no_agent()
            && !requests.pending().has_editor()
            && self.desk.setup.is_idle(requests.out())
    }

    pub(crate) fn search_in_background(&mut self) {
        self.desk.setup.start_search(AgentSearch::Quick, self.desk.requests.out_mut());
    }

    /// Handles an event of the terminal that arrived at `at`.
    pub(crate) fn take_input(&mut self, event: TerminalEvent, at: Instant) {
        self.attention.take_event(&event);
        match event {
            TerminalEvent::Key(key) if key.kind != KeyEventKind::Release => {
                self.desk.requests.out_mut().messages.key_pressed(at);
                self.desk.take_key(key, at);
            }
            TerminalEvent::Mouse(mouse) => self.desk.take_mouse(mouse),
            TerminalEvent::FocusGained => {
                self.report_focus(at);
                // The person may have changed settings elsewhere.
                if self.desk.requests.reviews().has_no_agent() || !self.desk.setup.offers().is_empty() {
                    self.desk.setup.search_thoroughly(self.desk.requests.out_mut());
                }
            }
            TerminalEvent::Resize(..) => {}
            TerminalEvent::Paste(text) => self.desk.paste(&text),
            TerminalEvent::Key(_) | TerminalEvent::FocusLost => return,
        }
        self.desk.requests.out_mut().request_frame();
    }

    /// Reports to the companion that this desk has the focus, at most once a second.
    fn report_focus(&mut self, at: Instant) {
        if self.attention.note_focus(at) {
            self.desk.requests.out_mut().ask(Request::Focus, Purpose::Nothing);
        }
    }

    /// Lays out a frame on a screen of this size, and returns its content. `now`: ms since the Unix epoch.
    pub(crate) fn arrange(&mut self, size: Size, now: u64) -> ShownFrame {
        self.desk.now = now;
        let (reviews, out) = self.desk.requests.parts();
        reviews.fill_vacancy(out);
        let areas = self.desk.layout.choose_layout(size, reviews);
        let areas = screen_layout::compute_areas(&self.drawn_state(), size, areas);
        let (reviews, out) = self.desk.requests.parts();
        if let Some(view) = reviews.current_mut() {
            view.arrange(self.desk.layout.is_wrapped(), areas.page.height, areas.page.width);
            view.update_matches(self.desk.search.needle());
        }
        out.mark_drawn();
        let (shown_frame, is_first) = (ShownFrame::of(reviews, out, &areas), out.keys.has_no_frame());
        self.desk.layout.set_areas(areas);
        if !is_first {
            self.request_colours();
        }
        shown_frame
    }

    /// Requests the colours of the lines on the screen.
    fn request_colours(&mut self) {
        if let Some(view) = self.desk.requests.reviews().current()
            && let Some(page) = view.page()
        {
            self.colours.request(&view.review().file, page.lines_in(view.rows()));
        }
    }

    /// Draws the frame that [`arrange`](Self::arrange) laid out.
    pub(crate) fn draw(&self, frame: &mut Frame<'_>) {
        screen_layout::draw(&self.drawn_state(), &self.colours, frame);
    }

    fn drawn_state(&self) -> DrawnState<'_> {
        DrawnState {
            palette: &self.palette,
            areas: self.desk.layout.areas(),
            reviews: self.desk.requests.reviews(),
            overlays: &self.desk.requests.out().overlays,
            messages: &self.desk.requests.out().messages,
            search: &self.desk.search,
            number: self.desk.number,
            offers: self.desk.setup.offers(),
            started: self.options.started.as_deref(),
            keeps_drafts: !self.options.rehearsal,
            now: self.desk.now,
        }
    }

    /// Notes that a frame is on the screen. The first one starts what would delay it: the search for agents,
    /// which may run their programs, and the thread for colours, which loads the grammars.
    pub(crate) fn mark_shown(&mut self, shown_frame: &ShownFrame, now: Instant) {
        let (reviews, out) = self.desk.requests.parts();
        let is_first = out.keys.has_no_frame();
        shown_frame.mark_shown(now, reviews, out);
        if is_first {
            self.desk.setup.search_thoroughly(out);
            self.request_colours();
        }
    }

    /// The review on the screen, for the benches.
    pub(crate) fn current_mut(&mut self) -> Option<&mut ReviewView> {
        self.desk.requests.parts().0.current_mut()
    }

    /// Shows or hides the lists; `None` lets the size decide.
    #[cfg(test)]
    pub(crate) fn set_lists(&mut self, choice: Option<bool>) {
        self.desk.layout.set_lists(choice);
    }
}

#[cfg(test)]
mod tests {
    use alongside_desk::Agent;

    use super::*;
    use crate::options::Theme;
    use crate::palette::Depth;
    use crate::scripted_companion::{differs, review};

    #[test]
    fn no_colours_are_loaded_before_the_first_frame_is_shown() {
        let mut app = App::new(Options::default(), Palette::new(Theme::Dark, Depth::True));
        app.take_event(Event::Opened(review(1, &Agent::default(), "/p/a.rs", &[differs("a\n", "b\n")])));
        let shown_frame = app.arrange(Size { width: 80, height: 24 }, 0);
        assert!(!app.colours.has_thread());
        app.mark_shown(&shown_frame, Instant::now());
        assert!(app.colours.has_thread());
    }
}
