//! The desk without a terminal, for the benches: frames go into memory. Not an interface for anybody else.

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
use crate::tty::Pen;

/// A desk, and what it has drawn on.
pub struct Stage {
    app: App,
    size: Size,
    pen: Pen,
    terminal: Terminal<CrosstermBackend<Pen>>,
    now: Instant,
}

/// A way to move about in a review.
#[derive(Debug, Clone, Copy)]
pub enum Move {
    /// A key.
    Key(KeyCode),
    /// A turn of the wheel.
    Wheel(MouseEventKind),
}

impl Stage {
    /// A desk of so many columns and rows on which nothing was drawn.
    ///
    /// # Panics
    /// When memory cannot be written to.
    #[must_use]
    #[allow(clippy::expect_used, reason = "writing to memory does not fail")]
    pub fn new((width, height): (u16, u16)) -> Self {
        let viewport = Viewport::Fixed(Rect::new(0, 0, width, height));
        let pen = Pen::default();
        let terminal =
            Terminal::with_options(CrosstermBackend::new(pen.clone()), TerminalOptions { viewport })
                .expect("memory is there");
        let app = App::new(Options::default(), Palette::new(Theme::Dark, Depth::True));
        Self { app, size: Size { width, height }, pen, terminal, now: Instant::now() }
    }

    /// The companion says something.
    pub fn told(&mut self, event: CompanionEvent) {
        self.app.take_event(event);
    }

    /// Draws as the loop does, and says in how many bytes for a terminal.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    #[allow(clippy::expect_used, reason = "writing to memory does not fail")]
    pub fn frame(&mut self) -> usize {
        let shown_frame = self.app.arrange(self.size, 0);
        self.terminal.draw(|frame| self.app.draw(frame)).expect("memory is there");
        self.app.mark_shown(&shown_frame, self.now);
        // A second later whatever is on the screen counts.
        self.now += Duration::from_secs(1);
        self.pen.take().len()
    }

    /// The person moves about.
    pub fn moved(&mut self, to: Move) {
        let (column, row, modifiers) = (self.size.width / 2, self.size.height / 2, KeyModifiers::NONE);
        let typed = match to {
            Move::Key(code) => Event::Key(KeyEvent::new(code, modifiers)),
            Move::Wheel(kind) => Event::Mouse(MouseEvent { kind, column, row, modifiers }),
        };
        self.app.take_input(typed, self.now);
        self.app.out_mut().take_effects();
    }

    /// Opens all folds.
    pub fn unfold(&mut self) {
        let Some(view) = self.app.current_mut() else { return };
        let rows = view.page().map_or(0, Page::rows);
        for row in (0..rows).rev() {
            if view.page().and_then(|page| page.fold_near(row, row..row + 1)).is_some() {
                view.clicked(row);
            }
        }
        view.go_to_hunk(0);
    }

    /// Waits until what is in sight has its colours, and draws them.
    pub fn coloured(&mut self) {
        loop {
            self.frame();
            std::thread::sleep(std::time::Duration::from_millis(100));
            if self.app.own_events().1.now_or_never().is_none() {
                return;
            }
        }
    }
}
