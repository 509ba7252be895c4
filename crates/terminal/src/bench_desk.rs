//! The desk without a terminal: it draws frames into memory. Only for benches; not a public interface.

use alongside_desk::Event as CompanionEvent;
use crossterm::event::{Event, KeyEvent, KeyModifiers, MouseEvent};
pub use crossterm::event::{KeyCode, MouseEventKind};
use futures_util::FutureExt as _;
use ratatui_core::layout::{Rect, Size};
use ratatui_core::terminal::{Terminal, TerminalOptions, Viewport};
use ratatui_crossterm::CrosstermBackend;
use tokio::time::{Duration, Instant};

use crate::app::App;
use crate::options::{Options, Theme};
use crate::palette::{Depth, Palette};
use crate::review_page::Page;
use crate::tty::OutputBuffer;

/// A terminal desk that draws into memory.
pub struct BenchDesk {
    app: App,
    size: Size,
    output: OutputBuffer,
    terminal: Terminal<CrosstermBackend<OutputBuffer>>,
    now: Instant,
}

/// Input from the person.
#[derive(Debug, Clone, Copy)]
pub enum Input {
    /// A key.
    Key(KeyCode),
    /// A step of the mouse wheel.
    Wheel(MouseEventKind),
}

impl BenchDesk {
    /// Creates an empty desk of `width` columns and `height` rows.
    ///
    /// # Panics
    /// If the terminal in memory cannot be created.
    #[must_use]
    #[allow(clippy::expect_used, reason = "writing to memory does not fail")]
    pub fn new((width, height): (u16, u16)) -> Self {
        let viewport = Viewport::Fixed(Rect::new(0, 0, width, height));
        let output = OutputBuffer::default();
        let terminal =
            Terminal::with_options(CrosstermBackend::new(output.clone()), TerminalOptions { viewport })
                .expect("writing to memory does not fail");
        let app = App::new(Options::default(), Palette::new(Theme::Dark, Depth::True));
        Self { app, size: Size { width, height }, output, terminal, now: Instant::now() }
    }

    /// Handles an event of the companion.
    pub fn receive(&mut self, event: CompanionEvent) {
        self.app.take_event(event);
    }

    /// Draws one frame as the main loop does. Returns the number of bytes that a terminal would get.
    ///
    /// # Panics
    /// If the frame cannot be written to memory.
    #[allow(clippy::expect_used, reason = "writing to memory does not fail")]
    pub fn draw_frame(&mut self) -> usize {
        let shown_frame = self.app.arrange(self.size, 0);
        self.terminal.draw(|frame| self.app.draw(frame)).expect("writing to memory does not fail");
        self.app.mark_shown(&shown_frame, self.now);
        // A key counts only after its screen was shown for a while; one second is enough.
        self.now += Duration::from_secs(1);
        self.output.take().len()
    }

    /// Handles input from the person.
    pub fn handle_input(&mut self, input: Input) {
        let (column, row, modifiers) = (self.size.width / 2, self.size.height / 2, KeyModifiers::NONE);
        let event = match input {
            Input::Key(code) => Event::Key(KeyEvent::new(code, modifiers)),
            Input::Wheel(kind) => Event::Mouse(MouseEvent { kind, column, row, modifiers }),
        };
        self.app.take_input(event, self.now);
        self.app.out_mut().take_effects();
    }

    /// Opens all folds.
    pub fn open_folds(&mut self) {
        let Some(view) = self.app.current_mut() else { return };
        let rows = view.page().map_or(0, Page::rows);
        for row in (0..rows).rev() {
            if view.page().and_then(|page| page.fold_near(row, row..row + 1)).is_some() {
                view.take_click(row);
            }
        }
        view.go_to_hunk(0);
    }

    /// Draws frames until all visible lines have their colours.
    pub fn draw_until_coloured(&mut self) {
        loop {
            self.draw_frame();
            std::thread::sleep(std::time::Duration::from_millis(100));
            let (_, new_colours) = self.app.own_events();
            if new_colours.now_or_never().is_none() {
                return;
            }
        }
    }
}
