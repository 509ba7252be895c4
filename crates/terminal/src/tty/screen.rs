//! The main loop's interface to a terminal. `Tty` implements it for a real terminal, the tests for a grid of
//! cells.

use std::io;

use crossterm::event::Event as TerminalEvent;
use ratatui_core::layout::Size;

use crate::app::App;

/// A terminal that the desk draws on and reads from.
pub(crate) trait Screen {
    /// The present size of the terminal.
    fn size(&self) -> Size;
    /// Whether a frame can be drawn: the desk has the terminal, and the previous frame has been written.
    fn is_ready(&self) -> bool;
    /// Draws a frame; [`ScreenEvent::Written`] follows.
    fn draw(&mut self, app: &App) -> io::Result<()>;
    /// Waits for the next event. Cancel safe.
    async fn next(&mut self) -> io::Result<ScreenEvent>;
    /// Makes the next frame draw every cell again.
    fn redraw(&mut self) -> io::Result<()>;
    /// Copies a text to the clipboard, if the terminal allows that.
    fn copy(&mut self, text: &str) -> io::Result<()>;
    /// Sends the bytes of a notification, which do not change the screen.
    fn notify(&mut self, bytes: Vec<u8>) -> io::Result<()>;
    /// Gives the terminal to an editor, and prints `note` on it.
    async fn hand_over(&mut self, note: &str);
    /// Takes the terminal back, also from a program that used it without being asked.
    fn take_back(&mut self) -> io::Result<()>;
    /// Restores the terminal, stops the process until the shell continues it, and takes the terminal over
    /// again.
    async fn stop(&mut self) -> io::Result<()>;
}

/// An event of a terminal.
#[derive(Debug)]
pub(crate) enum ScreenEvent {
    /// The last frame has been written.
    Written,
    /// The size changed.
    Resized,
    /// A key, a click, a paste or a change of the focus.
    Input(TerminalEvent),
    /// An event that the desk ignores.
    Nothing,
}
